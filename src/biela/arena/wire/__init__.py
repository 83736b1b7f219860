"""Agents in other processes: a server for the kernel and a client for the agent.

What is sent is one of three forms, told apart by its first byte: compact ``binary``, ``json`` by a published
schema, and the ``xml`` of the source. Each goes over UDP, TCP and WebSocket. `docs/agents.md` is their
description for other languages.

* `pack`, `binary`, `json`, `markup`: bytes to messages and back; `form` is their registry, `schema` the
  schema;
* `limit`, `peer`: how much a peer may send, and who it is;
* `udp`, `tcp`, `websocket`: how bytes come and go; `server` joins them to a kernel, `client` is the other
  end;
* `commander`, `logger`: an agent to command by hand, and one that writes broadcasts down.
"""
