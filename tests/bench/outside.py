# SPDX-License-Identifier: GPL-2.0-only
"""What a look from outside costs beside others: CPU time of a profiler with all of its processes, less that
of a run of a second, by looks that were due. All run as the same user, one after the other, at one program.

    outside.py PYTHON SECONDS RATE... [--py-spy PROGRAM] [--tachyon]    --tachyon: PYTHON is 3.15
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import profiler  # noqa: E402

NOBODY = 65534
DEPTHS = 10, 100, 900
PROGRAM = """
import sys, time
sys.setrecursionlimit(5000)
def down(n):
    if n:
        return down(n - 1)
    while True:
        pass
down(%d)
"""


def used(command, folder):
    """Seconds of CPU time of a command, with all that it has started and waited for."""
    with open(os.path.join(folder, "said"), "w") as said:
        process = subprocess.Popen(command, user=NOBODY, group=NOBODY, extra_groups=[], cwd=folder,
                                   stdout=said, stderr=said)
        _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit("%s: %s" % (command, open(os.path.join(folder, "said")).read()))
    return usage.ru_utime + usage.ru_stime


def commands(options, rate, pid):
    """{name: how it is run for so many seconds}"""
    own = [profiler.BINARY, "--trigger", "outside", "--budget", "0", "-F", rate, "-q", "-o", "p.pb.gz",
           "-p", pid]
    rows = {"pyperf-bpf": lambda s: [*own, "-d", s]}
    if options.py_spy:
        spy = [options.py_spy, "record", "-r", rate, "-f", "raw", "-o", "p.txt", "--pid", pid, "-d"]
        rows["py-spy"] = lambda s: [*spy, s]
        rows["py-spy --nonblocking"] = lambda s: [*spy, s, "--nonblocking"]
    if options.tachyon:
        attach = [options.python, "-m", "profiling.sampling", "attach", "-r", rate, "--collapsed",
                  "-o", "t.txt"]
        rows["Tachyon"] = lambda s: [*attach, "-d", s, pid]
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("python")
    parser.add_argument("seconds", type=int)
    parser.add_argument("rate", nargs="+")
    parser.add_argument("--py-spy")
    parser.add_argument("--tachyon", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        for depth in DEPTHS:
            target = subprocess.Popen([options.python, "-c", PROGRAM % depth], user=NOBODY, group=NOBODY,
                                      extra_groups=[], cwd=folder)
            time.sleep(1)
            for rate in options.rate:
                for name, command in commands(options, rate, str(target.pid)).items():
                    spent = used(command(str(options.seconds)), folder) - used(command("1"), folder)
                    looks = (options.seconds - 1) * int(rate)
                    print("%4d %5s Hz  %-21s %6.0f us" % (depth, rate, name, spent / looks * 1e6), flush=True)
            target.kill()
            target.wait()


if __name__ == "__main__":
    main()
