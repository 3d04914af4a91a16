"""Looks for the solutions in what is to be handed out: every statement, and every three lines in a row, of each region.

Both are compared without blanks, and with one kind of quotes, so that another layout hides nothing. What a chapter
gives in its stubs and its prose is no secret, and neither is what any code might have: an import, `return out`.
"""

import ast
import json
import re
import zipfile
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from author.source import Cell, Region, Source, rewritten

# Characters that a statement has at least, blanks aside, where it says something; three lines together.
TELLING, TELLING_TOGETHER = 12, 30
TOGETHER = 3  # lines
BINARY = {".safetensors", ".png"}
USUAL = re.compile(r"(return|yield|raise|assert|import|from|pass|continue|break)?[\w.\"'\[\]()]*")
SIMPLE = (
    *(ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Expr, ast.Raise, ast.Assert, ast.Delete),
    *(ast.Import, ast.ImportFrom),
)


@dataclass(frozen=True)
class Secret:
    """A piece of a solution, without blanks."""

    text: str
    symbol: str


@dataclass(frozen=True)
class Leak:
    """Where a piece of a solution stands, as editors make a link of it."""

    file: str
    line: int
    secret: Secret

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: holds a part of {self.secret.symbol}'s solution: {self.secret.text[:60]}"


def secrets_of(sources: Iterable[Source]) -> list[Secret]:
    """Whatever of these chapters' solutions must stand nowhere else."""
    everything = list(sources)
    given = "".join(squeezed(text) for source in everything for text in given_texts(source))
    found: dict[str, Secret] = {}
    for source in everything:
        for secret in chain.from_iterable(map(_pieces, source.cells)):
            if secret.text not in given:
                found.setdefault(secret.text, secret)
    return list(found.values())


def given_texts(source: Source) -> Iterator[str]:
    """What a chapter shows a learner: stubs and prose, without hints."""
    for cell in source.cells:
        if "hint" not in cell.metadata:
            yield rewritten(cell.source, cell.regions, Region.stub)


def leaks_in(folder: Path, secrets: Iterable[Secret]) -> Iterator[Leak]:
    """Each place in the files of this folder that holds a secret."""
    wanted = list(secrets)
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix not in BINARY:
            yield from _in_file(path, path.relative_to(folder).as_posix(), wanted)


def _in_file(path: Path, name: str, secrets: list[Secret]) -> Iterator[Leak]:
    for inner, lines in _texts(path):
        whole = [squeezed(line.removesuffix("\\")) for line in lines]
        text = "".join(whole)
        for secret in secrets:
            place = text.find(secret.text)
            if place >= 0:
                yield Leak(name + inner, _line_at(whole, place), secret)


def _texts(path: Path) -> Iterator[tuple[str, list[str]]]:
    """The lines of a file, of the cells of a notebook, of each member of an archive."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            for member in archive.namelist():
                yield f"/{member}", _lines(archive.read(member).decode("utf-8", "replace"))
        return
    text = path.read_text(encoding="utf-8", errors="replace")
    yield "", _lines(_as_read(text)) if path.suffix == ".ipynb" else _lines(text)


def _as_read(notebook: str) -> str:
    """The file with the ends of lines and the quotes within its texts as a reader sees them."""
    try:
        json.loads(notebook)
    except ValueError:
        return notebook
    return notebook.replace('\\n",', "").replace('\\"', '"').replace("\\n", " ")


def _lines(text: str) -> list[str]:
    return text.split("\n")


def _line_at(lines: list[str], place: int) -> int:
    end = 0
    for number, line in enumerate(lines, 1):
        end += len(line)
        if place < end:
            return number
    return len(lines)


def _pieces(cell: Cell) -> Iterator[Secret]:
    """Whatever of a cell's regions may be telling."""
    lines = cell.source.split("\n")
    for region in cell.regions:
        within = range(region.first + 1, region.end)
        for piece in (*_statements(cell.source, lines, within), *_windows(lines[within.start : within.stop])):
            yield Secret(piece, region.symbol)


def _statements(source: str, lines: list[str], within: range) -> Iterator[str]:
    """Each statement of these lines that is on its own telling, as it is written and as Python writes it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, SIMPLE) and node.lineno - 1 in within:
            written = "\n".join(lines[node.lineno - 1 : node.end_lineno])
            for form in (written, ast.unparse(node)):
                piece = squeezed(_without_comment(form))
                if len(piece) >= TELLING and not USUAL.fullmatch(piece):
                    yield piece


def _windows(lines: list[str]) -> Iterator[str]:
    """Each three lines of code in a row."""
    code = [line for line in lines if squeezed(_without_comment(line))]
    for begin in range(len(code) - TOGETHER + 1):
        piece = squeezed("\n".join(code[begin : begin + TOGETHER]))
        if len(piece) >= TELLING_TOGETHER:
            yield piece


def _without_comment(line: str) -> str:
    return re.sub(r"(^|\s)#.*$", "", line, flags=re.MULTILINE)


NOTHING_LEFT = "Look at this part once more."


def squeezed(text: str) -> str:
    """The text without blanks, with one kind of quotes."""
    return re.sub(r"\s+", "", text).replace("'", '"')


def discreet(advice: str, secrets: Collection[str]) -> str:
    """The advice without the sentences that hold one of these pieces, which are squeezed."""
    if not _holds(advice, secrets):
        return advice
    sentences = re.split(r"(?<=[.?:]) (?=[A-Z`])", advice)
    kept = [sentence for sentence in sentences if not _holds(sentence, secrets)]
    whole = re.sub(r":$", ".", " ".join(kept))
    return NOTHING_LEFT if _holds(whole, secrets) else whole or NOTHING_LEFT


def _holds(text: str, secrets: Collection[str]) -> bool:
    whole = squeezed(text)
    return any(secret in whole for secret in secrets)
