"""The site as tests/site has it, with a fake judge."""

import pytest

from tests.site.conftest import address, browser, site  # noqa: F401
from tests.solving import fake_judge


@pytest.fixture(scope="session")
def judging():
    """The module in the place of judging.mjs."""
    return fake_judge.script()
