// "Solve it here": under the stub of each exercise a panel with an editor, what its run gives, and the card.
//
// A page has, after the cell of each stub, an empty <div data-solves="NAME" data-test="TEST" data-stem="STEM"
// data-cell="ID">, where ID is the cell's in the chapter's notebook. All else (the editor, the judge, the notebook) is
// loaded when it is asked for.

import { tag } from "./common.mjs";
import { answersOf, hearOfOthers, keep } from "./kept.mjs";

const HERE = new URL(".", import.meta.url);
const KEYS = `<kbd>Shift</kbd> + <kbd>Enter</kbd> runs it. <kbd>Tab</kbd> indents;
  <kbd>Escape</kbd>, then <kbd>Tab</kbd> leaves the editor.`;
const KEEPS = "What you write is kept in this browser.";
const KEEPS_NOTHING = "This browser keeps nothing: take your answers along before you close the page.";
const USES = " Where an exercise uses an earlier one, it uses your answer as it last passed, or else the course's.";
const TAKEN =
  " “Take it along” downloads this chapter's notebook with your answers as they stand here. " +
  "Run it in the folder chapters/ of ";
const THEN = ", and what passes is kept in my_gpt/ too.";
const TOLD = {
  passed: "It passes.",
  failed: "It does not pass yet: the card says why.",
  "not yet": "A part is still to be written.",
  ended: "It was ended: the card says why.",
  error: "Your code does not run: the card says why.",
  "no judge": "It could not be judged: the card says why.",
};
const SAYS_NOTHING = new Set(["stopped", "no judge"]); // of the answer
const OLD = "The card below is of your code before your last change.";
const TAKES_A_PASS = new Set(["failed", "error"]); // a slow machine may have ended what passes
// Where on this site an answer that has passed is put to use.
const AT_WORK = {
  bpe_encode: ["Let it cut a text that the model reads", "meet.html"],
  count_parameters: ["Count the model of this site with it", "meet.html#what-it-costs"],
  forward_flops: ["Count the model of this site with it", "meet.html#what-it-costs"],
  kv_cache_bytes: ["Count the model of this site with it", "meet.html#what-it-costs"],
};

let judging; // a promise of the judge, which all panels of a page share
let asking; // the panel that it works for

function theJudge() {
  judging ??= import("./judging.mjs").then(({ openJudge }) =>
    openJudge({ says: (text) => asking.say(text) }),
  );
  return judging;
}

class Panel {
  constructor(place, kept) {
    const { solves, stem, cell } = place.dataset;
    const stub = place.previousElementSibling.querySelector("pre");
    Object.assign(this, { place, name: solves, stem, cell, stub });
    this.answer = kept ?? { source: this.given, passed: null };
    this.head = tag("p", place, { className: "solve-head" });
    this.mark = tag("span", this.head, { className: "solve-mark" });
    this.status = tag("p", place, { className: "solve-says", role: "status" });
    place.className = "solve";
    this.showMark();
    this.offer();
    if (this.answer.source !== this.given) this.open();
  }

  /** What the stub gives. */
  get given() {
    return this.stub.textContent.trimEnd();
  }

  offer() {
    const opener = tag("button", this.head, { type: "button", textContent: "Solve it here" });
    opener.onclick = async () => (await this.open())?.focus();
    tag("span", this.head, { textContent: "in your browser, with nothing to install: Python comes with the first run, 6 MB" });
  }

  /** The editor in the place of the stub, and the other parts of the panel. */
  open() {
    this.opening ??= import("./editor.mjs").then(
      ({ openEditor }) => this.layOut(openEditor),
      (error) => this.say(`The editor could not be loaded: ${error.message}. Reload the page to try again.`),
    );
    return this.opening;
  }

  layOut(openEditor) {
    const { place, head, stub } = this;
    place.setAttribute("role", "group");
    place.setAttribute("aria-label", `Solve ${this.name} here`);
    this.editor = openEditor({
      place: stub.parentElement,
      text: this.answer.source,
      label: `Your ${this.name}`,
      changed: () => this.changed(),
      run: () => this.run(),
    });
    stub.hidden = true;
    this.hideTest();
    const button = (textContent, onclick) => tag("button", head, { type: "button", textContent, onclick });
    head.replaceChildren();
    this.runs = button("Run", () => this.run());
    this.stops = button("Stop", () => this.stop());
    this.stops.hidden = true;
    button("Start over", () => this.startOver());
    button("Take it along", () => this.takeAlong());
    head.append(this.mark);
    tag("p", place, { className: "solve-keys", innerHTML: KEYS });
    place.append(this.status); // comes after the keys
    this.old = tag("p", place, { textContent: OLD, hidden: true });
    this.printed = tag("div", place, { className: "solve-printed", hidden: true });
    this.card = tag("div", place, { className: "solve-card" });
    this.onward = tag("p", place, { hidden: true });
    const [textContent, href] = AT_WORK[this.name] ?? [];
    if (href) tag("a", this.onward, { textContent, href });
    const foot = tag("p", place, { className: "solve-foot" });
    tag("span", foot, { className: "solve-keeps", textContent: keepsNothing ? KEEPS_NOTHING : KEEPS });
    foot.append(USES, TAKEN);
    tag("a", foot, { href: "index.html#three-ways-to-begin", textContent: "the whole course" });
    foot.append(THEN);
    const { judged, source } = this.answer;
    if (judged?.source === source) this.showResult(judged, source);
    return this.editor;
  }

  /** The cell that tests the course's solution: its card, that all passes, is not the reader's. */
  hideTest() {
    const { test } = this.place.dataset;
    const codes = [...document.querySelectorAll(".cell pre")];
    const called = codes.find((code) => code.textContent.trim() === `${test}(${this.name})`);
    called.closest(".cell").hidden = true;
  }

  changed() {
    const text = this.editor.text();
    this.showAge();
    if (text === this.answer.source) return; // it came from another tab
    if (!this.isRunning) this.say("");
    if (!this.isWarm) this.warm();
    this.answer.source = text;
    this.keep();
    this.showMark();
  }

  async warm() {
    this.isWarm = true;
    if (!asking?.isRunning) asking = this;
    try {
      (await theJudge()).warm(this.stem);
    } catch {
      // is said when it is run
    }
  }

  async keep() {
    if (keepsNothing) return;
    try {
      await keep(keyOf(this.place), { ...this.answer });
    } catch {
      keepsNothing = true;
      for (const place of document.querySelectorAll(".solve-keeps")) place.textContent = KEEPS_NOTHING;
    }
  }

  showMark() {
    const { source, passed } = this.answer;
    const now = passed === source ? "✔ passed" : "✔ an earlier version passed";
    this.mark.textContent = passed === null ? "" : now;
  }

  async run() {
    if (this.isRunning) return;
    this.show(true);
    asking = this;
    const { stem, name } = this;
    const source = this.editor.text();
    try {
      const judge = await theJudge();
      this.take(await judge.run({ stem, name, source, answers: this.others() }), source);
    } catch (error) {
      this.say(`The judge could not be loaded: ${error.message}. Reload the page to try again.`);
    }
    this.show(false);
  }

  /** The chapter's other answers, as they passed. */
  others() {
    const passed = panels.filter((panel) => panel !== this && panel.answer.passed !== null);
    return Object.fromEntries(passed.map((panel) => [panel.name, panel.answer.passed]));
  }

  take(result, source) {
    const { status, html, printed, mended } = result;
    const { answer } = this;
    this.result = result;
    if (status === "passed") answer.passed = source;
    else if (answer.passed === source && TAKES_A_PASS.has(status)) answer.passed = null; // another answer has changed
    if (!SAYS_NOTHING.has(status)) answer.judged = { source, status, html, printed };
    this.showResult(result, source);
    this.bringIntoView();
    this.keep();
    this.showMark();
    mended.then((better) => better && this.result === result && this.mend(better));
  }

  /** What was said of this source: now, or in the last run when the page is opened again. */
  showResult({ status, html, printed }, source) {
    this.shown = source;
    this.printed.replaceChildren();
    this.printed.hidden = !printed;
    if (printed) {
      tag("span", this.printed, { textContent: "It printed:" });
      const text = tag("pre", this.printed, { textContent: printed, tabIndex: 0 });
      text.scrollTop = text.scrollHeight; // the last lines count, as in a terminal
    }
    this.card.innerHTML = html;
    this.card.hidden = status === "stopped"; // then there is one sentence and no card
    this.say(TOLD[status] ?? this.card.textContent);
    this.onward.hidden = status !== "passed" || !(this.name in AT_WORK) || keepsNothing;
    this.showAge();
  }

  /** Whether the card is of the text as it is. */
  showAge() {
    this.old.hidden = !this.card.innerHTML || this.card.hidden || this.shown === this.editor.text();
  }

  /** Below a long answer nobody would see that there is a card. */
  bringIntoView() {
    const isLow = this.status.getBoundingClientRect().top > innerHeight / 2;
    const isCut = this.card.getBoundingClientRect().bottom > innerHeight;
    if (isLow && isCut) this.status.scrollIntoView({ block: "center" });
  }

  /** What was written in another tab, so that neither overwrites the other. */
  async adopt(answer) {
    this.answer = answer;
    if (answer.source !== this.given) await this.open();
    this.showMark();
    if (!this.editor) return;
    if (this.editor.text() !== answer.source) this.editor.replace(answer.source);
    if (answer.judged?.source === answer.source && !this.isRunning) this.showResult(answer.judged, answer.source);
  }

  /** The same card with a repair in its folds; what was opened stays open. */
  mend(better) {
    const titles = () => [...this.card.querySelectorAll("summary")];
    const before = new Map(titles().map((title) => [title.textContent, title.parentElement.open]));
    const focused = titles().find((title) => title === document.activeElement)?.textContent;
    this.card.innerHTML = better;
    for (const title of titles()) {
      const fold = title.parentElement;
      fold.open = before.get(title.textContent) ?? fold.open;
      if (title.textContent === focused) title.focus();
    }
    this.answer.judged.html = better;
    this.keep();
  }

  async stop() {
    (await theJudge()).stop();
  }

  /** Whether it runs: of two buttons the one that is of use is there, and has the focus if the other had it. */
  show(isRunning) {
    const [used, of] = isRunning ? [this.runs, this.stops] : [this.stops, this.runs];
    const hadFocus = used === document.activeElement;
    this.isRunning = isRunning;
    used.hidden = true;
    of.hidden = false;
    if (hadFocus) of.focus();
    if (!isRunning) return;
    this.result = null;
    this.printed.replaceChildren();
    this.card.replaceChildren();
    this.showAge();
  }

  startOver() {
    this.editor.replace(this.given);
    this.editor.focus();
    this.say("This is the stub again. Undo brings back what you wrote.");
  }

  async takeAlong() {
    const file = `${this.stem}.ipynb`;
    try {
      const response = await fetch(new URL(`notebooks/${file}`, HERE));
      if (!response.ok) throw new Error(`${file} could not be loaded (${response.status})`);
      const text = JSON.stringify(filled(await response.json()), null, 1);
      const address = URL.createObjectURL(new Blob([text, "\n"], { type: "application/x-ipynb+json" }));
      const link = tag("a", this.place, { href: address, download: file });
      link.click();
      link.remove();
      this.say(`${file} is in your downloads.`);
    } catch (error) {
      this.say(`${error.message}. Press again to try once more.`);
    }
  }

  say(text) {
    this.status.textContent = text;
  }
}

/** The chapter's notebook with what was written in the cells of its stubs. */
function filled(notebook) {
  const written = new Map(panels.map(({ cell, answer }) => [cell, answer.source]));
  for (const cell of notebook.cells) {
    if (written.has(cell.id)) cell.source = written.get(cell.id).match(/[^\n]*\n|[^\n]+/g) ?? [];
  }
  return notebook;
}

const keyOf = ({ dataset }) => `${dataset.stem}/${dataset.solves}`;
const places = [...document.querySelectorAll("[data-solves]")];
const kept = await answersOf(places.map(keyOf)).catch(() => null);
let keepsNothing = !kept;
const panels = places.map((place) => new Panel(place, kept?.get(keyOf(place))));
hearOfOthers((name, answer) => panels.find(({ place }) => keyOf(place) === name)?.adopt(answer));
