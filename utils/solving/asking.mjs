// What a reader's own functions give: the answers that passed on the chapters' pages are called in a worker.

import { answersOf } from "./kept.mjs";
import { openPython } from "./opening.mjs";

const SECONDS = 60; // for Python to be loaded and the functions to be called

let worker = null; // one for all questions of a page, since each loads Python
let current = null; // the question that the worker has not answered yet
let last = Promise.resolve(); // settles once no question is left

/** The sources of the answers to these exercises that passed, by name; none where the browser keeps nothing. */
export async function passedAnswers(stem, names) {
  const kept = await answersOf(names.map((name) => `${stem}/${name}`)).catch(() => new Map());
  const passed = names.map((name) => [name, kept.get(`${stem}/${name}`)?.passed]);
  return Object.fromEntries(passed.filter(([, source]) => source));
}

/**
 * What one of ASKED in inside.py gives for these answers. Rejects where they break off, or Python can't be loaded; the
 * next question begins anew then. Questions are put one after the other: one that breaks off takes no other with it.
 */
export function ask(answers, what, ...given) {
  const asked = last.then(() => put({ kind: "ask", what, given, answers }));
  last = asked.catch(() => {});
  return asked;
}

function put(question) {
  worker ??= openPython(heard);
  const answered = new Promise((resolve, reject) => (current = { resolve, reject }));
  const late = setTimeout(() => broken(`no answer within ${SECONDS} seconds`), SECONDS * 1000);
  worker.post(question);
  return answered.finally(() => clearTimeout(late));
}

function heard({ kind, text, wrong, given }) {
  if (kind === "says") return;
  if (kind !== "answered") broken(text);
  else if (wrong) current.reject(new Error(wrong));
  else current.resolve(given);
}

function broken(text) {
  worker.end();
  worker = null;
  current.reject(new Error(text));
}
