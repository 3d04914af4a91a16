"""A class that is no module: it is made, and its methods are called one after another."""

from typing import Any

from judge.running.calling import Code, Observed, after_the_call
from judge.running.kinds.kind import Call, Kind, Places
from judge.running.records import Arguments, Question, Values
from judge.running.values import copied

TAKES = 'takes a list of what it is made of, and then calls: ("encode", "a b").'


class Methods(Kind):
    """The question's arguments are the list of what it is made of, and then calls: ("encode", "a text")."""

    name = "methods"
    names_inputs = False

    def drive(self, make: Code, arguments: Values, *calls: Arguments, beside: Values | None = None) -> Observed:
        """Make `make(*arguments)`, then call each ("name", argument, ...) on it; the output lists the results.

        `beside` are the arguments of another one, which is made before the calls and must not disturb them.
        """
        given = copied([arguments, *calls])
        made = make(*given[0])
        _another = None if beside is None else make(*copied(beside))  # kept alive
        results: Values = []
        for name, *rest in given[1:]:
            method = getattr(made, name)
            results.append(method(*rest))
        return Observed([results], after_the_call(given, [arguments, *calls]))

    def input_names(self, symbol: str, declared: list[str], question: Question) -> list[str]:
        """By the calls' own words."""
        _, *calls = self.inputs(question)
        called = [symbol]
        called += [name for name, *_ in calls]
        return [f"what `{name}` was given" for name in called]

    def calls(self, question: Question) -> list[Call]:
        arguments, *calls = self.inputs(question)
        made = Call("made = {}({})", tuple(arguments), by_name=False)
        return [made, *(Call(f"made.{name}({{1}})", tuple(rest), by_name=False) for name, *rest in calls)]

    def places(self, question: Question) -> Places:
        """By the calls' own words."""
        _, *calls = self.inputs(question)
        return (tuple(f"call {number}, `{name}`" for number, (name, *_) in enumerate(calls, 1)),)

    def given_in(self, value: Any) -> Any:
        """Of a call what it was given, without its name."""
        given = value[1:] if _is_call(value) else value
        return given[0] if len(given) == 1 else given

    def misgiven(self, arguments: Arguments) -> str | None:
        if not arguments or not isinstance(arguments[0], list):
            return TAKES
        calls = arguments[1:]
        return None if calls and all(map(_is_call, calls)) else TAKES


def _is_call(call: Any) -> bool:
    if not isinstance(call, tuple) or not call:
        return False
    return isinstance(call[0], str)
