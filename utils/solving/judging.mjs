// The judge of a page: answers are judged in a worker, and an answer that does not finish is ended with its worker.

import { openPython } from "./opening.mjs";

const SECONDS = 30; // for an answer; the judge ends most that are endless after 5, and names the loop
const LOADING = 180; // seconds, for a slow connection
const MENDING = 20; // seconds in which a repair is looked for
const STOPPED = "Stopped.";
const ENDLESS =
  `Your code did not finish within ${SECONDS} seconds, so it was ended. ` +
  "Does it wait for something, or is there a loop that never stops?";
const CRASHED =
  "Python itself crashed while your code ran: probably memory or the stack was used up, or your code ended it, as " +
  "os._exit does. Does a value grow, or lie within another, without end?";
const BROKEN = "The judge itself broke down while your code ran";
const AGAIN = "Press Run to try again.";
const REPLACED = "Replaced by a later run.";
const TOO_OLD = "This browser is too old to run Python: that takes Chrome 97, Firefox 114, Safari 16.4, or a later one.";
const isTooOld = !("DecompressionStream" in globalThis && "findLast" in []); // about as late as what it takes

/** Gives answers to the judge. `says` is told in a short sentence what goes on, and "" once nothing does. */
export function openJudge({ says = () => {} } = {}) {
  let worker = null;
  let mender = null; // looks for a repair in another worker, so that the next run need not wait
  let run = null; // that goes on

  function send(message) {
    worker ??= openPython(heard);
    worker.post(message);
  }

  function heard(told) {
    if (told.kind === "says") says(told.text);
    else if (told.kind === "begins") begins();
    else if (told.kind === "judged") judged(told.result);
    else if (told.kind === "crashed") end("ended", CRASHED);
    else end("no judge", isTooOld ? TOO_OLD : broken(told.text));
  }

  function broken(text) {
    return `${run?.hasBegun ? BROKEN : "The judge could not be loaded"}: ${lastLine(text)}. ${AGAIN}`;
  }

  function begins() {
    if (run) run.hasBegun = true;
    limit(SECONDS, () => end("ended", ENDLESS));
  }

  function limit(seconds, late) {
    clearTimeout(run?.timer);
    if (run) run.timer = setTimeout(late, seconds * 1000);
  }

  function judged({ may_be_mended, ...result }) {
    if (run) finish({ ...result, mended: may_be_mended ? mended(run.answer) : Promise.resolve(null) });
  }

  function finish(result) {
    clearTimeout(run.timer);
    run.resolve(result);
    run = null;
    says("");
  }

  /** End the worker, and with it the run that goes on. */
  function end(status, text) {
    worker?.end();
    worker = null;
    if (run) finish({ status, html: note(text), printed: "", mended: Promise.resolve(null) });
    else says("");
  }

  /** The card with a repair; null where none is found in time, or another is looked for. */
  function mended(answer) {
    return new Promise((resolve) => {
      let timer;
      const searching = openPython((told) => {
        if (told.kind === "begins") within(MENDING);
        else if (told.kind !== "says") give(told.kind === "mended" ? told.html : null);
      });
      function within(seconds) {
        clearTimeout(timer);
        timer = setTimeout(() => give(null), seconds * 1000);
      }
      function give(html) {
        clearTimeout(timer);
        searching.end();
        mender = null;
        resolve(html);
      }
      mender = { give };
      within(LOADING);
      searching.post({ kind: "mend", ...answer });
    });
  }

  return {
    /**
     * Judge an answer: `source` defines `name`, and `answers` has sources of the chapter's other exercises that passed.
     * Gives { status, html, printed, mended }. The status is "passed", "failed", "not yet", "error" where the code does
     * not even run, "ended", "stopped" or "no judge". `html` is the card, and `mended` a promise: of the card with a
     * repair in its folds, or of null.
     */
    run({ stem, name, source, answers = {} }) {
      mender?.give(null);
      if (run) end("stopped", REPLACED);
      return new Promise((resolve) => {
        const answer = { stem, name, source, answers };
        run = { answer, resolve };
        limit(LOADING, () => end("no judge", `The judge could not be loaded in time. ${AGAIN}`));
        send({ kind: "run", ...answer });
      });
    },

    /** Load what a run needs. */
    warm(stem) {
      send({ kind: "warm", stem });
    },

    /** End the run that goes on. */
    stop() {
      if (run) end("stopped", STOPPED);
    },
  };
}

/** Of an error of Python's that is what it is, behind where it was. */
function lastLine(text) {
  return text.trimEnd().split("\n").at(-1).replace(/\.$/, "");
}

/** A card that says one thing. */
function note(text) {
  const card = document.createElement("div");
  card.style.cssText = "border-left:4px solid #a87400;padding:.5em .9em;margin:.3em 0;line-height:1.5;max-width:60em";
  card.textContent = text;
  return card.outerHTML;
}
