# SPDX-License-Identifier: GPL-2.0-only
"""deploy/kubernetes on a real node: it becomes ready, sees the Python processes of other pods in their
containers, names them, survives a rollout, and leaves nothing in the kernel when it is killed."""
import calendar
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import time

import pytest

import interpreters as known
import manifests
import pprof
import profiler
from cluster import NODE, wait
from daemonset import NAMESPACE, apply_daemonset, get, other_pod, process_of, profiler_pod
from edges import Judge

HERE = pathlib.Path(__file__).resolve().parent
INTERVAL = 5  # seconds, of the rollout's profiles
BITS = {"CAP_DAC_READ_SEARCH": 2, "CAP_SYS_PTRACE": 19, "CAP_PERFMON": 38, "CAP_BPF": 39}
# Perf events make the ticks where kernel.perf_event_paranoid allows them, and are opened anew when CPUs come.
PARANOID = int(pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text())
READERS = "CAP_SYS_PTRACE", "CAP_DAC_READ_SEARCH"
RIGHTS = {"pyperf-bpf": ["CAP_PERFMON"] if PARANOID <= 2 else [], "pyperf-zygote": READERS,
          "pyperf-worker": READERS, "pyperf-parser": []}


@pytest.fixture(scope="module")
def deployed(cluster, work):
    """The DaemonSet of deploy/kubernetes/base as it is, and the folder of its profiles. Returns its pod."""
    cluster.kubectl("apply", "-k", manifests.FOLDER / "base")
    return wait(lambda: profiler_pod(cluster), "ready DaemonSet")


def test_the_daemonset_is_ready(cluster, deployed):
    status = cluster.get("daemonset", "pyperf-bpf", "-n", NAMESPACE)["status"]
    assert status["desiredNumberScheduled"] == status["numberReady"] == 1
    assert deployed["spec"]["nodeName"] == NODE
    assert get(deployed, 7071, "/healthz")
    assert b"pyperf_ticks_total" in get(deployed, 7071, "/metrics")


def status_of_each(pid):
    """{name of a process: its /proc/PID/status}, of the profiler and of what it has forked."""
    text = pathlib.Path("/proc/%d/status" % pid).read_text()
    status = dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)
    found = {status["Name"]: status}
    for child in pathlib.Path("/proc/%d/task/%d/children" % (pid, pid)).read_text().split():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it ends meanwhile
            found |= status_of_each(int(child))
    return found


def mask(names):
    return sum(1 << BITS[name] for name in names)


def capabilities_of_each(pid):
    """{name of a process: what it may use now, and what it may at most}"""
    return {name: (int(status["CapEff"], 16), int(status["CapPrm"], 16))
            for name, status in status_of_each(pid).items()}


def test_rights_of_each_process(cluster, deployed):
    """What the pod is given the profiler has given up by the time it is ready, but for what it still needs
    (docs/internals/worker.md). Worker and parser are there while there is a new program to look at."""
    expected = {name: (mask(names), mask(names)) for name, names in RIGHTS.items()}
    pid = process_of(cluster, deployed)
    with profiler.target(known.newest().path, HERE.parent / "workloads/burn.py"):
        with contextlib.suppress(AssertionError):  # the next line says what is not as it ought to be
            profiler.wait_until(lambda: capabilities_of_each(pid) == expected, what="rights")
        assert capabilities_of_each(pid) == expected
        each = status_of_each(pid)
    for name, status in each.items():
        # Nobody can have more than the pod was given: to empty this set takes one capability more.
        assert int(status["CapBnd"], 16) == mask(manifests.capabilities()), name
        assert int(status["CapInh"], 16) == int(status["CapAmb"], 16) == 0, name
        assert status["Seccomp"] == "2" and status["NoNewPrivs"] == "1", name


def test_profile_by_go_tool_pprof(cluster, work, deployed, tmp_path):
    """Fetched as anybody would; every process of both containers of both pods, with its names,
    and no wrong stack."""
    path = tmp_path / "profile.pb.gz"
    url = "http://%s:7070/debug/pprof/profile?seconds=10" % deployed["status"]["podIP"]
    subprocess.run(["go", "tool", "pprof", "-proto", "-output", path, url], check=True, timeout=120,
                   env={**os.environ, "PPROF_TMPDIR": str(tmp_path)})
    profile = pprof.read(path)
    for pod in work:
        for container in pod["status"]["containerStatuses"]:
            expected = {"namespace": "demo", "pod": pod["metadata"]["name"],
                        "pod_uid": pod["metadata"]["uid"],
                        "container": container["name"],
                        "container_id": container["containerID"].rpartition("/")[2]}
            samples = [s for s in profile.samples if s.labels.get("container_id") == expected["container_id"]]
            assert sum(s.count for s in samples) > 20, (expected, len(profile.samples))
            for sample in samples:
                assert {key: sample.labels.get(key) for key in expected} == expected
            if container["name"] == "web":
                judge(cluster, pod, samples)
    text = subprocess.run(["go", "tool", "pprof", "-tags", path], check=True, stdout=subprocess.PIPE,
                          text=True).stdout
    for key in ("pod", "namespace", "container"):
        assert "%s: Total" % key in text


def judge(cluster, pod, samples):
    about = json.loads(cluster.kubectl("logs", "-n", "demo", "-c", "web",
                                       pod["metadata"]["name"]).splitlines()[0])
    judge_ = Judge(about)
    whole = [s for s in samples if profiler.marker_of(s.frames) is None]
    assert sum(s.count for s in whole) >= 0.95 * sum(s.count for s in samples)
    faults = [fault for s in whole for fault in judge_.faults([f[:4] for f in s.frames])]
    assert not faults, faults[:5]


def test_one_pod_of_them(deployed, work):
    """The same address with a label: what a scrape for one team would ask for."""
    name = work[0]["metadata"]["name"]
    samples = pprof.parse(get(deployed, 7070,
                              "/debug/pprof/profile?seconds=3&namespace=demo&pod=" + name)).samples
    assert samples and {s.labels["pod"] for s in samples} == {name}


def programs():
    """The ids of all BPF programs that are loaded."""
    done = subprocess.run(["bpftool", "-j", "prog", "show"], stdout=subprocess.PIPE, check=True,
                          env={**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin"})
    return {program["id"] for program in json.loads(done.stdout)}


def programs_of(pid):
    """Those that this process holds."""
    texts = [path.read_text() for path in pathlib.Path("/proc/%d/fdinfo" % pid).iterdir()]
    return {int(line.split()[1]) for text in texts
            for line in text.splitlines() if line.startswith("prog_id:")}


def test_kill_leaves_no_program_behind(cluster, deployed):
    pid = process_of(cluster, profiler_pod(cluster))
    loaded = programs_of(pid)
    assert len(loaded) >= 4 and loaded <= programs()
    os.kill(pid, signal.SIGKILL)
    wait(lambda: not loaded & programs(), "end of the programs %s" % loaded)
    again = wait(lambda: restarted(cluster, pid), "restarted container")
    assert programs_of(again)


def restarted(cluster, old):
    """The pid of the profiler once it runs again."""
    pod = profiler_pod(cluster)
    pid = pod and process_of(cluster, pod)
    return pid if pid and pid != old and pod["status"]["containerStatuses"][0]["restartCount"] else None


def change(cluster, arguments, folder=None):
    """The base with more arguments, and a folder of the node as /profiles."""
    def edit(pod, container):
        container["args"] += arguments
        if folder:
            container["volumeMounts"].append({"name": "profiles", "mountPath": "/profiles"})
            pod["volumes"].append({"name": "profiles", "hostPath": {"path": str(folder)}})
    apply_daemonset(cluster, edit)


def covered(folder):
    """The stretches of time that the profiles are of, in seconds, in order."""
    profiles = [pprof.read(path) for path in sorted(folder.glob("*.pb.gz"))]
    return sorted((p.time_nanos / 1e9, (p.time_nanos + p.duration_nanos) / 1e9) for p in profiles)


def ready_since(pod):
    """Seconds since 1970, whole."""
    when, = (c["lastTransitionTime"] for c in pod["status"]["conditions"] if c["type"] == "Ready")
    return calendar.timegm(time.strptime(when, "%Y-%m-%dT%H:%M:%SZ"))


def test_a_rollout_loses_only_the_time_without_a_pod(cluster, deployed, tmp_path):
    folder = cluster.folder / "profiles"
    folder.mkdir()
    before = wait(lambda: profiler_pod(cluster), "ready pod")["metadata"]["name"]
    change(cluster, ["--output-dir=/profiles", "--interval=%d" % INTERVAL], folder)
    first = wait(lambda: other_pod(cluster, before), "pod that writes files")
    wait(lambda: len(covered(folder)) >= 2, "two profiles")
    asked = time.time()
    cluster.kubectl("rollout", "restart", "daemonset/pyperf-bpf", "-n", NAMESPACE)
    wait(lambda: other_pod(cluster, first), "new pod")
    ready = ready_since(profiler_pod(cluster))
    known = len(covered(folder))
    wait(lambda: len(covered(folder)) >= known + 2, "two profiles of the new pod")
    stretches = covered(folder)
    gaps = [(before[1], after[0]) for before, after in zip(stretches, stretches[1:])]
    print("gaps between profiles, seconds:", ["%.3f" % (end - begin) for begin, end in gaps])
    long = [gap for gap in gaps if gap[1] - gap[0] > 0.1]
    assert len(long) <= 1, gaps
    # Nothing of before the rollout, and nothing of after the new pod was ready, whose time is of seconds.
    assert all(begin >= asked and end <= ready + 1 for begin, end in long), (asked, long, ready)


def test_what_a_node_sends(cluster, work, deployed):
    """For docs/kubernetes.md: bytes of one minute's profile of this node. No bound:
    it depends on the programs."""
    pod = wait(lambda: profiler_pod(cluster), "ready pod")
    size = len(get(pod, 7070, "/debug/pprof/profile?seconds=60"))
    print("one profile of 60 s: %d bytes, %.1f MB an hour" % (size, size * 60 / 1e6))
    assert size > 1000


def test_timers_need_no_more_rights(cluster, work, deployed):
    """What the profiler takes by itself where perf_event_open is refused to CAP_PERFMON
    (kernel.perf_event_paranoid=3), and fewer: the main process keeps none. The pod's own seccomp and
    capabilities are at work; the refusal itself is in tests/e2e/stacks/test_trigger.py."""
    before = wait(lambda: profiler_pod(cluster), "ready pod")["metadata"]["name"]
    change(cluster, ["--trigger=timer"])
    wait(lambda: other_pod(cluster, before), "pod with timers")
    assert capabilities_of_each(process_of(cluster, profiler_pod(cluster)))["pyperf-bpf"] == (0, 0)
    samples = pprof.parse(get(profiler_pod(cluster), 7070,
                              "/debug/pprof/profile?seconds=5&namespace=demo")).samples
    assert {s.labels["pod"] for s in samples} == {pod["metadata"]["name"] for pod in work}
