"""MuJoCo as a backend: three dimensions, wedges, flips, exact snapshots.

Motors are constraints with a bounded force, solved together with the contacts: a wheel has its speed after
one step if its torque suffices, and a free one does not overshoot however strong its motor is. A servo would
need a gain, which is an explicit torque to the contact solver, and strong motors on light wheels would throw
robots over.

The engine's solver, Newton's method, sometimes stops far from the solution when light robots with strong
motors jam. What it leaves over, as a force, is looked at after each step; a step that it failed is taken
again with conjugate gradients, which do not.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any, ClassVar, final

import numpy as np

from biela.arena.physics import markup
from biela.arena.physics.backend import Motion, Physics, Placement
from biela.arena.physics.softness import softness
from biela.arena.scene import pose
from biela.arena.scene.body import Body

mj: Any = import_module("mujoco")  # its bindings are compiled: their types are unknown
EVERYTHING = mj.mjtState.mjSTATE_INTEGRATION
MISSING = 9.81  # m/s^2: times the lightest entity's mass, the force that a solved step may leave over


@final
class Spatial(Physics):
    """A world in MuJoCo."""

    name: ClassVar[str] = "mujoco"

    def build(self) -> None:
        """Compile the model and set the contact parameters of every pair."""
        text, self._pairs = markup.markup(self.scene, self.step)
        try:
            self.model: Any = mj.MjModel.from_xml_string(text)
        except ValueError as error:
            told = re.sub(r"\s+", " ", str(error))
            raise ValueError(f"Scene '{self.scene.name}': MuJoCo refuses it: {told}") from error
        self.data: Any = mj.MjData(self.model)
        self._soften()
        self._stiffen()
        option = (
            self.model.opt
        )  # stiff skids beside soft wheels: a solver that stops early throws robots over
        option.tolerance, option.ls_tolerance, option.ls_iterations = (1e-12, 1e-5, 100)
        if self.fast:
            option.iterations, option.tolerance, option.ls_tolerance = (30, 1e-9, 1e-3)
            option.disableflags |= int(mj.mjtDisableBit.mjDSBL_MULTICCD)
        self._index()
        masses = [sum(b.mass for b in e.bodies if not b.immovable) for e in self.scene.entities]
        self._most = MISSING * min((mass for mass in masses if mass > 0), default=1.0)
        self._gap = np.zeros(self.model.nv)
        self._before = np.zeros(mj.mj_stateSize(self.model, EVERYTHING))
        mj.mj_forward(self.model, self.data)

    def _soften(self) -> None:
        """Contact parameters pair by pair; they need the compiled inverse masses."""
        m, by = self.model, {(e.id, b.id): b for e in self.scene.entities for b in e.bodies}
        for number, (one, other) in enumerate(self._pairs):
            row = m.pair(str(number)).id  # the compiler sorts them
            given = self.scene.materials.between(by[one].material, by[other].material)
            bodies = [m.geom_bodyid[m.pair_geom1[row]], m.geom_bodyid[m.pair_geom2[row]]]
            s = softness(given, self.step, float(m.body_invweight0[bodies, 0].sum()))
            m.pair_dim[row] = 3 if given.friction > 0 else 1
            m.pair_solimp[row] = [s.impedance, s.impedance, 0.001, 0.5, 2.0]
            m.pair_solref[row] = [-s.stiffness, -s.damping]
            m.pair_solreffriction[row] = [0.0, -s.damping]
            m.pair_friction[row, :2] = [
                s.friction2,
                s.friction1,
            ]  # the engine's first tangent of a floor is y

    def _stiffen(self) -> None:
        """Motors hold their speeds as closely as the engine allows; the shaft does not count as inertia."""
        m = self.model
        m.tendon_solimp_fri[:] = [0.9999, 0.9999, 0.001, 0.5, 2.0]
        m.tendon_solref_fri[:] = [0.0, -0.9999 / self.step]
        real = m.dof_M0[m.dof_M0 < 1e5]
        m.stat.meaninertia = real.mean() if len(real) else 1.0

    def _index(self) -> None:
        """Where things are in the engine's arrays."""
        m = self.model
        self._met = (b"", frozenset[tuple[str, str]]())
        self._ids = [e.id for e in self.scene.entities]
        names = [markup.label(*key) for key in self.bodies]
        self._sites = np.array([m.site(n).id for n in names], int)
        self._owners = m.site_bodyid[self._sites]
        self._turns = np.array([pose.after(turn) for turn in m.site_quat[self._sites]]).reshape(-1, 4, 4)
        self._roots = m.body_rootid[self._owners]
        motors = [(e, o) for e in self.scene.entities for o in e.motors]
        joints = [m.joint(markup.label(e.id, o.joint)).id for e, o in motors]
        self._dofs = m.jnt_dofadr[np.array(joints, int)]
        tendons = [m.tendon(markup.label(e.id, o.id)).id for e, o in motors]
        self._coefs = m.tendon_adr[np.array(tendons, int)] + 1
        shafts = [m.joint(markup.label(e.id, markup.SHAFT)) for e in self.scene.entities if e.motors]
        self._shafts = np.array([shaft.dofadr[0] for shaft in shafts], int)
        number = {e.id: i for i, e in enumerate(self.scene.entities)}
        of_body = np.full(m.nbody, -1)  # of nobody: shafts
        for e in self.scene.entities:
            for b in e.bodies:
                of_body[m.geom_bodyid[m.geom(markup.label(e.id, b.id)).id]] = number[e.id]
        self._entity_of_geom = of_body[m.geom_bodyid]
        jnt = of_body[m.jnt_bodyid]
        self._joints = {e.id: np.flatnonzero(jnt == number[e.id]).tolist() for e in self.scene.entities}
        rolling: list[tuple[str, Body]] = [
            (e.id, b) for e in self.scene.entities for b in e.bodies if b.rolling > 0 and not b.immovable
        ]
        self._rolling = [(m.geom(markup.label(key, b.id)).id, b.rolling, b.mass) for key, b in rolling]

    def advance(self, steps: int = 1) -> None:
        """Move on by whole steps."""
        m, d = self.model, self.data
        m.wrap_prm[self._coefs] = -self.targets
        for _ in range(steps):
            d.qvel[self._shafts] = 1.0
            if self._rolling:
                self._resist()
            mj.mj_getState(m, d, self._before, EVERYTHING)
            mj.mj_step(m, d)
            if not self._solved():
                self._repeat()

    def _solved(self) -> bool:
        """Whether accelerations and forces of the last step belong together."""
        d, gap = self.data, self._gap
        mj.mj_mulM(self.model, d, gap, d.qacc)
        gap -= d.qfrc_smooth
        gap -= d.qfrc_constraint
        return bool(np.abs(gap, out=gap).max(initial=0.0) <= self._most)

    def _repeat(self) -> None:
        """The last step once more, with another solver."""
        option, d = self.model.opt, self.data
        usual = option.solver, option.iterations, option.ls_iterations
        option.solver, option.iterations, option.ls_iterations = mj.mjtSolver.mjSOL_CG, 1000, 100
        mj.mj_setState(self.model, d, self._before, EVERYTHING)
        mj.mj_step(self.model, d)
        option.solver, option.iterations, option.ls_iterations = usual

    def _resist(self) -> None:
        """Rolling resistance as a force: that of a solid sphere which slows down at a given rate.

        Rolling without slipping its inertia is 7/5 of its mass; the force stops a ball, it never turns it
        back.
        """
        m, d = self.model, self.data
        met = set(d.contact.geom.ravel().tolist())
        for geom, rate, mass in self._rolling:
            body = m.geom_bodyid[geom]
            dof = m.body_dofadr[body]
            v = d.qvel[dof : dof + 2]
            speed = float(np.hypot(*v))
            pull = 1.4 * mass * min(rate, speed / self.step) if geom in met and speed > 0 else 0.0
            d.qfrc_applied[dof : dof + 2] = -pull * v / speed if pull else 0.0

    def motion(self, rows: np.ndarray | None = None) -> Motion:
        """Places and velocities now."""
        m, d = self.model, self.data
        mj.mj_kinematics(m, d)
        mj.mj_comPos(m, d)
        mj.mj_comVel(m, d)
        of = (self._sites, self._owners, self._roots, self._turns)
        sites, owners, roots, turned = of if rows is None else (part[rows] for part in of)
        at = d.site_xpos[sites]
        turns = (turned @ d.xquat[owners][:, :, None])[:, :, 0]
        whole = d.cvel[owners]
        (wx, wy, wz, *_), (x, y, z) = whole.T, (at - d.subtree_com[roots]).T
        velocity = whole[:, 3:] + np.stack([wy * z - wz * y, wz * x - wx * z, wx * y - wy * x], axis=1)
        return Motion(at, turns, velocity, whole[:, :3], d.qvel[self._dofs])

    def place(self, entity: str, placement: Placement) -> None:
        """Put an entity somewhere; raises ValueError for one that stands in the world."""
        m, d = self.model, self.data
        body = m.body(markup.label(entity, self.scene.entity[entity].reference_body.id))
        if body.dofnum[0] != 6:
            raise ValueError(f"Entity '{entity}' does not move: its reference body is part of the world.")
        q = m.jnt_qposadr[body.jntadr[0]]
        if placement.position is not None:
            d.qpos[q : q + 3] = placement.position
        if placement.turn is not None:
            turn = np.asarray(placement.turn, float)
            d.qpos[q + 3 : q + 7] = turn / np.linalg.norm(turn)
        for joint in self._joints[entity]:
            dofs = self._dofs_of(joint)
            d.qvel[dofs], d.qacc_warmstart[dofs] = 0.0, 0.0
        v, matrix = body.dofadr[0], np.zeros(9)
        mj.mju_quat2Mat(matrix, d.qpos[q + 3 : q + 7])
        d.qvel[v : v + 3] = placement.velocity
        d.qvel[v + 3 : v + 6] = np.asarray(placement.spin) @ matrix.reshape(3, 3)
        if placement.position is not None or placement.turn is not None:
            mj.mj_forward(m, d)  # a step begins with that anyway

    def _dofs_of(self, joint: int) -> slice:
        start: int = self.model.jnt_dofadr[joint]
        return slice(start, start + (6, 3, 1, 1)[int(self.model.jnt_type[joint])])

    def _places_of(self, joint: int) -> slice:
        start: int = self.model.jnt_qposadr[joint]
        return slice(start, start + (7, 4, 1, 1)[int(self.model.jnt_type[joint])])

    def push(self, entity: str, force: tuple[float, float, float]) -> None:
        """A force at the centre of the reference body, from now on."""
        m, d = self.model, self.data
        reference = self.scene.entity[entity].reference_body.id
        body = m.geom_bodyid[m.geom(markup.label(entity, reference)).id]
        arm = d.site(markup.label(entity, reference)).xpos - d.xipos[body]
        d.xfrc_applied[body] = [*force, *np.cross(arm, force)]

    def touching(self) -> frozenset[tuple[str, str]]:
        """The pairs of entities that touch; who leans on whom seldom changes and is kept."""
        if not self.data.ncon:
            return frozenset()
        met = self.data.contact
        geoms = met.geom[met.dist <= 0]
        key = geoms.tobytes()
        if key != self._met[0]:
            rows: list[list[int]] = self._entity_of_geom[geoms].tolist()
            pairs = {(a, b) if a < b else (b, a) for a, b in rows}
            ids = self._ids
            self._met = (key, frozenset((ids[a], ids[b]) for a, b in pairs))
        return self._met[1]

    def coordinates(self, entity: str) -> np.ndarray:
        """Positions and velocities of its joints, one after the other."""
        d = self.data
        parts = [
            v for j in self._joints[entity] for v in (d.qpos[self._places_of(j)], d.qvel[self._dofs_of(j)])
        ]
        return np.concatenate(parts) if parts else np.zeros(0)

    def put(self, entity: str, coordinates: np.ndarray) -> None:
        """Give an entity its coordinates back."""
        rest = np.asarray(coordinates, float)
        for joint in self._joints[entity]:
            q, v = self._places_of(joint), self._dofs_of(joint)
            width, both = q.stop - q.start, q.stop - q.start + v.stop - v.start
            self.data.qpos[q], self.data.qvel[v], rest = rest[:width], rest[width:both], rest[both:]
        mj.mj_forward(self.model, self.data)

    def snapshot(self) -> np.ndarray:
        """The engine's whole state, warm start included, and the commands."""
        state = np.zeros(mj.mj_stateSize(self.model, EVERYTHING))
        mj.mj_getState(self.model, self.data, state, EVERYTHING)
        return np.concatenate([self.targets, state])

    def restore(self, snapshot: np.ndarray) -> None:
        """Go back to a snapshot."""
        count = len(self.targets)
        self.targets[:] = snapshot[:count]
        mj.mj_setState(self.model, self.data, snapshot[count:].copy(), EVERYTHING)
