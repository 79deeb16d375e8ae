# SPDX-License-Identifier: GPL-2.0-only
"""Interpreters in places where they are not found by their path: links, deleted files, namespaces,
other users."""
import json
import os
import pathlib
import shutil
import subprocess

import pytest

import namespaces
import profiler

# Maps a page of the interpreter's code once more, below all else of that file, as libffi does for callbacks.
MAPPED_TWICE = """
import ctypes, json, time
PAGE, READ_EXECUTE, PRIVATE_AND_FIXED = 4096, 5, 0x12
maps, files = [], {}
for line in open("/proc/self/maps"):
    words = line.split()
    begin, end = (int(word, 16) for word in words[0].split("-"))
    if len(words) == 6 and "python" in words[5].split("/")[-1]:
        files.setdefault(words[5], []).append((begin, end, words[1], int(words[2], 16)))
    maps.append((begin, end))
size, path = max((end - begin, path) for path in files for begin, end, kind, _ in files[path] if "x" in kind)
offset = next(at for begin, end, kind, at in files[path] if "x" in kind and end - begin == size)
lowest = min(files[path])[0]
below = [begin for (_, end), (begin, _) in zip([(0, 1 << 20)] + maps, maps) if begin - end >= 2 * PAGE]
wanted = max(begin for begin in below if begin <= lowest) - PAGE
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + 3 * [ctypes.c_int] + [ctypes.c_long]
with open(path, "rb") as file:
    mapped = libc.mmap(wanted, PAGE, READ_EXECUTE, PRIVATE_AND_FIXED, file.fileno(), offset + PAGE)
assert mapped == wanted, (mapped, wanted)
def rest():
    while True:
        time.sleep(1000)
print(json.dumps({}), flush=True)
rest()
"""
PROGRAM = (profiler.ROOT / "tests/workloads/burn.py").read_text()



def check(run, pid=None):
    samples = run.of(pid) if pid else run.samples
    found = [s for s in samples if "burn" in profiler.functions(s) and profiler.marker_of(s.stack) is None]
    assert profiler.total(found) > 0.7 * profiler.total(samples) > 50, run.err
    assert all(s.stack[-1][0] == "<module>" for s in found)


def profile(tmp_path, pid, *chosen):
    """Of half a second of CPU time of that process, by its pid if nothing else is chosen."""
    return profiler.end_after(profiler.Run(tmp_path, "-F", 1999, *(chosen or ("--pid", pid))), [pid], 0.5)


def descendant(pid):
    """The youngest of a line of only children."""
    while True:
        children = pathlib.Path("/proc/%d/task/%d/children" % (pid, pid)).read_text().split()
        if not children:
            return pid
        pid = int(children[0])


def copied(interpreter, directory):
    """The interpreter's files with code in them, somewhere else; the rest stays where it is. (program,
    environment)"""
    program = pathlib.Path(interpreter.path).resolve()
    prefix = subprocess.run([interpreter.path, "-IS", "-c", "import sys; print(sys.base_prefix)"],
                            capture_output=True,
                            text=True, check=True).stdout.strip()
    if program.read_bytes()[:2] == b"#!":
        pytest.skip("SKIP not-applicable: a script stands before the interpreter")
    (directory / "bin").mkdir(parents=True)
    (directory / "lib").mkdir()
    shutil.copy(program, directory / "bin" / "python")
    for library in pathlib.Path(prefix, "lib").glob("libpython3*.so.*"):
        shutil.copy(library, directory / "lib")
    return directory / "bin" / "python", dict(os.environ, PYTHONHOME=prefix,
                                              LD_LIBRARY_PATH=str(directory / "lib"))


def test_code_that_is_mapped_twice(version):
    with profiler.target(version.path, "-S", "-c", MAPPED_TWICE) as target:
        done = subprocess.run([profiler.BINARY, "dump", "--json", "--pid", str(target.pid)],
                              capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    thread, = json.loads(done.stdout)["processes"][0]["threads"]
    assert "rest" in [frame["function"] for frame in thread["frames"]]


def test_venv(version, workloads, tmp_path):
    subprocess.run([version.path, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    with profiler.target(tmp_path / "venv" / "bin" / "python", workloads / "burn.py") as target:
        check(profile(tmp_path, target.pid))


def test_shims(version, workloads, tmp_path):
    """Links to links, and a script that executes the interpreter, as uv, pyenv and others set them up."""
    link, shim = tmp_path / "python", tmp_path / "shim"
    (tmp_path / "one").symlink_to(version.path)
    link.symlink_to("one")
    shim.write_text('#!/bin/sh\nexec "%s" "$@"\n' % version.path)
    shim.chmod(0o755)
    for program in (link, shim):
        check(profiler.run(tmp_path, "-F", 1999, "--", program, workloads / "burn.py", 1))


@pytest.mark.parametrize("how", ("deleted", "upgraded"))
def test_binary_is_gone(version, workloads, tmp_path, how):
    """The files of a running interpreter are removed, or others put in their place."""
    program, environment = copied(version, tmp_path / "copy")
    files = [program, *(tmp_path / "copy" / "lib").iterdir()]
    with profiler.target(program, workloads / "burn.py", env=environment) as target:
        for file in files:
            if how == "upgraded":
                (tmp_path / "new").write_bytes(b"\x7fELF" + os.urandom(4096))
                (tmp_path / "new").rename(file)
            else:
                file.unlink()
        assert " (deleted)" in pathlib.Path("/proc/%d/maps" % target.pid).read_text()
        check(profile(tmp_path, target.pid))
        check(profile(tmp_path, target.pid, "-a"), target.pid)


def test_another_user(tmp_path):
    with profiler.target("/usr/bin/python3.11", "-c", PROGRAM, user="nobody", group="nogroup",
                         cwd="/") as target:
        check(profile(tmp_path, target.pid))




needs_namespaces = pytest.mark.skipif(namespaces.reason() is not None,
                                      reason="SKIP mounts: %s" % namespaces.reason())


@needs_namespaces
def test_mount_namespace(version, workloads, tmp_path):
    """The interpreter lies on a file system that only its own mount namespace has."""
    program, environment = copied(version, tmp_path / "copy")
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    script = 'mount -t tmpfs none "$1" && cp -r "$2"/. "$1" && exec "$1/bin/python" "$3"'
    environment["LD_LIBRARY_PATH"] = str(hidden / "lib")
    with profiler.target("unshare", "-m", "sh", "-c", script, "sh", hidden, tmp_path / "copy",
                         workloads / "burn.py",
                         env=environment) as target:
        assert not list(hidden.iterdir()), "it is visible here"
        check(profile(tmp_path, target.pid))


@needs_namespaces
def test_pid_namespace(version, workloads, tmp_path):
    with profiler.target("unshare", "-pf", "--kill-child", "--mount-proc", version.path,
                         workloads / "burn.py") as target:
        assert target.about["pid"] == 1
        pid = descendant(target.pid)
        check(profile(tmp_path, pid))
        check(profile(tmp_path, pid, "-a"), pid)


@needs_namespaces
def test_chroot(version, workloads, tmp_path):
    """A root of its own, with its own interpreter and libraries: no path there means anything here."""
    home = pathlib.Path(version.path).resolve().parents[1]
    if home == pathlib.Path("/usr"):
        pytest.skip("SKIP not-applicable: has no folder of its own")
    root = tmp_path / "root"
    shared = ("bin", "lib", "lib64", "usr", "dev", "proc")
    for name in ("opt", "work", *shared):
        (root / name).mkdir(parents=True)
    script = ('cd "$1" && mount --bind "$2" opt && mount --bind "$3" work && '
              'for d in %s; do mount --bind "/$d" "$d" || exit 1; done && '
              'exec chroot . "/opt/bin/$4" /work/burn.py' % " ".join(shared))
    with profiler.target("unshare", "-m", "sh", "-c", script, "sh", root, home, workloads,
                         pathlib.Path(version.path).name) as target:
        assert "/opt/" in pathlib.Path("/proc/%d/maps" % target.pid).read_text()
        check(profile(tmp_path, target.pid))
        check(profile(tmp_path, target.pid, "-a"), target.pid)


# Shared and static; the rest of 3.15 is a script that starts the interpreter by a loader of its own.
for function in (test_venv, test_shims, test_mount_namespace):
    function.versions = ("3.13", "3.14")
for function in (test_pid_namespace, test_chroot):
    function.versions = ("3.13", "3.14", "3.15")
