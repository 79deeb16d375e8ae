# SPDX-License-Identifier: GPL-2.0-only
"""The architectures for which a release has files, and how a program of one runs on this machine."""
import pathlib
import platform
import subprocess

TOP = pathlib.Path(__file__).resolve().parents[2]
NATIVE = platform.machine()
MACHINES = ["x86_64", "aarch64"] if NATIVE == "x86_64" else [NATIVE]
DEBIAN = {"x86_64": "amd64", "aarch64": "arm64"}
KINDS = ["", "-static"]  # of tarballs


def starter(machine):
    """What stands before a program of that architecture."""
    return [] if machine == NATIVE else ["qemu-aarch64", "-L", str(TOP / ".cache/arm64")]


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def unpacked(one, folder, machine=NATIVE, kind=""):
    output("tar", "xzf", one("*-%s-linux%s.tar.gz" % (machine, kind)), "-C", folder)
    inner, = folder.iterdir()
    return inner
