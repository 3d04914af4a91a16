"""How a verdict looks: a card (HTML) in a notebook, the same words as text everywhere else."""

import html
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from utils.running.records import Frame

_MARK = {"passed": "✔", "failed": "✘", "not yet": "○"}
_COLOUR = {"passed": "#2e9e5b", "failed": "#d1453b", "not yet": "#c98a00"}


@dataclass
class Verdict:
    """What a test function found: the lines that held, and for the one that did not, everything there is to say."""

    symbol: str
    seed: int = 0
    status: str = "passed"  # passed | failed | not yet
    passed: list[str] = field(default_factory=list)
    failed: str | None = None  # the line that did not hold
    details: tuple[str, ...] = ()  # what, how much, where
    mistake: str | None = None  # the misconception's name
    advice: str | None = None  # what it does and what to do
    frames: "tuple[Frame, ...]" = ()
    printed: str = ""
    ratio: float = 0.0  # largest error over the allowed one, among all comparisons made
    footer: tuple[str, ...] = ()  # what comes next, progress; shown to the learner, no part of the judgement

    def summary(self) -> str:
        """The verdict in one line."""
        reason = {"passed": "passed", "not yet": "not yet"}.get(self.status, self.failed)
        return f"{_MARK[self.status]} {self.symbol}: {reason}"


def text(verdict: Verdict) -> str:
    """The card as plain text, the same for the same verdict on every machine."""
    title = verdict.summary() if verdict.status == "not yet" else f"{_MARK[verdict.status]} {verdict.symbol}"
    lines = [title, *(f"  ✔ {line}" for line in verdict.passed)]
    if verdict.failed:
        lines.append(f"  ✘ {verdict.failed}")
    lines.extend(f"      {line}" for line in _explanation(verdict))
    lines.extend(f"  {line}" for line in verdict.footer)
    return "\n".join(lines)


def as_html(verdict: Verdict) -> str:
    """The card as HTML, readable on light and dark pages."""
    colour = _COLOUR[verdict.status]
    not_yet = ": not yet" if verdict.status == "not yet" else ""
    parts = [
        f'<div style="font-weight:600;color:{colour}">{_MARK[verdict.status]} {_code(verdict.symbol)}{not_yet}</div>'
    ]
    parts.extend(_row("✔", _COLOUR["passed"], _inline(line)) for line in verdict.passed)
    if verdict.failed:
        parts.append(_row("✘", _COLOUR["failed"], f"<b>{_inline(verdict.failed)}</b>"))
    explained = _explanation_html(verdict)
    if explained:
        parts.append(f'<div style="margin:.4em 0 .2em 1.6em">{explained}</div>')
    parts.extend(f'<div style="margin-top:.5em;opacity:.85">{_inline(line)}</div>' for line in verdict.footer)
    style = f"border-left:4px solid {colour};padding:.5em .9em;margin:.3em 0;line-height:1.5;max-width:60em"
    return f'<div style="{style}">{"".join(parts)}</div>'


def show(verdict: Verdict) -> None:
    """Display the card in a notebook, print it elsewhere."""
    if in_notebook():
        from IPython.display import display

        display({"text/plain": text(verdict), "text/html": as_html(verdict)}, raw=True)
    else:
        print(text(verdict))


def in_notebook() -> bool:
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    return getattr(get_ipython(), "kernel", None) is not None


def _explanation(verdict: Verdict) -> list[str]:
    lines = _detail_lines(verdict)
    lines.extend(_frame_place(frame) + f":  {frame.source}" * bool(frame.source) for frame in verdict.frames)
    if verdict.advice:
        lines.extend(_mistake_line(verdict).splitlines())
    if verdict.printed:
        lines.append("your code printed:")
        lines.extend(f"  {line}" for line in _tail(verdict.printed))
    if verdict.status == "failed":
        lines.append(f"(random numbers from seed {verdict.seed})")
    return lines


def _explanation_html(verdict: Verdict) -> str:
    parts = [f"<div>{_inline(line)}</div>" for line in _detail_lines(verdict)]
    for frame in verdict.frames:
        source = f": <code>{html.escape(frame.source)}</code>" if frame.source else ""
        parts.append(f"<div>{html.escape(_frame_place(frame))}{source}</div>")
    if verdict.advice:
        style = f"border:1px solid {_COLOUR['failed']};border-radius:4px;padding:.3em .6em;margin:.4em 0"
        parts.append(f'<div style="{style}">{_inline(_mistake_line(verdict))}</div>')
    if verdict.printed:
        lines = html.escape("\n".join(_tail(verdict.printed)))
        parts.append(f'<div>your code printed:<pre style="margin:.2em 0 .2em 1em">{lines}</pre></div>')
    if verdict.status == "failed":
        parts.append(f'<div style="opacity:.6">random numbers from seed {verdict.seed}</div>')
    return "".join(parts)


def _detail_lines(verdict: Verdict) -> list[str]:
    """The details, where an error's message may run over several lines."""
    return [line for detail in verdict.details for line in detail.splitlines()]


def _mistake_line(verdict: Verdict) -> str:
    if verdict.mistake is None:
        return verdict.advice or ""
    return f"This is what you get from {verdict.mistake}: {verdict.advice}"


def _frame_place(frame: "Frame") -> str:
    return f"{frame.where}, line {frame.line}, in {frame.function}"


def _tail(printed: str, most: int = 12) -> list[str]:
    lines = printed.rstrip().splitlines()
    return lines if len(lines) <= most else [f"... ({len(lines) - most} lines before)", *lines[-most:]]


def _row(mark: str, colour: str, content: str) -> str:
    return f'<div style="margin-left:.4em"><span style="color:{colour}">{mark}</span> {content}</div>'


def _code(symbol: str) -> str:
    return f"<code>{html.escape(symbol)}</code>"


def _inline(line: str) -> str:
    """Escape a line; what stands between backticks becomes code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(line))
