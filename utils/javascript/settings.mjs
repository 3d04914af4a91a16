// What config.json says of a GPT-2; where it is silent, transformers' own values hold. What is refused here, and its
// words, are those of utils/model_folder/settings.py.

export const WHAT = "give the folder that GPT2LMHeadModel.save_pretrained made";
export const ANOTHER = "give another model's folder";
export const MERGE =
  "merge it into its model (PEFT's merge_and_unload), and give the folder that save_pretrained makes of that";
const LONGEST = 60; // characters of a value that is shown

const SIZES = { vocab_size: 50257, n_positions: 1024, n_embd: 768, n_layer: 12, n_head: 12 };
const SHARES = { layer_norm_epsilon: 1e-5, initializer_range: 0.02 };
const DEFAULTS = {
  activation_function: "gelu_new",
  scale_attn_weights: true,
  scale_attn_by_inverse_layer_idx: false,
  add_cross_attention: false,
};
const ALSO_CALLED = {
  hidden_size: "n_embd",
  max_position_embeddings: "n_positions",
  num_attention_heads: "n_head",
  num_hidden_layers: "n_layer",
};
const NEEDED = {
  model_type: ["gpt2"],
  activation_function: ["gelu_new", "gelu_pytorch_tanh"],
  scale_attn_weights: [true],
  scale_attn_by_inverse_layer_idx: [false],
  add_cross_attention: [false],
};

// A value as JSON has it, cut where it is long.
export function asWritten(value) {
  const text = JSON.stringify(value ?? null);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 3)}...`;
}

// A file of a folder, in a sentence; without a folder its name alone.
export function fileIn(where, name) {
  return where ? `${where}/${name}` : name;
}

// The sizes by the course's names, `tied`, and the names of the sizes that config.json leaves out. Throws an Error that
// says what this model has and GPT-2 has not.
export function readSettings(config, where = "") {
  const file = fileIn(where, "config.json");
  if (typeof config !== "object" || config === null || Array.isArray(config)) {
    throw new Error(`${file} holds no JSON object, but ${asWritten(config)}; ${WHAT}.`);
  }
  const settings = { ...config };
  for (const [other, name] of Object.entries(ALSO_CALLED)) {
    if (!(other in settings)) continue;
    if (!(name in settings)) settings[name] = settings[other];
    if (settings[name] !== settings[other]) {
      const two = `${name} is ${asWritten(settings[name])} and ${other} is ${asWritten(settings[other])}`;
      throw new Error(`${file} says ${two}, which are one and the same; ${WHAT}.`);
    }
  }
  for (const [key, allowed] of Object.entries(NEEDED)) {
    if (allowed.includes(key in settings ? settings[key] : DEFAULTS[key])) continue;
    const said = key in settings ? `says ${key} is ${asWritten(settings[key])}` : `does not say ${key}`;
    const wanted = allowed.map(asWritten).join(" or ");
    throw new Error(`${file} ${said}; the course's GPT-2 needs ${wanted}: ${ANOTHER}.`);
  }
  const unsaid = Object.keys(SIZES).filter((key) => !(key in settings));
  const all = { ...SIZES, ...SHARES, n_inner: null, tie_word_embeddings: true, ...settings };
  refuseNumbers(all, file);
  const cfg = {
    d_model: all.n_embd,
    n_heads: all.n_head,
    n_layers: all.n_layer,
    n_ctx: all.n_positions,
    d_vocab: all.vocab_size,
    d_mlp: all.n_inner ?? 4 * all.n_embd,
    eps: all.layer_norm_epsilon,
  };
  return { cfg, tied: all.tie_word_embeddings, unsaid };
}

function refuseNumbers(settings, file) {
  for (const key of [...Object.keys(SIZES), ...(settings.n_inner === null ? [] : ["n_inner"])]) {
    if (Number.isInteger(settings[key]) && settings[key] >= 1) continue;
    throw new Error(`${file} says ${key} is ${asWritten(settings[key])}, and it must be a whole number from 1 on.`);
  }
  for (const key of Object.keys(SHARES)) {
    if (typeof settings[key] === "number" && settings[key] >= 0 && settings[key] <= 1) continue;
    throw new Error(`${file} says ${key} is ${asWritten(settings[key])}, and it must be a number from 0 to 1.`);
  }
  if (typeof settings.tie_word_embeddings !== "boolean") {
    const tied = asWritten(settings.tie_word_embeddings);
    throw new Error(`${file} says tie_word_embeddings is ${tied}, and it must be true or false.`);
  }
  if (settings.n_embd % settings.n_head) {
    throw new Error(`${file} says n_embd is ${settings.n_embd}, which n_head, ${settings.n_head}, can't divide.`);
  }
}
