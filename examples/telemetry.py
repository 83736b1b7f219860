"""A game in the loop: sends what its vehicle feels to `biela platform serve`, and prints the poses.

Nothing but sockets and 72 bytes: the packets are told in `biela.cueing.live.packet`.

    biela platform serve --port 5555
    python examples/telemetry.py 5555
"""

import math
import socket
import struct
import sys
import time

TELEMETRY = struct.Struct("<4sHHIId6d")
HEAD = struct.Struct("<4sHHIIdfBBBB")
STATES = ("at rest", "riding", "settling", "stopped")


def telemetry(number, t):
    """A slalom: 3 m/s2 to the left and right every four seconds."""
    force = (0.0, 3.0 * math.sin(math.pi * t / 2.0), 9.80665)
    return TELEMETRY.pack(b"BLTM", 1, 0, number, 0, t, *force, 0.0, 0.0, 0.0)


def told(data):
    """State, pose in degrees and latency of an answer, for a platform that pitches and rolls."""
    *_, latency, state, n, m, _ = HEAD.unpack_from(data)
    values = struct.unpack_from(f"<{2 * n + m}d", data, HEAD.size)
    angles = " ".join(f"{math.degrees(value):7.2f}" for value in values[:n])
    return f"{STATES[state]:8s} {angles} deg  {1e3 * latency:5.2f} ms"


def drive(port, seconds=10.0, period=0.02):
    """Drive, and return the last answer."""
    answer = ""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as game:
        game.connect(("127.0.0.1", port))
        game.settimeout(1.0)
        for number in range(round(seconds / period)):
            game.send(telemetry(number, number * period))
            answer = told(game.recv(2048))
            if number % 25 == 0:
                print(answer, flush=True)
            time.sleep(0.2 * period)  # the answers keep the time
    return answer


if __name__ == "__main__":
    drive(int(sys.argv[1]) if len(sys.argv) > 1 else 5555)
