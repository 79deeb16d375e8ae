# SPDX-License-Identifier: GPL-2.0-only
"""Root of a container, which has fewer capabilities than the machine's: it sees the programs that have no
more than it has, and is told what is missing for the others."""
import contextlib
import json
import os
import re
import subprocess

import pytest

import interpreters as known
import namespaces
import profiler
from examined import NOBODY
from rights import just, parsers_of, sets, status, workers_of, zygote_of

TAKEN = {"dump": "sys_admin,bpf,perfmon,sys_ptrace", "docker": "all,chown,dac_override,fowner,kill,setpcap",
         "profile": "sys_admin,sys_ptrace"}
OUT_OF = "CAP_SYS_PTRACE is missing, taken out of the bounding set (docker run --cap-add SYS_PTRACE"


def with_rights(how):
    first, *names = TAKEN[how].split(",")
    words = ["-all", *("+" + name for name in names)] if first == "all" else ["-" + name
                                                                               for name in (first, *names)]
    return ["setpriv", "--bounding-set=" + ",".join(words), "--inh-caps=-all"]


def ask(prefix, *arguments):
    return subprocess.run([*prefix, profiler.BINARY, *map(str, arguments)], capture_output=True, text=True,
                          timeout=300)


def burn(interpreter, workloads, prefix=()):
    return profiler.target(*prefix, interpreter.path, workloads / "burn.py")


@pytest.mark.parametrize("how", ["dump", "docker"])
def test_an_equal_is_seen(version, workloads, how):
    prefix = with_rights(how)
    with burn(version, workloads, prefix) as target:
        done = ask(prefix, "dump", "--pid", target.pid, "--json")
        assert done.returncode == 0 and not done.stderr, done.stderr
        thread, = json.loads(done.stdout)["processes"][0]["threads"]
        assert thread["frames"][0]["function"] == "burn"
        everybody = ask(prefix, "dump", "--all-python")
        assert everybody.returncode == 0 and "Process %d " % target.pid in everybody.stdout
        if version.version >= (3, 8):
            assert ask(prefix, "tasks", "--pid", target.pid).returncode == 0


def test_who_has_more_is_not(workloads):
    """Whether the container's capabilities are fewer, or its user is another."""
    with burn(known.newest(), workloads) as target:
        for prefix in with_rights("dump"), with_rights("docker"):
            done = ask(prefix, "dump", "--pid", target.pid)
            assert done.returncode == 1 and done.stderr.count("\n") == 1
            assert "process %d cannot be read: " % target.pid + OUT_OF in done.stderr
            assert "as root" not in done.stderr
        done = ask(NOBODY, "dump", "--pid", target.pid)
        assert "cannot be read: run as root, or with CAP_SYS_PTRACE" in done.stderr


def test_root_of_a_user_namespace(version, workloads):
    """A container without root: it sees what is in it, and nothing outside, whoever owns that."""
    if namespaces.reason_of_users():
        pytest.skip("SKIP users: " + namespaces.reason_of_users())
    script = ('"$0" "$1" >/dev/null & until "$2" dump --pid $! 2>/dev/null | grep "burn ("; do sleep 0.1; '
              'done; "$2" dump --pid "$3"; code=$?; kill $!; exit $code')
    with burn(version, workloads) as outside:
        done = subprocess.run(["unshare", "-Ur", "sh", "-c", script, version.path, workloads / "burn.py",
                               profiler.BINARY, str(outside.pid)], capture_output=True, text=True,
                              timeout=240)
    assert done.returncode == 1 and "burn (" in done.stdout, done
    error, = done.stderr.splitlines()
    assert "process %d cannot be read: this is a user namespace of its own" % outside.pid in error


@pytest.mark.parametrize("others", [0, 2, 12])
def test_those_that_are_not_are_named(others):
    """In a namespace of their own, so that these are all there are."""
    if namespaces.reason():
        pytest.skip("SKIP mounts: " + namespaces.reason())
    script = "n=%d; while [ $n -gt 0 ]; do sleep 1000 & n=$((n - 1)); done; \"$@\"; exit $?" % others
    prefix = [*"unshare --mount --pid --fork --mount-proc sh -c".split(), script, "sh"]
    done = ask([*prefix, *with_rights("dump")], "dump", "--all-python")
    assert done.returncode == 0
    count, names, reason = re.search(r"(\d+ process\w*) cannot be read, (.*?): (.*)", done.stderr).groups()
    assert count == ("1 process" if not others else "%d processes" % (others + 1))
    assert re.findall(r"(\d+) \(\w+\)", names) == [str(pid) for pid in range(1, min(others + 1, 8) + 1)]
    assert names.endswith(" and %d more" % (others + 1 - 8)) == (others + 1 > 8)
    assert reason.startswith(OUT_OF)


@contextlib.contextmanager
def running(folder, prefix, *arguments):
    run = profiler.Run(folder, *arguments, binary=[*prefix, profiler.BINARY])
    try:
        yield run
    finally:
        run.kill()


def test_readers_keep_what_there_is(version, workloads, tmp_path):
    """Nothing more than that, nothing inheritable, and the parser has none. A profile comes of it."""
    prefix = with_rights("profile")
    own = int(status(os.getpid())["CapPrm"], 16)
    kept = own & ~just("sys_admin", "sys_ptrace")["CapPrm"]
    with burn(version, workloads, prefix) as target, running(tmp_path, prefix, "--pid", target.pid) as run:
        profiler.wait_until(lambda: profiler.samples_cpus(run) or run.process.poll() is not None,
                            what="perf events")
        profiler.wait_until(lambda: workers_of(run) and parsers_of(run) or run.process.poll() is not None,
                            what="worker")
        for pid in zygote_of(run), *workers_of(run):
            profiler.wait_until(lambda: sets(pid)["Seccomp"] == 2, what="filter")
            assert sets(pid) == just() | {"CapEff": kept, "CapPrm": kept}
            assert int(status(pid)["CapBnd"], 16) == 0
        parser, = parsers_of(run)
        profiler.wait_until(lambda: sets(parser) == just(), what="parser without rights")
        assert sets(run.process.pid)["CapPrm"] & just("sys_admin", "sys_ptrace")["CapPrm"] == 0
        profiler.let_use_cpu(run, [target.pid], 0.5)
        run.interrupt()
        run.finish()
    assert any(sample.stack[0][0] == "burn" for sample in run.of(target.pid))


def test_no_profile_of_who_has_more(workloads, tmp_path):
    with burn(known.newest(), workloads) as target:
        done = ask(with_rights("profile"), "--pid", target.pid, "-d", 1, "-o", tmp_path / "a.pb.gz")
    assert done.returncode == 1 and OUT_OF in done.stderr and "as root" not in done.stderr
