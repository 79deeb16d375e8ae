# SPDX-License-Identifier: GPL-2.0-only
"""--listen-source while the file is another one at each look: a program of another user, whose functions say
that they are from one path, puts there in turn its own file, links to files that only root or somebody else
may read, a FIFO and a device, or such links in the place of the file's folder. What is checked is what is
read, so no line of what it may not read is given, however the two fall."""
import collections
import concurrent.futures
import functools
import json
import os
import pathlib
import tempfile
import urllib.parse

import pytest

import interpreters as known
import profiler
from serving import server

NOBODY, SOMEBODY = 65534, 65533
TOKEN = "an-example-of-a-token-0123456789"
SECRET = "secret-of-somebody-else"
# The same function everywhere, so that what is read would be shown.
TEXT = """import sys
def hot(n):  # %s
    total = 0
    for i in range(n):
        total += i * i
    return total
"""
PROGRAM = TEXT % "one's own" + '''
import ctypes, threading
place, names = sys.argv[1], sys.argv[3:]
rename = ctypes.CDLL(None).renameat2
def swap():
    """With each in turn, and back: nothing is missing in between."""
    while True:
        for name in names:
            rename(-100, name.encode(), -100, sys.argv[2].encode(), 2)
            rename(-100, name.encode(), -100, sys.argv[2].encode(), 2)
threading.Thread(target=swap, daemon=True).start()
function = type(hot)(hot.__code__.replace(co_filename=place), globals())
print("{}", flush=True)
while True:
    function(20000)
'''
ASKED = 2000


def write(folder, text, user, mode):
    folder.mkdir()
    (folder / "app.py").write_text(TEXT % text)
    (folder / "app.py").chmod(mode)
    for path in folder, folder / "app.py":
        os.chown(path, user, user)


@pytest.fixture
def home():
    with tempfile.TemporaryDirectory(prefix="pyperf-swaps.") as name:
        home = pathlib.Path(name)
        home.chmod(0o755)
        (home / "swaps").mkdir()
        os.chown(home / "swaps", NOBODY, NOBODY)
        write(home / "swaps/in", "one's own", NOBODY, 0o644)
        write(home / "root", SECRET, 0, 0o600)
        write(home / "somebody", SECRET, SOMEBODY, 0o600)
        write(home / "closed", SECRET, SOMEBODY, 0o644)
        (home / "closed").chmod(0o700)
        (home / "program.py").write_text(PROGRAM)
        (home / "token").write_text(TOKEN)
        yield home


def make_links(home, file):
    """What is put in the place of the file, or, without its name, of its folder."""
    goals = [home / "root" / file, home / "somebody" / file, home / "closed" / file,
             "/proc/self/root%s" % (home / "root" / file), "/proc/1/root%s" % (home / "root" / file)]
    if file:
        goals.append("/dev/zero")
        os.mkfifo(home / "swaps/fifo", 0o666)
    for number, goal in enumerate(goals):
        (home / ("swaps/link%d" % number)).symlink_to(goal)
    return [path for path in (home / "swaps").iterdir() if path.name != "in"]


def become_nobody():
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


@pytest.mark.skipif(os.geteuid() != 0, reason="SKIP users: other users want root")
@pytest.mark.parametrize("file", ("app.py", ""), ids=("the file", "its folder"))
def test_swaps(file, home, tmp_path):
    place = home / "swaps/in/app.py"
    python = known.find("debian-3.11") or known.newest()  # others may run it, wherever this repository is
    command = (python.path, home / "program.py", place, home / "swaps/in" / file,
               *make_links(home, file))
    with profiler.target(*command, preexec_fn=become_nobody) as target, \
            server(tmp_path, "--pid", target.pid, "-F", 499, "--interval", 1, "--listen-token-file",
                   home / "token", "--listen-source") as s:
        get = functools.partial(s.get, headers={"Authorization": "Bearer " + TOKEN})
        keys = {"pid": target.pid, "name": "hot", "file": place, "line": 2, "from": 2, "to": 6}
        query = "/debug/pyperf/source?" + urllib.parse.urlencode(keys)
        profiler.wait_until(lambda: b"no interval that is kept" not in get(query).body, what="function")
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda _: get(query), range(ASKED)))
        assert s.get("/healthz").status == 200
        s.end()
    statuses = collections.Counter(answer.status for answer in answers)
    print(*statuses.items())
    for answer in answers:
        assert SECRET.encode() not in answer.body, answer
        if answer.status == 200:
            assert "one's own" in json.loads(answer.body)["lines"][0]
        else:
            assert answer.status in (403, 404, 503) and answer.body.count(b"\n") == 1, answer
    assert statuses[403]  # it was there in the middle of a swap
    if not file:
        assert statuses[200]  # and when all was as it had been; a file that was moved has changed
    assert len(s.run.err.splitlines()) < 10, s.run.err
