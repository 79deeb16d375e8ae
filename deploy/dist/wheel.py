# SPDX-License-Identifier: GPL-2.0-only
"""A wheel with the binary, and the Python package of deploy/python: wheel.py STAGE VERSION MACHINE EPOCH OUT,
MACHINE as uname has it.

pip and uv put the binary into the environment's bin/, where the package finds it. The tag says which glibc it
needs, as its own symbols do. The folder sboms/ is of PEP 770, licenses/ of PEP 639."""
import base64
import hashlib
import pathlib
import re
import subprocess
import sys
import time
import zipfile

NAME = "pyperf_bpf"
PACKAGE = pathlib.Path(__file__).resolve().parent.parent / "python" / NAME
METADATA = """Metadata-Version: 2.4
Name: pyperf-bpf
Version: %s
Summary: eBPF profiler for CPython: which lines burn the CPUs, and what they wait for
License-Expression: GPL-2.0-only
License-File: LICENSE
License-File: LICENCES.md
Classifier: Operating System :: POSIX :: Linux
Classifier: Topic :: Software Development :: Debuggers
Description-Content-Type: text/markdown

%s"""
ABOUT = """Shows which Python lines burn the CPUs of a Linux machine, and where they wait, from inside the
kernel, without touching the programs. It needs Linux 6.1 or later, and root or four capabilities:

    sudo "$(which pyperf-bpf)" --all-python -d 10

Without rights it profiles programs of one's own, from outside, also from within them:

    with pyperf_bpf.profile("out.pb.gz"):
        work()
"""


def platforms(binary, machine):
    """On which it runs. A static one wants no libc: its tags are the oldest that all tools know."""
    symbols = subprocess.run(["readelf", "-W", "--dyn-syms", binary], capture_output=True, text=True,
                             check=True).stdout
    found = [tuple(map(int, version)) for version in re.findall(r"@GLIBC_(\d+)\.(\d+)", symbols)]
    if not found:
        return ["manylinux_2_17_" + machine, "musllinux_1_1_" + machine]
    return ["manylinux_%d_%d_%s" % (*max(found), machine)]


def entry(name, epoch, mode):
    info = zipfile.ZipInfo(name, time.gmtime(max(int(epoch), 315532800))[:6])  # zip begins in 1980
    info.external_attr = (0o100000 | mode) << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = 3
    return info


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


stage, version, machine, epoch, out = sys.argv[1:]
stage = pathlib.Path(stage)
platforms = platforms(stage / "pyperf-bpf", machine)
tag = "py3-none-" + ".".join(platforms)
tags = "".join(f"Tag: py3-none-{platform}\n" for platform in platforms)
info = f"{NAME}-{version}.dist-info"
files = {
    f"{NAME}-{version}.data/scripts/pyperf-bpf": ((stage / "pyperf-bpf").read_bytes(), 0o755),
    f"{info}/METADATA": ((METADATA % (version, ABOUT)).encode(), 0o644),
    f"{info}/WHEEL": (f"Wheel-Version: 1.0\nGenerator: pyperf-bpf {version}\nRoot-Is-Purelib: false\n"
                      f"{tags}".encode(), 0o644),
    f"{info}/entry_points.txt": (b"[pytest11]\npyperf_bpf = pyperf_bpf.pytest_plugin\n", 0o644),
    f"{info}/licenses/LICENSE": ((stage / "LICENSE").read_bytes(), 0o644),
    f"{info}/licenses/LICENCES.md": ((stage / "LICENCES.md").read_bytes(), 0o644),
    f"{info}/sboms/pyperf-bpf.cdx.json": ((stage / "pyperf-bpf.cdx.json").read_bytes(), 0o644),
}
files.update((f"{NAME}/{file.relative_to(PACKAGE)}", (file.read_bytes(), 0o644))
             for file in sorted(PACKAGE.rglob("*")) if file.suffix in (".py", ".typed"))
record = "".join(f"{name},sha256={digest(data)},{len(data)}\n" for name, (data, _) in files.items())
files[f"{info}/RECORD"] = (f"{record}{info}/RECORD,,\n".encode(), 0o644)
with zipfile.ZipFile(pathlib.Path(out, f"{NAME}-{version}-{tag}.whl"), "w", compresslevel=9) as wheel:
    for name, (data, mode) in files.items():
        wheel.writestr(entry(name, epoch, mode), data)
