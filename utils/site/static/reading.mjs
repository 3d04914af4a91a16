// What the model in the page has at each token of a text, in the form in which the pictures want it.

import { partOf } from "./strips.mjs";

const LIKELIEST = 8; // tokens that are told after each
const GUESSES = 3; // and after each block
const OFF = "z replaced by its mean over 48 passages";

export class Reading {
  // `means` has for each layer and head its mean z, which takes the place of its z where it is switched off.
  constructor({ model, tokenizer, means }) {
    Object.assign(this, { model, tokenizer, means, tokens: [], records: [] });
    this.other = model.another(); // with heads switched off
    this.middle = meanRow(model.unembedding, model.cfg.d_model);
  }

  // Read these tokens. What was read before is kept as far as it is the same, so typing at the end is cheap.
  read(tokens) {
    const differs = tokens.findIndex((token, i) => token !== this.tokens[i]);
    const same = differs < 0 ? tokens.length : differs;
    this.model.rewind(same);
    this.records.length = same;
    for (const token of tokens.slice(same)) this.records.push(this.recordOf(token));
    this.tokens = tokens;
    this.words = tokens.map((token) => this.textOf(token));
  }

  // Of characters that can't be seen, but for spaces and line ends, Unicode has pictures. A token that is no whole
  // character is named by its bytes, as in chapter 0.
  textOf(token) {
    const text = this.tokenizer.decode([token]);
    if (text.includes("\ufffd")) return this.tokenizer.bytesOf(token).map(inHex).join(" ");
    return text.replace(/[\0-\x09\x0b-\x1f]/g, (letter) => String.fromCharCode(0x2400 + letter.charCodeAt(0)));
  }

  recordOf(token) {
    const seen = new Map();
    const note = (name, values) => seen.set(name, values.slice());
    const logits = this.model.step(token, { seen: note });
    const mean = logits.reduce((sum, logit) => sum + logit, 0) / logits.length;
    const [guess] = best(logits, 1);
    return { seen, mean, guess, above: logits[guess] - mean, likeliest: this.likeliest(logits, LIKELIEST) };
  }

  // [token as text, probability] of the likeliest.
  likeliest(logits, count) {
    const order = best(logits, count);
    const total = logits.reduce((sum, logit) => sum + Math.exp(logit - logits[order[0]]), 0);
    return order.map((token) => [this.textOf(token), Math.exp(logits[token] - logits[order[0]]) / total]);
  }

  // For arcs.mjs.
  arcs() {
    const { n_layers, n_heads, n_ctx } = this.model.cfg;
    const weight = (layer, head, query, key) =>
      this.records[query].seen.get(`blocks.${layer}.attn.hook_pattern`)[head * n_ctx + key];
    const { tokens } = this;
    const predict = async (off) => {
      if (!off.length) return this.records.at(-1).likeliest;
      await new Promise((resolve) => setTimeout(resolve)); // so that the switch is seen at once
      return this.likeliest(this.without(off, tokens), LIKELIEST);
    };
    return { tokens: this.words, layers: n_layers, heads: n_heads, off: OFF, weight, predict };
  }

  // The logits with these heads off. Position 0 sees only itself, and keeps what they bring.
  without(off, tokens) {
    const without = off.map(([layer, head]) => [layer, head, this.means[layer][head]]);
    this.other.rewind();
    tokens.forEach((token, i) => this.other.step(token, i ? { without } : {}));
    return this.other.logits;
  }

  // For stream.mjs.
  stream() {
    const blocks = [...Array(this.model.cfg.n_layers).keys()];
    const names = ["embed", "pos_embed", ...blocks.flatMap((at) => [`${at}_attn_out`, `${at}_mlp_out`])];
    const sums = this.records.map((record) => this.writesOf(record, blocks));
    const from = sums.length > 1 ? 1 : 0; // position 0 has far larger numbers than the others
    const largest = (numbers) => Math.max(...sums.slice(from).flatMap(numbers));
    const scale = largest(({ norms, stream }) => [...norms, ...stream]);
    const reach = largest(({ shares }) => shares.map(Math.abs));
    const at = (position) => ({ ...sums[position], guesses: this.lens(this.records[position], blocks) });
    return { words: this.words, names, position: sums.length - 1, scale, reach, at };
  }

  // How far each write lifts the final guess's logit above the mean of all: as utils/pictures/stream.py has it.
  writesOf({ seen, guess, above, mean }, blocks) {
    const { cfg, unembedding } = this.model;
    const { d_model, eps } = cfg;
    const [w, b] = ["ln_f.weight", "ln_f.bias"].map((name) => this.model.of(name));
    const row = unembedding.subarray(guess * d_model, (guess + 1) * d_model);
    const direction = row.map((value, i) => value - this.middle[i]);
    const stops = stopsOf(seen, blocks);
    const scale = Math.sqrt(squares(centred(stops.at(-1))) / d_model + eps);
    const written = blocks.flatMap((at) => ["attn", "mlp"].map((part) => seen.get(`blocks.${at}.hook_${part}_out`)));
    const writes = [seen.get("hook_embed"), seen.get("hook_pos_embed"), ...written];
    const lifts = (write) => centred(write).reduce((sum, value, i) => sum + (value / scale) * w[i] * direction[i], 0);
    return {
      norms: writes.map((write) => Math.sqrt(squares(write))),
      stream: stops.map((stop) => Math.sqrt(squares(stop))),
      shares: writes.map(lifts),
      rest: direction.reduce((sum, value, i) => sum + value * b[i], 0),
      above,
      mean,
    };
  }

  lens({ seen }, blocks) {
    return stopsOf(seen, blocks).map((stop) => this.likeliest(this.model.read(stop), GUESSES));
  }

  // For opened_map.mjs. Of the parts only those are worked out that are opened.
  map() {
    const { d_model, d_vocab, n_layers } = this.model.cfg;
    const blocks = [...Array(n_layers).keys()];
    const part = (hook) => partOf(this.records.map(({ seen }) => seen.get(hook)));
    const each = (hook) => () => blocks.map((at) => part(`blocks.${at}.${hook}`));
    const pairs = blocks.flatMap((at) => [`blocks.${at}.hook_resid_pre`, `blocks.${at}.hook_resid_mid`]);
    const parts = whenAsked({
      Embed: () => part("hook_embed"),
      PosEmbed: () => part("hook_pos_embed"),
      ln1: each("ln1.hook_out"),
      Attention: each("hook_attn_out"),
      ln2: each("ln2.hook_out"),
      MLP: each("hook_mlp_out"),
      ln_final: () => part("ln_final.hook_out"),
      stream: () => [...pairs, `blocks.${n_layers - 1}.hook_resid_post`].map(part),
    });
    const guesses = this.records.map(({ likeliest }) => likeliest);
    const text = this.tokenizer.decode(this.tokens.slice(1));
    return { words: this.words, text, ids: this.tokens, d_model, d_vocab, layers: n_layers, parts, guesses };
  }
}

function stopsOf(seen, blocks) {
  return [seen.get("blocks.0.hook_resid_pre"), ...blocks.map((at) => seen.get(`blocks.${at}.hook_resid_post`))];
}

const inHex = (byte) => byte.toString(16).toUpperCase().padStart(2, "0");

// The numbers of the largest logits, the largest first.
function best(logits, count) {
  const found = [];
  logits.forEach((logit, token) => {
    if (found.length === count && logit <= logits[found.at(-1)]) return;
    const at = found.findIndex((other) => logit > logits[other]);
    found.splice(at < 0 ? found.length : at, 0, token);
    found.length = Math.min(found.length, count);
  });
  return found;
}

function meanRow(table, width) {
  const sum = new Float64Array(width);
  for (let i = 0; i < table.length; i++) sum[i % width] += table[i];
  return sum.map((value) => (value * width) / table.length);
}

function centred(values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.map((value) => value - mean);
}

function squares(values) {
  return values.reduce((sum, value) => sum + value * value, 0);
}

// An object whose values are worked out when they are first read.
function whenAsked(makers) {
  const made = {};
  for (const [name, make] of Object.entries(makers)) {
    let value;
    Object.defineProperty(made, name, { get: () => (value ??= make()) });
  }
  return made;
}
