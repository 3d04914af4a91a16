// From logits to the tokens that may be drawn, and the logits that a notebook has stored.

import { bytesOf } from "./common.mjs";

// All tokens from the likeliest down, and their logits; of equal ones the lower number first.
export function rankedBy(logits) {
  const tokens = Int32Array.from(logits.keys()).sort((a, b) => logits[b] - logits[a] || a - b);
  return { tokens, logits: Float64Array.from(tokens, (token) => logits[token]) };
}

// The probabilities of the tokens that may be drawn, the likeliest first: the temperature, then the cut. As chapter 8
// has it: temperature 0 is greedy; top-p takes the likeliest until they hold p or more; not both cuts at once.
// Source: Fan et al. 2018, 5.4; Holtzman et al. 2020, eq. 2 and 3.
export function candidates({ logits }, { temperature = 1, top_k = 0, top_p = 0 }) {
  if (top_k && top_p) throw new RangeError("Both top_k and top_p are given: choose one of the two.");
  if (temperature === 0) return Float64Array.of(1);
  const weights = logits.map((logit) => Math.exp((logit - logits[0]) / temperature));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let [kept, held] = [0, 0];
  const most = Math.min(top_k || weights.length, weights.length);
  const enough = top_p && top_p < 1 ? top_p * total : Infinity;
  while (kept < most && held < enough) held += weights[kept++];
  return weights.subarray(0, kept).map((weight) => weight / held);
}

// The rank that is drawn; `at` is a number from 0 up to 1.
export function drawn(chances, at) {
  let rank = 0;
  for (let left = at - chances[0]; left >= 0 && rank < chances.length - 1; left -= chances[++rank]);
  return rank;
}

// What is stored of the tokens after `taken`, or null. tree = { parents, taken, named, ranks, packed }: text i is text
// parents[i] and the token taken[i]; text 0 is the beginning. Of each, `packed` has 16-bit numbers in base64: the
// `named` likeliest tokens, then how far their logits are below the highest, and how far those of `ranks` are, in
// thousandths. Between the ranks the logits lie on straight lines.
export function storedIn({ parents, taken, named, ranks, packed }, after, d_vocab) {
  let at = 0;
  for (const token of after) at = parents.findIndex((parent, i) => i > 0 && parent === at && taken[i] === token);
  if (at < 0) return null;
  const size = 2 * named + ranks.length;
  const bytes = bytesOf(packed);
  const numbers = Float64Array.from({ length: size }, (_, i) => {
    const first = 2 * (at * size + i);
    return bytes[first] + 256 * bytes[first + 1];
  });
  const tokens = new Int32Array(d_vocab).fill(-1);
  tokens.set(numbers.subarray(0, named));
  const logits = new Float64Array(d_vocab);
  logits.set(numbers.subarray(named, 2 * named).map((below) => -below / 1000));
  const known = numbers.subarray(2 * named).map((below) => -below / 1000);
  for (let i = 1; i < ranks.length; i++) {
    const width = ranks[i] - ranks[i - 1];
    for (let step = 1; step <= width; step++) {
      logits[ranks[i - 1] + step] = known[i - 1] + ((known[i] - known[i - 1]) * step) / width;
    }
  }
  return { tokens, logits, goesOn: new Set(taken.filter((_, i) => i > 0 && parents[i] === at)) };
}
