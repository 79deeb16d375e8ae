# SPDX-License-Identifier: GPL-2.0-only
"""Every interpreter here, one cell for each thing that must work on it: each is a profile of a program made
for it, or the line oracle. Writes the table into docs/versions.md; exit status 1 if a cell failed.

Usage: matrix.py [NAME...]. Names of interpreters: only these, and the table goes to stdout.
"""
import collections
import concurrent.futures
import pathlib
import sys
import tempfile
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "lib"))
import interpreters as known  # noqa: E402
import line_oracle  # noqa: E402
import profiler  # noqa: E402
from edges import CacheJudge, Judge  # noqa: E402
from released import on_c_lines  # noqa: E402

WORKLOADS = profiler.ROOT / "tests" / "workloads"
PAGE = profiler.ROOT / "docs" / "versions.md"
BEGIN, END = "<!-- begin: make matrix -->\n", "<!-- end: make matrix -->\n"
COLUMNS = ("walks", "lines", "names", "threads", "GIL released", "generators", "cache check")
CACHE_PROGRAMS = ("callers", "generators", "recursion", "lines")
GENERATORS = {"drive_a", "drive_b", "throw_a", "throw_b", "chain", "catcher"}  # also in cache27.py
GENERATORS_3 = {"coroutine", "outer"}
# up to 3.12 the first eight are without the cache (SETTLED of bpf/python/settled.h)
SECONDS, CACHE_SECONDS = 6, 14
AT_ONCE = 2  # interpreters; each keeps about two CPUs busy
LEAST = 100  # samples a cell must rest on
BUILDS = {"pbs": "python-build-standalone", "maven": "bytedeco, of Maven", "musl": "Debian's source, musl",
          "debian": "Debian", "src": "Debian's source", "pyenv": "pyenv"}
SUFFIXES = {"": "", "t": ", free-threaded", "d": ", Py_DEBUG"}


def whole(samples):
    return [s for s in samples if profiler.marker_of(s.stack) is None]


def enough(count):
    assert count >= LEAST, "only %d samples" % count
    return count


def judged(judge, samples):
    """The number of whole stacks, after each of them was found to be legal."""
    faults = collections.Counter()
    for sample in whole(samples):
        for fault in judge.faults(sample.stack):
            faults[fault] += sample.count
    assert not faults, faults.most_common(3)
    return enough(profiler.total(whole(samples)))


def walks(judge, samples):
    count = judged(judge, samples)
    assert count >= 0.97 * profiler.total(samples), "%d of %d whole" % (count, profiler.total(samples))
    return count


def names(counts, samples):
    """Of code objects by the oracle, and those of one, two and four bytes a character in a profile."""
    assert counts, "the oracle failed"
    seen = {frame[:2] for sample in whole(samples) for frame in sample.stack}
    missing = [name for name in ("größe", "функция", "𠀀") if (name, "<größe-€-𠀀>") not in seen]
    assert not missing, missing
    return counts["codes"]


def threads(samples):
    """Each thread's stacks end where that thread began."""
    for sample in whole(samples):
        root = sample.stack[-1][0]
        assert (sample.tid == sample.pid) == (root == "<module>"), sample
    others = [s for s in whole(samples) if s.tid != s.pid]
    assert len({s.tid for s in others}) > 2, "short-lived threads were not seen"
    return enough(profiler.total(others))


def released(target, samples):
    """C code without the GIL, while another thread holds it."""
    in_c = [s for s in samples if s.tid == s.pid]
    share = on_c_lines(target, in_c)
    assert share >= 0.95, "%.1f %% on the lines that call C code" % (100 * share)
    return enough(profiler.total(in_c))


def generators(judge, samples, wanted):
    count = judged(judge, samples)
    missing = wanted - {frame[0] for sample in whole(samples) for frame in sample.stack}
    assert not missing, missing
    return count


def cache_check(run):
    counters = run.stats["counters"]
    assert counters["cache_mismatch"] == 0, "%d mismatches" % counters["cache_mismatch"]
    assert profiler.share_of_hits(run) > 0.1, "the cache was hardly used"
    return enough(run.stats["outcomes"]["whole"])


def profile(directory, commands, *options, seconds):
    with profiler.targets(commands) as started:
        pids = ",".join(str(t.pid) for t in started)
        run = profiler.run(directory, "--pid", pids, "-d", seconds, *options, timeout=seconds + 120)
        return run, [(t, run.of(t.pid)) for t in started]


class Row:
    """One interpreter's cells."""

    def __init__(self, interpreter):
        self.interpreter = interpreter
        self.cells, self.reasons = {}, []

    def cell(self, column, check, *arguments):
        try:
            self.cells[column] = "ok {:,}".format(check(*arguments))
        except AssertionError:
            self.failed(column)

    def failed(self, *columns):
        for column in columns:
            self.cells[column] = "**FAIL**"
        self.reasons.append("%s, %s: %s" % (self.interpreter, ", ".join(columns),
                                            traceback.format_exc(limit=-1)))

    def fill(self):
        with tempfile.TemporaryDirectory() as directory:
            counts = self.oracle(pathlib.Path(directory) / "dump")
            try:
                self.plain(directory, counts)
                self.cached(directory)
            except Exception:  # a program or the profiler did not run: what it was to show is not shown
                self.failed(*(c for c in COLUMNS if c not in self.cells))
        print("%s: %s" % (self.interpreter, " | ".join(self.cells[c] for c in COLUMNS)), file=sys.stderr,
              flush=True)
        return self

    def oracle(self, path):
        counts = {}

        def lines():
            counts.update(line_oracle.check(self.interpreter, path, "library"))
            return counts["instructions"]

        self.cell("lines", lines)
        return counts

    def plain(self, directory, counts):
        python = self.interpreter.path
        _, (edges, in_c) = profile(directory, [(python, WORKLOADS / self.interpreter.program("edges")),
                                               (python, WORKLOADS / "released.py", "threads")],
                                   "-F", 997, seconds=SECONDS)
        self.cell("walks", walks, Judge(edges[0].about), edges[1])
        self.cell("names", names, counts, edges[1])
        self.cell("threads", threads, edges[1])
        self.cell("GIL released", released, *in_c)

    def cached(self, directory):
        three = self.interpreter.version >= (3,)
        names = ["cache/%s.py" % name for name in CACHE_PROGRAMS] if three else ["cache27.py"]
        commands = [(self.interpreter.path, WORKLOADS / name) for name in names]
        run, results = profile(directory, commands, "-F", 4999, "--cache", "check", seconds=CACHE_SECONDS)
        target, samples = dict(zip(names, results))["cache/generators.py" if three else "cache27.py"]
        wanted = GENERATORS | GENERATORS_3 if three else GENERATORS
        self.cell("generators", generators, CacheJudge(target.about), samples, wanted)
        self.cell("cache check", cache_check, run)


def rows(chosen):
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(lambda i: Row(i).fill(),
                             sorted(chosen, key=lambda i: (i.version, i.build, i.name))))


def table(filled, missing):
    lines = ["| version | build | %s |" % " | ".join(COLUMNS), "|" + "---|" * (2 + len(COLUMNS))]
    for row in filled:
        i = row.interpreter
        lines.append("| %d.%d.%d%s | %s | %s |" % (*i.version, i.build, BUILDS[i.kind] + SUFFIXES[i.build],
                                                   " | ".join(row.cells[c] for c in COLUMNS)))
    lines += ["| %s | SKIP: %s |%s" % (name.partition("-")[2], reason, " |" * len(COLUMNS))
              for name, reason in missing]
    return "\n".join(lines) + "\n"


def write(text):
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    PAGE.write_text(before + BEGIN + text + END + rest.split(END)[1])


def main(wanted):
    chosen = [i for i in known.everything() if not wanted or i.name in wanted]
    filled = rows(chosen)
    text = table(filled, [] if wanted else known.missing())
    if wanted:
        print(text)
    else:
        write(text)
    reasons = [reason for row in filled for reason in row.reasons]
    print(*reasons, sep="\n", file=sys.stderr)
    return 1 if reasons or not filled else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
