#!/usr/bin/env bash
# datasets' `Dataset.from_generator` keeps what a generator gave under a fingerprint of its code. A generator that reads a
# file gives the old rows after the file has changed, in the same process and in the next, without a warning.
# `Dataset.from_text` looks at the file's time and size and reads the new ones.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/rows.py" <<'END'
import os
import tempfile

cache = tempfile.TemporaryDirectory()
os.environ["HF_DATASETS_CACHE"] = cache.name
import datasets

print(f"datasets {datasets.__version__}")
datasets.disable_progress_bars()
file = os.path.join(cache.name, "texts.txt")


def texts():
    with open(file) as lines:
        for line in lines:
            yield {"text": line.strip()}


found = []
for content in ("old\n", "new\nnewer\n"):
    with open(file, "w") as written:
        written.write(content)
    found.append((datasets.Dataset.from_generator(texts)["text"][:], datasets.Dataset.from_text(file)["text"][:]))
    print("the file holds {!r}: from_generator gives {}, from_text {}".format(content, *found[-1]))
raise SystemExit(found != [(["old"], ["old"]), (["old"], ["new", "newer"])])
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet datasets==5.2.0
if ! "$folder/venv/bin/python" "$folder/rows.py"; then
  echo "This has changed." >&2
  exit 1
fi
