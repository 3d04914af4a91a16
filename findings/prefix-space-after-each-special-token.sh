#!/usr/bin/env bash
# tokenizers' ByteLevel(add_prefix_space=True) puts its space not only at the beginning of a text, but after every special
# token too: a special token is cut out first, and what follows it is a beginning of its own. So the parts of a prompt
# that such tokens separate (`<|user|>Hi<|end|>`) do not come back from decode as they went in, and a word after a
# special token has other ids than the same word encoded without a space.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/prefix.py" <<'END'
import tokenizers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

letters = sorted(pre_tokenizers.ByteLevel.alphabet())
text = "x = 1<|end|>y = 2<|end|>"
found = []
print(f"tokenizers {tokenizers.__version__}")
for prefix in (False, True):
    tokenizer = Tokenizer(models.BPE({letter: i for i, letter in enumerate(letters)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(["<|end|>"])
    found.append(tokenizer.decode(tokenizer.encode(text).ids, skip_special_tokens=False))
    print(f"add_prefix_space={prefix}: {text!r} comes back as {found[-1]!r}")
raise SystemExit(found != [text, " x = 1<|end|> y = 2<|end|>"])
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet tokenizers==0.23.3
if ! "$folder/venv/bin/python" "$folder/prefix.py"; then
  echo "This has changed." >&2
  exit 1
fi
