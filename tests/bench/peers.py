# SPDX-License-Identifier: GPL-2.0-only
"""The other profilers: where they come from, how they are run, what they say.

py-spy and austin come from PyPI into .cache/peers. CPython 3.15, with its sampling profiler, is unpacked from
Debian's unstable packages into .cache/python-3.15, never installed; its C library also serves an austin that
is newer than this system. What cannot be had is skipped, with the reason.
"""
import collections
import functools
import json
import os
import re
import shutil
import subprocess
import tempfile

import mojo
from common import TESTS, Skip, interpreters

HOME = interpreters.CACHE / "peers"
TREE = interpreters.CACHE / "python-3.15"
LIBRARIES = TREE / "usr" / "lib" / "x86_64-linux-gnu"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
PACKAGES = ("python3.15 python3.15-minimal libpython3.15-stdlib libpython3.15-minimal libc6 zlib1g libexpat1 "
            "libssl3t64 libzstd1 libffi8").split()


def quiet(command, why, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if done.returncode:
        raise Skip("%s: %s" % (why, (done.stderr.strip() or
                                     "exit code %d" % done.returncode).splitlines()[-1]))
    return done.stdout


@functools.lru_cache(None)
def from_pypi(name):
    wanted = TESTS / "bench" / "requirements.txt"
    done = HOME / ".done"
    if not done.exists() or done.read_text() != wanted.read_text():
        quiet(["/usr/bin/python3", "-m", "venv", HOME], "no virtual environment")
        quiet([HOME / "bin" / "pip", "install", "-q", "--disable-pip-version-check", "-r", wanted],
              "not from PyPI")
        done.write_text(wanted.read_text())
    path = HOME / "bin" / name
    if not path.exists():
        raise Skip("not in its package")
    return path


def archive():
    """URI of the Debian archive that this system uses."""
    if not shutil.which("apt-get"):
        raise Skip("no apt-get here")
    sources = quiet(["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"],
                    "apt-get cannot list its sources")
    for uri in sources.split():
        if uri.rstrip("/").endswith("/debian"):
            return uri
    raise Skip("this system has no Debian archive among its package sources")


def unpack():
    uri = archive()
    with tempfile.TemporaryDirectory() as work:
        os.chmod(work, 0o755)
        for name in ("lists/partial", "cache/archives/partial", "tree"):
            os.makedirs(os.path.join(work, name))
        with open(os.path.join(work, "sources.list"), "w") as f:
            f.write("deb [signed-by=%s] %s sid main\n" % (KEYRING, uri))
        options = ["Dir::Etc::sourcelist=%s/sources.list" % work, "Dir::Etc::sourceparts=-",
                   "Dir::Cache=%s/cache" % work, "Dir::State::lists=%s/lists" % work,
                   "Dir::State::status=/dev/null",
                   "APT::Sandbox::User=root"]
        apt = ["apt-get"] + [part for option in options for part in ("-o", option)]
        quiet([*apt, "update", "-qq"], "the package lists of Debian unstable")
        quiet([*apt, "download", "-qq", *PACKAGES], "the packages of Debian unstable", cwd=work)
        for name in os.listdir(work):
            if name.endswith(".deb"):
                quiet(["dpkg", "-x", os.path.join(work, name), os.path.join(work, "tree")], "dpkg")
        shutil.rmtree(TREE, ignore_errors=True)
        shutil.copytree(os.path.join(work, "tree"), TREE, symlinks=True, ignore_dangling_symlinks=True)


def loader():
    """Begins a command whose program needs the newer C library."""
    path = LIBRARIES / "ld-linux-x86-64.so.2"
    if os.uname().machine != "x86_64":
        raise Skip("only set up for x86-64")
    if not path.exists():
        unpack()
    return [path, "--library-path", LIBRARIES]


@functools.lru_cache(None)
def python_3_15():
    command = ["env", "PYTHONHOME=%s" % (TREE / "usr"), *loader(), TREE / "usr" / "bin" / "python3.15"]
    quiet([*command, "-c", "import profiling.sampling, _remote_debugging"], "CPython 3.15 does not start")
    return command


@functools.lru_cache(None)
def austin():
    path = from_pypi("austin")
    if not subprocess.run([path, "--version"], capture_output=True).returncode:
        return [path]
    command = [*loader(), path]
    quiet([*command, "--version"], "austin does not start")
    return command


def folded(path, name_of):
    """{names from the root: samples} of a file of folded stacks. name_of:
    a frame's text to a function or None."""
    stacks = collections.Counter()
    with open(path, errors="replace") as f:
        for line in f:
            frames, _, count = line.rstrip("\n").rpartition(" ")
            stacks[tuple(n for n in map(name_of, frames.split(";")) if n)] += int(count)
    return stacks


class PySpy:
    """read(): stacks with their samples, and how many of these the profiler itself calls invalid."""

    def __init__(self, name="py-spy", *options):
        self.name, self.options = name, options

    def command(self, pid, frequency, seconds, path):
        return [from_pypi("py-spy"), "record", "--pid", pid, "--rate", frequency, "--duration",
                max(1, round(seconds)),
                "--format", "raw", "--output", path, *self.options]

    def read(self, path, done):
        return folded(path, lambda frame: re.sub(r" \(.*", "", frame)), 0  # errors are not in it


class Austin:
    name = "austin"

    def command(self, pid, frequency, seconds, path):
        return [*austin(), "--interval", "%dus" % round(1e6 / frequency), "--pid", pid, "--exposure",
                max(1, round(seconds)), "--output", path]

    def read(self, path, done):
        errors = re.search(r"Error rate.*?(\d+)/(\d+)", re.sub(r"\x1b\[[\d;]*m", "", done.out + done.err))
        return mojo.read(path), int(errors[1]) if errors else 0


class Tachyon:
    """CPython 3.15's profiling.sampling, which profiles 3.15 only."""

    def __init__(self, name="Tachyon", *options):
        self.name, self.options = name, options

    def command(self, pid, frequency, seconds, path):
        return [*python_3_15(), "-m", "profiling.sampling", "attach", "--collapsed", "-o", path, "-r",
                frequency,
                "-d", max(1, round(seconds)), *self.options, pid]

    def read(self, path, done):
        # Samples that it could not read are not in it.
        # Frames are file:function:line; <GC> and a thread are no functions.
        return folded(path, lambda frame: frame.rsplit(":", 2)[-2] if frame.count(":") > 1 else None), 0


class Memray:
    """Follows allocations from the program's start on."""

    name = "memray"
    READ = """
import collections, json, sys
from memray import FileReader
reader = FileReader(sys.argv[1])
sizes = collections.Counter()
for record in reader.get_high_watermark_allocation_records(merge_threads=True):
    sizes[";".join(frame[0] for frame in reversed(record.stack_trace()))] += record.size
print(json.dumps([sizes, reader.metadata.total_allocations]))
"""

    def python(self):
        from_pypi("memray")
        return HOME / "bin" / "python"

    def around(self, path):
        return ["-m", "memray", "run", "-q", "-f", "-o", path]

    def read(self, path):
        """({names from the root: bytes when the program was largest}, allocations)"""
        sizes, allocations = json.loads(quiet([self.python(), "-c", self.READ, path], "memray's file"))
        stacks = {tuple(text.split(";")): size for text, size in sizes.items()}
        return collections.Counter(stacks), allocations


ALL = [PySpy(), PySpy("py-spy --nonblocking", "--nonblocking"), Austin(), Tachyon(),
       Tachyon("Tachyon --blocking", "--blocking")]
