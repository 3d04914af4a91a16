// GPT-2's tokens: a text as numbers and back, by the byte-level BPE of a tokenizer.json.

// GPT-2's way of cutting a text into words, openai/gpt-2's encoder.py; \s as Python's regex has it
const SPACE = "\\s\\x1c-\\x1f\\x85";
const NO_SPACE = `[^${SPACE}]`;
const WORD = new RegExp(
  `'(?:s|t|re|ve|m|ll|d)| ?\\p{L}+| ?\\p{N}+| ?[^${SPACE}\\p{L}\\p{N}]+|[${SPACE}]+(?!${NO_SPACE})|[${SPACE}]+`,
  "gu",
);

export class Tokenizer {
  // `content` is what a tokenizer.json holds.
  constructor(content) {
    this.vocabulary = new Map(Object.entries(content.model.vocab));
    this.special = new Map((content.added_tokens ?? []).map(({ content: text, id }) => [text, id]));
    this.names = [];
    for (const [name, id] of [...this.vocabulary, ...this.special]) this.names[id] = name;
    const pairs = content.model.merges.map((pair) => (Array.isArray(pair) ? pair.join(" ") : pair));
    this.ranks = new Map(pairs.map((pair, rank) => [pair, rank]));
    this.letters = lettersOfBytes();
    this.bytes = new Map(this.letters.map((letter, byte) => [letter, byte]));
  }

  // The tokens of a text; special ones, such as <|endoftext|>, where they are written out.
  encode(text) {
    const tokens = [];
    for (const part of this.parts(text)) {
      if (this.special.has(part)) tokens.push(this.special.get(part));
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

  parts(text) {
    if (!this.special.size) return [text];
    const names = [...this.special.keys()].map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    return text.split(new RegExp(`(${names.join("|")})`, "u"));
  }

  word(word) {
    let parts = Array.from(new TextEncoder().encode(word), (byte) => this.letters[byte]);
    for (let pair = this.first(parts); pair; pair = this.first(parts)) parts = merged(parts, pair);
    return parts.map((part) => this.vocabulary.get(part));
  }

  // The two neighbours that were merged first when the tokens were made.
  first(parts) {
    let best = Infinity;
    let found = null;
    for (let i = 0; i + 1 < parts.length; i++) {
      const rank = this.ranks.get(`${parts[i]} ${parts[i + 1]}`) ?? Infinity;
      if (rank < best) [best, found] = [rank, [parts[i], parts[i + 1]]];
    }
    return found;
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

// A letter for each byte, as tokenizer.json writes it: printable bytes are their own, the others come from 256 on.
function lettersOfBytes() {
  const isOwn = (byte) => (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isOwn(byte) ? byte : next++));
}
