// The arithmetic of GPT-2 on typed arrays. Matrices are as the file has them, row after row. A sum has 64 bits until
// it is put into an array, which has 32.

// x W + b, with W of [x.length, out.length]. Four rows of W at a time: `out` is read a quarter as often.
export function linear(x, W, b, out) {
  const width = out.length;
  const whole = x.length - (x.length % 4);
  out.set(b);
  for (let i = 0; i < whole; i += 4) {
    const [x0, x1, x2, x3] = [x[i], x[i + 1], x[i + 2], x[i + 3]];
    let p = i * width;
    let [q, r, s] = [p + width, p + 2 * width, p + 3 * width];
    for (let j = 0; j < width; j++) out[j] += x0 * W[p++] + x1 * W[q++] + x2 * W[r++] + x3 * W[s++];
  }
  for (let i = whole; i < x.length; i++) {
    for (let j = 0; j < width; j++) out[j] += x[i] * W[i * width + j];
  }
  return out;
}

// The product of x with each row of W, of [out.length, x.length]. Four sums at a time, which the processor overlaps.
export function products(W, x, out) {
  const size = x.length;
  const whole = size - (size % 4);
  for (let row = 0; row < out.length; row++) {
    const at = row * size;
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let i = 0; i < whole; i += 4) {
      a += x[i] * W[at + i];
      b += x[i + 1] * W[at + i + 1];
      c += x[i + 2] * W[at + i + 2];
      d += x[i + 3] * W[at + i + 3];
    }
    for (let i = whole; i < size; i++) a += x[i] * W[at + i];
    out[row] = a + b + c + d;
  }
  return out;
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
    x[i] = 0.5 * v * (1 + Math.tanh(scale * (v + 0.044715 * v ** 3)));
  }
}

export function add(x, y) {
  for (let i = 0; i < x.length; i++) x[i] += y[i];
}
