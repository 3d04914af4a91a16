"""The stand-ins for libraries that Pyodide lacks, as modules beside the libraries themselves."""

import functools
import importlib.util
import os
import sys
from types import ModuleType
from unittest.mock import patch

from utils.course import ROOT

STAND_INS = ROOT / "utils" / "solving" / "stand_ins"
IN_THE_PAGE = os.pathsep.join([str(ROOT), str(STAND_INS)])  # PYTHONPATH of a Python that has nothing installed


@functools.cache
def stand_in(name: str) -> ModuleType:
    """The module that stands for this library; what it imports are stand-ins too."""
    spec = importlib.util.spec_from_file_location(f"stand_in_{name}", STAND_INS / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    with patch.dict(sys.modules, {} if name == "regex" else {"regex": stand_in("regex")}):
        spec.loader.exec_module(module)
    return module
