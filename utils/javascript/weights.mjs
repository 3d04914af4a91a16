// Reads a safetensors file: its tensors by name, each as an array of 32-bit floats that has its shape. What is refused,
// and its words, are those of utils/model_folder.

import { roomFor } from "./placing.mjs";
import { ANOTHER, MERGE, WHAT, fileIn } from "./settings.mjs";

const READ = {
  F64: [Float64Array],
  F32: [Float32Array],
  F16: [Uint16Array, halfAsFloat],
  BF16: [Uint16Array, bfloatAsFloat],
};
const OTHERS = { BOOL: "bool", F8_E4M3: "float8_e4m3fn", F8_E5M2: "float8_e5m2", C64: "complex64" };
const OF_ADAPTERS = ["base_model.", ".lora_", ".base_layer."];
const POINTER = "version https://git-lfs";

// The tensors of a GPT-2 with these settings, by GPT2LMHeadModel's names without `transformer.`; `wte.weight` stands in
// for an `lm_head.weight` that is tied to it. Throws an Error for weights that are no such GPT-2's.
export function readWeights(buffer, { cfg, tied, unsaid }, where = "") {
  const stored = readTensors(buffer, fileIn(where, "model.safetensors"));
  const place = where ? `The weights in ${where}` : "The weights";
  for (const name of stored.keys()) refuseOthers(name, cfg.n_layers, place);
  const names = Object.keys(shapes(cfg)).filter((name) => stored.has(name));
  const length = names.reduce((sum, name) => sum + stored.get(name).length, 0);
  const room = roomFor(length, Math.max(3 * cfg.d_model, cfg.d_mlp, cfg.d_vocab));
  const taken = new Map();
  for (const [name, shape] of Object.entries(shapes(cfg))) {
    if (name === "lm_head.weight" && !stored.has(name)) {
      if (tied) continue;
      const said = "and config.json says tie_word_embeddings is false";
      throw new Error(`${place} lack lm_head.weight, ${said}; ${WHAT}.`);
    }
    if (!stored.has(name)) throw new Error(`${place} lack ${name}; ${WHAT}.`);
    const values = stored.get(name).read(room);
    const problem = problemOf(values, shape, unsaid);
    if (problem) throw new Error(`${place} can't be used: ${name} ${problem}; ${WHAT}.`);
    taken.set(name, values);
  }
  if (!taken.has("lm_head.weight")) taken.set("lm_head.weight", taken.get("wte.weight"));
  return taken;
}

function shapes({ d_model, d_vocab, n_ctx, n_layers, d_mlp }) {
  const norm = (name) => ({ [`${name}.weight`]: [d_model], [`${name}.bias`]: [d_model] });
  const linear = (name, into, out) => ({ [`${name}.weight`]: [into, out], [`${name}.bias`]: [out] });
  const blocks = Array.from({ length: n_layers }, (_, layer) => ({
    ...norm(`h.${layer}.ln_1`),
    ...norm(`h.${layer}.ln_2`),
    ...linear(`h.${layer}.attn.c_attn`, d_model, 3 * d_model),
    ...linear(`h.${layer}.attn.c_proj`, d_model, d_model),
    ...linear(`h.${layer}.mlp.c_fc`, d_model, d_mlp),
    ...linear(`h.${layer}.mlp.c_proj`, d_mlp, d_model),
  }));
  const tables = { "wte.weight": [d_vocab, d_model], "wpe.weight": [n_ctx, d_model] };
  return Object.assign(tables, ...blocks, norm("ln_f"), { "lm_head.weight": [d_vocab, d_model] });
}

function refuseOthers(name, n_layers, place) {
  if (OF_ADAPTERS.some((part) => `.${name}`.includes(part))) {
    throw new Error(`${place} are an adapter's, such as ${name}; ${MERGE}.`);
  }
  if (name.includes(".crossattention.")) {
    throw new Error(`${place} hold ${name}, and GPT-2 has no encoder to attend to; ${ANOTHER}.`);
  }
  if (name.startsWith(`h.${n_layers}.`)) {
    throw new Error(`${place} hold more blocks than config.json says, ${n_layers}; ${WHAT}.`);
  }
}

function problemOf(values, shape, unsaid) {
  const list = (sizes) => `[${sizes.join(", ")}]`;
  if (typeof values === "string") return `is ${values}, and should be numbers such as float32`;
  if (list(values.shape) !== list(shape)) {
    const said = `is ${list(values.shape)}, and by config.json it should be ${list(shape)}`;
    const others = `, with transformers' own value for ${unsaid.join(", ")}, which it leaves out`;
    return said + (unsaid.length ? others : "");
  }
  return values.every(Number.isFinite) ? "" : "holds numbers that are not finite";
}

// Each tensor's length, and a function that reads it into a room, or gives the name of a dtype that is none of those
// above. The layout: github.com/huggingface/safetensors, README, "Format".
function readTensors(buffer, file) {
  let header;
  try {
    header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array(buffer, 8, headerSize(buffer))));
  } catch {
    throw new Error(`${file} can't be read: ${again(buffer)}`);
  }
  const start = 8 + headerSize(buffer);
  delete header.__metadata__;
  const ends = Object.values(header).map(({ data_offsets: [, to] }) => start + to);
  if (Math.max(start, ...ends) !== buffer.byteLength) throw new Error(`${file} can't be read: ${again(buffer)}`);
  const bare = (name) => name.replace(/^transformer\./, "");
  const names = Object.keys(header).sort((one, other) => (one !== bare(one)) - (other !== bare(other)));
  return new Map(
    names.map((name) => {
      const { dtype, shape, data_offsets: [from, to] } = header[name];
      if (!READ[dtype]) return [bare(name), { length: 0, read: () => OTHERS[dtype] ?? nameOf(dtype) }];
      const [Numbers, asFloat] = READ[dtype];
      const length = (to - from) / Numbers.BYTES_PER_ELEMENT;
      const read = (room) => {
        const numbers = new Numbers(buffer.slice(start + from, start + to));
        const values = room.take(length);
        if (asFloat) widen(numbers, asFloat, values);
        else values.set(numbers);
        return Object.assign(values, { shape });
      };
      return [bare(name), { length, read }];
    }),
  );
}

// I8 is int8, U16 is uint16.
function nameOf(dtype) {
  return dtype.replace(/^U(\d)/, "uint$1").replace(/^I(\d)/, "int$1");
}

function headerSize(buffer) {
  return Number(new DataView(buffer).getBigUint64(0, true));
}

function again(buffer) {
  const begins = new TextDecoder().decode(new Uint8Array(buffer, 0, Math.min(POINTER.length, buffer.byteLength)));
  if (begins === POINTER) return "it is a pointer of Git LFS, which stands for the file: run git lfs pull there.";
  return "it is damaged, or not whole; is the download complete?";
}

// There are only 65,536 numbers of 16 bits: each is worked out once.
const tables = new Map();

function widen(halves, asFloat, floats) {
  if (!tables.has(asFloat)) tables.set(asFloat, Float32Array.from({ length: 65536 }, (_, bits) => asFloat(bits)));
  const table = tables.get(asFloat);
  for (let i = 0; i < halves.length; i++) floats[i] = table[halves[i]];
}

function halfAsFloat(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

const view = new DataView(new ArrayBuffer(4));

function bfloatAsFloat(bits) {
  view.setUint32(0, bits << 16);
  return view.getFloat32(0);
}
