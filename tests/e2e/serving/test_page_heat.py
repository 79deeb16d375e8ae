# SPDX-License-Identifier: GPL-2.0-only
"""The page's heat map, in a real browser: parts of a second, of which a stretch is chosen. Its numbers are
those of `pyperf-bpf report` of the same stretch of the log."""
import contextlib
import re

import pytest

import interpreters as known
import profiler
from page_numbers import DRAWN, PROGRAM, answer, numbers, shown_numbers
from serving import server

LOG = "/debug/pyperf/log"
LOADED = "heat.known && heat.canvas.dataset.start"


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """The program rests most of the time. When it does not it has a CPU, so that each tenth of a second of
    the log has samples."""
    home = tmp_path_factory.mktemp("served")
    with contextlib.ExitStack() as stack:
        with profiler.before_others():
            target = stack.enter_context(profiler.target(known.usual().path, "-c", PROGRAM, about=False))
        with server(home, "--pid", target.pid, "-F", 499, "--event", "cpu,offcpu", "--log", 5,
                    "--interval", 2) as s:
            s.pid = target.pid
            profiler.wait_until(lambda: s.get(LOG + "?last=600&format=heat").status == 200 and
                                s.metric("log_seconds") >= 4, what="four seconds of log")
            yield s


def judged(served, page, tmp_path):
    """The report of the stretch of the log that the page shows."""
    from_, to = page.run("(() => { const {from, to} = timesParse(scene.state.at); "
                         "return [from.toFixed(3), to.toFixed(3)]; })()")
    got = served.get("%s?from=%s&to=%s&format=pprof&type=%s" % (LOG, from_, to,
                                                                page.run("scene.profile.sent.event")))
    assert got.status == 200, got
    path = tmp_path / "judged.pb.gz"
    path.write_bytes(got.body)
    return answer(path, page)


def at_cell(page, second, part):
    """Where on the screen that is."""
    left, top, _, _ = page.box("#heat canvas")
    return left + (second + 0.5) * page.run("heat.width"), top + (part + 0.5) * page.run("HEAT_ROW")


def alike(page, some, others):
    """But for some nanoseconds at the edges: each request asks the clocks anew where 1970 is."""
    most = 10000 if page.run("scene.profile.sent.unit") == "nanoseconds" else 1
    return all(abs(some[key] - others[key]) <= most for key in {*some, *others})


def is_close(page, found, first, last):
    """Ticks that follow each other are one entry of the log, of which the edges are not exact."""
    cells = page.run("heat.known.cells.slice(%d, %d).reduce((a, b) => a + b)" % (first, last + 1))
    total = found["profile"]["total"]
    assert abs(cells - total) <= max(4, 0.1 * total), (cells, total)


@pytest.mark.all
@pytest.mark.parametrize("kind", ["", "&type=offcpu"])
def test_stretch_by_mouse(served, show, tmp_path, kind):
    """A drag over cells shows that stretch of the log, with the numbers of its report."""
    page = show("?heat=yes" + kind)
    page.wait(LOADED)
    columns, parts = page.run("[heat.known.cells.length / heat.known.parts, heat.known.parts]")
    assert columns >= 4 and parts == 50
    page.drag(at_cell(page, columns - 3, 10), at_cell(page, columns - 2, 34))
    page.wait("scene.state.at && Math.abs(scene.profile.sent.seconds - 1.5) < 0.01")
    first, last = (columns - 3) * parts + 10, (columns - 2) * parts + 34
    start = page.run("heat.known.start")
    assert page.run("scene.state.at") == "log:%.3f-%.3f" % (start + first / parts, start + (last + 1) / parts)
    found = judged(served, page, tmp_path)
    assert alike(page, shown_numbers(page), numbers(found["tables"][0]["rows"]))
    assert alike(page, {"all": int(page.run(DRAWN))}, {"all": found["profile"]["total"]})
    assert found["profile"]["total"] > 0
    is_close(page, found, first, last)
    assert "of the log" in page.text("#times-about") and "in 1.5 s" in page.text("#about")
    links = page.run("[...document.querySelectorAll('#take a')].map(link => link.href)")
    assert links and all(LOG + "?" in link and served.get(link.removeprefix(served.url)).status == 200
                         for link in links)
    other = show("?" + page.address().partition("?")[2])
    other.wait(LOADED)
    assert alike(page, shown_numbers(other), shown_numbers(page))


def test_by_keyboard(served, show, tmp_path):
    """It opens, arrows go from part to part and from second to second, Shift makes a stretch, Enter takes
    it; and what that is compared with comes in the same way."""
    page = show()
    assert not page.run("document.querySelector('#heat').open || document.querySelector('#heat').hidden")
    page.focus("#heat summary")
    page.key("Enter")
    page.wait(LOADED)
    assert "heat=yes" in page.address()
    page.focus("#heat canvas")
    page.key("End")
    page.key("ArrowLeft")
    page.key("ArrowLeft")
    for _ in range(4):
        page.key("ArrowUp", modifiers=8)
    said = page.text("#heat-about")
    assert said.startswith("here: ") and re.search(r"\+900 ms to .* \+0 ms, \d+ samples", said), said
    cells = page.run("heat.known.cells.slice(...[heatChosen()[0], heatChosen()[1] + 1])")
    page.key("Enter")
    page.wait("scene.state.at && Math.abs(scene.profile.sent.seconds - 0.1) < 0.005")
    assert len(cells) == 5
    found = judged(served, page, tmp_path)
    assert abs(int(page.run(DRAWN)) - found["profile"]["total"]) <= 1
    assert abs(sum(cells) - found["profile"]["total"]) <= 4
    page.click("input[name=which][value=base]")
    page.focus("#heat canvas")
    page.key("Home")
    page.key("ArrowRight")
    page.key("ArrowRight", modifiers=8)
    page.key("Enter")
    page.wait("scene.state.base && scene.pair")
    assert page.run("timesParse(scene.state.base).isLog") and "beside" in page.text("#about")
    page.focus("#heat canvas")
    page.key("Escape")
    page.wait("!scene.state.at && !scene.state.base && scene.profile.sent.seconds > 1")


@pytest.mark.all
def test_without_a_log(tmp_path, browser):
    """It is not offered, and an address that wants it shows the rest."""
    with profiler.target(known.usual().path, "-c", PROGRAM, about=False) as target:
        with server(tmp_path, "--pid", target.pid, "--interval", 1) as s:
            profiler.wait_until(lambda: s.get("/debug/pyperf/interval").status == 200, what="an interval")
            page = browser.open(s.url + "/?live=off&heat=yes")
            page.wait(DRAWN)
            assert page.run("document.querySelector('#heat').hidden") and not page.complaints
            page.close()


@pytest.mark.all
def test_time_that_the_log_has_not(served, show):
    """The page says so."""
    page = show("?heat=yes")
    page.wait(LOADED)
    page.run("sceneChange({at: 'log:1000.000-1000.100'})")
    page.wait("document.querySelector('#about').textContent.includes('the log has nothing of that time')")
    page.click("#newest")
    page.wait("!scene.state.at && !document.querySelector('#about').textContent.includes('nothing')")
    assert served.get(LOG + "?format=hot").status == 400
