"""Materials, and what happens where two of them touch.

An `Interaction` belongs to an unordered pair of materials and has the five numbers of the source (MINA group,
sections 3.3 and 7.1), with its meaning:

* ``hardness`` in [0, 1]: how soft the contact is, **lower is more rigid**. It is a compliance in m/s per N:
  what ODE calls CFM.
* ``bounciness`` in [0, 1]: the fraction of a penetration that is corrected in one step (not restitution):
  what ODE calls ERP. 0.1 to 0.8 is advised.
* ``friction`` in [0, inf): Coulomb's coefficient.
* ``slip1``, ``slip2``: the surfaces slide at a velocity proportional to the tangential force, in m/s per N,
  one for each tangential direction (on a floor: the world's x and y).

Both together are a spring and damper: a step h gives the stiffness ``bounciness / (h hardness)``. A body
without material has `DEFAULT`; a pair that nobody registered has `Interaction()`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields

from biela.arena.scene.fault import Faults

DEFAULT = "default"
UPPER = {"hardness": 1.0, "bounciness": 1.0}


@dataclass(frozen=True)
class Interaction:
    """How two materials meet; see the module for the meaning of the numbers."""

    hardness: float = 1e-4
    bounciness: float = 0.2
    friction: float = 1.0
    slip1: float = 0.0
    slip2: float = 0.0

    def check(self, where: str, faults: Faults) -> None:
        """Add what is out of range."""
        for item in fields(self):
            value, top = getattr(self, item.name), UPPER.get(item.name, math.inf)
            good = math.isfinite(value) and 0 <= value <= top
            faults.check(good, where, f"{item.name} is {value}; it must be in [0, {top:g}].")


@dataclass(frozen=True)
class Materials:
    """Names of materials by id, and the interactions of pairs."""

    names: dict[str, str] = field(default_factory=dict[str, str])
    pairs: dict[tuple[str, str], Interaction] = field(default_factory=dict[tuple[str, str], Interaction])

    def between(self, one: str, other: str) -> Interaction:
        """What happens between two materials, whichever comes first.

        >>> rubber = Materials({"0": "wood", "1": "rubber"}, {("0", "1"): Interaction(friction=0.8)})
        >>> rubber.between("1", "0").friction, rubber.between("1", "1").friction
        (0.8, 1.0)
        """
        return self.pairs.get((one, other)) or self.pairs.get((other, one)) or Interaction()

    def joined(self, other: Materials) -> Materials:
        """These and others, which win where both speak of the same."""
        kept = {p: i for p, i in self.pairs.items() if p not in other.pairs and p[::-1] not in other.pairs}
        return Materials(self.names | other.names, kept | other.pairs)

    def check(self, faults: Faults) -> None:
        """Add interactions out of range or of materials nobody registered."""
        for pair, interaction in self.pairs.items():
            where = f"interaction {pair[0]}-{pair[1]}"
            interaction.check(where, faults)
            for name in pair:
                known = name == DEFAULT or name in self.names
                faults.check(known, where, f"material '{name}' is not registered.", "Register it first.")
