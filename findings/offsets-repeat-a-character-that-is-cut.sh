#!/usr/bin/env bash
# tokenizers' offsets count characters, also where tokens are made of bytes. A character that falls into several tokens is
# the whole of each of them: the slices of a text by its tokens' offsets, put together, are longer than the text, and a
# page that marks tokens by their offsets shows such a character once for each of its bytes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/offsets.py" <<'END'
import tokenizers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

print(f"tokenizers {tokenizers.__version__}")
tokenizer = Tokenizer(models.BPE())
tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
tokenizer.decoder = decoders.ByteLevel()
alphabet = pre_tokenizers.ByteLevel.alphabet()
tokenizer.train_from_iterator(["a tree"], trainers.BpeTrainer(initial_alphabet=alphabet, show_progress=False))
text = "a 木 b"
encoding = tokenizer.encode(text)
slices = [text[start:end] for start, end in encoding.offsets]
print(f"{text!r}: tokens {encoding.tokens}, offsets {encoding.offsets}")
print(f"slices put together: {''.join(slices)!r}; decoded: {tokenizer.decode(encoding.ids)!r}")
raise SystemExit(slices.count("木") != 3 or tokenizer.decode(encoding.ids) != text)
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet tokenizers==0.23.3
if ! "$folder/venv/bin/python" "$folder/offsets.py"; then
  echo "This has changed." >&2
  exit 1
fi
