// Curves of the record's columns: a panel for each unit, the time of the scene across all of them.

import { found, unpacked } from "./motion.js";

const COLORS = {
  light: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#444444"],
  dark: ["#56b4e9", "#f0874a", "#2fc79a", "#e29cc4", "#e6b93c", "#9ad1f5", "#cccccc"],
};
const DASHES = [[], [7, 4], [2, 3], [10, 3, 2, 3]];
const FIRST = 4; // columns that are shown at the beginning

export class Plots {
  constructor(place, chooser, curves, actors, seek, marks = []) {
    this.place = place;
    this.chooser = chooser;
    this.actors = actors;
    this.seek = seek;
    this.marks = marks;
    this.take(curves);
    this.byName = new Map(this.columns.map((column) => [column.name, column]));
    const unit = this.columns.length ? this.columns[0].unit : "";
    const alike = this.columns.filter((c) => c.unit === unit && !c.name.includes("(")).slice(0, FIRST);
    const rates = alike.map((column) => this.byName.get(`${column.name}'`)).filter(Boolean);
    this.chosen = new Set(curves.first || [...alike, ...rates].map((column) => column.name));
    this.hidden = new Set();
    this.degrees = false;
    this.dark = false;
    this.panels = [];
    this.offer();
  }

  take(curves) {
    this.times = unpacked(curves.t).values;
    this.columns = curves.columns.map((column) => ({
      ...column, values: column.values.map((blob) => (blob ? lanesOf(unpacked(blob)) : null)),
    }));
  }

  // A button for each column, by unit.
  offer() {
    const units = new Map();
    for (const { name, unit } of this.columns) units.set(unit, [...(units.get(unit) || []), name]);
    for (const [unit, names] of units) {
      const row = made("div", "row", this.chooser);
      made("span", "unit", row).textContent = unit || "1";
      for (const name of names) {
        const button = made("button", "chip", row);
        button.textContent = name;
        button.dataset.column = name;
        button.onclick = () => {
          if (!this.chosen.delete(name)) this.chosen.add(name);
          this.build();
        };
      }
    }
  }

  narrow(text) {
    for (const chip of this.chooser.querySelectorAll(".chip")) {
      chip.hidden = !chip.dataset.column.toLowerCase().includes(text.toLowerCase());
    }
    for (const row of this.chooser.children) row.hidden = !row.querySelector(".chip:not([hidden])");
  }

  shown(unit) {
    if (!this.degrees || !unit.startsWith("rad")) return [unit || "1", 1];
    return [unit.replace("rad", "deg"), 180 / Math.PI];
  }

  build() {
    for (const { plot } of this.panels) plot.destroy();
    this.place.replaceChildren();
    this.panels = [];
    const units = new Map();
    for (const column of this.columns) {
      if (this.chosen.has(column.name)) units.set(column.unit, [...(units.get(column.unit) || []), column]);
    }
    for (const chip of this.chooser.querySelectorAll(".chip")) {
      chip.setAttribute("aria-pressed", this.chosen.has(chip.dataset.column));
    }
    [...units].forEach(([unit, columns], k) => this.panel(unit, columns, k === units.size - 1));
    if (!units.size) made("p", "empty", this.place).textContent = "Choose a column below.";
    this.resize();
    this.mark(this.time || this.times[0]);
  }

  panel(unit, columns, last) {
    const [told, factor] = this.shown(unit);
    const box = made("div", "panel", this.place);
    const legend = made("div", "legend", box);
    const { data, series, bands, colors } = this.lines(columns, factor);
    const reads = columns.map((column, c) => {
      const reading = made("span", "reading", legend);
      made("i", "", reading).style.background = colors[c];
      return { column: { ...column, values: this.visible(column) }, factor, text: made("span", "", reading) };
    });
    const ink = getComputedStyle(this.place).getPropertyValue("--ink-soft");
    const rule = getComputedStyle(this.place).getPropertyValue("--rule");
    const axis = {
      stroke: ink, font: "11px system-ui, sans-serif", labelFont: "11px system-ui, sans-serif",
      grid: { stroke: rule, width: 1 }, ticks: { stroke: rule, size: 4 },
    };
    const plot = new globalThis.vendor.uPlot({
      width: 300, height: 140, legend: { show: false }, series, bands, padding: [8, 16, 0, 0],
      cursor: { sync: { key: "t" }, drag: { x: false, y: false }, points: { show: false }, y: false },
      scales: { x: { time: false } },
      axes: [
        { ...axis, size: last ? 38 : 22, gap: 3, label: last ? "t [s]" : undefined, labelSize: 14, labelGap: 0 },
        { ...axis, size: 50, gap: 3, values: (_, ticks) => ticks.map(tick), label: `[${told}]`, labelSize: 16, labelGap: 0 },
      ],
    }, data, box);
    const line = made("div", "now", plot.over);
    const ticks = this.marks.map(({ t }) => [t, made("div", "mark", plot.over)]);
    this.drag(plot);
    this.panels.push({ plot, line, ticks, reads, box, columns, factor });
  }

  visible(column) { return column.values.map((rows, k) => (this.hidden.has(k) ? null : rows)); }

  // What uPlot draws of columns: numbers, and how each row of them looks.
  lines(columns, factor) {
    const [data, series, bands] = [[this.times], [{}], []];
    const palette = COLORS[this.dark ? "dark" : "light"];
    const colors = columns.map((_, c) => palette[c % palette.length]);
    columns.forEach((column, c) => this.visible(column).forEach((rows, k) => rows && rows.forEach((row, lane) => {
      const color = colors[c];
      const sparse = row.reduce((sum, x) => sum + Number.isNaN(x), 0) > row.length / 2;
      series.push({
        stroke: lane ? `${color}55` : color, width: lane ? 0.8 : 1.6, dash: DASHES[k % DASHES.length],
        spanGaps: sparse, points: { show: false },
      });
      data.push(plain(row, factor));
      const sd = this.byName.get(`sd(${column.name})`);
      if (lane === 0 && sd && sd.values[k]) this.band(row, sd.values[k][0], factor, color, data, series, bands);
    })));
    return { data, series, bands, colors };
  }

  // Twice the standard deviation to either side.
  band(row, sd, factor, color, data, series, bands) {
    const hidden = { stroke: "transparent", width: 0, points: { show: false } };
    data.push(plain(row.map((x, k) => x + 2 * sd[k]), factor), plain(row.map((x, k) => x - 2 * sd[k]), factor));
    series.push(hidden, { ...hidden });
    bands.push({ series: [data.length - 2, data.length - 1], fill: `${color}30` });
  }

  drag(plot) {
    const go = (e) => {
      const left = e.clientX - plot.over.getBoundingClientRect().left;
      this.seek(plot.posToVal(left, "x"));
    };
    plot.over.addEventListener("pointerdown", (e) => {
      plot.over.setPointerCapture(e.pointerId);
      go(e);
    });
    plot.over.addEventListener("pointermove", (e) => e.buttons & 1 && go(e));
  }

  resize() {
    const wide = this.place.clientWidth;
    const room = this.place.clientHeight - 4;
    const each = Math.max(165, Math.min(340, room / Math.max(1, this.panels.length)));
    for (const { plot, box } of this.panels) {
      const legend = box.firstChild.offsetHeight;
      plot.setSize({ width: Math.max(120, wide), height: Math.max(90, each - legend) });
    }
    if (this.time !== undefined) this.mark(this.time);
  }

  // The line of now, and what the curves are worth there.
  mark(t) {
    this.time = t;
    const [k, s] = found(this.times, t);
    for (const { plot, line, ticks, reads } of this.panels) {
      for (const [at, element] of ticks) element.style.transform = `translateX(${plot.valToPos(at, "x")}px)`;
      line.style.transform = `translateX(${plot.valToPos(t, "x")}px)`;
      for (const { column, factor, text } of reads) {
        const now = column.values.filter(Boolean).map((rows) => {
          const [one, other] = [rows[0][k], rows[0][Math.min(k + 1, rows[0].length - 1)]];
          return number((s > 0 ? one + s * (other - one) : one) * factor);
        });
        text.textContent = `${column.name} ${now.join(" | ")}`;
      }
    }
  }
}

function lanesOf({ shape, values }) {
  return [...Array(shape[0]).keys()].map((k) => values.subarray(k * shape[1], (k + 1) * shape[1]));
}

// What uPlot takes: null where there is no number.
const plain = (row, factor) => Array.from(row, (x) => (Number.isFinite(x) ? x * factor : null));

function tick(x) {
  const size = Math.abs(x);
  const told = size !== 0 && (size < 1e-3 || size >= 1e5) ? x.toExponential() : String(Number(x.toPrecision(6)));
  return told.replaceAll("-", "−");
}

export function number(x) {
  if (!Number.isFinite(x)) return "–";
  const size = Math.abs(x);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) return x.toExponential(2).replaceAll("-", "−");
  return x.toFixed(size < 10 ? 3 : size < 100 ? 2 : 1).replace("-", "−");
}

export function made(tag, name, parent) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  if (parent) parent.append(element);
  return element;
}
