"""MJCF, by MuJoCo itself: what its compiler makes of a file, as a system. Wants the extra ``biela[arena]``.

Bodies, all four kinds of joints, their springs, damping, friction and armature, gravity, motors, and the
equality constraints connect, weld and joint. MuJoCo's constraints are soft springs; ours hold exactly.
Contacts, tendons and other actuators are left out, and `Imported.notes` says so.

A joint has a coordinate of its name, which is MuJoCo's ``qpos``; balls and free joints turn by a quaternion,
scalar first, as there. ``body`` of several joints becomes several bodies, of which the last has the mass.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from biela.description.imported import Imported, Limits, name_of, names_of
from biela.description.urdf import text_of
from biela.expr.expression import Expr
from biela.mechanics.body import Body
from biela.mechanics.drawing import Bar
from biela.mechanics.load import coulomb
from biela.mechanics.space import Base
from biela.mechanics.system import System

FREE, BALL, SLIDE, HINGE = range(4)  # mjtJoint
CONNECT, WELD, JOINT = range(3)  # mjtEq
BODY, SITE = 1, 6  # mjtObj
WIDTHS = {FREE: 7, BALL: 4, SLIDE: 1, HINGE: 1}


def read_mjcf(source: str | Path, *, motors: bool = True) -> Imported:
    """The mechanism of an MJCF file, or of its text.

    Raises ValueError for what MuJoCo refuses, ImportError without MuJoCo.
    """
    try:
        mujoco = import_module("mujoco")
    except ImportError:
        raise ImportError("MJCF files need MuJoCo: pip install 'biela[arena]'.") from None
    where, text = text_of(source)
    try:
        if where == "The text":
            compiled = mujoco.MjModel.from_xml_string(text)
        else:
            compiled = mujoco.MjModel.from_xml_path(where)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    return _Making(mujoco, compiled, motors).done()


class _Making:
    """The system in the making, body after body as MuJoCo numbers them."""

    def __init__(self, mujoco: Any, compiled: Any, motors: bool) -> None:
        self.mujoco, self.m, self.motors = mujoco, compiled, motors
        name = bytes(compiled.names).split(b"\0")[0].decode() or "mechanism"
        self.system = System(name_of(name))
        bodies = [self._named(compiled.body, k, "body") for k in range(1, compiled.nbody)]
        joints = [self._named(compiled.joint, k, "joint") for k in range(compiled.njnt)]
        self.bodies = dict(zip(range(1, compiled.nbody), names_of(bodies).values(), strict=True))
        taken = ("gx", "gy", "gz")
        self.joints = dict(zip(range(compiled.njnt), names_of(joints, taken).values(), strict=True))
        self.made: dict[int, Body] = {0: self.system.ground}
        self.q: dict[int, Expr] = {}
        self.limits: dict[str, Limits] = {}
        self.notes: list[str] = []

    def _named(self, find: Any, k: int, what: str) -> str:
        return find(k).name or f"{what}{k}"

    def done(self) -> Imported:
        """The whole system."""
        s, g = self.system, self.m.opt.gravity
        names = ("gx", "gy", "gz")
        s.gravity([s.parameter(k, float(v), "m/s2") if v else 0.0 for k, v in zip(names, g, strict=True)])
        for k in range(1, self.m.nbody):
            self._body(k)
        for k in range(self.m.neq):
            self._equality(k)
        for k in range(self.m.nu):
            self._motor(k)
        left = {"contacts": self.m.ngeom, "tendons": self.m.ntendon}
        self.notes += [f"{what} are left out" for what, count in left.items() if count]
        return Imported(s, self.limits, self.notes)

    # bodies and joints

    def _body(self, k: int) -> None:
        m, s = self.m, self.system
        parent = self.made[int(m.body_parentid[k])]
        frame = self._turned(f"{self.bodies[k]}.frame", parent, m.body_quat[k])
        at: Any = m.body_pos[k].tolist()
        first, count = int(m.body_jntadr[k]), int(m.body_jntnum[k])
        for n, joint in enumerate(range(first, first + count)):
            last = n == count - 1
            child = self._heavy(k) if last else s.body(f"{self.bodies[k]}.part{n + 1}")
            self._joint(joint, parent, child, at, frame, first=n == 0)
            parent, at, frame = child, None, None
        if not count:
            options: dict[str, Any] = {"frame": frame} if frame else {}
            s.weld(parent, self._heavy(k), at=at, name=self.bodies[k], **options)
        s.draw(Bar(self.made[int(m.body_parentid[k])].origin, self.made[k].origin, self.made[k].com))

    def _heavy(self, k: int) -> Body:
        m, s = self.m, self.system
        R = self._matrix(m.body_iquat[k])
        inertia = R @ (m.body_inertia[k][:, None] * R.T)
        made = s.body(
            self.bodies[k], mass=float(m.body_mass[k]), com=m.body_ipos[k].tolist(),
            inertia=(0.5 * (inertia + inertia.T)).tolist(),
        )  # fmt: skip
        self.made[k] = made
        return made

    def _joint(self, j: int, parent: Body, child: Body, at: Any, frame: Base | None, first: bool) -> None:
        m, s, kind, name = self.m, self.system, int(self.m.jnt_type[j]), self.joints[j]
        options: dict[str, Any] = {"frame": frame} if frame else {}
        q0 = m.qpos0[m.jnt_qposadr[j] : m.jnt_qposadr[j] + WIDTHS[kind]]
        if kind == FREE:
            s.free(parent, child, quaternion=True, name=name)
            self._start([f"{child.name}.{k}" for k in ("x", "y", "z", "e0", "e1", "e2", "e3")], q0)
            return
        place = m.jnt_pos[j]
        if first:
            turn = self._matrix(m.body_quat[m.jnt_bodyid[j]])
            at = (m.body_pos[m.jnt_bodyid[j]] + turn @ place).tolist()
        else:
            at = place.tolist()
        options |= {"at": at, "to": place.tolist(), "name": name}
        if kind == BALL:
            s.spherical(parent, child, quaternion=True, **options)
            self._start([f"{child.name}.e{k}" for k in range(4)], q0)
            return
        q = s.coordinate(name, float(q0[0]), unit="m" if kind == SLIDE else "rad")
        self.q[j] = q
        word = "prismatic" if kind == SLIDE else "revolute"
        s.joint(word, parent, child, axis=m.jnt_axis[j].tolist(), coordinates=[q - float(q0[0])], **options)
        self._loads(j, q, name)

    def _start(self, names: list[str], values: Any) -> None:
        for name, value in zip(names, values, strict=True):
            held = self.system.coordinates_by_name[name]
            self.system.coordinates_by_name[name] = replace(held, value=float(value))

    def _loads(self, j: int, q: Expr, name: str) -> None:
        m, s, v = self.m, self.system, int(self.m.jnt_dofadr[j])
        unit = "N" if int(m.jnt_type[j]) == SLIDE else "N m"
        per = "m" if unit == "N" else "rad"
        stiffness, damping = (_linear(x) for x in (m.jnt_stiffness[j], m.dof_damping[v]))
        if damping:
            s.effort(q, -s.parameter(f"{name}.damping", damping, f"{unit} s/{per}") * q.dt())
        if stiffness:
            k = s.parameter(f"{name}.stiffness", stiffness, f"{unit}/{per}")
            s.torsion_spring(q, k, float(m.qpos_spring[m.jnt_qposadr[j]]))
        if m.dof_frictionloss[v]:
            level = s.parameter(f"{name}.friction", float(m.dof_frictionloss[v]), unit)
            s.effort(q, coulomb(q.dt(), level))
            self.notes.append(f"joint '{name}': dry friction is smoothed over 0.001 {per}/s")
        if m.dof_armature[v]:  # a rotor in its place that turns with the coordinate: its mass does not move
            rotor = s.body(f"{name}.rotor", mass=1e-9, inertia=[0.0, 0.0, float(m.dof_armature[v])])
            s.revolute(s.ground, rotor, axis="z", coordinates=[q], name=f"{name}.rotor")
        if m.jnt_limited[j]:
            self.limits[name] = Limits(*map(float, m.jnt_range[j]))

    # loops and motors

    def _equality(self, k: int) -> None:
        m, s, data = self.m, self.system, self.m.eq_data[k]
        kind, one, other = (int(x) for x in (m.eq_type[k], m.eq_obj1id[k], m.eq_obj2id[k]))
        name = name_of(m.equality(k).name or f"equality{k}")
        if not m.eq_active0[k]:
            self.notes.append(f"equality '{name}' is not active, and left out")
        elif kind == CONNECT:
            p, q = self._ends(k, one, other, data[0:3], data[3:6])
            s.close(p, q, name)
        elif kind == WELD and int(m.eq_objtype[k]) == BODY:
            frame = self._turned(f"{name}.frame", self.made[one], data[6:10])
            options: dict[str, Any] = {"frame": frame} if frame else {}
            options |= {"at": data[3:6].tolist(), "to": data[0:3].tolist(), "name": name}
            s.weld(self.made[one], self.made[other], **options)
        elif kind == JOINT and one in self.q and (other < 0 or other in self.q):
            s.constrain(name, self._coupled(one, other, data))
        else:
            self.notes.append(f"equality '{name}' is of a kind that is left out")

    def _ends(self, k: int, one: int, other: int, p: Any, q: Any) -> tuple[Any, Any]:
        m = self.m
        if int(m.eq_objtype[k]) == SITE:
            pairs = [(self.made[int(m.site_bodyid[i])], m.site_pos[i]) for i in (one, other)]
        else:
            pairs = [(self.made[one], p), (self.made[other], q)]
        first, second = (body.point(place.tolist()) for body, place in pairs)
        return first, second

    def _coupled(self, one: int, other: int, data: Any) -> Expr:
        """q1 - q1(0) as a polynomial of q2 - q2(0)."""
        m = self.m
        value = self.q[one] - float(m.qpos0[m.jnt_qposadr[one]]) - float(data[0])
        if other >= 0:
            x = self.q[other] - float(m.qpos0[m.jnt_qposadr[other]])
            power = x
            for factor in data[1:5]:
                value, power = value - float(factor) * power, power * x
        return value

    def _motor(self, k: int) -> None:
        m, s = self.m, self.system
        joint = int(m.actuator_trnid[k][0])
        kinds = (m.actuator_gaintype, m.actuator_biastype, m.actuator_trntype, m.actuator_dyntype)
        name = m.actuator(k).name or f"actuator{k}"
        if any(int(kind[k]) for kind in kinds) or joint not in self.q:
            self.notes.append(f"actuator '{name}' is no motor on a hinge or slide, and left out")
        elif self.motors:
            inputs = names_of([name], s.inputs_by_name | s.coordinates_by_name)
            factor = float(m.actuator_gear[k][0] * m.actuator_gainprm[k][0])
            s.effort(self.q[joint], s.input(inputs[name]) * factor)

    # turns

    def _matrix(self, quaternion: Any) -> Any:
        import numpy as np

        R = np.zeros(9)
        self.mujoco.mju_quat2Mat(R, np.asarray(quaternion, float))
        return R.reshape(3, 3)

    def _turned(self, name: str, body: Body, quaternion: Any) -> Base | None:
        """A base on a body, unless it is the body's own."""
        if abs(quaternion[0]) == 1.0:
            return None
        return self.system.base(name, body, matrix=self._matrix(quaternion).tolist())


def _linear(value: Any) -> float:
    """The linear part of a coefficient, which MuJoCo 4 has as a polynomial."""
    return float(value[0] if hasattr(value, "__len__") else value)
