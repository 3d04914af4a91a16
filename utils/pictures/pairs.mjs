// Byte-pair encoding, played: the pairs of neighbours are counted, one of them is merged, and the text gets shorter.
//
// What `data` has: `pieces`, a list for each piece of the text, of its parts, each a string with a letter from 0 to 255
// for each byte (no pair crosses from piece to piece); and `merges`, a list of pairs of such parts, in their order.
// Without `merges` the rule chooses: the most frequent pair, and of equally frequent ones the greatest.
import { barList, tag, teller, visible, wayOf } from "./common.mjs";
import { joined, merged, placesOf, ranked, samePair } from "./merging.mjs";

const LISTED = 7;
const KEYS = "Merging: the right arrow merges, the left one goes back, End goes to the end and Home to the start";

export function draw(place, data) {
  const states = [data.pieces]; // after no merge, after one, ...
  const end = data.merges?.length ?? Infinity;
  const rankings = []; // the pairs of each of these states
  const rankedAt = (step) => (rankings[step] ??= ranked(states[step]));
  const nextOf = (step) => (data.merges ? data.merges[step] : rankedAt(step)[0]?.pair);
  const reach = (step) => {
    while (states.length <= step && nextOf(states.length - 1)) {
      states.push(merged(states.at(-1), nextOf(states.length - 1)));
    }
    return Math.min(step, states.length - 1);
  };
  const row = tag("div", place, { className: "cp-pairs-do", role: "group", ariaLabel: KEYS });
  const told = teller(place);
  const boxes = boxesIn(place);
  const both = tag("div", place, { className: "cp-both" });
  const pairList = barList(both);
  const mergeList = barList(both);
  let step = 0;
  const go = (to) => {
    const before = step;
    step = reach(Math.max(0, to));
    const next = nextOf(step);
    const found = rankedAt(step);
    boxes(states[step], next, step > before ? joined(nextOf(step - 1)) : null);
    pairList("Most frequent pairs", pairRows(found, next));
    mergeList("Latest merges", mergeRows(step, nextOf, states));
    const comes = next ? comesIn(found, next) : atTheEnd(step, rankedAt);
    told(`${countsOf(states, step)} ${doneIn(states, step, nextOf)}${comes}`);
    isOff(back, step === 0);
    isOff(start, step === 0);
    isOff(merge, !next);
    isOff(finish, !next);
  };
  const merge = tag("button", row, { type: "button", textContent: "Merge", onclick: () => go(step + 1) });
  const back = tag("button", row, { type: "button", textContent: "Back", onclick: () => go(step - 1) });
  const finish = tag("button", row, { type: "button", textContent: "To the end", onclick: () => go(end) });
  const start = tag("button", row, { type: "button", textContent: "From the start", onclick: () => go(0) });
  row.onkeydown = (event) => {
    const to = wayOf(event, { ArrowRight: step + 1, ArrowLeft: step - 1, Home: 0, End: end });
    if (to !== undefined) go(to);
  };
  go(0);
}

const isOff = (button, off) => button.setAttribute("aria-disabled", `${off}`);
const countOf = (pieces) => pieces.reduce((sum, parts) => sum + parts.length, 0);

const knownAs = new Map();

function shownBytes(part) {
  if (!knownAs.has(part)) knownAs.set(part, asText(part));
  return knownAs.get(part);
}

// Bytes as text; where they are not whole letters, each as two hexadecimal digits.
function asText(part) {
  const bytes = Uint8Array.from(part, (letter) => letter.charCodeAt(0));
  try {
    return visible(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return [...bytes].map((byte) => byte.toString(16).toUpperCase().padStart(2, "0")).join(" ");
  }
}

const shownPair = (pair) => `(${pair.map(shownBytes).join(",\u00a0")})`;
const times = (count) => (count === 1 ? "once" : count === 2 ? "twice" : `${count} times`);
const tokens = (count) => (count === 1 ? "1 token" : `${count} tokens`);

function countsOf(states, step) {
  const size = countOf(states[0]);
  const known = step ? `256 + ${step} = ${256 + step}` : "256";
  return `${tokens(countOf(states[step]))} of ${size} bytes, a vocabulary of ${known}.`;
}

function doneIn(states, step, nextOf) {
  if (!step) return "";
  const fewer = countOf(states[step - 1]) - countOf(states[step]);
  return `“${shownBytes(joined(nextOf(step - 1)))}” was merged ${fewer ? times(fewer) : "nowhere"}. `;
}

// What comes next, and why.
function comesIn(found, next) {
  const best = found[0];
  const own = found.find(({ pair }) => samePair(pair, next));
  const ties = found.filter(({ count }) => count === best?.count);
  if (own !== best || !own) {
    const rule = best ? ` By the rule it would be ${shownPair(best.pair)}, ${times(best.count)}${tieOf(ties)}.` : "";
    return `Next in the list is ${shownPair(next)}, which occurs ${own ? times(own.count) : "nowhere"}.${rule}`;
  }
  return `Next is ${shownPair(next)}, which occurs ${times(own.count)}${tieOf(ties)}.`;
}

function atTheEnd(step, rankedAt) {
  const tied = ([one, other]) => one?.count === other?.count;
  const ties = [...Array(step).keys()].filter((i) => tied(rankedAt(i))).length;
  const [best] = rankedAt(step);
  const left = best ? ` of the list; ${shownPair(best.pair)} is left, ${times(best.count)}` : ": no pair is left";
  return `This is the end${left}. In ${ties} of the ${step} merges there was a tie.`;
}

function tieOf(ties) {
  if (ties.length < 2) return ", more often than any other";
  const [one, other] = ties.map(({ pair }) => pair);
  const others = ties.length === 2 ? "another pair does" : `${ties.length - 1} others do`;
  return `, as ${others}; ${whyGreater(one, other)}`;
}

// Why a pair is greater than another, by the bytes that decide it.
function whyGreater(one, other) {
  const [a, b] = one[0] === other[0] ? [one[1], other[1]] : [one[0], other[0]];
  const i = [...a].findIndex((letter, at) => letter !== b[at]);
  const start = `it is greater than ${shownPair(other)}, since`;
  if (i >= b.length) return `${start} “${shownBytes(a)}” begins with “${shownBytes(b)}” and is longer`;
  return `${start} ${shownBytes(a[i])} is byte ${a.charCodeAt(i)} and ${shownBytes(b[i])} is ${b.charCodeAt(i)}`;
}

function pairRows(found, next) {
  const most = found[0]?.count;
  const listed = found.slice(0, LISTED);
  const own = found.find(({ pair }) => samePair(pair, next));
  if (own && !listed.includes(own)) listed.splice(-1, 1, own);
  const marked = (pair) => (samePair(pair, next) ? "cp-pairs-next" : "");
  return listed.map(({ pair, count }) => [pair.map(shownBytes).join(" + "), count / most, count, marked(pair)]);
}

function mergeRows(step, nextOf, states) {
  const fewer = [...Array(step).keys()].map((i) => countOf(states[i]) - countOf(states[i + 1]));
  const most = Math.max(1, ...fewer);
  const rows = fewer.map((count, i) => [shownBytes(joined(nextOf(i))), count / most, count]);
  rows.at(-1)?.push("cp-pairs-new");
  return rows.slice(-LISTED).reverse();
}

// The text as boxes; a piece in which nothing changes stays as it is. Boxes glide from where they were, unless less
// motion is asked for.
function boxesIn(place) {
  const whole = tag("div", place, { className: "cp-pairs", role: "img" });
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let shown = [];
  let before = new Map(); // the first byte of a box, and where it was
  return (pieces, next, fresh) => {
    whole.ariaLabel = `The text in ${tokens(countOf(pieces))}: ${pieces.flat().map(shownBytes).join(" ")}`;
    shown = pieces.map((parts, i) => {
      const classes = classesOf(parts, next, fresh);
      const name = `${parts.join("\u0100")} ${classes}`;
      return shown[i]?.name === name ? shown[i] : { name, parts, span: pieceOf(parts, classes) };
    });
    shown.forEach(({ span }, i) => span !== whole.children[i] && whole.children[i]?.replaceWith(span));
    whole.append(...shown.slice(whole.children.length).map(({ span }) => span));
    const now = spotsOf(shown);
    if (!calm.matches && fresh !== null) glide(now, before);
    before = now;
  };
}

function classesOf(parts, next, fresh) {
  const places = next ? placesOf(parts, next) : [];
  const own = (part) => (part === fresh ? "cp-pairs-new" : "");
  return parts.map((part, i) => (places.includes(i) || places.includes(i - 1) ? "cp-pairs-next" : own(part)));
}

function pieceOf(parts, classes) {
  const span = document.createElement("span");
  parts.forEach((part, i) => {
    const box = document.createElement("b");
    box.textContent = shownBytes(part);
    box.className = classes[i];
    span.append(box);
  });
  return span;
}

function spotsOf(shown) {
  const spots = new Map();
  let at = 0;
  for (const { parts, span } of shown) {
    for (const [i, part] of parts.entries()) {
      const box = span.children[i];
      spots.set(at, { box, x: box.offsetLeft, y: box.offsetTop });
      at += part.length;
    }
  }
  return spots;
}

function glide(now, before) {
  for (const [first, { box, x, y }] of now) {
    const was = before.get(first);
    if (!was || was.y !== y || was.x === x) continue; // what changes its line jumps
    const way = [{ transform: `translateX(${was.x - x}px)` }, { transform: "none" }];
    box.animate(way, { duration: 220, easing: "ease-out" });
  }
}
