// Runs tests/solving/said.py in Pyodide: node golden.mjs PYODIDE ROOT FOLDER, which has more.json and gets said.json.

import path from "node:path";
import { pathToFileURL } from "node:url";

const [folder, root, files] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(path.join(folder, "pyodide.mjs")));
const python = await loadPyodide({ env: { HOME: "/home", COURSE_STATE: "/files" } });
for (const [place, there] of [["/course", root], ["/files", files]]) {
  python.FS.mkdirTree(place);
  python.FS.mount(python.FS.filesystems.NODEFS, { root: there }, place);
}
python.runPython(`
import runpy, sys
sys.dont_write_bytecode = True
sys.path[:0] = ["/course", "/course/utils/solving/stand_ins"]
sys.argv[1:] = ["/files/said.json", "/files/more.json"]
runpy.run_path("/course/tests/solving/said.py", run_name="__main__")
`);
