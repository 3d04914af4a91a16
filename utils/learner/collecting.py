"""Collects what a learner wrote: `gather` takes it out of the cells that ran, `save` puts it into my_gpt/."""

import builtins
import itertools
import sys
from pathlib import Path

from utils.course.files import write_text
from utils.learner.statements import Statement, statements

# What this process has saved, and so has run before
saved_here: set[bytes] = set()


def gather(symbol: str, cells: list[str]) -> str:
    """The source of `symbol` as the executed `cells` left it, after all that it uses, imports first.

    Definitions alone are gathered, in the order in which they ran. Raises LookupError when no cell defines `symbol`.
    """
    return gathered(symbol, list(itertools.chain.from_iterable(map(statements, cells))))


def gathered(symbol: str, everything: list[Statement]) -> str:
    """The same of statements, in the order in which they ran."""
    found = needed(symbol, everything)
    binding = [one for one in found if symbol in one.binds]
    if not binding:
        raise LookupError(f"no cell of this notebook defines `{symbol}`")
    if all(one.is_import for one in binding):
        raise LookupError(f"`{symbol}` is imported here; what is written in a cell can be kept")
    of_the_future = [one for one in everything if one.source.startswith("from __future__ ")]
    importing = [one for one in found if one.is_import]
    imports = [one.source for one in of_the_future + importing]
    definitions = [one.source for one in found if not one.is_import]
    head = "\n".join(dict.fromkeys(imports))
    parts = [head, *definitions] if imports else definitions
    return "\n\n\n".join(parts) + "\n"


def save(source: str, file: Path) -> None:
    """Write `source` to `file`; every text that ever was in it stays in the folder `versions` beside it, numbered.

    What was there may have come from anywhere, and need not be text.
    """
    new = source.encode()
    texts = [file.read_bytes()] if file.exists() else []
    saved_here.add(new)
    if texts == [new]:
        return
    for text in [*texts, new]:
        remember(text, file)
    write_text(file, source)


def remember(text: bytes, file: Path) -> None:
    """Add a text to the versions beside the file, under the next free number, unless it is among them."""
    folder = file.parent / "versions"
    folder.mkdir(parents=True, exist_ok=True)
    for number in itertools.count(1):
        place = folder / f"{file.stem}.{number}{file.suffix}"
        try:
            new = place.open("xb")
        except FileExistsError:
            if place.is_file() and place.read_bytes() == text:
                return
            continue
        try:
            with new:
                new.write(text)
            return
        except OSError:  # such as a full disk: half a version is none
            place.unlink()
            raise


def needed(symbol: str, everything: list[Statement]) -> list[Statement]:
    """The statements that made `symbol` what it is and those that it uses, in order.

    What runs at once saw the names of its time; what runs when it is called sees them as they are now.
    """
    end = len(everything)
    places = set[int]()
    looked_up = set[tuple[str, int]]()
    wanted = [(symbol, end)]
    while wanted:
        name, before = wanted.pop()
        for index in _origins(name, everything[:before]):
            places.add(index)
            one = everything[index]
            further = {
                *zip(one.reads_now, itertools.repeat(index), strict=False),
                *zip(one.reads_later, itertools.repeat(end), strict=False),
            }
            wanted.extend(further - looked_up)
            looked_up |= further
    return [everything[index] for index in sorted(places)]


def _origins(name: str, earlier: list[Statement]) -> list[int]:
    """The last statement that surely binds the name, and what may have bound or changed it since."""
    found: dict[object, int] = {}
    for index in reversed(range(len(earlier))):
        one = earlier[index]
        if name in one.certain:
            since = [] if one.is_import else found.values()  # a library's changes are no definition
            return [*since, index]
        if name in one.binds | one.changes:
            found.setdefault(one.replaces or index, index)
    if found:
        return list(found.values())
    from_libraries = [index for index, one in enumerate(earlier) if "*" in one.binds]
    if not hasattr(builtins, name):
        return from_libraries
    return [index for index in from_libraries if _shadows(earlier[index].source, name)]


def _shadows(star_import: str, name: str) -> bool:
    """Whether a library from which all is imported has a name that Python has too: torch's `sum` and `max`.

    Nothing is imported to see it: one that is not there already may not be there for the answer either.
    """
    module = sys.modules.get(star_import.split()[1])
    public = getattr(module, "__all__", None)
    return hasattr(module, name) if public is None else name in public
