"""Writes my_gpt/ as a package: after a pass, and for `python -m utils generate`. Only what has changed is written.

What the learner wrote is in my_gpt/<name>.py and is only read here. A written file that somebody changed since is put
among the versions before it is written anew, so nothing is lost.

Its README.md says whose each part is, when it passed, how long it is, and how right the whole is. The text is
templates/README.txt; what differs from learner to learner stands there in braces.
"""

import ast
import errno
import filecmp
import hashlib
import json
import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from textwrap import fill
from typing import Any

from utils.course import ROOT, all_exercises, state_dir
from utils.course.files import replacing, write_text
from utils.learner.collecting import remember, saved_here
from utils.learner.keeping import kept_path
from utils.learner.progress import day_of_pass
from utils.own_gpt.loading import BUNDLED, tried
from utils.own_gpt.parts import MODERN_STORY, STORY, Part, assemble, in_order, required, side_by_side, taken_by

MODEL_FILES = (*("README.md", "config.json", "model.safetensors"), *("tokenizer.json", "tokenizer_config.json"))
PIECES = "parts/pieces.py"  # which names all parts
HERE = Path(__file__).parent
TEMPLATES = HERE / "templates"
SHARED = {  # by their places in the package: what the course itself uses too
    "course/options.py": HERE / "options.py",
    "course/threads.py": HERE / "threads.py",
    "course/parsing.py": ROOT / "utils" / "learner" / "parsing.py",
    "course/spelling.py": ROOT / "judge" / "running" / "spelling.py",
    "course/config.py": ROOT / "utils" / "config.py",
    "course/LICENSE": ROOT / "LICENSE",
    **{f"course/{module.name}": module for module in (ROOT / "utils" / "model_folder").glob("[!_]*.py")},
}
NOTES = "written.json"
# All that was ever written in a subfolder, and may be taken away there
WRITTEN = re.compile(r"(parts|course)/\w+(\.py)?")
# What reading damaged notes may raise
UNREADABLE = (OSError, ValueError, TypeError, AttributeError, RecursionError)
ROOM = 20 * 2**20  # bytes that stay free for what the learner writes
README = TEMPLATES / "README.txt"
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
SINCE = """\
## Models since GPT-2

With `--model` a Llama, a Mistral without a sliding window and a Qwen 3 tell stories too, such as SmolLM2-135M:
chapter 12's `ModernTransformer` takes the place of `Transformer`. What changes the computation is refused in a
sentence: scaled rotary positions, as Llama 3.1's, biases, windows and quantised weights. These parts come to those
above:

| part | whose | passed | lines |
|---|---|---|---|
{table}{problems}

`generate` makes these stories. Of each token your `project` makes the keys and values once, and `course/since_gpt2.py`
keeps them for your `attend`. Before that it compares the logits with those of the whole text in one; where they
differ, each token reads the whole text anew. A tokenizer of another kind than GPT-2's is none that `bpe_encode` can
read: the library `tokenizers` reads it, which is not yours, and the command says so.

"""
MEASURED = (
    "With the weights in `model/`, on {positions} positions of two fairy tales, "
    "this package's logits differ from the reference model's by {difference:.2g} at most, "
    "where the largest logit is {largest:.1f}. "
    "The likeliest next token is the same at {same} of {positions}. "
    "(Measured when this page was written; the reference's logits are TransformerLens's.) "
)
FIGURES = {"positions", "difference", "largest", "same"}


def write_package() -> list[Part]:
    """Write the package into my_gpt/, and return its parts, those first that others use.

    Two notebooks may pass at once: whoever wrote looks once more whether all is as it was read. Raises OSError where
    something can't be written.
    """
    folder = state_dir() / "my_gpt"
    while True:
        read = _digest(assemble({}))
        notes = _notes(folder)
        if notes.get("read") != read:
            notes |= {"read": read, **_tried(folder, notes)}
        parts = assemble(notes["broken"])
        page = {"README.md": readme(parts, notes["measured"])}
        _write(folder, _files(parts) | page, notes)
        if _digest(assemble({})) == read:
            break
    for name in MODEL_FILES:
        _copy(BUNDLED / name, folder / "model" / name)
    return parts


def doubt_now() -> str:
    """What is to be said of the package as it was written last: that its logits are wrong; "" where they are right."""
    notes = _notes(state_dir() / "my_gpt")
    return doubt(notes["measured"]) if notes else ""


def _tried(folder: Path, notes: dict[str, Any]) -> dict[str, Any]:
    """Write the parts and import them, one after another: which can't be used, and what the others measure.

    What a test has run before, here or when it was kept, is safe to run; what was changed by hand may do anything.
    """
    broken: dict[str, str] = {}
    run_before = set(notes.get("run", [])) | set(map(_sha, saved_here))
    while True:
        parts = assemble(broken)
        _write(folder, _files(parts), notes)
        own = {_sha(kept_path(part.exercise).read_bytes()) for part in parts if part.yours}
        found, measured = tried(folder, parts, apart=not own <= run_before)
        if found is None or found[0] in broken:
            run = sorted(own) if "difference" in measured else []
            return {"broken": broken, "measured": measured, "run": run}
        broken |= dict([found])


def _files(parts: list[Part]) -> dict[str, str]:
    """The texts of the package, by their places in it."""
    templates = TEMPLATES.rglob("*.py")
    paths = {path.relative_to(TEMPLATES).as_posix(): path for path in templates}
    paths |= SHARED
    texts = {name: side_by_side(path.read_text(encoding="utf-8")) for name, path in paths.items()}
    texts |= {f"parts/{part.module}.py": part.source for part in parts}
    named = [part for part in parts if part.exercise.test]
    modules = "".join(f'    "{part.symbol}": "{part.module}",\n' for part in named)
    texts[PIECES] = texts[PIECES].replace("{}", f"{{\n{modules}}}", 1)
    texts["requirements.txt"] = "\n".join(required(parts)) + "\n"
    return texts


def _write(folder: Path, files: Mapping[str, str], notes: dict[str, Any]) -> None:
    """Bring these files to this state, note it, and remember what was changed by others; what is left over goes."""
    written = dict(notes.get("files", {}))
    ours = {name for name in written if name.startswith(("parts/", "course/"))}
    for name in ours - files.keys():
        _bring(folder, name, None, written.pop(name))
    for name, text in files.items():
        _bring(folder, name, text, written.get(name))
        written[name] = _sha(text.encode())
    notes["files"] = written
    write_text(folder / NOTES, json.dumps(notes, indent=1) + "\n")


def _bring(folder: Path, name: str, text: str | None, written: str | None) -> None:
    """Give a file this text, or take it away; `written` is the digest of what we wrote there last."""
    file = folder / name
    old = file.read_bytes() if file.is_file() else None
    new = None if text is None else text.encode()
    if old == new:
        return
    if old is not None and _sha(old) != written:
        remember(old, folder / name.replace("/", "."))
    if text is None:
        file.unlink()
    else:
        write_text(file, text)


def _copy(source: Path, file: Path) -> None:
    """Copy a large file where it is not there yet; whole or not at all, and only where ROOM is left beside it."""
    if file.is_file() and filecmp.cmp(source, file):
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(file.parent).free
    if free < source.stat().st_size + ROOM:
        raise OSError(errno.ENOSPC, "the disk is nearly full", str(file))
    with replacing(file) as partial:
        shutil.copy2(source, partial)


def _notes(folder: Path) -> dict[str, Any]:
    """What was noted last time; nothing where the file is missing, damaged or not as it is written here."""
    try:
        notes = json.loads((folder / NOTES).read_text(encoding="utf-8"))
        return notes if _are_ours(**notes) else {}
    except UNREADABLE:
        return {}


def _are_ours(files: Any, read: Any, broken: Any, measured: Any, run: Any = ()) -> bool:
    """Whether these are notes that `_write` wrote: they say which files may be taken away."""
    texts = [*(read, *run), *(*files, *files.values()), *(*broken, *broken.values())]
    if not _all_are(str, texts):
        return False
    inner = [name for name in files if "/" in name]
    return all(map(WRITTEN.fullmatch, inner)) and _are_measures(measured)


def _are_measures(measured: dict[str, Any]) -> bool:
    """Whether these are the figures of a package that was tried, or why there are none."""
    if measured.keys() == {"failed"}:
        return isinstance(measured["failed"], str)
    return measured.keys() == FIGURES and _all_are(float | int, measured.values())


def _all_are(kind: Any, values: Iterable[Any]) -> bool:
    return all(isinstance(value, kind) for value in values)


def _digest(parts: list[Part]) -> str:
    read = [part.module + part.source + part.problem for part in parts]
    return _sha("".join(read).encode("utf-8", "surrogatepass"))


def _sha(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


def readme(parts: list[Part], figures: dict) -> str:
    """The whole page."""
    named = in_order(taken_by(STORY, parts))
    own = [part for part in named if part.yours]
    *needs, last = [f"`{name}`" for name in required(parts)]
    return README.read_text(encoding="utf-8").format(
        summary=_filled(_summary(len(own), len(named))),
        needs=f"{', '.join(needs)} and {last}",
        table="\n".join(map(_row, named)),
        counted=_filled(_counted(own)),
        problems=_problems(named),
        others=_others(in_order(parts)),
        since=_since(in_order(taken_by(MODERN_STORY, parts)), named),
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


def _since(modern: list[Part], of_gpt2: list[Part]) -> str:
    """The parts that a model of Llama's shape takes beside GPT-2's; "" where there are none to be had."""
    known = {part.symbol for part in of_gpt2}
    further = [part for part in modern if part.symbol not in known]
    return SINCE.format(table="\n".join(map(_row, further)), problems=_problems(further)) if further else ""


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
    others = [exercise for exercise in all_exercises() if exercise.symbol not in in_the_story]
    kept = [other for other in others if kept_path(other).is_file()]
    if not kept:
        return ""
    links = [f"[{exercise.symbol}]({kept_path(exercise).name})" for exercise in kept]
    return "\n\n" + _filled(f"{OTHERS}{', '.join(links)}.")


def _measured(figures: dict) -> str:
    if "failed" in figures:
        return f"This could not be measured. {doubt(figures)}"
    said = MEASURED.format_map(figures)
    return said if _agrees(figures) else f"{said}That is too far. {MINE}"


def _filled(text: str) -> str:
    return fill(text, 120, break_long_words=False, break_on_hyphens=False)
