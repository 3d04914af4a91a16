#!/usr/bin/env bash
# One call of a transformers tokenizer with truncation=True leaves its max_length in the tokenizer, and save_pretrained
# writes it into tokenizer.json. transformers sets its own at each call, so nothing is seen of it there; but
# `tokenizers`, and whatever else reads the file, cuts every text at that length from then on.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/truncating.py" <<'END'
import sys
from importlib.metadata import version

from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import AutoTokenizer, PreTrainedTokenizerFast

folder, text = sys.argv[1], "a b a b a b a b"
made = Tokenizer(models.WordLevel({"a": 0, "b": 1, "?": 2}, unk_token="?"))
made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=made, unk_token="?")


def lengths():
    tokenizer.save_pretrained(folder)
    read = Tokenizer.from_file(f"{folder}/tokenizer.json")
    return len(AutoTokenizer.from_pretrained(folder)(text)["input_ids"]), len(read.encode(text).ids)


print(f"transformers {version('transformers')}, tokenizers {version('tokenizers')}: a text of 8 tokens")
before = lengths()
print("saved at first: transformers has {} of it, tokenizers {}".format(*before))
tokenizer(text, truncation=True, max_length=3)
after = lengths()
print("saved after a call with max_length=3: transformers has {} of it, tokenizers {}".format(*after))
raise SystemExit((before, after) != ((8, 8), (8, 3)))
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet transformers==5.23.0 tokenizers==0.23.3
if ! "$folder/venv/bin/python" "$folder/truncating.py" "$folder/saved" 2>"$folder/warned"; then
  echo "This has changed." >&2
  exit 1
fi
