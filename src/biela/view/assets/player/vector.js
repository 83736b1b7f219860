// Vectors of three numbers and unit quaternions (w, x, y, z), as plain arrays.

export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const times = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
export const along = (a, s, b) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0],
];
export const length = (a) => Math.hypot(a[0], a[1], a[2]);
export const unit = (a) => times(a, 1 / (length(a) || 1));
export const clamp = (x, low, high) => Math.min(high, Math.max(low, x));

// Two unit vectors square to a third and to each other; the three are right-handed: u, v, w.
export function square(w) {
  const k = Math.abs(w[0]) < 0.6 ? [1, 0, 0] : [0, 1, 0];
  const u = unit(cross(k, w));
  return [u, cross(w, u)];
}

// The three directions of a base that a quaternion turns.
export function columns(w, x, y, z) {
  return [
    [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
    [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
    [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
  ];
}

// 1, 2 or 5 times a power of ten, not above x.
export function rounded(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  return power * [5, 2, 1].find((step) => step * power <= x * 1.0000001);
}
