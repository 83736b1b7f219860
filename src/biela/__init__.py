"""biela: describe a mechanism symbolically, get native code for it, simulate it, estimate its state.

``import biela as bl`` imports next to nothing; a name brings in its room when it is first used. The rooms
that exist are `biela.expr` (expressions and Functions), `biela.compile` (kernels and source code),
`biela.mechanics` (systems and their equations), `biela.simulate` (assembly, motion and studies) and
`biela.observe` (sensors and filters), whose names are offered here, and five that keep their own:
`biela.mechanisms` (ready-made systems, as in ``bl.mechanisms.four_bar()``), `biela.description` (systems
from files), `biela.cueing` (motion platforms), `biela.arena` (robot competitions) and `biela.view` (pictures
and replays).
"""

from typing import TYPE_CHECKING

from biela.lazy import attach

if TYPE_CHECKING:
    from biela import arena as arena
    from biela import compile as compile  # noqa: A004 - the room, not the built-in
    from biela import cueing as cueing
    from biela import description as description
    from biela import expr as expr
    from biela import mechanics as mechanics
    from biela import mechanisms as mechanisms
    from biela import observe as observe
    from biela import simulate as simulate
    from biela import view as view
    from biela.compile import *  # noqa: F403
    from biela.expr import *  # noqa: F403
    from biela.mechanics import *  # noqa: F403
    from biela.observe import *  # noqa: F403
    from biela.simulate import *  # noqa: F403

__version__ = "0.1.0"

_NAMES = {
    "biela.expr": (
        "LDL LU OPERATIONS Cholesky Coordinate Count Expr Function Graph Matrix Operation Port Sparse "
        "acos asin atan atan2 block cholesky constant coordinate cos cosh count_source diagonal "
        "directional_derivative equal exp floor from_sympy gradient graphviz hoist identity jacobian latex "
        "ldl log lu matrix matrix_symbols maximum minimum normal sign sin sinh solve sparse spline sqrt "
        "substitute tan tanh text time to_casadi to_sympy uniform vector where zeros"
    ),
    "biela.compile": "TARGETS Block Kernel Signal Target export export_fmu export_package",
    "biela.mechanics": (
        "FILMS FORMALISMS JOINTS Bar Base Body Coil Contact Film Jacobian Joint Model Natural NaturalBody "
        "Point Solid Surface System Tensor Trace Vector ball box coulomb cylinder deg disc falling_friction "
        "linear_creep polach rod rpm sliding stribeck triple_cross tube"
    ),
    "biela.simulate": (
        "AssemblyError Choice Clock Controller Diagnosis Event FORMULATIONS Grashof INTEGRATORS "
        "Identification Linear Locus Mode Normal RealTime Record Regression Report Sampled Scatter "
        "Sensitivities Sensitivity Simulation State Status Step Sweep Table Timing Uniform Workspace "
        "assemble branches crossing diagnose equilibria equilibrium grashof grid identify impact "
        "inverse_dynamics kinematics linearise periodic reactions regress root_locus scatter scheduled "
        "stability step sweep workspace"
    ),
    "biela.observe": (
        "Accelerometer Adaptive Auxiliary BatchSmoother Bench Bootstrap Consistency ContinuousKalman "
        "Distance Encoder EnsembleKalman ErrorStateKalman Estimate Events ExtendedKalman FILTERS Filter "
        "FixedLag Force Gyro Inclinometer Instruments IteratedKalman LinearPosition Live LiveParticles "
        "LiveReport Magnetometer Manifold Measurement Observability OptionError Options PARTICLE_FILTERS "
        "Packet Packets Particle ParticleFilter ParticleSmoother PointPosition Prior Process "
        "ProjectionKalman RESAMPLERS RaoBlackwellised RauchTungStriebel Reading Regularised Rehearsal "
        "SENSORS SMOOTHERS Sensor Sir Smoother SquareRootExtended SquareRootUnscented StepTimes Stopwatch "
        "Swarm ThreeSimulations Torque UnscentedKalman convergence events from_lines from_queue "
        "from_table from_udp nees nis observability paced rmse step_times three_simulations"
    ),
}
_HOMES = {name: room for room, names in _NAMES.items() for name in names.split()}

__all__ = list(_HOMES)  # pyright: ignore[reportUnsupportedDunderAll]

if not TYPE_CHECKING:  # or a type checker would believe in any name
    _ROOMS = (
        "arena", "compile", "cueing", "description", "expr", "mechanics", "mechanisms", "observe", "simulate",
        "view",
    )  # fmt: skip
    __getattr__, __dir__ = attach(__name__, _HOMES, rooms=_ROOMS)
