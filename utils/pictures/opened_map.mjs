// One prompt through the whole model: the map, whose boxes open the numbers that the model has there.
//
// `still` is the map as nodes: an image with a link over each box, "Embed: chapter 2" its title. `data`:
//   words, ids   the tokens; text   all of them, if words do not say it; d_model, d_vocab, layers   sizes
//   parts   Embed, PosEmbed, ln_final: a part; ln1, Attention, ln2, MLP: one for each block; stream: one before each
//           block, one in its middle, and the last. A part has `norms` and their median, `middle`; the least and the
//           largest number, `range`; `strip`, from -7 to 7 for every so many-th dimension, four bits each in base64
//           (or `levels`, the same as numbers, position after position); `full`, what 7 stands for
//   guesses [token, probability] of the likeliest next tokens, at each position; more of them at the last
// It gives back a function that draws other data of the same form, with the same box open.
import { tag, teller, wayOf } from "./common.mjs";
import { blocksToChoose, fill, IN_A_BLOCK, saying } from "./opened_box.mjs";

const TITLE = /^(.*): chapter (\d+)$/;
const WIDTH = 720; // of the map, in the units of what follows
const STOPS = { resid_pre: [290, 241], resid_mid: [394, 241], resid_post: [540, 241] }; // where the stream has a name
const STOP = [84, 32];
const ORDER = ["tokens", "Embed", "PosEmbed", ...IN_A_BLOCK, "ln_final", "Unembed", "sampling"];

export function draw(place, data, still) {
  const state = { data, open: null, block: 0 };
  const map = tag("div", place, { className: "cp-map", role: "group" });
  map.setAttribute("aria-label", "The parts of the model: arrows go from box to box, Enter opens one");
  map.append(...still);
  const buttons = boxesOver(map);
  const links = linksOf(map, place);
  while (map.children.length > 1) map.lastElementChild.remove();
  const says = teller(place);
  const panel = tag("section", place, { className: "cp-map-panel", hidden: true });
  const take = (label, block = state.block) => {
    state.open = label;
    state.block = Math.max(0, Math.min(state.data.layers - 1, block));
    show();
  };
  const chooser = blocksToChoose(data.layers, (block) => take(state.open, block));
  const linkOf = () => links[buttons.find((button) => button.dataset.label === state.open)?.dataset.chapter];
  const show = () => {
    for (const button of buttons) button.setAttribute("aria-expanded", button.dataset.label === state.open);
    panel.hidden = state.open === null;
    fill(panel, state, linkOf(), chooser, () => close());
    says(saying(state));
  };
  const close = () => {
    const label = state.open;
    take(null);
    reach(buttons, buttons.find((button) => button.dataset.label === label));
  };
  buttons.forEach((button) => {
    // on a narrow page the map is scrolled sideways: browsers leave what is half in sight where it is
    button.onfocus = () => button.scrollIntoView({ block: "nearest", inline: "nearest" });
    button.onclick = () => {
      reach(buttons, button);
      take(state.open === button.dataset.label ? null : button.dataset.label);
    };
  });
  map.addEventListener("keydown", (event) => {
    const at = buttons.indexOf(event.target);
    if (at < 0) return;
    const to = wayOf(event, { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: buttons.length - 1 });
    const blocks = IN_A_BLOCK.includes(state.open) ? wayOf(event, { ArrowDown: 1, ArrowUp: -1 }) : undefined;
    if (blocks) take(state.open, state.block + blocks);
    if (blocks || !buttons[to]) return;
    reach(buttons, buttons[to]);
    if (state.open !== null) take(buttons[to].dataset.label);
  });
  place.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") event.stopPropagation();
    if (state.open !== null && wayOf(event, { Escape: true })) close();
  });
  show();
  return (other) => {
    state.data = { ...state.data, ...other };
    show();
  };
}

// The links to the chapters, by their numbers. No others are made: JupyterLab knows where these lead.
function linksOf(map, place) {
  const kept = tag("div", place, { hidden: true });
  const links = {};
  for (const link of map.querySelectorAll("a")) {
    const chapter = TITLE.exec(link.title)[2];
    if (!(chapter in links)) kept.append(link);
    else link.remove();
    links[chapter] ??= link;
    links[chapter].removeAttribute("style");
    links[chapter].setAttribute("data-lm-suppress-shortcuts", "true");
    links[chapter].textContent = `To chapter ${chapter}`;
  }
  return links;
}

// A button in the place of each link, and one over each name of the stream; what follows the map is for pages without.
function boxesOver(map) {
  const over = map.querySelector("img").parentElement;
  const places = Object.fromEntries(Object.entries(STOPS).map(([name, at]) => [name, stopAt(...at)]));
  const chapters = Object.fromEntries(Object.keys(STOPS).map((name) => [name, "1"]));
  for (const link of over.querySelectorAll("a")) {
    const [, label, chapter] = TITLE.exec(link.title);
    [places[label], chapters[label]] = [link.style.cssText, chapter];
  }
  const labels = ORDER.filter((label) => label in places);
  return labels.map((label, i) => {
    const button = tag("button", over, { type: "button", className: "cp-box", tabIndex: i ? -1 : 0, title: label });
    button.style.cssText = places[label];
    button.setAttribute("data-lm-suppress-shortcuts", "true");
    button.setAttribute("aria-label", label in STOPS ? label : `${label}, chapter ${chapters[label]}`);
    Object.assign(button.dataset, { label, chapter: chapters[label], stop: label in STOPS });
    return button;
  });
}

function stopAt(x, y) {
  const [width, height] = STOP;
  const [left, top, size] = [x - width / 2, y - height / 2, width].map((part) => `${(100 * part) / WIDTH}%`);
  const margin = `margin:${top} 0 0 ${left}`;
  return `position:absolute;top:0;left:0;${margin};width:${size};aspect-ratio:${width}/${height}`;
}

// Of the boxes, Tab comes to one alone: the one that was there last.
function reach(buttons, button) {
  for (const one of buttons) one.tabIndex = one === button ? 0 : -1;
  button.focus();
}
