# SPDX-License-Identifier: GPL-2.0-only
"""The page in a real browser, by mouse and by keyboard: its numbers are those of `pyperf-bpf report` of the
same profile, an address shows the same to whoever gets it, and nothing is asked of anybody but the
profiler."""
import base64
import collections
import re
import subprocess

import pytest

import interpreters as known
import profiler
from page_numbers import DRAWN, INTERVAL, PROGRAM, answer, fetched, numbers, shown_numbers
from serving import server

# What a view is, in short: for whether two are the same.
VIEW = ("[document.querySelector('#about').textContent, scene.flame.zoom, "
        "[...document.querySelectorAll('#table tbody tr')].map(row => row.textContent), "
        "scene.flame.rects.map(rect => [rect.id, rect.row, Math.round(rect.x)])]")


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A program with native code and waits, whose name wants to be markup."""
    home = tmp_path_factory.mktemp("served")
    link = home / "x<b>&amp;"
    link.symlink_to(known.usual().path)
    with profiler.target(link, "-c", PROGRAM, about=False) as target:
        with server(home, "--pid", target.pid, "-F", 499, "--native", "top", "--event", "cpu,offcpu") as s:
            s.pid = target.pid
            profiler.wait_until(lambda: s.get(INTERVAL).status == 200, what="first interval")
            yield s


@pytest.mark.parametrize("kind", ["", "offcpu"])
def test_table_of_functions(served, show, tmp_path, kind):
    """All numbers are those of `report --json` of the same profile."""
    page = show("?type=" + kind if kind else "")
    path = fetched(served, page, tmp_path / "now.pb.gz")
    judged = answer(path, page)
    assert shown_numbers(page) == numbers(judged["tables"][0]["rows"])
    assert int(page.run(DRAWN)) == judged["profile"]["total"] > 0
    assert {row["name"] for row in judged["tables"][0]["rows"]} >= {"work", "hot", "encode_rows"} or kind


@pytest.mark.all
def test_table_is_sorted(show):
    """By mouse and by keyboard; a second time turns it around."""
    page = show()

    def column(name):
        return [int(n) for n in page.run("[...document.querySelectorAll('#table tbody tr')]"
                                         ".map(row => row.dataset.%s)" % name)]

    assert column("self") == sorted(column("self"), reverse=True)
    page.click("#table th.total button")
    assert column("total") == sorted(column("total"), reverse=True) and "sort=total" in page.address()
    page.focus("#table th.self button")
    page.key("Enter")
    page.focus("#table th.self button")
    page.key("Enter")
    assert column("self") == sorted(column("self")) and "sort=-self" in page.address()
    assert page.run("document.querySelector('#table th.self').getAttribute('aria-sort')") == "ascending"


def test_search(show):
    """Filters the table and marks frames; the share of what is found is said."""
    page = show("?hide=native")
    before = page.texts("#table tbody tr button")
    page.focus("#search")
    page.type("encod")
    names = page.texts("#table tbody tr button")
    where = page.texts("#table tbody tr small")
    assert names and set(names) < set(before)
    assert all("encod" in (name + place).lower() for name, place in zip(names, where, strict=True))
    share = float(re.search(r"found: ([\d.]+) %", page.text("#about"))[1])
    total = page.run("scene.rows.find(row => scene.keys[row.key].name === 'encode_rows').total / "
                     "scene.profile.total")
    assert abs(share - 100 * total) < 0.2 and "search=encod" in page.address()
    colours = page.run("scene.flame.rects.map(rect => [scene.flame.colour(rect.id) === COLOURS_FOUND, "
                       "rect.id && dataText(scene.keys[scene.tree.key[rect.id]])])")
    assert {found for found, name in colours if name and "encod" in name.lower()} == {True}
    assert {found for found, name in colours if not name or "encod" not in name.lower()} == {False}


# Left and top of what is said of a frame, and whether it is seen.
TIP = ("(() => { const tip = document.querySelector('#frame'); const box = tip.getBoundingClientRect(); "
       "return [box.left, box.top, getComputedStyle(tip).opacity]; })()")


def callees(page, of):
    """What a function calls, or who calls it, as the page draws that: {name: total}."""
    return dict(page.run("[...treeCallees(%s, 1)].map(id => [scene.keys[%s.key[id]].name, %s.total[id]])"
                         % (of, of, of)))


def test_callers_and_callees(served, show, tmp_path):
    """A click on a function shows both; the numbers are those of `report --callers` and `--callees`."""
    page = show("?hide=native")
    names = page.texts("#table tbody tr button")
    page.click("#table button.function", names.index("encode_rows"))
    assert "focus=encode_rows" in page.address()
    assert "callers and callees of encode_rows" in page.text("#about")
    path = fetched(served, page, tmp_path / "now.pb.gz", "&hide=native")
    for option, of in ("--callers", "scene.callersTree"), ("--callees", "scene.tree"):
        rows = answer(path, page, option, "encode_rows")["tables"][0]["rows"]
        judged = {row["name"]: row["total"] for row in rows if row["total"]}
        assert judged and callees(page, of) == judged
    assert page.run("document.querySelector('#table tr[aria-current] button').textContent") == "encode_rows"
    page.focus("#callers canvas")
    page.key("ArrowUp")  # its only caller
    page.key("Enter")
    assert "focus=work" in page.address()
    page.run("history.back()")
    page.wait("document.querySelector('#about').textContent.includes('of encode_rows')")
    page.click("#reset")
    assert page.run("document.querySelector('#callers').hidden") and "focus" not in page.address()


def test_graph_by_keyboard(show):
    """Arrows go from frame to frame, with words at each; Enter zooms, Escape goes back, F shows callers."""
    page = show("?hide=native")
    page.focus("#flame canvas")
    assert page.text("#frame").startswith("all\n100.0 % of all, ")
    said = []
    while not page.text("#frame").startswith("work\n"):
        page.key("ArrowDown")
        assert page.text("#frame") not in said
        said.append(page.text("#frame"))
    assert said[0].startswith("x<b>&amp; (pid ") and "\n100.0 % of all, " in said[0]
    page.key("Enter")
    assert page.run("scene.keys[scene.tree.key[scene.flame.zoom]].name") == "work"
    assert "zoom=" in page.address()
    page.key("ArrowDown")
    first = page.text("#frame")
    page.key("ArrowRight")
    assert page.text("#frame") != first
    page.key("ArrowLeft")
    assert page.text("#frame") == first
    page.key("ArrowUp")
    page.key("Escape")
    assert page.run("scene.tree.parent[scene.tree.order[0]]") == 0 and page.text("#frame") != said[-1]
    page.key("Home")
    page.key("Enter")
    assert "zoom" not in page.address()
    while not page.text("#frame").startswith("work\n"):
        page.key("ArrowDown")
    page.key("f")
    assert "focus=work" in page.address()


@pytest.mark.all
def test_graph_by_mouse(show):
    page = show("?hide=native")
    rect = page.run("(() => { const r = scene.flame.rects.find(r => r.id && "
                    "scene.keys[scene.tree.key[r.id]].name === 'encode_rows'); "
                    "return [r.x + r.width / 2, r.row * FLAME_ROW + 9]; })()")
    left, top, _, _ = page.box("#flame canvas")
    page.mouse("Moved", left + rect[0], top + rect[1])
    name, share, place = page.text("#frame").split("\n")
    assert name == "encode_rows" and re.match(r"[\d.]+ % of all, [\d.]+ s", share) and place == "<string>:7"
    tip = page.run(TIP)
    assert tip[0] > left + rect[0] and 0 < tip[1] - (top + rect[1]) < 40 and tip[2] == "1"
    page.mouse("Moved", left + rect[0], 5)
    assert page.run(TIP)[2] == "0"
    page.click_at(left + rect[0], top + rect[1])
    assert page.run("scene.keys[scene.tree.key[scene.flame.zoom]].name") == "encode_rows"
    assert page.run("scene.flame.rects.find(r => r.id === scene.flame.zoom).width") > 300


@pytest.mark.parametrize("query", ["?hide=native&order=inverted", *(
    pytest.param(query, marks=pytest.mark.all)
    for query in ("?search=hot&shape=flame", "?type=offcpu&sort=-name", "?sort=total&tid=1"))])
def test_address_is_the_state(show, query):
    """What is pasted shows the same, and what is not in it is as usual."""
    page = show(query)
    if "inverted" in query:
        page.focus("#flame canvas")
        page.key("ArrowDown")
        page.key("Enter")
        assert "zoom=" in page.address()
    for _ in range(20):
        other = show("?" + page.address().partition("?")[2], live=True)
        if other.run("scene.profile.sent.start") == page.run("scene.profile.sent.start"):
            break
        page.go(page.address())
        page.wait(DRAWN)
    assert page.address() == other.address() and page.run(VIEW) == other.run(VIEW)
    assert set(page.run("stateQuery(scene.state)")[1:].split("&")) == set(
        page.run("location.search")[1:].split("&"))


@pytest.mark.all
def test_inverted(served, show, tmp_path):
    """From the leaves: below the root each function has what it has as its own."""
    page = show("?hide=native&order=inverted")
    path = fetched(served, page, tmp_path / "now.pb.gz", "&hide=native")
    judged = collections.Counter()
    for row in answer(path, page)["tables"][0]["rows"]:
        if row["self"]:
            judged[row["name"]] += row["self"]
    found = collections.Counter()
    for name, total in page.run("[...treeCallees(scene.tree, 0)].map(id => "
                                "[scene.keys[scene.tree.key[id]].name, scene.tree.total[id]])"):
        found[name] += total
    assert found == judged


def test_lines_of_a_function(served, show, tmp_path):
    """Those of `report --lines`, beside its callers and callees."""
    page = show("?hide=native")
    path = fetched(served, page, tmp_path / "now.pb.gz", "&hide=native")
    page.click("#table button.function", page.texts("#table tbody tr button").index("work"))
    rows = answer(path, page, "--lines", "work")["tables"][0]["rows"]
    judged = [(row["line"], row["self"], row["total"]) for row in rows]
    assert judged and judged == [tuple(map(int, row)) for row in page.run(
        "[...document.querySelectorAll('#lines tbody tr')]"
        ".map(row => [row.dataset.line, row.dataset.self, row.dataset.total])")]
    page.click("#reset")
    assert page.run("document.querySelector('#lines').hidden")


def test_packages_can_be_folded(served, show, tmp_path):
    """The rows are those of `report --fold`, and what calls itself within a package is one frame."""
    page = show("?hide=native")
    path = fetched(served, page, tmp_path / "now.pb.gz", "&hide=native")
    page.click("#fold")
    assert "fold=yes" in page.address()
    judged = {row["name"]: (row["self"], row["total"])
              for row in answer(path, page, "--fold")["tables"][0]["rows"]}
    mine = {name: tuple(own) for name, *own in page.run(
        "scene.rows.map(row => [scene.keys[row.key].name, row.self, row.total])")}
    assert mine == judged and {"stdlib", "work", "hot"} <= set(mine)
    assert page.run("scene.tree.total[0]") == page.run("scene.profile.total")
    page.click("#table button.function", page.texts("#table tbody tr button").index("stdlib"))
    assert page.run("scene.callersTree.total[0]") == judged["stdlib"][1]


def test_only_the_profiler_is_asked(served, show):
    page = show(live=True)
    own = {address.removeprefix(served.url) for address in page.asked if not address.startswith("data:")}
    assert own >= {"/", "/page.css", "/page.js", INTERVAL, INTERVAL + "s", "/debug/pyperf/follow"}
    assert all(address.startswith("/") for address in own)
    assert page.run("document.querySelector('b') === null")
    policy = served.get("/").headers["Content-Security-Policy"]
    assert "script-src 'self';" in policy and "unsafe-eval" not in policy


def test_one_kind_of_event_after_the_other(served, show):
    """Where there are several, a link leads to each; what was asked for besides stays."""
    page = show("?type=offcpu&pid=%d" % served.pid)
    links = page.run("[...document.querySelectorAll('#events a')].map(link => [link.search, "
                     "link.getAttribute('aria-current'), link.textContent])")
    assert [(now, text) for _, now, text in links] == [(None, "CPU"), ("page", "waiting"),
                                                       (None, "run queue")]
    assert all("pid=%d" % served.pid in search for search, _, _ in links)
    page.click("#events a", 2)
    page.wait("typeof scene === 'object' && scene.profile && scene.profile.sent.event === 'runqueue'")


@pytest.mark.all
def test_kinds_of_frames_are_told_apart(show):
    """By colour, and the legend has every row of bpf/frames.def."""
    page = show("?colour=kind")
    assert page.texts("#legend span") == [kind.shown for kind in profiler.FRAMES]
    colours = page.run("[...document.querySelectorAll('#legend i')].map(i => i.style.backgroundColor)")
    assert len(set(colours)) == len(profiler.FRAMES)
    red, green, blue = map(int, re.findall(r"\d+", page.run(
        "coloursOf(scene.keys.find(key => key.name === 'deep'), scene.profile.sent.kinds)")))
    assert red > green + 30 and red > blue + 30


def test_native_code_can_be_hidden(show):
    """The legend offers it where there is some, and the page then draws what the server made without."""
    page = show()
    assert page.run("scene.keys.some(key => key.isNative)")
    page.click("#hide")
    page.wait("!scene.keys.some(key => key.isNative)")
    assert "hide=native" in page.address() and page.run("document.querySelector('#hide').checked")


@pytest.mark.all
def test_dark_and_printed(show):
    """Colours follow the browser's wish; on paper there are no buttons, and no part is cut off."""
    background = "getComputedStyle(document.body).backgroundColor"
    assert show().run(background) == "rgb(255, 255, 255)"
    dark = show(dark=True)
    assert max(map(int, re.findall(r"\d+", dark.run(background)))) < 60
    dark.call("Emulation.setEmulatedMedia", media="print")
    assert dark.run("getComputedStyle(document.querySelector('.bar')).display") == "none"
    assert dark.run("getComputedStyle(document.querySelector('#table')).maxHeight") == "none"
    printed = base64.b64decode(dark.call("Page.printToPDF")["data"])
    assert printed.startswith(b"%PDF") and len(printed) > 20000
    dark.run("scene.flame.place.style.maxHeight = '90px'; window.dispatchEvent(new Event('beforeprint'))")
    rows, height = dark.run("[scene.flame.rows, scene.flame.canvas.getBoundingClientRect().height]")
    assert height == rows * 18 > 180


def test_stacks_of_a_process(tmp_path, browser):
    """The table has a link to them, and they are below it. Nothing of a name is markup."""
    script = tmp_path / "x<b>&amp;.py"
    script.write_text("def f(): input()\nf()\n")
    with profiler.target(known.newest().path, script, about=False,
                         stdin=subprocess.PIPE) as target:
        with server(tmp_path, "--pid", target.pid) as s:
            page = browser.open(s.url + "/")
            address = s.url + "/debug/pyperf/stacks?pid=%d" % target.pid
            assert page.run("document.querySelector('#stacks').hidden") and address not in page.asked
            page.click("a.now")
            page.wait("document.querySelector('#stacks-text').textContent")
    text = page.text("#stacks-text")
    assert address in page.asked and not page.complaints
    assert text.startswith("Process %d " % target.pid)
    assert "      f (%s:1)\n      <module> (%s:2)\n" % (script, script) in text
    page.close()


@pytest.mark.all
def test_before_the_first_interval(tmp_path, browser):
    """The page waits for it."""
    with server(tmp_path, "--all-python") as s:
        page = browser.open(s.url + "/")
        page.wait(DRAWN)
        page.close()


@pytest.mark.parametrize("query", ["?constructor=1&group=constructor&sort=constructor&__proto__=2&order=x",
                                   "?zoom=%25&focus=%00&search=%3Cb%3E&shape=x&type=cpu"])
def test_addresses_of_others(show, query):
    """Somebody may send any address: it does nothing but show less."""
    page = show(query)
    assert page.run("document.querySelector('#table table') !== null") and "samples" not in page.text("h1")
    page.click("#reset")
    page.wait("document.querySelectorAll('#table tbody tr').length > 3")


@pytest.mark.all
def test_deep_stacks(tmp_path, workloads, browser):
    with profiler.target(known.usual().path, workloads / "depth.py", 900) as target:
        with server(tmp_path, "--pid", target.pid) as s:
            page = browser.open(s.url + "/")
            page.wait(DRAWN)
    assert page.run("scene.flame.rects.length") > 800 and not page.complaints
    page.focus("#flame canvas")
    for _ in range(100):
        page.key("ArrowDown")
    assert page.run("scene.flame.place.scrollTop") > 50 * 18
    page.close()


MANY = """(() => {
    const count = 1000000, depth = [0], of = [0], self = [0];
    for (let i = 1; i < count; i++) {
        depth.push(1 + i %% 20);
        of.push(i * 7919 %% %d);
        self.push(1);
    }
    const column = make => Array.from({length: %d}, make);
    const sent = {...scene.profile.sent, total: count - 1, samples: count - 1, nodes: {depth, of, self},
        owners: {pid: [1], comm: [1]}, strings: ["", "many", ...column((_, i) => "f" + i)],
        functions: {name: column((_, i) => i + 2), file: column(() => 0), line: column(() => 0),
            kind: column(() => 0), package: column(() => -1), own: column(() => 2)}, packages: []};
    scene.profile = dataRead(sent);
    sceneFromState(false);
    return [scene.tree.count, scene.tree.total[0], scene.rows.reduce((sum, row) => sum + row.self, 0)];
})()""" % (50021, 50021)


@pytest.mark.all
def test_a_million_nodes(show):
    """They are drawn, listed, searched and turned around; nothing is lost."""
    page = show()
    nodes, total, own = page.run(MANY)
    assert total == own == 999999 and nodes > 900000
    page.focus("#search")
    page.type("f7")
    assert "found: " in page.text("#about") and len(page.texts("#table tbody tr")) == 100
    page.run("sceneChange({order: 'inverted', search: ''})")
    assert page.run("scene.tree.total[0]") == 999999
    page.click("#table button.function")
    assert page.run("scene.callersTree.total[0]") == page.run(
        "scene.rows.find(row => row.key === scene.focus).total")
