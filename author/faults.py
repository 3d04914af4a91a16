"""What is wrong with a verdict on a misconception or a variant: where that is written, and what to do next."""

import re

from judge.checking import Misconception, Verdict
from judge.checking.known import Variant
from judge.checking.verdict import Failure

DIFFER = "ask a question on which the two differ"
HOW = "longer or shorter vectors, another eps, more positions"
FARTHER = f"{DIFFER} by more ({HOW}), or leave it out"
ALSO = "or make it another form of that one: @exercise.also"
APART = f"{DIFFER} in the check that stops it, {ALSO}"
NOTHING = "no check tells it from the solution"
UNNAMED = "It must do the same each time that it is asked"
# as a card says of a call that does not fit the signature
NEVER_REACHED = "and Python answered"
# What Python says of a name that is not there: of a variable, of a module's attribute, of a module.
NO_SUCH_NAME = re.compile(
    r"^(?:(?:Name|UnboundLocal|Import|ModuleNotFound)Error: .*?"
    r"|AttributeError: module '[\w.]+' has no attribute )'(\w+)",
    re.MULTILINE,
)
# a card leaves out what an advice says of functions that the answer does not have
NOTHING_TRUE = "what it says is about functions that stand nowhere in this answer; say what to do, in its own sentence"
OWN_MISTAKE = "Is it a typing mistake, or an import that is missing? Where a learner would miss that name, say which"


def fault_of_misconception(misconception: Misconception, verdict: Verdict, seed: int) -> str | None:
    """Why this verdict is not the one that the misconception must get; None where it is."""
    found = _fault(misconception, verdict)
    if found is None:
        return None
    what, why = found
    subject = _subject("misconception", misconception)
    return f"{subject} is {what}{_under(seed)}{why}"


def _fault(misconception: Misconception, verdict: Verdict) -> tuple[str, str] | None:
    """What became of it that should not, and what to do."""
    failure = verdict.failure
    if failure is None:
        error = verdict.error_over_tolerance
        so_far = f"the solution and it differ by {error:.1g} of what is allowed"
        here = so_far if error else NOTHING
        return "judged 'passed'", f". Here {here}: {FARTHER}."
    if failure.not_yet:
        return "judged 'not yet'", ": it raised NotImplementedError."
    if not failure.misconception:
        return "rejected, but not named", f". {UNNAMED}. Its card:\n{verdict}"
    if failure.misconception != misconception.name:
        return f"taken for {failure.misconception!r}", f": {APART}."
    if failure.details[0].endswith(NEVER_REACHED):
        what = "stopped before a line of its own ran"
        return what, f". Is `self` missing?\n{verdict}"
    if missing := _missing_name(misconception, failure):
        return f"stopped by a name that is not there, {missing}", f". {OWN_MISTAKE}:\n{verdict}"
    if not failure.advice:
        return "named without an advice", f": {NOTHING_TRUE}:\n{verdict}"
    return None


def _missing_name(misconception: Misconception, failure: Failure) -> str:
    """The name whose lack ends it, unless that is what it is about; any code with that error is like it."""
    found = NO_SUCH_NAME.search("\n".join(failure.details))
    if not found:
        return ""
    about = f"{misconception.name} {misconception.advice}"
    is_meant = re.search(rf"\b{found[1]}\b", about)
    return "" if is_meant else found[1]


def fault_of_variant(variant: Variant, verdict: Verdict, seed: int) -> str | None:
    """Why this verdict is not 'passed'; None where it is."""
    if verdict.failure is None:
        return None
    subject = _subject("correct variant", variant)
    return f"{subject} is judged {verdict.status!r}{_under(seed)}:\n{verdict}"


def _subject(what: str, known: Misconception | Variant) -> str:
    place = known.declared_at
    return f"{place.path}:{place.line}: the {what} {known.name!r}"


def _under(seed: int) -> str:
    return f" with seed {seed}" if seed else ""
