# SPDX-License-Identifier: GPL-2.0-only
"""Keys of the whole page, its help, and the address that leads others to what one sees, in a real browser."""
import pytest

import interpreters as known
import profiler
from page_numbers import DRAWN, INTERVAL, PROGRAM
from serving import server


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    home = tmp_path_factory.mktemp("served")
    with profiler.target(known.usual().path, "-c", PROGRAM, about=False) as target:
        with server(home, "--pid", target.pid, "-F", 499, "--interval", 2) as s:
            s.pid = target.pid
            profiler.wait_until(lambda: s.get(INTERVAL).status == 200, what="first interval")
            yield s


FOCUS = "document.activeElement.id"


def test_search_and_help(show):
    """A slash is search from anywhere but a field, a question mark the help, which has the addresses."""
    page = show()
    page.key("/")
    assert page.run(FOCUS) == "search"
    page.type("a/?")
    assert page.run("scene.state.search") == "a/?" and not page.run("document.querySelector('#help').open")
    page.focus("#flame canvas")
    page.key("?")
    assert page.run("document.querySelector('#help').open")
    addresses = page.run("[...document.querySelectorAll('#help dt a')].map(a => a.getAttribute('href'))")
    assert {"debug/pyperf/stacks", "debug/pyperf/interval", "metrics", "healthz"} <= set(addresses)
    assert "callers and callees" in page.text("#help table")
    page.key("Escape")
    assert not page.run("document.querySelector('#help').open")
    page.click("#help-open")
    assert page.run("document.querySelector('#help').open")
    page.click("#help form button")
    assert not page.run("document.querySelector('#help').open")


def test_menu_to_take_away(show):
    """It opens, and closes by Escape and by a click elsewhere."""
    page = show()
    is_open = "document.querySelector('#take-menu').open"
    for close in (lambda: page.key("Escape"), lambda: page.click("#about")):
        page.click("#take-menu summary")
        assert page.run(is_open) and page.run("document.querySelector('#take a').offsetHeight") > 0
        close()
        assert not page.run(is_open)


def test_copied_link_stays(served, show, browser):
    """It has the stretch that one sees, and shows the same when the run has gone on; the plain address of
    the page has none, and follows."""
    browser.call("Browser.grantPermissions", permissions=["clipboardReadWrite"], origin=served.url)
    page = show("?search=hot", live=True)
    page.call("Emulation.setFocusEmulationEnabled", enabled=True)
    page.click("#copy")
    page.wait("document.querySelector('#copy').textContent === 'copied'")
    start, total = page.run("[scene.profile.sent.start, scene.profile.sent.total]")
    link = page.run("navigator.clipboard.readText()")
    assert link.startswith(served.url + "/?") and "search=hot" in link and "at=%.3f-" % start in link
    assert "at=" not in page.address()
    page.wait("scene.profile.sent.start > %f" % start)
    other = browser.open(link)
    other.wait(DRAWN)
    assert other.run("[scene.profile.sent.start, scene.profile.sent.total]") == [start, total]
    assert other.run("scene.state.search") == "hot" and not other.complaints
    other.close()
