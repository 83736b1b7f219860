"""URDF: links and joints of robots, read by the standard library; the structure is a tree.

A link is a body whose frame is that of the joint that carries it; the root link is the ground, or hangs on
it freely (``floating``). Links without a moving joint between them are one body (``fixed="fuse"``), and keep
a base and a point of their name; ``fixed="keep"`` welds them instead. Every joint that moves has a coordinate
of its name, an input ``<joint>.effort`` (``motors``), and parameters ``<joint>.damping`` and ``.friction``
where it has such. A joint that mimics another moves by an expression of that one's coordinate.

URDF has no loops. Ours are children of ``<robot>``: a joint of `biela.JOINTS` between two links that have
places already, by its places on both (``xyz``, ``rpy``: components in the link's frame) and its axis:

    <loop name="close" type="revolute">
      <parent link="coupler"/> <child link="rocker"/>
      <origin xyz="0.54 0 0"/> <child_origin xyz="0.455 0 0"/> <axis xyz="0 0 1"/>
    </loop>
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from biela.description.fault import Faults
from biela.description.imported import Imported, Limits, name_of, names_of
from biela.description.robot import KINDS, MIMICS, Hinge, Mass, Pose, Robot
from biela.description.xml import parse
from biela.expr.expression import Expr
from biela.mechanics.body import Body
from biela.mechanics.drawing import Bar
from biela.mechanics.joint import JOINTS
from biela.mechanics.load import coulomb
from biela.mechanics.system import System


def read_urdf(
    source: str | Path, *, fixed: str = "fuse", floating: bool = False, quaternion: bool = False,
    motors: bool = True, massless: bool = False, gravity: float = 9.81,
) -> Imported:  # fmt: skip
    """The mechanism of a URDF file, or of its text.

    ``massless`` accepts bodies without inertia that a joint moves. Raises DescriptionError with every fault,
    by lines, ValueError for what is no XML or is not to be trusted.
    """
    where, text = text_of(source)
    if fixed not in ("fuse", "keep"):
        raise ValueError(f"fixed={fixed!r}: expected 'fuse' or 'keep'.")
    try:
        root = parse(text)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    robot = Robot(root, Faults(where))
    robot.check(fixed == "fuse", floating, massless)
    robot.faults.raise_if_any()
    return _Making(robot, fixed == "fuse", floating, quaternion, motors, gravity).done()


def text_of(source: str | Path) -> tuple[str, str]:
    """What to call a source, and its text: a file, or the text itself where it begins with '<'."""
    if isinstance(source, str) and source.lstrip().startswith("<"):
        return "The text", source
    path = Path(source)
    if not path.is_file():
        raise ValueError(f"There is no file '{path}'.")
    return str(path), path.read_text(encoding="utf-8")


class _Making:
    """The system in the making: where each link is, on which body."""

    def __init__(
        self, robot: Robot, fuse: bool, floating: bool, quaternion: bool, motors: bool, gravity: float
    ) -> None:
        self.robot, self.fuse, self.quaternion, self.motors = robot, fuse, quaternion, motors
        name = robot.root.attributes.get("name", "") or "robot"
        self.links, self.joints = names_of(robot.links), names_of(robot.joints, ["g"])
        self.system = System(name_of(name))
        g = self.system.parameter("g", gravity, "m/s2", "free fall, along -z")
        self.system.gravity([0, 0, -g])
        self.places: dict[str, tuple[Body, Pose]] = {}
        self.limits: dict[str, Limits] = {}
        self.notes: list[str] = []
        self.q: dict[str, Expr] = {}
        self._root(floating)

    def _root(self, floating: bool) -> None:
        root = self.robot.root_link
        if not floating:
            self._at(root, self.system.ground, Pose())
            if self.robot.links[root].mass:
                self.notes.append(f"link '{root}' is the ground, so its inertia has no effect")
            return
        body = self._body(root)
        self.system.free(self.system.ground, body, quaternion=self.quaternion, name="root")
        self._at(root, body, Pose())

    def done(self) -> Imported:
        """The whole system."""
        s = self.system
        for joint in self.robot.joints.values():
            if joint.kind in MIMICS and not joint.mimic:
                unit = "m" if joint.kind == "prismatic" else "rad"
                self.q[joint.name] = s.coordinate(self.joints[joint.name], unit=unit)
        for joint in self.robot.downwards(self.robot.root_link):
            self._joint(joint)
        for loop in self.robot.loops:
            self._loop(loop)
        return Imported(s, self.limits, self.notes)

    def _body(self, link: str) -> Body:
        own = self.robot.links[link].mass or Mass()
        total = self.robot.fused(link) if self.fuse else own
        inertia = 0.5 * (total.inertia + total.inertia.T)
        return self.system.body(
            self.links[link], mass=float(total.mass), com=total.com.tolist(), inertia=inertia.tolist()
        )

    def _at(self, link: str, body: Body, pose: Pose) -> None:
        self.places[link] = body, pose
        name = self.links[link]
        if body.name != name:  # fused: a frame of its own on the body that carries it
            self.system.point(name, body, pose.p.tolist(), body.base)
            self.system.base(name, body, matrix=pose.R.tolist())

    def _joint(self, joint: Hinge) -> None:
        parent, pose = self.places[joint.parent]
        start = pose.then(joint.origin)
        if joint.kind == "fixed" and self.fuse:
            self._at(joint.child, parent, start)
            return
        child, s = self._body(joint.child), self.system
        options: dict[str, Any] = {"at": start.p.tolist(), "name": self.joints[joint.name]}
        if start.turned:
            options["frame"] = s.base(f"{self.joints[joint.name]}.frame", parent, matrix=start.R.tolist())
        if joint.kind in (*MIMICS, "planar"):
            options["axis"] = joint.axis.tolist()
        if joint.kind in MIMICS:
            options["coordinates"] = [self._motion(joint)[0]]
        elif joint.kind in ("floating", "planar"):
            options |= self._several(joint)
        made = s.joint(KINDS[joint.kind], parent, child, **options)
        s.draw(Bar(parent.origin, made.at), Bar(made.at, child.com))
        self._at(joint.child, child, Pose())
        if joint.kind in MIMICS:
            self._loads(joint)

    def _several(self, joint: Hinge) -> dict[str, Any]:
        if joint.kind == "floating" and self.quaternion:
            return {"quaternion": True}
        motions = JOINTS[KINDS[joint.kind]].motions
        return {"coordinates": [f"{self.joints[joint.name]}.{name}" for _, _, name in motions]}

    def _motion(self, joint: Hinge) -> tuple[Expr, str, float]:
        """The position of a joint, the joint whose coordinate it follows, and how fast."""
        if joint.mimic is None:
            return self.q[joint.name], joint.name, 1.0
        other, factor, offset = joint.mimic
        position, master, ratio = self._motion(self.robot.joints[other])
        return position * factor + offset, master, ratio * factor

    def _loads(self, joint: Hinge) -> None:
        """Damping and friction, an input, limits; those of a joint that mimics act through its master."""
        s, name = self.system, self.joints[joint.name]
        _, master, ratio = self._motion(joint)
        q = self.q[master]
        unit = "N" if joint.kind == "prismatic" else "N m"
        if joint.damping:
            c = s.parameter(f"{name}.damping", joint.damping, f"{unit} s/{'m' if unit == 'N' else 'rad'}")
            s.effort(q, -c * ratio * ratio * q.dt())
        if joint.friction:
            level = s.parameter(f"{name}.friction", joint.friction, unit)
            s.effort(q, coulomb(q.dt() * ratio, level) * ratio)
        if self.motors and joint.mimic is None:
            s.motor(q, f"{name}.effort", unit)
        if joint.limits != Limits():
            self.limits[name] = joint.limits

    def _loop(self, loop: Hinge) -> None:
        (one, pose), (other, there) = (self.places[link] for link in (loop.parent, loop.child))
        start, end = pose.then(loop.origin), there.then(loop.child_origin)
        s, name = self.system, name_of(loop.name or "loop")
        options: dict[str, Any] = {"at": start.p.tolist(), "to": end.p.tolist(), "name": name}
        turn = Pose(R=start.R @ end.R.T)  # of the child's base in the parent's, closed
        if turn.turned:
            options["frame"] = s.base(f"{name}.frame", one, matrix=turn.R.tolist())
        s.joint(loop.kind, one, other, axis=(end.R @ loop.axis).tolist(), **options)
