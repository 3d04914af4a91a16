// Run by Node when the site is built: Python in Pyodide compiles what a page loads, for it alone has that bytecode.
// Arguments: Pyodide's folder, the course's archive, and the folder in which the three archives are written.

import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [pyodide, course, made] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${pyodide}/pyodide.mjs`));
const python = await loadPyodide({ indexURL: `${pyodide}/`, env: { HOME: "/course" } });
python.unpackArchive(new Uint8Array(readFileSync(course)), "zip", { extractDir: "/course" });
for (const name of python.runPython("from utils.solving.compiling import compile_all; compile_all('/made')")) {
  writeFileSync(`${made}/${name}`, python.FS.readFile(`/made/${name}`));
}
