"""How the bodies of an entity hang together: one tree for each of its connected parts.

Bodies that are fixed to each other become one `Link`; a link hangs on its parent by one joint. The root of a
part is an immovable body if it has one, otherwise the reference body, otherwise its first.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from biela.arena.scene.body import Body
from biela.arena.scene.entity import Entity
from biela.arena.scene.joint import Joint


@dataclass
class Link:
    """Bodies that move as one; its frame is that of ``bodies[0]``."""

    bodies: list[Body]
    joint: Joint | None = None
    reversed: bool = False
    children: list[Link] = field(default_factory=list["Link"])

    @property
    def immovable(self) -> bool:
        """Whether it is part of the world."""
        return any(b.immovable for b in self.bodies)

    def walk(self) -> list[Link]:
        """Itself and all below it."""
        found: list[Link] = [self]
        for link in found:
            found.extend(link.children)
        return found


def chains(entity: Entity) -> list[Link]:
    """The roots of an entity's connected parts."""
    first = sorted(entity.bodies, key=lambda b: (not b.immovable, b.id != entity.reference_body.id))
    seen: set[str] = set()
    return [_grown(entity, Link([b]), seen) for b in first if b.id not in seen]


def _grown(entity: Entity, link: Link, seen: set[str]) -> Link:
    """The link with all that is fixed to it and hangs on it."""
    seen.add(link.bodies[0].id)
    waiting: list[tuple[Joint, str, bool]] = []
    for body in link.bodies:  # grows while it is walked
        for joint in entity.joints:
            if body.id not in (joint.body1, joint.body2):
                continue
            back = joint.body2 == body.id
            other = joint.body1 if back else joint.body2
            if other in seen:
                continue
            if joint.kind == "fixed":
                seen.add(other)
                link.bodies.append(entity.body[other])
            else:
                waiting.append((joint, other, back))
    for joint, other, back in waiting:
        link.children.append(_grown(entity, Link([entity.body[other]], joint, back), seen))
    return link
