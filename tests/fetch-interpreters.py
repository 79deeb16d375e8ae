#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Fetches the interpreters the tests run on, by name, each checked against a pinned checksum.

    tests/fetch-interpreters.py [NAME...]

Does nothing for those already here. One that cannot be had is reported as "SKIP name: reason", and the
tests that want it are skipped with that reason; the exit code is 0 as long as one interpreter is here.
Uses `go mod download` (python-build-standalone is published as a Go module) and apt-get.
"""
import contextlib
import fcntl
import gzip
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "lib"))
import interpreters as known  # noqa: E402

TIMEOUT = 600


class Unavailable(Exception):
    """The reason why an interpreter cannot be had, in one line."""


def run(command, **options):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, **options)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable("%s: %s" % (command[0], error)) from error
    if done.returncode:
        with contextlib.suppress(ValueError, KeyError, TypeError):  # `go -json` says its errors so
            raise Unavailable(json.loads(done.stdout)["Error"].splitlines()[-1])
        lines = (done.stderr or done.stdout).strip().splitlines() or ["exit code %d" % done.returncode]
        raise Unavailable("%s: %s" % (" ".join(command[:3]), lines[-1]))
    return done.stdout


def module_directory(version, checksum, scratch):
    """Downloads one version of the Go module into scratch; returns its directory once the checksum fits."""
    if not shutil.which("go"):
        raise Unavailable("no go command (Debian package golang-go)")
    # A module cache of our own, which can be deleted: the trees are 150 MB each and needed once.
    # GOTOOLCHAIN: the module's go.mod must not make `go` download another `go`.
    environment = dict(os.environ, GOMODCACHE=str(scratch / "mod"), GOFLAGS="-modcacherw", GOTOOLCHAIN="local",
                       GOCACHE=str(scratch / "build"))
    output = run(["go", "mod", "download", "-json", known.PBS_MODULE + "@" + version], env=environment, cwd=scratch)
    answer = json.loads(output)
    if answer["Sum"] != checksum:
        raise Unavailable("checksum of %s is %s, not %s" % (version, answer["Sum"], checksum))
    return pathlib.Path(answer["Dir"])


def unpack(source, target):
    """Rebuilds a Python tree from its files.json: some files are stored gzipped, links only by name."""
    for entry in json.loads((source / "files.json").read_text())["files"]:
        path = target / entry["name"]
        if not path.resolve().is_relative_to(target.resolve()):
            raise Unavailable("a file outside of the tree: " + entry["name"])
        path.parent.mkdir(parents=True, exist_ok=True)
        if entry.get("symlink"):
            path.symlink_to(entry["symlink"])
        elif (source / entry["name"]).is_dir():
            path.mkdir(exist_ok=True)
        elif entry.get("compressed"):
            with gzip.open(source / (entry["name"] + ".gz")) as packed, open(path, "wb") as plain:
                shutil.copyfileobj(packed, plain)
            path.chmod(entry["perm"] & 0o777)
        else:
            shutil.copyfile(source / entry["name"], path)
            path.chmod(entry["perm"] & 0o777)


def fetch_pbs(name):
    if platform.machine() != "x86_64":
        raise Unavailable("pinned for x86_64 only")
    version, checksum = known.PBS[name]
    with tempfile.TemporaryDirectory(dir=known.HOME, prefix=".fetch-") as scratch:
        scratch = pathlib.Path(scratch)
        source = module_directory(version, checksum, scratch)
        tree = scratch / name
        unpack(source / "python" / "internal" / "data" / "linux-amd64", tree)
        short = ".".join(name.split("-")[1].split(".")[:2])
        said = run([str(tree / "bin" / ("python" + short)), "-c", "import zlib, ssl, sys; print(sys.version)"])
        if not said.startswith(name.split("-")[1]):
            raise Unavailable("says it is " + said.strip())
        os.rename(tree, known.HOME / name)


def fetch_debian(name):
    _, package = known.DEBIAN[name]
    if os.geteuid() or not shutil.which("apt-get"):
        raise Unavailable("needs the Debian package %s" % package)
    run(["apt-get", "install", "-y", "-q", "--no-install-recommends", package],
        env=dict(os.environ, DEBIAN_FRONTEND="noninteractive"))


def fetch(name):
    """True when the interpreter is here afterwards. Says what it did; leaves the reason for the tests if not."""
    skip = known.HOME / (name + ".skip")
    try:
        if known.find(name):
            print("have  %s" % name)
        else:
            (fetch_pbs if name in known.PBS else fetch_debian)(name)
            if not known.find(name):
                raise Unavailable("fetched, but not usable")
            print("fetch %s" % name, flush=True)
    except Unavailable as reason:
        skip.write_text("%s\n" % reason)
        print("SKIP %s: %s" % (name, reason), flush=True)
        return False
    with contextlib.suppress(FileNotFoundError):
        skip.unlink()
    return True


def main(names):
    pinned = [*known.PBS, *known.DEBIAN]
    unknown = [name for name in names if name not in pinned]
    if unknown:
        sys.exit("unknown: %s (known: %s)" % (" ".join(unknown), " ".join(pinned)))
    known.HOME.mkdir(parents=True, exist_ok=True)
    with open(known.HOME / ".lock", "w") as lock:  # two `make check` at once
        fcntl.flock(lock, fcntl.LOCK_EX)
        here = [fetch(name) for name in names or pinned]
    for interpreter in known.available():
        if interpreter.kind == "pyenv" and not names:
            print("have  %s" % interpreter)
    return 0 if any(here) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
