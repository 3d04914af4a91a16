"""The start page's live part: how far the learner has come, on the map and as a list, with a link to what is next."""

import html
import json
import re
import sys
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from utils.course import ROOT, ExerciseInfo, exercises, state_dir, stems
from utils.learner.links import to_chapter
from utils.learner.progress import PAUSE, passed, time_spent
from utils.model_map import Drawing, model_map

# Each part of the map, and the exercises that it takes.
PARTS = {
    "tokens": {"SpaceTokenizer", "train_bpe", "bpe_encode"},
    "stream": {"ResidualStream", "decompose_residual"},
    "embed": {"Embed"},
    "pos_embed": {"PosEmbed"},
    "ln": {"LayerNorm"},
    "ln_final": {"LayerNorm"},
    "attn": {"softmax", "apply_causal_mask", "Attention"},
    "mlp": {"gelu_new", "MLP"},
    "unembed": {"Unembed", "cross_entropy_loss"},
    "sampling": {
        *("greedy", "apply_temperature", "apply_frequency_penalty", "sample_basic", "sample_top_k", "sample_top_p"),
        *("sample_next_token", "generate", "beam_search", "generate_with_cache"),
    },
    "block": {"TransformerBlock"},
    "model": {"Transformer"},
}


@dataclass(frozen=True)
class Chapter:
    """One chapter as the list shows it: each exercise's symbol with whether it has passed."""

    stem: str
    title: str
    exercises: dict[str, bool]

    @property
    def done(self) -> bool:
        return all(self.exercises.values())


class Welcome:
    """What the start page shows: HTML in a notebook, the same as text elsewhere."""

    def __init__(self, root: Path = ROOT):
        done = {symbol for _, symbol in passed()}
        self.chapters = [_chapter(stem, done, root) for stem in stems(root)]
        self.map = _map(self.chapters)
        self.next = next((one for one in self.chapters if not one.done), None)

    @property
    def count(self) -> str:
        """How many exercises have passed."""
        everything = [passed for one in self.chapters for passed in one.exercises.values()]
        return f"{sum(everything)} of {len(everything)} exercises"

    @property
    def end(self) -> list[str]:
        """What there is to say to one who has solved everything."""
        told = ["Every exercise has passed. The model is yours.", time_in_words(time_spent())]
        if (state_dir() / "my_gpt" / "__main__.py").exists():
            told.append(f"It tells stories, without this course too. {_story_command()}")
        return [sentence for sentence in told if sentence]

    def __repr__(self) -> str:
        lines = [self.count, *([f"Next: {_link_text(self.next)}"] if self.next else self.end)]
        for one in self.chapters:
            lines.append(f"{_mark(one.done)} {one.title}: " + ", ".join(one.exercises))
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        what = f"Next: {_link(self.next)}" if self.next else "<br>".join(map(html.escape, self.end))
        items = "".join(f"<li>{_mark(one.done)} {_link(one)} {_symbols(one)}</li>" for one in self.chapters)
        drawing = self.map._repr_html_() if self.map else ""
        return f"<p><b>{self.count}</b>. {what}</p>{drawing}<ul style='list-style:none;padding-left:0'>{items}</ul>"


def _story_command() -> str:
    """What to type for a story. A terminal's `python` may be another than this one: the course's own is named."""
    folder, python = state_dir(), Path(sys.executable)
    here = folder == ROOT and python.is_relative_to(ROOT)
    where = "the course's folder" if folder == ROOT else folder
    return f'In a terminal, in {where}: {python.relative_to(ROOT) if here else python} -m my_gpt "Once upon a time"'


def welcome() -> Welcome:
    """How far the learner has come; run it again whenever you come back."""
    return Welcome()


def time_in_words(spent: timedelta) -> str:
    """How long it took, and what that measures; "" where too little is known to say it."""
    minutes = round(spent.total_seconds() / 60)
    if minutes < 1:
        return ""
    long = f"{minutes} minute{'s' * (minutes > 1)}" if minutes < 90 else f"{round(minutes / 60)} hours"
    pause = round(PAUSE.total_seconds() / 3600)
    return (
        f"It took you about {long}: the time from opening chapters to passing exercises, without pauses of more than "
        f"{pause} hours, and without what you read after the last pass."
    )


def _chapter(stem: str, done: set[str], root: Path) -> Chapter:
    found: list[ExerciseInfo] = exercises(stem, root)
    return Chapter(stem, title_of(stem, root), {one.symbol: one.symbol in done for one in found})


def title_of(stem: str, root: Path = ROOT) -> str:
    """The heading of a chapter's notebook, such as "3 · LayerNorm: one scale for every vector"; else its stem."""
    try:
        cells = json.loads((root / "chapters" / f"{stem}.ipynb").read_text(encoding="utf-8"))["cells"]
    except (OSError, ValueError, KeyError):
        return stem
    text = "".join(next((cell["source"] for cell in cells if cell["cell_type"] == "markdown"), []))
    heading = re.match(r"#\s+(.+)", text)
    return heading[1].strip() if heading else stem


def _map(chapters: list[Chapter]) -> Drawing | None:
    state = {symbol: passed for one in chapters for symbol, passed in one.exercises.items()}
    known = {name: symbols for name, symbols in PARTS.items() if symbols <= state.keys()}
    done = [name for name, symbols in known.items() if all(state[symbol] for symbol in symbols)]
    still = next((one for one in chapters if not one.done), None)
    here = [name for name, symbols in known.items() if still and name not in done and symbols & still.exercises.keys()]
    return model_map(*here, done=done, here_means="Next", loop="sampling" in known) if here or done else None


def _link(chapter: Chapter) -> str:
    return f"<a {to_chapter(chapter.stem)}>{html.escape(chapter.title)}</a>"


def _link_text(chapter: Chapter) -> str:
    return f"{chapter.title}, in chapters/{chapter.stem}.ipynb"


def _symbols(chapter: Chapter) -> str:
    whole = "<code style='white-space:nowrap'>"  # the mark stays with its name on a narrow page
    return " ".join(f"{whole}{_mark(done)} {name}</code>" for name, done in chapter.exercises.items())


def _mark(done: bool) -> str:
    return "✔" if done else "○"
