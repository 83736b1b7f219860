// An agent in JavaScript: it registers over a WebSocket, hears where its robot is, and drives it.
//
//     node driver.mjs PORT KEY ROBOT ITERATIONS
//
// It speaks the JSON form of docs/agents.md. In a browser it is the same, with the page's address among the
// server's `origins`. Node has WebSocket built in from version 22; before, a dozen lines of TCP do.

import net from "node:net";

const [port, key, robot, last] = process.argv.slice(2);

// A line of JSON after the other: over WebSocket where there is one, over TCP otherwise.
function connected(heard) {
  if (process.env.ARENA_TCP || typeof WebSocket === "undefined") {
    const link = net.connect(Number(port), "127.0.0.1");
    link.setNoDelay(true);
    let come = "";
    link.on("data", (data) => {
      const lines = (come + data).split("\n");
      come = lines.pop();
      lines.forEach((line) => heard(JSON.parse(line)));
    });
    return new Promise((ready) => link.on("connect", () => ready({
      send: (message) => link.write(JSON.stringify(message) + "\n"),
      close: () => link.end(),
    })));
  }
  const link = new WebSocket(`ws://127.0.0.1:${port}`);
  link.onmessage = (event) => heard(JSON.parse(event.data));
  return new Promise((ready) => {
    link.onopen = () => ready({
      send: (message) => link.send(JSON.stringify(message)),
      close: () => link.close(),
    });
  });
}

const agent = await connected(({ broadcast, reply }) => {
  if (reply) {
    console.error(reply.error);
    process.exit(1);
  }
  const [x, y] = broadcast.entities[robot].position;
  agent.send({ requests: [
    { command: "control_entity_motors", entity: robot, data: { speeds: [5.0 + y, 4.0 - x] } },
    { command: "synchronise", data: { iteration: broadcast.iteration } },
  ] });
  if (broadcast.iteration >= Number(last)) {
    console.log(broadcast.iteration, x, y);
    agent.close();
  }
});

agent.send({ requests: [{ command: "register_agent", data: { key, synchronous: true } }] });
