"""The routines in MATLAB that generated files bring along, one per operation that MATLAB has not.

Philox is computed in doubles, products in halves of 16 bits, since MATLAB's integers saturate.
"""

from __future__ import annotations

from biela.expr import philox


def _selection(name: str, parameters: str, condition: str, value: str, otherwise: str) -> str:
    return (
        f"function y = biela_{name}({parameters})\n    if {condition}\n        y = {value};\n"
        f"    else\n        y = {otherwise};\n    end\nend\n"
    )


def _real(name: str, domain: str) -> str:
    return _selection(name, "a", domain, f"{name}(a)", "NaN")


ROUTINES: dict[str, str] = {
    "sqrt": _real("sqrt", "a >= 0"),
    "asin": _real("asin", "abs(a) <= 1"),
    "acos": _real("acos", "abs(a) <= 1"),
    "log": _real("log", "a >= 0"),
    "pow": """\
function y = biela_pow(a, b)
    if b == 0 || a == 1 || (a == -1 && isinf(b))
        y = 1;
    elseif isnan(a) || isnan(b) || (a < 0 && ~isinf(a) && b ~= floor(b))
        y = NaN;
    elseif a < 0
        y = abs(a) ^ b;
        if mod(b, 2) == 1
            y = -y;
        end
    else
        y = a ^ b;
    end
end
""",
    "sign": _selection("sign", "a", "isnan(a)", "a", "(a > 0) - (a < 0)"),
    "min": _selection("min", "a, b", "a < b || isnan(a)", "a", "b"),
    "max": _selection("max", "a, b", "a > b || isnan(a)", "a", "b"),
    "where": _selection("where", "c, a, b", "c ~= 0", "a", "b"),
    "spline": """\
function y = biela_spline(x, knots, pieces)
    low = 1;
    high = size(pieces, 1) + 1;
    while high - low > 1
        middle = floor((low + high) / 2);
        if knots(middle) <= x
            low = middle;
        else
            high = middle;
        end
    end
    h = x - knots(low);
    y = pieces(low, 1) + h * (pieces(low, 2) + h * (pieces(low, 3) + h * pieces(low, 4)));
end
""",
    "uniform": f"""\
function y = biela_uniform(seed, step, particle, index)
    % Philox4x32-{philox.ROUNDS}: Salmon, Moraes, Dror and Shaw, SC11.
    c = [particle, floor(index / 2), mod(step, 2^32), floor(step / 2^32)];
    k = [mod(seed, 2^32), floor(seed / 2^32)];
    for i = 1:{philox.ROUNDS}
        [p1, p0] = biela_multiply({philox.MULTIPLIERS[0]}, c(1));
        [q1, q0] = biela_multiply({philox.MULTIPLIERS[1]}, c(3));
        c = [bitxor(bitxor(q1, c(2)), k(1)), q0, bitxor(bitxor(p1, c(4)), k(2)), p0];
        k = mod(k + [{philox.WEYL[0]}, {philox.WEYL[1]}], 2^32);
    end
    first = 1 + 2 * mod(index, 2);
    y = (c(first) * 2^20 + floor(c(first + 1) / 2^12) + 0.5) * 2^-52;
end

function [high, low] = biela_multiply(a, b)
    % The two 32-bit words of a product.
    a0 = mod(a, 65536);
    a1 = floor(a / 65536);
    b0 = mod(b, 65536);
    b1 = floor(b / 65536);
    middle = a1 * b0 + floor(a0 * b0 / 65536);
    carry = a0 * b1 + mod(middle, 65536);
    high = a1 * b1 + floor(middle / 65536) + floor(carry / 65536);
    low = mod(carry, 65536) * 65536 + mod(a0 * b0, 65536);
end
""",
}
