"""Errors of what joins tensors: cat and stack."""

from judge.checking.diagnosis.translations.raised import Match, Raised, Rule


def no_tensor(match: Match, _: Raised) -> str | None:
    entry, kind = match.groups()
    if kind == "list":
        return "The entries of this list are lists, and must be tensors: join the inner ones first."
    if kind == "NoneType":
        return (
            f"Entry {entry} of the list (counted from 0) is None. "
            "To begin with nothing, begin with a tensor whose axis has size 0: `torch.zeros(1, 0, ...)`."
        )
    if kind in ("int", "float"):
        return (
            f"Entry {entry} of the list (counted from 0) is a plain number: "
            "`torch.tensor([number])` makes a tensor with one axis of it."
        )
    return None


JOINING_RULES: list[Rule] = [
    (
        r"RuntimeError: Sizes of tensors must match except in dimension (\d+)\. Expected size (\d+) but got size (\d+) "
        r"for tensor number (\d+) in the list\.",
        lambda match, raised: (
            f"`cat` along dimension {match[1]} needs all other sizes equal: "
            f"tensor {match[4]} (counted from 0) has "
            f"{raised.sized(match[3])} where the first has "
            f"{raised.sized(match[2])}."
        ),
    ),
    (
        r"RuntimeError: Tensors must have same number of dimensions: got (\d+) and (\d+)",
        lambda match, raised: (
            "`cat` joins tensors with the same axes, "
            f"here one has {match[1]} and another {match[2]}: "
            "the one with fewer needs its missing axis first."
        ),
    ),
    (
        r"RuntimeError: stack expects each tensor to be equal size, but got \[(.*?)\] at entry 0 and \[(.*?)\] at "
        r"entry (\d+)",
        lambda match, raised: (
            "`stack` needs tensors of one shape: "
            f"entry 0 has {raised.shape(match[1])}, "
            f"entry {match[3]} has {raised.shape(match[2])}."
        ),
    ),
    (
        r"(?:Runtime|Value)Error: (?:torch\.)?(cat|\w*stack)(?:\(\):)? expect(?:s|ed) a non-empty .*",
        lambda match, raised: (
            f"The list that `torch.{match[1]}` takes is empty: "
            "look at the loop that fills it, which may begin too late or end too early."
        ),
    ),
    (
        r"TypeError: (cat|stack)\(\): argument 'tensors' \(position 1\) must be tuple of Tensors, not \w+",
        lambda match, raised: f"`torch.{match[1]}` takes one list of tensors: `torch.{match[1]}([one, other])`.",
    ),
    (r"TypeError: expected Tensor as element (\d+) in argument 0, but got (\w+)", no_tensor),
    (
        r"RuntimeError: zero-dimensional tensor \(at position (\d+)\) cannot be concatenated",
        lambda match, _: (
            f"`cat` joins along an axis, and entry {match[1]} of the list (counted from 0) has none: "
            "`[None]` behind a tensor gives it one, and `stack` joins tensors that have none."
        ),
    ),
]
