// Where an actor is now, as the last frame says, and the ways of its points since the page was opened.

import { Moment } from "../player/motion.js";

const GONE = 1500; // places of a way that are kept

export class Flow extends Moment {
  constructor(actor) {
    super(actor.lanes, actor.points, actor.bases);
    this.ways = new Map();
  }

  get size() { return this.places.length + this.turns.length; }

  at() {} // nothing is between frames

  // The numbers of a frame.
  take(numbers) {
    this.places.set(numbers.subarray(0, this.places.length));
    this.turns.set(numbers.subarray(this.places.length, this.size));
  }

  // One more place of every way that is drawn.
  go() {
    const full = this.moment + 1 >= GONE;
    for (const [key, way] of this.ways) {
      if (full) way.copyWithin(0, 3 * (GONE / 4));
      const at = full ? this.moment + 1 - GONE / 4 : this.moment + 1;
      way.set(this.places.subarray(3 * key, 3 * key + 3), 3 * at);
    }
    this.moment = full ? this.moment + 1 - GONE / 4 : this.moment + 1;
  }

  forget() {
    this.moment = 0;
    for (const [key, way] of this.ways) way.set(this.places.subarray(3 * key, 3 * key + 3), 0);
  }

  // Three numbers a frame, GONE of them at most; they change in place.
  way(lane, point) {
    const key = lane * this.points + point;
    if (!this.ways.has(key)) this.ways.set(key, new Float32Array(3 * GONE));
    return this.ways.get(key);
  }
}
