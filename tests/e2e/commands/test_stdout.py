# SPDX-License-Identifier: GPL-2.0-only
"""Whatever is printed is printed, or the command fails and says why: on a full disk, and without a stdout,
into whose place the next file would be opened."""
import os
import subprocess

import pytest

import interpreters as known
import profiler

FULL, CLOSED = "No space left on device", "is closed"


@pytest.fixture(scope="module")
def target(workloads):
    with profiler.target(known.newest().path, workloads / "burn.py") as running:
        yield running


@pytest.fixture(scope="module")
def recorded(target, tmp_path_factory):
    return profiler.run(tmp_path_factory.mktemp("recorded"), "--pid", target.pid, "-d", 0.5, "-F", 4999).path


def run(stdout, *words, folder):
    """The exit code, and what was said."""
    redirect = ">/dev/full" if stdout == FULL else ">&-"
    done = subprocess.run(["sh", "-c", 'exec "$@" ' + redirect, "sh", profiler.BINARY, *map(str, words)],
                          stderr=subprocess.PIPE, text=True, cwd=folder, timeout=300)
    return done.returncode, done.stderr


@pytest.mark.parametrize("stdout", [FULL, CLOSED])
@pytest.mark.parametrize("command", [
    "report PROFILE", "report --json PROFILE", "report --findings PROFILE", "diff PROFILE PROFILE",
    "dump --pid PID", "dump --pid PID --json", "tasks --pid PID", "doctor --comm none", "guide",
    "guide --json",
    "schema report", "--help", "report --help", "--version", "--pid PID -d 0.5 -F 4999 -o file.pb.gz",
    "--pid PID -d 0.5 -F 4999 -o file.pb.gz -q --stats-json -", "--pid PID -d 0.5 -F 4999 -q -o -",
    "--pid PID -d 0.5 -F 4999 -q -o - --format html"])
def test_what_cannot_be_printed(stdout, command, recorded, target, tmp_path):
    words = {"PROFILE": recorded, "PID": target.pid}
    code, said = run(stdout, *(words.get(word, word) for word in command.split()), folder=tmp_path)
    assert code == 1
    errors = [line for line in said.splitlines() if "error: " in line]
    assert len(errors) == 1 and "stdout" in errors[0] and stdout in errors[0], said
    if "--stats-json" in command and stdout == CLOSED:  # that is known before anything is sampled
        assert not list(tmp_path.iterdir())
    elif "file.pb.gz" in command:  # nothing of it went elsewhere, and the profile is there
        assert profiler.read_samples(tmp_path / "file.pb.gz")


@pytest.mark.parametrize("stdout", [FULL, CLOSED])
def test_who_prints_nothing_does_not_mind(stdout, target, tmp_path):
    code, said = run(stdout, "-q", "--pid", target.pid, "-d", 0.5, "-o", "file.pb.gz", folder=tmp_path)
    assert code == 0 and "error" not in said


def test_a_command_has_what_the_shell_gave(tmp_path):
    """It is started without a stdout, too."""
    code, said = run(CLOSED, "-q", "-o", "file.pb.gz", "--", "sh", "-c", "[ ! -e /proc/self/fd/1 ]",
                     folder=tmp_path)
    assert code == 0, said


def test_without_stderr(recorded):
    """What would be said there is in no other file."""
    command = ["sh", "-c", 'exec "$@" 2>&-', "sh", profiler.BINARY, "report", recorded, "/no/such"]
    done = subprocess.run(command, stdout=subprocess.PIPE, timeout=300)
    assert done.returncode == 1 and done.stdout == b""


def test_who_reads_has_seen_enough(target, recorded, tmp_path):
    for words in ("report", recorded), ("--pid", target.pid, "-d", 0.5, "-o", tmp_path / "x.pb.gz"):
        reads, writes = os.pipe()
        process = subprocess.Popen([profiler.BINARY, *map(str, words)], stdout=writes, stderr=subprocess.PIPE,
                                   text=True)
        os.close(writes)
        os.close(reads)
        assert "stdout" not in process.communicate(timeout=300)[1]
