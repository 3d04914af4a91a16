"""What an answer does not depend on, though it should: a parameter, an input, a setting of the Config.

Proved by asking once more with that part changed, whole numbers and settings in two ways: the learner's answer stays
the same to the last bit, the right one does not. An input that the code writes over says nothing. What is asked is the
test's largest question of this kind, for at one position alone much plays no part that does at the next, and then the
one that failed.
"""

import itertools
from collections.abc import Iterator
from typing import Any

from judge.checking.code import Code
from judge.checking.diagnosis.cases import proved_by
from judge.checking.evidence import Evidence
from judge.checking.likeness import VISIBLE, absolute_tolerance, distance
from judge.checking.trial import Trial
from judge.checking.wording import listed
from judge.running.on_demand import Tensor, torch
from judge.running.records import Question, Record, Unchanged


@proved_by(
    case={
        "said(check_agrees, lambda self, x: x * self.b + self.b)": "`self.w` plays",
        "said(check_agrees, lambda self, x: torch.ones(2, 3, 8))": "`x`, `self.w` and `self.b` play",
    },
    near=(
        "said(check_agrees, lambda self, x: x * self.w * self.w + self.b)",
        "said(check_agrees, lambda self, x: torch.ones(2, 3, 8) * self.w + self.b)",
    ),
)
def unused(evidence: Evidence) -> str | None:
    """One sentence about the parts that play no part in an answer; None where all do, or nobody can say."""
    if evidence.trial is None:
        return None
    failed, component = evidence.trial, evidence.component
    largest = _largest(failed)
    if any(1 in value.shape for value in _tensors(largest)):
        return None
    names = _without_a_part(component, largest)
    # Where less is asked, a part may show that is lost in the largest question.
    here = [name for name, changed in _changed(failed) if names and not _same_answer(component, failed, changed)]
    names = [name for name in names if name not in here]
    return _sentence(names, evidence.code) if names else None


def _without_a_part(component: Any, trial: Trial) -> list[str]:
    """The parts of this question that make a difference to the right answer, and none to the learner's."""
    questions: dict[str, list[Question]] = {}
    for name, question in _changed(trial):
        if _shows(trial, question):
            questions.setdefault(name, []).append(question)
    trial.session.transcript.ask_ahead(component, list(itertools.chain(*questions.values())))
    over = _written_over(component, trial)
    return [
        name
        for name, asked in questions.items()
        if name not in over and all(_same_answer(component, trial, changed) for changed in asked)
    ]


def _sentence(names: list[str], code: Code) -> str:
    play, them, their = ("play", "them", "their") if names[1:] else ("plays", "it", "its")
    if any(name.rpartition(".")[2] in code.names_read for name in names):
        change, they_are = ("change", "they are") if names[1:] else ("changes", "it is")
        return (
            f"{listed(names)} {change} nothing here: your answer stays the same whatever is in {them}. "
            f"Use {them}, or look for the line where {they_are} lost."
        )
    return (
        f"{listed(names)} {play} no part in your answer, "
        f"which stays the same whatever is in {them}: "
        f"use {them}, or look for what stands in {their} place."
    )


def _largest(trial: Trial) -> Trial:
    """The question with the most input among those that the test asks with the same settings."""
    asked = [trial.instead(question) for question in trial.session.questions]
    alike = [
        asked_trial
        for asked_trial in asked
        if not asked_trial.question.options and len(asked_trial.inputs) == len(trial.inputs)
    ]
    if trial.kind.of_settings:
        alike = [asked_trial for asked_trial in alike if asked_trial.made_of == trial.made_of]
    return max([trial, *alike], key=lambda asked_trial: sum(value.numel() for value in _tensors(asked_trial)))


def _tensors(trial: Trial) -> list[Tensor]:
    return [value for value in trial.inputs if isinstance(value, Tensor)]


def _changed(trial: Trial) -> Iterator[tuple[str, Question]]:
    """The question with other numbers in one of its parts, for each part, and each way to change it."""
    inputs, names = trial.inputs, trial.session.exercise.inputs
    for index, (name, value) in enumerate(zip(names, inputs, strict=False)):
        if not isinstance(value, Tensor):
            continue
        for other in _others(value):
            yield name, trial.on(*inputs[:index], other, *inputs[index + 1 :]).question
    for name, value in trial.kind.parts(trial.question):
        for other in _others(value):
            yield name, trial.kind.with_part(trial.question, name, other)


def _others(value: Tensor | float) -> list[Any]:
    """Other numbers of the same form; of whole numbers, which may be names of rows, those that are there.

    These come in another order, and then the last of them in every place: a sum does not depend on the order. Of none
    at all there are no others. A setting is changed a little and by far: where it is a limit, it shows only beyond.
    """
    if not isinstance(value, Tensor):
        return [2 * value + 0.1, value + 1000]
    if not value.numel():
        return []
    if value.is_floating_point():
        generator = torch.Generator().manual_seed(value.numel())
        return [torch.randn(value.shape, generator=generator).to(value.dtype)]
    flat = value.flatten()
    return [flat.flip(0).view(value.shape), torch.full_like(value, int(flat[-1]))]


def _written_over(component: Any, trial: Trial) -> list[str]:
    """The inputs that a call changes in place: it may do so before it reads them."""
    after = trial.session.transcript.answer(component, trial.question).inputs_after
    names = trial.session.exercise.inputs
    return [name for name, value in zip(names, after, strict=False) if not isinstance(value, Unchanged)]


def _shows(trial: Trial, changed: Question) -> bool:
    """Whether the right answer is another one after the change."""
    before, after = (trial.session.transcript.expected(question) for question in (trial.question, changed))
    if before.error or after.error:
        return False
    visible = absolute_tolerance(VISIBLE, before.outputs[0] if before.outputs else None)
    return distance(_views(trial, before), _views(trial, after)) > visible


def _same_answer(component: Any, trial: Trial, changed: Question) -> bool:
    mine, again = (trial.session.transcript.answer(component, question) for question in (trial.question, changed))
    if mine.error or again.error or not _is_finite(mine.outputs):
        return False
    return distance(mine.outputs, again.outputs) == 0.0


def _views(trial: Trial, record: Record) -> list[Any]:
    return list(map(trial.session.exercise.viewed, record.outputs))


def _is_finite(outputs: list[Any]) -> bool:
    """Whether the answer is numbers that a change would show in."""
    return all(isinstance(output, Tensor) and bool(output.isfinite().all()) for output in outputs)
