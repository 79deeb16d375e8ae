# SPDX-License-Identifier: GPL-2.0-only
"""Who is being profiled, on the page in a real browser: who is alive, the hottest first, and no link to one
that has ended; and what stands in the place of a graph that has nothing."""
import base64
import contextlib
import json

import pytest

import interpreters as known
import profiler
from page_numbers import DRAWN, INTERVAL, PROGRAM
from serving import server

ROWS = ("[...document.querySelectorAll('#processes > table tbody tr')]"
        ".map(row => row.children[0].textContent)")
ENDED = "[...document.querySelectorAll('#ended tr')].map(row => row.dataset.pid)"
IDLE = "[...document.querySelectorAll('#idle tbody tr')].map(row => row.children[0].textContent)"
LINKS = "[...document.querySelectorAll('a.now')].map(link => link.hash)"


def test_who_is_there(tmp_path, browser):
    """One works, one sleeps, and one ends while the page is open."""
    python = known.usual().path
    with contextlib.ExitStack() as stack:
        busy, brief = (stack.enter_context(profiler.target(python, "-c", PROGRAM, about=False))
                       for _ in range(2))
        sleeps = "import time; time.sleep(9999)"
        idle = stack.enter_context(profiler.target(python, "-c", sleeps, about=False))
        pids = [str(one.pid) for one in (busy, brief, idle)]
        s = stack.enter_context(server(tmp_path, "--pid", ",".join(pids), "-F", 499, "--interval", 2))

        def has_both():
            got = s.get(INTERVAL)
            return got.status == 200 and set(map(int, pids[:2])) <= set(json.loads(got.body)["owners"]["pid"])

        profiler.wait_until(has_both, what="interval of both")
        first = json.loads(s.get(INTERVAL + "s").body)["intervals"][-1]
        page = browser.open(s.url + "/?at=%.3f-%.3f" % (first["start"], first["start"] + first["seconds"]))
        page.wait(DRAWN)
        page.wait(IDLE + ".length")
        assert set(page.run(ROWS)) == set(pids[:2]) and page.run(IDLE) == pids[2:]
        assert set(page.run(LINKS)) == {"#stacks=" + pid for pid in pids}
        brief.process.kill()
        brief.process.wait()
        page.wait(ENDED + ".length")
        assert page.run(ENDED) == [pids[1]] and page.run(ROWS) == pids[:1]
        assert set(page.run(LINKS)) == {"#stacks=" + pid for pid in (pids[0], pids[2])}
        assert not page.run("document.querySelector('#ended').open || document.querySelector('#idle').open")
        assert page.run("document.querySelector('#state a').getAttribute('href')") == "metrics"
        assert not page.complaints
        page.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    home = tmp_path_factory.mktemp("served")
    with profiler.target(known.usual().path, "-c", PROGRAM, about=False) as target:
        with server(home, "--pid", target.pid, "-F", 499, "--interval", 2) as s:
            s.pid = target.pid
            profiler.wait_until(lambda: s.get(INTERVAL).status == 200 and
                                b"encode_rows" in s.get(INTERVAL).body, what="interval with a function")
            yield s


def test_what_is_pressed_stays(show):
    """The list is drawn anew when the pointer comes, but not while a link in it is pressed."""
    page = show()
    left, top, width, height = page.box("a.now")
    page.mouse("Moved", left + width / 2, top + height / 2)
    page.run("processes.shown = false, processes.asked = 0, processes.link = document.querySelector('a.now')")
    page.mouse("Pressed", left + width / 2, top + height / 2, button="left", clickCount=1)
    page.run("(() => { processesLoad().then(() => { processes.shown = true; }); })()")
    for _ in range(5):  # its answer has come when later ones have
        page.run("fetch(location.pathname).then(answer => answer.text())")
    assert page.run("document.contains(processes.link)") and not page.run("processes.shown")
    page.mouse("Released", left + width / 2, top + height / 2, button="left", clickCount=1)
    page.wait("processes.shown && !document.contains(processes.link)")
    page.wait("document.querySelector('#stacks-text').textContent")


def test_nothing_that_was_chosen(show):
    """Words say it, and what brings all of it back."""
    page = show()
    assert page.run("document.querySelector('#empty').hidden")
    page.run("sceneChange({filters: {pid: '1'}})")
    assert not page.run("document.querySelector('#empty').hidden") and "whole" in page.text("#empty")
    page.click("#reset")
    assert page.run("document.querySelector('#empty').hidden")


def test_function_itself_is_marked(show):
    """Between its callers and its callees, with its share; and so is its frame."""
    page = show()
    assert page.run("document.querySelector('#itself').hidden")
    names = page.texts("#table tbody tr button")
    page.click("#table button.function", names.index("encode_rows"))
    total, own = page.run("(() => { const row = scene.rows.find(row => row.key === scene.focus); return "
                          "[row.total, row.self].map(n => wordsShare(n, scene.profile.total)); })()")
    said = page.text("#itself")
    assert "encode_rows" in said and "%s of all, itself %s" % (total, own) in said and "callers" in said
    above, here, below = page.run("['#callers', '#itself', '#flame'].map(name => "
                                  "document.querySelector(name).getBoundingClientRect().top)")
    assert above < here < below
    dark, beside = page.run("""(() => {
        const rect = scene.flame.rects.find(rect => rect.id === scene.flame.marked);
        const {data} = scene.flame.canvas.getContext('2d').getImageData(rect.width / 2, 0, 1, 40);
        const light = row => data[4 * row] + data[4 * row + 1] + data[4 * row + 2];
        return [light(flameTop(scene.flame, rect.row) + 1), light(flameTop(scene.flame, rect.row) + 25)];
    })()""")
    assert dark < 60 < beside


def test_on_paper(show):
    """The graph with its legend, and the table; nothing that one presses."""
    page = show()
    page.call("Emulation.setEmulatedMedia", media="print")
    seen = page.run("Object.fromEntries(['#flame', '#legend', '#table', '#about', '#actions', '#times', "
                    "'#find', '#below select', '#processes'].map(name => [name, document.querySelector(name)"
                    ".getClientRects().length > 0]))")
    assert [name for name, is_seen in seen.items() if is_seen] == ["#flame", "#legend", "#table", "#about"]
    assert base64.b64decode(page.call("Page.printToPDF")["data"]).startswith(b"%PDF")
