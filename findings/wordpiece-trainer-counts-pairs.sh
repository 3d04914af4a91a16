#!/usr/bin/env bash
# The WordPieceTrainer of Hugging Face's tokenizers merges the most frequent pair, as BPE does. WordPiece as its
# authors describe it takes the pair that makes the text most likely, whose count is large beside those of its two
# parts (Schuster and Nakajima 2012; the Hugging Face course computes it so). Here `q` and `z` come only together, six
# times, and `t` and `h` ten times together but eighty times apart: by likelihood `qz` is the first merge, the
# trainer's is `th`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/training.py" <<'END'
import tokenizers
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

print(f"tokenizers {tokenizers.__version__}")
words = ["th"] * 10 + ["t"] * 40 + ["h"] * 40 + ["qz"] * 6


def first_merge(model, trainer):
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.train_from_iterator([" ".join(words)], trainer)
    merged = {token: place for token, place in tokenizer.get_vocab().items() if len(token.strip("#")) > 1}
    return min(merged, key=merged.get)


by_wordpiece = first_merge(models.WordPiece(), trainers.WordPieceTrainer(vocab_size=50, show_progress=False))
by_bpe = first_merge(models.BPE(), trainers.BpeTrainer(vocab_size=50, show_progress=False))
scores = {"th": 10 / (50 * 10), "qz": 6 / (6 * 6)}  # of t at a word's beginning and h behind it, of q and z
print(f"count of the pair over the counts of its parts: {scores}")
print(f"the first merge: {by_wordpiece!r} by WordPieceTrainer, {by_bpe!r} by BpeTrainer")
raise SystemExit((by_wordpiece, by_bpe) != ("th", "th"))
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet tokenizers==0.23.3
if ! "$folder/venv/bin/python" "$folder/training.py"; then
  echo "This has changed." >&2
  exit 1
fi
