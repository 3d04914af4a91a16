"""A bar for what takes longer than three seconds, so that nobody wonders whether the notebook has stopped."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

from utils.learner.shell import widgets_off

Item = TypeVar("Item")


def waiting(items: Iterable[Item], what: str, total: int | None = None) -> Iterator[Item]:
    """The items one after another, with a bar that says what is done, how far it is, and the time that is left.

    `total` is their number where `len(items)` does not know it. The bar goes when it is full. Where outputs are stored
    and compared there is none.
    """
    if widgets_off():
        yield from items
        return
    from tqdm.auto import tqdm

    yield from tqdm(items, desc=what, total=total, leave=False)
