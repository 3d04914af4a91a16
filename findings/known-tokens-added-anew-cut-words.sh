#!/usr/bin/env bash
# add_tokens of a token that the vocabulary has already adds nothing to it, and yet other words are cut otherwise from
# then on: an added token is cut out of a text before anything else, in the middle of words too. With "arg" added,
# " arguments", one token until then, is four. A tokenizer given a list of "words to keep whole" loses longer ones by it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/tokens.py" <<'END'
import argparse
import inspect

import tokenizers
from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers, trainers


def trained():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    letters = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=800, initial_alphabet=letters, show_progress=False)
    tokenizer.train_from_iterator([inspect.getsource(argparse)], trainer)
    return tokenizer


print(f"tokenizers {tokenizers.__version__}")
lengths = {}
for name, token in (("'arg'", "arg"), ("'arg', single_word=True", AddedToken("arg", single_word=True))):
    tokenizer = trained()
    number = tokenizer.token_to_id("arg")
    size, before = tokenizer.get_vocab_size(), tokenizer.encode(" arguments").tokens
    told = tokenizer.add_tokens([token])
    after = tokenizer.encode(" arguments").tokens
    same = number is not None and tokenizer.token_to_id("arg") == number and tokenizer.get_vocab_size() == size
    print(f"add_tokens of {name} returns {told}; vocabulary and number as before: {same}; {before} → {after}")
    lengths[name] = len(before), len(after), same
raise SystemExit(list(lengths.values()) != [(1, 4, True), (1, 1, True)])
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet tokenizers==0.23.3
if ! "$folder/venv/bin/python" "$folder/tokens.py"; then
  echo "This has changed." >&2
  exit 1
fi
