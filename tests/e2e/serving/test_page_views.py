# SPDX-License-Identifier: GPL-2.0-only
"""The page's views beside the flame graph, in a real browser: their numbers are those of `pyperf-bpf report`
of the same profile, and of its stacks."""
import collections
import json

import pytest

import interpreters as known
import profiler
from page_numbers import DRAWN, INTERVAL, answer, fetched
from serving import server

PROGRAM = """
import asyncio, threading, time
text = b"a" * 12000000
kept = []
def holds():
    while True:
        text.count(b"ab")
def wants():
    while True:
        sum(i * i for i in range(1000))
def waits():
    while True:
        time.sleep(0.01)
def grows():
    while True:
        kept.append(b"x" * (1 << 20))
        time.sleep(0.02)
        if len(kept) > 100:
            kept.clear()
async def asks(lock):
    async with lock:
        await asyncio.sleep(0.02)
async def blocks():
    while True:
        await asyncio.sleep(0.05)
        time.sleep(0.03)
async def main():
    lock = asyncio.Lock()
    blocking = asyncio.ensure_future(blocks())
    while True:
        await asyncio.gather(*(asks(lock) for _ in range(5)))
for function in (holds, wants, waits, grows):
    threading.Thread(target=function, daemon=True).start()
asyncio.run(main())
"""
EVENTS = "cpu,offcpu,gil,memory,tasks,loop"
SHOWN = "document.querySelector('#view').dataset.view === '%s'"


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    home = tmp_path_factory.mktemp("served")
    with profiler.target(known.usual().path, "-c", PROGRAM, about=False) as target:
        with server(home, "--pid", target.pid, "-F", 199, "--event", EVENTS, "--interval", 2) as s:
            s.pid = target.pid
            profiler.wait_until(lambda: all(of_kind(s, kind) for kind in EVENTS.split(",")),
                                what="an interval with all kinds")
            yield s


def of_kind(served, kind):
    got = served.get("%s?type=%s" % (INTERVAL, kind))
    return got.status == 200 and json.loads(got.body)["total"]


def shown(show, view):
    """The page with this view, of an interval that has something of it."""
    page = show("?view=" + view)
    page.wait(SHOWN % view)
    profiler.wait_until(lambda: page.run("load().then(() => scene.profile.total)"), what="something of it")
    return page


def place(of):
    """What a table says of a place, as a row of `report --by line` has it."""
    return of.get("name", ""), of.get("file", ""), int(of.get("line") or 0)


def matrix(page):
    """{(row, column): value}, {row: value}, {column: value}"""
    heads, (sums, *lines) = page.run("""(() => {
        const of = cell => ({...cell.dataset});
        const rows = [...document.querySelectorAll("#view tr")].map(row => [...row.children].map(of));
        return [rows[0], rows.slice(1)];
    })()""")
    heads = heads[2:]
    cells, rows, columns = collections.Counter(), collections.Counter(), collections.Counter()
    for head, value in zip(heads, sums[2:], strict=True):
        columns[place(head)] += int(value["value"])
    for row, total, *values in lines:
        rows[place(row)] += int(total["value"])
        for head, value in zip(heads, values, strict=True):
            cells[place(row), place(head)] += int(value["value"])
    assert sum(cells.values()) == sum(rows.values()) == sum(columns.values()) == int(sums[1]["value"])
    return +cells, rows, columns


def lines(path, page, *more):
    """The own values of a report's rows."""
    rows = answer(path, page, *more)["tables"][0]["rows"]
    return {place(row): row["self"] for row in rows if row["self"]}


def test_offered(served, show):
    """What has data, and nothing else; by mouse and by keyboard, and the address has it."""
    page = show()
    page.wait("document.querySelectorAll('#views button').length === 6")
    assert page.texts("#views button") == ["flame graph", "waits", "the GIL", "memory", "tasks", "loop turns"]
    page.click("#views button", 1)
    page.wait(SHOWN % "waits")
    assert "view=waits" in page.address() and "type=offcpu" in page.address()
    assert page.run("document.querySelector('#drawn').hidden")
    page.focus("#views button", 3)
    page.key("Enter")
    page.wait(SHOWN % "memory")
    assert page.run("document.activeElement.dataset.view") == "memory"
    assert page.run("document.querySelector('#views [aria-pressed=true]').textContent") == "memory"
    page.run("history.back()")
    page.wait(SHOWN % "waits")
    page.focus("#views button", 0)
    page.key("Enter")
    page.wait("!document.querySelector('#drawn').hidden")
    assert "view" not in page.address() and page.run("scene.flame.rects.length") > 1


@pytest.mark.all
@pytest.mark.parametrize("view,kind", [("waits", "offcpu"), ("loop", "loop")])
def test_lines_and_reasons(served, show, tmp_path, view, kind):
    """Rows are those of `report --by line`, columns those of `--by wait`."""
    page = shown(show, view)
    path = fetched(served, page, tmp_path / "now.pb.gz")
    cells, rows, columns = matrix(page)
    assert +rows == lines(path, page, "--by", "line") and page.run("scene.profile.sent.event") == kind
    reasons = {name: value for (name, _, _), value in columns.items() if name}
    found = answer(path, page, "--by", "wait")
    assert reasons == {row["name"]: row["self"] for row in found["tables"][0]["rows"]}
    asleep = [value for (row, column), value in cells.items()
              if row[0] in ("waits", "blocks") and column[0] == "[syscall clock_nanosleep]"]
    assert asleep


def test_holders_and_waiters(served, show, tmp_path):
    """Each cell is the sum of the stacks in which one line waits and the other one holds the GIL."""
    page = shown(show, "gil")
    path = fetched(served, page, tmp_path / "now.pb.gz")
    cells, _, columns = matrix(page)
    judged = collections.Counter()
    for sample in profiler.read_samples(path):
        if sample.values["gil"]:
            at = profiler.functions(sample).index("[GIL held by]")
            holder, waiter = (next((f for f in part if f[1].endswith((".py", ">"))), part[0])
                              for part in (sample.stack[:at], sample.stack[at + 1:]))
            judged[tuple((f[0], f[1], f[3]) for f in (waiter, holder))] += sample.values["gil"]
    mine = collections.Counter()
    for (waiter, holder), value in cells.items():
        mine[waiter, holder if holder[0] else "rest"] += value
    apart = {holder for _, holder in mine}
    merged = collections.Counter()
    for (waiter, holder), value in judged.items():
        merged[waiter, holder if holder in apart else "rest"] += value
    assert mine == merged
    named = {column: value for column, value in columns.items() if column[0] != "[nobody]"}
    assert max(named, key=named.get)[0] == "holds"  # on a busy machine nobody may hold it for longer
    callers = collections.Counter()  # of holders that have a name, as report has them
    for (waiter, holder), value in judged.items():
        if holder[0] not in ("[nobody]", "[not known]"):
            callers[waiter[0]] += value
    found = answer(path, page, "--callers", "[GIL held by]")["tables"][0]["rows"]
    assert callers == {row["name"]: row["total"] for row in found if row["total"]}


@pytest.mark.all
@pytest.mark.parametrize("view", ["memory", "tasks"])
def test_lines_and_callers(served, show, tmp_path, view):
    """The lines are those of `report --by line`, beside each the nearest line of the program."""
    page = shown(show, view)
    path = fetched(served, page, tmp_path / "now.pb.gz")
    found = page.run("[...document.querySelectorAll('#view tbody tr')].map(row => "
                     "[...row.children].map(cell => ({...cell.dataset})))")
    sums, pairs = collections.Counter(), collections.Counter()
    for share, amount, line, caller in found:
        assert share["value"] == amount["value"] == line["value"]
        sums[place(line)] += int(share["value"])
        pairs[place(line)[0], caller.get("name")] += int(share["value"])
    assert sums == lines(path, page, "--by", "line")
    wanted = {"memory": ("grows", None), "tasks": ("Lock.acquire", "asks")}[view]
    bare = {(name.rpartition(".")[2], caller) for name, caller in pairs}
    assert (wanted[0].rpartition(".")[2], wanted[1]) in bare, pairs


@pytest.mark.all
def test_search_labels_and_functions(served, show):
    """A view shows what the rest of the page does: what is found, what has a label; a line leads on."""
    page = shown(show, "waits")
    whole = page.run("scene.profile.total")
    page.focus("#search")
    page.type("nanosleep")
    total = page.run("+document.querySelector('#view').dataset.total")
    assert 0 < total < whole
    assert page.texts("#view thead th:nth-child(n + 3)") == ["[syscall clock_nanosleep]"]
    page.run("sceneChange({search: ''})")
    tid = page.run("(() => { const i = scene.profile.sent.owners.tid.indexOf(%d); "
                   "return scene.profile.sent.owners.tid[i ? 0 : 1]; })()" % served.pid)
    page.run("sceneChange({filters: {tid: '%d'}})" % tid)
    assert page.run("+document.querySelector('#view').dataset.total") == int(page.run(DRAWN)) < whole
    page.click("#view tbody button.function")
    page.wait("!document.querySelector('#drawn').hidden")
    assert "focus=" in page.address() and "view" not in page.address()


@pytest.mark.all
def test_nothing_is_offered_without_data(browser, tmp_path):
    """A run of one kind has the flame graph alone, and so has an address that names a view."""
    with profiler.target(known.usual().path, "-c", PROGRAM, about=False) as target:
        with server(tmp_path, "--pid", target.pid, "--interval", 1) as s:
            profiler.wait_until(lambda: of_kind(s, "cpu"), what="first interval")
            page = browser.open(s.url + "/?live=off")
            page.wait(DRAWN)
            assert page.run("document.querySelector('#views').hidden")
            page.go(s.url + "/?view=no-such-view&live=off")
            page.wait(DRAWN)
            assert not page.run("document.querySelector('#drawn').hidden") and not page.complaints
            page.close()


@pytest.mark.all
def test_in_a_file(tmp_path, browser):
    """A file without a server has the views of the kinds that it has something of."""
    with profiler.target(known.usual().path, "-c", PROGRAM, about=False) as target:
        run = profiler.run(tmp_path, "--pid", target.pid, "--event", "offcpu,loop", "-d", 1,
                           output="profile.html")
    page = browser.open("file://%s" % run.path)
    page.wait(DRAWN)
    names = page.texts("#views button")
    assert names[:2] == ["flame graph", "waits"]
    page.click("#views button", 1)
    page.wait(SHOWN % "waits")
    cells, _, _ = matrix(page)
    assert sum(cells.values()) == page.run("scene.profile.total") > 0 and not page.complaints
    page.close()
