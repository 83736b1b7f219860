// The camera: what it looks at, from where, and the pointer, wheel and fingers that move it.

import { add, along, clamp, cross, dot, minus, times, unit } from "./vector.js";

const OPENING = (24 * Math.PI) / 180; // of the view, from bottom to top
const STEEP = Math.PI / 2 - 1e-4;

export const VIEWS = { // azimuth from the front to the right, elevation
  front: [0, 0],
  side: [Math.PI / 2, 0],
  top: [0, STEEP],
  iso: [Math.PI / 5, Math.PI / 8],
};

export class Eye {
  constructor(stage) {
    this.stage = stage;
    this.target = [...stage.centre];
    this.offset = [0, 0, 0]; // of what is followed
    this.aspect = 1;
    this.height = 1; // of the picture, pixels
    this.look(stage.planar ? "front" : "iso");
  }

  look(view) {
    [this.azimuth, this.elevation] = VIEWS[view];
    this.fit();
  }

  // Far enough that the box of the stage is seen.
  fit() {
    const { right, up, toward, half, centre } = this.stage;
    const tall = Math.tan(OPENING / 2);
    const [x, y, z] = this.axes();
    let far = 0;
    for (let corner = 0; corner < 8; corner++) {
      const sign = (k) => (corner >> k & 1 ? 1 : -1);
      const c = [right, up, toward].reduce((sum, axis, k) => along(sum, sign(k) * half[k], axis), [0, 0, 0]);
      const wide = Math.max(Math.abs(dot(c, x)) / (tall * this.aspect), Math.abs(dot(c, y)) / tall);
      far = Math.max(far, dot(c, z) + wide);
    }
    this.distance = this.fitting = 1.15 * far;
    this.target = [...centre];
  }

  // Whether nobody has moved it since.
  get fits() { return this.distance === this.fitting && this.target.every((c, k) => c === this.stage.centre[k]); }

  // To the right, up, and toward the eye.
  axes() {
    const { right, up, toward } = this.stage;
    const level = along(times(right, Math.sin(this.azimuth)), Math.cos(this.azimuth), toward);
    const back = along(times(level, Math.cos(this.elevation)), Math.sin(this.elevation), up);
    const side = unit(cross(up, level));
    return [side, cross(back, side), back];
  }

  get focus() { return add(this.target, this.offset); }
  get place() { return along(this.focus, this.distance, this.axes()[2]); }
  get opening() { return (OPENING * 180) / Math.PI; }

  // For many points at once: a function from a point to [x, y, depth, pixels a metre].
  projection(width, height) {
    const [x, y, z] = this.axes();
    const place = this.place;
    const scale = height / 2 / Math.tan(OPENING / 2);
    return (p) => {
      const d = minus(p, place);
      const depth = -dot(d, z);
      const zoom = scale / Math.max(depth, 1e-9);
      return [width / 2 + dot(d, x) * zoom, height / 2 - dot(d, y) * zoom, depth, zoom];
    };
  }

  // The place in space that is seen at a place of the picture, so deep.
  behind(x, y, depth, width, height) {
    const [right, up, back] = this.axes();
    const metres = (depth * Math.tan(OPENING / 2) * 2) / height;
    const side = along(along(this.place, (x - width / 2) * metres, right), (height / 2 - y) * metres, up);
    return along(side, -depth, back);
  }

  turn(dx, dy) {
    this.azimuth -= dx * 0.008;
    this.elevation = clamp(this.elevation + dy * 0.008, -STEEP, STEEP);
  }

  shift(dx, dy) {
    const [x, y] = this.axes();
    const metres = (2 * this.distance * Math.tan(OPENING / 2)) / this.height;
    this.target = along(along(this.target, -dx * metres, x), dy * metres, y);
  }

  zoom(factor) {
    const size = this.stage.size;
    this.distance = clamp(this.distance * factor, size / 50, size * 200);
  }

  // One finger or button turns; the right one, or shift, or two fingers shift; wheel and pinch zoom.
  follow(element, changed) {
    const held = new Map();
    const spread = () => {
      const [a, b] = [...held.values()];
      return [Math.hypot(a[0] - b[0], a[1] - b[1]), (a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
    };
    element.addEventListener("pointerdown", (e) => {
      held.set(e.pointerId, [e.clientX, e.clientY]);
      element.setPointerCapture(e.pointerId);
    });
    element.addEventListener("pointermove", (e) => {
      const before = held.get(e.pointerId);
      if (!before) return;
      const old = held.size === 2 ? spread() : null;
      held.set(e.pointerId, [e.clientX, e.clientY]);
      const [dx, dy] = [e.clientX - before[0], e.clientY - before[1]];
      if (old) {
        const now = spread();
        this.zoom(old[0] / Math.max(now[0], 1));
        this.shift(now[1] - old[1], now[2] - old[2]);
      } else if (e.shiftKey || e.buttons & 6) this.shift(dx, dy);
      else this.turn(dx, dy);
      changed();
    });
    for (const name of ["pointerup", "pointercancel"]) {
      element.addEventListener(name, (e) => held.delete(e.pointerId));
    }
    element.addEventListener("wheel", (e) => {
      e.preventDefault();
      this.zoom(Math.exp(clamp(e.deltaY, -200, 200) * 0.0015));
      changed();
    }, { passive: false });
    element.addEventListener("contextmenu", (e) => e.preventDefault());
  }
}
