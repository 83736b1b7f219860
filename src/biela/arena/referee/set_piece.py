"""Where ball and robots stand when play begins again: penalty, goal kick, free kick.

A piece is taken by one side towards the goal of the other. Places are functions of the field alone, those of
the VSSS rules where they give them: at a penalty the ball is on its mark, the keeper on his line, and
everybody else in the other half; at a goal kick it is at the front of the area, beside the keeper. What
distances nobody gives are fractions of the field (ours).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from biela.arena.preset.field import FootballField

Spot = tuple[float, float, float]  # x, y, heading


@dataclass(frozen=True)
class Piece:
    """Where the ball and the robots of both sides go, the taking side's first robot its keeper."""

    ball: tuple[float, float]
    takers: list[Spot]
    others: list[Spot]


def penalty(field: FootballField, towards: int, takers: int, others: int) -> Piece:
    """On the goal at ``towards`` (-1 left, 1 right): one against the keeper."""
    mark = towards * (field.length / 2 - field.penalty_mark)
    keeper = (towards * (field.length / 2 - _depth(field) / 4), 0.0, _facing(-towards))
    kicker = (mark - towards * _gap(field), 0.0, _facing(towards))
    away = min(-0.1 * field.length, towards * mark - 2 * _gap(field)) * towards
    own = (-towards * (field.length / 2 - _depth(field) / 2), 0.0, _facing(towards))
    first = [own, kicker, *_row(field, away, takers - 2, 1, towards)]
    if takers == 1:
        first = [kicker]
    return Piece((mark, 0.0), first[:takers], [keeper, *_row(field, away, others - 1, -1, -towards)][:others])


def goal_kick(field: FootballField, own: int, takers: int, others: int) -> Piece:
    """By the side whose goal is at ``own``: the keeper kicks from the front of his area, others keep away."""
    wide = field.areas[0][0] if field.areas else field.goal_width
    ball = (own * (field.length / 2 - _depth(field)), 0.35 * wide)
    aim = math.atan2(-0.5, -own)
    keeper = (ball[0] - _gap(field) * math.cos(aim), ball[1] - _gap(field) * math.sin(aim), aim)
    mates = _row(field, own * 0.1 * field.length, takers - 1, 1, -own)
    other = (-own * (field.length / 2 - _depth(field) / 2), 0.0, _facing(own))
    rest = _row(field, -own * 0.1 * field.length, others - 1, -1, own)
    return Piece(ball, [keeper, *mates][:takers], [other, *rest][:others])


def free_kick(
    field: FootballField, place: tuple[float, float], towards: int, takers: int, others: int, distance: float
) -> Piece:
    """From where the foul was, within the field and out of the areas; all others keep their ``distance``."""
    a, b = field.length / 2 - _depth(field) - distance, field.width / 2 - 2 * _gap(field)
    x, y = max(-a, min(a, place[0])), max(-b, min(b, place[1]))
    aim = math.atan2(-y, towards * field.length / 2 - x)
    kicker = (x - _gap(field) * math.cos(aim), y - _gap(field) * math.sin(aim), aim)
    keeper = (-towards * (field.length / 2 - _depth(field) / 2), 0.0, _facing(towards))
    behind = max(-field.length / 2 + _depth(field) + 0.05, min(towards * x - 2 * distance, a)) * towards
    first = [keeper, kicker, *_row(field, behind, takers - 2, 1, towards)]
    before = min(towards * x + 1.5 * distance, field.length / 2 - _depth(field)) * towards
    wall = (towards * (field.length / 2 - _depth(field) / 2), 0.0, _facing(-towards))
    rest = [wall, *_row(field, before, others - 1, -1, -towards)]
    return Piece((x, y), first[:takers] if takers > 1 else [kicker], rest[:others])


def in_area(field: FootballField, place: Sequence[float], side: int) -> bool:
    """Whether a place is in the goal area at -1 or 1."""
    wide, deep = field.areas[0]
    inside = field.length / 2 - deep <= side * place[0] <= field.length / 2
    return inside and abs(place[1]) <= wide / 2


def quadrant(x: float, y: float) -> int:
    """1 to 4 from the top right, against the clock, as VSSReferee counts them.

    >>> [quadrant(x, y) for x, y in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
    [1, 2, 3, 4]
    """
    return (1 if x > 0 else 2) if y > 0 else (4 if x > 0 else 3)


def _depth(field: FootballField) -> float:
    return field.areas[0][1] if field.areas else 0.1 * field.length


def _gap(field: FootballField) -> float:
    """Between the middles of ball and taker: clear of both, little of the field."""
    return max(0.075, 0.016 * field.length)


def _facing(sign: float) -> float:
    return 0.0 if sign > 0 else math.pi


def _row(field: FootballField, x: float, count: int, half: int, facing: float) -> list[Spot]:
    """Robots side by side across one half of the width, so that two rows at one x keep apart."""
    step = 0.4 * field.width / max(1, count)
    return [(x, half * (0.06 * field.width + step * (n + 0.25)), _facing(facing)) for n in range(count)]
