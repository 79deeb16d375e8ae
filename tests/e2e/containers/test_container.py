# SPDX-License-Identifier: GPL-2.0-only
"""The image of deploy/image.sh as a container with the rights of deploy/kubernetes, profiling another
container from outside: own PID and mount namespaces, a path of the interpreter that only exists in there."""
import hashlib
import json
import subprocess
import sys
import tarfile

import pytest

import containers
import interpreters as known
import manifests
import namespaces
import pprof
import profiler
from edges import Judge
from pods import labels_of

pytestmark = pytest.mark.skipif(containers.reason() is not None, reason="SKIP runc: %s" % containers.reason())

# Three tests look at one container from another one.
sees_others = pytest.mark.skipif(namespaces.is_chroot(), reason="SKIP runc: in a chroot, a container cannot "
                                 "find the files of another one by what /proc says")

PYTHONS = [i for i in known.available() if i.kind == "pbs" and i.version >= (3, 13)][-1:]


@pytest.fixture(scope="module", params=PYTHONS, ids=str)
def inside(request, tmp_path_factory, workloads):
    """A running container with edges.py in it: (container, the target on this side)."""
    directory = tmp_path_factory.mktemp("inside")
    tree = known.HOME / request.param.name
    # With a capability that the profiler lacks, as most containers have: it cannot be looked at without
    # CAP_SYS_PTRACE.
    container = containers.Container(directory, [], [containers.bind(workloads, "/workloads")], ["CAP_CHOWN"])
    python = containers.fill_with_python(container.root, tree)
    set_arguments(container, [python, "/workloads/edges.py"])
    try:
        with profiler.target(*container.command) as target:
            yield container, target
    finally:
        container.remove()


def set_arguments(container, arguments):
    path = container.bundle / "config.json"
    config = json.loads(path.read_text())
    config["process"]["args"] = arguments
    path.write_text(json.dumps(config))


def host_pid(container):
    state = json.loads(subprocess.run([containers.RUNC, "state", container.id],
                                      stdout=subprocess.PIPE).stdout)
    return state["pid"]


@pytest.fixture
def contained(tmp_path):
    """The profiler in a container, started with these arguments and -v, which says when it samples; tmp_path
    is in there too."""
    with containers.profiler_command(tmp_path / "bundle", profiler.BINARY, tmp_path) as command:
        yield lambda *arguments: profiler.Run(tmp_path, "-v", *arguments, binary=[command])


def judge_stacks(target, samples):
    whole = [s for s in samples if profiler.marker_of(s.stack) is None]
    assert profiler.total(whole) >= 0.97 * profiler.total(samples) > 100
    judge = Judge(target.about)
    faults = [fault for sample in whole for fault in judge.faults(sample.stack)]
    assert not faults, faults[:5]


def test_from_the_host(inside, tmp_path):
    container, target = inside
    pid = host_pid(container)
    run = profiler.run_all_while(tmp_path, [pid], 0.5, "-F", 1999)
    judge_stacks(target, run.of(pid))
    assert labels_of(run, pid) == {"container_id": container.id}
    binary = {m.filename for m in pprof.read(run.path).mappings}
    assert any("/opt/interpreter/" in name for name in binary), binary


@sees_others
def test_from_a_container_with_four_capabilities(inside, contained):
    container, target = inside
    pid = host_pid(container)
    run = profiler.end_after(contained("-a", "-F", 1999), [pid], 0.5)
    judge_stacks(target, run.of(pid))
    assert labels_of(run, pid) == {"container_id": container.id}


@sees_others
def test_all_kinds_of_events_with_four_capabilities(inside, contained):
    """As the overlay `waits` asks for them; this process sleeps, too."""
    container, _ = inside
    pid = host_pid(container)
    run = profiler.end_after(contained("-a", "--event", "cpu,offcpu,gil"), [pid], 1, seconds=2)
    assert profiler.total(run.of(pid)) > 10
    assert run.stats["counters"]["waits_seen"] > 0 and run.stats["profile"]["offcpu_samples"] > 0


@sees_others
def test_only_that_container(inside, contained):
    container, target = inside
    pid = host_pid(container)
    run = profiler.end_after(contained("-a", "-F", 1999, "--container", container.id[:12]), [pid], 0.5)
    assert {s.pid for s in run.samples} == {pid}
    judge_stacks(target, run.samples)


@pytest.mark.parametrize("lacking", ("CAP_BPF", "CAP_PERFMON", "CAP_SYS_PTRACE"))
def test_a_missing_capability_is_named(lacking, inside, contained, tmp_path):
    """It ends a run of BPF. Without --trigger the first two are a reason to sample from outside instead."""
    container, _ = inside
    path = tmp_path / "bundle" / "config.json"
    config = json.loads(path.read_text())
    for kind in config["process"]["capabilities"].values():
        kind.remove(lacking)
    path.write_text(json.dumps(config))
    asked = "--pid", host_pid(container), "-d", 1
    assert lacking in contained("--trigger", "perf", *asked).finish(code=1).err
    run = contained(*asked).finish(code=1 if lacking == "CAP_SYS_PTRACE" else 0)
    assert lacking in run.err


def test_archive(tmp_path):
    """In the form of `docker save`, the same to the byte each time, and small."""
    one, two = tmp_path / "one.tar", tmp_path / "two.tar"
    for path in one, two:
        subprocess.run(["sh", manifests.ROOT / "deploy" / "image.sh", profiler.BINARY, "pyperf-bpf:test",
                        path], check=True)
    assert one.read_bytes() == two.read_bytes()
    assert one.stat().st_size < 40 << 20
    with tarfile.open(one) as archive:
        about, = json.load(archive.extractfile("manifest.json"))
        config_bytes = archive.extractfile(about["Config"]).read()
        layer = archive.extractfile(about["Layers"][0]).read()
    config = json.loads(config_bytes)
    assert about["RepoTags"] == ["pyperf-bpf:test"]
    assert about["Config"] == hashlib.sha256(config_bytes).hexdigest() + ".json"
    assert config["rootfs"]["diff_ids"] == ["sha256:" + hashlib.sha256(layer).hexdigest()]
    assert config["config"]["Entrypoint"] == ["/usr/bin/pyperf-bpf"]


def test_a_root_directory_of_the_image_alone(workloads, tmp_path):
    """chroot, no /dev, no container: the image's files are all that is needed beside /proc and /sys."""
    root = tmp_path / "root"
    containers.fill_with_profiler(root, profiler.BINARY)
    for name in "proc", "sys":
        (root / name).mkdir()
    script = ('mount --rbind /proc "$0/proc" && mount --rbind /sys "$0/sys" && '
              'exec chroot "$0" /usr/bin/pyperf-bpf "$@"')
    with profiler.target(sys.executable, workloads / "burn.py") as target:
        subprocess.run(["unshare", "-m", "sh", "-c", script, root, "--pid", str(target.pid), "-F", "4999",
                        "-d", "2", "-o", "/tmp/profile.pb.gz"], check=True, stderr=subprocess.DEVNULL)
    samples = profiler.read_samples(root / "tmp" / "profile.pb.gz")
    assert profiler.total(samples) > 10 and {s.pid for s in samples} == {target.pid}
