"""Counter-based randomness: Philox4x32-10 (Salmon, Moraes, Dror and Shaw, SC11).

A draw is a pure function of (seed, step, particle, index), so a simulation gives the same numbers
whatever the number of threads or lanes, and any single draw can be replayed. All four are whole
numbers held in doubles: seed and step below 2**53, particle and index below 2**32.
"""

from __future__ import annotations

MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
WEYL = (0x9E3779B9, 0xBB67AE85)
ROUNDS = 10
_LOW = 0xFFFFFFFF


def block(counter: tuple[int, int, int, int], key: tuple[int, int]) -> tuple[int, int, int, int]:
    """The four 32-bit words of one counter under one key."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(ROUNDS):
        p0, p1 = MULTIPLIERS[0] * c0, MULTIPLIERS[1] * c2
        c0, c1, c2, c3 = (p1 >> 32) ^ c1 ^ k0, p1 & _LOW, (p0 >> 32) ^ c3 ^ k1, p0 & _LOW
        k0, k1 = (k0 + WEYL[0]) & _LOW, (k1 + WEYL[1]) & _LOW
    return c0, c1, c2, c3


def uniform(seed: float, step: float, particle: float, index: int) -> float:
    """A draw from the open interval (0, 1), 52 bits, symmetric about one half.

    Draws 2k and 2k + 1 are the two halves of block k.
    """
    s, t = int(seed), int(step)
    words = block((int(particle), index // 2, t & _LOW, t >> 32), (s & _LOW, s >> 32))
    high, low = words[2 * (index % 2)], words[2 * (index % 2) + 1]
    return ((high << 20 | low >> 12) + 0.5) * 2.0**-52
