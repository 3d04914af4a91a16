// The course's model and its tokenizer, fetched once a page, when somebody first asks.

import { Model } from "./model.mjs";
import { Tokenizer } from "./tokens.mjs";

let loading;

// { model, tokenizer, scores, words }: `scores(tokens)` are the logits after these, `words` the text of each token.
export function load() {
  loading ??= fetchAll().catch((error) => {
    loading = undefined; // so that it can be tried again
    throw error;
  });
  return loading;
}

async function fetchAll() {
  const [config, tokenizer, weights] = await Promise.all([
    get("config.json", "json"),
    get("tokenizer.json", "json"),
    get("model.safetensors", "arrayBuffer"),
  ]);
  const made = { model: new Model(config, weights), tokenizer: new Tokenizer(tokenizer) };
  const words = Array.from({ length: made.model.cfg.d_vocab }, (_, token) => made.tokenizer.decode([token]));
  return { ...made, words, scores: scoresOf(made.model) };
}

async function get(name, how) {
  const response = await fetch(new URL(name, import.meta.url));
  if (!response.ok) throw new Error(`${name} could not be loaded (${response.status})`);
  return response[how]();
}

// What two texts begin with in common is read once.
function scoresOf(model) {
  let read = [];
  return (tokens) => {
    let same = 0;
    while (same < tokens.length - 1 && tokens[same] === read[same]) same++;
    model.rewind(same);
    read = tokens.slice(0, same);
    for (const token of tokens.slice(same, -1)) model.step(token, { wanted: false });
    const logits = model.step(tokens.at(-1));
    read = [...tokens];
    return logits;
  };
}
