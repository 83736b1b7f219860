// The score, the clock and the referee's decisions of a match; nothing where there is none.

import { made } from "./plot.js";

const SHOWN = 2.5; // seconds that a decision is told
const BEFORE = 1.5; // seconds before it to which its mark leads

export class Board {
  constructor($, clock, { board, marks }, seek) {
    this.rows = board ? board.rows : [];
    this.marks = (marks || []).map((mark) => ({ ...mark, t: Math.min(mark.t, clock.end) }));
    this.clock = clock;
    if (!board) return;
    this.told = $("decision");
    const line = $("board");
    line.hidden = !this.rows.length;
    this.parts = ["left", "right"].map((_, k) => this.team(line, board, k)).concat(made("span", "phase", line));
    const span = clock.end - clock.begin || 1;
    for (const { t, text } of this.marks) {
      const mark = made("button", "", $("marks"));
      mark.style.left = `${(100 * (t - clock.begin)) / span}%`;
      mark.title = `${t.toFixed(2)} s: ${text}`;
      mark.setAttribute("aria-label", mark.title);
      mark.onclick = () => seek(Math.max(clock.begin, t - BEFORE));
    }
  }

  // The colour and name of a team, and its score, inside of the two names.
  team(line, { names, colors }, k) {
    const name = document.createElement("span");
    name.textContent = names[k];
    const color = document.createElement("i");
    color.style.background = colors[k];
    const score = document.createElement("b");
    line.append(...(k ? [":", score, name, color] : [color, name, score]));
    return score;
  }

  draw(t) {
    if (!this.told) return;
    if (this.rows.length) {
      const row = this.rows.findLast((one) => one[0] <= t + 1e-9) || this.rows[0];
      const [at, phase, left, right, clock, runs] = row;
      const told = [left, right, `${phase} ${(clock + (runs ? Math.max(0, t - at) : 0)).toFixed(1)} s`];
      this.parts.forEach((part, k) => { part.textContent = told[k]; });
    }
    const mark = this.marks.findLast((one) => one.t <= t + 1e-9 && t - one.t < SHOWN);
    this.told.textContent = mark ? this.marks.filter((one) => one.t === mark.t).map((one) => one.text).join("; ") : "";
  }

  // The time of the next decision, or of the one before.
  next(t, way) {
    const later = way > 0 ? this.marks.find((one) => one.t > t + 1e-6) : this.marks.findLast((one) => one.t < t - 1e-6);
    return later && later.t;
  }
}
