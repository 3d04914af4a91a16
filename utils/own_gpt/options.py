"""The options of a story; `python -m my_gpt` and the course's own command line both have them."""

import argparse
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

PROMPT = "Once upon a time"
TOP_P = 0.9
COLDEST = 1e-6  # the lowest temperature above 0


def add_options(parser: argparse.ArgumentParser) -> None:
    """Let the parser read a prompt and how it is to go on."""
    add = parser.add_argument
    begins = f"how the story begins (default: {PROMPT!r})"
    add("prompt", nargs="*", metavar="TEXT", help=begins)
    most = "how many more at most (150)"
    add("--tokens", type=_whole(1), default=150, metavar="N", help=most)
    cold = "0 is greedy (0.8)"
    add("--temperature", type=_temperature, default=0.8, metavar="T", help=cold)
    some = parser.add_mutually_exclusive_group()
    help_k = "draw from the K likeliest tokens; 0: from all"
    some.add_argument("--top-k", type=_whole(0), metavar="K", help=help_k)
    help_p = f"draw from the likeliest that add up to P ({TOP_P}); 0: all"
    some.add_argument("--top-p", type=_number(0, 1), metavar="P", help=help_p)
    penalty = "off a logit for each time its token was used (0.2)"
    add("--penalty", type=_number(-1000, 1000), default=0.2, metavar="X", help=penalty)
    add("--seed", type=_whole(0), metavar="N", help="the same seed, the same story")
    add("--model", type=Path, metavar="FOLDER", help="a GPT-2, Llama or Qwen 3 in HuggingFace's format")
    fast = "the course's faster loop, with your weights and sampler"
    add("--fast", action="store_true", help=fast)
    rounded = "the faster loop, with weights rounded to 8 bits"
    add("--bits", type=int, choices=[8], help=rounded)


def prompt_of(options: argparse.Namespace) -> str:
    """The prompt as one text; bytes that are no UTF-8 become U+FFFD."""
    text = " ".join(options.prompt) if options.prompt else PROMPT
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def sampling_of(options: argparse.Namespace) -> dict[str, float]:
    """What goes to `sample_next_token`: only what differs from its defaults."""
    top_p = options.top_p
    if top_p is None and options.top_k is None:
        top_p = TOP_P
    chosen = {"top_k": options.top_k, "top_p": top_p, "freq_penalty": options.penalty}
    differing = {name: value for name, value in chosen.items() if value}
    return {"temperature": options.temperature, **differing}


def _whole(least: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        number = _as(int, text, "a whole number")
        if number < least:
            raise argparse.ArgumentTypeError(f"{text} is less than {least}")
        if number >= 2**63:
            raise argparse.ArgumentTypeError(f"{text} is too large")
        return number

    return read


def _number(least: float, most: float = math.inf) -> Callable[[str], float]:
    limits = f"at least {least:g}"
    if math.isfinite(most):
        limits += f" and at most {most:g}"

    def read(text: str) -> float:
        number = _as(float, text, "a number")
        if not math.isfinite(number) or not least <= number <= most:
            raise argparse.ArgumentTypeError(f"{text} is not {limits}")
        return number

    return read


def _temperature(text: str) -> float:
    number = _number(0)(text)
    if 0 < number < COLDEST:
        reason = "logits divided by it grow too large. Take 0, which is greedy"
        raise argparse.ArgumentTypeError(f"{text} is too near 0: {reason}")
    return number


def _as(kind: Callable[[str], float], text: str, what: str) -> Any:
    try:
        return kind(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not {what}") from None
