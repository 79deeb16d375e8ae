# SPDX-License-Identifier: GPL-2.0-only
"""--format html: one file that a real browser shows from a disk, with the numbers of `pyperf-bpf report`."""
import json

import pytest

import devtools
import interpreters as known
import profiler
from browser import started
from page_numbers import DRAWN, INTERVAL, PROGRAM, answer, numbers, shown_numbers
from serving import server


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with started(devtools.Browser, "chromium", tmp_path_factory.mktemp("chromium")) as one:
        yield one


def whole_since(answer):
    """When this interval began, if it has all that the tests look for."""
    if answer.status == 200 and all(name in answer.body for name in (b"work", b"hot", b"encode_rows")):
        return json.loads(answer.body)["start"]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """An interval of a server, of two kinds of events, as HTML and as pprof."""
    home = tmp_path_factory.mktemp("written")
    with profiler.target(known.usual().path, "-c", PROGRAM, about=False) as target:
        with server(home, "--pid", target.pid, "-F", 499, "--event", "cpu,offcpu", "--interval", 3) as s:
            found = []
            profiler.wait_until(lambda: found.append(whole_since(s.get(INTERVAL))) or found[-1],
                                what="interval with all functions")
            start = found[-1]
            for name, format in ("then.html", "html"), ("then.pb.gz", "pprof"):
                got = s.get("%s?format=%s&from=%.3f&to=%.3f" % (INTERVAL, format, start, start + 2))
                assert got.status == 200 and "attachment" in got.headers["Content-Disposition"]
                (home / name).write_bytes(got.body)
    return home


@pytest.mark.parametrize("query", ["", "?type=offcpu"])
def test_numbers(written, browser, query):
    """Those of `report --json` of the same interval."""
    page = browser.open((written / "then.html").as_uri() + query)
    page.wait(DRAWN)
    judged = answer(written / "then.pb.gz", page)
    assert shown_numbers(page) == numbers(judged["tables"][0]["rows"])
    assert int(page.run(DRAWN)) == judged["profile"]["total"] > 0 and not page.complaints
    page.close()


def test_without_a_server(written, browser):
    """It asks for nothing; kinds of events, search, callers and the address work as on the page."""
    here = (written / "then.html").as_uri()
    page = browser.open(here)
    page.wait(DRAWN)
    assert {address for address in page.asked if not address.startswith("data:")} == {here}
    assert int(page.run(DRAWN)) > 0 and page.run("scene.profile.sent.event") == "cpu"
    names = page.texts("#table tbody tr button")
    assert {"work", "hot", "encode_rows"} <= set(names)
    page.click("#table button.function", names.index("encode_rows"))
    assert "callers and callees of encode_rows" in page.text("#about") and "focus=" in page.address()
    other = browser.open(page.address())
    other.wait(DRAWN)
    assert other.text("#about") == page.text("#about")
    page.click("#events a", 1)
    page.wait("typeof scene === 'object' && scene.profile && scene.profile.sent.event === 'offcpu'")
    assert "focus=" in page.address() and page.run("document.querySelector('#svg') !== null")
    assert not page.complaints and not other.complaints
    page.close()
    other.close()
