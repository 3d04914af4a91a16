// GPT-2's tokens: a text as numbers and back, by the byte-level BPE of a tokenizer.json.

import { cut } from "./added.mjs";
import { merge, readVocabulary } from "./vocabulary.mjs";

// GPT-2's way of cutting a text into words, openai/gpt-2's encoder.py. White space is Unicode's, as in Python's `regex`
// and in `tokenizers`; JavaScript's own \s takes U+FEFF for one too.
const SPACE = "\\p{White_Space}";
const WORD = new RegExp(
  `'(?:s|t|re|ve|m|ll|d)| ?\\p{L}+| ?\\p{N}+| ?[^${SPACE}\\p{L}\\p{N}]+|${SPACE}+(?!\\P{White_Space})|${SPACE}+`,
  "gu",
);

export class Tokenizer {
  // `content` is what a tokenizer.json holds. Throws an Error for another kind of tokenizer than GPT-2's.
  constructor(content, where = "") {
    const { vocabulary, ranks, added, bytes, letters } = readVocabulary(content, where);
    Object.assign(this, { vocabulary, ranks, added, bytes, letters });
    this.names = [];
    for (const [name, id] of vocabulary) this.names[id] = name;
    this.special = new Set();
    for (const { content: name, id } of added) {
      this.names[id] = name;
      this.special.add(name);
    }
  }

  // The tokens of a text; added ones, such as <|endoftext|>, where they are written out.
  encode(text) {
    const tokens = [];
    for (const part of cut(text, this.added)) {
      if (typeof part === "number") tokens.push(part);
      else for (const [word] of part.matchAll(WORD)) tokens.push(...this.word(word));
    }
    return tokens;
  }

  // The text of tokens. A character that is cut in the middle becomes U+FFFD.
  decode(tokens) {
    const bytes = tokens.flatMap((token) => this.bytesOf(token));
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(bytes));
  }

  // The texts of tokens in a row. A character that is cut into several tokens stands with the last of them.
  texts(tokens) {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    return tokens.map((token) => decoder.decode(Uint8Array.from(this.bytesOf(token)), { stream: true }));
  }

  bytesOf(token) {
    const name = this.names[token];
    if (name === undefined) throw new RangeError(`there is no token ${token}`);
    if (this.special.has(name)) return [...new TextEncoder().encode(name)];
    return Array.from(name, (letter) => this.bytes.get(letter));
  }

  word(word) {
    const parts = Array.from(new TextEncoder().encode(word), (byte) => this.letters[byte]);
    return merge(parts, this.ranks).map((part) => this.vocabulary.get(part));
  }
}
