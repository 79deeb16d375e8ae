# SPDX-License-Identifier: GPL-2.0-only
"""A browser for the tests of the page."""
import contextlib
import functools

import pytest

import devtools


@contextlib.contextmanager
def open_browser(home, *arguments):
    try:
        started = devtools.Browser(home, *arguments)
    except FileNotFoundError:
        pytest.skip("SKIP chromium: it is not here")
    with contextlib.closing(started):
        yield started


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with open_browser(tmp_path_factory.mktemp("chromium")) as started:
        yield started


@pytest.fixture
def browser_told(tmp_path):
    """browser_told(ARGUMENT...) for a with statement: one with more of a command line."""
    return functools.partial(open_browser, tmp_path / "chromium")


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
