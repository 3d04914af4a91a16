"""Your own GPT-2: the parts that you wrote, and a command line that tells stories with them.

`python -m my_gpt "Once upon a time"`; README.md says whose each part is. From Python:

    from my_gpt import load
    gpt = load()
    print(gpt.text("Once upon a time", tokens=60, seed=1))
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .course.telling import OwnGPT, load

__all__ = ["OwnGPT", "load"]


def __getattr__(name: str) -> Any:
    """What needs torch is imported when it is asked for: `--help` and Ctrl-C need not wait for it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .course.errors import missing

    try:
        from .course import telling
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(missing(error), name=error.name) from error
    return getattr(telling, name)
