# SPDX-License-Identifier: GPL-2.0-only
"""A browser for the tests of the page."""
import functools

import pytest

import devtools
from browser import started


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with started(devtools.Browser, "chromium", tmp_path_factory.mktemp("chromium")) as one:
        yield one


@pytest.fixture
def browser_told(tmp_path):
    """browser_told(ARGUMENT...) for a with statement: one with more of a command line."""
    return functools.partial(started, devtools.Browser, "chromium", tmp_path / "chromium")


@pytest.fixture
def show(browser, served):
    """Opens the page with a query, and closes it at the end. Its scripts had nothing to complain of. It
    follows the run only if it is to."""
    opened = []

    def run(query="", live=False, **options):
        if not live:
            query += ("&" if query else "?") + "live=off"
        page = browser.open(served.url + "/" + query, **options)
        opened.append(page)
        page.wait("document.body.dataset.drawn")
        return page

    yield run
    for page in opened:
        assert not page.complaints
        page.close()
