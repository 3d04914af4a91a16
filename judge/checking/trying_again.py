"""The lines by which a card says how to ask the failed question again."""

import inspect
from typing import Any

from judge.checking.asking import name_of
from judge.checking.declaration import Components
from judge.checking.session import Session
from judge.checking.survey import names_asked
from judge.checking.verdict import Failure

# What a check looks at, where that is not the output: see `ask_again`.
OF = {"input": "inputs", "gradient": "gradients", "parameters": "parameters", "start": "parameters"}


def again_lines(session: Session, components: Components, failure: Failure, component: Any) -> tuple[str, ...]:
    """Three lines for a cell; none where the question is not one of the test's, or nobody could import the test."""
    question, test = failure.question, session.exercise.body
    if question is None or failure.not_yet or "<locals>" in test.__qualname__:
        return ()
    names = names_asked(session)
    if name_of(question) not in names:
        return ()
    options = [f"question={names.index(name_of(question)) + 1}"]
    if failure.about in OF:
        options.append(f'of="{OF[failure.about]}"')
    if session.seed:
        options.append(f"seed={session.seed}")
    symbol = _name_of(component, components, list(inspect.signature(test).parameters))
    return (
        f"from {test.__module__} import {test.__name__}",
        f"given, got, expected = {test.__name__}.again({symbol}, {', '.join(options)})",
        'print(got, expected, sep="\\n")',
    )


def _name_of(component: Any, components: Components, names: list[str]) -> str:
    """What the test calls this one of those that it is given."""
    places = [index for index, one in enumerate(components) if one is component]
    return names[places[0] if places else 0]
