"""The elementary functions in LLVM IR: against mpmath, against the table of operations, lane for lane."""

from __future__ import annotations

import ctypes
import functools
import itertools
import math
import platform
import random
import re
from collections.abc import Callable

import llvmlite.binding as llvm
import mpmath
import numpy as np
import pytest

from biela.compile.elementary import ACCURACY, ROUTINES, sincos
from biela.compile.elementary.trigonometric import LARGEST
from biela.compile.ir import Block
from biela.expr.operation import OPERATIONS
from biela.expr.spline import Curve, interpolate

LANES = (1, 2, 4, 8)
POINTS = 2048  # of each part of a domain
SPECIAL = (
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, -3.0, 2.5, math.inf, -math.inf, math.nan,
    5e-324, -5e-324, 1e-310, 1e308, -1e308, 1.0 + 2.0**-52, 1.0 - 2.0**-53, 2.0**53 + 2.0, 1.0 - 2.0**53,
)  # fmt: skip
SHORT = interpolate([-2.0, -1.0, 0.5, 1.0, 3.0], [1.0, -1.0, 2.0, 0.0, 0.5])
LONG = interpolate([0.1 * i * i - 4.0 for i in range(14)], [math.sin(3.0 * i) for i in range(14)])
PAYLOADS = {"spline": [SHORT, SHORT.derivative(), LONG, LONG.derivative()], "uniform": [0, 1, 6, 7]}
CASES = [(name, payload) for name in ROUTINES for payload in PAYLOADS.get(name, [None])]

Native = Callable[..., np.ndarray]


# -- the harness: a routine in a loop over arrays ------------------------------------------------------


def loop_over(routine: Callable[[Block], str], block: Block, arity: int) -> str:
    """The module of ``f(n, out, in0, in1 ...)``."""
    head = [
        f"%p{i} = getelementptr double, ptr %in{i}, i64 %i\n%x{i} = load {block.type}, ptr %p{i}, align 8"
        for i in range(arity)
    ]
    result = routine(block)
    parameters = ", ".join(["i64 %n", "ptr noalias %out", *(f"ptr noalias %in{i}" for i in range(arity))])
    body = "\n".join([*head, *block.lines])
    declarations = "\n".join([*sorted(block.declarations), *block.constants.values()])
    return f"""{declarations}
define void @f({parameters}) {{
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  {body}
  %q = getelementptr double, ptr %out, i64 %i
  store {block.type} {result}, ptr %q, align 8
  %next = add i64 %i, {block.lanes}
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}}
"""


def machine(features: str) -> llvm.TargetMachine:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(cpu=llvm.get_host_cpu_name(), features=features, opt=2)


def optimised(text: str, target: llvm.TargetMachine) -> llvm.ModuleRef:
    module = llvm.parse_assembly(text)
    module.verify()
    builder = llvm.create_pass_builder(target, llvm.create_pipeline_tuning_options(speed_level=2))
    builder.getModulePassManager().run(module, builder)
    return module


def host() -> str:
    return llvm.get_host_cpu_features().flatten()


def applied(name: str, payload: object) -> Callable[[Block], str]:
    operands = [f"%x{i}" for i in range(OPERATIONS[name].arity)]
    extra = {} if payload is None else {"payload": payload}
    return lambda block: ROUTINES[name](block, *operands, **extra)


def native(routine: Callable[[Block], str], lanes: int, arity: int, features: str = "") -> Native:
    target = machine(host() + features)
    module = optimised(loop_over(routine, Block(lanes), arity), target)
    engine = llvm.create_mcjit_compiler(module, target)
    engine.finalize_object()
    signature = ctypes.CFUNCTYPE(None, ctypes.c_int64, *[ctypes.c_void_p] * (arity + 1))
    function = signature(engine.get_function_address("f"))

    def call(*arrays: np.ndarray, keep: object = engine) -> np.ndarray:
        n = len(arrays[0])
        padded = [np.concatenate([a, np.full(-n % lanes, a[0])]) for a in arrays]
        out = np.empty(len(padded[0]))
        function(len(out), *(a.ctypes.data for a in (out, *padded)))
        return out[:n]

    return call


@functools.cache
def compiled(name: str, payload: object = None, lanes: int = 8) -> Native:
    return native(applied(name, payload), lanes, OPERATIONS[name].arity)


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    """Equal to the bit, but for the sign and payload of a nan, which IEEE 754 leaves open."""
    return bool(np.all((a.view(np.int64) == b.view(np.int64)) | (np.isnan(a) & np.isnan(b))))


# -- where each function is tried ----------------------------------------------------------------------


@functools.cache
def generator(name: str) -> np.random.Generator:
    return np.random.default_rng(sum(name.encode()))


def spread(name: str, low: float, high: float) -> np.ndarray:
    return generator(name).uniform(low, high, POINTS)


def scattered(name: str, low: float, high: float) -> np.ndarray:
    """Powers of two with exponents from ``low`` to ``high``, of both signs."""
    return 2.0 ** spread(name, low, high) * generator(name).choice([-1.0, 1.0], POINTS)


def near_quarter_turns(name: str) -> np.ndarray:
    """Doubles nearest to k pi/2 and their neighbours, for small k and for k up to 1e9 / (pi/2)."""
    k = [*range(1, 500), *generator(name).integers(500, 636_000_000, POINTS).tolist()]
    with mpmath.workprec(200):
        nearest = np.array([float(i * mpmath.pi / 2) for i in k])
    return np.concatenate([nearest, np.nextafter(nearest, 0.0), -np.nextafter(nearest, np.inf)])


def angles(name: str) -> np.ndarray:
    parts = [spread(name, -r, r) for r in (0.8, 2.0, 20.0, 1e4, 1e9)]
    return np.concatenate([*parts, scattered(name, -60, 29.8), near_quarter_turns(name)])


def unit(name: str) -> np.ndarray:
    edges = 1.0 - np.abs(scattered(name, -53, -1))
    inner = [spread(name, -1, 1), spread(name, 0.4, 0.6), scattered(name, -1074, 0)]
    return np.concatenate([*inner, edges, -edges])


def powers(name: str) -> list[np.ndarray]:
    """Bases from subnormal to huge with exponents that keep the power finite, and bases near one."""
    wide, close = np.abs(scattered(name, -1074, 1023)), 1.0 + scattered(name, -45, -1)
    base = np.concatenate([np.abs(spread(name, 0.0, 5.0)), wide, close])
    reach = np.concatenate([spread(name, -5, 5), spread(name, -740, 709), spread(name, -740, 709)])
    exponent = np.concatenate([reach[:POINTS], reach[POINTS:] / np.log(base[POINTS:])])
    fits = np.isfinite(exponent) & (np.abs(exponent * np.log(base)) < 740.0)
    return [base[fits], exponent[fits]]


def legs(name: str) -> np.ndarray:
    return np.concatenate([spread(name, -5, 5), scattered(name, -1074, 1023), scattered(name, -20, 20)])


def points(name: str) -> list[np.ndarray]:
    if name in ("sin", "cos", "tan"):
        return [angles(name)]
    if name in ("asin", "acos"):
        return [unit(name)]
    if name in ("log", "sqrt"):
        close = 1.0 + scattered(name, -52, -1)
        return [np.concatenate([np.abs(scattered(name, -1074, 1023)), spread(name, 0.3, 3.0), close])]
    if name == "pow":
        return powers(name)
    if name == "atan2":
        return [legs(name), legs(name)]
    if name in ("exp", "sinh", "cosh"):
        ends = spread(name, -745.1, -700.0) if name == "exp" else spread(name, 700.0, 710.4)
        return [np.concatenate([spread(name, -709, 709), spread(name, -4, 4), scattered(name, -60, 0), ends])]
    return [np.concatenate([spread(name, -25, 25), spread(name, -3, 3), scattered(name, -1021, 1021)])]


def exact(name: str, *operands: float) -> mpmath.mpf:
    functions = {"pow": mpmath.power, "inv": lambda x: 1 / x}
    return functions.get(name, getattr(mpmath, name, None))(*map(mpmath.mpf, operands))


def ulps(value: float, truth: mpmath.mpf) -> float:
    """The error in units in the last place of the truth."""
    if truth == 0:
        return 0.0 if value == 0.0 else math.inf
    unit = mpmath.ldexp(1, max(mpmath.frexp(truth)[1] - 53, -1074))
    return float(abs(mpmath.mpf(value) - truth) / unit)


# -- laws ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ACCURACY)
def test_error_is_below_the_stated_bound(name: str) -> None:
    operands = points(name)
    values = compiled(name)(*operands)
    with mpmath.workprec(180):
        errors = [
            (ulps(value, exact(name, *at)), at)
            for value, *at in zip(values.tolist(), *(o.tolist() for o in operands), strict=True)
        ]
    assert max(errors)[0] <= ACCURACY[name], max(errors)


@pytest.mark.parametrize(("name", "payload"), CASES)
def test_every_lane_count_gives_the_same_bits(name: str, payload: object) -> None:
    arity = OPERATIONS[name].arity
    if name == "uniform":
        operands = list(counters(500))
    else:
        drawn = [np.concatenate([spread(name, -3, 3), scattered(name, -1074, 1023)]) for _ in range(arity)]
        special = np.array(list(itertools.product(SPECIAL[:: 1 if arity < 3 else 3], repeat=arity)))
        operands = [np.concatenate([d, s]) for d, s in zip(drawn, special.T, strict=True)]
    scalar = compiled(name, payload, 1)(*operands)
    for lanes in LANES[1:]:
        assert same_bits(scalar, compiled(name, payload, lanes)(*operands)), lanes


@pytest.mark.parametrize(("name", "payload"), [c for c in CASES if c[0] != "uniform"])
def test_special_values_are_those_of_the_table(name: str, payload: object) -> None:
    row = OPERATIONS[name]
    grid = [at for at in itertools.product(SPECIAL, repeat=row.arity) if in_reach(name, at)]
    values = compiled(name, payload)(*np.array(grid).T.copy())
    for at, value in zip(grid, values.tolist(), strict=True):
        wanted = row.value(*at) if payload is None else row.value(*at, payload)
        assert agree(value, wanted, name in ACCURACY), (at, value, wanted)


def in_reach(name: str, at: tuple[float, ...]) -> bool:
    """Finite angles that the reduction does not promise are left out."""
    return name not in ("sin", "cos", "tan") or not LARGEST < abs(at[0]) < math.inf


def agree(value: float, wanted: float, rounded: bool) -> bool:
    """Equal with the sign of zero; a finite value to 2 ulp where both may round differently."""
    if math.isnan(wanted) or math.isinf(wanted) or wanted == 0.0 or not rounded:
        return same_bits(np.array([value]), np.array([wanted]))
    return abs(value - wanted) <= 2.0 * math.ulp(wanted)


def test_sincos_is_sin_and_cos() -> None:
    x = angles("sincos")
    for i, name in enumerate(("sin", "cos")):
        both = native(lambda block, i=i: sincos(block, "%x0")[i], 8, 1)
        assert same_bits(both(x), compiled(name)(x))


def test_sine_holds_up_to_the_stated_limit() -> None:
    x = np.concatenate([2.0 ** spread("limit", 30, 46), [LARGEST, -LARGEST]])
    for name in ("sin", "cos", "tan"):
        with mpmath.workprec(180):
            worst = max(map(ulps, compiled(name)(x).tolist(), [exact(name, v) for v in x.tolist()]))
        assert worst <= ACCURACY[name]


def test_exp_of_the_last_subnormals() -> None:
    x = np.array([-745.2, -745.13321910194122, -745.13, -709.0, 709.782712893384, 709.7827128933841, 710.0])
    assert compiled("exp")(x).tolist() == [OPERATIONS["exp"].value(v) for v in x.tolist()]


@pytest.mark.parametrize("curve", PAYLOADS["spline"])
def test_spline_has_the_bits_of_the_curve(curve: Curve) -> None:
    knots = np.array(curve.knots)
    x = np.concatenate([spread("spline", -6, 16), knots, np.nextafter(knots, -np.inf), [math.nan]])
    assert same_bits(compiled("spline", curve)(x), np.array([curve(v) for v in x.tolist()]))


def counters(n: int) -> np.ndarray:
    """Seeds, steps and particles up to their limits."""
    draw = random.Random(7)
    ends = [(0, 0, 0), (2**53 - 1, 2**53 - 1, 2**32 - 1), (2**32, 2**32 - 1, 1)]
    inner = [(draw.randrange(2**53), draw.randrange(2**53), draw.randrange(2**32)) for _ in range(n)]
    return np.array(ends + inner, float).T.copy()


@pytest.mark.parametrize("index", PAYLOADS["uniform"])
def test_uniform_has_the_bits_of_philox(index: int) -> None:
    at = counters(500)
    wanted = [OPERATIONS["uniform"].value(*row, index) for row in at.T.tolist()]
    assert compiled("uniform", index)(*at).tolist() == wanted


# -- the machine code ----------------------------------------------------------------------------------

ARM = platform.machine().lower() in ("arm64", "aarch64")
FUSED = ARM or "+fma," in host() + ","


@pytest.mark.skipif(not FUSED, reason="without fused multiply-adds LLVM calls the C library's fma")
@pytest.mark.parametrize(("name", "payload"), CASES)
def test_no_function_is_called(name: str, payload: object) -> None:
    target = machine(host())
    for lanes in (1, 8):
        text = loop_over(applied(name, payload), Block(lanes), OPERATIONS[name].arity)
        assembly = target.emit_assembly(optimised(text, target))
        assert not re.search(r"^\s+(call\w*|bl|blr)\s", assembly, re.MULTILINE)


@pytest.mark.skipif(ARM or not FUSED, reason="only x86 processors can do without the instruction")
@pytest.mark.parametrize("name", ["sin", "tan", "exp", "log", "atan2", "tanh", "pow", "uniform"])
def test_without_fused_instructions_the_bits_are_the_same(name: str) -> None:
    operands = counters(200) if name == "uniform" else [array[:: len(array) // 200] for array in points(name)]
    payload = PAYLOADS.get(name, [None])[0]
    arity = OPERATIONS[name].arity
    plain = native(applied(name, payload), 4, arity, ",-fma,-fma4,-avx512f,-avx2,-avx")
    assert same_bits(plain(*operands), compiled(name, payload)(*operands))


def test_every_routine_of_the_table_exists() -> None:
    plain = {"fadd", "fsub", "fmul", "fdiv", "fneg"}
    assert {row.llvm for row in OPERATIONS.values()} - plain == set(ROUTINES)
