# SPDX-License-Identifier: GPL-2.0-only
"""judge.py DIR: looks at what a guest left (init), prints ok or FAIL for each check;
exits 1 if one failed."""
import collections
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from checks import check, check_stacks, end, profiler, samples_of  # noqa: E402

SESSION = "first", "second"
# Who has nothing to do with the greedy program: by its cgroup or, without version 2, by its uid.
APART = {"v1": "other", "both": "same", "v2": "same", "agent": "same"}


def read_lines(path):
    return [line.split() for line in path.read_text().splitlines()] if path.exists() else []


def check_users(directory, stage):
    users = {(kind, int(number)) for kind, number in read_lines(directory / (stage + ".shares"))}
    cgroups = collections.defaultdict(set)
    for name, number in read_lines(directory / (stage + ".cgroups")):
        cgroups[name].add(("cgroup", int(number)))
    if stage == "v1":
        check("v1: users are uids", users == {("uid", 1000), ("uid", 1001)}, users)
        return
    for name in "greedy", "same":
        check("%s: the cgroup of %s is a user" % (stage, name), cgroups[name] & users, (cgroups[name], users))
    check("%s: a session's user counts by the uid" % stage,
          ("uid", 1000) in users and not users & (cgroups["first"] | cgroups["second"]),
          (users, cgroups))


def check_stage(directory, stage):
    code = (directory / (stage + ".code")).read_text().strip()
    err = (directory / (stage + ".err")).read_text()
    check("%s: exits 0" % stage, code == "0", "%s %s" % (code, err[-300:]))
    trouble = directory / (stage + ".trouble")
    check("%s: each program ran" % stage, not trouble.exists(), trouble.exists() and trouble.read_text())
    check_users(directory, stage)
    if code != "0":
        return
    outcomes = json.loads((directory / (stage + ".json")).read_text())["outcomes"]
    check("%s: the greedy program has filled the tree" % stage, outcomes["table_full"] > 0, outcomes)
    filled = (directory / (stage + ".filled")).read_text().strip()
    print("       %s: the tree was full after %s s" % (stage, filled))
    path = directory / (stage + ".pb.gz")
    apart = samples_of(path, APART[stage])
    check_stacks("%s: %s" % (stage, APART[stage]), apart)
    whole = sum(s.count for s in apart if profiler.marker_of(s.frames) is None)
    total = sum(s.count for s in apart)
    print("       %s: %d of %d samples of %s are whole" % (stage, whole, total, APART[stage]))
    check("%s: 95 %% of its samples are whole" % stage, whole >= 0.95 * total, (whole, total))


def main():
    directory = pathlib.Path(sys.argv[1])
    print("Linux %s" % (directory / "release").read_text().strip())
    for stage in APART:
        check_stage(directory, stage)
    kernel = (directory / "kernel").read_text()
    check("the kernel complained of nothing", not kernel, kernel)
    return end()


sys.exit(main())
