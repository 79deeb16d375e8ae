# SPDX-License-Identifier: GPL-2.0-only
"""Runs pyperf-bpf ($PYPERF) and the programs it profiles, and keeps its books: every profile that a test
looks at has been checked to add up (Run.finish)."""
import collections
import contextlib
import json
import math
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import weakref

import home
import lists
import pprof

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("PYPERF") or str(ROOT / "build" / "pyperf-bpf")
BUILD = pathlib.Path(BINARY).parent  # the tests' own programs are in its tests/

# One stack of a profile. stack: [(function, file, first line, line)], leaf first; count: of the profile's
# first type; values: {Event.key: in its unit}, and "cpu_time" in ns.
Sample = collections.namedtuple("Sample", "stack count pid tid comm thread values")
# One line of bpf/outcomes.def. key: as in --stats-json; group: as in Event.books; place: WHOLE, NAMED,
# MARKED or OUTSIDE; marker: "[text]".
Outcome = collections.namedtuple("Outcome", "key group place marker")


# One line of bpf/frames.def. key: as in JSON; shown: in the page's legend; table: FUNCTIONS or
# APART.
Frame = collections.namedtuple("Frame", "key shown table")


def frames():
    return [Frame(field["key"], field["shown"], field["table"].removeprefix("TABLE_"))
            for _, field in lists.fields(ROOT / "bpf" / "frames.def", "FRAME")]


FRAMES = frames()


def outcomes(folder=ROOT / "bpf"):
    return [Outcome(name.lower(), field["group"].removeprefix("GROUP_"),
                    field["place"].removeprefix("PLACE_"), "[%s]" % field["SHOWN"])
            for (name,), field in lists.fields(folder / "outcomes.def", "OUTCOME")]


# One row of bpf/events.def. type, unit: of its counts in pprof; total: the counter that its books add up to;
# books: the groups of outcomes in them; prefix: before "outcomes" and "samples" in --stats-json; asked: what
# --help says of it, None if it only comes along; wall: what it has to do with wall time, None for nothing;
# made_of: names of the rows that are measured for it.
Event = collections.namedtuple("Event", "key unit type period total books prefix series asked wall made_of")


def events(folder=ROOT / "bpf"):
    text = (folder / "events.def").read_text()
    rows = re.findall(r"^EVENT\((.*?)\)\n(?=EVENT|\n|\Z)", text, re.M | re.S)
    assert len(rows) == len(re.findall(r"^EVENT", text, re.M)) > 0
    found = []
    for row in rows:
        field = {name: string or word
                 for name, string, word in re.findall(r'\.(\w+) = (?:"([^"]*)"|([^",]+))', row)}
        unit, total = field["unit"].removeprefix("UNIT_").lower(), re.search(r"TOTAL\((\w+)\)", row)[1]
        books = set(re.findall(r"GROUP_(\w+)", field["books"]))
        found.append(Event(field["key"], unit, field["type"], field["period"], total, books, field["prefix"],
                           field["series"], field.get("asked"), field.get("wall"),
                           set(re.findall(r"EVENT_BIT\(EVENT_(\w+)\)", field.get("made_of", "")))))
    return found


EVENTS = events()
OUTCOMES = outcomes()
TICK_OUTCOMES = [outcome for outcome in OUTCOMES if outcome.group in EVENTS[0].books]
MARKERS = {outcome.marker: outcome.key for outcome in OUTCOMES if outcome.place in ("NAMED", "MARKED")}


def marker_of(stack):
    """The key of the outcome that a stack's marker frame stands for, or None for a whole stack."""
    return next((MARKERS[frame[0]] for frame in stack if frame[0] in MARKERS), None)


def read_samples(path):
    return samples_of(pprof.read(path))


def columns_of(profile):
    """{Event.key: which of a sample's values}, of the kinds of events that the profile has."""
    return {event.key: profile.sample_types.index((event.type, event.unit)) for event in EVENTS
            if (event.type, event.unit) in profile.sample_types}


CPU_TIME = "cpu", "nanoseconds"  # beside the count of ticks


def samples_of(profile):
    columns = columns_of(profile)
    found = []
    for sample in profile.samples:
        labels = sample.labels
        values = {key: sample.values[at] for key, at in columns.items()}
        if CPU_TIME in profile.sample_types:
            values["cpu_time"] = sample.values[profile.sample_types.index(CPU_TIME)]
        found.append(Sample([frame[:4] for frame in sample.frames], sample.values[0],
                            int(labels.get("pid", 0)), int(labels.get("tid", 0)), labels.get("comm", ""),
                            labels.get("thread", ""), values))
    return found


RUNS = weakref.WeakSet()  # all that were started


class Run:
    """One run of the profiler, started. finish() waits for its end and reads what it left."""

    def __init__(self, directory, *arguments, output="profile.pb.gz", stats=True, binary=(BINARY,),
                 **options):
        """binary: the profiler, or a command that runs it."""
        self.path = pathlib.Path(directory) / output if output not in (None, "-") else None
        self.stats_path = pathlib.Path(directory) / "stats.json"
        self.stats_path.unlink(missing_ok=True)
        own = ["-o", str(self.path or "-")] if output else []
        own += ["--stats-json", str(self.stats_path)] if stats else []
        # Tests want many samples of what they look at; tests/e2e/waits/test_budget.py is about the default.
        if stats and not any(str(argument).startswith("--budget") for argument in arguments):
            own += ["--budget", "0"]
        # Options go before "--": what comes after it is the COMMAND's.
        self.command = [*binary, *own, *map(str, arguments)]
        # Files, not pipes: a COMMAND that outlives the profiler would hold the other end of a pipe.
        self.streams = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        options.setdefault("stdout", self.streams[0])
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stderr=self.streams[1],
                                        start_new_session=True, **options)
        RUNS.add(self)
        self.code = self.out = self.err = self.stats = self.samples = None
        self.kinds = {event.key for event in EVENTS}  # of samples that a test has read from files itself: any

    def finish(self, timeout=300, code=0):
        """code: the exit code there must be, None = any. Profile and books are read and checked when it is
        0."""
        try:
            self.process.wait(timeout)
        finally:
            self.kill()
        self.raw, self.err = (self.read(stream) for stream in self.streams)
        self.out, self.err = self.raw.decode(errors="replace"), self.err.decode()
        if self.command[0] == BINARY:
            self.err = home.without_notice(self.err)
        self.code = self.process.returncode
        assert not re.search("Sanitizer|runtime error:", self.err), self.err  # of a build with SAN=...
        if self.code and self.code != code:
            home.skip_if_refused(self.command, self.err)
        if code is not None:
            assert self.code == code, "exit code %s: %s" % (self.code, self.err)
        if self.stats_path.exists():
            self.stats = json.loads(self.stats_path.read_text())
        if self.path and self.path.name.endswith(".pb.gz") and self.path.exists():
            profile = pprof.read(self.path)
            self.samples, self.kinds = samples_of(profile), set(columns_of(profile))
        if self.stats and self.samples is not None:
            self.check_books()
        return self

    def skip_if_refused(self):
        """Once: the test that has started it is skipped, and no later one."""
        if self.code is None and self.process.poll():
            self.code = self.process.returncode
            home.skip_if_refused(self.command, os.pread(self.streams[1].fileno(), 1 << 20, 0).decode())

    @staticmethod
    def read(stream):
        with stream:
            stream.seek(0)
            return stream.read()

    def alive(self):
        """Whether the profiler or a process that it started is there."""
        try:
            os.killpg(self.process.pid, 0)
        except ProcessLookupError:
            return False
        return True

    def kill(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)

    def check_books(self):
        """Every tick is in the profile or has a reason, exactly, and every marker is as often as counted. So
        is what other kinds of events count, in their unit."""
        assert self.stats["ticks"] == self.stats["counters"]["ticks"]
        for event in EVENTS:
            self.check_total_of(event)
            if event.key in self.kinds or not self.is_only_a_part(event):
                self.check_books_of(event)
        if "cpu" not in self.kinds:
            return
        # With --native each sample in the profile also says where it was in native code.
        assert sum(self.stats["native"].values()) in (0, self.stats["profile"]["samples"])

    def is_only_a_part(self, event):
        """Whether it may be measured for another kind."""
        return "wall" in self.kinds or any(event.key.upper() in other.made_of
                                           for other in EVENTS if other.key in self.kinds)

    def check_total_of(self, event):
        assert sum(self.stats[event.prefix + "outcomes"].values()) == self.stats["counters"][event.total]

    def check_books_of(self, event):
        """Not for what is only measured as a part of another kind."""
        counted = self.stats[event.prefix + "outcomes"]
        own = {outcome.key: outcome.place for outcome in OUTCOMES if outcome.group in event.books}
        assert set(counted) == set(own)
        shown = collections.Counter()
        for sample in self.samples:
            shown[marker_of(sample.stack)] += sample.values.get(event.key, 0)
        inside = sum(counted[key] for key, place in own.items() if place != "OUTSIDE")
        if event.wall == "WALL_SUM":  # its books count ticks, its samples the time that these stand for
            assert inside == self.stats["profile"][event.prefix + "samples"]
            return
        assert sum(shown.values()) == inside == self.stats["profile"][event.prefix + "samples"], \
            (shown, counted)
        for key, place in own.items():
            if place in ("NAMED", "MARKED"):
                assert shown[key] == counted[key], key
        assert shown[None] == sum(counted[key] for key, place in own.items() if place == "WHOLE")

    def of(self, *pids):
        return [sample for sample in self.samples if sample.pid in pids]


def run(directory, *arguments, timeout=300, code=0, **options):
    return Run(directory, *arguments, **options).finish(timeout, code)


def command(*arguments, code=0):
    """pyperf-bpf with these arguments, and nothing on its stdin: what came of it when it has ended."""
    done = subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=300,
                          stdin=subprocess.DEVNULL)
    if done.returncode != code:
        home.skip_if_refused(arguments, done.stderr)
    assert done.returncode == code, done.stderr
    assert not re.search("Sanitizer|runtime error:", done.stderr), done.stderr
    done.stderr = home.without_notice(done.stderr)
    return done


def cpu_seconds(pid):
    """What a process has used of CPU time, with all its threads and the children that it has waited for; of
    PID/task/TID what that thread has. math.inf for one that is no more."""
    try:
        with open("/proc/%s/stat" % pid) as f:
            return sum(map(int, f.read().rpartition(")")[2].split()[11:15])) / os.sysconf("SC_CLK_TCK")
    except (FileNotFoundError, ProcessLookupError):
        return math.inf


def filters(pid):
    """How many of its own system calls' filters a process has."""
    text = pathlib.Path("/proc/%s/status" % pid).read_text()
    return int((re.search(r"\nSeccomp_filters:\t(\d+)", text) or [0, 0])[1])


def is_confined(run):
    """Whether the profiler has given its rights up, which it does as soon as it samples."""
    with contextlib.suppress(OSError):
        return filters(run.process.pid) > filters("self")
    return False


def samples_cpus(run):
    """Whether the profiler has attached itself to perf events. What it does before that takes long on a busy
    machine; one of these is opened and closed then, to see whether that is allowed, and is no sign. From
    outside there are none: it has given its rights up."""
    if home.is_outside(run.command):
        return is_confined(run)
    with contextlib.suppress(OSError):
        for entry in os.scandir("/proc/%d/fdinfo" % run.process.pid):
            with contextlib.suppress(OSError):
                if "link_type:\tperf\n" in pathlib.Path(entry.path).read_text():
                    return True
    return False


def has_begun(run):
    """Whether it samples, as far as can be seen. Where timers make the ticks, -v says it."""
    said = os.pread(run.streams[1].fileno(), 1 << 24, 0)
    return b"capabilities that are kept" in said or samples_cpus(run)


def wait_for_sampling(run, limit=900):
    """Until it samples, or has ended before."""
    wait_until(lambda: has_begun(run) or run.process.poll() is not None, limit, "sampling")


def let_use_cpu(run, pids, cpu, seconds=0, limit=900):
    """Waits until, with the profiler at work, each of these processes has used `cpu` seconds of CPU time; and
    `seconds` have passed. So samples do not get fewer when others keep the machine busy, the run only takes
    longer."""
    wait_for_sampling(run, limit)
    least = time.monotonic() + seconds
    before = {pid: cpu_seconds(pid) for pid in pids}
    wait_until(lambda: run.process.poll() is not None or time.monotonic() >= least and
               all(cpu_seconds(pid) - before[pid] >= cpu for pid in pids), limit,
               "%g s of CPU time for each" % cpu)


def end_after(ran, pids, cpu, seconds=0, limit=900):
    """Ends a run, which has no -d, once it has seen that much of these processes (let_use_cpu)."""
    try:
        let_use_cpu(ran, pids, cpu, seconds, limit)
        if ran.process.poll() is None:
            ran.interrupt()
    except BaseException:
        ran.kill()
        raise
    return ran.finish(limit)


def run_while(directory, started, cpu, *arguments, seconds=0, limit=900, **options):
    """Profiles the processes of these targets, each for so many seconds of its CPU time (let_use_cpu),
    and no -d. The profiler goes before them, since its start, of which the kernel's verifier has most, takes
    seconds of CPU time with many kinds of events."""
    pids = [one.pid for one in started]
    with before_others():
        ran = Run(directory, "--pid", ",".join(map(str, pids)), *arguments, **options)
    return end_after(ran, pids, cpu, seconds, limit)


def run_all_while(directory, pids, cpu, *arguments, seconds=0, **options):
    """The same of -a, which ends when these processes have been seen for so long."""
    with before_others():
        ran = Run(directory, "-a", *arguments, **options)
    return end_after(ran, pids, cpu, seconds)


def total(samples):
    return sum(sample.count for sample in samples)


def share(samples, predicate):
    """Part of the samples for which predicate(sample) holds."""
    return total(s for s in samples if predicate(s)) / max(1, total(samples))


def is_share_at_most(count, bound, of):
    """Whether count out of so many speaks for a share of at most bound, within three sigma."""
    return count <= bound * of + 3 * (bound * of) ** 0.5


def share_of_hits(run):
    """Part of the samples that asked the prefix cache for which it had something."""
    counters = run.stats["counters"]
    hits = counters["cache_full"] + counters["cache_partial"]
    return hits / max(1, hits + counters["cache_miss"])


def functions(sample):
    return [frame[0] for frame in sample.stack]


@contextlib.contextmanager
def before_others():
    """This thread, and what it starts in here, has a CPU whenever it wants one, whatever other programs do:
    for tests of how long something takes. Where the kernel forbids it, they compete as ever."""
    policy, priority = os.sched_getscheduler(0), os.sched_getparam(0)
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    try:
        yield
    finally:
        os.sched_setscheduler(0, policy, priority)


class Target:
    """A program to be profiled. about: the line of JSON it printed when it was ready."""

    def __init__(self, command, about=True, **options):
        options.setdefault("stdin", subprocess.DEVNULL)
        self.process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, text=True,
                                        **options)
        self.pid = self.process.pid
        self.about = None
        if about:
            self.ready()

    def ready(self):
        """Waits for the line it prints when it is."""
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("%s ended before it was ready" % self.process.args[0])
        self.about = json.loads(line)

    def stop(self):
        self.process.kill()
        self.process.communicate()

    def tell(self, line=""):
        """To a program that was started with stdin=subprocess.PIPE."""
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def ask(self):
        """Sends SIGTERM and returns the JSON the program prints as its last word."""
        self.process.terminate()
        text, _ = self.process.communicate(timeout=300)
        return json.loads(text)


@contextlib.contextmanager
def target(*command, about=True, **options):
    started = Target(command, about, **options)
    try:
        yield started
    finally:
        started.stop()


@contextlib.contextmanager
def targets(commands, **options):
    """Several at once, started together; ready when all are."""
    with contextlib.ExitStack() as stack:
        started = []
        for command in commands:
            started.append(Target(command, about=False, **options))
            stack.callback(started[-1].stop)
        for one in started:
            one.ready()
        yield started


def wait_until(condition, seconds=240, what="condition"):
    """The limit only ends what would never end: it is no bound on how fast anything is. what: that, or a
    function that tells it in the end. Where BPF is refused nothing comes of a run that needs it."""
    end = time.monotonic() + seconds
    while not condition():
        for run in RUNS if home.refusal() else ():
            run.skip_if_refused()
        assert time.monotonic() < end, "no %s within %d s" % (what() if callable(what) else what, seconds)
        time.sleep(0.02)
