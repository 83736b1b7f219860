// Curves of the last seconds: frames come in on the right.

import { Plots } from "../player/plot.js";

const KEPT = 600; // frames, ten seconds as a rule
const SPARE = 150;
const EVERY = 3; // frames between two pictures

export class Rolling extends Plots {
  take(curves) {
    this.times = [];
    this.count = 0;
    this.columns = curves.columns.map((column) => ({
      ...column, values: this.actors.map((_, k) => (column.actors.includes(k) ? [[]] : null)),
    }));
  }

  get rows() { return this.columns.flatMap(({ values }) => values.filter(Boolean).map(([row]) => row)); }

  // A frame: its time and a number for every row.
  add(t, numbers) {
    const last = this.times[this.times.length - 1];
    if (t === last) return;
    if (t < last) this.clear();
    this.times.push(t);
    this.rows.forEach((row, k) => row.push(numbers[k]));
    if (this.times.length > KEPT + SPARE) {
      for (const row of [this.times, ...this.rows]) row.splice(0, row.length - KEPT);
    }
    this.count += 1;
    if (this.count % EVERY === 0) this.refresh();
  }

  clear() {
    for (const row of [this.times, ...this.rows]) row.length = 0;
  }

  refresh() {
    for (const { plot, columns, factor } of this.panels) plot.setData(this.lines(columns, factor).data);
  }

  drag() {} // what is over is over
}
