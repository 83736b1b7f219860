"""uniform: Philox4x32-10 in 64-bit lanes, the same bits as `biela.expr.philox`."""

from __future__ import annotations

from biela.compile.ir import Block
from biela.expr.philox import MULTIPLIERS, ROUNDS, WEYL

LOW = 0xFFFFFFFF
WHOLE = 2.0**52  # added to a whole number below it, leaves that number in the low bits


def uniform(block: Block, seed: str, step: str, particle: str, payload: int) -> str:
    """Draw ``payload`` of the counter (step, particle) under the key ``seed``, in (0, 1)."""
    counter = (word_of(block, particle), block.integer(payload // 2), *words_of(block, step))
    words = philox(block, counter, words_of(block, seed))
    high, low = words[2 * (payload % 2) : 2 * (payload % 2) + 2]
    high = block.whole("shl", high, block.integer(20))
    draw = block.whole("or", high, block.whole("lshr", low, block.integer(12)))
    # 1 + draw 2**-52, less all but half a step of the one: exact
    bits = block.whole("or", draw, block.integer(0x3FF << 52))
    return block.sub(block.convert("bitcast", bits, "i64", "double"), block.number(1.0 - 2.0**-53))


def words_of(block: Block, whole: str) -> tuple[str, str]:
    """The low and the high 32 bits of a whole number in a double, without conversion instructions."""
    high = block.intrinsic("floor", block.mul(whole, block.number(2.0**-32)))
    low = block.fma(high, block.number(-(2.0**32)), whole)
    return word_of(block, low), word_of(block, high)


def word_of(block: Block, whole: str) -> str:
    """A whole number below 2**32 in a double, as an integer."""
    bits = block.convert("bitcast", block.add(whole, block.number(WHOLE)), "double", "i64")
    return block.whole("and", bits, block.integer(LOW))


def philox(block: Block, counter: tuple[str, ...], key: tuple[str, str]) -> tuple[str, ...]:
    """The four 32-bit words of one counter under one key, each in a lane of 64 bits."""
    for turn in range(ROUNDS):
        keys = [scheduled(block, word, turn * weyl & LOW) for word, weyl in zip(key, WEYL, strict=True)]
        counter = round_of(block, counter, keys)
    return counter


def scheduled(block: Block, word: str, increment: int) -> str:
    """The word of the key after so many increments, modulo 2**32."""
    return block.whole("and", block.whole("add", word, block.integer(increment)), block.integer(LOW))


def round_of(block: Block, counter: tuple[str, ...], keys: list[str]) -> tuple[str, ...]:
    """One round: two products of 32 by 32 bits, crossed (Salmon et al. 2011, section 4.3)."""
    _, c1, _, c3 = counter
    p0, p1 = (
        block.whole("mul", block.integer(multiplier), word)
        for multiplier, word in zip(MULTIPLIERS, counter[::2], strict=True)
    )
    low, shift = block.integer(LOW), block.integer(32)
    mixed = [
        block.whole("xor", block.whole("xor", block.whole("lshr", p, shift), c), k)
        for p, c, k in zip((p1, p0), (c1, c3), keys, strict=True)
    ]
    return mixed[0], block.whole("and", p1, low), mixed[1], block.whole("and", p0, low)
