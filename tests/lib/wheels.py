# SPDX-License-Identifier: GPL-2.0-only
"""The wheel of a release, made of the binary that is tested, and environments into which pip has installed
it."""
import functools
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile

import profiler


@functools.cache
def _folder():
    """One that every user may enter: some tests are run by nobody."""
    kept = tempfile.TemporaryDirectory(prefix="pyperf-wheel-")
    os.chmod(kept.name, 0o755)
    return kept


@functools.cache
def wheel():
    """As deploy/dist/stage.sh and wheel.py make it. The licences and the list of parts, which want a linker's
    map of a release, are empty."""
    folder = pathlib.Path(_folder().name)
    stage = folder / "stage"
    stage.mkdir()
    subprocess.run(["strip", "-o", stage / "pyperf-bpf", profiler.BINARY], check=True)
    for name in ("LICENSE", "LICENCES.md", "pyperf-bpf.cdx.json"):
        (stage / name).write_text("")
    maker = profiler.ROOT / "deploy" / "dist" / "wheel.py"
    subprocess.run([sys.executable, maker, stage, "0.1.0", platform.machine(), "0", folder], check=True)
    made, = folder.glob("*.whl")
    return made


def pip(*arguments):
    """The tests' own pip, without any index."""
    subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", *map(str, arguments), "-q",
                    "--no-index", wheel()], check=True)


class Environment:
    """A venv of an interpreter, into which pip has installed the wheel. Some of the tests' interpreters make
    none that works, since they find their files by where they are, or are too new for the tests' pip. Those
    have it in a folder of $PYTHONPATH (`pip install --target`)."""

    def __init__(self, interpreter, venv=True, site=None):
        """site: a folder of packages of another environment, which are to be had, too."""
        self.interpreter = interpreter
        self.folder = pathlib.Path(_folder().name, "%s-%s" % (interpreter.name, "venv" if venv else "target"))
        if venv:
            self.python = self.folder / "bin" / "python"
            subprocess.run([interpreter.path, "-m", "venv", "--without-pip", self.folder], check=True)
            pip("--python", self.python, "install")
            own, = self.folder.glob("lib/python*/site-packages")
            (own / "others.pth").write_text("%s\n" % site if site else "")
        else:
            self.python = interpreter.path
            pip("install", "--target", self.folder)
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith("PYTHON")}
        self.environment.update({} if venv else {"PYTHONPATH": str(self.folder)})

    def start(self, *arguments, prefix=(), **options):
        return subprocess.Popen([*prefix, self.python, *arguments], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env={**self.environment, **options.pop("env", {})}, **options)

    def run(self, *arguments, code=0, **options):
        """What it says, with `out` and `err`."""
        process = self.start(*arguments, **options)
        process.out, process.err = process.communicate(timeout=300)
        assert code is None or process.returncode == code, (process.returncode, process.out, process.err)
        return process

    def says(self, text, **options):
        """What a program prints as JSON in its last line."""
        return json.loads(self.run("-c", text, **options).out.splitlines()[-1])
