// Attention as arcs over running text: whom each head of a layer reads, and what is expected next without some heads.
//
// What `data` has, in a notebook and on the site:
//   tokens    their texts, in order
//   layers, heads  how many there are; heads in each layer
//   layer     the layer that is shown first
//   head      the head that is, or none for all
//   switched  the heads that are off at first, [[layer, head], ...], or none
//   off       how a head is switched off, in words: "its z replaced by its mean over 48 passages"
// and of the patterns one of
//   patterns  base64 of a byte for each weight, 0 to 255: for each layer and head row after row, row q its q + 1 keys
//   weight    (layer, head, query, key) => a number from 0 to 1
// and of what is expected after the last token one of
//   next, without  [[token, probability], ...], the likeliest first, with all heads, and for each single head off, in
//             the order 0.0, 0.1, ...: then one head can be off at a time
//   predict   ([[layer, head], ...]) => such a list, or a Promise of it, with these heads off, none where it is empty;
//             then any heads can be off. A Promise that is rejected leaves what was shown.
import { bytesOf, choices, tag, teller, visible, wayOf } from "./common.mjs";
import { headSwitches } from "./head_switches.mjs";

const headColours = ["#c4661f", "#4a82cc", "#2f9a62", "#9166bd"];
const leastDrawn = 0.04;

export function draw(place, data) {
  const weight = data.weight ?? weightsIn(data);
  const last = data.tokens.length - 1;
  const state = { layer: data.layer, head: data.head ?? null, chosen: last, under: null };
  const heads = [...Array(data.heads).keys()];
  const colour = (head) => headColours[head] ?? `hsl(${head * 137.5} 55% 52%)`;
  const set = (change) => {
    Object.assign(state, change);
    text.show(arcsOf(state, data, weight, colour));
    told(inWords(state, data, weight));
  };
  const layers = [...Array(data.layers).keys()].map((layer) => [layer, `${layer}`]);
  choices(place, "Layer", layers, state.layer, (layer) => set({ layer }));
  const items = heads.map((head) => [head, `${head}`, colour(head)]);
  choices(place, "Head", [[null, "all"], ...items], state.head, (head) => set({ head }));
  const text = runningText(place, data.tokens, set);
  const told = teller(place);
  headSwitches(place, data);
  set({});
}

function weightsIn({ patterns, heads, tokens }) {
  const bytes = bytesOf(patterns);
  const size = (tokens.length * (tokens.length + 1)) / 2;
  return (layer, head, query, key) => bytes[(layer * heads + head) * size + (query * (query + 1)) / 2 + key] / 255;
}

// What is drawn: who reads, the arcs, the faintest first, and of each key the head that reads it most.
function arcsOf(state, { heads }, weight, colour) {
  const query = state.under ?? state.chosen;
  const shown = state.head === null ? [...Array(heads).keys()] : [state.head];
  const arcs = [];
  for (const [place, head] of shown.entries()) {
    for (let key = 0; key <= query; key++) {
      const size = weight(state.layer, head, query, key);
      const shift = (place - (shown.length - 1) / 2) * 3;
      if (size >= leastDrawn) arcs.push({ key, size, shift, colour: colour(head) });
    }
  }
  return { query, arcs: arcs.sort((one, other) => one.size - other.size) };
}

function inWords(state, { tokens, heads }, weight) {
  const query = state.under ?? state.chosen;
  const of = (head, most) =>
    tokens
      .slice(0, query + 1)
      .map((token, key) => [weight(state.layer, head, query, key), key, visible(token)])
      .sort((one, other) => other[0] - one[0])
      .slice(0, most)
      .map(([size, key, token]) => `“${token}” (${size.toFixed(2)}, position ${key})`)
      .join(", ");
  const told =
    state.head === null
      ? [...Array(heads).keys()].map((head) => `head ${head} reads ${of(head, 1)} most`).join(", ")
      : `head ${state.head} reads ${of(state.head, 3)}`;
  return `Layer ${state.layer}, position ${query}, “${visible(tokens[query])}”: ${told}.`;
}

// The text, and the arcs over it; `set` hears of who is chosen and of who is under the pointer.
function runningText(place, tokens, set) {
  const whole = tag("div", place, { className: "cp-arcs" });
  const lines = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  lines.setAttribute("aria-hidden", "true");
  whole.append(lines);
  const name = `cp-arcs-${Math.random().toString(36).slice(2)}`;
  const words = tag("div", whole, { className: "cp-words", role: "listbox", tabIndex: 0 });
  words.setAttribute("aria-label", "The text: arrows choose who reads");
  const spans = tokens.map((token, i) => {
    const made = tag("span", words, { textContent: token.replaceAll("\n", "⏎"), role: "option", id: `${name}-${i}` });
    made.onpointerenter = (event) => event.pointerType === "mouse" && set({ under: i });
    made.onclick = () => set({ chosen: i });
    return made;
  });
  words.onpointerleave = () => set({ under: null });
  let seen, spots;
  const measure = () => {
    const from = whole.getBoundingClientRect();
    spots = from.width && spans.map((span) => spotOf([...span.getClientRects()].at(-1), from));
  };
  words.onkeydown = (event) => {
    const to = spots && wayOf(event, waysFrom(seen.query, spots));
    if (to !== undefined) set({ chosen: to, under: null });
  };
  const show = (next) => {
    seen = next;
    if (!spots) measure();
    spans.forEach((span, i) => {
      span.ariaSelected = `${i === seen.query}`;
      span.className = i > seen.query ? "cp-later" : "";
      span.style.background = "";
    });
    for (const { key, size, colour } of seen.arcs) spans[key].style.background = tint(colour, size);
    words.setAttribute("aria-activedescendant", spans[seen.query].id);
    if (spots) lines.innerHTML = seen.arcs.map((arc) => pathOf(arc, spots[seen.query], spots[arc.key])).join("");
  };
  new ResizeObserver(() => {
    measure();
    show(seen);
  }).observe(whole);
  return { show };
}

const tint = (colour, size) => `color-mix(in srgb, ${colour} ${Math.round(60 * size)}%, transparent)`;

function spotOf(box, from) {
  return { x: box.left - from.left + box.width / 2, top: box.top - from.top, bottom: box.bottom - from.top };
}

// The positions to which keys lead from another: up and down to the nearest of the line above or below, and the space
// bar, which would scroll the page, nowhere.
function waysFrom(query, spots) {
  const last = spots.length - 1;
  const [before, after] = [Math.max(0, query - 1), Math.min(last, query + 1)];
  const [above, below] = [-1, 1].map((way) => nextLine(query, spots, way));
  const ways = { ArrowLeft: before, ArrowRight: after, ArrowUp: above, ArrowDown: below };
  return { ...ways, Home: 0, End: last, " ": query };
}

function nextLine(query, spots, way) {
  const here = spots[query];
  const there = spots.filter((spot) => (spot.top - here.top) * way > 4);
  const nearest = Math.min(...there.map((spot) => Math.abs(spot.top - here.top)));
  const line = there.filter((spot) => Math.abs(spot.top - here.top) < nearest + 4);
  line.sort((one, other) => Math.abs(one.x - here.x) - Math.abs(other.x - here.x));
  return line.length ? spots.indexOf(line[0]) : query;
}

// An arc from the reader to what it reads: over one line of text, or from line to line, or back to itself.
function pathOf({ size, shift, colour, key }, from, to) {
  const x = from.x + shift;
  const u = to.x + shift;
  const y = from.top - 2;
  let path;
  if (from === to) path = `M${x - 5} ${y}c-7 -20 17 -20 10 0`;
  else if (Math.abs(from.top - to.top) < 4) {
    const rise = Math.min(34, 12 + Math.abs(x - u) / 8) * 1.33;
    path = `M${x} ${y}C${x} ${y - rise} ${u} ${y - rise} ${u} ${y}`;
  } else {
    const v = to.bottom + 2;
    const bend = Math.max(16, (y - v) / 2);
    path = `M${x} ${y}C${x} ${y - bend} ${u} ${v + bend} ${u} ${v}`;
  }
  const strength = `stroke-width="${(1 + 4 * size).toFixed(1)}" stroke-opacity="${(0.3 + 0.7 * size).toFixed(2)}"`;
  return `<path data-key="${key}" d="${path}" stroke="${colour}" ${strength}/>`;
}
