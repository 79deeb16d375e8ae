# SPDX-License-Identifier: GPL-2.0-only
"""Which processes are profiled: by name, cgroup, container, pod and namespace; and --pid's children. What is
left out costs its ticks the outcome "not selected", and not one of its stacks is in the profile."""
import contextlib
import json
import os
import pathlib
import subprocess
import sys

import pytest

import cgroups
import home
import profiler
from pods import Pod

# One after the other: with -a each would see the processes that another one has named alike.
pytestmark = pytest.mark.xdist_group("filters")
FREQUENCY = 999
CPU = 0.2  # seconds of it, of each process: some 200 samples, of which one is enough to be seen
needs_cgroups = pytest.mark.skipif(cgroups.hierarchy() is None,
                                   reason="SKIP cgroups: no cgroup hierarchy can be written here")


@pytest.fixture
def named(workloads, tmp_path):
    """Starts burn.py under a process name of its own."""
    def command(name):
        link = tmp_path / name
        link.symlink_to(os.path.realpath(sys.executable))
        return link, workloads / "burn.py"
    return command


def seen(run):
    return {s.pid for s in run.samples}


def not_selected(run):
    return run.stats["outcomes"]["not_selected"]


def test_by_name(named, tmp_path):
    with profiler.target(*named("wanted")) as wanted, profiler.target(*named("other")) as other:
        both = wanted.pid, other.pid
        run = profiler.run_all_while(tmp_path, both, CPU, "-F", FREQUENCY, "--comm", "nobody,want*")
        assert seen(run) == {wanted.pid}
        # From outside nobody looks at who is not selected.
        assert not_selected(run) >= (0 if home.refusal() else 0.2) * profiler.total(run.of(wanted.pid))
        assert profiler.total(run.of(wanted.pid)) > 25
        run = profiler.run_all_while(tmp_path, both, CPU, "-F", FREQUENCY, "--exclude-comm", "wante?")
        assert other.pid in seen(run) and wanted.pid not in seen(run)


FORK = """
import os, sys, time
for _ in range(3):
    if not os.fork():
        break
print('{"pid": %d}' % os.getpid(), flush=True) if os.getppid() == int(sys.argv[1]) else None
while True:
    sum(range(1000))
"""


@contextlib.contextmanager
def family(*command):
    """A process that forks three children; all of them burn. They end with it."""
    with profiler.target(*command, "-c", FORK, os.getpid(), start_new_session=True) as parent:
        try:
            yield parent, children_of(parent.pid)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(parent.pid, 9)


def children_of(pid):
    text = pathlib.Path("/proc/%d/task/%d/children" % (pid, pid)).read_text()
    return {int(child) for child in text.split()}


def test_children_of_an_excluded_process_are_excluded_until_they_exec(named, workloads, tmp_path):
    """Forked ones are known at once; an exec makes a process image that is looked at anew."""
    link, _ = named("excluded")
    wanted, burn = named("wanted")
    script = ("import os, sys\nprint('{}', flush=True)\nsys.stdin.readline()\nfor i in range(4):\n"
              "    if not os.fork():\n        os.execv(%r, [%r, %r]) if i == 3 else None\n        break\n"
              "while True: sum(range(1000))" % (str(wanted), str(wanted), str(burn)))
    with profiler.target(link, "-c", script, stdin=subprocess.PIPE, start_new_session=True) as parent:
        run = profiler.Run(tmp_path, "-a", "-F", FREQUENCY, "--exclude-comm", "excluded", "--comm",
                           "wanted,excluded")
        try:
            profiler.wait_for_sampling(run)
            parent.tell()
            profiler.wait_until(lambda: children_named("wanted", parent.pid), what="exec")
            profiler.end_after(run, children_named("wanted", parent.pid), CPU)
            comms = {s.comm for s in run.samples}
            assert comms == {"wanted"}
            assert parent.pid not in seen(run)
            assert home.refusal() or not_selected(run) > profiler.total(run.samples)
            assert profiler.total(run.samples) > 30
        finally:
            run.kill()
            with contextlib.suppress(ProcessLookupError):
                os.killpg(parent.pid, 9)


def children_named(name, pid):
    return [child for child in children_of(pid)
            if pathlib.Path("/proc/%d/comm" % child).read_text() == name + "\n"]


@needs_cgroups
def test_by_cgroup_container_and_pod(workloads, tmp_path):
    logs = tmp_path / "logs"
    one, two = Pod("demo", "app-1", "web"), Pod("prod", "app-2", "db")
    one.log(logs)
    two.log(logs)
    command = sys.executable, workloads / "burn.py"
    with cgroups.cgroup(one.cgroup) as a, cgroups.cgroup(two.cgroup) as b, \
            profiler.target(*command, preexec_fn=cgroups.starter(a)) as first, \
            profiler.target(*command, preexec_fn=cgroups.starter(b)) as second, \
            profiler.target(*command) as outside:
        for option, takes in (
                (["--cgroup", "*/pod%s/*" % one.uid], {first}),
                (["--exclude-cgroup", "/kubepods-pyperf/*"], {outside}),
                (["--container", one.id[:12]], {first}),
                (["--container", "db,web"], {first, second}),
                (["--pod", "app-?"], {first, second}),
                (["--namespace", "prod"], {second}),
                (["--namespace", "prod", "--pod", "app-1"], set())):
            ours = {target.pid for target in (first, second, outside)}
            run = profiler.run_all_while(tmp_path, ours, CPU, "-F", FREQUENCY, "--pod-logs", logs, *option)
            assert seen(run) & ours == {target.pid for target in takes}, option


def test_children(tmp_path):
    with family(sys.executable) as (parent, children):
        run = profiler.run_while(tmp_path, [parent], CPU, "-F", FREQUENCY)
        assert seen(run) == {parent.pid}
        run = profiler.end_after(profiler.Run(tmp_path, "--pid", parent.pid, "--children", "-F", FREQUENCY),
                                 {parent.pid, *children}, CPU)
        assert len(children) == 3
        assert seen(run) == {parent.pid} | children


def test_children_to_come(workloads, tmp_path):
    """Forks and execs, grandchildren by way of a shell: family.py says who they were."""
    script = "import sys, runpy\nprint('{}', flush=True)\nsys.stdin.readline()\nsys.argv = sys.argv[1:]\n" \
             "runpy.run_path(sys.argv[0], run_name='__main__')"
    process = subprocess.Popen([sys.executable, "-c", script, workloads / "family.py", str(CPU)],
                               stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    try:
        process.stdout.readline()
        run = profiler.Run(tmp_path, "--pid", process.pid, "--children", "-F", FREQUENCY)
        profiler.wait_until(lambda: profiler.samples_cpus(run), what="ticks")
        process.stdin.write("\n")
        process.stdin.close()
        about = json.loads(process.stdout.read())
        process.wait()
        run.interrupt()
        run.finish()
    finally:
        process.kill()
    burners = {name: about[name] for name in ("parent", "fork", "child", "grandchild")}
    for name, pid in burners.items():
        assert profiler.total(run.of(pid)) > 30, (name, run.stats["outcomes"])
    assert seen(run) <= set(about.values()) | {about["shell"]}


@pytest.mark.parametrize("arguments, says", [
    (["-a", "--comm", ""], "--comm wants names with commas between, not ''"),
    (["-a", "--pod", "a,,b"], "--pod wants names with commas between, not 'a,,b'"),
    (["-a", "--children"], "--children goes with --pid; the others have their children anyway"),
])
def test_wrong_usage(arguments, says, tmp_path):
    run = profiler.run(tmp_path, *arguments, code=2)
    assert run.err == "pyperf-bpf: error: %s\n" % says


def test_pid_that_is_filtered_out(workloads, tmp_path):
    with profiler.target(sys.executable, workloads / "burn.py") as target:
        run = profiler.run(tmp_path, "--pid", target.pid, "--comm", "nobody", "-d", 1, code=1)
        assert run.err.strip().endswith("process %d is not among those that --comm and the like select" %
                                        target.pid)


@pytest.mark.parametrize("event, nothing", (("cpu", "the CPU"),
                                            ("memory", "no Python process grew, or shrank, by --rss-step")))
def test_an_empty_profile_says_what_let_nothing_through(tmp_path, event, nothing):
    run = profiler.run(tmp_path, "-a", "--pod", "no-such-*", "--comm", "x", "-d", 1, "--event", event)
    assert nothing + ", of those that are chosen by --comm 'x' and --pod 'no-such-*': the profile is empty" \
        in run.err
