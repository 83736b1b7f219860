// What lies under the pointer: the same for both stages.

import { along, columns } from "./vector.js";
import { drumAxes } from "./shape.js";

const FINGER = 5; // pixels beside a thing that still touch it

// How deep a piece lies under a place of the picture; infinity beside it.
export function touched(piece, motion, show, [x, y]) {
  const place = motion.place(piece.lane, piece.a);
  const at = show(place);
  if (!at.every(Number.isFinite)) return Infinity;
  const beside = (u, v, wide) => Math.hypot(x - u, y - v) > Math.max(FINGER, wide);
  if (piece.kind === "rod" || piece.kind === "coil") {
    const to = show(motion.place(piece.lane, piece.b));
    const [dx, dy] = [to[0] - at[0], to[1] - at[1]];
    const share = ((x - at[0]) * dx + (y - at[1]) * dy) / (dx * dx + dy * dy || 1);
    const s = Math.max(0, Math.min(1, share));
    return beside(at[0] + s * dx, at[1] + s * dy, piece.radius * at[3]) ? Infinity : at[2] + s * (to[2] - at[2]);
  }
  if (piece.kind === "ball") return beside(at[0], at[1], piece.radius * at[3]) ? Infinity : at[2];
  if (piece.kind === "path") return beside(at[0], at[1], 0) ? Infinity : at[2];
  if (piece.layer) return Infinity; // what lies flat under everything has no name
  return inside(outline(piece, place, motion, show), x, y) ? at[2] : Infinity;
}

// The outline of the box around a solid.
function outline(piece, place, motion, show) {
  const base = columns(...motion.turn(piece.lane, piece.turn));
  if (piece.kind === "mesh") return hull(corners(piece, place, base).map(show));
  const [axes, size] = piece.kind === "box"
    ? [base, piece.size]
    : [drumAxes(piece.axis, base), [2 * piece.radius, piece.long, 2 * piece.radius]];
  const eight = [...Array(8).keys()].map((k) => show(axes.reduce(
    (sum, axis, j) => along(sum, (k >> j & 1 ? 0.5 : -0.5) * size[j], axis), place)));
  return hull(eight);
}

// Where the corners of a mesh are.
export function corners(piece, place, base) {
  return piece.points.map((p) => base.reduce((sum, axis, k) => along(sum, piece.radius * p[k], axis), place));
}

function inside(outline, x, y) {
  return outline.every(([u, v], k) => {
    const [s, t] = outline[(k + 1) % outline.length];
    return (s - u) * (y - v) - (t - v) * (x - u) >= 0;
  });
}

// The convex hull of points on the screen (Andrew, 1979).
export function hull(points) {
  const sorted = [...points].sort((p, q) => p[0] - q[0] || p[1] - q[1]);
  const half = (list) => {
    const chain = [];
    for (const p of list) {
      while (chain.length > 1) {
        const [a, b] = chain.slice(-2);
        if ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0) break;
        chain.pop();
      }
      chain.push(p);
    }
    return chain.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}
