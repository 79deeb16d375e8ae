# SPDX-License-Identifier: GPL-2.0-only
"""`--label-var`: values of context variables as labels of samples, against what the program says itself."""
import collections

import pytest

import interpreters as known
import pprof
import profiler

PROGRAM = "context_vars.py"
NAMES = ("request_id", "number", "flag")

PYTHONS = [i for i in known.everything() if i.version >= (3, 8)]
NEWEST = max(PYTHONS, key=lambda i: i.version)
QUICK = ("debian-3.11", NEWEST.name)  # of which two are enough before each change
EACH = [pytest.param(i, id=str(i), marks=() if i.name in QUICK else pytest.mark.all) for i in PYTHONS]


def compare(samples, truth, names):
    """Counters of the samples of functions that tell their values, and of those that differ from that."""
    found, wrong = collections.Counter(), collections.Counter()
    for sample in samples:
        names_of = [frame.function for frame in sample.frames if frame.function in truth]
        if len(names_of) != 1 or "[" in "".join(frame.function for frame in sample.frames):
            continue
        for name in names:
            want, have = truth[names_of[0]].get(name), sample.labels.get(name)
            if want == have:
                found["right" if want else "none"] += sample.count
            elif have is None:
                found["missing"] += sample.count
            else:
                wrong[names_of[0], name, want, have] += sample.count
    return found, wrong


def profile_in_parts(tmp_path, target, cpu, names, *arguments):
    """A run that sees so much of a program after each variable has been found, one by one, which takes an
    interval or two, and more on a busy machine; and the samples of all intervals after these."""
    out = tmp_path / "out"
    out.mkdir()
    parts = {}  # by path

    def are_found():
        parts.update({path: pprof.read(path).samples for path in out.glob("*.pb.gz") if path not in parts})
        return all(any(name in sample.labels for samples in parts.values() for sample in samples)
                   for name in names)

    run = profiler.Run(tmp_path, "--pid", target.pid, "--budget", "0", "--output-dir", out, "--interval", "1",
                       "--label-var", ",".join(names), *arguments, output=None)
    try:
        profiler.wait_until(lambda: are_found() or run.process.poll() is not None, 900, "values of each")
        before = set(parts)
        profiler.end_after(run, [target.pid], cpu)
    finally:
        run.kill()
    are_found()
    return run, [sample for path, samples in parts.items() if path not in before for sample in samples]


@pytest.mark.parametrize("python", EACH)
def test_values(python, workloads, tmp_path):
    """Interleaved tasks, children, groups, pools, reset, contexts that come and go: no sample differs."""
    with profiler.target(python.path, "-S", workloads / PROGRAM, "threads") as target:
        run, samples = profile_in_parts(tmp_path, target, 2, NAMES, "-F", "1999")
    found, wrong = compare(samples, target.about, NAMES)
    assert not wrong, wrong
    counters = run.stats["counters"]
    # What a sample lacks is in the books: it had no time left, or a page was being moved just then. A context
    # that cannot be read takes the values of all names with it.
    lost = counters["context_values_late"] + len(NAMES) * counters["read_faults"]
    assert found["missing"] <= lost, (found, counters)
    assert found["right"] > 300 and counters["context_values_other"] == 0


@pytest.mark.all
def test_two_of_one_hash(workloads, tmp_path):
    """Variables whose hashes lead to one place, and threads beside them."""
    python = NEWEST
    names = "twin", "request_id"
    with profiler.target(python.path, "-S", workloads / PROGRAM, "twins") as target:
        run, samples = profile_in_parts(tmp_path, target, 2, names, "-F", "997")
    found, wrong = compare(samples, target.about, names)
    assert not wrong and found["right"] > 100, (found, wrong)


def test_too_many_values(tmp_path):
    """The 257th value of a process and later ones are counted, and no sample has that of another."""
    program = ("import contextvars, itertools, time\n"
               "v = contextvars.ContextVar('v')\n"
               "def spin(end):\n"
               "    while time.perf_counter() < end: pass\n"
               "print('{}', flush=True)\n"
               "for i in itertools.count():\n"
               "    v.set(i)\n"
               "    spin(time.perf_counter() + 0.002)\n")
    with profiler.target(NEWEST.path, "-S", "-c", program) as target:
        run = profiler.run_while(tmp_path, [target], 2, "-F", "997", "--label-var", "v,none")
    profile = pprof.read(run.path)
    values = {sample.labels["v"] for sample in profile.samples if "v" in sample.labels}
    counts = [int(value) for value in values]
    assert len(values) == 256 and max(counts) - min(counts) < 2000, sorted(counts)
    assert run.stats["counters"]["context_values_full"] > 100
    assert "--label-var is for values that many samples have" in run.err
    assert "no context variable 'none' was met" in run.err


@pytest.mark.parametrize("names, words", [
    ("", "wants 1 to 4 different names"), ("a,a", "wants 1 to 4 different names"),
    ("a,b,c,d,e", "wants 1 to 4 different names"), ("pid", "'pid' is the name of another label"),
])
def test_bad_names(tmp_path, names, words):
    run = profiler.run(tmp_path, "-a", "-d", "1", "--label-var", names, code=2)
    assert words in run.err
