"""my_gpt/README.md: whose each part is, when it passed, how long it is, and how right the whole is."""

import ast
from collections.abc import Iterable
from itertools import chain
from textwrap import fill

from utils.course import exercises, stems
from utils.learner.keeping import kept_path
from utils.own_gpt.parts import Part, first_passed, in_order, required

MINE = "In the course's folder, `pytest --mine` says which part fails."
AGREES = 1e-3  # of the largest logit: more is another model, not another order of sums
TEXT = """\
# Your own GPT-2

{summary}

```sh
python -m my_gpt "Once upon a time"
python -m my_gpt "Once upon a time" --temperature 0.5 --tokens 300 --seed 1
python -m my_gpt "Alan Turing" --model a/folder/of/gpt2
```

Call it from the folder that holds `my_gpt/`; `python -m my_gpt --help` lists the options. `--model` takes any GPT-2 in
HuggingFace's format, such as OpenAI's. The folder needs nothing of the course: copy it wherever you like. Python needs
{needs} beside it:
`pip install -r my_gpt/requirements.txt`.

## Whose code tells the story

| part | whose | passed | lines |
|---|---|---|---|
{table}

{counted}{problems}{others}

## How right it is

{measured}

## What is where

| | |
|---|---|
| `*.py` in this folder | what you wrote, as it passed; `versions/` has every text that passed before |
| `parts/` | the modules that run: yours with their imports pointed into this package, and borrowed ones |
| `course/` | the course's: reading weights and tokenizers, the command line, the faster loop |
| `model/` | the weights that `python -m my_gpt` reads: a small GPT-2 trained on children's books |

`parts/`, `course/` and this page are written anew after each pass and by `python -m utils generate` in the course's
folder. Change your own files, not those.

**How the text comes about.** `Tokenizer` in `course/` reads the model's merges and vocabulary and calls `bpe_encode`.
`generate_with_cache` makes the tokens while the text fits in the model's window, `generate` those after it; each has
`sample_next_token` choose. A token is printed when it is chosen.

**The faster loop.** `--fast` leaves your forward pass aside: `course/fast.py` takes the weights out of your Transformer
and computes the same logits with fewer and larger steps; `sample_next_token` still chooses. Before a story it compares
its logits with your Transformer's, and if they differ by more than 1e-4 of the largest, your own code goes on. Without
`--fast` every number comes from the parts above.

What is the course's is under the MIT licence ([course/LICENSE](course/LICENSE)). What you wrote is yours.
"""

MEASURED = (
    "With the weights in `model/`, on {positions} positions of two fairy tales, this package's logits differ from "
    "the reference model's by {difference:.2g} at most, where the largest logit is {largest:.1f}. "
    "The likeliest next token is the same at {same} of {positions}. "
    "(Measured when this page was written; the reference's logits are TransformerLens's.) "
)


def readme(parts: list[Part], figures: dict) -> str:
    """The whole page."""
    named = in_order(parts)
    own = [part for part in named if part.yours]
    needs = [f"`{name}`" for name in required(parts)]
    return TEXT.format(
        summary=_filled(_summary(len(own), len(named))),
        needs=f"{', '.join(needs[:-1])} and {needs[-1]}",
        table="\n".join(_row(part) for part in named),
        counted=_filled(_counted(own)),
        problems=_problems(named),
        others=_others({part.symbol for part in named}),
        measured=_filled(_measured(figures)),
    )


def doubt(figures: dict) -> str:
    """What `python -m utils generate` says where the logits are not the reference's, as after a change by hand."""
    if "failed" in figures:
        return f"The Transformer made of these parts stops with {figures['failed'].rstrip('.')}. {MINE}"
    if _agrees(figures):
        return ""
    return f"The logits that these parts make are {figures['difference']:.2g} away from the reference's. {MINE}"


def _agrees(figures: dict) -> bool:
    return figures["difference"] <= AGREES * max(figures["largest"], 1)


def _summary(n_own: int, n_parts: int) -> str:
    if n_own == n_parts:
        return f"A GPT-2 that you wrote, as a Python package: all {n_parts} parts that tell a story are yours."
    rest = n_parts - n_own
    return (
        f"A GPT-2 on its way to be yours, as a Python package: {n_own} of the {n_parts} parts that tell a story are "
        f"yours, {rest} {'is' if rest == 1 else 'are'} borrowed from the course's solutions."
    )


def _row(part: Part) -> str:
    file = f"[{part.symbol}](parts/{part.module}.py)"
    if not part.yours:
        return f"| {file} | borrowed from {part.exercise.stem} | | |"
    return f"| {file} | **yours** | {first_passed(part.exercise)} | {len(_lines(part.source))} |"


def _counted(own: list[Part]) -> str:
    """How much of it the learner wrote; what stands in several files, such as a helper, counts once."""
    if not own:
        return "Nothing of it is yours yet: every part that passes takes the place of a borrowed one."
    once: dict[str, str] = {}
    for part in own:
        for node in _definitions(part.source):
            once[ast.unparse(node)] = ast.get_source_segment(part.source, node) or ""
    lines = "\n".join(once.values()).splitlines()
    total = sum(map(bool, map(str.strip, lines)))
    return (
        "Lines are those of the file, with imports, helpers and what the exercise gave, without blank ones. A helper "
        f"may stand in several files; counted once, your definitions have {total} lines."
    )


def _problems(parts: list[Part]) -> str:
    not_used = [part for part in parts if part.problem]
    if not not_used:
        return ""
    reasons = [f"- `{part.symbol}`: yours is kept in my_gpt/{part.module}.py, but {part.problem}." for part in not_used]
    return "\n\n" + "\n".join(["Borrowed although you have one:", "", *reasons])


def _others(in_the_story: Iterable[str]) -> str:
    """What the learner wrote that no story needs."""
    everything = chain.from_iterable(map(exercises, stems()))
    others = [one for one in everything if one.symbol not in in_the_story]
    kept = [f"[{one.symbol}]({kept_path(one).name})" for one in others if kept_path(one).is_file()]
    if not kept:
        return ""
    text = "Yours too, in files that no story reads; a part that uses one of them has its own copy of it: "
    return "\n\n" + _filled(f"{text}{', '.join(kept)}.")


def _measured(figures: dict) -> str:
    if "failed" in figures:
        return f"This could not be measured. {doubt(figures)}"
    said = MEASURED.format_map(figures)
    return said if _agrees(figures) else f"{said}That is too far. {MINE}"


def _filled(text: str) -> str:
    return fill(text, 120, break_long_words=False, break_on_hyphens=False)


def _lines(source: str) -> list[str]:
    """Its lines without blank ones and without the heading."""
    return [line for line in source.splitlines()[1:] if line.strip()]


def _definitions(source: str) -> list[ast.stmt]:
    return [node for node in ast.parse(source).body if not isinstance(node, (ast.Import, ast.ImportFrom, ast.Expr))]
