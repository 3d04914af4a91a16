"""Writes my_gpt/ as a package: after a pass, and for `python -m utils generate`. Only what has changed is written.

What the learner wrote is in my_gpt/<name>.py and is only read here. A written file that somebody changed since is put
among the versions before it is written anew, so nothing is lost.
"""

import filecmp
import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from utils.course import ROOT, state_dir
from utils.course.files import write_text
from utils.learner.collecting import remember
from utils.own_gpt.loading import BUNDLED, first_broken, loaded, measured
from utils.own_gpt.parts import Part, assemble, required
from utils.own_gpt.readme import doubt, readme

MODEL_FILES = (
    *("README.md", "config.json", "model.safetensors"),
    *("tokenizer.json", "tokenizer_config.json"),
)
PIECES = "parts/pieces.py"  # which names all parts
HERE = Path(__file__).parent
TEMPLATES = HERE / "templates"
SHARED = {  # by their places in the package: what the course itself uses too
    "course/options.py": HERE / "options.py",
    "course/threads.py": HERE / "threads.py",
    "course/parsing.py": ROOT / "utils" / "learner" / "parsing.py",
    "course/config.py": ROOT / "utils" / "config.py",
    "course/LICENSE": ROOT / "LICENSE",
}
NOTES = "written.json"
NOTED = {"files", "read", "broken", "measured"}


def write_package() -> list[Part]:
    """Write the package into my_gpt/, and return its parts, those first that others use.

    Two notebooks may pass at once: whoever wrote looks once more whether all is as it was read.
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
            return parts


def doubt_now() -> str:
    """What is to be said of the package as it was written last: that its logits are wrong; "" where they are right."""
    notes = _notes(state_dir() / "my_gpt")
    return doubt(notes["measured"]) if notes else ""


def _tried(folder: Path, notes: dict[str, Any]) -> dict[str, Any]:
    """Write the parts and import them, one after another: which can't be used, and what the others measure."""
    broken: dict[str, str] = {}
    while True:
        parts = assemble(broken)
        _write(folder, _files(parts), notes)
        with loaded(folder):
            found = first_broken(parts)
            if found is None or found[0] in broken:
                return {"broken": broken, "measured": measured()}
        broken |= dict([found])


def _files(parts: list[Part]) -> dict[str, str]:
    """The texts of the package, by their places in it."""
    templates = TEMPLATES.rglob("*.py")
    paths = {path.relative_to(TEMPLATES).as_posix(): path for path in templates}
    paths |= SHARED
    texts = {name: path.read_text(encoding="utf-8") for name, path in paths.items()}
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
        written[name] = _sha(text)
    for name in MODEL_FILES:
        _copy(BUNDLED / name, folder / "model" / name)
    notes["files"] = written
    write_text(folder / NOTES, json.dumps(notes, indent=1) + "\n")


def _bring(folder: Path, name: str, text: str | None, written: str | None) -> None:
    """Give a file this text, or take it away; `written` is the digest of what we wrote there last."""
    file = folder / name
    old = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else None
    if old == text:
        return
    if old is not None and _sha(old) != written:
        remember(old, folder / name.replace("/", "."))
    if text is None:
        file.unlink(missing_ok=True)
    else:
        write_text(file, text)


def _copy(source: Path, file: Path) -> None:
    """Copy a large file where it is not there yet; whole or not at all."""
    is_there = file.is_file() and filecmp.cmp(source, file)
    if is_there:
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_name(f".{file.name}.{os.getpid()}.partial")
    shutil.copy2(source, partial)
    partial.replace(file)


def _notes(folder: Path) -> dict[str, Any]:
    """What was noted last time; nothing where the file is missing or damaged."""
    try:
        notes = json.loads((folder / NOTES).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    is_whole = isinstance(notes, dict) and NOTED <= notes.keys()
    return notes if is_whole else {}


def _digest(parts: list[Part]) -> str:
    read = [part.module + part.source + part.problem for part in parts]
    return _sha("".join(read))


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
