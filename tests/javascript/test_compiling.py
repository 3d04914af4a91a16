"""utils/javascript/kernels.mjs holds what kernels.wat says, and nothing else."""

import pytest

from utils.javascript.compiling import COMPILED, compiled


def test_a_page_has_the_kernels_of_the_source():
    pytest.importorskip("wasmtime", reason="wasmtime compiles them, and is not installed here: pip install wasmtime")
    assert COMPILED.read_text(encoding="utf-8") == compiled(), "python -m utils.javascript.compiling writes it anew"
