"""The map of the model as a picture whose boxes open: put together from numbers that are there, without torch."""

import html
import json
from pathlib import Path
from typing import Any

from utils.course import stems
from utils.course.links import to_chapter
from utils.model_map import Drawing
from utils.pictures.picture import Picture

# written by `python -m utils.pictures.opened_map`
ONE_PROMPT = Path(__file__).with_name("one_prompt.json")
# what has a chapter and no box
LINES = {1: "the residual stream", 7: "the block"}


def map_of_one_prompt(drawing: Drawing) -> Picture:
    """The map, opened at the prompt whose numbers are stored."""
    stored = ONE_PROMPT.read_text(encoding="utf-8")
    return picture_of(drawing, json.loads(stored))


def picture_of(drawing: Drawing, numbers: dict[str, Any]) -> Picture:
    """The map, opened at these numbers; where no script runs it is the map with its links, and a sentence."""
    told = _told(numbers)
    return Picture(
        "opened_map",
        numbers,
        words=f"{drawing.words} {told}",
        still=f"{drawing._repr_html_()}<p>{html.escape(told)}{_links()}</p>",
    )


def _told(numbers: dict[str, Any]) -> str:
    """What the boxes hold for this prompt, in a sentence."""
    words = numbers["words"]
    text = "".join(words[1:]).strip()
    stream = numbers["parts"]["stream"]
    first = stream[0]["middle"]
    last = stream[-1]["middle"]
    token, probability = numbers["guesses"][-1][0]
    likeliest = token.strip() or repr(token)
    return (
        f"The model has read “{text}” here, {len(words)} tokens with the one that "
        "comes before every text. Where scripts are run, a box opens its numbers: "
        f"the norm of the stream, for one, is {first:g} before block 0 and {last:g} "
        f"after block {len(stream) // 2 - 1} (the median over positions), and the "
        f"likeliest next token is “{likeliest}”, with a probability of {probability:g}."
    )


def _links() -> str:
    """Links to the chapters of what has no box."""
    known = _known()
    links = [_link(known[number], number, name) for number, name in LINES.items() if number in known]
    return f" Chapters without a box: {', '.join(links)}." if links else ""


def _link(stem: str, number: int, name: str) -> str:
    title = f"{name}: chapter {number}"
    return f'<a {to_chapter(stem)} title="{title}">{name} ({number})</a>'


def _known() -> dict[int, str]:
    return {int(stem[2:4]): stem for stem in stems()}
