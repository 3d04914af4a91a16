"""What is wrong with a verdict on a misconception or a variant: where that is written, and what to do next."""

from utils.checking import Misconception, Verdict
from utils.checking.known import Variant

DIFFER = "ask a question on which the two differ"
FARTHER = f"{DIFFER} by more (longer or shorter vectors, another eps, more positions), or leave it out"
APART = f"{DIFFER} in the check that stops it, or make it another form of that one: @exercise.also"
NEVER_REACHED = "and Python answered"  # as a card says of a call that does not fit the signature
UNNAMED = "It must do the same each time that it is asked"


def fault_of_misconception(misconception: Misconception, verdict: Verdict, seed: int) -> str | None:
    """Why this verdict is not the one that the misconception must get; None where it is."""
    named = verdict.failure and verdict.failure.misconception
    subject = f"{_place(misconception)}the misconception {misconception.name!r} is"
    if verdict.status == "passed":
        close = verdict.error_over_tolerance
        error = (
            f"the solution and it differ by {close:.1g} of what is allowed"
            if close
            else "no check tells it from the solution"
        )
        return f"{subject} judged 'passed'{_under(seed)}. Here {error}: {FARTHER}."
    if verdict.status == "not yet":
        return f"{subject} judged 'not yet'{_under(seed)}: it raised NotImplementedError."
    if named and named != misconception.name:
        return f"{subject} taken for {named!r}{_under(seed)}: {APART}."
    if not named:
        return f"{subject} rejected, but not named{_under(seed)}. {UNNAMED}. Its card:\n{verdict}"
    if verdict.failure and verdict.failure.details[0].endswith(NEVER_REACHED):
        return f"{subject} stopped before a line of its own ran{_under(seed)}. Is `self` missing?\n{verdict}"
    if misconception.advice not in str(verdict):
        return f"{subject} named, but its advice is not on the card{_under(seed)}:\n{verdict}"
    return None


def fault_of_variant(variant: Variant, verdict: Verdict, seed: int) -> str | None:
    """Why this verdict is not 'passed'; None where it is."""
    if verdict.failure is None:
        return None
    subject = f"{_place(variant)}the correct variant {variant.name!r} is"
    return f"{subject} judged {verdict.status!r}{_under(seed)}:\n{verdict}"


def _place(known: Misconception | Variant) -> str:
    return f"{known.declared_at.path}:{known.declared_at.line}: "


def _under(seed: int) -> str:
    return f" with seed {seed}" if seed else ""
