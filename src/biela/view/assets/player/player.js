// The page: scene, curves and clock, and the buttons, keys and pointer that drive them.

import { dot } from "./vector.js";
import { Motion } from "./motion.js";
import { Eye, VIEWS } from "./eye.js";
import { pieces, tintOf } from "./shape.js";
import { SolidStage } from "./solid_stage.js";
import { FlatStage } from "./flat_stage.js";
import { touched } from "./touch.js";
import { made, number, Plots } from "./plot.js";
import { Clock } from "./clock.js";
import { Board } from "./board.js";

const AXES = ["#d04a3f", "#3d9950", "#3f77d0"];

export function start(document, data) {
  globalThis.replay = new Player(document, data); // for tests, and for those who look around
}

export class Player {
  constructor(document, data) {
    this.$ = (id) => document.getElementById(id);
    this.document = document;
    this.data = data;
    this.stage = data.stage;
    this.pieces = pieces(data.actors, data.stage);
    this.prepare();
    this.eye = new Eye(data.stage);
    this.wish = new URLSearchParams(globalThis.location.hash.slice(1));
    this.scene = this.staged();
    this.plots = this.plotted();
    this.board = new Board(this.$, this.clock, data, (t) => this.seek(t));
    this.follows = data.stage.travels;
    if (data.board) this.scene.marks.visible = false; // a field has its own middle
    this.head();
    this.buttons();
    this.keys();
    this.pointer();
    this.wishes();
    new ResizeObserver(() => this.resize()).observe(this.$("scene"));
    new ResizeObserver(() => this.plots.resize()).observe(this.$("plots"));
    this.last = performance.now();
    this.tick = this.tick.bind(this);
    requestAnimationFrame(this.tick);
  }

  // What a live page has of its own: the motions, the clock, the curves.
  prepare() {
    this.motions = this.data.actors.map((actor) => new Motion(actor));
    const begin = Math.min(...this.motions.map((motion) => motion.times[0]));
    const end = Math.max(...this.motions.map((motion) => motion.times[motion.times.length - 1]));
    this.clock = new Clock(begin, end);
  }

  plotted() {
    const { curves, actors, marks } = this.data;
    return new Plots(this.$("plots"), this.$("chooser"), curves, actors, (t) => this.seek(t), marks);
  }

  // WebGL if there is some; a plain canvas otherwise, and the page says so.
  staged() {
    const canvas = this.$("view");
    if (!this.wish.has("flat")) {
      try {
        return new SolidStage(canvas, this.stage, this.pieces, this.motions);
      } catch (error) {
        console.info(`No WebGL, drawing without it: ${error.message}`);
      }
    }
    const fresh = canvas.cloneNode(); // one that was asked for WebGL gives no other context
    canvas.replaceWith(fresh);
    this.$("told").textContent = this.wish.has("flat") ? "" : "Drawn without WebGL.";
    return new FlatStage(fresh, this.stage, this.pieces, this.motions);
  }

  head() {
    const { title, actors } = this.data;
    this.document.querySelector("h1").textContent = title;
    const told = actors.filter((actor) => actor.status).map(({ name, status }) => (name ? `${name}: ${status}` : status));
    if (told.length) this.$("told").textContent = told.join("; ");
    actors.forEach(({ name, lanes, of }, k) => {
      const words = [name, of > 1 ? `${lanes === of ? of : `${lanes} of ${of}`} lanes` : ""].filter(Boolean).join(", ");
      if (!words) return;
      const chip = made("button", "actor", this.$("actors"));
      const mark = made("i", "", chip);
      if (tintOf(k)) mark.style.background = tintOf(k);
      chip.append(words);
      chip.setAttribute("aria-pressed", "true");
      chip.onclick = () => this.show(k, chip);
    });
    this.$("scale").textContent = `grid ${metres(this.scene.step)}`;
  }

  show(k, chip) {
    const hides = !this.scene.hidden.has(k);
    for (const hidden of [this.scene.hidden, this.plots.hidden]) hidden[hides ? "add" : "delete"](k);
    chip.setAttribute("aria-pressed", !hides);
    this.plots.build();
    this.fresh = true;
  }

  buttons() {
    for (const button of this.document.querySelectorAll("[data-view]")) {
      button.onclick = () => this.look(button.dataset.view);
    }
    for (const deed of ["play", "fit", "follow", "degrees", "shade", "help"]) this.$(deed).onclick = () => this[deed]();
    this.$("slower").onclick = () => this.pace(-1);
    this.$("faster").onclick = () => this.pace(1);
    this.timing();
    this.$("search").onclick = (e) => e.stopPropagation();
    this.$("search").oninput = (e) => {
      this.$("columns").open = true;
      this.plots.narrow(e.target.value);
    };
    this.pressed("follow", this.follows);
    this.pace(0);
  }

  timing() {
    this.$("loop").onclick = () => this.loop();
    this.$("time").oninput = (e) => {
      const { begin, end } = this.clock;
      this.seek(begin + ((end - begin) * e.target.value) / 1000);
    };
  }

  pressed(id, on) { this.$(id).setAttribute("aria-pressed", String(on)); }
  play() { this.clock.toggle(); this.fresh = true; }
  fit() { this.eye.fit(); this.fresh = true; }
  look(view) { this.eye.look(view); this.fresh = true; }
  seek(t) { this.clock.playing = false; this.clock.set(t); this.fresh = true; }
  loop() { this.clock.loop = !this.clock.loop; this.pressed("loop", this.clock.loop); }
  help() { this.$("keys").showModal(); }

  pace(steps) {
    this.clock.faster(steps);
    this.$("speed").textContent = `×${this.clock.speed}`;
  }

  follow() {
    this.follows = !this.follows;
    this.pressed("follow", this.follows);
    this.fresh = true;
  }

  degrees() {
    this.plots.degrees = !this.plots.degrees;
    this.pressed("degrees", this.plots.degrees);
    this.plots.build();
  }

  shade() { this.theme(!this.plots.dark); }

  theme(dark) {
    const root = this.document.documentElement;
    root.classList.toggle("dark", dark);
    root.classList.toggle("light", !dark);
    this.plots.dark = dark;
    this.plots.build();
    const grid = getComputedStyle(root).getPropertyValue("--grid").trim();
    this.scene.theme({ grid, axes: AXES });
    this.fresh = true;
  }

  lines() {
    const on = !this.scene.grid.visible;
    [this.scene.grid.visible, this.scene.marks.visible] = [on, on];
    this.fresh = true;
  }

  frame(frames) {
    const { times } = this.motions[0];
    const each = (this.clock.end - this.clock.begin) / Math.max(1, times.length - 1);
    this.seek(this.clock.t + frames * each);
  }

  next(way) {
    const t = this.board.next(this.clock.t, way);
    if (t !== undefined) this.seek(t);
  }

  deeds() {
    const deeds = {
      " ": () => this.play(), ArrowLeft: (e) => this.frame(e.shiftKey ? -10 : -1),
      ArrowRight: (e) => this.frame(e.shiftKey ? 10 : 1), n: () => this.next(1), p: () => this.next(-1), Home: () => this.seek(this.clock.begin),
      End: () => this.seek(this.clock.end), "+": () => this.pace(1), "=": () => this.pace(1), "-": () => this.pace(-1),
      f: () => this.fit(), l: () => this.follow(), g: () => this.lines(), d: () => this.degrees(), o: () => this.loop(),
      t: () => this.shade(), c: () => this.document.getElementById("page").classList.toggle("alone"), "?": () => this.help(),
    };
    Object.keys(VIEWS).forEach((view, k) => { deeds[String(k + 1)] = () => this.look(view); });
    return deeds;
  }

  keys() {
    const deeds = this.deeds();
    this.document.addEventListener("keydown", (e) => {
      const deed = deeds[e.key.length === 1 ? e.key.toLowerCase() : e.key];
      if (!deed || e.ctrlKey || e.metaKey || e.altKey || e.target.type === "search") return;
      if (e.key === " " && e.target.tagName === "BUTTON") e.target.blur();
      e.preventDefault();
      deed(e);
    });
  }

  pointer() {
    const { canvas } = this.scene;
    this.eye.follow(canvas, () => { this.fresh = true; });
    const tip = this.$("tip");
    canvas.addEventListener("pointermove", (e) => {
      const told = e.buttons ? "" : this.under(e.offsetX, e.offsetY);
      tip.hidden = !told;
      tip.textContent = told;
      [tip.style.left, tip.style.top] = [`${e.offsetX}px`, `${e.offsetY}px`];
    });
    canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
  }

  // The name of the nearest thing under a place of the picture.
  under(x, y) {
    const { piece } = this.nearest(x, y);
    if (!piece) return "";
    const { name, of } = this.data.actors[piece.actor];
    return [name, of > 1 ? `lane ${piece.lane + 1}` : "", piece.name].filter(Boolean).join(" · ");
  }

  nearest(x, y, wanted = () => true) {
    const show = this.eye.projection(this.scene.canvas.clientWidth, this.scene.canvas.clientHeight);
    let found = { piece: null, depth: Infinity };
    for (const piece of this.pieces) {
      if (this.scene.hidden.has(piece.actor) || piece.kind === "foot" || piece.joint || !wanted(piece)) continue;
      const depth = touched(piece, this.motions[piece.actor], show, [x, y]);
      if (depth < found.depth) found = { piece, depth };
    }
    return found;
  }

  // What the address asks for: #t=1.5&view=top&flat&dark
  wishes() {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    this.theme(this.wish.has("dark") || (dark.matches && !this.wish.has("light")));
    dark.addEventListener("change", (e) => this.theme(e.matches));
    if (this.wish.get("view") in VIEWS) this.asked = this.wish.get("view");
    this.begin();
    this.$("columns").open = matchMedia("(min-width: 761px) and (min-height: 561px)").matches;
  }

  begin() {
    if (this.wish.has("t")) this.seek(Number(this.wish.get("t")));
    else if (!matchMedia("(prefers-reduced-motion: reduce)").matches) this.clock.toggle();
  }

  resize() {
    const { clientWidth, clientHeight } = this.$("scene");
    if (!clientWidth || !clientHeight) return;
    const first = !this.sized;
    this.sized = true;
    this.eye.aspect = clientWidth / clientHeight;
    this.eye.height = clientHeight;
    this.scene.resize(clientWidth, clientHeight);
    if (first && this.asked) this.eye.look(this.asked);
    else if (first || this.eye.fits) this.eye.fit();
    this.draw();
  }

  tick(now) {
    const moved = this.clock.pass((now - this.last) / 1000);
    this.last = now;
    if ((moved || this.fresh) && this.sized) this.draw();
    requestAnimationFrame(this.tick);
  }

  draw() {
    this.fresh = false;
    const { t } = this.clock;
    for (const motion of this.motions) motion.at(t);
    this.goWith();
    this.scene.draw(this.eye);
    this.plots.mark(t);
    this.board.draw(t);
    this.triad();
    this.timed();
  }

  // What the footer says.
  timed() {
    const { t, begin, end, playing } = this.clock;
    this.$("time").value = end > begin ? (1000 * (t - begin)) / (end - begin) : 0;
    const digits = end - begin < 0.5 ? 4 : end - begin < 5 ? 3 : 2;
    this.$("now").textContent = `${t.toFixed(digits)} / ${end.toFixed(digits)} s`;
    this.$("play").textContent = playing ? "❚❚" : "▶";
    this.$("play").setAttribute("aria-label", playing ? "pause" : "play");
  }

  goWith() {
    const { moving } = this.stage;
    if (!this.follows || !moving.length) {
      this.eye.offset = [0, 0, 0];
      return;
    }
    const now = this.motions[0].middle(moving);
    if (now.every(Number.isFinite)) this.eye.offset = now.map((x, k) => x - this.stage.middle[k]);
  }

  triad() {
    const [x, y, z] = this.eye.axes();
    const parts = [0, 1, 2].map((k) => {
      const axis = [0, 1, 2].map((j) => (j === k ? 1 : 0));
      return { k, x: 26 * dot(axis, x), y: -26 * dot(axis, y), depth: dot(axis, z) };
    }).sort((one, other) => one.depth - other.depth);
    this.$("triad").innerHTML = parts.map(({ k, x: u, y: w }) => `<line x2="${u.toFixed(1)}" y2="${w.toFixed(1)}" stroke="${AXES[k]}" stroke-width="2.5"/>`
      + `<text x="${(1.32 * u).toFixed(1)}" y="${(1.32 * w).toFixed(1)}" fill="${AXES[k]}">${Math.hypot(u, w) > 6 ? "xyz"[k] : ""}</text>`).join("");
  }
}

function metres(x) {
  if (x < 0.01) return `${number(1000 * x).replace(/\.?0+$/, "")} mm`;
  return `${String(Number(x.toPrecision(3)))} m`;
}
