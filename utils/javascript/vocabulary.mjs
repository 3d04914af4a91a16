// What a tokenizer.json holds. What is refused, and its words, are those of utils/model_folder/vocabulary.py.

import { ANOTHER, WHAT, asWritten, fileIn } from "./settings.mjs";

const AS_TRAINED = "copy there the tokenizer that the model was trained with";
const WORDS = String.raw` ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`;
const POSSESSIVE = String.raw` ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s`;
const PATTERNS = ["'s|'t|'re|'ve|'m|'ll|'d|" + WORDS, "'(?:[sdmt]|ll|ve|re)|" + WORDS, "'(?:[sdmt]|ll|ve|re)|" + POSSESSIVE];
const NAMES = { object: "an object", list: "a list", string: "a text", int: "a whole number", boolean: "true or false" };
const FLAGS = ["single_word", "lstrip", "rstrip", "normalized"];

class OtherKind extends Error {}
class Overlapping extends OtherKind {} // which added tokens of several files may be

// { vocabulary, ranks, added, letters, bytes }: the numbers of tokens and of merges, the added tokens, a letter for each
// byte, and back. Throws an Error for what is no tokenizer of GPT-2's kind.
export function readVocabulary(content, where = "") {
  const file = fileIn(where, "tokenizer.json");
  if (kindOf(content) !== "object") {
    throw new Error(`${file} holds no JSON object, but ${asWritten(content)}; ${WHAT}.`);
  }
  try {
    return read(content);
  } catch (error) {
    if (error instanceof Overlapping) {
      throw new Error(`${where || file} holds no tokenizer of GPT-2's kind: ${error.message}; ${ANOTHER}.`);
    }
    if (error instanceof OtherKind) {
      throw new Error(`${file} is not GPT-2's kind of tokenizer: ${error.message}; ${ANOTHER}.`);
    }
    throw new Error(`${file} is not written in GPT-2's way: ${error.message}; ${AS_TRAINED}.`);
  }
}

function read(content) {
  const letters = lettersOfBytes();
  const bytes = new Map(letters.map((letter, byte) => [letter, byte]));
  const model = a("object", content.model || {}, "model");
  const vocabulary = new Map(Object.entries(a("object", model.vocab, "vocab")));
  for (const [name, id] of vocabulary) number(id, name);
  const merges = a("list", model.merges, "merges").map((merge) => pairOf(merge, bytes));
  const ranks = new Map();
  merges.forEach((pair, rank) => ranks.has(pair.join(" ")) || ranks.set(pair.join(" "), rank));
  const added = addedOf(a("list", content.added_tokens || [], "added_tokens"), vocabulary);
  refuseOtherwise(content, model, { vocabulary, ranks, bytes, added });
  refuseOverlapping(added);
  const made = new Set([...merges.map((pair) => pair.join("")), ...letters]);
  const apart = new Set(added.map((token) => token.content).filter((name) => !made.has(name)));
  for (const name of vocabulary.keys()) if (!apart.has(name)) refuseOtherLetters(name, bytes);
  return { vocabulary, ranks, added, letters, bytes };
}

function refuseOtherwise(content, model, read) {
  const kind = model.type === undefined && "merges" in model ? "BPE" : model.type;
  if (kind !== "BPE") throw new OtherKind(`its model is ${asWritten(kind)}, and not BPE`);
  if ((content.normalizer ?? null) !== null) {
    throw new OtherKind(`it changes texts before it cuts them (normalizer: ${asWritten(content.normalizer)})`);
  }
  const steps = stepsOf(content.pre_tokenizer);
  if (steps.some((step) => step.type === "ByteLevel" && step.add_prefix_space)) {
    throw new OtherKind("it puts a space before a text (add_prefix_space)");
  }
  if (!isGpt2sCut(steps)) {
    throw new OtherKind(`its pre_tokenizer is none of those that cut by GPT-2's pattern (${asWritten(steps)})`);
  }
  for (const name of ["dropout", "continuing_subword_prefix", "end_of_word_suffix"]) {
    if (model[name]) throw new OtherKind(`its ${name} is ${asWritten(model[name])}`);
  }
  const whole = model.ignore_merges && unmerged(read);
  if (whole) throw new OtherKind(`its ignore_merges makes ${asWritten(whole)} a token, which its merges do not`);
}

// Two added tokens that may claim the same white space: the library drops the second, or breaks down.
function refuseOverlapping(added) {
  const greedy = added.find((token) => token.rstrip);
  const spaced = added.find((token) => /^\p{White_Space}/u.test(token.content));
  if (!greedy || !spaced) return;
  const [first, second] = [asWritten(greedy.content), asWritten(spaced.content)];
  throw new Overlapping(
    `its added token ${first} takes the white space after it (rstrip), with which ${second} begins`,
  );
}

function stepsOf(before) {
  const one = a("object", before || {}, "pre_tokenizer");
  return one.type === "Sequence" ? a("list", one.pretokenizers, "pretokenizers").flatMap(stepsOf) : [one];
}

function isGpt2sCut([first, second, ...others]) {
  if (others.length) return false;
  if (!second) return first?.type === "ByteLevel" && (first.use_regex ?? true) === true;
  const splits = first.type === "Split" && first.behavior === "Isolated" && PATTERNS.includes(first.pattern?.Regex);
  return splits && second.type === "ByteLevel";
}

function unmerged({ vocabulary, ranks, bytes, added }) {
  const cutBefore = new Set(added.filter((token) => !token.single_word).map((token) => token.content));
  for (const name of vocabulary.keys()) {
    if (cutBefore.has(name)) continue;
    const isOfBytes = Array.from(name).every((letter) => bytes.has(letter));
    if (isOfBytes && merge(Array.from(name), ranks).length > 1) return name;
  }
  return "";
}

// The parts of a word, merged as far as it goes: first the two neighbours that were merged first.
export function merge(parts, ranks) {
  for (;;) {
    let [best, found] = [Infinity, null];
    for (let i = 0; i + 1 < parts.length; i++) {
      const rank = ranks.get(`${parts[i]} ${parts[i + 1]}`) ?? Infinity;
      if (rank < best) [best, found] = [rank, [parts[i], parts[i + 1]]];
    }
    if (!found) return parts;
    parts = merged(parts, found);
  }
}

function merged(parts, [left, right]) {
  const joined = [];
  for (let i = 0; i < parts.length; i++) {
    const isPair = parts[i] === left && parts[i + 1] === right;
    joined.push(isPair ? left + right : parts[i]);
    if (isPair) i++;
  }
  return joined;
}

function addedOf(tokens, vocabulary) {
  const added = [];
  const ids = new Map();
  let next = vocabulary.size;
  tokens.forEach((token, place) => {
    const name = `added_tokens[${place}]`;
    const content = a("string", a("object", token, name).content, `the content of ${name}`);
    if (!content) throw new Error(`the content of ${name} is empty`);
    if (/\p{Surrogate}/u.test(content)) {
      throw new Error(`the content of ${name} is '${halfShown(content)}', which holds half a character`);
    }
    const id = number(token.id, content);
    const flags = FLAGS.filter((flag) => (token[flag] ?? null) !== null);
    for (const flag of flags) a("boolean", token[flag], `${flag} of ${name}`);
    const given = vocabulary.get(content) ?? ids.get(content) ?? next;
    if (given !== id) {
      const said = `the added token ${asWritten(content)} has the number ${id}`;
      throw new Error(`${said}, and the library tokenizers would give it ${given}`);
    }
    ids.set(content, id);
    next = Math.max(next, id + 1);
    added.push({ content, id, ...Object.fromEntries(flags.map((flag) => [flag, token[flag]])) });
  });
  return added;
}

// As Python's ascii() has it.
function halfShown(content) {
  const hex = (letter, width) => letter.codePointAt(0).toString(16).padStart(width, "0");
  return Array.from(content, (letter) => (letter > "~" ? `\\u${hex(letter, 4)}` : letter)).join("");
}

function pairOf(merge, bytes) {
  const both = typeof merge === "string" ? merge.split(" ") : a("list", merge, "one of the merges");
  if (both.length !== 2) throw new Error(`the merge ${asWritten(merge)} is not of two tokens`);
  for (const token of both) a("string", token, "half a merge");
  refuseOtherLetters(both.join(""), bytes);
  return both;
}

function refuseOtherLetters(name, bytes) {
  const other = Array.from(name).find((letter) => !bytes.has(letter));
  if (other !== undefined) {
    throw new Error(`the token ${asWritten(name)} has '${other}', which stands for no byte`);
  }
}

function number(id, name) {
  if (a("int", id, `the number of the token ${asWritten(name)}`) < 0) {
    throw new Error(`the number of the token ${asWritten(name)} is ${id}, and should be from 0 on`);
  }
  return id;
}

function kindOf(value) {
  if (Array.isArray(value)) return "list";
  if (Number.isInteger(value)) return "int";
  return value === null ? "null" : typeof value;
}

function a(kind, value, what) {
  if (kindOf(value) !== kind) throw new Error(`${what} is ${asWritten(value)}, and should be ${NAMES[kind]}`);
  return value;
}

// A letter for each byte, as tokenizer.json writes it: printable bytes are their own, the others come from 256 on.
function lettersOfBytes() {
  const isOwn = (byte) => (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isOwn(byte) ? byte : next++));
}
