# SPDX-License-Identifier: GPL-2.0-only
"""The page over time, in a real browser: stretches of the last intervals, two of them beside each other as
`pyperf-bpf diff` compares them, labels, the books, files to take away, and pages that follow the run."""
import json
import re
import socket
import subprocess
import xml.etree.ElementTree

import pytest

import formats
import interpreters as known
import profiler
from page_numbers import DRAWN, INTERVAL, PROGRAM, answer, numbers, shown_numbers
from serving import server

LIST = "/debug/pyperf/intervals"


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """Short intervals, of a program with threads, packages and waits."""
    home = tmp_path_factory.mktemp("served")
    with profiler.target(known.usual().path, "-c", PROGRAM, about=False) as target:
        with server(home, "--pid", target.pid, "-F", 499, "--event", "cpu,offcpu", "--interval", 2,
                    "--log", 10) as s:
            s.pid = target.pid
            profiler.wait_until(lambda: len(intervals(s)) >= 4, what="four intervals")
            yield s


def intervals(served):
    return json.loads(served.get(LIST).body)["intervals"]


def file_of(served, stretch, path, more=""):
    start, end = stretch.split("-")
    got = served.get("%s?format=pprof&from=%s&to=%s%s" % (INTERVAL, start, end, more))
    assert got.status == 200, got
    path.write_bytes(got.body)
    return path


def stretch_of(served, first, last):
    """From one interval to another, as the page writes it."""
    there = intervals(served)
    return "%.3f-%.3f" % (there[first]["start"], there[last]["start"] + there[last]["seconds"])


def judged(served, stretch, page, tmp_path, *more):
    return answer(file_of(served, stretch, tmp_path / "judged.pb.gz"), page, *more)


def test_stretch_by_mouse(served, show, tmp_path):
    """What is dragged over is shown, and its numbers are those of the same intervals as a file."""
    page = show()
    page.wait("times.known.intervals.length >= 4")
    left, top, width, height = page.box("#axis .marks")
    places = page.run("(() => { const span = timesSpan(); return times.known.intervals.slice(0, 3)"
                      ".map(one => span.left(one) + span.width(one) / 2); })()")
    page.drag((left + places[0] * width / 100, top + height / 2),
              (left + places[2] * width / 100, top + height / 2))
    page.wait("scene.state.at && scene.profile.sent.seconds > 4")
    assert page.run("scene.state.at") == stretch_of(served, 0, 2)
    found = judged(served, page.run("scene.state.at"), page, tmp_path)
    assert shown_numbers(page) == numbers(found["tables"][0]["rows"]) and found["profile"]["total"]
    assert abs(found["profile"]["seconds"] - page.run("scene.profile.sent.seconds")) < 0.01
    assert "3 of " in page.text("#times-about") and page.run("document.querySelector('.mark.shown') !== null")
    page.click("#newest")
    page.wait("!scene.state.at && scene.profile.sent.seconds < 4")


@pytest.mark.all
def test_axis_says_what_was_counted(served, show):
    """A bar for each interval and kind of event, whose total is that of its profile."""
    page = show()
    bars = page.run("[...document.querySelectorAll('#axis .row')].map(row => "
                    "[...row.querySelectorAll('i')].map(bar => +bar.dataset.total))")
    there = page.run("times.known.intervals")
    assert bars == [[one["totals"][kind] for one in there] for kind in range(3)]
    assert page.texts("#axis .row small") == ["CPU", "waiting", "run queue"]
    start, end = stretch_of(served, 1, 1).split("-")
    waits = json.loads(served.get("%s?type=offcpu&from=%s&to=%s" % (INTERVAL, start, end)).body)
    assert waits["total"] == bars[1][1] > 0


def test_difference(served, show, tmp_path):
    """By keyboard; every number, and what is more than chance, as `pyperf-bpf diff` says it."""
    page = show("?at=%s" % stretch_of(served, 2, 3))
    page.click("input[name=which][value=base]")
    page.focus("#axis")
    for key, more in ("Home", {}), ("Home", {}), ("ArrowRight", {"modifiers": 8}), ("Enter", {}):
        page.key(key, **more)
    page.wait("scene.pair")
    assert "base=" + stretch_of(served, 0, 1) in page.address()
    base = file_of(served, page.run("scene.state.base"), tmp_path / "base.pb.gz")
    new = file_of(served, page.run("scene.state.at"), tmp_path / "new.pb.gz")
    done = subprocess.run([profiler.BINARY, "diff", "--json", "--normalize", "time", "--top", "1000000",
                           "--event", page.run("scene.profile.sent.type"), base, new],
                          capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    rows = {(row["name"], row.get("file", "")): row for row in found["rows"]}
    mine = page.run("scene.rows.map(row => ({...row, name: scene.keys[row.key].name, "
                    "file: scene.keys[row.key].file}))")
    assert len(mine) == len(rows) > 5
    for row in mine:
        judge = rows[row["name"], row["file"]]
        assert [row[key] for key in ("self", "baseSelf", "total", "baseTotal")] == [
            judge[key] for key in ("new_self", "base_self", "new_total", "base_total")]
        # Seconds are rounded to milliseconds on one side.
        slack = 1e-3 * max(abs(judge["new_self"]), abs(judge["base_self"]), 1e6)
        for key, theirs in ("difference", "self"), ("low", "self_low"), ("high", "self_high"):
            assert abs(row["selfPair"][key] - judge[theirs]) <= slack
    assert abs(page.run("scene.pair.scale") - found["scale"]) < 1e-3
    assert page.run("scene.tree.total[0]") == found["new"]["total"]
    assert page.run("scene.tree.baseTotal[0]") == found["base"]["total"]
    grey = page.run("[...document.querySelectorAll('#table tbody tr')].map(row => "
                    "[row.dataset.name, row.querySelector('td').className.includes('chance')])")
    beyond = {row["name"]: row["beyond_chance"] for row in found["rows"]}
    assert sum(not chance == beyond[name] for name, chance in grey) >= len(grey) - 1


@pytest.mark.all
def test_what_is_new_and_what_is_gone(show):
    """Red and blue beyond chance, grey within; room is left for what is gone."""
    page = show()
    colours = page.run("""(() => {
        const sent = scene.profile.sent;
        const make = (self, start) => ({...sent, start, total: self.reduce((a, b) => a + b), seconds: 10,
            samples: self.reduce((a, b) => a + b), unit: "count", type: "samples",
            owners: {pid: [1], comm: [1]}, packages: [], strings: ["", "py", "same", "gone", "new", "x"],
            functions: {name: [2, 3, 4], file: [0, 0, 0], line: [0, 0, 0], kind: [0, 0, 0], own: [2, 2, 2],
                package: [-1, -1, -1]},
            nodes: {depth: [0, 1, 1, 1], of: [0, 0, 1, 2], self: [0, ...self]}});
        scene.profile = dataRead(make([1000, 0, 500], 2));
        scene.base = dataRead(make([1010, 500, 0], 1));
        sceneFromState(false);
        const colour = name => {
            for (let id = 1; id < scene.tree.count; id++)
                if (scene.keys[scene.tree.key[id]].name === name)
                    return [sceneColour(scene.tree, id), sceneWords(id, scene.flame),
                        scene.flame.rects.find(rect => rect.id === id).width / scene.flame.place.clientWidth];
        };
        return ["same", "gone", "new"].map(colour);
    })()""")
    (same, same_words, _), (gone, gone_words, gone_width), (new, new_words, _) = colours
    assert same == page.run("COMPARE_CHANCE") and "may be chance" in same_words
    red, green, blue = map(int, re.findall(r"\d+", new))
    assert red > blue + 100 and red > green + 100 and ": new, +500 samples" in new_words
    red, green, blue = map(int, re.findall(r"\d+", gone))
    assert blue > red + 100 and ": gone, -500 samples" in gone_words
    assert 0.2 < gone_width < 0.3


@pytest.mark.parametrize("label", ["package", *(pytest.param(name, marks=pytest.mark.all)
                                               for name in ("process", "thread", "gil"))])
def test_labels(served, show, tmp_path, label):
    """A strip for each, with the values of `report --by`: a click filters, one on its name groups."""
    stretch = stretch_of(served, 0, 2)
    page = show("?at=%s%s" % (stretch, "&pid=%d" % served.pid if label == "process" else ""))
    by = label if label in ("process", "thread", "package") else "label:" + label
    table = judged(served, stretch, page, tmp_path, "--by", by)["tables"][0]
    strip = "#labels .strip[data-label=%s] " % label
    mine = [int(value) for value in page.run("[...document.querySelectorAll('%s[data-value]')]"
                                             ".map(button => button.dataset.value)" % strip)]
    assert mine and sorted(mine) == sorted(row["self"] for row in table["rows"] if row["self"])
    if label == "process":
        return
    first = page.run("({...document.querySelector('%s[data-value]').dataset})" % strip)
    page.click(strip + ".segments button")
    assert int(page.run(DRAWN)) == int(first["value"])
    assert {"thread": "tid"}.get(label, label) + "=" in page.address()
    page.focus(strip + ".segments button")
    page.key("Enter")
    assert int(page.run(DRAWN)) == page.run("scene.profile.total")
    page.click(strip + ".by")
    assert "group=" + label in page.address()
    groups = page.run("[...treeCallees(scene.tree, 0)].map(id => scene.tree.total[id])")
    assert sum(groups) == page.run("scene.profile.total") and max(groups) == int(first["value"])


def test_books_in_the_header(served, show):
    """What is not in the profile, and why, as /metrics counts it."""
    page = show()
    page.click("#books summary")
    page.wait("document.querySelector('#books').open")
    rows = page.run("Object.fromEntries([...document.querySelectorAll('#books tr')].map(row => "
                    "[row.dataset.outcome, +row.dataset.count]))")
    lost, asked = page.run("[+document.querySelector('#books').dataset.lost, "
                           "+document.querySelector('#books').dataset.asked]")
    metrics = {labels: value for (name, labels), value in served.metrics().items()
               if name == "pyperf_outcomes_total"}
    counted = {dict(labels)["outcome"]: value for labels, value in metrics.items()}
    for outcome, count in rows.items():
        assert 0 < count <= counted[outcome]
    inside = sum(count for outcome, count in rows.items() if outcome not in ("not_selected", "idle",
                                                                             "not_python"))
    assert inside == asked and 0 <= lost < asked
    assert re.match(r"(all|less than 0\.1 % of the|[\d.]+ % of the) ticks are (not )?in here",
                    page.text("#books summary"))


@pytest.mark.parametrize("kind", ["", pytest.param("?type=offcpu", marks=pytest.mark.all)])
def test_take_away(served, show, kind):
    """Links to every format, of the interval that is shown, and to its lines of time; and the graph as
    SVG."""
    page = show(kind)
    links = page.run("[...document.querySelectorAll('#take a')].map(link => [link.textContent, link.href])")
    links, lines = links[:-2], links[-2:]
    assert [name for name, _ in links] == [format.name for format in formats.FORMATS]
    start = page.run("scene.profile.sent.start")
    for format, (_, address) in zip(formats.FORMATS, links, strict=True):
        got = served.get(address.removeprefix(served.url))
        assert got.status == 200 and got.headers["Content-Type"] == format.type
        assert ("from=%.3f" % start) in address
        if not kind and format.name == "pprof":
            assert sum(formats.read(format, got.body).values()) == page.run("scene.profile.sent.samples")
    assert [name for name, _ in lines] == ["time line (speedscope)", "time line (firefox)"]
    evented, threads = (json.loads(served.get(address.removeprefix(served.url)).body) for _, address in lines)
    assert any(each["type"] == "evented" and each["events"] for each in evented["profiles"])
    assert any(thread["samples"]["length"] > 1 for thread in threads["threads"])
    svg = xml.etree.ElementTree.fromstring(
        page.run("takeSvg(scene.flame, id => sceneWords(id, scene.flame))"))
    titles = [title.text for title in svg.iter("{http://www.w3.org/2000/svg}title")]
    assert len(titles) == page.run("scene.flame.rects.length")
    assert any(title.startswith("work (<string>:") for title in titles)


def test_follows_the_run(served, show):
    """Without being asked; a stretch that was chosen stays, and so does all with the switch off."""
    page = show("?search=hot", live=True)
    other = show("?at=" + stretch_of(served, 0, 0), live=True)
    start, chosen = page.run("scene.profile.sent.start"), other.run("scene.profile.sent.start")
    length = other.run("times.known.intervals.length")
    page.wait("scene.profile.sent.start > %f" % start)
    assert page.run("scene.state.search") == "hot" and "found" in page.text("#about")
    other.wait("times.known.intervals.length > %d" % length)
    assert other.run("scene.profile.sent.start") == chosen
    page.click("#live")
    start = page.run("scene.profile.sent.start")
    length = other.run("times.known.intervals.length")
    other.wait("times.known.intervals.length > %d" % length)
    assert page.run("scene.profile.sent.start") == start and "live=off" in page.address()


HIDDEN = ("Object.defineProperty(document, 'hidden', {value: %s, configurable: true});"
          "document.dispatchEvent(new Event('visibilitychange'))")


@pytest.mark.all
def test_tabs_that_nobody_sees(served, show):
    """More of them than a browser has connections to a server; one that is seen again shows the newest."""
    first = show(live=True)
    first.run(HIDDEN % "true")
    for _ in range(7):
        show(live=True).run(HIDDEN % "true")
    start = first.run("scene.profile.sent.start")  # what was under way as it was hidden is there by now
    newest = show(live=True)
    newest.wait("scene.profile.sent.start > %f" % start)
    assert first.run("scene.profile.sent.start") == start
    first.run(HIDDEN % "false")
    first.wait("scene.profile.sent.start > %f" % start)


@pytest.mark.all
def test_stretch_that_is_not_there(served, browser):
    """An address outlives what it leads to; the page says so."""
    page = browser.open(served.url + "/?at=1000.000-2000.000")
    page.wait("document.querySelector('#about').textContent.includes('no interval of that time')")
    page.click("#newest")
    page.wait(DRAWN)
    assert not page.complaints
    page.close()
    assert served.get(INTERVAL + "?from=5&to=4").status == 400
    assert served.get(INTERVAL + "?from=x").status == 400


def follow(served, source):
    """A client that has asked for events; what it got so far comes with the next one."""
    s = socket.create_connection(("127.0.0.1", served.port), timeout=300, source_address=(source, 0))
    s.sendall(b"GET /debug/pyperf/follow HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return s


@pytest.mark.all
def test_many_pages(served):
    """Fifty follow; each gets every event, what they ask for is encoded once, and one too many is refused."""
    clients = [follow(served, "127.0.0.2") for _ in range(50)]
    for client in clients:
        got = b""
        while got.count(b"event: interval\ndata: ") < 2:
            part = client.recv(4096)
            assert part, got
            got += part
        assert got.startswith(b"HTTP/1.1 200 ") and b"Content-Type: text/event-stream\r\n" in got
    more = [follow(served, "127.0.0.2") for _ in range(22)]
    refused = follow(served, "127.0.0.2")
    assert refused.recv(4096).startswith(b"HTTP/1.1 503 ")
    assert follow(served, "127.0.0.3").recv(4096).startswith(b"HTTP/1.1 200 ")
    assert served.get("/healthz").status == 200
    for client in clients + more:
        client.close()
    serial = intervals(served)[-1]["serial"]
    profiler.wait_until(lambda: intervals(served)[-1]["serial"] > serial + 1, what="two intervals")
    assert follow(served, "127.0.0.2").recv(4096).startswith(b"HTTP/1.1 200 ")


@pytest.mark.all
def test_ends_with_the_run(tmp_path):
    """A page that follows does not keep the profiler from ending."""
    with server(tmp_path, "--all-python", "--interval", 1) as s:
        client = follow(s, "127.0.0.1")
        profiler.wait_until(lambda: s.get(INTERVAL).status == 200, what="first interval")
        s.end()
        while client.recv(4096):
            pass
