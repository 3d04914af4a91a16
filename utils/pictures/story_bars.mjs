// What is seen of a story being written: its dials, its bars, its text and its sentence.

import { choices, tag, visible, wayOf } from "./common.mjs";
import { candidates } from "./sampling.mjs";

const SHOWN = 10; // bars
const KS = [1, 2, 3, 5, 10, 20, 40, 80, 160, 320, 640, 1280];
const SCALES = [0.02, 0.05, 0.1, 0.2, 0.5, 1]; // where the longest bar may end

// A slider with its name and what it is set to. `says` puts a value into words, `took` is called with the new one.
function dial(parent, name, range, value, says, took) {
  const label = tag("label", parent, { className: "cp-story-dial" });
  label.append(`${name} `);
  const slider = tag("input", label, { type: "range", ...range });
  const output = tag("output", label, { ariaLive: "off" }); // the slider says it
  const show = () => (output.textContent = slider.ariaValueText = says(Number(slider.value)));
  slider.value = value;
  slider.addEventListener("input", () => (show(), took(Number(slider.value))));
  show();
  return label;
}

// Which tokens are drawn from, and how sharply: `settings` is written into, then `changed` is called.
export function dials(parent, settings, changed) {
  const set = (name) => (value) => ((settings[name] = value), changed());
  const row = tag("div", parent, { className: "cp-story-dials" });
  const fixed = (value) => value.toFixed(2);
  dial(row, "Temperature", { min: 0, max: 2, step: 0.05 }, settings.temperature, fixed, set("temperature"));
  const last = { top_k: KS.findLast((k) => k <= (settings.top_k || 40)), top_p: settings.top_p || 0.9 };
  const chosen = settings.top_k ? "top_k" : settings.top_p ? "top_p" : "all";
  const cut = (which) => {
    for (const name of ["top_k", "top_p"]) {
      settings[name] = name === which ? last[name] : 0;
      byName[name].hidden = name !== which;
    }
  };
  const items = [["all", "all tokens"], ["top_k", "top k"], ["top_p", "top p"]];
  choices(row, "Draw from", items, chosen, (which) => (cut(which), changed()));
  const byName = {
    top_k: dial(row, "k", { min: 0, max: KS.length - 1, step: 1 }, KS.indexOf(last.top_k), (i) => String(KS[i]), (i) =>
      set("top_k")((last.top_k = KS[i])),
    ),
    top_p: dial(row, "p", { min: 0.05, max: 1, step: 0.01 }, last.top_p, fixed, (p) => set("top_p")((last.top_p = p))),
  };
  cut(chosen);
}

// The bars, as buttons, and the `key` to their signs: `taken` is called with a rank.
export function barsIn(parent, key, taken) {
  const whole = tag("div", parent);
  const head = tag("div", whole, { className: "cp-story-bar cp-story-head", ariaHidden: "true" });
  tag("span", head, { textContent: "may come next" });
  const line = tag("span", head, { className: "cp-story-scale", textContent: "0" });
  const scale = tag("span", line);
  tag("span", head, { textContent: "probability" });
  const list = tag("div", whole, { role: "group", ariaLabel: "What may come next" });
  const bars = Array.from({ length: SHOWN }, (_, rank) => {
    const button = tag("button", list, { type: "button", className: "cp-story-bar", onclick: () => taken(rank) });
    button.tabIndex = rank ? -1 : 0;
    const name = tag("span", button, { className: "cp-story-name" });
    const track = tag("span", button, { className: "cp-story-track" });
    return { button, name, bar: tag("i", track), own: tag("b", track), number: tag("span", button) };
  });
  list.addEventListener("keydown", (event) => {
    const at = bars.findIndex(({ button }) => button === document.activeElement);
    const to = at < 0 ? undefined : wayOf(event, { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: SHOWN - 1 });
    if (to === undefined) return;
    bars[at].button.tabIndex = -1;
    const next = bars[Math.min(Math.max(to, 0), SHOWN - 1)].button;
    next.tabIndex = 0;
    next.focus();
  });
  const rest = tag("div", whole, { className: "cp-story-bar cp-story-rest" });
  tag("p", whole, { className: "cp-story-key", textContent: key });
  return { whole, list, bars, scale, rest: ["span", "span", "span"].map((name) => tag(name, rest)) };
}

// A token as it is named; of one that is not stored there is no text.
export function nameOf(word) {
  return word === undefined ? "a token without a name here" : visible(word.replace("<|endoftext|>", "<eot>"));
}

export const chance = (p) => (p > 0 && p < 0.0005 ? "<0.001" : p.toFixed(3));
const grouped = (number) => number.toLocaleString("en");

// What is shown of { tokens, given, found, settings }: the text, the bars and the sentence, which begins with `event`.
export function painter({ text, whole, bars, scale, rest, say }, data) {
  const named = (token) => nameOf(data.words[token]);
  // Beyond what is stored by name a count is near, not exact.
  const isNear = (n) => data.tree && n > data.tree.named && n < data.d_vocab;
  const count = (n, among = n) => (isNear(among) ? "about " : "") + grouped(n);

  function tell({ tokens, given }) {
    const shown = tokens.slice(1);
    const told = data.texts?.(shown) ?? shown.map((token) => data.words[token] ?? "[…]");
    text.replaceChildren(told.slice(0, given - 1).join(""));
    for (const word of told.slice(given - 1)) tag("span", text, { textContent: word });
    text.scrollTop = text.scrollHeight; // where a page gives it a height of its own
  }
  function fill({ button, name, bar, own, number }, { is, token, goesOn, p, before, end }) {
    name.textContent = is ? named(token) : "";
    name.classList.toggle("cp-story-on", goesOn);
    bar.style.transform = `scaleX(${(p ?? 0) / end})`;
    own.style.left = `${(100 * before) / end}%`;
    own.hidden = !is;
    number.textContent = is ? (p === undefined ? "cut" : chance(p)) : "";
    button.ariaDisabled = String(p === undefined);
    const now = p === undefined ? "cut off" : `probability ${chance(p)}`;
    const ways = goesOn ? "; what follows is stored" : "";
    button.ariaLabel = is ? `${named(token)}: ${now}; ${chance(before)} by the model alone${ways}` : "nothing";
  }
  function sum(chances) {
    const more = chances.slice(SHOWN);
    rest[0].textContent = more.length ? `${count(more.length, chances.length)} more` : "";
    rest[2].textContent = more.length ? chance(more.reduce((total, p) => total + p, 0)) : "";
  }
  function state(found, chances, before) {
    const left = `Left to draw from: ${count(chances.length)} of ${grouped(data.d_vocab)} tokens`;
    const [first, own] = [`“${named(found.tokens[0])}”`, `${chance(before[0])} by the model alone`];
    return `${left}. The likeliest, ${first}, is drawn with ${chance(chances[0])} (${own}).`;
  }
  function ended({ tokens }) {
    if (tokens.length > data.n_ctx) return `The model reads ${data.n_ctx} tokens at most: here it ends.`;
    const more = "Go back, or begin again: what follows a token with a ▸ is stored.";
    return `Beyond here only a model can go: what follows this text is not stored here. ${more}`;
  }
  return (story, event) => {
    const { found, settings } = story;
    const chances = found ? candidates(found, settings) : [];
    const before = found ? candidates(found, {}) : [];
    const longest = Math.max(0, ...chances.slice(0, SHOWN), ...before.slice(0, SHOWN));
    const end = SCALES.find((one) => one >= longest - 1e-9);
    tell(story);
    whole.style.visibility = found ? "" : "hidden";
    scale.textContent = end;
    bars.forEach((bar, rank) => {
      const token = found?.tokens[rank];
      const goesOn = Boolean(found?.goesOn?.has(token));
      fill(bar, { is: rank < before.length, token, goesOn, p: chances[rank], before: before[rank] ?? 0, end });
    });
    sum(chances);
    say(`${event} ${found ? state(found, chances, before) : ended(story)}`.trim());
  };
}
