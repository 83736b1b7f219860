"""`Scene`: entities, materials and gravity; what a physics backend is built from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

from biela.arena.scene.entity import Entity
from biela.arena.scene.fault import Faults
from biela.arena.scene.material import DEFAULT, Materials
from biela.arena.scene.pose import Three


@dataclass(frozen=True)
class Scene:
    """Everything in the world. It does not change: adding gives another."""

    name: str = "scene"
    materials: Materials = field(default_factory=Materials)
    entities: tuple[Entity, ...] = ()
    gravity: Three = (0.0, 0.0, -9.81)

    @cached_property
    def entity(self) -> dict[str, Entity]:
        """Entities by id."""
        return {e.id: e for e in self.entities}

    def adding(self, *entities: Entity) -> Scene:
        """With more entities; raises SceneError for what cannot be, a duplicate id among it."""
        return replace(self, entities=(*self.entities, *entities)).checked()

    def registering(self, materials: Materials) -> Scene:
        """With more materials and interactions; raises SceneError for those out of range."""
        return replace(self, materials=self.materials.joined(materials)).checked()

    def checked(self) -> Scene:
        """Itself, if it has no fault; raises SceneError with all of them otherwise."""
        faults = Faults()
        self.materials.check(faults)
        seen: set[str] = set()
        for entity in self.entities:
            where = f"entity '{entity.id}'"
            faults.check(entity.id not in seen, where, "there is another of this id.", "Ids are unique.")
            seen.add(entity.id)
            entity.check(faults)
            self._check_materials(entity, faults)
        faults.raise_if_any(f"Scene '{self.name}'")
        return self

    def _check_materials(self, entity: Entity, faults: Faults) -> None:
        for body in entity.bodies:
            good = body.material == DEFAULT or body.material in self.materials.names
            where = f"entity '{entity.id}', body '{body.id}'"
            faults.check(good, where, f"material '{body.material}' is not registered.", "Register it first.")
