# SPDX-License-Identifier: GPL-2.0-only
"""Options from a file, and SIGHUP: what can change does, the rest is named,
and no count is lost on the way."""
import os
import signal
import subprocess
import sys

import pytest

import home
import interpreters as known
import pprof
import profiler
from receiver import interrupt_when_pushed, receiving


@pytest.fixture(scope="module", params=[known.newest()], ids=str)
def busy(request, workloads):
    with profiler.target(request.param.path, workloads / "edges.py", "--calm") as started:
        yield started


def said(run):
    return os.pread(run.streams[1].fileno(), 1 << 20, 0).decode()


def number_of(folder):
    return len(list(folder.glob("*.pb.gz")))


def rewrite(run, file, text):
    """A new file, read once the profiler says so. Returns what it says of that: on a busy machine it may also
    say that intervals are too short for it, in a line for that and one for the end of it."""
    before = said(run)
    file.write_text(text)
    run.process.send_signal(signal.SIGHUP)
    profiler.wait_until(lambda: "read again" in said(run)[len(before):] or
                        "nothing is changed" in said(run)[len(before):])
    return "".join(line for line in said(run)[len(before):].splitlines(True)
                   if "writing to '" not in line and "are written to '" not in line)


def finish(run, *folders):
    run.process.terminate()
    run.finish()
    run.samples = [s for folder in folders for path in sorted(folder.glob("*.pb.gz"))
                   for s in profiler.read_samples(path)]
    run.check_books()
    return run


def test_everything_from_a_file(busy, tmp_path):
    (tmp_path / "pyperf.conf").write_text("pid = %d\nfrequency = 499\nduration = 1 # s\nquiet = yes\n" %
                                          busy.pid)
    run = profiler.run(tmp_path, "--config", tmp_path / "pyperf.conf")
    assert run.stats["frequency"] == 499 and run.samples and not run.out and not run.err


def test_sighup(busy, tmp_path):
    one, two, file = tmp_path / "one", tmp_path / "two", tmp_path / "pyperf.conf"
    one.mkdir()
    two.mkdir()
    text = "pid = %d\nfrequency = 499\noutput-dir = %s\ninterval = %s\n"
    file.write_text(text % (busy.pid, one, 0.3))
    run = profiler.Run(tmp_path, "--config", file, output=None)
    profiler.wait_until(lambda: number_of(one) >= 2)
    # Another folder and interval.
    rewrite(run, file, text % (busy.pid, two, 0.2))
    profiler.wait_until(lambda: number_of(two) >= 3)
    # A bad file changes nothing.
    answer = rewrite(run, file, text % (busy.pid, one, "soon"))
    assert "%s:4: " % file in answer and "soon" in answer and len(answer.splitlines()) == 1
    there = number_of(two)
    profiler.wait_until(lambda: number_of(two) >= there + 2)
    # Nor does one that is gone.
    file.rename(tmp_path / "away")
    run.process.send_signal(signal.SIGHUP)
    profiler.wait_until(lambda: "No such file" in said(run))
    # What cannot change is named in one line.
    answer = rewrite(run, file, text % (busy.pid, two, 0.2) + "labels = process\nmax-depth = 9\n")
    assert "only a restart changes --max-depth, --labels" in answer and len(answer.splitlines()) == 2
    # How much is said can change.
    rewrite(run, file, text % (busy.pid, two, 0.2) + "verbose = yes\n")
    profiler.wait_until(lambda: "debug: wrote" in said(run))
    finish(run, one, two)
    assert run.stats["frequency"] == 499 and any(sample.tid for sample in run.samples)


def periods_of(folder):
    return [pprof.read(path).period for path in sorted(folder.glob("*.pb.gz"))]


def config_map(folder, version, text):
    """A file as the kubelet has those of a ConfigMap: all at once it is one of another folder."""
    (folder / version).mkdir()
    (folder / version / "pyperf.conf").write_text(text)
    (folder / "new").symlink_to(version)
    (folder / "new").rename(folder / "..data")
    if not (folder / "pyperf.conf").exists():
        (folder / "pyperf.conf").symlink_to("..data/pyperf.conf")
    return folder / "pyperf.conf"


def test_another_rate_by_a_config_map(busy, tmp_path):
    """Without a signal. An interval ends with the old rate, and the sum of all is what was counted."""
    if home.refusal():
        pytest.skip("SKIP bpf: from outside only a restart changes the rate")
    folder, volume = tmp_path / "profiles", tmp_path / "volume"
    folder.mkdir()
    volume.mkdir()
    text = "pid = %d\nfrequency = %s\noutput-dir = %s\ninterval = 0.5\n"
    file = config_map(volume, "1", text % (busy.pid, 499, folder))
    run = profiler.Run(tmp_path, "--config", file, "--watch-config", output=None)
    profiler.wait_until(lambda: number_of(folder) >= 2)
    config_map(volume, "2", text % (busy.pid, 99, folder))
    profiler.wait_until(lambda: "from now on 99 samples per second of each CPU are taken" in said(run))
    before = len(periods_of(folder))
    profiler.wait_until(lambda: number_of(folder) >= before + 3)
    # One that is no number is said once, and changes nothing.
    config_map(volume, "3", text % (busy.pid, "much", folder))
    profiler.wait_until(lambda: "nothing is changed" in said(run))
    there = number_of(folder)
    profiler.wait_until(lambda: number_of(folder) >= there + 4)
    assert said(run).count("nothing is changed") == 1
    finish(run, folder)
    found = periods_of(folder)
    assert run.stats["frequency"] == 99
    # A period is longer where ticks did not come, never shorter. The interval that begins with the new rate
    # has the ticks that came while it was set.
    assert all(period >= 1e9 // 499 for period in found), found
    is_slow = [period >= 1e9 // 99 for period in found]
    assert is_slow == sorted(is_slow) and is_slow.count(False) >= 2 and is_slow.count(True) >= 6, found


def test_a_rate_that_stays(busy, tmp_path):
    """Where what was kept of each tick has the rate of the start."""
    file = tmp_path / "pyperf.conf"
    text = "pid = %d\nfrequency = %d\nlog = 1\nlisten = unix:%s/socket\n"
    file.write_text(text % (busy.pid, 499, tmp_path))
    run = profiler.Run(tmp_path, "--config", file, output=None)
    profiler.wait_until(lambda: "listening" in said(run))
    assert "only a restart changes --frequency" in rewrite(run, file, text % (busy.pid, 99, tmp_path))
    profiler.let_use_cpu(run, [busy.pid], 0.1)
    run.process.terminate()
    run.finish()
    assert run.stats["frequency"] == 499


def test_other_filters(tmp_path, workloads):
    """Who was left out is profiled from then on, and who was profiled is not."""
    links = [tmp_path / name for name in ("wanted", "other")]
    for link in links:
        link.symlink_to(os.path.realpath(sys.executable))
    file, folder = tmp_path / "pyperf.conf", tmp_path / "profiles"
    folder.mkdir()
    text = "all-python = yes\nfrequency = 499\noutput-dir = %s\ninterval = 0.3\ncomm = %s\n"
    file.write_text(text % (folder, "wanted"))

    def comms():
        last = sorted(folder.glob("*.pb.gz"))[-1:]
        return {s.comm for path in last for s in profiler.read_samples(path)}
    with profiler.target(links[0], workloads / "burn.py"), profiler.target(links[1], workloads / "burn.py"):
        run = profiler.Run(tmp_path, "--config", file, output=None)
        profiler.wait_until(lambda: comms() == {"wanted"})
        rewrite(run, file, text % (folder, "other"))
        profiler.wait_until(lambda: comms() == {"other"})
        rewrite(run, file, text % (folder, "other,wanted"))
        profiler.wait_until(lambda: comms() == {"other", "wanted"})
        finish(run, folder)
    assert {s.comm for s in run.samples} == {"wanted", "other"}


def test_sighup_changes_the_receiver(busy, tmp_path):
    file, headers = tmp_path / "pyperf.conf", tmp_path / "headers"
    text = "pid = %d\nfrequency = 499\ninterval = 0.3\npush = %s\n"
    headers.write_text("X-Token: t\n")
    with receiving("pyroscope") as first, receiving("parca", headers={"X-Token": "t"}) as second:
        file.write_text(text % (busy.pid, first.url))
        run = profiler.Run(tmp_path, "--config", file, output=None)
        profiler.wait_until(lambda: len(first.received) >= 2)
        rewrite(run, file, text % (busy.pid, second.url) + "push-header-file = %s\n" % headers)
        profiler.wait_until(lambda: len(second.received) >= 2)
        interrupt_when_pushed(run, second, [busy.pid])
        run.finish()
    total = sum(r.profile.total for receiver in (first, second) for r in receiver.received)
    assert total == run.stats["profile"]["samples"] and run.stats["export"]["push_dropped"] == 0


def test_sighup_without_a_file_ends_it_as_sigterm_does(busy, tmp_path):
    folder = tmp_path / "profiles"
    folder.mkdir()
    run = profiler.Run(tmp_path, "--pid", busy.pid, "--output-dir", folder, output=None)
    profiler.wait_until(lambda: "a profile every" in said(run))
    run.process.send_signal(signal.SIGHUP)
    run.finish()
    run.samples = [s for path in folder.iterdir() for s in profiler.read_samples(path)]
    run.check_books()


@pytest.mark.parametrize("text, words", [
    ("frequencies = 1\n", (":1: ", "frequencies")),
    ("all-python = yes\nfrequency = many\n", (":2: ", "--frequency", "many")),
    ("all-python = yes\n\nbroken\n", (":3: ", "broken")),
    ("all-python = yes\noutput-dir = .\ninterval = -1\n", (":3: ", "--interval")),
], ids=range(4))
def test_bad_file(tmp_path, text, words):
    (tmp_path / "pyperf.conf").write_text(text)
    done = subprocess.run([profiler.BINARY, "--config", "pyperf.conf"], cwd=tmp_path, capture_output=True,
                          text=True, timeout=300)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
    assert all(word in done.stderr for word in ("pyperf.conf", *words))
