// What shapes are made of: a few pieces that both stages can draw, for every lane of every actor.

import { clamp } from "./vector.js";

const TINTS = ["", "#e4572e", "#8357c5", "#0f9d8a", "#c9337b"]; // of the actors beside the first
const THIN = 0.007; // of the size of the stage: what is thinner would not be seen
const THICK = 0.05;

// How an actor's lane is painted: its own colours or one tint, and how opaque.
function lookOf(actor, lane) {
  const slim = actor || lane ? 0.8 : 1; // inside the first actor's where they agree
  const tint = actor ? TINTS[1 + (actor - 1) % (TINTS.length - 1)] : "";
  if (!actor) return { tint, slim, opacity: lane ? 0.2 : 1 };
  return { tint, slim, opacity: lane ? 0.12 : 0.5 };
}

// Pieces: rod (a, b), ball (a), box, drum and mesh (a, turn), coil (a, b), path (a), foot (a).
export function pieces(actors, stage) {
  const found = [];
  actors.forEach((actor, k) => {
    for (let lane = 0; lane < actor.lanes; lane++) {
      const look = lookOf(k, lane);
      const put = (shape, piece) => found.push({
        actor: k, lane, opacity: look.opacity, color: look.tint || shape.color, name: shape.name, fixed: shape.fixed,
        lift: shape.lift || 0,
        ...slimmed(piece, look.slim),
      });
      for (const shape of actor.shapes) split(shape, stage, put);
      if (k === 0 && lane === 0 && stage.planar) {
        for (const a of actor.pivots) put({ color: "#7d838c", name: "ground" }, { kind: "foot", a, radius: foot(stage) });
      }
    }
  });
  return found;
}

function slimmed(piece, slim) {
  const { radius, long, size } = piece;
  if (size) return { ...piece, size: size.map((side) => slim * side) };
  return { ...piece, radius: slim * radius, long: slim * long };
}

export const tintOf = (k) => lookOf(k, 0).tint;
const foot = (stage) => 0.045 * stage.size;

function split(shape, stage, put) {
  const [a, b] = shape.places;
  if (shape.kind === "bar") {
    const radius = clamp(shape.radius, THIN * stage.size, THICK * stage.size);
    for (let k = 0; k + 1 < shape.places.length; k++) {
      put(shape, { kind: "rod", a: shape.places[k], b: shape.places[k + 1], radius });
    }
    for (const place of new Set(shape.places)) put(shape, { kind: "ball", a: place, radius: 1.35 * radius, joint: true });
  } else if (shape.kind === "coil") put(shape, { kind: "coil", a, b, radius: 0.03 * stage.size });
  else if (shape.kind === "trace") put(shape, { kind: "path", a });
  else if (shape.form === "sphere") put(shape, { kind: "ball", a, radius: shape.size[0] });
  else if (shape.form === "mesh") {
    const { points, faces, layer } = shape;
    put(shape, { kind: "mesh", a, turn: shape.turn, radius: 1, points, faces, layer });
  } else if (shape.form === "box") put(shape, { kind: "box", a, turn: shape.turn, size: shape.size });
  else put(shape, { kind: "drum", a, turn: shape.turn, radius: shape.size[0], long: shape.size[1], axis: shape.axis });
}

// The directions of a drum's radius, axis and other radius, right-handed, from those of its base.
export function drumAxes(axis, [x, y, z]) {
  return { x: [z, x, y], y: [x, y, z], z: [y, z, x] }[axis];
}

export function darker(color, factor) {
  const n = parseInt(color.slice(1), 16);
  const part = (shift) => clamp(Math.round(((n >> shift) & 255) * factor), 0, 255);
  return `rgb(${part(16)},${part(8)},${part(0)})`;
}
