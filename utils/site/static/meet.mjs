// The page "Meet the model": a text that a visitor types, and what the model has while it reads it, in the chapters'
// pictures. They are drawn anew when the typing pauses.

import * as arcs from "./arcs.mjs";
import { ask, passedAnswers } from "./asking.mjs";
import { visible } from "./common.mjs";
import { load } from "./loading.mjs";
import * as map from "./opened_map.mjs";
import { offerCounts } from "./own_counts.mjs";
import { Reading } from "./reading.mjs";
import * as stream from "./stream.mjs";

const BEGINS = 0; // <|endoftext|>, which comes before every text
const MOST = 64; // tokens that the pictures have room for
const PAUSE = 250; // milliseconds
// the name under which it is kept who cuts; of this site alone: another course may lie on the same host
const CHOICE = `own bpe_encode ${new URL(".", import.meta.url).pathname}`;

class Meeting {
  constructor(form) {
    this.form = form;
    const parts = document.querySelectorAll("[data-part]"); // all over the page
    this.parts = Object.fromEntries(Array.from(parts, (one) => [one.dataset.part, one]));
    this.redraws = 0;
    const { text, line, costs } = this.parts;
    text.addEventListener("input", () => this.soon(PAUSE));
    line.addEventListener("change", () => this.soon(0));
    this.offerOwn();
    offerCounts(costs, () => this.redraws && { model: this.reading.other, tokens: this.reading.tokens });
    if (navigator.connection?.saveData) this.say("Type, and the model is fetched: 7 MB, once.");
    else this.soon(0);
  }

  // A box with which the reader's own bpe_encode cuts the text, where it has passed on chapter 0's page.
  async offerOwn() {
    const answers = await passedAnswers("ch00_tokens", ["bpe_encode"]);
    if (!answers.bpe_encode) return;
    const { own } = this.parts;
    const box = own.querySelector("input");
    this.answers = answers;
    box.checked = isOwnChosen();
    own.hidden = false;
    if (box.checked && this.reading) this.soon(0); // the text was cut before it was known
    own.addEventListener("change", () => {
      choose(box.checked);
      this.soon(0);
    });
  }

  soon(pause) {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.attempt(), pause);
  }

  async attempt() {
    const attempt = (this.latest = {});
    try {
      if (!this.reading) {
        this.say("The model is being fetched: 7 MB, once.");
        const [found, means] = await Promise.all([load(), headMeans()]);
        this.reading ??= new Reading({ ...found, means });
      }
      const cut = await this.cut();
      if (attempt === this.latest) this.show(cut);
    } catch (error) {
      this.say(`${error.message}. Reload the page to try again.`);
    }
  }

  // The tokens of the text, and whose function has cut it, in a sentence.
  async cut() {
    const { text, line, own } = this.parts;
    const { tokenizer } = this.reading;
    const whole = `${line.checked ? "\n" : ""}${text.value}`;
    const usual = tokenizer.encode(whole);
    if (!this.answers || !own.querySelector("input").checked) return { typed: usual, by: "" };
    this.say("Your bpe_encode is cutting the text. At first Python is fetched for it: 6 MB.");
    let names;
    try {
      names = await ask(this.answers, "tokens", whole);
    } catch (error) {
      return { typed: usual, by: ` The model's own tokenizer has cut it: yours fails (${error.message}).` };
    }
    const typed = names.map((name) => tokenizer.vocabulary.get(name));
    const stranger = names.find((name, i) => typed[i] === undefined);
    if (stranger) {
      const by = ` The model's own tokenizer has cut it: yours gives ${stranger}, which the model does not know.`;
      return { typed: usual, by };
    }
    const isUsual = typed.length === usual.length && typed.every((token, i) => token === usual[i]);
    const count = usual.length + 1; // with the one before every text
    const compared = isUsual ? ", as the model's own tokenizer does" : `; the model's own tokenizer gives ${count} tokens`;
    return { typed, by: ` Your bpe_encode has cut the text${compared}.` };
  }

  show({ typed, by }) {
    const { text } = this.parts;
    const { model } = this.reading;
    const most = Math.min(MOST, model.cfg.n_ctx);
    this.reading.read([BEGINS, ...typed].slice(0, most));
    this.drawTokens();
    this.drawArcs();
    this.drawStream();
    this.drawMap();
    this.form.dataset.redraws = ++this.redraws;
    this.say(this.told(typed.length + 1, text.value) + by);
  }

  told(count, text) {
    const { length } = this.reading.tokens;
    const [[token, chance]] = this.reading.records.at(-1).likeliest;
    const next = `The likeliest next token is “${visible(token)}” (${chance.toFixed(2)}).`;
    if (!text) return `Nothing is typed yet. ${next}`;
    if (count > length) return `The text has ${count} tokens, and the first ${length} are read. ${next}`;
    return `${count} tokens, with the one before every text. ${next}`;
  }

  drawTokens() {
    const items = this.reading.words.map((word, i) => {
      const item = document.createElement("li");
      const number = document.createElement("small");
      number.textContent = this.reading.tokens[i];
      item.append(visible(word), number);
      return item;
    });
    this.parts.tokens.replaceChildren(...items);
  }

  // What was chosen for another text is kept: one may want to compare.
  drawArcs() {
    const { arcs: place } = this.parts;
    const [layer, head] = [...place.querySelectorAll("fieldset")].map(chosenIn); // of heads, "all" is the first
    const pressed = [...place.querySelectorAll("[aria-pressed=true]")];
    const switched = pressed.map((button) => button.textContent.split(".").map(Number));
    place.replaceChildren();
    const data = this.reading.arcs();
    arcs.draw(place, { ...data, layer: layer ?? data.layers - 1, head: head ? head - 1 : null, switched });
  }

  // The last position, or the one that was chosen, if the text still has it.
  drawStream() {
    const { stream: place } = this.parts;
    const positions = [...place.querySelectorAll("[role=radio]")];
    const chosen = positions.findIndex((one) => one.ariaChecked === "true");
    const data = this.reading.stream();
    const isKept = chosen >= 0 && chosen < Math.min(positions.length - 1, data.words.length);
    stream.draw(place, { ...data, position: isKept ? chosen : data.position });
  }

  // The map is drawn once; the box that is open stays open.
  drawMap() {
    const { map: place } = this.parts;
    const data = this.reading.map();
    if (this.redrawMap) this.redrawMap(data);
    else {
      const still = [...place.childNodes];
      place.replaceChildren();
      this.redrawMap = map.draw(place, data, still);
    }
  }

  say(words) {
    this.parts.says.textContent = words;
  }
}

// Whether the reader's own function cuts is kept until the tab is closed; a browser may refuse to keep anything.
function isOwnChosen() {
  try {
    return sessionStorage.getItem(CHOICE) === "true";
  } catch {
    return false;
  }
}

function choose(isOwn) {
  try {
    sessionStorage.setItem(CHOICE, isOwn);
  } catch {
    // then the box is not ticked after a reload
  }
}

const chosenIn = (row) => [...row.querySelectorAll("input")].findIndex((one) => one.checked);

// Written by utils/site/means.py.
async function headMeans() {
  const response = await fetch(new URL("head_means.json", import.meta.url));
  if (!response.ok) throw new Error(`head_means.json could not be loaded (${response.status})`);
  return response.json();
}

for (const form of document.querySelectorAll("[data-meet]")) new Meeting(form);
