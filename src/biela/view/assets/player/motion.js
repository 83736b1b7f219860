// Where every place and turn of an actor is at a time, between the moments that were kept.

export function unpacked(blob) {
  const text = atob(blob.data);
  const bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; k++) bytes[k] = text.charCodeAt(k);
  const Numbers = blob.bits === 64 ? Float64Array : Float32Array;
  return { shape: blob.shape, values: new Numbers(bytes.buffer) };
}

// The number of the last time not after t, and how far t is from it to the next (0 to 1).
export function found(times, t) {
  let low = 0;
  let high = times.length - 1;
  if (high < 1 || t <= times[0]) return [0, 0];
  if (t >= times[high]) return [high - 1, 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle;
  }
  const gap = times[high] - times[low];
  return [low, gap > 0 ? (t - times[low]) / gap : 1];
}

// Where everything is at one moment.
export class Moment {
  constructor(lanes, points, bases) {
    [this.lanes, this.points, this.bases] = [lanes, points, bases];
    this.places = new Float32Array(lanes * points * 3);
    this.turns = new Float32Array(lanes * bases * 4);
    this.moment = 0; // how many of those that are kept went before
  }

  place(lane, point) {
    const i = (lane * this.points + point) * 3;
    return [this.places[i], this.places[i + 1], this.places[i + 2]];
  }

  turn(lane, base) {
    const i = (lane * this.bases + base) * 4;
    return [this.turns[i], this.turns[i + 1], this.turns[i + 2], this.turns[i + 3]];
  }

  // The middle of the first lane's places, for the camera that follows.
  middle(moving) {
    const sum = [0, 0, 0];
    for (const point of moving) {
      for (let j = 0; j < 3; j++) sum[j] += this.places[point * 3 + j] / moving.length;
    }
    return sum;
  }
}

export class Motion extends Moment {
  constructor(actor) {
    const [places, turns] = [unpacked(actor.places), unpacked(actor.turns)];
    super(places.shape[1], places.shape[2], turns.shape[2]);
    this.times = unpacked(actor.t).values;
    this.path = places.values;
    this.turning = turns.values;
  }

  at(t) {
    const [k, s] = found(this.times, t);
    this.moment = k + s;
    this.mix(this.path, this.places, k, s);
    this.mix(this.turning, this.turns, k, s);
    for (let i = 0; i < this.turns.length; i += 4) {
      const size = Math.hypot(this.turns[i], this.turns[i + 1], this.turns[i + 2], this.turns[i + 3]);
      for (let j = 0; j < 4; j++) this.turns[i + j] /= size;
    }
  }

  mix(all, now, k, s) {
    const here = k * now.length;
    const next = s > 0 ? here + now.length : here;
    for (let i = 0; i < now.length; i++) now[i] = all[here + i] * (1 - s) + all[next + i] * s;
  }

  // The way of a point: three numbers a moment, as far as it is finite.
  way(lane, point) {
    const way = new Float32Array(this.times.length * 3);
    const step = this.lanes * this.points * 3;
    for (let k = 0; k < this.times.length; k++) {
      const i = k * step + (lane * this.points + point) * 3;
      if (!Number.isFinite(this.path[i] + this.path[i + 1] + this.path[i + 2])) return way.slice(0, 3 * k);
      way.set(this.path.subarray(i, i + 3), 3 * k);
    }
    return way;
  }
}
