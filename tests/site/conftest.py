"""The site, built once, and a browser that reads it."""

import pytest

from tests import serving


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The folder of the built site; that Sphinx warns of nothing is proved by its being there."""
    from utils.site.building import build

    out = tmp_path_factory.mktemp("site")
    build(str(out))
    return out


@pytest.fixture(scope="package")
def browser():
    """Chromium. Without one: skipped, or failed if one is named."""
    with serving.browser() as opened:
        yield opened


@pytest.fixture(scope="package")
def address(site):
    """Where it is served."""
    with serving.serving(site) as found:
        yield found
