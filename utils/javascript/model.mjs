// GPT-2 in JavaScript, for the browser and for node: a forward pass of one token at a time, with a KV cache.
// Source: the paper "Language Models are Unsupervised Multitask Learners", 2.3, and transformers' modeling_gpt2.py.

import { add, gelu, layerNorm, linear, products, softmax } from "./arithmetic.mjs";
import { roomFor } from "./placing.mjs";
import { readSettings } from "./settings.mjs";
import { readWeights } from "./weights.mjs";

export class Model {
  // `config` as config.json has it, `weights` the bytes of model.safetensors: any GPT-2 that fits in memory. Throws an
  // Error that says what this model has and GPT-2 has not; `where` is the folder that it names.
  constructor(config, weights, where = "") {
    const settings = readSettings(config, where);
    this.cfg = settings.cfg;
    this.tensors = readWeights(weights, settings, where);
    this.makeRoom();
  }

  // Another reader of the same weights, which has read nothing yet.
  another() {
    const { cfg, tensors } = this;
    const other = Object.assign(Object.create(Model.prototype), { cfg, tensors });
    other.makeRoom();
    return other;
  }

  makeRoom() {
    const { d_model, n_heads, n_layers, n_ctx, d_vocab } = this.cfg;
    const room = roomFor(2 * n_layers * n_ctx * d_model, Math.max(n_ctx, d_model));
    const perLayer = () => Array.from({ length: n_layers }, () => room.take(n_ctx * d_model));
    this.keys = perLayer(); // [n_heads n_ctx d_head], as are the values
    this.values = perLayer();
    this.pattern = new Float32Array(n_heads * n_ctx); // of one layer: what the token at hand reads
    this.resid = new Float32Array(d_model);
    this.normed = new Float32Array(d_model);
    this.qkv = new Float32Array(3 * d_model);
    this.z = new Float32Array(d_model);
    this.out = new Float32Array(d_model);
    this.hidden = new Float32Array(this.cfg.d_mlp);
    this.logits = new Float32Array(d_vocab);
    this.length = 0; // tokens that were read
  }

  of(name) {
    return this.tensors.get(name);
  }

  // [d_vocab d_model], row after row.
  get unembedding() {
    return this.of("lm_head.weight");
  }

  // Forget all tokens after the first `length`.
  rewind(length = 0) {
    this.length = Math.min(length, this.length);
  }

  // Read one more token, and give the logits of the next, [d_vocab]; they are overwritten by the next call. `seen` is
  // called with a hook's name, as TransformerLens has it, and its values for this token: [d_model], or of a pattern
  // [n_heads n_ctx]. `without` names heads that are off, [[layer, head], ...]: their z is 0, or where a third is given
  // that, [d_head]. Where nobody needs the logits, `wanted` false leaves them out. Throws a RangeError when n_ctx tokens
  // were read, or for a token that is none.
  step(token, { wanted = true, seen = () => {}, without = [] } = {}) {
    const { d_model, n_layers, n_ctx, d_vocab } = this.cfg;
    const { resid } = this;
    if (this.length >= n_ctx) throw new RangeError(`the model reads at most ${n_ctx} tokens`);
    if (!(token >= 0 && token < d_vocab)) throw new RangeError(`there is no token ${token}`);
    const pos = this.length++;
    const wte = this.of("wte.weight");
    const wpe = this.of("wpe.weight");
    const embedded = partOf(wte, token, d_model);
    const placed = partOf(wpe, pos, d_model);
    seen("hook_embed", embedded);
    seen("hook_pos_embed", placed);
    resid.set(embedded);
    add(resid, placed);
    for (let layer = 0; layer < n_layers; layer++) this.block(layer, pos, seen, without);
    return this.read(resid, { wanted, seen });
  }

  // The logits of a stream, [d_model], as ln_final and the unembedding read it; those before are overwritten.
  read(stream, { wanted = true, seen = () => {} } = {}) {
    const { normed, logits } = this;
    layerNorm(stream, this.of("ln_f.weight"), this.of("ln_f.bias"), this.cfg.eps, normed);
    seen("ln_final.hook_out", normed);
    return wanted ? products(this.unembedding, normed, logits) : null;
  }

  block(layer, pos, seen, without) {
    const { eps } = this.cfg;
    const { resid, normed, hidden, out } = this;
    const of = (name) => this.of(`h.${layer}.${name}`);
    const hook = (name) => `blocks.${layer}.${name}`;
    seen(hook("hook_resid_pre"), resid);
    layerNorm(resid, of("ln_1.weight"), of("ln_1.bias"), eps, normed);
    seen(hook("ln1.hook_out"), normed);
    linear(normed, of("attn.c_attn.weight"), of("attn.c_attn.bias"), this.qkv);
    this.attend(layer, pos);
    seen(hook("attn.hook_pattern"), this.pattern);
    for (const [inLayer, head, instead] of without) if (inLayer === layer) this.leaveOut(head, instead);
    linear(this.z, of("attn.c_proj.weight"), of("attn.c_proj.bias"), out);
    seen(hook("hook_attn_out"), out);
    add(resid, out);
    seen(hook("hook_resid_mid"), resid);
    layerNorm(resid, of("ln_2.weight"), of("ln_2.bias"), eps, normed);
    seen(hook("ln2.hook_out"), normed);
    linear(normed, of("mlp.c_fc.weight"), of("mlp.c_fc.bias"), hidden);
    gelu(hidden);
    linear(hidden, of("mlp.c_proj.weight"), of("mlp.c_proj.bias"), out);
    seen(hook("hook_mlp_out"), out);
    add(resid, out);
    seen(hook("hook_resid_post"), resid);
  }

  // Each head of the token at `pos` reads those up to it: z, [d_model], holds what the heads bring, side by side.
  attend(layer, pos) {
    const { d_model, n_heads, n_ctx } = this.cfg;
    const d_head = d_model / n_heads;
    for (let head = 0; head < n_heads; head++) {
      const [query, key, value] = [0, 1, 2].map((at) => partOf(this.qkv, at * n_heads + head, d_head));
      const keys = partOf(this.keys[layer], head, n_ctx * d_head);
      const values = partOf(this.values[layer], head, n_ctx * d_head);
      keys.set(key, pos * d_head);
      values.set(value, pos * d_head);
      const row = partOf(this.pattern, head, n_ctx).subarray(0, pos + 1);
      products(keys, query, row);
      for (let at = 0; at <= pos; at++) row[at] /= Math.sqrt(d_head);
      softmax(row);
      linear(row, values, null, partOf(this.z, head, d_head));
    }
  }

  // What a head brings is made 0, or `instead`.
  leaveOut(head, instead) {
    const brought = partOf(this.z, head, this.cfg.d_model / this.cfg.n_heads);
    if (instead) brought.set(instead);
    else brought.fill(0);
  }

  // The logits after these tokens, which take the place of all that was read before. Throws a RangeError for none.
  after(tokens, { seen, without } = {}) {
    if (!tokens.length) throw new RangeError("there is no token to read: a text begins with <|endoftext|>");
    this.rewind();
    tokens.forEach((token, i) => this.step(token, { wanted: i === tokens.length - 1, seen, without }));
    return this.logits;
  }
}

// Of parts of this size, side by side, the one with this number.
function partOf(values, number, size) {
  return values.subarray(number * size, (number + 1) * size);
}
