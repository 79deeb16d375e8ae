# SPDX-License-Identifier: GPL-2.0-only
"""tests/release.py, with suites that do what a suite may: pass, skip, fail, crash, hang, or say nothing."""
import os
import re
import shutil
import subprocess
import sys

import pytest

import profiler

sys.path.insert(0, str(profiler.ROOT / "tests"))
import release as script  # noqa: E402

SCRIPT = profiler.ROOT / "tests/release.py"
SUITES = """# a comment

good     1  echo 'SKIP go: not here (3)'; echo '  SKIP go: not here'; echo '7 passed, 0 failed, 3 skipped'
parts    1  echo '1 passed, 0 failed, 0 skipped'; echo 'x: 5 passed'; echo '2 passed, 0 failed, 1 skipped'
bad      1  echo 'FAILED tests/a.py::test_a - why'; echo '1 passed, 2 failed, 0 skipped'; exit 1
crashed  1  echo '4 passed, 0 failed, 0 skipped'; exit 139
silent   1  echo all is well
nothing  1  echo 'SKIP runc: no runc'; echo '0 passed, 0 failed, 2 skipped'
hangs    0.0015  echo '6 passed, 0 failed, 0 skipped'; sleep 1000 & echo $! >"$HUNG"; sleep 1000
last     1  printf '\\377\\n'; echo "$0 is run, too" >&2; echo '1 passed, 0 failed, 0 skipped'
"""
EXPECTED = {  # the result, and how many passed, failed and were skipped
    "good": ("ok", 7, 0, 3), "parts": ("ok", 3, 0, 1), "bad": ("FAILED: 2 failed", 1, 2, 0),
    "crashed": ("FAILED: exit code 139", 4, 0, 0), "silent": ("FAILED: nothing passed", 0, 0, 0),
    "nothing": ("FAILED: nothing passed", 0, 0, 2),
    "hangs": ("FAILED: no end within 0.0015 h", 6, 0, 0),
    "last": ("ok", 1, 0, 0)}


@pytest.fixture
def release(tmp_path):
    (tmp_path / "suites").write_text(SUITES)

    def run(only=""):
        return subprocess.run([sys.executable, SCRIPT, tmp_path / "out", tmp_path / "suites"], text=True,
                              capture_output=True, env={**os.environ, "ONLY": only, "GRACE": "0.5",
                                                        "HUNG": str(tmp_path / "hung")})
    return run


def table(tmp_path):
    """{suite: the other cells of its row}"""
    lines = (tmp_path / "out/table.md").read_text().splitlines()
    return {cells[0]: cells[1:] for cells in
            ([cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|"))}


def test_all_run_and_are_in_the_table(release, tmp_path):
    ran = release()
    assert ran.returncode == 1 and ran.stderr == ""
    rows = table(tmp_path)
    assert list(rows) == ["suite", "---", *EXPECTED]
    for name, expected in EXPECTED.items():
        commit, result, *counts, took = rows[name]
        assert (result, *map(int, counts)) == expected, name
        known = r"[0-9a-f]{7,}(-dirty)?" if shutil.which("git") else "unknown"
        assert re.fullmatch(known, commit) and re.fullmatch(r"\d:\d\d:\d\d", took)
    assert "is run, too" in (tmp_path / "out/last.log").read_text(errors="replace")


def test_reasons_are_below_the_table(release, tmp_path):
    """Of what was skipped, once each; and of what failed."""
    ran = release("good,bad,nothing")
    for path in "table.txt", "table.md":
        text = (tmp_path / "out" / path).read_text()
        assert text.count("SKIP go: not here") == text.count("SKIP runc: no runc") == 1
        assert text.count("FAILED tests/a.py::test_a - why") == 1
    assert ran.stdout.endswith((tmp_path / "out/table.txt").read_text())


def has_ended(pid):
    try:
        return "\nState:\tZ" in open("/proc/%d/status" % pid).read()  # nobody has waited for it
    except (FileNotFoundError, ProcessLookupError):
        return True


def test_one_that_hangs_is_ended(release, tmp_path):
    """And what it has left in the background: a shell has that not listen to an interrupt."""
    assert release("hangs").returncode == 1
    pid = int((tmp_path / "hung").read_text())
    profiler.wait_until(lambda: has_ended(pid), what="end of the background process")


def test_only_some(release, tmp_path):
    """They alone decide how it ends. The others stay in the table as they were."""
    ran = release("good,last")
    assert ran.returncode == 0 and "bad:" not in ran.stdout
    assert table(tmp_path)["bad"][1] == "not run" and table(tmp_path)["last"][1] == "ok"
    assert release("bad").returncode == 1
    assert table(tmp_path)["bad"][1] == "FAILED: 2 failed" and table(tmp_path)["last"][1] == "ok"


def test_unknown_suite(release, tmp_path):
    ran = release("good,other")
    assert ran.returncode != 0 and not (tmp_path / "out").exists()
    assert ran.stderr == "ONLY: no suite is called other; there are %s\n" % " ".join(EXPECTED)


@pytest.fixture
def history(tmp_path, monkeypatch):
    """A repository of the script's own, and a function that commits a file there and tells which commit it
    is."""
    if not shutil.which("git"):
        pytest.skip("SKIP git: not installed here")
    top = tmp_path / "top"
    (top / "tests").mkdir(parents=True)
    monkeypatch.setattr(script, "HERE", top / "tests")

    def git(*arguments):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=top, check=True)

    def commit(path):
        (top / path).parent.mkdir(exist_ok=True)
        (top / path).write_text("x")
        git("add", ".")
        git("commit", "-qm", path)
        return script.commit()
    git("init", "-q")
    return commit


def test_a_table_is_of_a_release_when_all_is_of_one_commit(history):
    """Documents may be written after it: the table itself is in one."""
    def verdict(*rows):
        return script.verdict([(name, at and {"commit": at, "ok": ok}) for name, at, ok in rows])
    before, code = history("main.c"), history("user/main.c")
    now = history("docs/releasing.md")
    assert verdict(("a", code, True), ("b", now, True)).startswith("Complete: every suite passed on %s" % now)
    assert verdict(("a", code, True), ("b", before, True), ("c", "", True), ("d", now, False),
                   ("e", code + "-dirty", True)) == (
        "Not complete for %s: b ran on %s, c was not run, d failed, e ran on %s-dirty." % (now, before, code))


def test_a_page_has_the_table(release, tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- begin: release -->\nold\n<!-- end: release -->\nb\n")
    monkeypatch.setenv("PUBLISH", str(page))
    assert release("good").returncode == 0
    text = (tmp_path / "out/table.md").read_text()
    assert page.read_text() == "a\n<!-- begin: release -->\n\n%s\n<!-- end: release -->\nb\n" % text


def test_the_real_suites_are_targets_of_make():
    """Each is there, and .ci/run's is not among them."""
    names = list(script.read_suites(script.HERE / "release-suites.txt").values())
    makefile = "".join((profiler.ROOT / name).read_text() for name in ("Makefile", "deploy/dist/dist.mk"))
    for _, command in names:
        make, target = command.split()
        assert make == "make" and re.search(r"^%s:.*## " % target, makefile, re.M), command
    assert "make check-bare" not in [command for _, command in names] and len(names) >= 8
