# SPDX-License-Identifier: GPL-2.0-only
"""`report FILE --output FILE`: a profile that is there in each format, judged by the readers that know the
formats of a run; one of a program in Go, and one that no other format can hold."""
import collections
import os
import subprocess

import pytest

import formats
import interpreters as known
import profiler
from pprof_rows import needs_go, top

PROGRAM = """
def leaf(n):
    return sum(range(n))
def deep(n):
    return deep(n - 1) if n else leaf(3000)
def other():
    return sorted(range(3000))
print("{}", flush=True)
while True:
    leaf(9000)
    deep(5)
    other()
"""
GO = """
package main

import (
    "os"
    "runtime/pprof"
    "time"
)

//go:noinline
func burn(until time.Time) (n int) {
    for time.Now().Before(until) {
        for i := 0; i < 1000; i++ {
            n += i * n
        }
    }
    return n
}

func main() {
    pprof.StartCPUProfile(os.Stdout)
    burn(time.Now().Add(time.Second))
    pprof.StopCPUProfile()
}
"""


def rewrite(*arguments, code=0):
    done = subprocess.run([profiler.BINARY, "report", *map(str, arguments)], capture_output=True, timeout=300)
    assert done.returncode == code, done.stderr.decode()
    return done


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    home = tmp_path_factory.mktemp("written")
    with profiler.target(known.newest().path, "-c", PROGRAM) as target:
        return profiler.run_while(home, [target], 0.5, "-F", 999).path


@pytest.mark.parametrize("format", formats.FORMATS, ids=formats.by_name)
def test_every_format(written, tmp_path, format):
    expected = formats.read(formats.DEFAULT, written.read_bytes())
    path = tmp_path / ("x" + format.suffix)
    done = rewrite(written, "-o", path)
    assert b"wrote %s. Open it" % str(path).encode() in done.stderr and not done.stdout
    assert formats.read(format, path.read_bytes()) == expected


def test_some_of_it_on_stdout(written):
    """Only the stacks that are chosen."""
    everything = formats.read_folded(rewrite(written, "-o", "-", "-f", "folded").stdout)
    some = formats.read_folded(rewrite(written, "-o", "-", "-f", "folded", "--focus", "^deep$").stdout)
    assert 0 < sum(some.values()) < sum(everything.values())
    assert some == {stack: n for stack, n in everything.items() if "deep" in stack}


@pytest.fixture(scope="module")
def of_go(tmp_path_factory):
    home = tmp_path_factory.mktemp("go")
    (home / "burn.go").write_text(GO)
    with (home / "go.pb.gz").open("wb") as out:
        subprocess.run(["go", "run", "burn.go"], cwd=home, stdout=out, check=True, timeout=300,
                       env=dict(os.environ, GOTOOLCHAIN="local", GO111MODULE="off"))
    return home / "go.pb.gz"


@needs_go
def test_a_profile_of_go(of_go):
    """Its runtime samples at 100 Hz, and measures what this program does."""
    lines = rewrite(of_go, "-o", "-", "-f", "folded").stdout.decode().splitlines()
    found = collections.Counter()
    for line in lines:
        stack, _, count = line.rpartition(" ")
        found[stack.split(";")[-1].partition(" (")[0]] += int(count)
    judged = {name.split()[0]: flat for name, (flat, _) in top(of_go, "samples", "count").items() if flat}
    assert found == judged and found["main.burn"]


def test_a_difference_is_pprof_alone(written, tmp_path):
    """Its values are less than zero. As pprof it is the same file once more."""
    difference, again = tmp_path / "d.pb.gz", tmp_path / "again.pb.gz"
    profiler.command("diff", "--pprof", difference, written, written)
    error = rewrite(difference, "-o", tmp_path / "d.svg", code=1).stderr
    assert error.count(b"\n") == 1 and b"FILE.pb.gz" in error and not (tmp_path / "d.svg").exists()
    rewrite(difference, "-o", again)
    assert top(again, "samples", "count") == top(difference, "samples", "count")


@pytest.mark.parametrize("arguments, word", (
    (("-o", "x.pdf"), "no format ends so"),
    (("-o", ""), "wants a file name"),
    (("--format", "svg"), "goes with --output"),
    (("-o", "x.svg", "--by", "package"), "not a table"),
    (("-o", "x.svg", "--json"), "not a table"),
), ids=str)
def test_refused(written, arguments, word):
    error = rewrite(written, *arguments, code=2).stderr.decode()
    assert error.count("\n") == 1 and word in error


def test_nothing_of_that(written, tmp_path):
    rewrite(written, "-o", tmp_path / "x.svg", "--focus", "no such function", code=3)
    assert not (tmp_path / "x.svg").exists()
