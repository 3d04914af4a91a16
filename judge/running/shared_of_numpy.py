"""What all code shares of NumPy."""

from typing import Any

import numpy as np

from judge.running.ambient import Setting, Shared


def _set_errors(errors: dict[str, Any]) -> None:
    np.seterr(**errors)


def _set_printing(options: dict[str, Any]) -> None:
    np.set_printoptions(**options)


def _seed(seed: int) -> None:
    np.random.seed(seed % 2**32)


SHARED = Shared(
    (),
    (Setting(np.geterr, _set_errors), Setting(np.get_printoptions, _set_printing)),
    Setting(np.random.get_state, np.random.set_state),
    _seed,
)
