# SPDX-License-Identifier: GPL-2.0-only
"""A browser for the tests of the page."""
import contextlib

import pytest

import devtools


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    try:
        started = devtools.Browser(tmp_path_factory.mktemp("chromium"))
    except FileNotFoundError:
        pytest.skip("SKIP chromium: it is not here")
    with contextlib.closing(started):
        yield started


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
