#!/usr/bin/env bash
# pandas' to_csv quotes a field for a comma, a quote or a line feed in it, and not for a carriage return alone; its
# read_csv takes that for the end of a row. So a table of a byte-level vocabulary, which has a token "\r" and some that
# contain one, comes back with the first one empty, the others cut in two, and more rows than it had, without a word. It
# is Python's csv.writer that quotes "\r" only where rows end in it: with lineterminator="\r\n" all comes back.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/rows.py" <<'END'
import io
import platform

import pandas as pd

table = pd.DataFrame({"id": [0, 1, 2, 3], "token": ["the", "\r", "}\r}", "cat"]})
print(f"pandas {pd.__version__}, Python {platform.python_version()}")
print(f"the table:       {table.values.tolist()}")
found = []
for end in ("\n", "\r\n"):
    text = table.to_csv(index=False, lineterminator=end)
    found.append(pd.read_csv(io.StringIO(text, newline=""), keep_default_na=False).values.tolist())
    print(f"with {end!r}:".ljust(17) + f"{found[-1]}, of {text!r}")
split = [["0", "the"], ["1", ""], ["2", "}"], ["}", ""], ["3", "cat"]]
raise SystemExit(found != [split, table.values.tolist()])
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pandas==3.1.1
if ! "$folder/venv/bin/python" "$folder/rows.py"; then
  echo "This has changed." >&2
  exit 1
fi
