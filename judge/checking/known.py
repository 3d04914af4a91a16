"""The known answers to an exercise: wrong ones with a name, right ones, and changes that change nothing."""

import importlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FunctionType
from typing import Any

from judge.checking.guard import ALWAYS, Guard
from judge.checking.places import Place, calling_place
from judge.checking.recorded import FOLDER as EXPECTED
from judge.checking.recorded import Recorded, archive_in

FOLDER = "misconceptions"  # beside the modules that declare exercises


@dataclass(frozen=True)
class Misconception:
    """A plausible wrong implementation. Fits "The cause: {name}. {advice}"."""

    name: str
    advice: str
    component: Any
    declared_at: Place
    another_form: bool = False  # of the misconception of that name before it
    guard: Guard = ALWAYS


@dataclass(frozen=True)
class Variant:
    """A correct implementation that is written differently from the solution."""

    name: str
    component: Any
    declared_at: Place


@dataclass(frozen=True)
class Equivalent:
    """A change of the solution, "before → after", after which it behaves as before; and why."""

    change: str
    why: str
    declared_at: Place


@dataclass(eq=False)
class KnownAnswers:
    """Registers what is known of an exercise's answers, beside its test function or in a module of its own.

    What `test_softmax` of tests/ch04_attention.py judges has its known answers in
    tests/misconceptions/ch04_attention/softmax.py. That is imported when they are first asked for: at a failure, or by
    a proof, but never where an answer passes. A folder in the place of the file says in PARTS which modules it has, in
    the order in which a cause is looked for.
    """

    _misconceptions: list[Misconception] = field(default_factory=list[Misconception], init=False, repr=False)
    # The advice and the guard by the name, also of changes of a solution that is not there.
    _words: dict[str, tuple[str, Guard]] = field(default_factory=dict[str, tuple[str, Guard]], init=False, repr=False)
    _variants: list[Variant] = field(default_factory=list[Variant], init=False, repr=False)
    _equivalents: list[Equivalent] = field(default_factory=list[Equivalent], init=False, repr=False)
    _module: str = field(default="", init=False, repr=False)  # that is still to be imported
    _folder: Path = field(default=Path(), init=False, repr=False)  # of the test function

    @property
    def misconceptions(self) -> list[Misconception]:
        """The wrong answers, in the order in which a cause is looked for."""
        self._load()
        return self._misconceptions

    @property
    def variants(self) -> list[Variant]:
        """The right answers that are written otherwise."""
        self._load()
        return self._variants

    @property
    def equivalents(self) -> list[Equivalent]:
        """The changes of the solution that change nothing."""
        self._load()
        return self._equivalents

    def misconception(
        self,
        name: str,
        advice: str,
        *wrong: Any,
        of: Any = None,
        said_of: str = "",
        not_of: str = "",
        otherwise: str = "",
    ) -> Callable[[Any], Any]:
        """Register a wrong implementation: the whole thing, or a `forward(self, ...)` alone where `given` is known.

        It stands below this as a decorator, or among the arguments, with other forms of it behind it. Here it may be a
        text too, a change of the solution, or of the function or class `of`: `"x.amax → x.mean"`. A tuple of texts is
        several changes at once.

        Where its words are about the code, and other code with these answers need not be so, `said_of` is a pattern
        that is found in the source of which they are true, and `not_of` one that is not. Of other code `otherwise` is
        said, a sentence that is true of any with these answers; without it nothing is.
        """
        if not name.strip() or not advice.strip():
            raise calling_place().mistake("a misconception has a name and an advice: what it is, and what to do.")
        guard = Guard(said_of, not_of, otherwise)
        if guard.mistake:
            raise calling_place().mistake(guard.mistake)
        self._words.setdefault(name, (advice, guard))
        first = self._registers(name, advice, guard)
        if not wrong:
            return first
        first(self._written(wrong[0], of))
        return self._register_forms(self._registers(name, advice, guard, another_form=True), wrong[1:], of)

    def also(self, name: str, *wrong: Any, of: Any = None) -> Callable[[Any], Any]:
        """Register other forms of the misconception of this name, such as the same mistake with another function."""
        if name not in self._words:
            raise calling_place().mistake(f"no misconception {name!r} stands before this form of it.")
        return self._register_forms(self._registers(name, *self._words[name], another_form=True), wrong, of)

    def correct(self, right: Any) -> Any:
        """Register a correct implementation that a test must accept."""
        self._variants.append(Variant(right.__name__, self._whole(right), calling_place()))
        return right

    def equivalent(self, change: str, why: str) -> None:
        """Declare that the solution behaves alike after this change, so that no test can tell such a mutant from it."""
        place = calling_place()
        if not why.strip():
            raise place.mistake(f"say why {change!r} makes no difference: equivalent({change!r}, why).")
        if any(equivalent.change == change for equivalent in self._equivalents):
            raise place.mistake(f"{change!r} is declared equivalent already; take one of the two away.")
        self._equivalents.append(Equivalent(change, why, place))

    def _register_forms(self, registers: Callable[[Any], Any], forms: Iterable[Any], of: Any) -> Callable[[Any], Any]:
        for form in forms:
            registers(self._written(form, of))
        return registers

    def _registers(self, name: str, advice: str, guard: Guard, another_form: bool = False) -> Callable[[Any], Any]:
        def register(wrong: Any) -> Any:
            if wrong is None:  # a change of a solution that is not there
                return None
            whole = self._whole(wrong)
            self._misconceptions.append(Misconception(name, advice, whole, calling_place(), another_form, guard))
            return wrong

        return register

    def _written(self, wrong: Any, of: Any) -> Any:
        raise NotImplementedError  # Exercise knows what a change is of

    def _whole(self, implementation: Any) -> Any:
        raise NotImplementedError  # Exercise knows what a `forward` alone belongs to

    def _are_known_beside(self, test: FunctionType) -> None:
        """The answers to what this test function judges are in the module that is named after it."""
        package, _, stem = test.__module__.rpartition(".")
        self._folder = Path(test.__code__.co_filename).parent
        if package:
            self._module = f"{package}.{FOLDER}.{stem}.{test.__name__.removeprefix('test_')}"

    def _load(self) -> None:
        if not self._module:
            return
        parts = _imported(self._module)
        if parts is None:
            _, stem, test = self._module.rsplit(".", 2)
            self._misconceptions += recalled(self._folder / EXPECTED, stem, test)
        elif parts:  # one of them may have been imported before, by another exercise's module
            order = {part: number for number, part in enumerate(parts)}
            self._misconceptions.sort(key=lambda one: order.get(one.declared_at.path.stem, len(parts)))
        self._module = ""


def recalled(folder: Path, stem: str, test: str) -> list[Misconception]:
    """The wrong answers that this folder has records of: the course was handed out without its solutions."""
    archive = archive_in(folder, stem, test)
    if archive is None:
        return []
    place = Place(archive.path, 1)
    return [
        Misconception(
            mistake.name, mistake.advice, Recorded(archive, number), place, mistake.another_form, mistake.guard
        )
        for number, mistake in enumerate(archive.mistakes)
    ]


def _imported(name: str) -> Sequence[str] | None:
    """Import the module and its parts, whose names are given back; None where there is no such module."""
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if f"{name}.".startswith(f"{error.name}."):
            return None  # what is known is registered beside the test function, or recorded
        raise
    parts = getattr(module, "PARTS", ())
    for part in parts:
        importlib.import_module(f"{name}.{part}")
    return parts
