#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Fetches the interpreters the tests run on, by name, each checked against a pinned checksum.

    tests/fetch-interpreters.py [--long] [NAME...]

--long: also those that only the long tests want. Does nothing for those already here. One that cannot be had
is reported as "SKIP name: reason", and the tests that want it are skipped with that reason; the exit code is
0 as long as one interpreter is here. Uses `go mod download` (python-build-standalone is published as a Go
module), Maven and apt-get.
"""
import concurrent.futures
import contextlib
import fcntl
import gzip
import hashlib
import json
import os
import pathlib
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "lib"))
import interpreters as known  # noqa: E402

TIMEOUT = 1200
AT_ONCE = 4  # most of the time is spent waiting for a registry
# apt-get's own lock does not wait. And the end of an update may remove the packages that are being installed:
# containers' images are set up so.
APT = pathlib.Path(__file__).resolve().parents[1] / "deploy" / "apt.sh"
apt_get = threading.Lock()
lists = None  # the folder of this run for those of other suites
interrupted = threading.Event()  # by Ctrl-C: what is under way ends, and is no reason why one cannot be had


class Unavailable(Exception):
    """The reason why an interpreter cannot be had, in one line."""


def interrupt(*_):
    interrupted.set()
    raise KeyboardInterrupt


def end_if_interrupted():
    if interrupted.is_set():
        raise KeyboardInterrupt


def run(command, **options):
    end_if_interrupted()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, **options)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable("%s: %s" % (command[0], error)) from error
    if done.returncode:
        interrupted.wait(0.2)  # a command may hear of it before this process does
        end_if_interrupted()
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
    environment = dict(os.environ, GOMODCACHE=str(scratch / "mod"), GOFLAGS="-modcacherw",
                       GOTOOLCHAIN="local",
                       GOCACHE=str(scratch / "build"))
    output = run(["go", "mod", "download", "-json", known.PBS_MODULE + "@" + version], env=environment,
                 cwd=scratch)
    answer = json.loads(output)
    if answer["Sum"] != checksum:
        raise Unavailable("checksum of %s is %s, not %s" % (version, answer["Sum"], checksum))
    return pathlib.Path(answer["Dir"])


def unpack(source, target):
    """Rebuilds a Python tree from its files.json: some files are stored gzipped, links only by name."""
    for entry in json.loads((source / "files.json").read_text())["files"]:
        end_if_interrupted()
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
        said = run([str(tree / "bin" / ("python" + short)), "-c",
                    "import zlib, ssl, sys; print(sys.version)"])
        if not said.startswith(name.split("-")[1]):
            raise Unavailable("says it is " + said.strip())
        os.rename(tree, known.HOME / name)


def fetch_debian(name):
    install(known.DEBIAN[name][1])


def install(package):
    if os.geteuid() or not shutil.which("apt-get"):
        raise Unavailable("needs the Debian package %s" % package)
    with apt_get:
        run(["sh", str(APT), "install", "-y", "-q", "--no-install-recommends", package],
            env=dict(os.environ, DEBIAN_FRONTEND="noninteractive"))


def archive():
    """URI of the Debian archive that this system uses."""
    if not shutil.which("apt-get"):
        raise Unavailable("no apt-get here")
    said = run(["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"])
    for uri in said.split():
        if uri.rstrip("/").endswith("/debian"):
            return uri
    raise Unavailable("this system has no Debian archive among its package sources")


def apt(suite, kind="deb"):
    """Begins an apt-get command that knows one suite and leaves this system's own lists alone. kind:
    deb or deb-src."""
    with apt_get:
        scratch = pathlib.Path(lists, suite + "-" + kind)
        options = ("Dir::Etc::sourcelist=%s/sources.list" % scratch, "Dir::Etc::sourceparts=-",
                   "Dir::Cache=%s/cache" % scratch, "Dir::State::lists=%s/lists" % scratch,
                   "Dir::State::status=/dev/null", "APT::Sandbox::User=root", "Acquire::Languages=none")
        command = ["apt-get", "-qq", *(part for option in options for part in ("-o", option))]
        if not (scratch / "done").exists():  # two interpreters are of one suite
            for name in ("lists/partial", "cache/archives/partial"):
                (scratch / name).mkdir(parents=True, exist_ok=True)
            (scratch / "sources.list").write_text("%s [check-valid-until=no signed-by=%s] %s %s main\n"
                                                  % (kind, known.KEYRING, archive(), suite))
            run([*command, "update"])
            (scratch / "done").touch()
    return command


def checked(directory, pattern, checksum):
    """The files of this pattern, once their names and contents have the pinned checksum."""
    files = sorted(directory.glob(pattern))
    lines = ["%s  %s\n" % (hashlib.sha256(path.read_bytes()).hexdigest(), path.name) for path in files]
    found = hashlib.sha256("".join(sorted(lines)).encode()).hexdigest()
    if found != checksum:
        raise Unavailable("checksum is %s, not %s" % (found, checksum))
    return files


# The packages want a newer C library than this system's. By its own loader, and a name that finds the library
# of modules.
WRAPPER = """#!/bin/sh
tree=${0%%/bin/*}
exec "$tree/%(loader)s" --library-path "$tree/%(libraries)s" --argv0 "$0" "$tree/usr/bin/%(python)s" "$@"
"""


# Only those libraries are its own that this system has in other versions.
LIBRARIES_WRAPPER = """#!/bin/sh
tree=${0%%/bin/*}
LD_LIBRARY_PATH="$tree/%(libraries)s" exec "$tree/usr/bin/%(python)s" "$@"
"""


def fetch_unpacked(name):
    if platform.machine() != "x86_64":
        raise Unavailable("pinned for x86_64 only")
    suite, packages, checksum = known.UNPACKED[name]
    python = "python" + ".".join(name.split("-")[1].split(".")[:2])
    libraries = "usr/lib/x86_64-linux-gnu"
    with tempfile.TemporaryDirectory(dir=known.HOME, prefix=".fetch-") as scratch:
        scratch = pathlib.Path(scratch)
        run([*apt(suite), "download", *packages], cwd=scratch)
        tree = scratch / name
        for package in checked(scratch, "*.deb", checksum):
            run(["dpkg-deb", "-x", str(package), str(tree)])
        for path in tree.rglob("*"):
            if path.is_symlink() and not path.exists():  # to what only an installation makes
                path.unlink()
        for link in ("lib", "include"):
            if not (tree / link).exists():
                (tree / link).symlink_to("usr/" + link)
        (tree / "bin").mkdir(exist_ok=True)
        wrapper = tree / "bin" / python
        loader = libraries + "/ld-linux-x86-64.so.2"
        text = WRAPPER if (tree / loader).exists() else LIBRARIES_WRAPPER
        wrapper.write_text(text % dict(python=python, libraries=libraries, loader=loader))
        wrapper.chmod(0o755)
        said = run([str(wrapper), "-EsS", "-c", "import zlib, ssl, sys; print(sys.version)"])
        if not said.startswith(name.split("-")[1]):
            raise Unavailable("says it is " + said.strip())
        os.rename(tree, known.HOME / name)


# Debian's musl comes without the kernel's headers, and the compiler behind it would name the folders of its
# own C library.
MUSL_CC = """#!/bin/sh
case $1 in
*-print-multiarch) echo x86_64-linux-musl ;;
*) exec musl-gcc -idirafter "%s" "$@" ;;
esac
"""


def musl_compiler(scratch):
    if not shutil.which("musl-gcc"):
        raise Unavailable("no musl-gcc (Debian package musl-tools)")
    headers, compiler = scratch / "headers", scratch / "musl-cc"
    headers.mkdir()
    for folder in ("linux", "asm-generic", "x86_64-linux-gnu/asm"):
        (headers / pathlib.Path(folder).name).symlink_to("/usr/include/" + folder)
    compiler.write_text(MUSL_CC % headers)
    compiler.chmod(0o755)
    return "CC=%s" % compiler


def fetch_built(name):
    suite, package, checksum, option = known.BUILT[name]
    target = known.HOME / name
    kind, version = name.split("-")
    number = version.rstrip("td")
    short = ".".join(number.split(".")[:2]) + version[len(number):]
    with tempfile.TemporaryDirectory(dir=known.HOME, prefix=".fetch-") as scratch:
        scratch = pathlib.Path(scratch)
        run([*apt(suite, "deb-src"), "source", "--download-only", package], cwd=scratch)
        tar, = checked(scratch, "*.orig.tar.?z", checksum)
        if kind == "musl":
            option = musl_compiler(scratch)
        source, installed = scratch / "source", scratch / "installed"
        source.mkdir()
        run(["tar", "-xf", str(tar), "--strip-components=1", "-C", str(source)])
        run(["nice", "./configure", "-q", option, "--without-ensurepip", "--disable-test-modules",
             "--prefix=%s" % target], cwd=source)
        run(["nice", "make", "-s", "-j2"], cwd=source)
        run(["make", "-s", "install", "DESTDIR=%s" % installed], cwd=source)
        tree = installed / target.relative_to("/")
        said = run([str(tree / "bin" / ("python" + short)), "-IS", "-c",
                    "import asyncio, sys; print(sys.version)"])
        if not said.startswith(number):
            raise Unavailable("says it is " + said.strip())
        os.rename(tree, target)


def fetch_maven(name):
    if platform.machine() != "x86_64":
        raise Unavailable("pinned for x86_64 only")
    if not shutil.which("mvn"):
        install("maven")
    version, checksum = known.MAVEN[name]
    group, artifact = known.MAVEN_ARTIFACT.split(":")
    with tempfile.TemporaryDirectory(dir=known.HOME, prefix=".fetch-") as scratch:
        scratch = pathlib.Path(scratch)
        run(["mvn", "-q", "-B", "-Dmaven.repo.local=%s" % (scratch / "m2"), "dependency:get",
             "-Dtransitive=false",
             "-Dartifact=%s:%s:jar:linux-x86_64" % (known.MAVEN_ARTIFACT, version)], cwd=scratch)
        path = scratch.joinpath("m2", *group.split("."), artifact, version,
                                "%s-%s-linux-x86_64.jar" % (artifact, version))
        found = hashlib.sha256(path.read_bytes()).hexdigest()
        if found != checksum:
            raise Unavailable("checksum of %s is %s, not %s" % (version, found, checksum))
        with zipfile.ZipFile(path) as jar:
            jar.extractall(scratch / "jar")
        tree = scratch.joinpath("jar", *group.split("."), artifact, "linux-x86_64")
        for program in (tree / "bin").iterdir():  # a jar keeps no permissions
            program.chmod(0o755)
        for library in tree.glob("libpython3.*"):  # where the programs of 3.7.3 look for it
            if not (tree / "lib" / library.name).exists():
                library.rename(tree / "lib" / library.name)
        said = run([known.in_tree(name, tree).path, "-IS", "-c", "import zlib, sys; print(sys.version)"])
        if not said.startswith(name.split("-")[1]):
            raise Unavailable("says it is " + said.strip())
        os.rename(tree, known.HOME / name)


FETCHERS = ((known.PBS, fetch_pbs), (known.DEBIAN, fetch_debian), (known.UNPACKED, fetch_unpacked),
            (known.BUILT, fetch_built), (known.MAVEN, fetch_maven))


def fetch(name):
    """True when the interpreter is here afterwards. Says what it did;
    leaves the reason for the tests if not."""
    skip = known.HOME / (name + ".skip")
    try:
        if known.find(name):
            print("have  %s" % name)
        else:
            next(fetcher for table, fetcher in FETCHERS if name in table)(name)
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


def main(arguments):
    global lists
    names = [argument for argument in arguments if argument != "--long"]
    unknown = [name for name in names if name not in known.names()]
    if unknown:
        sys.exit("unknown: %s (known: %s)" % (" ".join(unknown), " ".join(known.names())))
    pinned = [name for name in known.names() if "--long" in arguments or name not in known.LONG]
    known.HOME.mkdir(parents=True, exist_ok=True)
    with open(known.HOME / ".lock", "w") as lock:  # two `make check` at once
        fcntl.flock(lock, fcntl.LOCK_EX)
        with tempfile.TemporaryDirectory(dir=known.HOME, prefix=".fetch-") as lists, \
                concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            here = list(pool.map(fetch, names or pinned))
    for interpreter in known.everything():
        if interpreter.kind == "pyenv" and not names:
            print("have  %s" % interpreter)
    return 0 if any(here) else 1


if __name__ == "__main__":
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, interrupt)
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
