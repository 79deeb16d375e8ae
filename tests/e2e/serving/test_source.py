# SPDX-License-Identifier: GPL-2.0-only
"""--listen-source: the text of a function's lines on the page, in a real browser, and what is not given:
files that are others by now, files that the program's user may not read, and everything else."""
import contextlib
import functools
import json
import os
import pathlib
import subprocess
import tempfile
import time
import types
import urllib.parse

import pytest

import interpreters as known
import namespaces
import profiler
from page_numbers import INTERVAL
from pprof_rows import report
from serving import server

TOKEN = "an-example-of-a-token-0123456789"
RIGHT = {"Authorization": "Bearer " + TOKEN}
SOURCE = "/debug/pyperf/source?"
MARKS = "<b>\u202e\x07</b>"
PROGRAM = '''import sys, time
def hot(n):  # %s
    total = 0
    for i in range(n):
        total += i * i
    return total
def named(function, name, file):
    """The same code, which says that it is from elsewhere."""
    code = function.__code__
    return type(function)(code.replace(co_name=name, co_filename=file, **(
        {"co_qualname": name} if hasattr(code, "co_qualname") else {})), globals())
functions = [hot] + [named(hot, "hot", file) for file in sys.argv[1:]]
print("{}", flush=True)
while True:
    for function in functions:
        function(20000)
''' % MARKS
LAST = 6  # the last line of hot()
FIFO, LINK, FOREIGN, LONG, BINARY, GONE = files = ("fifo.py", "link.py", "foreign.py", "long.py", "binary.py",
                                                   "gone.py")


def write_files(folder):
    """Files that the program names as its own."""
    os.mkfifo(folder / FIFO, 0o666)
    (folder / LINK).symlink_to("/etc/shadow")
    (folder / FOREIGN).write_text(PROGRAM)
    (folder / FOREIGN).chmod(0o600)
    with open(folder / LONG, "wb") as long:
        long.write(b"#")
        long.truncate(1 << 30)
    (folder / BINARY).write_bytes(b"\n" + b"def hot\0" * 6 + b"\n" * 9)


@pytest.fixture(scope="module")
def home():
    """A folder that every user may enter, as pytest's are not."""
    with tempfile.TemporaryDirectory(prefix="pyperf-source.") as name:
        path = pathlib.Path(name)
        path.chmod(0o755)
        yield path


@pytest.fixture(scope="module")
def served(home):
    """A program of another user than root, and a profiler that may show its source."""
    app, token = home / "app.py", home / "token"
    app.write_text(PROGRAM)
    write_files(home)
    token.write_text(TOKEN)
    python = known.usual().path

    def become_nobody():
        os.setgid(65534)
        os.setuid(65534)

    with profiler.target(python, app, *(home / file for file in files), preexec_fn=become_nobody) as target, \
            server(home, "--pid", target.pid, "-F", 499, "--interval", 2, "--listen-token-file", token,
                   "--listen-source") as s:
        bare = s.get
        s.get = functools.partial(bare, headers=RIGHT)
        s.pid, s.app, s.home, s.without_token = target.pid, app, home, bare
        profiler.wait_until(lambda: s.get(INTERVAL).status == 200, what="first interval")
        yield s


@pytest.fixture
def show(show):
    return functools.partial(show, headers=RIGHT)


def query(pid, file, **more):
    keys = {"pid": pid, "name": "hot", "file": file, "line": 2, "from": 2, "to": LAST, **more}
    return SOURCE + urllib.parse.urlencode(keys)


def text_of(s, file, **more):
    """The answer; a function that has not been met in an interval yet will be."""
    answer = None

    def is_met():
        nonlocal answer
        answer = s.get(query(s.pid, file, **more))
        return b"no interval that is kept has this function" not in answer.body

    profiler.wait_until(is_met, what="function that was met")
    return answer


def test_text(served):
    """From the first line to the last that was counted, which a loop of some milliseconds has all."""
    answer = text_of(served, served.app)
    assert answer.status == 200 and answer.headers["Content-Type"] == "application/json"
    found = json.loads(answer.body)
    lines = PROGRAM.split("\n")[1:LAST]
    assert found["schema"] == "pyperf-bpf.source/1" and found["pid"] == served.pid
    assert found["file"] == str(served.app) and found["from"] == 2
    assert len(found["lines"]) >= 3 and found["lines"] == lines[:len(found["lines"])]
    assert "\u202e".encode() not in answer.body and b"\x07" not in answer.body


@pytest.mark.parametrize("file, status, words", [
    (FIFO, 403, "is not read: only a file that the process's user owns"),
    (LINK, 403, "is not read: only a file that the process's user owns"),
    (FOREIGN, 403, "is not read: only a file that the process's user owns"),
    (LONG, 404, "is not read: the lines are not in its first 4 MiB"),
    (BINARY, 404, "is no text"),
    (GONE, 404, "has no file"),
])
def test_hostile_files(served, file, status, words):
    answer = text_of(served, served.home / file)
    assert (answer.status, words in answer.body.decode()) == (status, True), answer
    assert answer.body.count(b"\n") == 1


def test_what_else_is_not_given(served):
    text_of(served, served.app)
    behind = text_of(served, served.app, **{"from": LAST + 1, "to": LAST + 9})
    assert behind.status == 404 and b"nothing was counted behind them" in behind.body
    for other in ({"name": "named"}, {"line": 3}, {"file": os.__file__}, {"pid": os.getpid()}):
        answer = served.get(query(**{"pid": served.pid, "file": served.app, **other}))
        assert answer.status == 404 and b"no interval that is kept" in answer.body, (other, answer)
    for bad in {"file": "/etc/passwd"}, {"to": 500}, {"to": 1}, {"name": ""}, {"more": 1}:
        answer = served.get(query(**{"pid": served.pid, "file": served.app, **bad}))
        assert answer.status == 400 and answer.body.count(b"\n") == 1, (bad, answer)
    assert served.without_token(query(served.pid, served.app)).status == 401
    elsewhere = {**RIGHT, "Sec-Fetch-Site": "cross-site"}
    assert served.without_token(query(served.pid, served.app), headers=elsewhere).status == 403


def rows_of(page):
    return page.run("[...document.querySelectorAll('#lines tbody tr')].map(row => ({...row.dataset, "
                    "number: row.cells[2].textContent, text: row.cells[3].textContent}))")


def open_lines(page, app, by):
    """Of hot() of this file, by the mouse or by the keyboard, as soon as it is in an interval."""
    find = ("[...document.querySelectorAll('#table tbody tr')].findIndex("
            "row => row.dataset.name === 'hot' && row.dataset.file === %s)" % json.dumps(str(app)))
    page.wait(find + " >= 0")
    at = page.run(find)
    if by == "mouse":
        page.click("#table button.function", at)
    else:
        page.focus("#table button.function", at)
        page.key("Enter")
    page.wait("!document.querySelector('#lines caption').textContent.includes('looking for')")


@pytest.mark.parametrize("by", ["mouse", pytest.param("keyboard", marks=pytest.mark.all)])
def test_page(served, show, by):
    """Beside each line is its text, also where nothing was counted; the numbers are those without it. Nothing
    is asked for before a function's lines are looked at."""
    text_of(served, served.app)
    page = show()
    page.wait("times.known")
    assert not [address for address in page.asked if "/source?" in address]
    open_lines(page, served.app, by)
    assert len([address for address in page.asked if "/source?" in address]) == 1
    rows, lines = rows_of(page), PROGRAM.split("\n")
    shown = [line.replace("\u202e", "\\u202e").replace("\x07", "\\u0007") for line in lines]
    assert [row["number"] for row in rows] == [str(n) for n in range(2, 2 + len(rows))]
    assert [row["text"] for row in rows] == shown[1:1 + len(rows)] and "<b>\\u202e" in rows[0]["text"]
    counted = [[row["line"], row["self"], row["total"]] for row in rows if "self" in row]
    assert counted and counted == page.run(
        "linesOf(scene.profile, scene.focus).map(row => [row.line, row.self, row.total].map(String))")
    assert "as process %d has it" % served.pid in page.text("#lines caption")
    assert page.run("document.querySelector('#lines b') === null")
    page.focus("#lines")
    assert page.run("document.activeElement.id") == "lines"
    page.click("#reset")
    assert page.run("document.querySelector('#lines').hidden")


def test_stretch_of_a_long_function(show):
    """As many lines as may be had, around the one that has most."""
    page = show()

    def stretch(first, *lines):
        rows = [{"line": line, "total": total} for line, total in lines]
        return page.run("sourceStretch({line: %d}, %s)" % (first, json.dumps(rows)))

    assert stretch(5, (9, 1), (404, 2)) == [5, 404]
    assert stretch(5, (9, 3), (405, 2)) == [5, 404]
    assert stretch(5, (9, 1), (405, 2)) == [6, 405]
    assert stretch(1, (300, 1), (1500, 5), (2000, 2)) == [1300, 1699]
    assert stretch(0, (7, 1)) == [1, 7]


@pytest.mark.all
def test_page_says_why_there_is_no_text(served, show):
    text_of(served, served.home / LINK)
    page = show()
    open_lines(page, served.home / LINK, "mouse")
    assert "is not read: only a file that the process's user owns" in page.text("#lines caption")
    assert page.run("document.querySelectorAll('#lines tbody tr').length") > 0
    assert page.run("document.querySelectorAll('#lines code').length") == 0


IN_OWN_MOUNTS = """mount -t tmpfs none "$1" && chmod 755 "$1" && printf %s "$2" > "$1/app.py" &&
echo '{}' && exec sleep infinity
"""


@pytest.mark.all
@pytest.mark.skipif(namespaces.reason() is not None, reason="SKIP mounts: %s" % namespaces.reason())
def test_file_in_another_mount_namespace(home, tmp_path, browser):
    """Two programs have different files under one name, and this side has a third one. The page has the text
    of a process that it shows."""
    shared, texts = home / "shared", ("# the first", "# the second")
    shared.mkdir()
    (shared / "app.py").write_text(PROGRAM.replace("# " + MARKS, "# of this side"))
    (tmp_path / "token").write_text(TOKEN)
    places = [("unshare", "--mount", "sh", "-c", IN_OWN_MOUNTS, "sh", shared,
               PROGRAM.replace("i * i", "i * i  " + text).replace("# " + MARKS, text)) for text in texts]
    with profiler.targets(places) as held, \
            profiler.targets([("nsenter", "--mount=/proc/%d/ns/mnt" % one.pid, known.usual().path,
                               shared / "app.py") for one in held]) as programs, \
            server(tmp_path, "--pid", ",".join(str(one.pid) for one in programs), "-F", 499, "--interval", 2,
                   "--listen-token-file", tmp_path / "token", "--listen-source") as s:
        for program, text in zip(programs, texts, strict=True):
            asker = types.SimpleNamespace(get=functools.partial(s.get, headers=RIGHT), pid=program.pid)
            profiler.wait_until(lambda: asker.get(INTERVAL).status == 200, what="first interval")
            found = json.loads(text_of(asker, shared / "app.py").body)
            assert found["lines"][0] == "def hot(n):  " + text and found["pid"] == program.pid
            page = browser.open("%s/?live=off&pid=%d" % (s.url, program.pid), headers=RIGHT)
            with contextlib.closing(page):
                page.wait("document.body.dataset.drawn")
                open_lines(page, shared / "app.py", "mouse")
                assert rows_of(page)[0]["text"] == "def hot(n):  " + text
                assert "as process %d has it" % program.pid in page.text("#lines caption")
            # `report` asks the profiler as well, and not this side.
            found = json.loads(report("--json", "--lines", "hot", "--token-file", tmp_path / "token",
                                      "%s%s?format=pprof&pid=%d" % (s.url, INTERVAL, program.pid)))
            sources = {row["line"]: row["source"] for row in found["tables"][0]["rows"]}
            assert sources[5] == "        total += i * i  " + text
            assert not [note for note in found["notes"] if note["code"].startswith("source")]


@pytest.mark.all
def test_page_without_the_option(tmp_path, browser):
    """Numbers alone, and nothing is asked for."""
    app = tmp_path / "app.py"
    app.write_text(PROGRAM)
    with profiler.target(known.usual().path, app) as target, \
            server(tmp_path, "--pid", target.pid, "-F", 499, "--interval", 2) as s:
        profiler.wait_until(lambda: s.get(INTERVAL).status == 200, what="first interval")
        answer = s.get(query(target.pid, app))
        assert answer.status == 404 and b"--listen-source" in answer.body
        page = browser.open(s.url + "/?live=off")
        with contextlib.closing(page):
            page.wait("document.body.dataset.drawn")
            page.click("#table button.function", page.texts("#table tbody tr button").index("hot"))
            page.wait("!document.querySelector('#lines').hidden")
            assert not [address for address in page.asked if "/source?" in address]
            assert page.run("document.querySelectorAll('#lines code').length") == 0
            assert page.text("#lines caption") == "lines of hot, whatever the labels"


def test_file_that_was_changed(served):
    """It is not shown, wherever the function stands, and whatever times the text has. It comes last: the file
    is not what it was from then on."""
    text_of(served, served.app)
    time.sleep(0.1)  # more than a start is known to
    served.app.write_text(PROGRAM.replace("total = 0", "total = 1"))
    os.utime(served.app, (1e9, 1e9))
    answer = text_of(served, served.app)
    assert answer.status == 404 and b"was changed, or put there, after process" in answer.body
    served.app.write_text("\n" + PROGRAM)
    answer = text_of(served, served.app)
    assert answer.status == 404 and b"the function is not where it was" in answer.body


@pytest.mark.parametrize("arguments", [(), ("--listen", "7070"), ("--listen-metrics", "unix:/run/none")])
def test_who_may_have_it(arguments):
    """Whoever may not read the files could ask at a port."""
    done = subprocess.run([profiler.BINARY, "-a", "--listen-source", *arguments], capture_output=True,
                          text=True, timeout=300)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
    assert "--listen-token-file FILE, or with --listen unix:/PATH" in done.stderr
