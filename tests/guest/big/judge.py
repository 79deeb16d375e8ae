# SPDX-License-Identifier: GPL-2.0-only
"""judge.py DIR CPUS: looks at what a guest of so many CPUs left (init), prints ok or FAIL for each check;
exits 1 if one failed. An emulated machine is slow: what was reached is printed, and only what is lost without
being counted is wrong."""
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from checks import check, end, pprof, profiler  # noqa: E402

RUNS = "timer", "perf", "stacks", "crowd"
TICKS = re.compile(r'^pyperf_cpu_ticks_total\{cpu="(\d+)"\} (\d+)', re.M)
MAP = re.compile(r"^map_type:\t(\d+)\nkey_size:\t\d+\nvalue_size:\t(\d+)\nmax_entries:\t(\d+)\n"
                 r"(?:(?!map_type).*\n)*?map_id:\t(\d+)\n", re.M)
RINGBUF = 27  # its entries are bytes
ON_TWO, EACH = 33.7, 224.4 / 1024  # MiB of the tables: on two CPUs, and for each further one


class Ran:
    def __init__(self, directory, name, cpus):
        self.directory, self.name, self.cpus = directory, name, cpus
        self.code = self.read("code").strip()
        self.err = self.read("err")
        check("%s: exits 0" % name, self.code == "0", "%s %s" % (self.code, self.err[-300:]))
        self.right = self.code == "0"

    def read(self, what):
        path = self.directory / ("%s.%s" % (self.name, what))
        return path.read_text() if path.exists() else ""

    def check_books(self):
        self.stats = stats = json.loads(self.read("json"))
        self.samples = pprof.read(self.directory / (self.name + ".pb.gz")).samples
        inside = sum(stats["outcomes"][outcome.key] for outcome in profiler.TICK_OUTCOMES
                     if outcome.place != "OUTSIDE")
        count = sum(s.count for s in self.samples)
        check("%s: every tick has its outcome, and every sample is in the profile" % self.name,
              sum(stats["outcomes"].values()) == stats["ticks"] and count == inside,
              (count, inside, stats["ticks"], stats["outcomes"]))
        check("%s: on all CPUs" % self.name, stats["cpus"] == self.cpus, stats["cpus"])
        lost = {key: n for key, n in stats["outcomes"].items() if n and key not in ("exact", "idle")}
        print("       %s: %d ticks, %d samples; %s" % (self.name, stats["ticks"], count, lost))

    def check_each_cpu(self):
        ticks = {int(cpu): int(n) for cpu, n in TICKS.findall(self.read("metrics"))}
        without = [cpu for cpu in range(self.cpus) if not ticks.get(cpu)]
        check("%s: ticks on each CPU" % self.name, not without, without)
        print("       %s: %d to %d ticks of a CPU" % (self.name, min(ticks.values(), default=0),
                                                     max(ticks.values(), default=0)))
        seen = {s.labels.get("pid") for s in self.samples if "leaf" in s.names or "run" in s.names}
        check("%s: whole stacks of each CPU's program" % self.name, len(seen) == self.cpus, len(seen))

    def check_tables(self):
        """They have the size that docs/internals/tree.md says."""
        said = ON_TWO + (self.cpus - 2) * EACH
        told = self.stats["user"]["map_bytes"] / 2 ** 20
        sizes = {number: int(entries) if int(kind) == RINGBUF else int(value) * int(entries)
                 for kind, value, entries, number in MAP.findall(self.read("fdinfo"))}
        kernel = sum(sizes.values()) / 2 ** 20
        print("       %s: tables %.1f MiB, %.1f by the kernel's descriptions; %s" % (
            self.name, told, kernel, " ".join(self.read("memory").split())))
        check("%s: tables of %.1f MiB" % (self.name, said),
              abs(told - said) < 1 and abs(kernel - said) < 1.5, (told, kernel))


def check_stacks(ran, seconds):
    stacks = {tuple(s.frames) for s in ran.samples}
    print("       %d distinct stacks in %d s: %d a minute, %d new nodes of the tree" % (
        len(stacks), seconds, len(stacks) * 60 / max(seconds, 1), ran.stats["counters"]["nodes_new"]))
    check("stacks: there are many", len(stacks) > 1000, len(stacks))


def check_crowd(ran, reached):
    processes = {s.labels.get("pid") for s in ran.samples}
    print("       %s processes at once, made in %s s, %s MiB are free; %d are in the profile" % (
        *reached, len(processes)))
    full = ran.stats["counters"]["processes_full"]
    print("       %d found no room in the table of processes" % full)
    # Each had a CPU for 30 ms, of a machine that is not always there.
    some = min(500, int(reached[0]) // 2)
    check("crowd: %d processes are in the profile" % some, len(processes) >= some, len(processes))


def main():
    directory, cpus = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    print("Linux %s" % (directory / "release").read_text().strip())
    online = int((directory / "cpus").read_text())
    check("the machine has %d CPUs" % cpus, online == cpus, online)
    for name in RUNS:
        ran = Ran(directory, name, cpus)
        if not ran.right:
            continue
        ran.check_books()
        ran.check_tables()
        if name in ("timer", "perf"):
            ran.check_each_cpu()
        elif name == "stacks":
            check_stacks(ran, int((directory / "stacks.seconds").read_text()))
        else:
            check_crowd(ran, (directory / "crowd.reached").read_text().split())
    print((directory / "kernel").read_text()[:1000])
    return end()


sys.exit(main())
