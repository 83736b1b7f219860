// The stage without WebGL: the same pieces on a plain canvas, the farthest first.

import { add, along, columns, cross, dot, length, minus, rounded, square, times, unit } from "./vector.js";
import { darker, drumAxes } from "./shape.js";
import { corners, hull } from "./touch.js";

const PIECE = 0.25; // of the size: longer bars are cut, so that each piece is drawn at its own depth
const FACES = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]]; // -z z -y y -x x
const DULL = 0.8; // how bright a face is that looks past the light

export class FlatStage {
  constructor(canvas, stage, pieces, motions) {
    this.canvas = canvas;
    this.stage = stage;
    this.pieces = pieces;
    this.motions = motions;
    this.context = canvas.getContext("2d");
    this.grid = { visible: true };
    this.marks = { visible: true };
    this.hidden = new Set();
    this.step = rounded(stage.size / 3);
    this.light = along(times(stage.up, 0.2), 0.1, stage.toward); // how much brighter faces are that look there
  }

  theme(colors) { this.colors = colors; }

  resize(width, height) {
    const ratio = globalThis.devicePixelRatio || 1;
    [this.canvas.width, this.canvas.height] = [width * ratio, height * ratio];
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    [this.width, this.height] = [width, height];
  }

  draw(eye) {
    this.context.clearRect(0, 0, this.width, this.height);
    this.show = eye.projection(this.width, this.height);
    this.eye = eye.place;
    if (this.grid.visible) this.rule(add(this.stage.centre, eye.offset));
    if (this.marks.visible) this.cross();
    const strokes = [];
    for (const piece of this.pieces) {
      if (this.hidden.has(piece.actor)) continue;
      const behind = piece.opacity < 1 ? 2 * this.stage.size : 0; // the first actor is seen before the others
      for (const stroke of this.strokes(piece, this.motions[piece.actor])) {
        stroke.depth += behind - piece.lift;
        strokes.push(stroke);
      }
    }
    strokes.sort((one, other) => other.depth - one.depth);
    for (const stroke of strokes) this.stroke(stroke);
    this.context.globalAlpha = 1;
  }

  stroke({ points, width, fill, color, opacity, edge }) {
    const c = this.context;
    c.globalAlpha = opacity;
    c.beginPath();
    points.forEach(([x, y], k) => (k ? c.lineTo(x, y) : c.moveTo(x, y)));
    if (fill) {
      c.closePath();
      c.fillStyle = fill;
      c.fill();
    }
    if (!edge && fill) return;
    c.lineWidth = width || 1;
    c.lineCap = c.lineJoin = "round";
    c.strokeStyle = edge || color;
    c.stroke();
  }

  rule(middle) {
    const { right, up, toward, planar, floor, size } = this.stage;
    const [a, b, n] = planar ? [right, up, toward] : [right, toward, up];
    const start = [a, b].reduce((sum, axis) => {
      const far = Math.round((axis[0] * middle[0] + axis[1] * middle[1] + axis[2] * middle[2]) / this.step);
      return along(sum, far * this.step, axis);
    }, times(n, floor));
    const count = Math.ceil((1.5 * size) / this.step);
    const at = (i, j) => this.show(along(along(start, i * this.step, a), j * this.step, b));
    for (let k = -count; k <= count; k++) {
      for (const points of [[at(k, -count), at(k, count)], [at(-count, k), at(count, k)]]) {
        if (points.every((p) => p[2] > 0)) this.stroke({ points, color: this.colors.grid, opacity: 0.6 });
      }
    }
  }

  cross() {
    this.colors.axes.forEach((color, k) => {
      const tip = [0, 1, 2].map((j) => (j === k ? 0.22 * this.stage.size : 0));
      this.stroke({ points: [this.show([0, 0, 0]), this.show(tip)], color, width: 2, opacity: 1 });
    });
  }

  // What a piece is on paper: outlines with their depths.
  strokes(piece, motion) {
    const place = motion.place(piece.lane, piece.a);
    if (!place.every(Number.isFinite)) return [];
    const { color, opacity, radius } = piece;
    const here = this.show(place);
    if (piece.kind === "path") return this.way(piece, motion, here);
    if (piece.kind === "rod" || piece.kind === "coil") {
      const end = motion.place(piece.lane, piece.b);
      return piece.kind === "rod" ? this.rod(piece, place, end) : this.coil(piece, place, end);
    }
    if (piece.kind === "ball") {
      const points = round(24).map(([x, y]) => [here[0] + x * radius * here[3], here[1] + y * radius * here[3]]);
      const fill = piece.joint ? darker(color, 0.72) : color;
      return [{ points, fill, edge: darker(color, 0.5), opacity, depth: here[2] - radius }];
    }
    if (piece.kind === "foot") {
      const { right, up } = this.stage;
      const corner = (side) => this.show(along(along(place, -1.5 * radius, up), side * radius, right));
      return [{ points: [here, corner(-0.87), corner(0.87)], fill: color, opacity, depth: here[2] + radius }];
    }
    const base = columns(...motion.turn(piece.lane, piece.turn));
    if (piece.kind === "mesh") return this.mesh(piece, place, base);
    return piece.kind === "box" ? this.box(piece, place, base) : this.drum(piece, place, base);
  }

  rod({ color, opacity, radius }, start, end) {
    const span = minus(end, start);
    const count = opacity < 1 ? 1 : 1 + Math.floor(length(span) / (PIECE * this.stage.size));
    return [...Array(count).keys()].flatMap((k) => {
      const [one, other] = [k, k + 1].map((j) => this.show(along(start, j / count, span)));
      const [width, depth] = [Math.max(2, 2 * radius * one[3]), (one[2] + other[2]) / 2];
      return this.twice({ points: [one, other], color, width, opacity, depth });
    });
  }

  coil({ color, opacity, radius }, start, end) {
    const depth = (this.show(start)[2] + this.show(end)[2]) / 2;
    return this.twice({ points: this.zigzag(start, end, radius), color, width: 1.6, opacity, depth });
  }

  // A stroke with a darker rim.
  twice(stroke) {
    const rim = { ...stroke, color: darker(stroke.color, 0.7), width: stroke.width + 1 };
    return [rim, { ...stroke, depth: stroke.depth - 1e-9 }];
  }

  way(piece, motion, here) {
    if (!piece.way) piece.way = motion.way(piece.lane, piece.a);
    const points = [];
    const count = Math.min(piece.way.length / 3, Math.round(motion.moment) + 1);
    for (let k = 0; k < count; k++) points.push(this.show(piece.way.subarray(3 * k, 3 * k + 3)));
    if (points.length < 2) return [];
    return [{ points, color: piece.color, width: 1.8, opacity: 0.8 * piece.opacity, depth: here[2] }];
  }

  zigzag(start, end, radius) {
    const span = minus(end, start);
    const [side] = square(unit(span));
    const points = [this.show(start)];
    for (let k = 1; k < 20; k++) {
      points.push(this.show(along(along(start, k / 20, span), k % 2 ? radius : -radius, side)));
    }
    return [...points, this.show(end)];
  }

  box({ size, color, opacity }, place, [x, y, z]) {
    const corners = [...Array(8).keys()].map((k) => this.show([x, y, z].reduce(
      (sum, axis, j) => along(sum, (k >> j & 1 ? 0.5 : -0.5) * size[j], axis), place)));
    const axes = [z, y, x];
    const sides = [size[2], size[1], size[0]];
    const faces = FACES.map((face, k) => ({
      points: face.map((c) => corners[c]),
      fill: darker(color, DULL + (k % 2 ? 1 : -1) * dot(axes[k >> 1], this.light)),
      edge: darker(color, 0.5), opacity, depth: face.reduce((sum, c) => sum + corners[c][2] / 4, 0),
    }));
    return faces.filter((_, k) => { // those that are turned to the eye
      const j = k >> 1;
      return (k % 2 ? 1 : -1) * dot(axes[j], minus(this.eye, place)) > sides[j] / 2;
    });
  }

  // The faces of a mesh that are turned to the eye; those of a layer lie under everything else.
  mesh(piece, place, base) {
    const spots = corners(piece, place, base);
    const shown = spots.map((spot) => this.show(spot));
    return piece.faces.flatMap((face) => {
      const points = face.map((k) => shown[k]);
      const [p, q, r] = face.map((k) => spots[k]);
      const normal = unit(cross(minus(q, p), minus(r, p)));
      if (dot(normal, minus(this.eye, p)) <= 0 || points.some((point) => point[2] <= 1e-6)) return [];
      const fill = darker(piece.color, DULL + dot(normal, this.light));
      const depth = piece.layer ? 1e9 - piece.layer : points.reduce((sum, point) => sum + point[2] / points.length, 0);
      return [{ points, fill, edge: fill, width: 0.6, opacity: piece.opacity, depth }];
    });
  }

  drum({ axis, radius, long, color, opacity }, place, base) {
    const [u, w, v] = drumAxes(axis, base);
    const ring = (side) => round(32).map(([x, y]) => this.show(
      along(along(along(place, side * long, w), x * radius, u), y * radius, v)));
    const [one, other] = [ring(-0.5), ring(0.5)];
    const depth = this.show(place)[2];
    const near = one[0][2] + one[16][2] < other[0][2] + other[16][2] ? one : other;
    const edge = darker(color, 0.5);
    const quarter = (from) => [...near.slice(from, from + 9), this.show(along(place, near === one ? -long / 2 : long / 2, w))];
    return [
      { points: hull([...one, ...other]), fill: darker(color, 0.75), edge, opacity, depth },
      { points: near, fill: color, edge, opacity, depth: depth - 1e-9 },
      ...[0, 16].map((from) => ({ points: quarter(from), fill: darker(color, 0.75), opacity, depth: depth - 2e-9 })),
    ];
  }
}

function round(count) {
  return [...Array(count).keys()].map((k) => [Math.cos((2 * Math.PI * k) / count), Math.sin((2 * Math.PI * k) / count)]);
}
