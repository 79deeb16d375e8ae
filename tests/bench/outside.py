# SPDX-License-Identifier: GPL-2.0-only
"""What a look from outside costs beside others, and what comes of it. All run as the same user, in turns, at
one program whose stacks are known: ROUNDS times, of which the median is shown.

- us: CPU time of a profiler with all of its processes, less that of a run of a second, by looks that came;
- lost: looks that were due and did not come, or whose stack has no frame, percent. Those of pyperf-bpf are
  due while the program has a CPU, those of the others always. An idle machine loses none;
- wrong: stacks that the program never has, of those that came, percent: another depth, or a call that it
  does not make.

    outside.py PYTHON SECONDS RATE... [--rounds N] [--py-spy PROGRAM] [--austin COMMAND] [--tachyon]
    --tachyon: PYTHON is 3.15
"""
import argparse
import collections
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import mojo  # noqa: E402
import profiler  # noqa: E402

NOBODY = 65534
DEPTHS = 10, 100, 900
PROGRAM = """
import sys
sys.setrecursionlimit(5000)
def one():
    for _ in range(50): pass
def two():
    for _ in range(50): pass
def left():
    one()
def right():
    two()
def loop():
    while True:
        left()
        right()
def down(n):
    return down(n - 1) if n else loop()
down(%d)
"""
NAMES = re.compile(r"(?<![\w.])(?:down|loop|left|right|one|two)(?!\w)")


def is_legal(stack, depth):
    return re.fullmatch("(down,){%d}(loop,((left,(one,)?)|(right,(two,)?))?)?" % (depth + 1),
                        "".join(name + "," for name in stack)) is not None


class Tool:
    """A profiler: how it is run for so many seconds, and its stacks, a line each, the root first."""

    def __init__(self, command, output):
        self.command, self.output, self.of_cpu = command, output, output.endswith(".pb.gz")

    def run(self, seconds, folder):
        """CPU seconds with all that it has started and waited for, and {stack: looks}."""
        (folder / self.output).unlink(missing_ok=True)
        with open(folder / "said", "w") as said:
            process = subprocess.Popen(self.command(str(seconds)), user=NOBODY, group=NOBODY, extra_groups=[],
                                       cwd=folder, stdout=said, stderr=said)
            usage = os.wait4(process.pid, 0)[2]  # austin ends with 1 when its time is over
        path = folder / self.output
        if not path.exists():
            sys.exit("%s: %s" % (self.command(str(seconds)), (folder / "said").read_text()))
        stacks = collections.Counter()
        if self.of_cpu:
            for sample in profiler.read_samples(path):
                names = tuple(frame[0] for frame in reversed(sample.stack) if NAMES.match(frame[0]))
                stacks[names] += sample.count
            return usage.ru_utime + usage.ru_stime, stacks
        if path.suffix == ".mojo":
            for names, count in mojo.read(path).items():
                stacks[tuple(filter(NAMES.match, names))] += count
            return usage.ru_utime + usage.ru_stime, stacks
        for line in path.read_text(errors="replace").splitlines():
            if ";" in line:
                stack, _, count = line.rpartition(" ")
                stacks[tuple(NAMES.findall(stack))] += int(count)
        return usage.ru_utime + usage.ru_stime, stacks


def tools(options, rate, pid):
    own = [profiler.BINARY, "--trigger", "outside", "--budget", "0", "-F", rate, "-q", "-p", pid,
           "-o", "p.pb.gz"]
    found = {"pyperf-bpf": Tool(lambda s: [*own, "-d", s], "p.pb.gz")}
    if options.py_spy:
        spy = [options.py_spy, "record", "-r", rate, "-f", "raw", "-o", "p.txt", "--pid", pid, "-d"]
        found["py-spy"] = Tool(lambda s: [*spy, s], "p.txt")
        found["py-spy --nonblocking"] = Tool(lambda s: [*spy, s, "--nonblocking"], "p.txt")
    if options.austin:
        austin = [*shlex.split(options.austin), "-i", "%dus" % (10**6 / int(rate)), "-p", pid, "-o", "a.mojo"]
        found["austin"] = Tool(lambda s: [*austin, "-x", s], "a.mojo")
    if options.tachyon:
        attach = [options.python, "-m", "profiling.sampling", "attach", "-r", rate, "--collapsed",
                  "-o", "t.txt"]
        found["Tachyon"] = Tool(lambda s: [*attach, "-d", s, pid], "t.txt")
    return found


def measure(tool, seconds, rate, depth, pid, folder):
    """us a look, and percent of lost and of wrong ones."""
    before = profiler.cpu_seconds(pid)
    spent, stacks = tool.run(seconds, folder)
    had = min(profiler.cpu_seconds(pid) - before, seconds) if tool.of_cpu else seconds
    spent -= tool.run(1, folder)[0]
    came = sum(count for stack, count in stacks.items() if stack)
    wrong = sum(count for stack, count in stacks.items() if stack and not is_legal(stack, depth))
    due = had * int(rate)
    return (1e6 * spent * seconds / (seconds - 1) / max(came, 1), 100 * max(0, due - came) / due,
            100 * wrong / max(came, 1))


def compare(options, rate, depth, pid, folder):
    found = tools(options, rate, str(pid))
    seen = {name: [] for name in found}
    for _ in range(options.rounds):
        for name, tool in found.items():
            seen[name].append(measure(tool, options.seconds, rate, depth, pid, folder))
    own = statistics.median(row[0] for row in seen["pyperf-bpf"])
    for name, rows in seen.items():
        us, lost, wrong = (statistics.median(column) for column in zip(*rows))
        print("%4d %5s Hz  %-21s %6.0f us = %5.1f times  lost %5.1f %%  wrong %6.2f %%" %
              (depth, rate, name, us, us / own, lost, wrong), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("python")
    parser.add_argument("seconds", type=int)
    parser.add_argument("rate", nargs="+")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--py-spy")
    parser.add_argument("--austin")
    parser.add_argument("--tachyon", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o777)
        folder = pathlib.Path(name)
        for depth in DEPTHS:
            target = subprocess.Popen([options.python, "-c", PROGRAM % depth], user=NOBODY, group=NOBODY,
                                      extra_groups=[], cwd=folder)
            time.sleep(1)
            for rate in options.rate:
                compare(options, rate, depth, target.pid, folder)
            target.kill()
            target.wait()


if __name__ == "__main__":
    main()
