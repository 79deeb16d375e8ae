# SPDX-License-Identifier: GPL-2.0-only
"""The Python interpreters that the tests profile: which ones are wanted, where they are, which are here.

Nothing is downloaded here; tests/fetch-interpreters.py does that. An interpreter is trusted only if the
fetcher left a finished tree under its name: a half-unpacked one never has that name.
"""
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
    "pbs-3.11.11": ("v0.0.0-3.11.11-20241219-1", "h1:yVXFTxa6cvhLC6TwkDEHmNaiWlDyaFEGiXd1DQdoeOU="),
    "pbs-3.12.3": ("v0.0.0-3.12.3-20240415-1", "h1:IX2O3LJUL0AjYsROGZ4aNENTEb3c/Ll/0b9Yb/8P61Q="),
    "pbs-3.13.1": ("v0.0.0-3.13.1-20241219-1", "h1:x1cSEj4Ug5mpuZgUHLvUmlc5r//KHFn6iYiRSrRcVy4="),
    "pbs-3.14.6": ("v0.0.0-3.14.6-20260610-1", "h1:oGUS7++Wm3LgxUfD6AmJgKbKQD2wdQFO9PzyJv6T+E4="),
}

# Distributions' own packages: name -> (path, apt package).
DEBIAN = {"debian-3.11": ("/usr/bin/python3.11", "python3.11")}

SUPPORTED = ((3, 11), (3, 12), (3, 13), (3, 14))


@dataclass(frozen=True)
class Interpreter:
    """name: "pbs-3.14.6"; version: (3, 14, 6); include: directory of Python.h or None; kind: pbs, debian, pyenv."""

    name: str
    version: Tuple[int, ...]
    path: str
    include: Optional[str]
    kind: str

    def __str__(self):
        return self.name


def _include(directory):
    return str(directory) if (directory / "Python.h").is_file() else None


def _pbs(name):
    version = tuple(int(n) for n in name.split("-")[1].split("."))
    short = "%d.%d" % version[:2]
    tree = HOME / name
    path = tree / "bin" / ("python" + short)
    if not path.is_file():
        return None
    return Interpreter(name, version, str(path), _include(tree / "include" / ("python" + short)), "pbs")


def _debian(name):
    path, _ = DEBIAN[name]
    if not os.access(path, os.X_OK):
        return None
    text = subprocess.run([path, "-IS", "-c", "import sys; print(*sys.version_info[:3])"],
                          capture_output=True, text=True).stdout
    version = tuple(int(n) for n in text.split())
    if len(version) != 3:
        return None
    return Interpreter(name, version, path, _include(pathlib.Path("/usr/include/python%d.%d" % version[:2])), "debian")


def _pyenv():
    versions = pathlib.Path(os.environ.get("PYENV_ROOT") or pathlib.Path.home() / ".pyenv") / "versions"
    found = []
    for tree in versions.glob("3.*"):
        if not re.fullmatch(r"3\.\d+\.\d+", tree.name):
            continue
        version = tuple(int(n) for n in tree.name.split("."))
        short = "%d.%d" % version[:2]
        path = tree / "bin" / ("python" + short)
        if version[:2] in SUPPORTED and path.is_file():
            found.append(Interpreter("pyenv-" + tree.name, version, str(path),
                                     _include(tree / "include" / ("python" + short)), "pyenv"))
    return sorted(found, key=lambda i: i.version)


def find(name):
    """The interpreter of this name, or None when it is not on this machine."""
    if name in PBS:
        return _pbs(name)
    if name in DEBIAN:
        return _debian(name)
    return next((i for i in _pyenv() if i.name == name), None)


def available():
    """Every interpreter on this machine that the tests can use, by version within each kind."""
    wanted = (find(name) for name in [*PBS, *DEBIAN])
    return [i for i in wanted if i] + _pyenv()


def missing():
    """[(name, reason)] of the pinned interpreters that are not on this machine."""
    return [(name, reason(name)) for name in [*PBS, *DEBIAN] if not find(name)]


def reason(name):
    try:
        return (HOME / (name + ".skip")).read_text().strip()
    except OSError:
        return "not fetched; run tests/fetch-interpreters.py"


def one_per_version():
    """One interpreter of each supported version, the pinned builds first."""
    chosen = {}
    for i in available():
        chosen.setdefault(i.version[:2], i)
    return [chosen[v] for v in SUPPORTED if v in chosen]


if __name__ == "__main__":
    print(json.dumps([vars(i) for i in available()], indent=1))
