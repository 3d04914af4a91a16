"""The steps of the workflow for GitHub Classroom: one for each chapter, which can't be found there by a loop."""

import re
from collections.abc import Iterator
from pathlib import Path

from utils.course import ROOT, stems
from utils.course.files import write_text

WORKFLOW = "docs/workflows/github-classroom.yml"
STEPS = re.compile(r"      - name: Chapter \d+\n.*", re.DOTALL)  # to the end of the file


def chapters_steps(root: Path = ROOT) -> str:
    """The steps, and the one that adds up their points."""
    return "\n".join([*_steps(root), ""])


def _steps(root: Path) -> Iterator[str]:
    chapters = {stem.partition("_")[0]: stem for stem in stems(root)}
    for short, stem in chapters.items():
        yield f"      - name: Chapter {int(short.removeprefix('ch'))}"
        yield f"        id: {short}"
        yield "        uses: classroom-resources/autograding-command-grader@v1"
        yield "        with:"
        yield f"          test-name: {stem}"
        yield f'          command: ${{{{ env.JUDGE }}}} "{short} and not Cell and not wild"'
        yield "          timeout: 10"
        yield "          max-score: 10"
    yield "      - name: Points"
    yield "        uses: classroom-resources/autograding-grading-reporter@v1"
    yield "        env:"
    for short in chapters:
        yield f"          {short.upper()}_RESULTS: ${{{{ steps.{short}.outputs.result }}}}"
    yield "        with:"
    yield f"          runners: {','.join(chapters)}"


def build_classroom(root: Path = ROOT) -> list[str]:
    """Write the steps where they are out of date; says what was done."""
    if not check_classroom(root):
        return []
    path = root / WORKFLOW
    text = path.read_text(encoding="utf-8")
    write_text(path, STEPS.sub(lambda old: chapters_steps(root), text))
    return [f"{WORKFLOW}: its chapters written"]


def check_classroom(root: Path = ROOT) -> list[str]:
    """What is wrong with the steps, in a sentence; nothing is written. A course without the workflow has none."""
    path = root / WORKFLOW
    found = STEPS.search(path.read_text(encoding="utf-8")) if path.exists() else None
    if found is None or found[0] == chapters_steps(root):
        return []
    return [f"{WORKFLOW}'s chapters are out of date. Make them again: python -m utils build"]
