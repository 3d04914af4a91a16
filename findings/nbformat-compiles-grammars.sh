#!/usr/bin/env bash
# Importing nbformat, to read a notebook, compiles 39 grammars where JupyterLab is installed beside it.
# jupyter-events asks for jsonschema[format-nongpl]; from jsonschema 4.25 on that brings rfc3987-syntax, which makes a
# Lark parser for each rule of RFC 3987 when it is imported, and jsonschema imports it wherever it is there. No notebook
# has such an address checked. With jsonschema 4.24.1 the same import takes about a tenth of the time.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
look='
import importlib.metadata as m, sys, time
try:
    import lark
    made, whole = [], lark.Lark.__init__
    lark.Lark.__init__ = lambda self, *given, **named: (made.append(1), whole(self, *given, **named))[1]
except ModuleNotFoundError:
    made = []
began = time.process_time()
import nbformat
print(len(made), round(time.process_time() - began, 3))
print(sys.version.split()[0], *(f"{name} {m.version(name)}" for name in ("nbformat", "jsonschema")), file=sys.stderr)
'
measured() {
  python3 -m venv "$folder/$1"
  "$folder/$1/bin/pip" install --quiet nbformat==5.10.4 jupyter-events==0.12.1 "jsonschema[format-nongpl]==$1"
  "$folder/$1/bin/python" -c "$look" >/dev/null 2>&1 # compiles the modules' bytecode
  "$folder/$1/bin/python" -c "$look"
}
read -r grammars seconds <<<"$(measured 4.26.0)"
read -r before seconds_before <<<"$(measured 4.24.1)"
echo "import nbformat with jsonschema 4.26.0: $grammars grammars, $seconds s of a processor"
echo "import nbformat with jsonschema 4.24.1: $before grammars, $seconds_before s of a processor"
if [ "$before" -ne 0 ] || [ "$grammars" -lt 30 ]; then
  echo "This has changed." >&2
  exit 1
fi
