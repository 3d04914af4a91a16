"""What the tests of the reference model share: they begin with the bundled one, and let go of large ones."""

import pytest

from tests.reference.gpt2_small import random_gpt2_small
from utils.reference import reader, tokens


@pytest.fixture(autouse=True)
def _bundled(monkeypatch):
    monkeypatch.delenv("COURSE_REFERENCE", raising=False)


@pytest.fixture(scope="package")
def gpt2_small(tmp_path_factory):
    """GPT-2 small's shape with random weights: HuggingFace's model, and where it is saved."""
    return random_gpt2_small(tmp_path_factory.mktemp("gpt2_small"))


@pytest.fixture
def forget():
    """Let go of a large model after the test."""
    yield
    reader._reference.cache_clear()
    tokens.tokenizer_of.cache_clear()
