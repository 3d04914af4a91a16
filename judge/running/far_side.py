"""The far side of a wall: `python -m judge.running.far_side MODULE...` holds components, and answers questions.

It knows neither the judge nor any test. The modules that it is told of are the course's: they register kinds of
exercise, as `utils.gpt` does, and the settings that they define may cross. Standard input brings requests and standard
output takes replies, both as bytes (wire.py) with their length before them. A request says where a component is, as
`component_of` takes it, and what is asked of it; the reply is a list of records, or the text of the error with which
the component could not be made.
"""

import functools
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any, BinaryIO

from judge.running.local import LocalRunner
from judge.running.records import TOO_SLOW, Question, Record
from judge.running.settings import allow_those_of
from judge.running.sources import run_cell
from judge.running.wire import from_bytes, to_bytes

LENGTH = 8  # bytes in front of each message, the least significant first


@functools.cache
def component_of(name: str, module: str = "", source: str = "") -> Any:
    """What is called so in this module, or once this source has been run, as a cell is in a notebook of its own.

    Raises what importing or running it raises, and AttributeError or KeyError where it makes nothing of that name.
    """
    if module:
        return getattr(importlib.import_module(module), name)
    names: dict[str, Any] = {"__name__": "__main__"}
    run_cell(source, names)
    return names[name]


def serve(reading: BinaryIO, writing: BinaryIO) -> None:
    """Answer requests until the other side closes."""
    while request := receive(reading):
        where, questions = request
        send(writing, _answers(where, questions))


def send(writing: BinaryIO, content: Any) -> int:
    """Write a message, and return the number of its bytes."""
    blob = to_bytes(content)
    writing.write(len(blob).to_bytes(LENGTH, "little") + blob)
    writing.flush()
    return len(blob)


def receive(reading: BinaryIO) -> Any:
    """The next message; None where there is none any more."""
    length = reading.read(LENGTH)
    return from_bytes(reading.read(int.from_bytes(length, "little"))) if length else None


def _answers(where: dict[str, str], questions: Sequence[Question]) -> list[Record] | str:
    try:
        component = component_of(**where)
    except (Exception, SystemExit) as error:
        return f"{type(error).__name__}: {error}"
    records: list[Record] = []
    for question in questions:
        hangs = bool(records) and records[-1].error is not None and records[-1].error.type == TOO_SLOW
        records.append(records[-1] if hangs else LocalRunner().ask(component, question))  # else each takes as long
    return records


def main(modules: Sequence[str]) -> None:
    """Serve; whatever the component itself reads and prints does not get between the messages."""
    for name in modules:
        allow_those_of(importlib.import_module(name))
    reading, writing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(sys.stderr.fileno(), 1)
    serve(reading, writing)


if __name__ == "__main__":
    main(sys.argv[1:])
