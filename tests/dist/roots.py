# SPDX-License-Identifier: GPL-2.0-only
"""Roots of bare distributions, in which packages are installed as somebody would who has nothing else."""
import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
CACHE = pathlib.Path(os.environ.get("PYPERF_CACHE", TOP / ".cache")) / "bare"
# The first command of a mount namespace: DIR becomes its root. Processes and network are the machine's.
ENTER = """mount --bind "$1" "$1"; cd "$1"; mount -t proc proc proc; mount --rbind /sys sys
mount --rbind /dev dev; mkdir -p .host; pivot_root . .host; cd /; umount -l .host; rmdir .host
shift; exec "$@" """


def mirror():
    text = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"],
                          capture_output=True, text=True).stdout
    return next((line for line in text.splitlines() if line.rstrip("/").endswith("/debian")), "")


def base(suite, *packages):
    """A root of debootstrap that is kept for the next time; None where it cannot be made."""
    root = CACHE / "-".join([suite, *packages])
    if not root.is_dir():
        CACHE.mkdir(parents=True, exist_ok=True)
        new = pathlib.Path(tempfile.mkdtemp(dir=CACHE, prefix="new."))
        include = "--include=" + ",".join(["make", *packages])
        done = subprocess.run(["debootstrap", "--variant=minbase", include, suite, new, mirror()],
                              capture_output=True, text=True)
        if done.returncode:
            shutil.rmtree(new)
            return None
        new.chmod(0o755)
        new.rename(root)
    return root


@contextlib.contextmanager
def copy(base_root):
    with tempfile.TemporaryDirectory(dir=CACHE, prefix="root.") as folder:
        subprocess.run(["cp", "-a", f"{base_root}/.", folder], check=True)
        yield pathlib.Path(folder)


def run(root, *command, code=0):
    """What a command says that runs in there as root, with nothing of this machine's environment."""
    done = subprocess.run(
        ["env", "-i", "HOME=/root", "LANG=C.UTF-8", "DEBIAN_FRONTEND=noninteractive",
         "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
         "unshare", "--mount", "sh", "-euc", ENTER, "sh", str(root), *map(str, command)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
    assert done.returncode == code, done.stdout
    return done.stdout


def files(root):
    """All that is in there but what package managers and their logs keep."""
    left_out = {"var/log", "var/cache", "var/lib/dpkg", "proc", "sys", "dev", "tmp", "run"}
    for folder, folders, names in os.walk(root):
        at = os.path.relpath(folder, root)
        folders[:] = [name for name in folders if os.path.normpath(os.path.join(at, name)) not in left_out]
        yield from (os.path.normpath(os.path.join(at, name)) for name in names + folders)
