#!/usr/bin/env bash
# `import sqlite_utils` imports pandas wherever pandas happens to be installed, though nothing of it is used: it only
# adds NumPy's types to a table of column types. A program that keeps a small table waits for all of pandas at its
# start, and with pyarrow beside it for that as well. sqlite-utils names neither among what it depends on.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/imports.py" <<'END'
import importlib.metadata
import sys
import time

began = time.process_time()
import sqlite_utils

took = time.process_time() - began
libraries = [name for name in ("numpy", "pandas", "pyarrow") if name in sys.modules]
needed = [name for name in importlib.metadata.requires("sqlite-utils") if "extra" not in name]
print(f"sqlite-utils {importlib.metadata.version('sqlite-utils')}, which depends on {', '.join(sorted(needed))}")
print(f"    imported in {took:.2f} s with {len(sys.modules)} modules, of {libraries}")
raise SystemExit(libraries != sys.argv[1:])
END
python3 -m venv "$folder/venv"
check() {
  if ! "$folder/venv/bin/python" "$folder/imports.py" "$@"; then
    echo "This has changed." >&2
    exit 1
  fi
}
"$folder/venv/bin/pip" install --quiet sqlite-utils==4.2.1
check
"$folder/venv/bin/pip" install --quiet pandas==3.1.1 pyarrow==26.0.1 || exit 1
check numpy pandas pyarrow
