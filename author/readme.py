"""README's table of chapters, with what the learner writes in each and how long it takes, and the hours in all."""

import re
from pathlib import Path

from utils.course import ROOT, exercises, stems
from utils.course.files import write_text
from utils.learner.welcome import estimate, hours_in_all, minutes_of, title_of

README = "README.md"
BEGIN = "<!-- python -m utils build writes these lines -->"
END = "<!-- as far as here -->"
BETWEEN = re.compile(rf"(?<={BEGIN}\n).*?(?={END})", re.DOTALL)
# what a row calls its chapter, which is shorter than the notebook's heading
TITLE = re.compile(r"^\| \[(.+?)\]\(chapters/(\w+)\.ipynb\)", re.MULTILINE)


def chapters_table(old: str = "", root: Path = ROOT) -> str:
    """The table, and the sentence below it. A chapter keeps the title that it has in `old`, the table before."""
    titles = {stem: title for title, stem in TITLE.findall(old)}
    lines = ["| chapter | you write | about |", "|---|---|---|"]
    for stem in stems(root):
        title = titles.get(stem) or title_of(stem, root).partition(":")[0]
        symbols = ", ".join(f"`{one.symbol}`" for one in exercises(stem, root))
        lines.append(f"| [{title}](chapters/{stem}.ipynb) | {symbols} | {estimate(minutes_of(stem, root))} |")
    return "\n".join([*lines, "", f"The times are the authors' estimates, {hours_in_all(root)} in all.", ""])


def build_readme(root: Path = ROOT) -> list[str]:
    """Write the table where it is out of date; says what was done."""
    if not check_readme(root):
        return []
    path = root / README
    text = path.read_text(encoding="utf-8")
    write_text(path, BETWEEN.sub(lambda old: chapters_table(old[0], root), text))
    return [f"{README}: its table of chapters written"]


def check_readme(root: Path = ROOT) -> list[str]:
    """What is wrong with the table, in a sentence; nothing is written. A README without the two marks has no table."""
    path = root / README
    found = BETWEEN.search(path.read_text(encoding="utf-8")) if path.exists() else None
    if found is None or found[0] == chapters_table(found[0], root):
        return []
    return [f"{README}'s table of chapters is out of date. Make it again: python -m utils build"]
