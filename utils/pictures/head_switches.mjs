// Heads that can be switched off, and beside them the likeliest next tokens with all heads and without those.
// `data` is that of arcs.mjs.
import { barList, tag, teller, visible, wayOf } from "./common.mjs";

const KEYS = "Heads to switch off: arrows go from head to head, Escape switches all on";

// The heads as switches, and beside them what is expected next with and without those that are off.
export function headSwitches(place, data) {
  const several = Boolean(data.predict);
  const predict = data.predict ?? (([off]) => (off ? data.without[off[0] * data.heads + off[1]] : data.next));
  const row = tag("div", place, { className: "cp-offs" });
  const panel = tag("div", row);
  tag("div", panel, { className: "cp-title", textContent: several ? "Switch heads off" : "Switch a head off" });
  const grid = tag("div", panel, { className: "cp-heads", role: "toolbar", ariaLabel: KEYS });
  grid.style.gridTemplateColumns = `repeat(${data.heads}, auto)`;
  const both = tag("div", row, { className: "cp-both" });
  const whole = nextTokens(both, "");
  const changed = nextTokens(both, "cp-without");
  const told = teller(place);
  let off = data.switched ?? [];
  let asked = 0;
  let first;
  const same = ([one, other]) => ([layer, head]) => layer === one && head === other;
  const shown = (list) => {
    if (off.length) changed.show(`Without ${namesOf(off)}`, list);
    else changed.show("No head is off", []);
    told(whatChanged(first, list, off, data.off));
  };
  const set = (next) => {
    off = next;
    buttons.forEach((button) => (button.ariaPressed = `${off.some(same(button.head))}`));
    const mine = ++asked;
    whenThere(predict(off), (list) => mine === asked && shown(list));
  };
  const pressed = (head) => {
    if (!first) return undefined;
    if (off.some(same(head))) return set(off.filter((one) => !same(head)(one)));
    return set(several ? [...off, head] : [head]);
  };
  const buttons = Array.from({ length: data.layers * data.heads }, (_, i) => {
    const head = [Math.floor(i / data.heads), i % data.heads];
    const button = tag("button", grid, { type: "button", textContent: head.join("."), onclick: () => pressed(head) });
    button.ariaLabel = `${head.join(".")} off`;
    return Object.assign(button, { head });
  });
  roving(grid, buttons, data.heads, () => set([]));
  whenThere(predict([]), (list) => {
    first = list;
    whole.show("Next token", list);
    set(off);
  });
}

// `use` at once what is there, later what is promised.
function whenThere(given, use) {
  if (typeof given?.then === "function") given.then(use, () => {});
  else use(given);
}

const namesOf = (off) => off.map((head) => head.join(".")).join(", ");

function whatChanged(first, list, off, how) {
  const [token, before] = first[0];
  const start = `With all heads the likeliest next token is “${visible(token)}” (${before.toFixed(3)}).`;
  if (!off.length) return start;
  const after = list.find(([other]) => other === token);
  const became = after ? `has ${after[1].toFixed(3)}` : `is not among the ${list.length} likeliest`;
  const [now, chance] = list[0];
  const best = now === token ? "" : `, and “${visible(now)}” is the likeliest (${chance.toFixed(3)})`;
  const end = "The arcs are those with all heads on.";
  return `${start} Without ${namesOf(off)} (${how}) “${visible(token)}” ${became}${best}. ${end}`;
}

function nextTokens(parent, kind) {
  const show = barList(parent, kind);
  const rowOf = ([token, chance]) => [visible(token), chance, chance.toFixed(3)];
  return { show: (title, list) => show(title, list.map(rowOf)) };
}

// One of the buttons is in the order of Tab; the arrows go on from there, Escape calls `left`.
function roving(parent, buttons, columns, left) {
  const goes = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns };
  const at = (i) => buttons.forEach((button, j) => (button.tabIndex = i === j ? 0 : -1));
  buttons.forEach((button, i) => (button.onfocus = () => at(i)));
  at(0);
  parent.onkeydown = (event) => {
    const here = buttons.indexOf(event.target);
    const to = wayOf(event, { Home: -here, End: buttons.length - 1 - here, Escape: 0, ...goes });
    if (event.key === "Escape" && to === 0) left();
    else buttons[here + to]?.focus();
  };
}
