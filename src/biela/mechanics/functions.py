"""`Functions`: the Functions of a model by name, made from the rows of `biela.mechanics.catalogue`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from biela.expr.function import Function
from biela.mechanics import catalogue
from biela.mechanics.frozen import LEVELS
from biela.suggestion import suggestion

if TYPE_CHECKING:
    from biela.mechanics.model import Model


class Functions(Mapping[str, Function]):
    """The Functions of a model by name, each made when it is first asked for.

    Names joined by ``|`` give one Function that computes both and shares what they have in common.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._made: dict[str, Function] = {}

    def __getitem__(self, name: str) -> Function:
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return (name for name, row in catalogue.FUNCTIONS.items() if row.applies(self._model))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _make(self, name: str) -> Function:
        outputs: dict[str, Any] = {}
        level, multipliers = 0, False
        for part in name.split("|"):
            row = catalogue.FUNCTIONS.get(part)
            if row is None or not row.applies(self._model):
                known = list(self)
                raise KeyError(
                    f"Model '{self._model.name}' has no function '{part}'. It has {', '.join(known)}; "
                    f"names may be joined by '|'.{suggestion(part, known)}"
                )
            outputs |= row.outputs(self._model)
            level = max(level, LEVELS.index(row.level))
            multipliers = multipliers or row.multipliers
        return self._model.function(name.replace("|", "_"), outputs, LEVELS[level], multipliers)
