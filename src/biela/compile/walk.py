"""Native loops that particles need and expressions cannot say: finding lanes by a walk, and moving them.

`walk` matches two ascending sequences in one go, where a search for each tooth would jump about in memory.
`rake` does it for teeth that are equally far apart, and sums weights up to levels on its way: neither needs
memory. `gather` copies whole columns. Both share their work out to threads by the place in the result, so the
number of threads changes nothing.
"""

from __future__ import annotations

from ctypes import CFUNCTYPE, c_int64, c_void_p
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biela.compile import engine
from biela.compile.argument import Array, check_out, check_threads
from biela.compile.lane import parallel

RAKED = 1024  # weights summed up before they are added to the rest
SHARE = 8192  # places of a result below which a second thread is not worth while

_WALK = """
define void @biela_walk(ptr noalias %levels, ptr noalias %teeth, ptr noalias %found, i64 %first, i64 %last,
                        i64 %count, ptr %w) {
entry:
  %tooth0.at = getelementptr double, ptr %teeth, i64 %first
  %tooth0 = load double, ptr %tooth0.at
  %end = sub i64 %count, 1
  br label %search
search:                                       ; the first level that is not below the first tooth
  %low = phi i64 [ 0, %entry ], [ %low.next, %halve ]
  %high = phi i64 [ %end, %entry ], [ %high.next, %halve ]
  %open = icmp slt i64 %low, %high
  br i1 %open, label %halve, label %begin
halve:
  %sum = add i64 %low, %high
  %middle = lshr i64 %sum, 1
  %middle.at = getelementptr double, ptr %levels, i64 %middle
  %middle.level = load double, ptr %middle.at
  %below = fcmp olt double %middle.level, %tooth0
  %middle.next = add i64 %middle, 1
  %low.next = select i1 %below, i64 %middle.next, i64 %low
  %high.next = select i1 %below, i64 %high, i64 %middle
  br label %search
begin:
  %any = icmp slt i64 %first, %last
  br i1 %any, label %load, label %done
load:
  %i = phi i64 [ %first, %begin ], [ %i.next, %take ]
  %j.start = phi i64 [ %low, %begin ], [ %j, %take ]
  %tooth.at = getelementptr double, ptr %teeth, i64 %i
  %tooth = load double, ptr %tooth.at
  br label %compare
compare:
  %j = phi i64 [ %j.start, %load ], [ %j.next, %pass ]
  %level.at = getelementptr double, ptr %levels, i64 %j
  %level = load double, ptr %level.at
  %short = fcmp olt double %level, %tooth
  %more = icmp slt i64 %j, %end
  %on = and i1 %short, %more
  br i1 %on, label %pass, label %take
pass:
  %j.next = add i64 %j, 1
  br label %compare
take:
  %found.at = getelementptr i64, ptr %found, i64 %i
  store i64 %j, ptr %found.at
  %i.next = add i64 %i, 1
  %rest = icmp slt i64 %i.next, %last
  br i1 %rest, label %load, label %done
done:
  ret void
}
"""

# tooth i stands at (i + offset) scale; block c has the weights from c CHUNK on, and levels from low to high
_RAKE = """
define void @biela_rake(ptr noalias %weights, ptr noalias %levels, ptr noalias %found, i64 %first, i64 %last,
                        i64 %size, i64 %count, i64 %offset.bits, i64 %scale.bits, ptr %w) {
entry:
  %offset = bitcast i64 %offset.bits to double
  %scale = bitcast i64 %scale.bits to double
  br label %block
block:
  %c = phi i64 [ %first, %entry ], [ %c.next, %block.end ]
  %inside = icmp slt i64 %c, %last
  br i1 %inside, label %block.begin, label %done
block.begin:
  %c.next = add i64 %c, 1
  %low.at = getelementptr double, ptr %levels, i64 %c
  %low = load double, ptr %low.at
  %high.at = getelementptr double, ptr %levels, i64 %c.next
  %high = load double, ptr %high.at
  %begin = mul i64 %c, CHUNK
  %begin.next = add i64 %begin, CHUNK
  %short = icmp slt i64 %begin.next, %size
  %end = select i1 %short, i64 %begin.next, i64 %size
  %guess.level = fdiv double %low, %scale
  %guess.whole = fsub double %guess.level, %offset
  %guess.number = fptosi double %guess.whole to i64
  %positive = icmp sgt i64 %guess.number, 0
  %guess = select i1 %positive, i64 %guess.number, i64 0
  br label %back
back:                                       ; to the first tooth above the lowest level, or the very first
  %i.back = phi i64 [ %guess, %block.begin ], [ %i.before, %back.step ]
  %any = icmp sgt i64 %i.back, 0
  br i1 %any, label %back.look, label %forth
back.look:
  %i.before = sub i64 %i.back, 1
  %before.number = sitofp i64 %i.before to double
  %before.place = fadd double %before.number, %offset
  %before = fmul double %before.place, %scale
  %above = fcmp ogt double %before, %low
  br i1 %above, label %back.step, label %forth
back.step:
  br label %back
forth:
  %i.forth = phi i64 [ %i.back, %back ], [ %i.back, %back.look ], [ %i.later, %forth.step ]
  %forth.number = sitofp i64 %i.forth to double
  %forth.place = fadd double %forth.number, %offset
  %forth.tooth = fmul double %forth.place, %scale
  %under = fcmp ole double %forth.tooth, %low
  %more = icmp slt i64 %i.forth, %count
  %first.block = icmp eq i64 %c, 0
  %later.block = xor i1 %first.block, true
  %step.here = and i1 %under, %more
  %step = and i1 %step.here, %later.block
  br i1 %step, label %forth.step, label %weigh
forth.step:
  %i.later = add i64 %i.forth, 1
  br label %forth
weigh:
  %j = phi i64 [ %begin, %forth ], [ %j.next, %weigh.end ]
  %i = phi i64 [ %i.forth, %forth ], [ %i.out, %weigh.end ]
  %level = phi double [ %low, %forth ], [ %level.next, %weigh.end ]
  %best = phi i64 [ %begin, %forth ], [ %best.next, %weigh.end ]
  %left = icmp slt i64 %j, %end
  br i1 %left, label %weigh.one, label %rest
weigh.one:
  %j.next = add i64 %j, 1
  %weight.at = getelementptr double, ptr %weights, i64 %j
  %weight = load double, ptr %weight.at
  %level.next = fadd double %level, %weight
  %counts = fcmp ogt double %weight, 0.0
  %best.next = select i1 %counts, i64 %j, i64 %best
  br label %take
take:
  %i.out = phi i64 [ %i, %weigh.one ], [ %i.taken, %taken ]
  %number = sitofp i64 %i.out to double
  %place = fadd double %number, %offset
  %tooth = fmul double %place, %scale
  %reached = fcmp ole double %tooth, %level.next
  %within = fcmp ole double %tooth, %high
  %wanted = icmp slt i64 %i.out, %count
  %both = and i1 %reached, %within
  %on = and i1 %both, %wanted
  %yes = and i1 %on, %counts
  br i1 %yes, label %taken, label %weigh.end
taken:
  %found.at = getelementptr i64, ptr %found, i64 %i.out
  store i64 %j, ptr %found.at
  %i.taken = add i64 %i.out, 1
  br label %take
weigh.end:
  br label %weigh
rest:                                       ; what rounding left below the highest level
  %i.rest = phi i64 [ %i, %weigh ], [ %i.rest.next, %rest.taken ]
  %rest.number = sitofp i64 %i.rest to double
  %rest.place = fadd double %rest.number, %offset
  %rest.tooth = fmul double %rest.place, %scale
  %rest.reached = fcmp ole double %rest.tooth, %high
  %rest.wanted = icmp slt i64 %i.rest, %count
  %rest.on = and i1 %rest.reached, %rest.wanted
  br i1 %rest.on, label %rest.taken, label %block.end
rest.taken:
  %rest.at = getelementptr i64, ptr %found, i64 %i.rest
  store i64 %best, ptr %rest.at
  %i.rest.next = add i64 %i.rest, 1
  br label %rest
block.end:
  br label %block
done:
  ret void
}
"""

_GATHER = """
define void @biela_gather(ptr noalias %values, ptr noalias %places, ptr noalias %found, i64 %first, i64 %last,
                          i64 %rows, i64 %stride, i64 %size, ptr %w) {
entry:
  br label %row
row:
  %r = phi i64 [ 0, %entry ], [ %r.next, %row.end ]
  %inside = icmp slt i64 %r, %rows
  br i1 %inside, label %row.begin, label %done
row.begin:
  %offset = mul i64 %r, %stride
  %source = getelementptr double, ptr %values, i64 %offset
  %into = mul i64 %r, %size
  %target = getelementptr double, ptr %found, i64 %into
  br label %item
item:
  %i = phi i64 [ %first, %row.begin ], [ %i.next, %item.body ]
  %left = icmp slt i64 %i, %last
  br i1 %left, label %item.body, label %row.end
item.body:
  %place.at = getelementptr i64, ptr %places, i64 %i
  %place = load i64, ptr %place.at
  %value.at = getelementptr double, ptr %source, i64 %place
  %value = load double, ptr %value.at
  %found.at = getelementptr double, ptr %target, i64 %i
  store double %value, ptr %found.at
  %i.next = add i64 %i, 1
  br label %item
row.end:
  %r.next = add i64 %r, 1
  br label %row
done:
  ret void
}
"""


@lru_cache(maxsize=4)
def _entry(name: str, ir: str, integers: int) -> tuple[Any, engine.Library]:
    library = engine.Library(engine.object_code(ir), name)
    prototype = CFUNCTYPE(None, *([c_void_p] * 3), *([c_int64] * integers), c_void_p)
    return prototype(library.address), library


def walk(levels: Array, teeth: Array, threads: int = 0) -> NDArray[np.int64]:
    """For each tooth the first level that is not below it, or the last one; both ascend.

    >>> walk(np.array([0.25, 0.5, 1.0]), np.array([0.1, 0.5, 0.6, 2.0])).tolist()
    [0, 1, 2, 2]
    """
    check_threads(threads)
    levels, teeth = np.ascontiguousarray(levels, float), np.ascontiguousarray(teeth, float)
    if not levels.size:
        raise ValueError("There are no levels to walk along.")
    found = np.empty(len(teeth), np.int64)
    entry, _ = _entry("biela_walk", _WALK, 3)
    if len(teeth):
        parallel(entry, (levels, teeth, found), (len(levels),), len(teeth), _few(threads, len(teeth)), 0)
    return found


def rake(weights: Array, count: int, offset: float, threads: int = 0) -> NDArray[np.int64]:
    """Where ``count`` teeth end up, of which number i stands at (i + offset) / count of the sum of weights.

    ``offset`` is in [0, 1). A place without weight gets none. Raises ValueError where no weight is.

    >>> rake(np.array([1.0, 0.0, 3.0]), 4, 0.5).tolist()
    [0, 2, 2, 2]
    """
    check_threads(threads)
    weights = np.ascontiguousarray(weights, float)
    sums = np.add.reduceat(weights, np.arange(0, len(weights), RAKED)) if weights.size else np.zeros(0)
    levels = np.concatenate([[0.0], np.cumsum(sums)])
    total = float(levels[-1])
    if not 0.0 < total < np.inf:
        raise ValueError(f"Weights to choose by have a positive sum; got {total!r}.")
    blocks = int(np.flatnonzero(sums)[-1]) + 1
    levels[blocks] = np.inf  # the last block with weight takes what is left
    found = np.empty(count, np.int64)
    numbers = np.array([offset, total / max(count, 1)]).view(np.int64).tolist()
    entry, _ = _entry("biela_rake", _RAKE.replace("CHUNK", str(RAKED)), 6)
    extra = (len(weights), count, *numbers)
    parallel(entry, (weights, levels, found), extra, blocks, _few(threads, len(weights)), 0)
    return found


def gather(values: Array, places: NDArray[np.int64], threads: int = 0, out: Array | None = None) -> Array:
    """The columns of ``values`` at some places: ``values[..., places]``; the places are within it.

    ``out`` takes them, another array than ``values``.

    >>> gather(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), np.array([2, 0, 0])).tolist()
    [[3.0, 1.0, 1.0], [6.0, 4.0, 4.0]]
    """
    check_threads(threads)
    values, places = np.ascontiguousarray(values, float), np.ascontiguousarray(places, np.int64)
    size, count = values.shape[-1], len(places)
    if count and not (places.min() >= 0 and places.max() < size):
        raise ValueError(f"A place is outside 0..{size - 1}: {places.min()}..{places.max()}.")
    found = np.empty((*values.shape[:-1], count)) if out is None else out
    check_out("gather", found, (*values.shape[:-1], count))
    rows = values.size // max(size, 1)
    entry, _ = _entry("biela_gather", _GATHER, 5)
    if count:
        parallel(entry, (values, places, found), (rows, size, count), count, _few(threads, count), 0)
    return found


def _few(threads: int, count: int) -> int:
    return 1 if threads == 0 and count < SHARE else threads
