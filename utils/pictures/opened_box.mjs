// What a box of the map opens: what the model has at that part, in words, as strips, as tokens or as a table.
import { barList, tag, toTheEnds, visible } from "./common.mjs";
import { digits, levelsOf, paint } from "./strips.mjs";

const ROW = 20; // pixels
const STREAM = { resid_pre: 0, resid_mid: 1, resid_post: 2 };
export const IN_A_BLOCK = ["resid_pre", "ln1", "Attention", "resid_mid", "ln2", "MLP", "resid_post"];
const ABOUT = {
  tokens: "The text as numbers. Each piece has its place in the vocabulary.",
  Embed: "A row of the table W_E for each token: the same row wherever the token appears.",
  PosEmbed: "A row of the table W_pos for each position, whatever token is there.",
  resid_pre: "The residual stream as the block gets it.",
  ln1: "A copy of the stream with every vector at one scale: what Attention reads.",
  Attention: "What Attention adds to the stream: at each position, something from there and from the positions before.",
  resid_mid: "The residual stream once Attention has added to it.",
  ln2: "Again a copy at one scale, of what the stream is by now: what the MLP reads.",
  MLP: "What the MLP adds to the stream, at each position from that position's vector alone.",
  resid_post: "The residual stream as the block hands it on.",
  ln_final: "The stream after the last block, with every vector at one scale: what Unembed reads.",
  Unembed: "A score for each token of the vocabulary, at every position. The likeliest next tokens, as probabilities:",
  sampling: "One of the vocabulary's tokens is drawn by the probabilities after the last position.",
};
const HOOKS = {
  Embed: "hook_embed",
  PosEmbed: "hook_pos_embed",
  ln1: "blocks.#.ln1.hook_out",
  Attention: "blocks.#.hook_attn_out",
  ln2: "blocks.#.ln2.hook_out",
  MLP: "blocks.#.hook_mlp_out",
  ln_final: "ln_final.hook_out",
  Unembed: "unembed.hook_out",
};

export function fill(panel, state, link, chooser, close) {
  if (state.open === null) return panel.replaceChildren();
  const { data, open } = state;
  const focused = document.activeElement;
  const holder = document.createDocumentFragment();
  const head = tag("div", holder, { className: "cp-map-head" });
  tag("b", head, { textContent: titleOf(state) });
  const button = panel.querySelector(".cp-map-close") ?? tag("button", head, { type: "button", textContent: "Close" });
  button.className = "cp-map-close";
  button.onclick = close;
  head.append(button);
  tag("p", holder, { textContent: ABOUT[open] });
  if (open === "tokens") tokensIn(holder, data);
  else if (open === "Unembed") guessesIn(holder, data);
  else if (open === "sampling") candidatesIn(holder, data);
  else valuesIn(holder, state, chooser);
  if (link) tag("p", holder).append(link);
  panel.setAttribute("aria-label", titleOf(state));
  panel.replaceChildren(holder);
  if (panel.contains(focused)) focused.focus({ preventScroll: true }); // it went with what was put in anew
}

// A small strip for each block, which chooses it. It is made once, so that the focus stays where it is.
export function blocksToChoose(layers, took) {
  const row = document.createElement("fieldset");
  row.className = "cp-map-blocks";
  tag("legend", row, { textContent: "block" });
  const name = `cp-map-${Math.random().toString(36).slice(2)}`;
  const each = Array.from({ length: layers }, (_, block) => {
    const label = tag("label", row);
    const input = tag("input", label, { type: "radio", name, onchange: () => took(block) });
    label.append(String(block));
    const canvas = tag("canvas", label, { ariaHidden: "true" });
    const norm = tag("span", label);
    return { input, canvas, norm };
  });
  return { row: toTheEnds(row), each };
}

function partsOf({ data, open }) {
  const { parts, layers } = data;
  const along = (layer) => (open in STREAM ? parts.stream[2 * layer + STREAM[open]] : parts[open][layer]);
  return IN_A_BLOCK.includes(open) ? Array.from({ length: layers }, (_, layer) => along(layer)) : [parts[open]];
}

function partAt(state) {
  return partsOf(state)[IN_A_BLOCK.includes(state.open) ? state.block : 0];
}

function hookOf({ open, block }) {
  return (HOOKS[open] ?? `blocks.#.hook_${open}`).replace("#", block);
}

function titleOf({ open, block }) {
  return IN_A_BLOCK.includes(open) ? `${open} of block ${block}` : open;
}

function valuesIn(holder, state, { row, each }) {
  const { data } = state;
  const part = partAt(state);
  const shape = `[batch 1, pos ${data.words.length}, d_model ${data.d_model}]`;
  const facts = tag("p", holder);
  tag("code", facts, { textContent: hookOf(state) });
  facts.append(` ${shape}, from ${digits(part.range[0])} to ${digits(part.range[1])}`);
  if (IN_A_BLOCK.includes(state.open)) {
    holder.append(row);
    partsOf(state).forEach((one, block) => {
      paint(each[block].canvas, one, data);
      each[block].input.checked = block === state.block;
      each[block].norm.textContent = `norm ${digits(one.middle)}`;
    });
  }
  const grid = tag("div", holder, { className: "cp-map-rows" });
  const canvas = tag("canvas", grid, { role: "img" });
  paint(canvas, part, data);
  canvas.style.cssText = `grid-row:1/span ${data.words.length};height:${ROW * data.words.length}px`;
  canvas.setAttribute("aria-label", wordsOf(part, data));
  data.words.forEach((word, i) => {
    tag("span", grid, { textContent: visible(word), className: "cp-map-word" });
    tag("span", grid, { textContent: digits(part.norms[i]), className: "cp-map-norm" });
  });
  const step = Math.ceil(data.d_model / levelsOf(part, data).columns);
  const which = step === 1 ? "each" : `1 in ${step}`;
  const key = `Each row is a position and ends with its vector's norm; a column is a dimension (${which} is drawn). `;
  const colours = `Blue is above 0, red below, in full colour from ±${digits(part.full)} on.`;
  tag("p", holder, { textContent: `${key}${colours}`, className: "cp-map-key" });
}

function wordsOf(part, { words }) {
  const norms = words.map((word, i) => `${visible(word)} ${digits(part.norms[i])}`).join(", ");
  return `A strip of values for each position, blue above 0 and red below. The norms: ${norms}.`;
}

function tokensIn(holder, { words, ids, d_vocab }) {
  const names = ["position", "token", "number"];
  const rows = words.map((word, i) => [i, visible(word), ids[i]]);
  tableIn(holder, names, rows);
  tag("p", holder, { textContent: `The vocabulary has ${d_vocab.toLocaleString("en")} tokens.` });
}

function guessesIn(holder, { words, guesses, d_vocab }) {
  const shape = `[batch 1, pos ${words.length}, d_vocab ${d_vocab}]`;
  const facts = tag("p", holder);
  tag("code", facts, { textContent: HOOKS.Unembed });
  facts.append(` ${shape}`);
  const asText = ([token, probability]) => `${visible(token)} ${probability.toFixed(2)}`;
  const rows = words.map((word, i) => [visible(word), ...guesses[i].slice(0, 3).map(asText)]);
  tableIn(holder, ["after", "first", "second", "third"], rows);
}

function candidatesIn(holder, { guesses }) {
  const found = guesses.at(-1);
  const show = barList(holder);
  show(
    "The likeliest next tokens",
    found.map(([token, probability]) => [visible(token), probability / found[0][1], probability.toFixed(3)]),
  );
}

function tableIn(holder, names, rows) {
  const table = tag("table", holder, { className: "cp-map-table" });
  const head = tag("tr", tag("thead", table));
  for (const name of names) tag("th", head, { textContent: name, scope: "col" });
  const body = tag("tbody", table);
  for (const row of rows) {
    const line = tag("tr", body);
    for (const cell of row) tag("td", line, { textContent: cell });
  }
}

export function saying(state) {
  const { data, open } = state;
  const text = (data.text ?? data.words.slice(1).join("")).trim();
  const read = text ? `The model has read “${text}”.` : "No text is there to read.";
  if (open === null) return `${read} A box opens what it has there: click it, or go to it with arrows and press Enter.`;
  if (open === "tokens") return `tokens: ${data.words.length} of them, with ${data.words[0]} first.`;
  if (open === "Unembed" || open === "sampling") {
    const [token, probability] = data.guesses.at(-1)[0];
    return `${open}: after “${text}” the likeliest next token is “${visible(token)}”, ${probability.toFixed(2)}.`;
  }
  const { norms } = partAt(state);
  const told = (norm) => `${digits(norm)} at “${visible(data.words[norms.indexOf(norm)])}”`;
  return `${titleOf(state)}: norms from ${told(Math.min(...norms))} to ${told(Math.max(...norms))}.`;
}
