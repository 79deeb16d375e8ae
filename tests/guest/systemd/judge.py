# SPDX-License-Identifier: GPL-2.0-only
"""judge.py DIR: looks at what check.sh left, prints ok or FAIL for each check; exits 1 if one failed."""
import collections
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from checks import RIGHTS, WORKER_RIGHTS, check, check_stacks, end, pprof, samples_of  # noqa: E402

SLOW = "takes longer than an interval|^pyperf-bpf: profiles are written to '[^']*' again$"
DYNAMIC_UIDS = range(61184, 65520)
PROGRAMS = {"start_timer", "stop_timer", "on_process_fork", "on_process_exec", "on_process_exit",
            "list_processes", "list_accounts", "set_number"}


class Step:
    """How things stood at one step of check.sh."""

    def __init__(self, directory, name):
        read = lambda what: (directory / name / what).read_text()  # noqa: E731
        self.name = name
        self.unit = dict(line.split("=", 1) for line in read("unit").splitlines() if "=" in line)
        self.status = dict(re.findall(r"^(\w+):\s*(.*)$", read("status"), re.M))
        self.processes = read("processes").split()
        self.others = [dict(re.findall(r"^(\w+):\s*(.*)$", text, re.M))
                       for text in re.split(r"^(?=Name:)", read("others"), flags=re.M)[1:]]
        self.profiles = set(read("profiles").split())
        # systemd has programs of its own, for devices and addresses.
        self.programs = sorted(p["name"]
                               for p in json.loads(read("programs")) if not p["type"].startswith("cgroup"))

    def check_unit(self, **expected):
        found = {key: self.unit.get(key) for key in expected}
        check("%s: %s" % (self.name, ", ".join("%s=%s" % pair for pair in expected.items())),
              found == expected, found)

    def check_running(self, restarts):
        self.check_unit(ActiveState="active", SubState="running", Result="success", NRestarts=str(restarts),
                        StatusText="Sampling.")
        check("%s: each BPF program once" % self.name, self.programs == sorted(PROGRAMS), self.programs)

    def check_gone(self):
        check("%s: no process and no BPF program left" % self.name, not self.processes and not self.programs,
              (self.processes, self.programs))


class Left:
    """All of it."""

    def __init__(self, directory):
        self.directory = directory
        names = [path.parent.name for path in directory.glob("*/unit")]
        self.steps = {name: Step(directory, name) for name in names}
        self.journal = [json.loads(line) for line in self.text("journal").splitlines()] \
            if (directory / "journal").exists() else []

    def text(self, name):
        return (self.directory / name).read_text()

    def check_success(self, name):
        check("%s: exit code 0, not a word of complaint" % name, self.text(name + ".code").strip() == "0",
              self.text(name + ".out"))

    def said(self, who):
        """{one life of the service: its messages}"""
        lives = collections.defaultdict(list)
        for entry in self.journal:
            if entry.get("SYSLOG_IDENTIFIER") == who:
                lives[entry.get("_SYSTEMD_INVOCATION_ID") or
                      entry.get("INVOCATION_ID")].append(str(entry["MESSAGE"]))
        return lives

    def profiles(self, after, until):
        """Those that appeared between two steps."""
        return [self.directory / "profiles" / name
                for name in sorted(self.steps[until].profiles - self.steps[after].profiles)]

    def check_profiles(self, what, after, until):
        paths = self.profiles(after, until)
        samples = [sample for path in paths for sample in samples_of(path, "python3")]
        print("       %s: %d profiles, %d samples of the workload" % (what, len(paths),
                                                                      sum(s.count for s in samples)))
        check_stacks(what, samples)


def rights_of(status, *names):
    return {int(status.get("Cap" + name, "-1"), 16) for name in names}


def check_rights(left, step):
    status, others = step.status, step.others
    check("the unit's four capabilities can be had", rights_of(status, "Bnd") == {RIGHTS}, status)
    check("the profiler has given all of them up", rights_of(status, "Inh", "Prm", "Eff", "Amb") == {0},
          status)
    names = sorted(other.get("Name") for other in others)
    check("three processes beside it", names == ["pyperf-parser", "pyperf-worker", "pyperf-zygote"], others)
    check("they may read other processes, and no more; the parser nothing",
          all(rights_of(other, "Prm", "Eff") == {0 if other.get("Name") == "pyperf-parser" else WORKER_RIGHTS}
              for other in others), others)
    bounds = {(other.get("NoNewPrivs"), other.get("Seccomp")) for other in others}
    check("they are filtered, too", bounds == {("1", "2")}, others)
    uids = set(status.get("Uid", "").split())
    check("a dynamic user, in all four", uids == {step.unit["UID"]} and int(step.unit["UID"]) in DYNAMIC_UIDS,
          uids)
    bounds = (status.get("NoNewPrivs"), status.get("Seccomp"))
    check("no new rights, system calls filtered", bounds == ("1", "2"), bounds)
    folder, *files = [line.split() for line in left.text("files").splitlines()]
    check("the state directory: 750, the dynamic user's", folder[:2] == ["750", step.unit["UID"]], folder)
    check("profiles: 640, the dynamic user's", {(m, u) for m, u, _ in files} == {("640", step.unit["UID"])},
          files[:3])


def check_journal(left):
    lives = left.said("pyperf-bpf")
    check("journal: five lives", len(lives) == 5, len(lives))
    first = next(iter(lives.values()), [])
    for words in ("to /var/lib/pyperf-bpf", "timers make the ticks", "is read again"):
        check("journal: %s, once" % words, sum(words in line for line in first) == 1, first)
    # An emulated machine that is busy can be slow again and again, and each time it is said.
    twice = [line for lines in lives.values() for line, count in collections.Counter(lines).items()
             if count > 1 and not re.search(SLOW, line)]
    check("journal: no line twice in a life", not twice, twice)
    trouble = [line for lines in list(lives.values())[:4] for line in lines if "error: " in line]
    check("journal: no error but the last life's", not trouble, trouble)
    manager = sum(left.said("systemd").values(), [])
    check("journal: the watchdog, once", sum("Watchdog timeout" in line for line in manager) == 1, manager)


def seconds_between(step, event, other):
    first, second = (int(step.unit[name + "TimestampMonotonic"]) for name in (event, other))
    return (second - first) / 1e6


def seconds_of(paths):
    return [pprof.read(path).duration_nanos / 1e9 for path in paths]


def check_life(left):
    steps = left.steps
    left.check_success("start")
    steps["started"].check_running(restarts=0)
    print("       ready after %.1f s" % seconds_between(steps["started"], "ExecMainStart", "ActiveEnter"))
    left.check_profiles("sampled", "started", "sampled")
    left.check_success("reload")
    steps["reloaded"].check_running(restarts=0)
    # An interval may come late, never early.
    before = seconds_of(left.profiles("started", "sampled"))
    after = seconds_of(left.profiles("reloaded", "watched"))
    check("reloaded: an interval of 3 s before, of 1 s after", min(before) > 2.5 and min(after) < 2,
          (before, after))
    check("reloaded: the same process", steps["reloaded"].unit["MainPID"] == steps["started"].unit["MainPID"])
    left.check_success("restart")
    steps["watched"].check_running(restarts=0)
    steps["revived"].check_running(restarts=1)
    left.check_profiles("after the watchdog", "revived", "replaced")
    steps["replaced"].check_running(restarts=2)
    left.check_profiles("after SIGKILL", "replaced", "stopped")
    steps["stopping"].check_running(restarts=2)


def check_quota(left):
    """What systemd gives a service is what the profiler finds in its cgroup, and the kernel's count of it."""
    left.check_success("quota")
    left.check_success("findings")
    found = [one for one in json.loads(left.text("findings.out"))["findings"] if one["code"] == "cpu_quota"]
    said = found[0]["text"] if found else ""
    check("CPUQuota=20% of a service stands out in its profile",
          re.match(r"A quota of 0\.20 CPUs held back the threads of cgroup /system\.slice/throttled\.service "
                   r"\(process \d+\) for ", said), (said, left.text("quota.out")))
    print("       " + said)


def check_end(left):
    steps = left.steps
    left.check_success("stop")
    # CLD_EXITED with 0: nothing had to be killed.
    steps["stopped"].check_unit(ActiveState="inactive", Result="success", ExecMainCode="1",
                                ExecMainStatus="0")
    steps["stopped"].check_gone()
    check("stopped: what had passed of the last interval is there", left.profiles("stopping", "stopped"))
    print("       stopped in %.1f s" % seconds_between(steps["stopped"], "ActiveExit", "ExecMainExit"))
    check("no unit failed", not left.text("failed"), left.text("failed"))
    check("a config file with an error: the start fails", left.text("refused.code").strip() == "1")
    steps["refused"].check_unit(ActiveState="failed", SubState="failed", ExecMainStatus="2")
    steps["refused"].check_gone()
    last = list(left.said("pyperf-bpf").values())[-1]
    check("refused: one line, with file and line",
          len(last) == 1 and re.search(r"pyperf-bpf\.conf:\d+: ", last[0]), last)


def main():
    left = Left(pathlib.Path(sys.argv[1]))
    print("%s, Linux %s" % (left.text("systemd").strip(), left.text("release").strip()))
    check("kernel.perf_event_paranoid is 3 by itself", left.text("paranoid").strip() == "3",
          left.text("paranoid"))
    left.steps["before"].check_gone()
    check_rights(left, left.steps["started"])
    check_life(left)
    check_end(left)
    check_quota(left)
    check_journal(left)
    check("systemd-analyze verify says nothing",
          left.text("verify.code") == "0\n" and not left.text("verify.out"),
          left.text("verify.out"))
    print("       systemd-analyze security: %s" % left.text("security.out").strip().splitlines()[-1])
    check("the kernel complained of nothing", not left.text("kernel"), left.text("kernel"))
    return end()


if __name__ == "__main__":
    sys.exit(main())
