// Counting pairs of neighbours, and merging one. A part is a string with a letter from 0 to 255 for each byte, a pair a
// list of two, a piece a list of parts.

export const joined = ([one, other]) => one + other;
export const samePair = (one, other) => Boolean(one && other) && one[0] === other[0] && one[1] === other[1];

// All pairs of neighbours with their counts; the greatest count first, of equal ones the greatest pair.
export function ranked(pieces) {
  const counts = new Map();
  for (const parts of pieces) {
    for (let i = 1; i < parts.length; i++) {
      const pair = [parts[i - 1], parts[i]];
      const name = pair.join("\u0100"); // no byte
      const known = counts.get(name);
      if (known) known.count++;
      else counts.set(name, { pair, count: 1 });
    }
  }
  return [...counts.values()].sort((a, b) => b.count - a.count || (greater(a.pair, b.pair) ? -1 : 1));
}

// As Python compares tuples of bytes: the first members, then the second ones.
function greater(one, other) {
  return one[0] === other[0] ? one[1] > other[1] : one[0] > other[0];
}

// The first index of each place where the pair is merged, from left to right.
export function placesOf(parts, pair) {
  const places = [];
  for (let i = 0; i + 1 < parts.length; i++) {
    if (!samePair([parts[i], parts[i + 1]], pair)) continue;
    places.push(i);
    i++;
  }
  return places;
}

export function merged(pieces, pair) {
  return pieces.map((parts) => {
    const places = new Set(placesOf(parts, pair));
    return parts.flatMap((part, i) => (places.has(i) ? [joined(pair)] : places.has(i - 1) ? [] : [part]));
  });
}
