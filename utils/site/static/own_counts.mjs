// Chapter 10's counts, by the reader's own functions, beside what the page's model has and takes.

import { tag } from "./common.mjs";
import { ask, passedAnswers } from "./asking.mjs";

const STEM = "ch10_cost";
const COUNTS = ["count_parameters", "kv_cache_bytes", "forward_flops"];
const STEPS = 50; // that are timed

/**
 * A button in this place, if any of the counts has passed. `read` gives the model and the tokens that it has read, or
 * nothing before it has read any.
 */
export async function offerCounts(place, read) {
  const answers = await passedAnswers(STEM, COUNTS);
  if (!Object.keys(answers).length) return;
  const button = tag("button", place, { type: "button", textContent: "Count this model with your functions" });
  const says = tag("p", place, { role: "status" });
  const shown = tag("div", place);
  button.onclick = async () => {
    const { model, tokens } = read() || {};
    says.textContent = "The model has not read a text yet.";
    if (!model) return;
    says.textContent = "Python is being loaded, and your functions are called …";
    try {
      const counted = await ask(answers, "counts", sizesOf(model.cfg), tokens.length);
      show(shown, rowsOf(counted, model, tokens));
      says.textContent = "";
    } catch (error) {
      says.textContent = `${error.message}.`;
    }
  };
}

/** As utils/config.py names them. */
function sizesOf({ d_model, d_vocab, n_ctx, d_mlp, n_heads, n_layers }) {
  return { d_model, d_vocab, n_ctx, d_head: d_model / n_heads, d_mlp, n_heads, n_layers };
}

/** A row for each function that counted: its name, what it gives, and what this page finds. */
function rowsOf(counted, model, tokens) {
  const { n_ctx } = model.cfg;
  const at = tokens.length;
  const rows = {
    count_parameters: () => [
      `${whole(counted.count_parameters)} parameters`,
      `${whole(numbersIn(model))} numbers in the model's file`,
    ],
    kv_cache_bytes: () => [
      `${whole(counted.kv_cache_bytes)} bytes for ${n_ctx} tokens in float32`,
      `${whole(bytesOfCache(model))} bytes are set apart for keys and values`,
    ],
    forward_flops: () => {
      const operations = counted.forward_flops / at;
      const seconds = secondsOfAStep(model, tokens);
      return [
        `${(operations / 1e6).toFixed(2)} million operations for token ${at}, with a cache`,
        `${(seconds * 1e3).toFixed(2)} ms, so ${(operations / seconds / 1e9).toFixed(1)} billion operations a second`,
      ];
    },
  };
  return COUNTS.filter((name) => name in counted).map((name) => [name, ...rows[name]()]);
}

const whole = (number) => number.toLocaleString("en");

/** The unembedding is the embedding's table, and counts once. */
function numbersIn({ tensors }) {
  const parts = new Map([...tensors.values()].map((values) => [values.byteOffset, values.length]));
  return [...parts.values()].reduce((sum, length) => sum + length, 0);
}

function bytesOfCache({ keys, values }) {
  return [...keys, ...values].reduce((sum, layer) => sum + layer.byteLength, 0);
}

/** The median time of reading the last token once more. */
function secondsOfAStep(model, tokens) {
  model.after(tokens);
  const times = Array.from({ length: STEPS }, () => {
    model.rewind(tokens.length - 1);
    const start = performance.now();
    model.step(tokens.at(-1));
    return (performance.now() - start) / 1e3;
  });
  return times.sort((a, b) => a - b)[STEPS / 2];
}

function show(place, rows) {
  place.replaceChildren();
  const table = tag("table", tag("div", place, { className: "table-wrapper" }), { className: "docutils" });
  const head = tag("tr", tag("thead", table));
  for (const title of ["your function", "counts", "in this page"]) tag("th", head, { scope: "col", textContent: title });
  const body = tag("tbody", table);
  for (const [name, counts, here] of rows) {
    const row = tag("tr", body);
    tag("code", tag("th", row, { scope: "row" }), { textContent: name });
    tag("td", row, { textContent: counts });
    tag("td", row, { textContent: here });
  }
}
