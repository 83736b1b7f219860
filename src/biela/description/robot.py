"""What a URDF file says, checked: links, joints and loops, with every fault and its line."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from biela.description.fault import Faults
from biela.description.imported import Limits
from biela.description.xml import Node
from biela.mechanics.joint import JOINTS
from biela.suggestion import suggestion

KINDS = {
    "revolute": "revolute", "continuous": "revolute", "prismatic": "prismatic", "fixed": "weld",
    "floating": "free", "planar": "planar",
}  # fmt: skip
MIMICS = ("revolute", "continuous", "prismatic")
IDLE = {"visual", "collision", "safety_controller", "calibration", "material", "transmission", "gazebo"}
MOMENTS = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")


@dataclass
class Pose:
    """A place and a turn, by components in the frame of what carries it."""

    p: np.ndarray = field(default_factory=lambda: np.zeros(3))
    R: np.ndarray = field(default_factory=lambda: np.eye(3))

    def then(self, other: Pose) -> Pose:
        """The other pose, given in this one, in what carries this one."""
        return Pose(self.p + self.R @ other.p, self.R @ other.R)

    @property
    def turned(self) -> bool:
        """Whether it turns at all."""
        return bool(np.abs(self.R - np.eye(3)).max() > 0.0)


@dataclass
class Mass:
    """What a body weighs: mass, mass centre, inertia about it, in the body's frame."""

    mass: float = 0.0
    com: np.ndarray = field(default_factory=lambda: np.zeros(3))
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))

    def moved(self, pose: Pose) -> Mass:
        """As seen from what carries the body at a pose."""
        return Mass(self.mass, pose.p + pose.R @ self.com, pose.R @ self.inertia @ pose.R.T)

    def with_(self, other: Mass) -> Mass:
        """Both as one body."""
        total = self.mass + other.mass
        if total == 0.0:
            return Mass(0.0, np.zeros(3), self.inertia + other.inertia)
        com = (self.mass * self.com + other.mass * other.com) / total
        parts = [m.inertia + m.mass * _square(m.com - com) for m in (self, other)]
        return Mass(total, com, parts[0] + parts[1])


def _square(r: np.ndarray) -> np.ndarray:
    return float(r @ r) * np.eye(3) - np.outer(r, r)


@dataclass
class Link:
    """A link of the file."""

    name: str
    line: int
    mass: Mass | None


@dataclass
class Hinge:
    """A joint or loop of the file."""

    name: str
    kind: str
    line: int
    parent: str
    child: str
    origin: Pose
    axis: np.ndarray
    child_origin: Pose = field(default_factory=Pose)
    damping: float = 0.0
    friction: float = 0.0
    limits: Limits = field(default_factory=Limits)
    mimic: tuple[str, float, float] | None = None


class Robot:
    """What the file says, checked."""

    def __init__(self, root: Node, faults: Faults) -> None:
        self.faults, self.root = faults, root
        if root.tag != "robot":
            faults.add(root.line, f"the file begins with <{root.tag}>, where <robot> is wanted.")
        self.links: dict[str, Link] = {}
        self.joints: dict[str, Hinge] = {}
        self.loops: list[Hinge] = []
        for node in root.children:
            if node.tag == "link":
                self._add(self.links, "link", node, self._link)
            elif node.tag == "joint":
                self._add(self.joints, "joint", node, self._joint)
            elif node.tag == "loop":
                self.loops.append(self._hinge(node, [name for name, k in JOINTS.items() if k.demands]))
            elif node.tag not in IDLE:
                known = ["link", "joint", "loop", *IDLE]
                faults.add(node.line, f"unknown element <{node.tag}>.{suggestion(node.tag, known)}")

    def _add(self, table: dict[str, Any], what: str, node: Node, make: Any) -> None:
        name = node.attributes.get("name", "")
        if not name:
            self.faults.add(node.line, f"this {what} has no name: give it one.")
        elif name in table:
            self.faults.add(node.line, f"there is a {what} '{name}' already, on line {table[name].line}.")
        table[name] = make(node)

    def _link(self, node: Node) -> Link:
        name, inertial = node.attributes.get("name", ""), node.one("inertial")
        return Link(name, node.line, self._mass(inertial, name) if inertial else None)

    def _mass(self, node: Node, name: str) -> Mass:
        mass, inertia = node.one("mass"), node.one("inertia")
        where = f"link '{name}'"
        m = self._number(mass, "value", where, None) if mass else math.nan
        values = [self._number(inertia, k, where, None) if inertia else math.nan for k in MOMENTS]
        if mass is None or inertia is None:
            missing = [f"<{k}>" for k, one in (("mass", mass), ("inertia", inertia)) if one is None]
            self.faults.add(node.line, f"{where}: <inertial> has no {' and '.join(missing)}: add it.")
        xx, yy, zz, xy, xz, yz = values
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        if np.isfinite(m) and np.isfinite(tensor).all():
            self._check_mass(m, tensor, node.line, where)
        return Mass(m, np.zeros(3), tensor).moved(self._pose(node.one("origin"), where))

    def _check_mass(self, m: float, tensor: np.ndarray, line: int, where: str) -> None:
        moments = np.linalg.eigvalsh(tensor)
        told = ", ".join(f"{v:.4g}" for v in moments)
        if m < 0.0:
            self.faults.add(line, f"{where}: the mass {m:g} is negative.")
        if moments[0] < -1e-12 * max(1.0, moments[2]) or moments[2] > (moments[0] + moments[1]) * 1.0001:
            why = "the principal moments of inertia of no body: none is negative, and none exceeds the sum"
            self.faults.add(line, f"{where}: {told} kg m2 are {why} of the others. Check the inertia.")

    def _joint(self, node: Node) -> Hinge:
        hinge = self._hinge(node, list(KINDS))
        where = f"joint '{hinge.name}'"
        if dynamics := node.one("dynamics"):
            hinge.damping = self._number(dynamics, "damping", where, 0.0)
            hinge.friction = self._number(dynamics, "friction", where, 0.0)
        limit, mimic = node.one("limit"), node.one("mimic")
        if limit:
            found = {k: self._number(limit, k, where, None) for k in Limits._fields if k in limit.attributes}
            hinge.limits = Limits(**found)
            if hinge.limits.lower is not None and (hinge.limits.upper or 0.0) < hinge.limits.lower:
                self.faults.add(limit.line, f"{where}: the upper limit is below the lower one.")
        if mimic:
            factor = self._number(mimic, "multiplier", where, 1.0)
            hinge.mimic = mimic.attributes.get("joint", ""), factor, self._number(mimic, "offset", where, 0.0)
        return hinge

    def _hinge(self, node: Node, kinds: list[str]) -> Hinge:
        name = node.attributes.get("name", "")
        where, kind = f"{node.tag} '{name}'", node.attributes.get("type", "")
        if kind not in kinds:
            hint = suggestion(kind, kinds)
            self.faults.add(node.line, f"{where}: unknown type '{kind}'. Known: {', '.join(kinds)}.{hint}")
        ends: list[str] = []
        for end in ("parent", "child"):
            found = node.one(end)
            ends.append(found.attributes.get("link", "") if found else "")
            if not found:
                self.faults.add(node.line, f"{where}: there is no <{end} link=.../>.")
        axis = self._row(node.one("axis"), "xyz", where, [1.0, 0.0, 0.0])
        if not np.linalg.norm(axis) > 0.0:
            self.faults.add(node.line, f"{where}: the axis is zero.")
        origin = self._pose(node.one("origin"), where)
        child_origin = self._pose(node.one("child_origin"), where)
        return Hinge(name, kind, node.line, ends[0], ends[1], origin, axis, child_origin)

    def _pose(self, node: Node | None, where: str) -> Pose:
        roll, pitch, yaw = self._row(node, "rpy", where, [0.0] * 3)
        turns = [((1, 2), roll), ((2, 0), pitch), ((0, 1), yaw)]
        turned = np.eye(3)
        for (i, j), angle in turns:
            if angle:
                one = np.eye(3)
                one[[i, j], [i, j]] = math.cos(angle)
                one[j, i], one[i, j] = math.sin(angle), -math.sin(angle)
                turned = one @ turned
        return Pose(self._row(node, "xyz", where, [0.0] * 3), turned)

    def _row(self, node: Node | None, key: str, where: str, default: list[float]) -> np.ndarray:
        if node is None or key not in node.attributes:
            return np.array(default)
        text = node.attributes[key]
        try:
            row = np.array([float(word) for word in text.split()])
        except ValueError:
            row = np.array([])
        if row.shape != (3,) or not np.isfinite(row).all():
            self.faults.add(node.line, f'{where}: {key}="{text}" are not three numbers.')
            return np.array(default)
        return row

    def _number(self, node: Node, key: str, where: str, default: float | None) -> Any:
        text = node.attributes.get(key)
        if text is None and default is not None:
            return default
        try:
            value = float(text or "")
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            got = "is missing" if text is None else f"is '{text}', and no finite number"
            self.faults.add(node.line, f"{where}: <{node.tag}> {key} {got}.")
            return math.nan if default is None else default
        return value

    # the whole

    def check(self, fuse: bool, floating: bool, massless: bool) -> None:
        """Add what is wrong with the structure."""
        for hinge in (*self.joints.values(), *self.loops):
            for end in (hinge.parent, hinge.child):
                if end and end not in self.links:
                    hint = suggestion(end, self.links)
                    told = f"'{hinge.name}' names a link '{end}' that is not there"
                    self.faults.add(hinge.line, f"{told}.{hint}")
        self._check_tree()
        self._check_mimics()
        if not self.faults.found and not massless:
            self._check_masses(fuse, floating)

    def _check_tree(self) -> None:
        carried: dict[str, Hinge] = {}
        for joint in self.joints.values():
            if joint.child in carried:
                told = f"link '{joint.child}' is carried by '{carried[joint.child].name}' already"
                self.faults.add(joint.line, f"joint '{joint.name}': {told}. Close loops by a <loop>.")
            carried.setdefault(joint.child, joint)
        roots = [name for name in self.links if name not in carried]
        if not self.links:
            self.faults.add(self.root.line, "there is no link.")
        elif len(roots) != 1:
            told = f"links that no joint carries: {', '.join(roots) or 'none'}"
            self.faults.add(self.root.line, f"{told}. There is exactly one, the root.")
        elif len(list(self.downwards(roots[0]))) != len(carried):
            told = f"some joints carry each other, and hang on '{roots[0]}' nowhere"
            self.faults.add(self.root.line, f"{told}. Close loops by a <loop>.")

    def _check_mimics(self) -> None:
        for joint in self.joints.values():
            seen, at = {joint.name}, joint
            while at.mimic:
                other = at.mimic[0]
                if other not in self.joints or self.joints[other].kind not in MIMICS or other in seen:
                    why = f"mimics '{other}', which is no joint with one motion"
                    why = "mimics itself" if other in seen else why
                    hint = "" if other in self.joints else suggestion(other, self.joints)
                    self.faults.add(joint.line, f"joint '{joint.name}' {why}.{hint}")
                    break
                seen.add(other)
                at = self.joints[other]

    def _check_masses(self, fuse: bool, floating: bool) -> None:
        """Every body that moves without any inertia, with what to do."""
        root = self.root_link
        for joint in self.joints.values():
            if joint.kind != "fixed":
                self._check_moved(self.links[joint.child], f"joint '{joint.name}' moves it")
        if floating:
            self._check_moved(self.links[root], "it floats")

    def _check_moved(self, link: Link, why: str) -> None:
        total = self.fused(link.name)
        if total.mass == 0.0 and not total.inertia.any():
            told = "has no mass and no inertia" if link.mass else "has no <inertial>"
            do = "Give both, make the joint fixed, or read with massless=True if what it carries has some"
            self.faults.add(link.line, f"link '{link.name}' {told}, and {why}. {do}.")

    @property
    def root_link(self) -> str:
        """The link that no joint carries."""
        carried = {joint.child for joint in self.joints.values()}
        return next(name for name in self.links if name not in carried)

    def downwards(self, link: str) -> Iterator[Hinge]:
        """The joints beyond a link, each after the one that carries it."""
        below: dict[str, list[Hinge]] = {}
        for joint in self.joints.values():
            below.setdefault(joint.parent, []).append(joint)
        waiting, seen = [link], {link}
        while waiting:
            for joint in below.get(waiting.pop(), []):
                if joint.child not in seen:
                    seen.add(joint.child)
                    waiting.append(joint.child)
                    yield joint

    def fused(self, link: str) -> Mass:
        """The mass of a link and of all that is fixed to it, in its frame."""
        poses, total = {link: Pose()}, self.links[link].mass or Mass()
        for joint in self.downwards(link):
            if joint.kind == "fixed" and joint.parent in poses:
                poses[joint.child] = poses[joint.parent].then(joint.origin)
                total = total.with_((self.links[joint.child].mass or Mass()).moved(poses[joint.child]))
        return total
