# SPDX-License-Identifier: GPL-2.0-only
"""judge_deb.py DIR: looks at what deb.sh left, prints ok or FAIL for each check; exits 1 if one failed."""
import pathlib
import sys

from judge import Left, check, end


def said_version(left, name):
    return left.text(name + ".out").split("\n")[0]


def check_life(left):
    steps = left.steps
    left.check_success("install")
    check("installed: not enabled", left.text("enabled.out").strip() == "disabled", left.text("enabled.out"))
    steps["installed"].check_unit(ActiveState="inactive", LoadState="loaded")
    steps["installed"].check_gone()
    left.check_success("start")
    steps["started"].check_running(restarts=0)
    left.check_profiles("of the version before", "started", "sampled")
    left.check_success("upgrade")
    steps["upgraded"].check_running(restarts=0)
    versions = [said_version(left, name) for name in ("running.before", "running.now")]
    check("upgraded: the new program runs", "pyperf-bpf 0.0.9" == versions[0] != versions[1], versions)
    check("upgraded: the configuration is as it was changed", "\ninterval = 3\n" in left.text("config"))
    left.check_profiles("of the new version", "upgraded", "sampled_again")
    check("upgraded: older profiles are kept", steps["sampled"].profiles <= steps["sampled_again"].profiles)


def check_end(left):
    steps = left.steps
    left.check_success("remove")
    steps["removed"].check_gone()
    check("removed: the configuration is kept, the program is not",
          left.text("left").split() == ["/etc/pyperf-bpf/pyperf-bpf.conf"], left.text("left"))
    left.check_success("purge")
    steps["purged"].check_unit(ActiveState="inactive", LoadState="not-found")
    before, after = (set(left.text("files." + when).splitlines()) for when in ("before", "after"))
    # systemd's own, for all services with a user of their own.
    new = sorted(after - before - {"/var/lib/private"})
    check("purged: no file is left", not new, new[:9])
    check("purged: no other's file is gone", before <= after, sorted(before - after)[:9])
    check("no unit failed", not left.text("failed"), left.text("failed"))


def main():
    left = Left(pathlib.Path(sys.argv[1]))
    print("%s, Linux %s" % (left.text("systemd").strip(), left.text("release").strip()))
    check_life(left)
    check_end(left)
    return end()


sys.exit(main())
