"""The routines in JavaScript that generated modules bring along, one per operation that `Math` has not."""

from __future__ import annotations

from biela.expr import philox

COMPONENTS = """\
/* The components of an input as a flat array, row after row. */
function biela_components(name, value, shape) {
    const rows = Array.from(value);
    const fits = rows.length === shape[0]
        && (shape.length === 1 || rows.every((row) => row.length === shape[1]));
    if (!fits) {
        throw new RangeError(`${name}: expected ${shape.join(" x ")} numbers.`);
    }
    return shape.length === 1 ? rows : rows.flatMap((row) => Array.from(row));
}
"""


def _selection(name: str, parameters: str, value: str) -> str:
    return f"function biela_{name}({parameters}) {{\n    return {value};\n}}\n"


ROUTINES: dict[str, str] = {
    "pow": _selection(  # ECMAScript has pow(1, NaN) and pow(-1, Infinity) NaN, where IEEE 754 has 1
        "pow", "a, b", "a === 1 || (a === -1 && Math.abs(b) === Infinity) ? 1 : Math.pow(a, b)"
    ),
    "sign": _selection("sign", "a", "a !== a ? a : Number(a > 0) - Number(a < 0)"),
    "min": _selection("min", "a, b", "a < b || a !== a ? a : b"),
    "max": _selection("max", "a, b", "a > b || a !== a ? a : b"),
    "where": _selection("where", "c, a, b", "c !== 0 ? a : b"),
    "spline": """\
function biela_spline(x, [knots, pieces]) {
    let low = 0, high = pieces.length;
    while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (knots[middle] <= x) {
            low = middle;
        } else {
            high = middle;
        }
    }
    const [a, b, c, d] = pieces[low];
    const h = x - knots[low];
    return a + h * (b + h * (c + h * d));
}
""",
    "uniform": f"""\
/* Philox4x32-{philox.ROUNDS}: Salmon, Moraes, Dror and Shaw, SC11. Exact, by halves of 16 bits. */
function biela_uniform(seed, step, particle, index) {{
    const size = 4294967296;
    const high = (a, b) => {{
        const a0 = a & 0xFFFF, a1 = a >>> 16, b0 = b & 0xFFFF, b1 = b >>> 16;
        const middle = a1 * b0 + Math.floor(a0 * b0 / 65536);
        return (a1 * b1 + Math.floor(middle / 65536) + Math.floor((a0 * b1 + middle % 65536) / 65536)) >>> 0;
    }};
    let c0 = particle >>> 0, c1 = index >>> 1, c2 = (step % size) >>> 0, c3 = Math.floor(step / size) >>> 0;
    let k0 = (seed % size) >>> 0, k1 = Math.floor(seed / size) >>> 0;
    for (let i = 0; i < {philox.ROUNDS}; i++) {{
        const p1 = high(0x{philox.MULTIPLIERS[0]:X}, c0);
        const p0 = Math.imul(0x{philox.MULTIPLIERS[0]:X}, c0) >>> 0;
        const q1 = high(0x{philox.MULTIPLIERS[1]:X}, c2);
        const q0 = Math.imul(0x{philox.MULTIPLIERS[1]:X}, c2) >>> 0;
        c0 = (q1 ^ c1 ^ k0) >>> 0;
        c1 = q0;
        c2 = (p1 ^ c3 ^ k1) >>> 0;
        c3 = p0;
        k0 = (k0 + 0x{philox.WEYL[0]:X}) >>> 0;
        k1 = (k1 + 0x{philox.WEYL[1]:X}) >>> 0;
    }}
    const [upper, lower] = index % 2 ? [c2, c3] : [c0, c1];
    return (upper * 1048576 + (lower >>> 12) + 0.5) / 4503599627370496;
}}
""",
}
