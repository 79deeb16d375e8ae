# SPDX-License-Identifier: GPL-2.0-only
"""pytest --pyperf: the plugin of the wheel, in a real run of pytest."""
import re
import sysconfig
import textwrap

import pytest

import interpreters as known
import pprof
import wheels

TESTS = """
import os
import time

import pytest

FACTOR = float(os.environ.get("FACTOR", "1"))


def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        sum(range(500))


def slow(seconds):
    burn(seconds)


@pytest.fixture
def prepared():
    end = time.process_time() + 0.3
    while time.process_time() < end:
        sum(range(501))


def test_hot(prepared):
    burn(0.4)


def test_waits():
    time.sleep(0.4)


def test_fails():
    slow(0.4 * FACTOR)
    assert False


def test_short():
    pass
"""


@pytest.fixture(scope="module")
def environment():
    return wheels.Environment(known.usual(), site=sysconfig.get_paths()["purelib"])


def run(environment, folder, *options, code=1, **more):
    (folder / "test_them.py").write_text(TESTS)
    return environment.run("-m", "pytest", "-q", "-p", "no:cacheprovider", *options, cwd=folder, code=code,
                           **more).out


def section(text, title):
    """Of what pytest has printed, up to the next title."""
    return re.split(r"^[=]+ .* =+$", re.split(r"^=+ %s.* =+$" % title, text, flags=re.M)[1], flags=re.M)[0]


def shown(text):
    """{test: [its lines]}"""
    found = {}
    for name, lines in re.findall(r"^(\S+::\w+)\n((?:    .*\n)+)", section(text, "pyperf: tests"), re.M):
        found[name.partition("::")[2]] = textwrap.dedent(lines).splitlines()
    return found


@pytest.mark.parametrize("options", ([], ["-n", "2"]), ids=("one", "xdist"))
def test_hottest_lines(environment, tmp_path, options):
    """Of each test that takes long, also of one that fails: of itself, not of its fixtures."""
    out = run(environment, tmp_path, "--pyperf", "--pyperf-limit", "0.2", "--pyperf-options=-F 999", *options)
    found = shown(out)
    assert set(found) == {"test_hot", "test_waits", "test_fails"} and "1 failed, 3 passed" in out
    for name in ("test_hot", "test_fails"):
        assert re.match(r"0\.\d\d s of cpu in [\d.]+ s, \d+ samples", found[name][0]), found
        assert 1 < len(found[name]) <= 4
        share, where, text = re.match(r" *([\d.]+)% +(\S+) +(.*)", found[name][1]).groups()
        assert float(share) > 30 and re.fullmatch("test_them.py:1[34]", where), found
        assert text in ("while time.process_time() < end:", "sum(range(500))")
        assert "501" not in str(found[name])
    assert re.search("it (mostly )?waited", found["test_waits"][0])


def test_grown(environment, tmp_path):
    """The whole run is kept, and compared with a later one: by more than chance, or not."""
    options = ["--pyperf-options=-F 999", "--deselect", "test_them.py::test_waits"]
    run(environment, tmp_path, *options, "--pyperf-output", "base.pb.gz", "-k", "not fails", code=0)
    names = {frame[0] for sample in pprof.read(tmp_path / "base.pb.gz").samples for frame in sample.frames}
    assert {"burn", "test_hot", "prepared"} <= names and "slow" not in names
    over = [*options, "--pyperf-fail-over", "base.pb.gz"]
    out = run(environment, tmp_path, *over, "90%", "-k", "not fails", code=0)
    assert "(all)" in section(out, "pyperf: all tests") and "grew by more than" not in out
    (tmp_path / "test_more.py").write_text("from test_them import slow\ndef test_more():\n    slow(2)\n")
    out = run(environment, tmp_path, *over, "50%", "-k", "not fails", code=1)
    assert re.search(r"warning: .* grew by more than 50 % of the first profile", out) and "3 passed" in out
    assert "error" in run(environment, tmp_path, *options, "--pyperf-fail-over", "none.pb.gz", "5%", "-k",
                          "short", code=1)


def test_what_is_wrong(environment, tmp_path):
    """It is said before a test runs. Without its options hardly anything is read."""
    done = environment.run("-m", "pytest", "--pyperf", "--pyperf-options=--frequncy 9", cwd=tmp_path, code=4)
    assert "unknown option '--frequncy'" in done.out + done.err
    text = "import sys, pytest\npytest.main(['--collect-only'])\nprint('pyperf_bpf._log' in sys.modules)"
    assert environment.run("-c", text, cwd=tmp_path).out.endswith("False\n")
