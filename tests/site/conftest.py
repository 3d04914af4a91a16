"""The site, built once, and a browser that reads it."""

import pytest
from filelock import FileLock

from tests import serving


@pytest.fixture(scope="session")
def site(tmp_path_factory, request):
    """The folder of the built site; that Sphinx warns of nothing is proved by its being there. Read it, don't write.

    All tests of a run share it, those of tests/solving and of xdist's other workers too: to build it takes a while.
    """
    from utils.site.building import build

    temporary = tmp_path_factory.getbasetemp()
    is_worker = hasattr(request.config, "workerinput")
    folder = (temporary.parent if is_worker else temporary) / "built_site"
    with FileLock(f"{folder}.lock"):
        if not folder.is_dir():
            build(str(folder))
    return folder


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
