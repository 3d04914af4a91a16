"""Errors of torch and Python in a learner's terms: what they mean and what to do next, for all chapters."""

from judge.checking.diagnosis.translations.arrays import ARRAY_RULES
from judge.checking.diagnosis.translations.calls import CALL_RULES, SIGNATURE_RULES
from judge.checking.diagnosis.translations.language import CONTAINER_RULES, PYTHON_RULES
from judge.checking.diagnosis.translations.modules import HABIT_RULES, MODULE_RULES, PART_RULES
from judge.checking.diagnosis.translations.names import CONFIG_RULES, NAME_RULES
from judge.checking.diagnosis.translations.products import PRODUCT_RULES
from judge.checking.diagnosis.translations.raised import LONGEST_MESSAGE, Raised, Rule
from judge.checking.diagnosis.translations.shapes import JOINING_RULES, SHAPE_RULES
from judge.checking.diagnosis.translations.tensors import LOSS_RULES, NUMBER_RULES, TORCH_RULES

RULES: list[Rule] = [
    *(*HABIT_RULES, *PART_RULES, *SHAPE_RULES, *LOSS_RULES, *PRODUCT_RULES, *JOINING_RULES),
    *(*NUMBER_RULES, *TORCH_RULES, *CALL_RULES),
    *(*MODULE_RULES, *NAME_RULES, *PYTHON_RULES, *SIGNATURE_RULES, *CONTAINER_RULES),
]


# What can be said where a learner has no tensors: nothing that tells them to stay in torch
WITHOUT_TENSORS: list[Rule] = [
    *(*ARRAY_RULES, *CONFIG_RULES),
    *(*NAME_RULES, *PYTHON_RULES, *SIGNATURE_RULES, *CONTAINER_RULES),
]


def translate(raised: Raised) -> str | None:
    """One or two sentences of advice on an error, None where its meaning is not certain."""
    if len(raised.text) > LONGEST_MESSAGE:
        return None
    rules = RULES if raised.library.has_tensors else WITHOUT_TENSORS
    for rule in rules:
        text = rule.advice(raised)
        if text:
            return text
    return None
