// What all pictures share: elements, choices, words that are said aloud, and numbers out of base64.

// A new element within `parent`. In JupyterLab a letter typed into it would else be a command to the notebook.
export function tag(name, parent, set = {}) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(set)) key in made ? (made[key] = value) : made.setAttribute(key, value);
  if (made.tabIndex >= 0) made.setAttribute("data-lm-suppress-shortcuts", "true");
  parent.append(made);
  return made;
}

// What `ways` has for a key. Then nothing else hears of it: neither the page, which would scroll, nor the notebook.
// With Ctrl, Meta or Alt it is none of the picture's: Alt with an arrow goes back to the page before.
export function wayOf(event, ways) {
  if (!(event.key in ways) || event.ctrlKey || event.metaKey || event.altKey) return undefined;
  event.preventDefault();
  event.stopPropagation();
  return ways[event.key];
}

// Home and End among radio buttons, between which the arrows go by themselves.
export function toTheEnds(row) {
  row.addEventListener("keydown", (event) => {
    const all = [...row.querySelectorAll("input")];
    const to = wayOf(event, { Home: all[0], End: all.at(-1) });
    to?.focus();
    to?.click();
  });
  return row;
}

let made = 0;

// A row of radio buttons: `items` are [value, text], or with a colour [value, text, colour]; `took` is called with the
// value of the one that is chosen.
export function choices(parent, title, items, chosen, took) {
  const row = tag("fieldset", parent);
  tag("legend", row, { textContent: title });
  const name = `cp-${++made}-${Math.random().toString(36).slice(2)}`;
  for (const [value, text, colour] of items) {
    const label = tag("label", row);
    tag("input", label, { type: "radio", name, checked: value === chosen, onchange: () => took(value) });
    if (colour) tag("i", label, { className: "cp-dot" }).style.background = colour;
    label.append(text);
  }
  return toTheEnds(row);
}

// A place for the sentence that says what is seen. A screen reader hears it when it has stood for a while, unless the
// reader is elsewhere on the page: then something else has changed the picture, or it changes by itself.
export function teller(parent) {
  const shown = tag("p", parent, { className: "cp-says", ariaHidden: "true" });
  const heard = tag("p", parent, { className: "cp-heard", ariaLive: "polite" });
  let waiting;
  return (words) => {
    shown.textContent = words;
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      heard.ariaLive = parent.contains(document.activeElement) ? "polite" : "off";
      heard.textContent = words;
    }, 400);
  };
}

// A list under a title, each of its items a text, a bar and a number: show(title, [[text, share from 0 to 1, number,
// class], ...]), where the class may be left out.
export function barList(parent, kind = "") {
  const whole = tag("div", parent, { className: `cp-bars ${kind}` });
  const head = tag("div", whole, { className: "cp-title" });
  const list = tag("div", whole, { role: "list" });
  return (title, items) => {
    list.ariaLabel = head.textContent = title;
    list.hidden = !items.length;
    list.replaceChildren();
    for (const [text, share, number, marked = ""] of items) {
      const item = tag("div", list, { role: "listitem", className: marked });
      tag("span", item, { textContent: text, title: text });
      tag("i", item).style.width = `${(100 * share).toFixed(1)}%`;
      tag("span", item, { textContent: number });
    }
  };
}

// A token as it is shown: its spaces and line ends can be seen.
export function visible(text) {
  return text.replaceAll(" ", "·").replaceAll("\n", "⏎") || "(nothing)";
}

export function bytesOf(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
