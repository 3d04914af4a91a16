"""What to do about what an answer does beside giving a wrong value: to its inputs, to a model, from call to call.

Each takes the evidence that `registry.SENTENCES` describes.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from judge.checking.asking import record_of
from judge.checking.code import every
from judge.checking.comparing import value_difference
from judge.checking.diagnosis.cases import proved_by
from judge.checking.diagnosis.keeping import kept_between_calls, kept_by_the_class
from judge.checking.evidence import Evidence
from judge.checking.likeness import REPEATED
from judge.checking.trial import Trial
from judge.running.on_demand import Tensor
from judge.running.values import is_dict, is_list

ANEW = "Keep nothing from one call to the next: compute it anew from the input."
OF_A_MODEL = {
    "changed": (
        "The model is the caller's, who goes on using it: "
        "read its weights, and write to none. "
        "A slice such as `W_pos[:n]` is a view: "
        "`+=` on it, or a method that ends in `_`, changes the model."
    ),
    "training": (
        "Nothing is trained here: leave `model.train()` out, or put the mode back that you found, `model.training`."
    ),
    "evaluation": (
        "The caller may go on training it: leave `model.eval()` out, or put the mode back that you found, "
        "`model.train(mode)`."
    ),
    "frozen": (
        "The caller may want to train the model: leave `requires_grad` alone. "
        "To do without gradients here, `with torch.no_grad():` is enough."
    ),
}


@dataclass(frozen=True)
class Repeated:
    """How answers to one question differ from call to call."""

    first: Any  # the answer to it alone
    kept: bool  # a later call, or one after others, differs
    chance: bool  # another run, with other random numbers, differs
    seeded: bool  # torch was seeded before each call
    fresh: Trial  # the question alone

    def differs_anew(self, component: Any) -> bool:
        """Whether another run of the same question gives another answer, although nothing else came before it."""
        anew = record_of(component, self.fresh.question)
        if anew.error:
            return True
        return value_difference(anew.output, self.first, [], REPEATED) is not None


@proved_by(
    case={
        "replace(alone(WANT + WANT.mean(1, keepdim=True)), component=summed_by_letters)": '1 … "bpd,dm->bm"',
        "replace(alone(WANT + WANT.mean(1, keepdim=True)), component=kept_by_letters)": "another: look … 1",
        "replace(alone(WANT + WANT.mean(1, keepdim=True)), component=summed_by_words)": "`pos` stands",
        "alone(WANT + WANT.mean(1, keepdim=True))": "another: look … 1",
    },
    near="alone(WANT.relu())",
)
def runs_over_an_axis(evidence: Evidence) -> str:
    """For indices of an axis that see one another: what runs over it. The axis's number is in `want`."""
    name, axis = evidence.name, evidence.axis
    apart = f"No index of `{name}`, axis {axis}, should matter to another: "
    for pattern, lost in summed_by_einsum(evidence.code.plain):
        return (
            f'{apart}in `"{pattern}"` `{lost}` stands on the left alone, so `einsum` sums over it. '
            f"If that is `{name}`, write it on the right too."
        )
    return (
        f"{apart}look for an operation with `dim={axis}` or without `dim`, "
        "for an index or a loop that picks some of them, "
        f"for axes that line up wrongly, or for the size of `{name}`, "
        "or a count along it, that is used as a number."
    )


def summed_by_einsum(source: str) -> Iterator[tuple[str, str]]:
    """The patterns whose right side lacks an axis that one operand alone has, and the first such axis."""
    for pattern in re.findall(r"\beinsum\([^\"']*[\"']([^\"']+->[^\"']*)[\"']", source):
        left, right = pattern.split("->")
        operands = [_axes_in(operand) for operand in left.split(",")]
        kept = _axes_in(right)
        named = [axis for operand in operands for axis in operand]
        for axis in named:
            if axis not in kept and named.count(axis) == 1 and len(operands) > 1:
                yield pattern, axis
                break


def _axes_in(side: str) -> list[str]:
    """The names of axes: letters to torch, words to einops."""
    words = side.replace("...", " ").split()
    return words if len(words) > 1 else [*"".join(words)]


@proved_by(
    case=('Evidence("input", {"a": 1}, {"a": 1, "b": 2})', 'Evidence("input", ["b", "a"], ["a", "b"])'),
    near=('Evidence("input", {"a": 1, "b": 3}, {"a": 1, "b": 2})', 'Evidence("input", [WANT + 1], [WANT])'),
)
def entries_changed(evidence: Evidence) -> str | None:
    """For a dict that has other keys after the call, in another order perhaps, or a list that holds other things."""
    after, before = evidence.got, evidence.want
    dicts = is_dict(before) and is_dict(after) and list(before) != list(after)
    lists = is_list(before) and is_list(after) and (len(before) != len(after) or not _holds_tensors(before))
    if not dicts and not lists:
        return None
    return (
        "`pop`, `del`, `append`, `sort` and their like change what the "
        "caller still holds: read from it, or work on a copy."
    )


def _holds_tensors(items: list[Any]) -> bool:
    return any(isinstance(item, Tensor) for item in items)


@proved_by(case='Evidence("input", WANT + 1, WANT)', near='Evidence("input", [1], [1, 2])')
def changed_in_place(evidence: Evidence) -> str:
    """For an input whose numbers changed."""
    return "Assign to a new name instead of `+=`, `-=`, `x[...] =`, a method that ends in `_`, or `out=`."


@proved_by(case="repeats(kept=True, chance=True, seeded=True)", near="repeats(kept=True, chance=False, seeded=True)")
def other_random_numbers(evidence: Evidence) -> str | None:
    """For answers that differ although torch was seeded."""
    if not evidence.got.seeded or not evidence.got.chance:
        return None
    if "torch.Generator(" in evidence.code.plain:
        return "It makes a generator of its own, which no seed from outside reaches: leave it out."
    return (
        "Not all of its random numbers are torch's: "
        "draw with `torch.multinomial` or `torch.rand`, "
        "not with `random` or NumPy, and make no generator of your own."
    )


@proved_by(
    case={
        "said(check_repeatable, lambda self, x: x * self.w + torch.rand(8))": "numbers: something",
        "said(check_repeatable, DrawnOnce)": "numbers that",
    },
    near="said(check_repeatable, counting_calls)",
)
def random_numbers(evidence: Evidence) -> str | None:
    """For answers that differ with the random numbers, and only with these."""
    repeated = evidence.got
    if not repeated.chance or repeated.differs_anew(evidence.component):
        return None
    if repeated.fresh.kind.is_function:
        when = "anew in each call" if repeated.kept else "once, and kept"
        return f"The answer depends on random numbers: they are drawn {when}, and nothing is to be random here."
    if repeated.kept:
        return (
            "The answer depends on random numbers: "
            "something in it is drawn anew in each call, "
            "such as dropout or a table made in `forward`. "
            "What is learned is made once, in `__init__`."
        )
    return (
        "The answer depends on random numbers that are drawn once and "
        "are no parameter. What is learned is an `nn.Parameter`; "
        "nothing else may be random."
    )


@proved_by(
    case={"said(check_repeatable, counting_calls)": "self.calls … calls", "repeats(kept=True, chance=False)": ""},
    near=(
        "said(check_repeatable, lambda self, x: x * self.w + torch.rand(8))",
        "repeats(kept=True, chance=True, seeded=True)",
    ),
)
def kept_from_before(evidence: Evidence) -> str:
    """For answers that depend on earlier calls."""
    code = evidence.code
    if code.texts or not evidence.got.fresh.kind.is_function:
        return " ".join(filter(None, (ANEW, kept_between_calls(code))))
    return f"{ANEW} A default such as `found=[]` is made once, and kept: make the list inside the function."


@proved_by(case={"said(check_repeatable, growing)": "self.past … past"}, near="said(check_repeatable, too_long)")
def raised_by_what_was_kept(evidence: Evidence) -> str | None:
    """For an error that only comes after other calls."""
    trial = evidence.trial
    if not trial or not {"before", "times"} & trial.question.options.keys():
        return None
    alone = trial.also(times=1, before=[])
    if record_of(evidence.component, alone.question).error:
        return None
    kept = kept_between_calls(evidence.code)
    return " ".join(filter(None, (f"The first call works, a later one does not. {ANEW}", kept)))


@proved_by(
    case={"said(check_agrees, MadeInTheClass)": "seen … assign `self.seen`"}, near="said(check_agrees, MadeInInit)"
)
def shared_by_all(evidence: Evidence) -> str | None:
    """For a wrong value of a class that keeps what its instances are told in the class itself."""
    if evidence.trial is None or evidence.trial.kind.is_function:
        return None
    return kept_by_the_class(evidence.code)


def kept_outside(evidence: Evidence) -> str | None:
    """For a wrong value of a function that keeps something from call to call, where nothing else is known."""
    if evidence.trial is None or not evidence.trial.kind.is_function:
        return None
    return kept_between_calls(evidence.code)


@proved_by(
    case={'Evidence("due error", LearnerError("KeyError", "?"), "KeyError")': "KeyError"},
    near='Evidence("due error", LearnerError("IndexError", "?"), "KeyError")',
)
def unnamed(evidence: Evidence) -> str | None:
    """For the right error, whose message does not say what it was about."""
    raised, due = evidence.got, evidence.want
    if raised is None or not raised.is_a(due):
        return None
    return f"Say what it was about: put it into the message of the {due}."


@proved_by(
    case={"raises('return KeyError(word)')": "write `raise KeyError(...)`"},
    near=("raises('return word')", "raises('return ValueError(word)')"),
)
def returned(evidence: Evidence) -> str | None:
    """For an error that is made and returned."""
    returns = [node.value for function in evidence.code.functions for node in every(ast.Return, function)]
    calls = [ast.unparse(value.func) for value in returns if isinstance(value, ast.Call)]
    if evidence.got is not None or evidence.want not in calls:
        return None
    return f"`return` hands the error over like any value: to raise it, write `raise {evidence.want}(...)`."


@proved_by(
    case={'Evidence("due error", LearnerError("AssertionError", "?"), "KeyError")': "KeyError"},
    near='Evidence("due error", None, "KeyError")',
)
def asserted(evidence: Evidence) -> str | None:
    """For an `assert` where another error is due."""
    raised = evidence.got
    if raised is None or raised.type != "AssertionError":
        return None
    return f"`assert` raises an AssertionError: write `if ...: raise {evidence.want}(...)`."


@proved_by(
    case={'Evidence("due error", LearnerError("ValueError", "?", RAISED), "KeyError")': "KeyError"},
    near='Evidence("due error", LearnerError("ValueError", "?"), "KeyError")',
)
def another_raised(evidence: Evidence) -> str | None:
    """For a `raise` of the learner's own, of another error than is due."""
    raised = evidence.got
    if raised is None or not raised.by_a_raise:
        return None
    return f"Raising an error is right here, but not this one: write `raise {evidence.want}(...)`."


@proved_by(
    case={
        'Evidence("model", "changed")': "the caller's",
        'Evidence("model", "training")': "trained here",
        'Evidence("model", "frozen")': "model: leave",
    },
    near="Evidence()",
)
def model_changed(evidence: Evidence) -> str:
    """For a model that is not handed back as it was."""
    return OF_A_MODEL[evidence.got]


@proved_by(case='Evidence("work")', near="Evidence()")
def done_again(evidence: Evidence) -> str:
    """For more work than is needed."""
    return "Something is computed again that was known already: keep it, and compute what is new alone."
