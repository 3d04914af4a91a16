// Runs said.py beside this file in Pyodide, with what a page loads: node golden.mjs RUNTIME FOLDER, where RUNTIME is of
// write_runtime in utils/solving/packing.py, and FOLDER has asked.json and gets there.json.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";

const HOUR = 3_600_000; // milliseconds, for which a page has been open: Python's process_time() fails from minute 36 on
const now = performance.now.bind(performance);
performance.now = () => now() + HOUR;

const [runtime, folder] = process.argv.slice(2);
const COMPRESSED = ".gzip";
for (const name of readdirSync(runtime).filter((name) => name.endsWith(COMPRESSED))) {
  const file = path.join(runtime, name);
  writeFileSync(file.slice(0, -COMPRESSED.length), gunzipSync(readFileSync(file)));
}
const { loadPyodide } = await import(pathToFileURL(path.join(runtime, "pyodide.mjs")));

// From here on as worker.mjs does
const python = await loadPyodide({ indexURL: `${runtime}/`, env: { HOME: "/course" } });
const bytes = (name) => new Uint8Array(readFileSync(path.join(runtime, name)));
python.unpackArchive(bytes("course.zip"), "zip", { extractDir: "/course" });
const library = python.pyimport("utils.solving.rest");
library.get_when_needed(() => bytes(`rest.zip${COMPRESSED}`));
python.pyimport("utils.solving.inside");
library.tell_what_is_lacking();

for (const [place, root] of [["/golden", import.meta.dirname], ["/files", folder]]) {
  python.FS.mkdirTree(place);
  python.FS.mount(python.FS.filesystems.NODEFS, { root }, place);
}
python.runPython(`
import runpy, sys
sys.argv[1:] = ["/files/asked.json", "/files/there.json"]
runpy.run_path("/golden/said.py", run_name="__main__")
`);
