# SPDX-License-Identifier: GPL-2.0-only
"""A run that goes on: a file for each interval, no count lost or told twice,
whatever happens to the folder."""
import contextlib
import os
import pathlib
import re
import signal
import statistics
import subprocess
import time

import pytest

import interpreters as known
import pprof
import profiler

NAME = re.compile(r"pyperf-bpf-\d{8}T\d{6}\.\d{3}Z\.pb\.gz")
NEWEST = [known.newest()]
FEW_ARE_ENOUGH = True


@pytest.fixture(scope="module", params=NEWEST, ids=str)
def busy(request, workloads):
    with profiler.target(request.param.path, workloads / "edges.py", "--calm") as started:
        yield started


class Continuous(profiler.Run):
    """A continuous run. finish() checks the books of all its files together."""

    def __init__(self, directory, *arguments, interval=0.5, **options):
        self.folder = pathlib.Path(directory) / "profiles"
        self.folder.mkdir(exist_ok=True)
        super().__init__(directory, "--output-dir", self.folder, "--interval", interval, *arguments,
                         output=None,
                         **options)

    def files(self):
        with contextlib.suppress(FileNotFoundError):
            return sorted(path for path in self.folder.iterdir() if NAME.fullmatch(path.name))
        return []

    def wait_for_files(self, number):
        profiler.wait_until(lambda: len(self.files()) >= number or self.process.poll() is not None,
                            what="%d files" % number)

    def finish(self, timeout=300, code=0):
        super().finish(timeout, code)
        self.profiles = [pprof.read(path) for path in self.files()]
        self.samples = [sample for path in self.files() for sample in profiler.read_samples(path)]
        if self.stats and not self.stats["export"]["files_removed"]:
            self.check_books()
            assert self.stats["export"]["files_written"] == len(self.profiles)
        assert not [name for name in os.listdir(self.folder)
                    if not NAME.fullmatch(name)], "left beside the profiles"
        return self

    def terminate(self):
        """Ends it by SIGTERM; two seconds are promised, of which a busy machine makes more."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(300)
        return self.finish()


def test_a_file_each_interval(busy, tmp_path):
    run = Continuous(tmp_path, "--pid", busy.pid, "-F", 499, interval=0.25)
    run.wait_for_files(7)
    run.interrupt()
    run.finish()
    covered = sum(p.duration_nanos for p in run.profiles)
    assert 7 <= len(run.profiles) <= covered / 0.25e9 + 3
    starts = [profile.time_nanos for profile in run.profiles]
    assert starts == sorted(starts), "names sort as times do"
    for path, profile in zip(run.files(), run.profiles):
        stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime(profile.time_nanos // 10**9))
        assert path.name == "pyperf-bpf-%s.%03dZ.pb.gz" % (stamp, profile.time_nanos // 10**6 % 1000)
    assert statistics.median(map(abs, gaps(run.profiles))) < 50e6, "no gap, no overlap"
    assert len({profile.period for profile in run.profiles}) == 1
    last = run.profiles[-1]
    assert covered == pytest.approx(last.time_nanos + last.duration_nanos - starts[0], rel=0.2)


def gaps(profiles):
    """Between the end of each and the beginning of the next: ns, below 0 where they overlap."""
    return [after.time_nanos - before.time_nanos - before.duration_nanos
            for before, after in zip(profiles, profiles[1:])]


def test_names_of_new_code_are_in_the_interval_that_counted_it(version, tmp_path):
    """A program that makes functions all the time, and intervals so short that many of them are new in
    each."""
    program = ("import json, time\nprint(json.dumps({}), flush=True)\nn = 0\nwhile True:\n n += 1\n"
               " exec(compile('def f%d():\\n end = time.process_time() + .004\\n while time.process_time() < "
               "end: pass\\n"
               "f%d()' % (n, n), 'made%d.py' % n, 'exec'), {'time': time})")
    with profiler.target(version.path, "-c", program) as target:
        run = Continuous(tmp_path, "--pid", target.pid, "-F", 997, interval=0.1)
        profiler.let_use_cpu(run, [target.pid], 0.5)
        run.terminate()
    made = {f[0] for s in run.samples for f in s.stack if re.fullmatch(r"f\d+", f[0])}
    assert len(made) > 20
    assert not [f for s in run.samples for f in s.stack if f[0] == "[unknown code]"]


def test_keep_a_number(busy, tmp_path):
    (tmp_path / "profiles").mkdir()
    mine = tmp_path / "profiles" / "pyperf-bpf-20260101T000000.000Z.pb.gz.mine"
    mine.write_bytes(b"not the profiler's")
    run, seen = Continuous(tmp_path, "--pid", busy.pid, "--keep", 3, interval=0.3), set()

    def has_seen(number):
        seen.update(run.files())
        return len(seen) >= number or run.process.poll() is not None
    profiler.wait_until(lambda: has_seen(8), what="8 files")
    run.interrupt()
    run.process.wait(300)
    assert mine.read_bytes() == b"not the profiler's"
    mine.unlink()
    run.finish()
    export = run.stats["export"]
    assert len(run.profiles) == 3 and export["files_removed"] == export["files_written"] - 3 > 3
    # Those that stay are the newest.
    last = run.profiles[-1]
    assert last.time_nanos + last.duration_nanos == pytest.approx(time.time_ns(), abs=60e9)
    assert run.files() == sorted({*seen, *run.files()})[-3:]


def test_keep_a_size(busy, tmp_path):
    run = Continuous(tmp_path, "--pid", busy.pid, "--keep", "5KiB", interval=0.1)
    run.wait_for_files(1)
    first = run.files()[0]
    profiler.wait_until(lambda: not first.exists() or run.process.poll() is not None, what="removal")
    run.interrupt()
    run.finish()
    assert run.stats["export"]["files_removed"] > 0
    assert 0 < sum(path.stat().st_size for path in run.files()) <= 5 << 10


def test_sigterm_writes_the_last_part(busy, tmp_path):
    run = Continuous(tmp_path, "--pid", busy.pid, "-F", 1999, interval=600)
    profiler.wait_until(lambda: b"a profile every" in peek(run))
    profiler.let_use_cpu(run, [busy.pid], 0.2)
    assert not run.files()
    run.terminate()
    assert len(run.profiles) == 1 and profiler.total(run.of(busy.pid)) > 100


def peek(run):
    """What it said so far."""
    return os.pread(run.streams[1].fileno(), 1 << 20, 0)


def test_folder_lost_and_found(busy, tmp_path):
    """Said once; what was counted meanwhile is in the first file afterwards."""
    run = Continuous(tmp_path, "--pid", busy.pid, "-F", 1999, interval=0.3)
    run.wait_for_files(2)
    away = tmp_path / "away"
    run.folder.rename(away)
    before = len(list(away.iterdir()))
    profiler.wait_until(lambda: b"cannot write" in peek(run))
    profiler.let_use_cpu(run, [busy.pid], 0.6, seconds=4)
    away.rename(run.folder)
    run.wait_for_files(before + 2)
    run.terminate()
    # On a busy machine a file may also take longer than its interval, and that is over at some time, too.
    late = run.err.count("takes longer")
    assert run.err.count("cannot write") == 1 and 1 <= run.err.count("again") <= 1 + late, run.err
    assert run.stats["export"]["files_failed"] >= 5
    longest = max(run.profiles, key=lambda profile: profile.duration_nanos)
    assert longest.duration_nanos > 1.5e9 and longest.total > 500


@pytest.fixture
def small_disk(tmp_path):
    (tmp_path / "profiles").mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", tmp_path / "profiles"]).returncode:
        pytest.skip("SKIP mounts: no file system can be mounted here")
    yield tmp_path / "profiles"
    subprocess.run(["umount", "-l", tmp_path / "profiles"], check=True)


def test_full_disk(busy, tmp_path, small_disk):
    filler = small_disk / "filler"
    run = Continuous(tmp_path, "--pid", busy.pid, "-F", 499, interval=0.3)
    run.wait_for_files(1)
    with contextlib.suppress(OSError), filler.open("wb", buffering=0) as f:
        while True:
            f.write(b"x" * 4096)
    profiler.wait_until(lambda: b"cannot write" in peek(run))
    time.sleep(3)  # ten intervals, of which at least another one is to fail
    number = len(run.files())
    filler.unlink()
    run.wait_for_files(number + 1)
    run.terminate()
    assert run.err.count("cannot write") == 1 and "No space left" in run.err
    assert run.stats["export"]["files_failed"] >= 2


def test_folder_that_stays_lost(busy, tmp_path):
    run = Continuous(tmp_path, "--pid", busy.pid, interval=0.3)
    run.wait_for_files(1)
    run.folder.rename(tmp_path / "away")
    profiler.wait_until(lambda: b"cannot write" in peek(run))
    profiler.let_use_cpu(run, [busy.pid], 0.2, seconds=1)
    run.interrupt()
    profiler.Run.finish(run, code=1)
    assert run.err.count("cannot write") == 1 and "the last profile is lost" in run.err
    assert run.stats["export"]["files_failed"] >= 2, "the books are written all the same"


def test_profiles_a_command(workloads, tmp_path):
    python = NEWEST[0].path
    run = Continuous(tmp_path, "-F", 499, "--", python, workloads / "burn.py", 2, interval=0.2).finish()
    assert len(run.profiles) >= 4
    assert profiler.share(run.samples, lambda s: "burn" in profiler.functions(s)) > 0.8


def test_a_folder_that_is_not_there_is_made(workloads, tmp_path):
    with profiler.target(NEWEST[0].path, workloads / "burn.py") as target:
        done = subprocess.run([profiler.BINARY, "-q", "--pid", str(target.pid), "-d", "1", "--output-dir",
                               tmp_path / "new"], umask=0o027, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o750
    assert list((tmp_path / "new").glob("pyperf-bpf-*.pb.gz"))


@pytest.mark.parametrize("arguments, said", [
    (("--output-dir", "new"), "cannot write to folder 'new'"), (("-o", "x.pb.gz"), "cannot write 'x.pb.gz'"),
    ((), "cannot write 'profile.pb.gz'"), (("--stats-json", "x"), "cannot write")])
def test_a_working_folder_that_was_removed(tmp_path, arguments, said):
    script = 'mkdir "$1" && cd "$1" && rmdir "$1" && shift && exec "$@"'
    done = subprocess.run(["sh", "-c", script, "sh", tmp_path / "gone", profiler.BINARY, "-a", "-d", "1",
                           *arguments], capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert said in done.stderr and "the working folder was removed" in done.stderr


@pytest.mark.parametrize("arguments, words", [
    (("--interval", "1"), ("--interval", "--output-dir")),
    (("--keep", "3"), ("--keep", "--output-dir")),
    (("--output-dir", "."), ()),
    (("--output-dir", "missing"), ()),
    (("--output-dir", "missing/"), ()),
    (("--output-dir", "missing/below"), ("missing/below", "the folder above it is not there")),
    (("--output-dir", "/dev/null"), ("/dev/null", "Not a directory")),
    (("--output-dir", ""), ("--output-dir",)),
    (("--output-dir", ".", "--interval", "0"), ("--interval", "'0'")),
    (("--output-dir", ".", "--interval", "1x"), ("--interval", "1x")),
    (("--output-dir", ".", "--keep", "0"), ("--keep", "'0'")),
    (("--output-dir", ".", "--keep", "500MB"), ("--keep", "500MB")),
    (("--output-dir", ".", "--keep", "-3"), ("--keep", "-3")),
    (("--output-dir", ".", "-o", "x.pb.gz"), ("--output", "--output-dir")),
    (("--output-dir", ".", "--format", "folded"), ("folded",)),
], ids=" ".join)
def test_bad_input(tmp_path, arguments, words):
    done = subprocess.run([profiler.BINARY, "-q", "-a", "-d", "0.1", *arguments], cwd=tmp_path,
                          capture_output=True, text=True,
                          timeout=300)
    assert done.returncode == (0 if not words else 1
                               if any("not there" in w or "Not a" in w for w in words) else 2)
    assert len(done.stderr.splitlines()) == bool(words), done.stderr
    assert all(word in done.stderr for word in words)
