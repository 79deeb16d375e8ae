# SPDX-License-Identifier: GPL-2.0-only
"""The packages of the version before, from which an upgrade is tried. Nobody keeps its files, so they are
made of its commit, once; its chart is that commit's folder."""
import os
import pathlib
import shutil
import subprocess
import tempfile

from machines import NATIVE, TOP

VERSION, COMMIT = "0.1.0", "23761d87"
CACHE = pathlib.Path(os.environ.get("PYPERF_CACHE", TOP / ".cache")) / "dist"


def _made(new):
    """Its packages for this machine. None where the history is not there, as in an archive of the sources."""
    sources = subprocess.run(["git", "-C", TOP, "archive", COMMIT], capture_output=True)
    if sources.returncode:
        return None
    subprocess.run(["tar", "-x", "-C", new], input=sources.stdout, check=True)
    (new / ".cache").symlink_to(TOP / ".cache")
    (new / "dist").mkdir()
    log = new.parent / (new.name + ".log")
    with open(log, "w") as out:
        done = subprocess.run(["make", "-j%d" % os.cpu_count(), "RELEASE=1", "DIST=dist", "dist-files"],
                              cwd=new, stdout=out, stderr=subprocess.STDOUT,
                              env={**os.environ, "MAKEFLAGS": "", "SOURCE_DATE_EPOCH": "1764115200"})
    assert not done.returncode, log.read_text()[-2000:]
    log.unlink()
    return new


def packages():
    """A folder with dist/ and deploy/ of that version, or None."""
    folder = CACHE / ("before-%s-%s-%s" % (VERSION, COMMIT, NATIVE))
    if folder.is_dir():
        return folder
    CACHE.mkdir(parents=True, exist_ok=True)
    new = pathlib.Path(tempfile.mkdtemp(dir=CACHE, prefix="new."))
    if not _made(new):
        shutil.rmtree(new)
        return None
    shutil.rmtree(new / "build")
    new.chmod(0o755)
    return new.rename(folder)
