"""A blue team for FIRASim, ours or another: hears frames of vision, answers each with wheel speeds.

    python firasim.py [group] [vision port] [command port]

The nearest robot gets behind the ball and pushes it to the yellow goal, one keeps, one waits in the middle.
"""

import math
import socket
import sys

from biela.arena import FIRASIM  # or classes that protoc has made of the league's own files

TRACK, RADIUS, TOP, GOAL = 0.0775, 0.026, 46.0, 0.75  # m, m, rad/s, m


def wheels(robot, x, y, speed):
    """Wheel speeds, rad/s, that bring a robot to a place, forwards or backwards."""
    off = math.remainder(math.atan2(y - robot.y, x - robot.x) - robot.orientation, math.tau)
    if abs(off) > math.pi / 2:
        off, speed = math.remainder(off + math.pi, math.tau), -speed
    forward, turning = speed * math.cos(off), 8.0 * off * TRACK / 2
    return [max(-TOP, min(TOP, v / RADIUS)) for v in (forward - turning, forward + turning)]


def attack(robot, ball):
    """Behind the ball first, then through it to the goal."""
    angle = math.atan2(-ball.y, GOAL - ball.x)
    c, s = math.cos(angle), math.sin(angle)
    ahead = (robot.x - ball.x) * c + (robot.y - ball.y) * s
    aside = (robot.y - ball.y) * c - (robot.x - ball.x) * s
    if ahead < -0.02 and abs(aside) < 0.04:
        return wheels(robot, ball.x + 0.2 * c, ball.y + 0.2 * s, 0.9)
    side = math.copysign(0.11, aside) if ahead > -0.06 else 0.0
    return wheels(robot, ball.x - 0.12 * c - side * s, ball.y - 0.12 * s + side * c, 0.6)


def act(frame):
    """The commands of a team for a frame."""
    ball, (keeper, *others) = frame.ball, frame.robots_blue
    others.sort(key=lambda r: math.hypot(r.x - ball.x, r.y - ball.y) + 0.3 * (r.x > ball.x))
    found = {keeper.robot_id: wheels(keeper, -0.69, max(-0.2, min(0.2, ball.y)), 4 * abs(ball.y - keeper.y))}
    found |= {r.robot_id: wheels(r, -0.3, 0.4 * ball.y, 0.3) for r in others}
    return found | {others[0].robot_id: attack(others[0], ball)}


if __name__ == "__main__":
    group, vision, port = sys.argv[1:4] or ("224.0.0.1", "10002", "20011")
    ear = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    ear.bind((group, int(vision)))
    if group.startswith("22"):
        where = socket.inet_aton(group) + socket.inet_aton("127.0.0.1")
        ear.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, where)
    while True:
        told = FIRASIM.read("Environment", ear.recv(65536))
        packet = FIRASIM.make("Packet")
        for n, (left, right) in act(told.frame).items():
            packet.cmd.robot_commands.add(id=n, wheel_left=left, wheel_right=right)
        ear.sendto(packet.SerializeToString(), ("127.0.0.1", int(port)))
