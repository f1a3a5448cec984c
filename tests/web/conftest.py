"""One browser for all tests of a worker, and the packages of npm that only tests need."""

import pytest

from tests.clients.serving import served


@pytest.fixture(scope="session")
def npm():
    """The folder with node_modules."""
    from tools.vendor import install

    return install()


@pytest.fixture(scope="module")
def browser(npm):
    from tests.web.browser import chromium

    with chromium() as one:
        yield one


@pytest.fixture(scope="module")
def server():
    with served(http=True) as one:
        yield one
