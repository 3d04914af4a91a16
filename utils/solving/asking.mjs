// What a reader's own functions give: the answers that passed on the chapters' pages are called in a worker.

import { answersOf } from "./kept.mjs";

const SECONDS = 60; // for Python to be loaded and the functions to be called

/** The sources of the answers to these exercises that passed, by name; none where the browser keeps nothing. */
export async function passedAnswers(stem, names) {
  const kept = await answersOf(names.map((name) => `${stem}/${name}`)).catch(() => new Map());
  const passed = names.map((name) => [name, kept.get(`${stem}/${name}`)?.passed]);
  return Object.fromEntries(passed.filter(([, source]) => source));
}

/**
 * A function that asks these answers: `ask(what, ...given)` is what one of ASKED in inside.py gives. It rejects where
 * the answers break off, or Python can't be loaded; the next question begins anew then.
 */
export function openAnswers(answers) {
  const address = new URL("worker.mjs", import.meta.url);
  let worker = null;
  let waiting = []; // of the questions asked, the first first

  function heard({ kind, text, wrong, given }) {
    if (kind === "says") return;
    if (kind !== "answered") broken(text);
    else if (wrong) waiting.shift().reject(new Error(wrong));
    else waiting.shift().resolve(given);
  }

  function broken(text) {
    worker?.terminate();
    worker = null;
    for (const { reject } of waiting.splice(0)) reject(new Error(text));
  }

  return function ask(what, ...given) {
    if (!worker) {
      worker = new Worker(address, { type: "module" });
      worker.onmessage = ({ data }) => heard(data);
      worker.onerror = ({ message }) => broken(message || "worker.mjs could not be loaded");
    }
    const late = setTimeout(() => broken(`no answer within ${SECONDS} seconds`), SECONDS * 1000);
    const asked = new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    worker.postMessage({ kind: "ask", what, given, answers });
    return asked.finally(() => clearTimeout(late));
  };
}
