# SPDX-License-Identifier: GPL-2.0-only
"""Containers by runc: a program with a root file system of its own,
and the profiler as deploy/kubernetes runs it."""
import contextlib
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import cgroups
import manifests
import namespaces

RUNC = shutil.which("runc") or "/usr/sbin/runc"
# Each worker of the tests has its own: what one removes as empty, another may be about to use.
PARENT = "docker-pyperf-%d" % os.getpid()


@functools.lru_cache(maxsize=None)
def reason():
    """Why no container can be run here, or None."""
    if not pathlib.Path(RUNC).exists():
        return "no runc"
    if namespaces.reason():
        return namespaces.reason()
    return trial() if cgroups.hierarchy() else "no cgroup hierarchy can be written"


def trial():
    """What is wrong with a container that does nothing, or None: in a chroot, for one, none can be made."""
    with tempfile.TemporaryDirectory() as directory:
        container = Container(directory, ["/bin/true"])
        for file in ("/bin/true", *libraries("/bin/true")):
            (container.root / file.lstrip("/")).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, container.root / file.lstrip("/"))
        try:
            done = subprocess.run(container.command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        finally:
            container.remove()
        return "runc: " + done.stderr.strip()[-200:] if done.returncode else None


# What `docker run` gives.
DOCKER = tuple("CAP_" + name for name in (
    "AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE NET_RAW SETFCAP SETGID SETPCAP "
    "SETUID SYS_CHROOT").split())


def docker_rules(capabilities, reads=True):
    """What Docker's seccomp rules (seccomp/default.json of github.com/moby/profiles) refuse to a container
    with these capabilities, of the calls that a profiler may want. reads: whether memory of others may be
    read, as on every kernel from 4.8 on; before, and by rules that are stricter, it needs CAP_SYS_PTRACE."""
    wanted = {"bpf": "CAP_BPF", "perf_event_open": "CAP_PERFMON", "open_by_handle_at": "CAP_DAC_READ_SEARCH",
              "syslog": "CAP_SYSLOG", **dict.fromkeys(("kcmp", "pidfd_getfd", "process_madvise"),
                                                      "CAP_SYS_PTRACE")}
    if not reads:
        wanted |= dict.fromkeys(("process_vm_readv", "process_vm_writev", "ptrace"), "CAP_SYS_PTRACE")
    refused = [call for call, capability in wanted.items() if capability not in capabilities]
    refused += ["mount", "setns", "unshare", "keyctl", "userfaultfd", "io_uring_setup"]
    return {"defaultAction": "SCMP_ACT_ALLOW", "architectures": ["SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64"],
            "syscalls": [{"names": refused, "action": "SCMP_ACT_ERRNO", "errnoRet": 1},
                         {"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": 38}]}


def bind(source, target=None, writable=False):
    return {"destination": str(target or source), "source": str(source), "type": "bind",
            "options": ["rbind", "rw" if writable else "ro"]}


class Container:
    """A bundle: directory/rootfs is to be filled by the caller. The cgroup is named as Docker names it."""

    def __init__(self, directory, arguments, mounts=(), capabilities=(), host_pid=False, environment=(),
                 rules=None):
        self.id = cgroups.container_id()
        self.bundle = pathlib.Path(directory)
        self.root = self.bundle / "rootfs"
        self.root.mkdir(parents=True, exist_ok=True)
        subprocess.run([RUNC, "spec", "--bundle", self.bundle], check=True)
        path = self.bundle / "config.json"
        config = json.loads(path.read_text())
        process = config["process"]
        process.update(terminal=False, args=[str(a) for a in arguments], noNewPrivileges=True,
                       env=["PATH=/usr/bin:/bin", *environment])
        process.pop("rlimits", None)  # raising one needs CAP_SYS_RESOURCE, which not every machine's root has
        process["capabilities"] = {kind: list(capabilities)
                                   for kind in ("bounding", "effective", "permitted")}
        config["root"] = {"path": "rootfs", "readonly": True}
        config["mounts"] += mounts
        if rules:
            config["linux"]["seccomp"] = rules
        config["linux"]["cgroupsPath"] = "/%s/%s" % (PARENT, self.id)
        config["linux"]["namespaces"] = [n for n in config["linux"]["namespaces"]
                                         if n["type"] != "network" and not (host_pid and n["type"] == "pid")]
        path.write_text(json.dumps(config))

    @property
    def command(self):
        return [RUNC, "run", "--bundle", str(self.bundle), self.id]

    def remove(self):
        subprocess.run([RUNC, "delete", "--force", self.id], stderr=subprocess.DEVNULL)
        for folder, _, _ in os.walk("/sys/fs/cgroup"):  # which does not mind what others take away meanwhile
            if os.path.basename(folder) == PARENT:
                with contextlib.suppress(OSError):  # another container is in it
                    os.rmdir(folder)


def libraries(program):
    """What the dynamic linker maps for it, itself included."""
    text = subprocess.run(["ldd", program], stdout=subprocess.PIPE, text=True).stdout
    return re.findall(r"(/\S+) \(0x", text)


def fill_with_python(root, tree):
    """A root file system whose interpreter is at a path that this machine does not have.
    Returns its path there."""
    shutil.copytree(tree, root / "opt" / "interpreter", symlinks=True)
    program = next((root / "opt" / "interpreter" / "bin").glob("python3.[0-9]*[0-9]"))
    for library in libraries(program):
        if str(root) in library:
            continue
        (root / library.lstrip("/")).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, root / library.lstrip("/"))
    return "/opt/interpreter/bin/" + program.name


def fill_with_profiler(root, binary):
    subprocess.run(["sh", manifests.ROOT / "deploy" / "image.sh", "--root", binary, root], check=True)


@contextlib.contextmanager
def profiler_command(directory, binary, output, mounts=()):
    """A program that takes the profiler's options and runs it in a container, with the rights that the
    DaemonSet gives it: its image's files only, read-only, the host's processes, four capabilities. output: a
    folder it may write."""
    container = Container(directory, ["/usr/bin/pyperf-bpf"], [bind(output, writable=True), *mounts],
                          manifests.capabilities(), host_pid=True)
    fill_with_profiler(container.root, binary)
    script = container.bundle / "run"
    script.write_text("#!%s\nimport json, os, sys\npath = %r\nconfig = json.load(open(path))\n"
                      "config['process']['args'][1:] = sys.argv[1:]\njson.dump(config, open(path, 'w'))\n"
                      "os.execv(%r, %r)\n" % (sys.executable, str(container.bundle / "config.json"), RUNC,
                                              container.command))
    script.chmod(0o755)
    try:
        yield str(script)
    finally:
        container.remove()


