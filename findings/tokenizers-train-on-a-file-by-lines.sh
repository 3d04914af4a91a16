#!/usr/bin/env bash
# Hugging Face's tokenizers learn less from a file than from its text. `train` reads a file line by line, so that
# nothing behind a line break is ever beside it: with a pattern that keeps white space together, no token begins
# before a line break and ends after it. `train_from_iterator` of the same text learns such tokens. Both then cut
# whole texts, so the tokenizer that was trained on the file meets breaks in the middle of words that it could not
# learn.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/training.py" <<'END'
import sys
from pathlib import Path

import tokenizers
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

print(f"tokenizers {tokenizers.__version__}")
text = "a tale\n\nanother tale\n\n\n" * 40
file = Path(sys.argv[1], "tales.txt")
file.write_text(text, encoding="utf-8")


def trained(train):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", behavior="isolated")
    train(tokenizer, trainers.BpeTrainer(vocab_size=100, show_progress=False))
    return tokenizer


by_file = trained(lambda tokenizer, trainer: tokenizer.train([str(file)], trainer))
by_text = trained(lambda tokenizer, trainer: tokenizer.train_from_iterator([text], trainer))
across = [
    sorted(token for token in tokenizer.get_vocab() if "\n" in token[:-1]) for tokenizer in (by_file, by_text)
]
print(f"tokens that go on behind a line break: {len(across[0])} from the file, {len(across[1])} from its text")
print(f"such as {across[1][:3]}")
cut = [tokenizer.encode("tale\n\nanother").tokens for tokenizer in (by_file, by_text)]
print(f"'tale\\n\\nanother' is {cut[0]} and {cut[1]}")
raise SystemExit(not (not across[0] and across[1] and len(cut[0]) > len(cut[1])))
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet tokenizers==0.23.3
if ! "$folder/venv/bin/python" "$folder/training.py" "$folder"; then
  echo "This has changed." >&2
  exit 1
fi
