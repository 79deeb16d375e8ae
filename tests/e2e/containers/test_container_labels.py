# SPDX-License-Identifier: GPL-2.0-only
"""Samples carry the container and the pod of their process: from real cgroups named as the kubelet names
them, and from a folder of logs as the kubelet fills it. A real runtime is in test_container.py, a real
kubelet in tests/k8s."""
import os
import sys

import pytest

import cgroups
import interval_graph
import labels
import namespaces
import pprof
import profiler
from pods import NAMES, Pod, labels_of
from serving import Later, server

pytestmark = pytest.mark.skipif(cgroups.hierarchy() is None,
                                reason="SKIP cgroups: no cgroup hierarchy can be written here")

@pytest.fixture
def logs(tmp_path):
    path = tmp_path / "logs"
    path.mkdir()
    return path


def burn(workloads):
    return sys.executable, workloads / "burn.py"


def test_two_pods_and_none(workloads, logs, tmp_path):
    one, two = Pod("demo", "app-7cbd89ff54-6zzwk", "web"), Pod("prod", "batch", "worker-2")
    one.log(logs)
    two.link(logs)
    with cgroups.cgroup(one.cgroup) as a, cgroups.cgroup(two.cgroup) as b, \
            profiler.target(*burn(workloads), preexec_fn=cgroups.starter(a)) as first, \
            profiler.target(*burn(workloads), preexec_fn=cgroups.starter(b)) as second, \
            profiler.target(*burn(workloads)) as outside:
        pids = first.pid, second.pid, outside.pid
        run = profiler.run_all_while(tmp_path, pids, 0.5, "--pod-logs", logs)
        assert labels_of(run, first.pid) == one.labels
        assert labels_of(run, second.pid) == two.labels
        assert labels_of(run, outside.pid) == {}


def test_a_pod_that_comes_while_the_profiler_runs(workloads, logs, tmp_path):
    early, late = Pod("demo", "early", "web"), Pod("demo", "late", "web")
    early.log(logs)
    with cgroups.cgroup(early.cgroup) as a, cgroups.cgroup(late.cgroup) as b, \
            profiler.target(*burn(workloads), preexec_fn=cgroups.starter(a)) as first:
        run = profiler.Run(tmp_path, "-a", "-v", "--pod-logs", logs)
        try:
            profiler.wait_until(lambda: os.pread(run.streams[1].fileno(), 1 << 20,
                                                 0).count(b"pid %d " % first.pid),
                                what="first process")
            late.log(logs)
            with profiler.target(*burn(workloads), preexec_fn=cgroups.starter(b)) as second:
                profiler.wait_until(lambda: os.pread(run.streams[1].fileno(), 1 << 20,
                                                     0).count(b"pid %d " % second.pid),
                                    what="second process")
                profiler.wait_until(lambda: cpu_seconds(second.pid) > 2, what="CPU time")
                run.interrupt()
                run.finish()
        finally:
            run.kill()
        assert labels_of(run, first.pid) == early.labels
        # Before its exec it was a child of this process, on its way into the cgroup.
        assert labels_of(run, second.pid, "burn.py") == late.labels


def cpu_seconds(pid):
    with open("/proc/%d/stat" % pid) as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_forked_children_inherit(workloads, logs, tmp_path):
    pod = Pod("demo", "family", "web")
    pod.log(logs)
    with cgroups.cgroup(pod.cgroup) as made:
        run = profiler.Run(tmp_path, "-F", 499, "--pod-logs", logs, "--", sys.executable,
                           workloads / "family.py", 0.4,
                           preexec_fn=cgroups.starter(made))
        run.finish()
        pids = {s.labels["pid"] for s in pprof.read(run.path).samples}
        assert len(pids) >= 4
        for pid in pids:
            assert labels_of(run, pid) == pod.labels


def test_moved_and_named_later(workloads, logs, tmp_path):
    """A process that is put into a container without an exec,
    and a pod whose folder appears after its process."""
    pod = Pod("demo", "late", "web")
    profiles = tmp_path / "profiles"
    profiles.mkdir()
    with cgroups.cgroup(pod.cgroup) as made, profiler.target(*burn(workloads)) as target:
        run = profiler.Run(tmp_path, "-a", "--output-dir", profiles, "--interval", 1, "--pod-logs", logs,
                           output=None)

        def newest():
            return labels_of_newest(profiles, target.pid)
        try:
            profiler.wait_until(lambda: newest() == {}, what="profile without a container")
            (made / "cgroup.procs").write_text(str(target.pid))
            profiler.wait_until(lambda: newest() == {"container_id": pod.id, "pod_uid": pod.uid},
                                what="container")
            pod.log(logs)
            profiler.wait_until(lambda: newest() == pod.labels, what="pod")
        finally:
            run.kill()


def labels_of_newest(folder, pid):
    for path in sorted(folder.glob("*.gz"), reverse=True):
        found = [s.labels for s in pprof.read(path).samples if s.labels.get("pid") == pid]
        if found:
            return {name: found[0][name] for name in NAMES if name in found[0]}
    return None


def test_no_folder_of_logs(workloads, tmp_path):
    pod = Pod("demo", "app", "web")
    with cgroups.cgroup(pod.cgroup) as made, \
            profiler.target(*burn(workloads), preexec_fn=cgroups.starter(made)) as target:
        run = profiler.run_all_while(tmp_path, [target.pid], 0.5, "--pod-logs", tmp_path / "nothing")
        assert labels_of(run, target.pid) == {"container_id": pod.id, "pod_uid": pod.uid}


MOUNT = "mkdir -p {0} && touch {0}/0123abcd && mount --bind {0}/0123abcd {1} && exec {2} {3}"


@pytest.mark.parametrize("kinds", [["--mount"], ["--mount", "--user", "--map-root-user"]],
                         ids=["by the node", "by the process itself"])
def test_a_mount_as_the_kubelet_makes_it(kinds, workloads, logs, tmp_path):
    """Of a container whose cgroup shows no pod. Whoever has a user namespace can mount anything in it,
    and must not become a part of another's pod by that."""
    if namespaces.reason_of(*kinds):
        pytest.skip("SKIP namespaces: %s" % namespaces.reason_of(*kinds))
    victim, own = Pod("demo", "victim", "web"), cgroups.container_id()
    victim.log(logs)
    folder, point = tmp_path / "pods" / victim.uid / "containers" / "web", tmp_path / "point"
    point.touch()
    command = MOUNT.format(folder, point, sys.executable, workloads / "burn.py")
    with cgroups.cgroup("/docker-pyperf/" + own) as made, \
            profiler.target("unshare", *kinds, "sh", "-c", command,
                            preexec_fn=cgroups.starter(made)) as target:
        assert "/pods/%s/" % victim.uid in open("/proc/%d/mountinfo" % target.pid).read()
        run = profiler.run_all_while(tmp_path, [target.pid], 0.5, "--pod-logs", logs)
        found = labels_of(run, target.pid, "burn.py")
    if "--user" in kinds:
        assert found == {"container_id": own}
    else:
        assert found == {**victim.labels, "container_id": own}


def test_a_cgroup_that_was_handed_to_a_user(workloads, logs, tmp_path):
    """systemd lets a user make cgroups below his user@UID.service, under any name."""
    victim = Pod("demo", "victim", "web")
    victim.log(logs)
    path = "/pyperf-user.slice/user@12345.service" + victim.cgroup
    with cgroups.cgroup(path) as made, \
            profiler.target(*burn(workloads), preexec_fn=cgroups.starter(made)) as target:
        run = profiler.run_all_while(tmp_path, [target.pid], 0.5, "--pod-logs", logs)
        assert labels_of(run, target.pid, "burn.py") == {}


def test_a_pod_inside_of_a_pod(workloads, logs, tmp_path):
    """A container that may make cgroups below its own stays what it is."""
    real, victim = Pod("demo", "real", "web"), Pod("demo", "victim", "web")
    real.log(logs)
    victim.log(logs)
    with cgroups.cgroup(real.cgroup + victim.cgroup) as made, \
            profiler.target(*burn(workloads), preexec_fn=cgroups.starter(made)) as target:
        run = profiler.run_all_while(tmp_path, [target.pid], 0.5, "--pod-logs", logs)
        assert labels_of(run, target.pid, "burn.py") == real.labels


def test_each_label_over_http(workloads, logs, tmp_path):
    """What is for queries selects one of two programs; the page shows what tells services apart."""
    one, two = Pod("demo", "app-1", "web"), Pod("prod", "batch", "worker-2")
    name = tmp_path / "another"
    name.symlink_to(sys.executable)
    for pod in one, two:
        pod.log(logs)
    with cgroups.cgroup(one.cgroup) as a, cgroups.cgroup(two.cgroup) as b, \
            profiler.target(*burn(workloads), preexec_fn=cgroups.starter(a)) as first, \
            profiler.target(name, workloads / "burn.py", preexec_fn=cgroups.starter(b)) as second, \
            server(tmp_path, "--pid", "%d,%d" % (first.pid, second.pid), "-F", 4999, "--pod-logs",
                   logs) as s:
        wanted = {**two.labels, "pid": second.pid, "comm": "another"}
        of_others = [key for source in ("STATE", "STACK", "PUBLISHED") for key in labels.keys(source=source)]
        answers = {key: Later(s.profile, "seconds=2&%s=%s" % (key, wanted[key]))
                   for key in labels.keys(place="IN_QUERY") if key not in of_others}
        nobody = Later(s.profile, "seconds=2&pod=app-1&namespace=prod")
        for key, answer in answers.items():
            samples = answer.get().samples
            assert samples, key
            for sample in samples:
                assert {name: sample.labels[name] for name in wanted} == wanted, key
        assert not nobody.get().samples
        page = s.get("/").body.decode()
        for pod in one, two:
            place = "/".join(pod.labels[key] for key in reversed(labels.keys("CONTAINER", "IN_SERIES")))
            assert "<td>%s<td>" % place in page
        profiler.wait_until(lambda: interval_graph.fetch(s), what="first interval")
        owners = [dict(owner) for owner, _ in interval_graph.fetch(s).stacks]
        assert {"another"} == {owner["comm"] for owner in owners if owner["pid"] == second.pid}
        for key in labels.keys("CONTAINER"):
            assert {two.labels[key]} == {owner[key] for owner in owners if owner["pid"] == second.pid}, key
