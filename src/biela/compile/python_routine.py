"""The routines in Python that generated modules bring along, one per operation that `math` has not."""

from __future__ import annotations

from biela.expr import philox

COMPONENTS = '''\
def biela_components(name, value, *shape):
    """The components of an input as a flat list of floats, row after row."""
    rows = list(value)
    if len(shape) == 2:
        rows = [list(row) for row in rows]
        if [len(row) for row in rows] != [shape[1]] * shape[0]:
            raise ValueError(f"{name}: expected {shape[0]} rows of {shape[1]} numbers.")
        rows = [entry for row in rows for entry in row]
    elif len(rows) != shape[0]:
        raise ValueError(f"{name}: expected {shape[0]} numbers, got {len(rows)}.")
    return [float(entry) for entry in rows]
'''


def _guarded(name: str, condition: str, otherwise: str) -> str:
    return f"def biela_{name}(a):\n    return math.{name}(a) if {condition} else {otherwise}\n"


def _selection(name: str, parameters: str, value: str) -> str:
    return f"def biela_{name}({parameters}):\n    return {value}\n"


ROUTINES: dict[str, str] = {
    "div": """\
def biela_div(a, b):
    if b != 0.0:
        return a / b
    return math.nan if a == 0.0 or a != a else math.copysign(math.inf, a) * math.copysign(1.0, b)
""",
    "sqrt": _guarded("sqrt", "a >= 0.0", "math.nan"),
    "sin": _guarded("sin", "abs(a) < math.inf", "math.nan"),
    "cos": _guarded("cos", "abs(a) < math.inf", "math.nan"),
    "tan": _guarded("tan", "abs(a) < math.inf", "math.nan"),
    "asin": _guarded("asin", "abs(a) <= 1.0", "math.nan"),
    "acos": _guarded("acos", "abs(a) <= 1.0", "math.nan"),
    "exp": """\
def biela_exp(a):
    try:
        return math.exp(a)
    except OverflowError:
        return math.inf
""",
    "log": _guarded("log", "a > 0.0", "-math.inf if a == 0.0 else math.nan"),
    "sinh": """\
def biela_sinh(a):
    try:
        return math.sinh(a)
    except OverflowError:
        return math.copysign(math.inf, a)
""",
    "cosh": """\
def biela_cosh(a):
    try:
        return math.cosh(a)
    except OverflowError:
        return math.inf
""",
    "pow": """\
def biela_pow(a, b):
    try:
        return math.pow(a, b)
    except ValueError:
        if a != 0.0:
            return math.nan
    except OverflowError:
        pass
    return math.copysign(math.inf, a) if b % 2.0 == 1.0 else math.inf
""",
    "sign": _selection("sign", "a", "a if a != a else float((a > 0.0) - (a < 0.0))"),
    "floor": _selection("floor", "a", "math.copysign(float(math.floor(a)), a) if abs(a) < math.inf else a"),
    "min": _selection("min", "a, b", "a if a < b or a != a else b"),
    "max": _selection("max", "a, b", "a if a > b or a != a else b"),
    "where": _selection("where", "c, a, b", "a if c != 0.0 else b"),
    "spline": """\
def biela_spline(x, curve):
    knots, pieces = curve
    low, high = 0, len(pieces)
    while high - low > 1:
        middle = (low + high) // 2
        if knots[middle] <= x:
            low = middle
        else:
            high = middle
    a, b, c, d = pieces[low]
    h = x - knots[low]
    return a + h * (b + h * (c + h * d))
""",
    "uniform": f"""\
def biela_uniform(seed, step, particle, index):
    # Philox4x32-{philox.ROUNDS}: Salmon, Moraes, Dror and Shaw, SC11.
    s, t, low = int(seed), int(step), 0xFFFFFFFF
    c0, c1, c2, c3 = int(particle), index // 2, t & low, t >> 32
    k0, k1 = s & low, s >> 32
    for _ in range({philox.ROUNDS}):
        p, q = 0x{philox.MULTIPLIERS[0]:X} * c0, 0x{philox.MULTIPLIERS[1]:X} * c2
        c0, c1, c2, c3 = (q >> 32) ^ c1 ^ k0, q & low, (p >> 32) ^ c3 ^ k1, p & low
        k0, k1 = (k0 + 0x{philox.WEYL[0]:X}) & low, (k1 + 0x{philox.WEYL[1]:X}) & low
    high, low = (c2, c3) if index % 2 else (c0, c1)
    return ((high << 20 | low >> 12) + 0.5) * 2.0**-52
""",
}
