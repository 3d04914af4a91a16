// The arithmetic of GPT-2 on typed arrays. Matrices are as the file has them, row after row. A sum has 64 bits until
// it is put into an array, which has 32; where SIMD works it out (placing.mjs), it has 32 from the start.

import { roomOf } from "./placing.mjs";

const TOGETHER = 8; // rows of a matrix; those that are left over at the end are taken one by one

// x W + b, with W of [x.length, out.length]; where b is null, x W.
export function linear(x, W, b, out) {
  const width = out.length;
  const whole = x.length - (x.length % TOGETHER);
  if (b) out.set(b);
  else out.fill(0);
  if (whole) addRows(x, W, out, whole);
  for (let i = whole; i < x.length; i++) {
    for (let j = 0; j < width; j++) out[j] += x[i] * W[i * width + j];
  }
  return out;
}

// Eight rows of W at a time: `out` is read an eighth as often. `| 0` tells the engine that an index has 32 bits; it then
// checks no sum of indices for one that is too large.
function addRows(x, W, out, whole) {
  const width = out.length;
  const room = width % 4 ? undefined : roomOf(W); // SIMD takes four at a time
  if (room) return room.addRows(x, W, out, whole);
  for (let i = 0; i < whole; i += TOGETHER) {
    const [x0, x1, x2, x3] = [x[i], x[i + 1], x[i + 2], x[i + 3]];
    const [x4, x5, x6, x7] = [x[i + 4], x[i + 5], x[i + 6], x[i + 7]];
    for (let j = 0; j < width; j++) {
      const p = (i * width + j) | 0;
      const q = (p + 4 * width) | 0;
      const half = x0 * W[p] + x1 * W[(p + width) | 0] + x2 * W[(p + 2 * width) | 0] + x3 * W[(p + 3 * width) | 0];
      out[j] += half + x4 * W[q] + x5 * W[(q + width) | 0] + x6 * W[(q + 2 * width) | 0] + x7 * W[(q + 3 * width) | 0];
    }
  }
}

// The product of x with each row of W, of [out.length, x.length].
export function products(W, x, out) {
  const size = x.length;
  const whole = out.length - (out.length % TOGETHER);
  if (whole) multiplyRows(W, x, out, whole);
  for (let row = whole; row < out.length; row++) {
    let sum = 0;
    for (let i = 0; i < size; i++) sum += x[i] * W[row * size + i];
    out[row] = sum;
  }
  return out;
}

// Eight rows at a time: x is read an eighth as often, and the processor overlaps their sums.
function multiplyRows(W, x, out, whole) {
  const size = x.length;
  const room = size % 4 ? undefined : roomOf(W);
  if (room) return room.multiplyRows(W, x, out, whole);
  for (let row = 0; row < whole; row += TOGETHER) {
    let [a, b, c, d, e, f, g, h] = [0, 0, 0, 0, 0, 0, 0, 0];
    for (let i = 0; i < size; i++) {
      const value = x[i];
      const p = (row * size + i) | 0;
      const q = (p + 4 * size) | 0;
      a += value * W[p];
      b += value * W[(p + size) | 0];
      c += value * W[(p + 2 * size) | 0];
      d += value * W[(p + 3 * size) | 0];
      e += value * W[q];
      f += value * W[(q + size) | 0];
      g += value * W[(q + 2 * size) | 0];
      h += value * W[(q + 3 * size) | 0];
    }
    [out[row], out[row + 1], out[row + 2], out[row + 3]] = [a, b, c, d];
    [out[row + 4], out[row + 5], out[row + 6], out[row + 7]] = [e, f, g, h];
  }
}

export function layerNorm(x, w, b, eps, out) {
  let mean = 0;
  let variance = 0;
  for (const value of x) mean += value / x.length;
  for (const value of x) variance += (value - mean) ** 2 / x.length;
  const scale = Math.sqrt(variance + eps);
  for (let i = 0; i < x.length; i++) out[i] = ((x[i] - mean) / scale) * w[i] + b[i];
}

// In place, as are those below. Less the largest, so that no exponential is infinite.
export function softmax(x) {
  let largest = -Infinity;
  let sum = 0;
  for (const value of x) largest = Math.max(largest, value);
  for (let i = 0; i < x.length; i++) sum += x[i] = Math.exp(x[i] - largest);
  for (let i = 0; i < x.length; i++) x[i] /= sum;
}

export function gelu(x) {
  const scale = Math.sqrt(2 / Math.PI);
  for (let i = 0; i < x.length; i++) {
    const v = x[i];
    x[i] = 0.5 * v * (1 + Math.tanh(scale * (v + 0.044715 * v * v * v)));
  }
}

export function add(x, y) {
  for (let i = 0; i < x.length; i++) x[i] += y[i];
}
