"""What a learner may answer in the browser: nothing yet, a mistake with a name, the solution."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from playwright.sync_api import Locator

from author.browsing import Notebook
from author.screenshots import cell_of
from tests.house.journey import WrongAnswer, wrong_answer
from utils.course import exercises


@dataclass(frozen=True)
class Answered:
    """A chapter in the browser and one exercise of it; each way to answer gives what the card says."""

    notebook: Notebook
    symbol: str

    def begin(self) -> None:
        """Run what stands before the chapter's map, and the map."""
        self.notebook.run_to(self.notebook.saying("model_map("))

    def not_yet(self) -> str:
        return self.notebook.answer(self.symbol, cell_of("chapters", self.notebook.stem, self.symbol))

    def wrong(self) -> str:
        return self.notebook.answer(self.symbol, self.mistake.source)

    def right(self) -> str:
        return self.notebook.answer(self.symbol, self.solution)

    def stay_wrong(self) -> None:
        """The card of the mistake, made anew only where another one stands there."""
        self._stay(self.mistake.source, f"✘ {self.symbol}", self.wrong)

    def stay_right(self) -> None:
        """The card of a pass, made anew only where another one stands there."""
        self._stay(self.solution, f"✔ {self.symbol}", self.right)

    def _stay(self, source: str, says: str, answer: Callable[[], str]) -> None:
        test = self.notebook.testing(self.symbol)
        if self.notebook.sources[self.notebook.defining(self.symbol)] == source and self.notebook.ask("outputs", test):
            self.notebook.choose(test)
            if says in self.card.inner_text():
                return
        answer()

    @cached_property
    def mistake(self) -> WrongAnswer:
        one = next(one for one in exercises(self.notebook.stem) if one.symbol == self.symbol)
        return wrong_answer(one)

    @cached_property
    def solution(self) -> str:
        return cell_of("solutions", self.notebook.stem, self.symbol)

    @property
    def card(self) -> Locator:
        """Where the card is."""
        return self.notebook.output(self.notebook.testing(self.symbol))
