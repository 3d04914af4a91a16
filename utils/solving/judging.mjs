// The judge of a page: answers are judged in a worker, which is ended where one does not come to its end.

const SECONDS = 20; // for an answer; most take a tenth of one
const LOADING = 120; // seconds for the judge to be loaded, whatever the connection

/** @typedef {{status: string, html: string, printed: string, mended: Promise<string | null>}} Result */

/**
 * Gives answers to the judge. `folder` is where the site's static files are, from the page; `says` is told in a short
 * sentence what goes on.
 */
export function openJudge({ folder, says = () => {} }) {
  const address = new URL("worker.mjs", new URL(folder, document.baseURI));
  let worker = null;
  let waiting = null; // the run that goes on: what settles its promises, and its timer

  function start() {
    worker = new Worker(address, { type: "module" });
    worker.onmessage = ({ data }) => heard(data);
    worker.onerror = (event) => broken(event.message || "worker.mjs could not be loaded.");
  }

  function send(message) {
    if (!worker) start();
    worker.postMessage(message);
  }

  function heard({ kind, ...content }) {
    if (kind === "says") says(content.text);
    else if (kind === "broken") broken(content.text);
    else if (kind === "begins") limit(SECONDS, () => finish(end("endless", ENDLESS)));
    else if (kind === "judged") judged(content.result);
    else if (kind === "mended") waiting?.mend(content.html);
  }

  function limit(seconds, late) {
    clearTimeout(waiting?.timer);
    if (waiting) waiting.timer = setTimeout(late, seconds * 1000);
  }

  function judged(result) {
    if (!waiting) return;
    clearTimeout(waiting.timer);
    says("");
    finish(result);
  }

  function finish(result) {
    waiting?.resolve({ ...result, mended: waiting.mended });
  }

  /** What a run gives that the worker did not come to the end of; the worker is ended. */
  function end(status, text) {
    worker?.terminate();
    worker = null;
    clearTimeout(waiting?.timer);
    waiting?.mend(null);
    says("");
    return { status, html: note(text), printed: "" };
  }

  function broken(text) {
    finish(end("error", `The judge could not be loaded: ${text} Press Run to try again.`));
  }

  return {
    /** The judge's result; `mended` becomes the card with a repair in its folds, or null where none is found. */
    run({ stem, name, source, answers = {} }) {
      if (waiting && !waiting.settled) finish(end("stopped", STOPPED));
      waiting?.mend(null);
      const run = {};
      run.mended = new Promise((resolve) => (run.mend = resolve));
      const result = new Promise((resolve) => {
        run.resolve = (value) => {
          run.settled = true;
          resolve(value);
        };
      });
      waiting = run;
      limit(LOADING, () => broken("it takes too long."));
      send({ kind: "run", stem, name, source, answers });
      return result;
    },

    /** Load what a run needs. */
    warm(stem) {
      send({ kind: "warm", stem });
    },

    /** End the run that goes on. */
    stop() {
      if (waiting && !waiting.settled) finish(end("stopped", STOPPED));
    },
  };
}

const ENDLESS = `Your code did not come to an end within ${SECONDS} seconds, so it was ended. Is there a loop that never stops?`;
const STOPPED = "Stopped.";

/** A card that says one thing. */
function note(text) {
  const card = document.createElement("div");
  card.style.cssText = "border-left:4px solid #a87400;padding:.5em .9em;margin:.3em 0";
  card.textContent = text;
  return card.outerHTML;
}
