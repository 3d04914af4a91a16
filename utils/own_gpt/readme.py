"""my_gpt/README.md: whose each part is, when it passed, how long it is, and how right the whole is.

Its text is templates/README.txt; what differs from learner to learner stands there in braces.
"""

import ast
from pathlib import Path
from textwrap import fill

from utils.course import all_exercises
from utils.learner.keeping import kept_path
from utils.learner.progress import day_of_pass
from utils.own_gpt.parts import Part, in_order, required

TEXT = Path(__file__).parent / "templates" / "README.txt"
NO_DEFINITIONS = (ast.Import, ast.ImportFrom, ast.Expr)
AGREES = 1e-3  # of the largest logit: more is another model, not another order of sums
MINE = "In the course's folder, `pytest --mine` says which part fails."
ALL_YOURS = "A GPT-2 that you wrote, as a Python package: all {n_parts} parts that tell a story are yours."
ON_ITS_WAY = (
    "A GPT-2 on its way to be yours, as a Python package: "
    "{n_own} of the {n_parts} parts that tell a story are yours, "
    "{borrowed} borrowed from the course's solutions."
)
NOTHING_YET = "Nothing of it is yours yet: every part that passes takes the place of a borrowed one."
COUNTED = (
    "Lines are those of the file, with imports, helpers and what the exercise gave, "
    "without blank ones. A helper may stand in several files; "
    "counted once, your definitions have {total} lines."
)
OTHERS = "Yours too, in files that no story reads; a part that uses one of them has its own copy of it: "
MEASURED = (
    "With the weights in `model/`, on {positions} positions of two fairy tales, "
    "this package's logits differ from the reference model's by {difference:.2g} at most, "
    "where the largest logit is {largest:.1f}. "
    "The likeliest next token is the same at {same} of {positions}. "
    "(Measured when this page was written; the reference's logits are TransformerLens's.) "
)
FIGURES = {"positions", "difference", "largest", "same"}


def readme(parts: list[Part], figures: dict) -> str:
    """The whole page."""
    named = in_order(parts)
    own = [part for part in named if part.yours]
    *needs, last = [f"`{name}`" for name in required(parts)]
    return TEXT.read_text(encoding="utf-8").format(
        summary=_filled(_summary(len(own), len(named))),
        needs=f"{', '.join(needs)} and {last}",
        table="\n".join(map(_row, named)),
        counted=_filled(_counted(own)),
        problems=_problems(named),
        others=_others(named),
        measured=_filled(_measured(figures)),
    )


def doubt(figures: dict) -> str:
    """What `python -m utils generate` says where the logits are not the reference's, as after a change by hand."""
    if "failed" in figures:
        reason = figures["failed"].rstrip(".")
        return f"The Transformer made of these parts stops with {reason}. {MINE}"
    if _agrees(figures):
        return ""
    apart = f"{figures['difference']:.2g} away from the reference's"
    return f"The logits that these parts make are {apart}. {MINE}"


def _agrees(figures: dict) -> bool:
    return figures["difference"] <= AGREES * max(figures["largest"], 1)


def _summary(n_own: int, n_parts: int) -> str:
    rest = n_parts - n_own
    text = ON_ITS_WAY if rest else ALL_YOURS
    borrowed = "1 is" if rest == 1 else f"{rest} are"
    return text.format(n_own=n_own, n_parts=n_parts, borrowed=borrowed)


def _row(part: Part) -> str:
    file = f"[{part.symbol}](parts/{part.module}.py)"
    if not part.yours:
        return f"| {file} | borrowed from {part.exercise.stem} | | |"
    _, *lines = part.source.splitlines()  # without the heading
    written = sum(map(bool, map(str.strip, lines)))
    return f"| {file} | **yours** | {day_of_pass(part.exercise)} | {written} |"


def _counted(own: list[Part]) -> str:
    """How much of it the learner wrote; what stands in several files, such as a helper, counts once."""
    if not own:
        return NOTHING_YET
    once: dict[str, str] = {}
    for part in own:
        for node in ast.parse(part.source).body:
            if not isinstance(node, NO_DEFINITIONS):
                written = ast.get_source_segment(part.source, node)
                once[ast.unparse(node)] = written or ""
    lines = "\n".join(once.values()).splitlines()
    return COUNTED.format(total=sum(map(bool, map(str.strip, lines))))


def _problems(parts: list[Part]) -> str:
    lines = [
        f"- `{part.symbol}`: yours is kept in my_gpt/{part.module}.py, but {part.problem}."
        for part in parts
        if part.problem
    ]
    return "\n\n" + "\n".join(["Borrowed although you have one:", "", *lines]) if lines else ""


def _others(parts: list[Part]) -> str:
    """What the learner wrote that no story needs."""
    in_the_story = {part.exercise.symbol for part in parts}
    others = [one for one in all_exercises() if one.symbol not in in_the_story]
    kept = [one for one in others if kept_path(one).is_file()]
    if not kept:
        return ""
    links = [f"[{one.symbol}]({kept_path(one).name})" for one in kept]
    return "\n\n" + _filled(f"{OTHERS}{', '.join(links)}.")


def _measured(figures: dict) -> str:
    if "failed" in figures:
        return f"This could not be measured. {doubt(figures)}"
    said = MEASURED.format_map(figures)
    return said if _agrees(figures) else f"{said}That is too far. {MINE}"


def _filled(text: str) -> str:
    return fill(text, 120, break_long_words=False, break_on_hyphens=False)
