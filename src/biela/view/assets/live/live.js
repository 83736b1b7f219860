// The page of something that runs: the player of replays, fed by frames, with controls, keys and a hand.

import { along, dot, minus } from "../player/vector.js";
import { number } from "../player/plot.js";
import { SPEEDS } from "../player/clock.js";
import { Player } from "../player/player.js";
import { Flow } from "./flow.js";
import { Rolling } from "./rolling.js";
import { Panel } from "./panel.js";
import { Link } from "./link.js";

const [PLAYING, HELD] = [1, 2];
const ARROWS = { ArrowUp: [1, 0], ArrowDown: [-1, 0], ArrowLeft: [0, 1], ArrowRight: [0, -1] };
const BUSY = 0.98; // of the speed asked for: what is slower is told

export function live(document, { address = `ws://${globalThis.location.host}/live` }) {
  let [page, first] = [null, ""];
  const link = new Link(address, (told) => {
    if (told.hello && !page) {
      first = JSON.stringify(told.hello.actors);
      page = new LivePlayer(document, { ...told.hello, link });
      globalThis.replay = page; // the name that a replay has too
    } else if (told.hello && JSON.stringify(told.hello.actors) !== first) globalThis.location.reload();
    if (page) page.heard(told);
  });
}

// The clock of the source, as the last frame says.
class Remote {
  constructor(link) {
    this.link = link;
    [this.t, this.speed, this.playing, this.fresh] = [0, 1, false, false];
  }

  toggle() { this.link.send({ do: this.playing ? "pause" : "play" }); }

  faster(steps) {
    const k = SPEEDS.findIndex((speed) => speed >= this.speed) + steps;
    if (steps && SPEEDS[k]) this.link.send({ do: "speed", value: SPEEDS[k] });
  }

  pass() {
    const { fresh } = this;
    this.fresh = false;
    return fresh;
  }
}

class LivePlayer extends Player {
  prepare() {
    this.link = this.data.link;
    this.motions = this.data.actors.map((actor) => new Flow(actor));
    this.clock = new Remote(this.link);
    this.arrows = new Set();
    this.panel = new Panel(this.$("controls"), this.data.controls, (name, value) => {
      this.link.send({ do: "set", name, value });
    });
  }

  plotted() {
    return new Rolling(this.$("plots"), this.$("chooser"), this.data.curves, this.data.actors, () => {});
  }

  staged() {
    const scene = super.staged();
    for (const path of scene.paths || []) { // ways grow; what is to come is not known
      if (path.whole) scene.scene.remove(path.whole);
      path.whole = null;
    }
    return scene;
  }

  begin() {
    if (this.data.holds === "place") this.scene.marks.visible = false; // a field has its own middle
  }

  wishes() {
    super.wishes();
    this.$("columns").open = false; // controls come first
  }

  seek() {}
  step() { this.link.send({ do: "step" }); }
  reset() { this.link.send({ do: "reset" }); }

  timing() {
    this.$("step").onclick = () => this.step();
    this.$("reset").onclick = () => this.reset();
    this.$("pad").hidden = !this.data.drives;
    for (const button of this.$("pad").querySelectorAll("button")) {
      const key = button.dataset.arrow;
      button.onpointerdown = () => this.steer(key, true);
      for (const name of ["onpointerup", "onpointerleave", "onpointercancel"]) button[name] = () => this.steer(key, false);
    }
    this.$("driving").textContent = this.data.drives;
  }

  deeds() {
    const { ArrowLeft, ArrowRight, Home, End, o, p, ...rest } = super.deeds();
    return { ...rest, n: () => this.step(), r: () => this.reset() };
  }

  keys() {
    super.keys();
    const follow = (down) => (e) => {
      if (!(e.key in ARROWS) || e.ctrlKey || e.metaKey || e.altKey) return;
      e.preventDefault();
      if (this.data.drives) this.steer(e.key, down);
      else if (down && e.key === "ArrowRight") this.step();
    };
    this.document.addEventListener("keydown", follow(true));
    this.document.addEventListener("keyup", follow(false));
    globalThis.addEventListener("blur", () => this.steer("", false));
  }

  // Arrows that are down together say where to go; nothing is down when nobody looks.
  steer(key, down) {
    const before = this.arrows.size ? [...this.arrows].join() : "";
    if (!key) this.arrows.clear();
    else this.arrows[down ? "add" : "delete"](key);
    if ([...this.arrows].join() === before) return;
    const held = [...this.arrows].map((name) => ARROWS[name]);
    const sum = (k) => Math.max(-1, Math.min(1, held.reduce((total, way) => total + way[k], 0)));
    this.link.send({ do: "drive", ahead: sum(0), aside: sum(1) });
  }

  // A hand: what is pressed is held and follows the pointer; beside it the scene turns as ever.
  pointer() {
    super.pointer();
    if (!this.data.holds) return;
    const place = this.$("scene");
    place.addEventListener("pointerdown", (e) => {
      if (e.target !== this.scene.canvas || e.button || e.shiftKey) return;
      const { piece, depth } = this.nearest(e.offsetX, e.offsetY, ({ fixed }) => !fixed);
      if (!piece) return;
      e.stopPropagation();
      const at = this.behind(e, depth);
      const { actor, lane, a, b = -1, turn = -1 } = piece;
      this.hold = { id: e.pointerId, depth, at };
      place.setPointerCapture(e.pointerId);
      this.link.send({ do: "grab", actor, lane, a, b, turn, at });
    }, true);
    place.addEventListener("pointermove", (e) => {
      if (this.hold?.id !== e.pointerId) return;
      e.stopPropagation();
      this.link.send({ do: "drag", to: this.behind(e, this.hold.depth, this.hold.at) });
    }, true);
    for (const name of ["pointerup", "pointercancel"]) {
      place.addEventListener(name, (e) => {
        if (this.hold?.id !== e.pointerId) return;
        this.hold = null;
        this.link.send({ do: "release" });
      }, true);
    }
  }

  // Where a pointer is in space: so deep, or for what is placed on the plane it stood on.
  behind(e, depth, from) {
    const box = this.scene.canvas.getBoundingClientRect();
    const at = this.eye.behind(e.clientX - box.left, e.clientY - box.top, depth, box.width, box.height);
    if (this.data.holds !== "place" || !from) return at;
    const ray = minus(at, this.eye.place);
    const sinks = dot(ray, this.stage.up);
    if (Math.abs(sinks) < 1e-9) return at;
    const share = dot(minus(from, this.eye.place), this.stage.up) / sinks;
    return share > 0 ? along(this.eye.place, share, ray) : at;
  }

  heard(told) {
    if (told.frame) this.take(told.frame);
    if (told.state) this.state(told.state);
    if (told.refused) this.note(told.refused);
    if (told.lost) this.$("state").textContent = "The connection is lost; trying again.";
  }

  take({ flags, t, achieved, load, numbers }) {
    const rows = this.plots.rows.length;
    let place = rows;
    const again = t < this.clock.t;
    const moved = t !== this.clock.t;
    for (const motion of this.motions) {
      motion.take(numbers.subarray(place));
      place += motion.size;
      if (again || !this.taken) motion.forget();
      else if (moved) motion.go();
    }
    this.taken = true;
    this.held = flags & HELD ? [numbers.slice(place, place + 3), numbers.slice(place + 3, place + 6)] : null;
    this.plots.add(t, numbers.subarray(0, rows));
    Object.assign(this.clock, { t, playing: Boolean(flags & PLAYING), fresh: true });
    this.pulse = { achieved, load };
  }

  state({ playing, speed, told, controls }) {
    Object.assign(this.clock, { playing, speed, fresh: true });
    this.$("speed").textContent = `×${speed}`;
    this.$("state").textContent = told;
    this.panel.show(controls);
  }

  // A word that goes away by itself.
  note(text) {
    this.$("note").textContent = text;
    clearTimeout(this.noting);
    this.noting = setTimeout(() => { this.$("note").textContent = ""; }, 5000);
  }

  draw() {
    for (const { piece, past } of this.scene.paths || []) this.trail(piece, past);
    super.draw();
    this.spring();
  }

  // The way of a point as pieces of a line, begin and end of each.
  trail(piece, past) {
    const motion = this.motions[piece.actor];
    const way = motion.way(piece.lane, piece.a);
    const { data } = past.geometry.attributes.instanceStart;
    for (let k = 0; k < motion.moment; k++) data.array.set(way.subarray(3 * k, 3 * k + 6), 6 * k);
    data.needsUpdate = true;
  }

  // A line from what is held to the pointer.
  spring() {
    const line = this.$("spring");
    line.style.display = this.held && this.data.holds === "pull" ? "" : "none";
    if (!this.held) return;
    const show = this.eye.projection(this.scene.canvas.clientWidth, this.scene.canvas.clientHeight);
    const [[x1, y1], [x2, y2]] = this.held.map(show);
    for (const [name, value] of Object.entries({ x1, y1, x2, y2 })) line.setAttribute(name, value.toFixed(1));
  }

  timed() {
    const { t, playing, speed } = this.clock;
    this.$("now").textContent = `${t.toFixed(2)} s`;
    this.$("play").textContent = playing ? "❚❚" : "▶";
    this.$("play").setAttribute("aria-label", playing ? "pause" : "play");
    const { achieved, load } = this.pulse || { achieved: 0, load: 0 };
    const slow = playing && load > 0.9 && achieved < BUSY * speed;
    this.$("pace").textContent = slow ? `reaches ×${number(achieved)}` : "";
  }
}
