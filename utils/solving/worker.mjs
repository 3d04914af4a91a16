// Judges answers: Python as Pyodide, and in it the course's own judge. Runs in a worker.

import { loadPyodide } from "./solving/pyodide.mjs";

const FILES = new URL("solving/", import.meta.url);
const PACKED = { "pyodide.asm.wasm": "application/wasm", "python_stdlib.zip": "application/zip" };

const fetched = globalThis.fetch;

/** A file that lies compressed in the folder: the servers of static pages seldom compress what they send. */
async function unpacked(name, type) {
  const response = await fetched(new URL(`${name}.gzip`, FILES));
  if (!response.ok) throw new Error(`${name} could not be loaded (${response.status}).`);
  const body = response.body.pipeThrough(new DecompressionStream("gzip"));
  return new Response(body, { headers: { "Content-Type": type } });
}

// Pyodide asks for these two by itself
globalThis.fetch = (address, options) => {
  const name = String(address).replace(FILES.href, "");
  return name in PACKED ? unpacked(name, PACKED[name]) : fetched(address, options);
};

async function createPyodideModule(settings) {
  const script = await unpacked("pyodide.asm.mjs", "text/javascript");
  const address = URL.createObjectURL(await script.blob());
  const { default: create } = await import(address);
  URL.revokeObjectURL(address);
  return create(settings);
}

async function opened() {
  says("Loading Python …");
  const course = unpacked("course.zip", "application/zip").then((response) => response.arrayBuffer());
  const python = await loadPyodide({ indexURL: FILES.href, createPyodideModule, env: { HOME: "/course" } });
  says("Loading the judge …");
  python.unpackArchive(await course, "zip", { extractDir: "/course" });
  return python.pyimport("utils.solving.inside");
}

const says = (text) => postMessage({ kind: "says", text });
let inside = null;

globalThis.onmessage = async ({ data }) => {
  try {
    inside ??= opened();
    const judge = await inside;
    if (data.kind === "warm") {
      judge.warm(data.stem);
      says("");
      return;
    }
    says("Running your code …");
    postMessage({ kind: "begins" });
    const told = judge.judged(data.stem, data.name, data.source, JSON.stringify(data.answers));
    postMessage({ kind: "judged", result: JSON.parse(told) });
    postMessage({ kind: "mended", html: judge.mended() ?? null });
  } catch (error) {
    postMessage({ kind: "broken", text: String(error.message ?? error) });
  }
};
