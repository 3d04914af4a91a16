// Judges answers in a worker: Python as Pyodide, and in it the course's own judge.

import { loadPyodide } from "./solving/pyodide.mjs";

const FILES = new URL("solving/", import.meta.url);
const PACKED = { "pyodide.asm.wasm": "application/wasm", "python_stdlib.zip": "application/zip" };
const MOST_MEMORY = 768 * 2 ** 20; // bytes, of which Python and the judge take 60 MB
const COMPRESSED = ".gzip";
const { fetch } = globalThis;
const arrived = { "pyodide.asm.wasm": arrival(), "python_stdlib.zip": arrival() };

/** A promise, and what fulfils it: Promise.withResolvers, which browsers have only since 2023 or 2024. */
function arrival() {
  let resolve;
  const promise = new Promise((done) => (resolve = done));
  return { promise, resolve };
}

/** A file that lies compressed in the folder, since the servers of static pages seldom compress what they send. */
async function unpacked(name, type) {
  const response = await fetch(new URL(name + COMPRESSED, FILES));
  if (!response.ok) throw new Error(`${name} could not be loaded (${response.status})`);
  const all = new TransformStream({ flush: () => arrived[name]?.resolve() });
  const body = response.body.pipeThrough(new DecompressionStream("gzip")).pipeThrough(all);
  return new Response(body, { headers: { "Content-Type": type } });
}

// Pyodide asks for these two by itself
globalThis.fetch = (address, options) => {
  const name = String(address).replace(FILES.href, "");
  return name in PACKED ? unpacked(name, PACKED[name]) : fetch(address, options);
};

// Code that takes more gets a MemoryError, and goes on; without a limit it would end Python, or the page's process
const { grow } = WebAssembly.Memory.prototype;
WebAssembly.Memory.prototype.grow = function (pages) {
  if (this.buffer.byteLength + pages * 2 ** 16 > MOST_MEMORY) throw new RangeError("no more memory is allowed");
  return grow.call(this, pages);
};

/** In place of the module that Pyodide would import from its folder, where it lies compressed. */
async function createPyodideModule(settings) {
  const script = await (await unpacked("pyodide.asm.mjs", "text/javascript")).blob();
  const address = URL.createObjectURL(script);
  const { default: create } = await import(address);
  URL.revokeObjectURL(address);
  return create(settings);
}

/** The rest of Python's library. The request blocks, since an import within Python can't wait for a promise. */
function rest() {
  const request = new XMLHttpRequest();
  request.open("GET", new URL(`rest.zip${COMPRESSED}`, FILES), false);
  request.responseType = "arraybuffer";
  request.send();
  if (request.status !== 200) throw new Error(`Python's library could not be loaded (${request.status})`);
  return new Uint8Array(request.response);
}

/** The course. It is fetched once Python's own files are here, which it would delay, and comes while Python starts. */
async function course() {
  for (const { promise } of Object.values(arrived)) await promise;
  return (await unpacked("course.zip", "application/zip")).arrayBuffer();
}

async function opened() {
  says("Loading Python …");
  const files = course();
  const python = await loadPyodide({ indexURL: FILES.href, createPyodideModule, env: { HOME: "/course" } });
  says("Loading the judge …");
  python.unpackArchive(await files, "zip", { extractDir: "/course" });
  const library = python.pyimport("utils.solving.rest");
  library.get_when_needed(rest);
  const inside = python.pyimport("utils.solving.inside");
  library.tell_what_is_lacking();
  return inside;
}

const says = (text) => postMessage({ kind: "says", text });
let inside = null;

globalThis.onmessage = async ({ data }) => {
  try {
    inside ??= opened();
    const judge = await inside;
    const answer = [data.stem, data.name, data.source, JSON.stringify(data.answers)];
    if (data.kind === "ask") {
      const told = judge.asked(data.what, JSON.stringify(data.given), JSON.stringify(data.answers));
      postMessage({ kind: "answered", ...JSON.parse(told) });
    } else if (data.kind === "warm") {
      judge.warm(data.stem);
      says("");
    } else if (data.kind === "mend") {
      postMessage({ kind: "begins" });
      postMessage({ kind: "mended", html: judge.mended_html(...answer) || null });
    } else {
      says("Running your code …");
      postMessage({ kind: "begins" });
      postMessage({ kind: "judged", result: JSON.parse(judge.as_json(...answer)) });
    }
  } catch (error) {
    postMessage({ kind: error.pyodide_fatal_error ? "crashed" : "broken", text: String(error.message ?? error) });
  }
};
