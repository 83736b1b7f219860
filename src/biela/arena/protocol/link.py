"""Sockets of protocols: where datagrams come in, counted and limited, and where they go out.

Addresses of multicast groups are joined, and spoken to, on one interface only, and datagrams do not leave it
unless told so: the loopback interface and no hop further is what everything begins with.
"""

from __future__ import annotations

import ipaddress
import socket
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

from biela.arena.wire.peer import FAULT, Allowance, Limits

LOOPBACK = "127.0.0.1"
LONGEST = 65_507  # bytes of a datagram
Address = tuple[str, int]


@dataclass(frozen=True)
class Place:
    """Where a protocol speaks or listens; a group is one of ``interface``, ``hops`` further at most."""

    host: str
    port: int
    interface: str = LOOPBACK
    hops: int = 0

    @property
    def group(self) -> bool:
        """Whether it is a multicast group."""
        return ipaddress.ip_address(self.host).is_multicast


@final
class Outlet:
    """Sends datagrams to a place; what does not get through is counted in ``lost``."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.lost = 0
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setblocking(False)
        if place.group:
            self.socket.setsockopt(
                socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(place.interface)
            )
            self.socket.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, place.hops)
            self.socket.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 1)

    def send(self, data: bytes) -> None:
        """Send one; it is lost if nobody can take it."""
        try:
            self.socket.sendto(data, (self.place.host, self.place.port))
        except OSError:
            self.lost += 1

    def close(self) -> None:
        """No more."""
        self.socket.close()


@final
class Inlet:
    """Receives datagrams at a place.

    Every sender has an allowance; what is beyond it, and what is longer than ``limits.message``, is counted
    in ``faults`` and not looked at.
    """

    def __init__(self, place: Place, limits: Limits, faults: Counter[str]) -> None:
        self.limits = limits
        self.faults = faults
        self.received = 0
        self._senders: dict[Address, Allowance] = {}
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setblocking(False)
        try:
            if place.group:
                self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self.socket.bind((place.host, place.port))
            if place.group:
                member = socket.inet_aton(place.host) + socket.inet_aton(place.interface)
                self.socket.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, member)
        except OSError as error:
            self.socket.close()
            raise OSError(
                f"Cannot listen at {place.host}:{place.port}: {error}. Take another port, or 0 for any."
            ) from error

    @property
    def port(self) -> int:
        """The port that it listens at."""
        return self.socket.getsockname()[1]

    def take(self, now: float, iteration: int) -> Iterator[tuple[bytes, Address]]:
        """What has come and may be looked at, with who sent it."""
        for _ in range(self.limits.drain):
            try:
                data, address = self.socket.recvfrom(LONGEST)
            except BlockingIOError:
                return
            except OSError:  # somebody we have answered is gone
                continue
            self.received += 1
            if not self._allowance(address, now, iteration).spend(1, now, iteration):
                self.faults["RATE"] += 1
            elif len(data) > self.limits.message:
                self.faults["TOO_LONG"] += 1
            else:
                yield data, address

    def _allowance(self, address: Address, now: float, iteration: int) -> Allowance:
        if address not in self._senders:
            if len(self._senders) >= self.limits.peers:
                self._senders.pop(next(iter(self._senders)))  # whoever came first
            self._senders[address] = Allowance(self.limits, now, iteration)
        return self._senders[address]

    def refuse(self, address: Address, now: float, iteration: int) -> None:
        """A datagram with a fault costs its sender more than one without."""
        if address in self._senders:
            self._senders[address].spend(FAULT, now, iteration)

    def answer(self, data: bytes, address: Address) -> None:
        """Send something back."""
        try:
            self.socket.sendto(data, address)
        except OSError:
            self.faults["LOST"] += 1

    def close(self) -> None:
        """No more."""
        self.socket.close()
