"""Errors of torch and Python in a learner's terms: what they mean and what to do next, for all chapters."""

import re
from collections.abc import Mapping

from utils.checking.diagnosis.translations.arrays import ARRAY_RULES
from utils.checking.diagnosis.translations.calls import CALL_RULES
from utils.checking.diagnosis.translations.containers import CONTAINER_RULES
from utils.checking.diagnosis.translations.language import PYTHON_RULES
from utils.checking.diagnosis.translations.losses import LOSS_RULES
from utils.checking.diagnosis.translations.modules import MODULE_RULES
from utils.checking.diagnosis.translations.names import NAME_RULES
from utils.checking.diagnosis.translations.parts import PART_RULES
from utils.checking.diagnosis.translations.products import PRODUCT_RULES
from utils.checking.diagnosis.translations.raised import LONGEST_MESSAGE, Raised, Rule
from utils.checking.diagnosis.translations.shapes import SHAPE_RULES
from utils.checking.diagnosis.translations.tensors import TORCH_RULES
from utils.running.libraries import TORCH, Library
from utils.running.records import LearnerError
from utils.running.settings import Settings, standard_settings

RULES: list[Rule] = [
    *(*PART_RULES, *SHAPE_RULES, *LOSS_RULES, *PRODUCT_RULES, *TORCH_RULES, *CALL_RULES),
    *(*MODULE_RULES, *NAME_RULES, *PYTHON_RULES, *CONTAINER_RULES),
]
WITHOUT_TENSORS: list[Rule] = [*ARRAY_RULES, *NAME_RULES, *PYTHON_RULES, *CONTAINER_RULES]


def translate(
    error: LearnerError,
    shapes: Mapping[str, Mapping[str, int]],
    settings: Settings | None = None,
    library: Library = TORCH,
) -> str | None:
    """One or two sentences of advice on an error, None where its meaning is not certain.

    `shapes` names the axes of each input and parameter, such as {"tokens": {"batch": 2, "pos": 5}}. `settings`
    are what components are made of, `library` is what the exercise is written with.
    """
    raised = Raised(error, shapes, settings or standard_settings(), library)
    if len(raised.text) > LONGEST_MESSAGE:
        return None
    for pattern, advice in RULES if library.has_tensors else WITHOUT_TENSORS:
        match = re.fullmatch(pattern, raised.text, re.DOTALL)
        text = advice(match, raised) if match and callable(advice) else advice if match else None
        if text:
            return str(text)
    return None
