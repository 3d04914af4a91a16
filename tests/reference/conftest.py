"""What the tests of the reference model share: they begin with the bundled one, and let go of large ones."""

import pytest

from utils.reference import reader


@pytest.fixture(autouse=True)
def _bundled(monkeypatch):
    monkeypatch.delenv("COURSE_REFERENCE", raising=False)


@pytest.fixture
def forget():
    """Let go of a large model after the test."""
    yield
    reader._reference.cache_clear()
    reader._tokenizer.cache_clear()
