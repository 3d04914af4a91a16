// Strips of numbers: a row for each position, a column for every so many-th dimension, blue above 0 and red below.
import { bytesOf } from "./common.mjs";

const STRONGEST = 7;
const COLOURS = { above: [63, 127, 208], below: [212, 85, 63] };
const FULL = 2.5; // full colour begins at so many times the root mean square of the median position
const MOST_COLUMNS = 64;

// What a model in the page has at a part, `rows` with a vector for each position, as the numbers of `parts`.
export function partOf(rows) {
  const width = rows[0].length;
  const norms = rows.map((row) => Math.sqrt(row.reduce((sum, value) => sum + value * value, 0)));
  const middle = [...norms].sort((a, b) => a - b)[Math.floor((norms.length - 1) / 2)];
  const full = (FULL * middle) / Math.sqrt(width) || 1;
  const step = Math.ceil(width / MOST_COLUMNS);
  const level = (value) => Math.max(-STRONGEST, Math.min(STRONGEST, Math.round((value / full) * STRONGEST)));
  const levels = rows.flatMap((row) => Array.from(row.filter((_, i) => i % step === 0), level));
  const least = Math.min(...rows.map((row) => Math.min(...row)));
  const largest = Math.max(...rows.map((row) => Math.max(...row)));
  return { norms, middle, range: [least, largest], full, levels };
}

// The levels of a part at all positions, and how many each has.
export function levelsOf(part, { words }) {
  if (part.levels) return { levels: part.levels, columns: part.levels.length / words.length };
  const levels = Array.from(bytesOf(part.strip)).flatMap((byte) => [(byte >> 4) - 8, (byte & 15) - 8]);
  return { levels, columns: levels.length / words.length };
}

export function paint(canvas, part, data) {
  const { levels, columns } = levelsOf(part, data);
  Object.assign(canvas, { width: columns, height: data.words.length });
  const context = canvas.getContext("2d");
  const image = context.createImageData(canvas.width, canvas.height);
  levels.forEach((level, i) => {
    const colour = level > 0 ? COLOURS.above : COLOURS.below;
    image.data.set([...colour, Math.round((Math.abs(level) / STRONGEST) * 255)], 4 * i);
  });
  context.putImageData(image, 0, 0);
}

// Three digits; of thousands the others too.
export function digits(number) {
  const text = Math.abs(number) < 1000 ? number.toPrecision(3) : String(Math.round(number));
  return text.replace("-", "−");
}
