"""Errors of torch's own losses: scores and targets that do not pair, and targets of the wrong kind."""

from judge.checking.diagnosis.translations.raised import Match, Raised, Rule


def _unpaired(match: Match, raised: Raised) -> str:
    scores, targets = match.groups()
    return (
        "Each row of scores is paired with one target, "
        f"and here are {scores} rows and {targets} targets: "
        "shift both, and flatten both the same way, "
        "so that the scores keep their last axis."
    )


def _no_such_class(match: Match, _: Raised) -> str:
    return (
        "A target is a number of a class, counted from 0, "
        f"and no class is number {match[1]}. "
        "Look which axis of the scores the loss takes for the classes, "
        "and cut off what has no target."
    )


def _targets(match: Match, raised: Raised) -> str | None:
    if match[1] and not raised.says(r"\b(?:cross_entropy|nll_loss)\("):
        return None
    return "The targets are numbers of classes, and so whole numbers: leave out `.float()`."


LOSS_RULES: list[Rule] = [
    (r"ValueError: Expected input batch_size \((\d+)\) to match target batch_size \((\d+)\)\.", _unpaired),
    (r"IndexError: Target (-?\d+) is out of bounds\.", _no_such_class),
    (
        r"RuntimeError: expected (?:target dtype to be Long or Byte, but got \w+|scalar type (Long) but found \w+)",
        _targets,
    ),
    (
        r"RuntimeError: Expected floating point type for target with class probabilities, got Long",
        "Targets of the same shape as the scores are read as "
        "probabilities: hand over one number of a class for each row of "
        "scores, or, if they are one-hot, write `.float()` behind them.",
    ),
]
