// Cuts the added tokens out of a text, where they are written out, as the library `tokenizers` does: see
// utils/model_folder/added.py.

const BEFORE = /\p{White_Space}*$/u;
const AFTER = /^\p{White_Space}*/u;
const OF_WORDS = "[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]"; // Rust's \w
const WORD_BEFORE = new RegExp(`${OF_WORDS}$`, "u");
const WORD_AFTER = new RegExp(`^${OF_WORDS}`, "u");

// In the text's order: the numbers of added tokens, and what stands between them.
export function cut(text, added) {
  const later = added.filter((token) => token.normalized);
  const parts = cutOnce(text, added.filter((token) => !token.normalized));
  return parts.flatMap((part) => (typeof part === "number" ? part : cutOnce(part, later)));
}

function cutOnce(text, added) {
  const parts = [];
  let reached = 0;
  const tokens = new Map(added.map((token) => [token.content, token]));
  for (const { 0: name, index } of added.length ? text.matchAll(patternOf(tokens.keys())) : []) {
    const token = tokens.get(name);
    const [before, after] = [text.slice(0, index), text.slice(index + name.length)];
    if (token.single_word && (WORD_BEFORE.test(before) || WORD_AFTER.test(after))) continue;
    const start = token.lstrip ? Math.max(reached, before.search(BEFORE)) : index;
    if (reached < start) parts.push(text.slice(reached, start));
    parts.push(token.id);
    reached = index + name.length + (token.rstrip ? AFTER.exec(after)[0].length : 0);
  }
  if (reached < text.length) parts.push(text.slice(reached));
  return parts;
}

// Of those that begin at one place, the longest.
function patternOf(names) {
  const escaped = [...names]
    .sort((one, other) => other.length - one.length)
    .map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  return new RegExp(escaped.join("|"), "gu");
}
