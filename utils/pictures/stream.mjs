// The residual stream at one position, from top to bottom: who wrote what, and the guess after each block.
//
// data = {
//   words     the tokens of the text, as text: <|endoftext|> first
//   names     who writes, in order: embed, pos_embed, 0_attn_out, 0_mlp_out, 1_attn_out, ... (two for each block)
//   position  the one that is shown first
//   scale     the norm at which a bar is as long as can be, such as the largest of all positions but the first
//   reach     the same for `shares`, whose bars go from -reach to reach
//   at        a record for each position: an array, or a function from a position to
//     { norms    of each write, [names.length]
//       stream   the norm of the stream after the embeddings and after each block, [stop]
//       shares   of each write, [names.length]: without guesses how far it points along the last stream, and these add
//                up to the last of `stream`; with them by how much it lifts the logit of the final guess above the mean
//                of all logits: the final LayerNorm's scale is held fixed, so that these, and `rest`, add up to `above`
//       rest     with guesses: what ln_final's b and the unembedding's add to that
//       above    with guesses: the logit of the final guess, less `mean`, which is the mean of all logits there
//       mean
//       guesses  if there are any: [stop][rank] = [token as text, probability], the likeliest first, of the stream at
//                each stop, read through ln_final (with that stop's own scale) and the unembedding } }
// }
// `draw` may be called again in the same place, for another text; picture.css and stream.css have the rules for `.cp`.

import { tag, teller, visible, wayOf } from "./common.mjs";

const named = (word) => visible(word.replace("<|endoftext|>", "<eot>"));
const signed = (value) => value.toFixed(2).replace("-0.00", "0.00").replace("-", "−");

// What is said of a record: who wrote most, and how the guess, or else the end, came about.
export function told(record, { words, names }, position) {
  const { norms, shares, stream, guesses } = record;
  const most = names[norms.indexOf(Math.max(...norms))];
  const [high, low] = [Math.max(...shares), Math.min(...shares)];
  const [highest, lowest] = [high, low].map((share) => `${names[shares.indexOf(share)]} (${signed(share)})`);
  const where = `At “${named(words[position])}”, position ${position}`;
  const here = `${where}: ${most} writes most, ${Math.max(...norms).toFixed(1)}.`;
  if (!guesses) {
    const end = `The stream ends with a norm of ${stream.at(-1).toFixed(1)}`;
    const against = low < 0 ? `furthest against it ${lowest}` : "nothing points against it";
    return `${here} ${end}; furthest along its end lies ${highest}, ${against}.`;
  }
  const [guess, chance] = guesses.at(-1)[0];
  const from = guesses.length - 1 - [...guesses].reverse().findIndex((stop) => stop[0][0] !== guess);
  const since = from === guesses.length ? "" : `, from block ${from} on`;
  const logit = `Its logit, ${signed(record.above + record.mean)}, is ${signed(record.above)} above the mean of all`;
  const whom = `${highest} lifts it most, ${lowest} ${low < 0 ? "lowers it most" : "least"}`;
  return `${here} The guess is “${named(guess)}” (${chance.toFixed(2)})${since}. ${logit}; ${whom}.`;
}

// The tokens of the text, one of which is chosen, with the arrows too; `took` is called with its position.
function textIn(parent, words, chosen, took) {
  const row = tag("div", parent, { role: "radiogroup", ariaLabel: "The position", className: "cp-stream-text" });
  const buttons = words.map((word, position) =>
    tag("button", row, { type: "button", role: "radio", textContent: named(word), onclick: () => choose(position) }),
  );
  function choose(position) {
    buttons.forEach((button, at) => {
      button.ariaChecked = String(at === position);
      button.tabIndex = at === position ? 0 : -1;
    });
    chosen = position;
    took(position);
  }
  row.addEventListener("keydown", (event) => {
    const last = words.length - 1;
    const [before, after] = [Math.max(chosen - 1, 0), Math.min(chosen + 1, last)];
    const keys = { ArrowLeft: before, ArrowUp: before, ArrowRight: after, ArrowDown: after, Home: 0, End: last };
    const to = wayOf(event, keys);
    if (to === undefined) return;
    choose(to);
    buttons[chosen].focus();
  });
  return () => choose(chosen);
}

// A row of the strip, which is a table for those who hear it: a name, a bar for a norm and one for a share.
function rowIn(parent, name, kind) {
  const row = tag("div", parent, { className: `cp-stream-row ${kind}`, role: "row" });
  tag("span", row, { textContent: name, role: "rowheader" });
  const [norm, share] = ["norm", "share"].map((which) => {
    const cell = tag("span", row, { className: `cp-stream-${which}`, role: "cell" });
    return { cell, bar: tag("i", tag("span", cell)), number: tag("span", cell) };
  });
  return { row, norm, share };
}

function setNorm({ bar, number }, value, scale) {
  bar.style.transform = `scaleX(${Math.min(value / scale, 1)})`;
  bar.parentElement.classList.toggle("cp-stream-over", value > scale);
  number.textContent = value.toFixed(1);
}

function setShare({ bar, number }, value, reach) {
  const part = Math.max(Math.min(value / reach, 1), -1);
  bar.style.transform = `scaleX(${part})`;
  bar.className = part < 0 ? "cp-stream-against" : "";
  number.textContent = signed(value);
}

// The guesses after a stop; the one that came next has a tick.
function setGuesses(cell, guesses, next) {
  cell.replaceChildren();
  for (const [word, chance] of guesses) {
    const guess = tag("span", cell, { className: "cp-stream-guess" });
    guess.style.setProperty("--cp-chance", `${100 * chance}%`);
    tag("b", guess, { textContent: (word === next ? "✓ " : "") + named(word) });
    guess.append(` ${chance < 0.005 ? "<0.01" : chance.toFixed(2)}`);
  }
}

export function draw(place, data) {
  place.replaceChildren();
  const { words, names, scale, reach } = data;
  const recordAt = typeof data.at === "function" ? data.at : (position) => data.at[position];
  const first = recordAt(data.position);
  const choose = textIn(place, words, data.position, (position) => show(position));
  const say = teller(place);
  const plain = first.guesses ? "" : "cp-stream-plain";
  const strip = tag("div", place, { className: `cp-stream ${plain}`, role: "table", ariaLabel: "The stream" });
  const head = tag("div", strip, { className: "cp-stream-row cp-stream-head", role: "row" });
  const titles = ["written by", "norm of the write", ""];
  const [, , title] = titles.map((textContent) => tag("span", head, { textContent, role: "columnheader" }));
  const [rows, stops] = [[], []];
  first.stream.forEach((_, stop) => {
    const group = tag("div", strip, { className: "cp-stream-block", role: "rowgroup" });
    for (const name of names.slice(2 * stop, 2 * stop + 2)) rows.push(rowIn(group, `+ ${name}`, ""));
    const made = rowIn(group, stop ? `after block ${stop - 1}` : "embedded", "cp-stream-stop");
    made.share.cell.className = "cp-stream-guesses";
    made.share.cell.replaceChildren();
    stops.push(made);
  });
  const rest = first.guesses && rowIn(strip, "+ biases at the end", "cp-stream-rest");
  const whole = first.guesses ? "sum: its logit, less the mean" : "sum: the norm at the end";
  const sum = rowIn(strip, whole, "cp-stream-rest");
  for (const one of [rest, sum]) one?.norm.cell.replaceChildren();
  sum.share.bar.parentElement.style.visibility = "hidden";

  function show(position) {
    const record = recordAt(position);
    const guess = record.guesses?.at(-1)[0][0];
    title.textContent = record.guesses ? `lifts “${named(guess)}” by` : "along the end";
    rows.forEach(({ norm, share }, i) => {
      setNorm(norm, record.norms[i], scale);
      setShare(share, record.shares[i], reach);
    });
    stops.forEach(({ norm, share }, stop) => {
      setNorm(norm, record.stream[stop], scale);
      if (record.guesses) setGuesses(share.cell, record.guesses[stop], words[position + 1]);
    });
    if (rest) setShare(rest.share, record.rest, reach);
    sum.share.number.textContent = signed(record.guesses ? record.above : record.stream.at(-1));
    say(told(record, data, position));
  }
  choose();
}
