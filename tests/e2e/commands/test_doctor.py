# SPDX-License-Identifier: GPL-2.0-only
"""`pyperf-bpf doctor` where something has really been taken away: its line says so, the others do not, what
it says to mend it with mends it, and the JSON says the same."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import pytest

import interpreters as known
import namespaces
import profiler
from examined import NOBODY, NO_PROCESS, doctor, in_namespace, missing

CAPABILITIES = re.findall(r"^CAPABILITY\((\w+), (NEEDED|WANTED)", (profiler.ROOT / "user" / "base" /
                                                                  "capabilities.def").read_text(), re.M)


def needs_namespaces():
    if namespaces.reason():
        pytest.skip("SKIP mounts: " + namespaces.reason())


@pytest.fixture
def public():
    """A folder with the program that every user can enter, and that is not mounted nosuid."""
    folder = pathlib.Path(tempfile.mkdtemp(dir="/usr/local"))
    folder.chmod(0o755)
    shutil.copy(profiler.BINARY, folder)
    yield folder
    shutil.rmtree(folder)


def test_nothing_is_missing(workloads):
    with profiler.target(known.newest().path, workloads / "burn.py") as target:
        found = doctor("--pid", target.pid, code=0)
    python, = found["processes"]
    assert not missing(found) and "unknown" not in found["results"].values()
    assert python["pid"] == target.pid and python["layout"] == "proved"
    assert python["version"].startswith("%d.%d" % known.newest().version[:2])
    assert found["program"] == os.path.realpath(profiler.BINARY)


def test_processes_that_are_none(tmp_path):
    with profiler.target("sleep", "60", about=False) as target:
        # Until its exec is over there is a moment in which it has no memory that could be read.
        profiler.wait_until(lambda: pathlib.Path("/proc/%d/comm" % target.pid).read_text() == "sleep\n")
        found = doctor("--pid", "%d,%d" % (target.pid, 1 << 22), code=0)
    other, nobody = found["processes"]
    assert other["layout"] == "not Python" and "none of" in other["reason"]
    assert nobody["layout"] == "not readable" and nobody["reason"] == "No such process"


@pytest.mark.parametrize("name, want", CAPABILITIES)
def test_a_capability(name, want):
    """Root that lacks one, as in a container. Without CAP_SYS_PTRACE it sees programs like itself."""
    needed = want == "NEEDED"
    found = doctor(*NO_PROCESS, prefix=["setpriv", "--bounding-set=-" + name.lower(), "--"], code=needed)
    assert missing(found) == ({"capabilities"} if needed else set())
    assert found["results"]["capabilities"] == ("missing" if needed else "note")
    assert "CAP_%s (" % name in found["says"]["capabilities"]
    assert found["says"]["capabilities"].count("CAP_") == 1
    assert any("--cap-add " + name in way for way in found["mends"]["capabilities"])


def test_without_root(public):
    """And the second way on is gone."""
    binary = str(public / "pyperf-bpf")
    found = doctor(*NO_PROCESS, prefix=NOBODY, binary=binary, code=1)
    assert missing(found) == {"capabilities"}, found
    sudo, setcap = found["mends"]["capabilities"]
    assert sudo == "sudo %s ..." % binary
    words = setcap.split()
    assert words[:2] == ["sudo", "setcap"] and words[3:] == [binary]
    if not shutil.which("setcap"):
        pytest.skip("SKIP setcap: no such command (Debian package libcap2-bin)")
    subprocess.run(words[1:], check=True)
    if "CAP" in doctor(*NO_PROCESS, prefix=NOBODY, binary=binary)["says"]["perf events"]:
        pytest.fail("capabilities of a file are not heeded in %s" % public)
    assert not missing(doctor(*NO_PROCESS, prefix=NOBODY, binary=binary, code=0))


def test_no_new_privileges(public):
    """Then sudo and setcap are of no use, and that is said first."""
    prefix = [*NOBODY[:-1], "--no-new-privs", "--"]
    found = doctor(*NO_PROCESS, prefix=prefix, binary=str(public / "pyperf-bpf"), code=1)
    assert "no_new_privs" in found["mends"]["capabilities"][0]


def test_user_namespace():
    prefix = ["unshare", "--user", "--map-root-user"]
    if subprocess.run([*prefix, "true"], capture_output=True).returncode:
        pytest.skip("SKIP namespaces: no user namespace can be made here")
    found = doctor(*NO_PROCESS, prefix=prefix, code=1)
    assert "user namespace" in found["says"]["capabilities"] and "capabilities" in missing(found)


def test_no_type_information(tmp_path):
    needs_namespaces()
    prefix = in_namespace("mount -t tmpfs none /sys/kernel/btf")
    found = doctor(*NO_PROCESS, prefix=prefix, code=1)
    assert missing(found) == {"type information"}, found
    assert any("CONFIG_DEBUG_INFO_BTF" in way for way in found["mends"]["type information"])
    assert found["results"]["BPF programs"] == "unknown"
    run = profiler.run(tmp_path, "--all-python", "--trigger", "perf", "-d", 1,
                       binary=[*prefix, profiler.BINARY], code=1)
    line, = run.err.splitlines()
    assert "btf" in line and line.endswith("; pyperf-bpf doctor says more")


def test_no_sys():
    needs_namespaces()
    found = doctor(*NO_PROCESS, prefix=in_namespace("mount -t tmpfs none /sys"), code=1)
    assert missing(found) == {"type information"}, found
    mend, = found["mends"]["type information"]
    doctor(*NO_PROCESS, prefix=in_namespace("mount -t tmpfs none /sys; " + mend), code=0)


def test_lockdown():
    if not os.path.isdir("/sys/kernel/security"):
        pytest.skip("SKIP not-applicable: this kernel has no folder for securityfs")
    needs_namespaces()
    script = "mount -t tmpfs none /sys/kernel/security; echo '%s' >/sys/kernel/security/lockdown"
    levels = {"[none] integrity confidentiality": "none: ", "none [integrity] confidentiality": "integrity: "}
    for level, says in levels.items():
        found = doctor(*NO_PROCESS, prefix=in_namespace(script % level), code=0)
        assert found["says"]["lockdown"].startswith(says)
    found = doctor(*NO_PROCESS, prefix=in_namespace(script % "none integrity [confidentiality]"), code=1)
    assert missing(found) == {"lockdown"} and "lockdown=integrity" in found["mends"]["lockdown"][0]


def test_pid_namespace():
    needs_namespaces()
    found = doctor(*NO_PROCESS, prefix=["unshare", "--pid", "--fork", "--mount-proc"], code=1)
    assert missing(found) == {"pid namespace"}, found
    assert any("--pid=host" in way for way in found["mends"]["pid namespace"])


def test_hidden_processes():
    needs_namespaces()
    hide = "mount -t proc -o hidepid=2 proc /proc"
    found = doctor(*NO_PROCESS, prefix=in_namespace(hide) + NOBODY[:-1], code=1)
    assert missing(found) == {"capabilities", "proc"}, found
    mend, = found["mends"]["proc"]
    found = doctor(*NO_PROCESS, prefix=in_namespace(hide + "; " + mend) + NOBODY[:-1], code=1)
    assert missing(found) == {"capabilities"}, found


def test_perf_events_refused():
    refuse = str(profiler.BUILD / "tests" / "forge" / "refuse")
    found = doctor(*NO_PROCESS, prefix=[refuse, "perf", "--"])
    if found["results"]["BPF timers"] == "ok":
        assert not missing(found) and found["results"]["perf events"] == "note"
        assert "timers tick" in found["says"]["BPF programs"]
    else:
        assert "perf events" in missing(found)
    found = doctor(*NO_PROCESS, "--trigger", "perf", prefix=[refuse, "perf", "--"], code=1)
    assert {"perf events"} <= missing(found)
    assert any("seccomp" in way for way in found["mends"]["perf events"])


# With --trigger perf: else a run goes on from outside.
STARTS = (["--all-python", "--trigger", "perf", "-d", "1", "-o", "-"], ["top", "--trigger", "perf"],
          ["dump", "--pid", "1"], ["tasks", "--pid", "1"],
          ["dump", "--all-python"])


def names_doctor(prefix, binary, start):
    """The first line that a start says, which is one that names doctor."""
    done = subprocess.run([*prefix, binary, *start], capture_output=True, text=True, timeout=300, cwd="/",
                          stdin=subprocess.DEVNULL)
    line = done.stderr.splitlines()[0]
    assert line.endswith("; pyperf-bpf doctor says more") and not done.stdout, done
    return line


@pytest.mark.parametrize("start", STARTS, ids=" ".join)
def test_without_root_it_is_named(public, start):
    line = names_doctor(NOBODY, public / "pyperf-bpf", start)
    assert "run as root, or with CAP_" in line


@pytest.mark.parametrize("start", STARTS, ids=" ".join)
def test_without_filters(start):
    """Then there is no worker, by which every command looks at processes."""
    prefix = [str(profiler.BUILD / "tests" / "forge" / "refuse"), "filters", "--"]
    assert "the worker process cannot be started: " in names_doctor(prefix, profiler.BINARY, start)
    found = doctor(*NO_PROCESS, prefix=prefix, code=1)
    assert missing(found) == {"worker"} and "CONFIG_SECCOMP_FILTER" in found["mends"]["worker"][0]


def test_memory():
    """A limit that is too small is said with the figure that is enough; tests/e2e/safety/test_memory_limit.py
    proves the figure. The files of limits are ours."""
    needs_namespaces()
    groups = dict(line.split(":", 2)[1:] for line in
                  pathlib.Path("/proc/self/cgroup").read_text().splitlines())
    if "memory" in groups:
        file = "/sys/fs/cgroup/memory%s/memory.limit_in_bytes" % groups["memory"]
    else:
        file = "/sys/fs/cgroup%s/memory.max" % groups[""]
    script = "mount -t tmpfs none /sys/fs/cgroup; mkdir -p '%s'; echo %%s >'%s'" % (
        os.path.dirname(file), file)
    found = doctor(*NO_PROCESS, prefix=in_namespace(script % (60 << 20)), code=1)
    assert missing(found) == {"memory"} and found["results"]["BPF programs"] == "unknown"
    assert "the limit is 60 MiB" in found["says"]["memory"]
    least = int(re.search(r"--memory (\d+)m", found["mends"]["memory"][0])[1])
    doctor(*NO_PROCESS, prefix=in_namespace(script % (least << 20)), code=0)
    doctor(*NO_PROCESS, "--native", "full", prefix=in_namespace(script % (least << 20)), code=1)
    doctor(*NO_PROCESS, prefix=in_namespace(script % "max"), code=0)


def test_no_proc():
    needs_namespaces()
    found = doctor(*NO_PROCESS, prefix=in_namespace("mount -t tmpfs none /proc"), code=1)
    assert "proc" in missing(found)
    assert found["mends"]["proc"] == ["mount -t proc proc /proc"]
