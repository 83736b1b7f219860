"""spline: the piece by comparison, then its cubic in the order of `Curve`, so the last bits agree.

Few knots are compared one by one, each comparison replacing the row of coefficients; many are kept in
a constant of the module and searched in halves, the same number of steps for every lane.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence

from biela.compile.ir import Block
from biela.expr.spline import Curve

CHAIN = 8  # interior knots up to which comparing them all is faster than a table


def spline(block: Block, x: str, payload: Curve) -> str:
    """The value of the curve ``payload`` at ``x``."""
    columns = list(zip(*rows(payload), strict=True))
    pick = chain if len(columns[0]) <= CHAIN + 1 else search
    knot, a, b, c, d = pick(block, x, columns)
    h = block.sub(x, knot)
    value = block.add(c, block.mul(h, d))
    value = block.add(b, block.mul(h, value))
    return block.add(a, block.mul(h, value))


def rows(curve: Curve) -> list[tuple[float, ...]]:
    """(knot, a, b, c, d) of each piece."""
    return [(curve.knots[i], *curve.row(i)) for i in range(len(curve.knots) - 1)]


def chain(block: Block, x: str, columns: Sequence[tuple[float, ...]]) -> list[str]:
    """The row of the piece of ``x``, by one comparison for each interior knot."""
    row = [block.number(column[0]) for column in columns]
    for i in range(1, len(columns[0])):
        reached = block.compare("oge", x, block.number(columns[0][i]))
        row = [block.select(reached, block.number(c[i]), v) for c, v in zip(columns, row, strict=True)]
    return row


def search(block: Block, x: str, columns: Sequence[tuple[float, ...]]) -> list[str]:
    """The row of the piece of ``x``, by halving; nan compares false and ends in the first piece."""
    table = constant(block, [value for column in columns for value in column])
    pieces = len(columns[0])
    piece, left = block.integer(0), pieces
    while left > 1:
        middle = block.whole("add", piece, block.integer(left // 2))
        reached = block.compare("oge", x, gather(block, table, middle))
        piece = block.select(reached, middle, piece, "i64")
        left -= left // 2
    places = (block.whole("add", piece, block.integer(i * pieces)) for i in range(len(columns)))
    return [gather(block, table, place) for place in places]


def constant(block: Block, values: Sequence[float]) -> str:
    """A table of the module, named by its contents so that equal ones are one."""
    packed = struct.pack(f">{len(values)}d", *values)
    name = "@biela.table." + hashlib.sha256(packed).hexdigest()[:16]
    entries = ", ".join(f"double 0x{packed[i : i + 8].hex().upper()}" for i in range(0, len(packed), 8))
    kind = f"[{len(values)} x double]"
    block.constants[name] = f"{name} = private unnamed_addr constant {kind} [{entries}]"
    return name


def gather(block: Block, table: str, index: str) -> str:
    """table[index], one load a lane: the same on processors with and without gather instructions."""
    if block.lanes == 1:
        return entry(block, table, index)
    vector = "poison"
    for lane in range(block.lanes):
        value = entry(block, table, block.emit(f"extractelement {block.vector('i64')} {index}, i64 {lane}"))
        vector = block.emit(f"insertelement {block.type} {vector}, double {value}, i64 {lane}")
    return vector


def entry(block: Block, table: str, index: str) -> str:
    """One entry at a scalar index."""
    place = block.emit(f"getelementptr inbounds double, ptr {table}, i64 {index}")
    return block.emit(f"load double, ptr {place}")
