// The time that the page shows: it runs at a speed, stops, starts again at the end, and can be set.

import { clamp } from "./vector.js";

export const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50];
const SHORT = 3; // seconds that a replay shall take at least, and at most
const LONG = 60;

export class Clock {
  constructor(begin, end) {
    this.begin = begin;
    this.end = end;
    this.t = begin;
    this.playing = false;
    this.loop = true;
    const lasts = end - begin;
    const slow = SPEEDS.filter((speed) => lasts / speed >= SHORT).pop() || SPEEDS[0];
    this.speed = lasts > LONG ? SPEEDS.find((speed) => lasts / speed <= LONG) || 50 : Math.min(1, slow);
  }

  set(t) { this.t = clamp(t, this.begin, this.end); }

  toggle() {
    this.playing = !this.playing && this.end > this.begin;
    if (this.playing && this.t >= this.end) this.t = this.begin;
  }

  faster(steps) {
    const k = SPEEDS.indexOf(this.speed) + steps;
    this.speed = SPEEDS[clamp(k, 0, SPEEDS.length - 1)];
  }

  // Time has passed on the wall; whether the page must be drawn anew.
  pass(seconds) {
    if (!this.playing) return false;
    this.t += Math.min(seconds, 0.1) * this.speed;
    if (this.t >= this.end) {
      if (this.loop) this.t = this.begin + ((this.t - this.begin) % (this.end - this.begin));
      else [this.t, this.playing] = [this.end, false];
    }
    return true;
  }
}
