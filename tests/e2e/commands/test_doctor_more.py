# SPDX-License-Identifier: GPL-2.0-only
"""`pyperf-bpf doctor`: what is looked at only when somebody asks for it (receiver, kubelet, pods, native
code), and what is only noted (cgroups, clock)."""
import ctypes
import mmap
import os
import pathlib
import shutil
import subprocess
import sys
import threading
import uuid

import pytest

import kubelet as fake
import namespaces
import profiler
from examined import NO_PROCESS, NOBODY, doctor, in_namespace, missing
from local_server import LocalServer, reply
from serving import free_port

REFUSE = str(profiler.BUILD / "tests" / "forge" / "refuse")
IN_A_POD = {**os.environ, "KUBERNETES_SERVICE_HOST": "10.0.0.1"}


class Receiver(LocalServer):
    """Answers a GET as one that takes only POSTs does: not before who asks has shown the token."""

    def __init__(self, token="", certificate=None):
        self.token, self.paths = token, []
        super().__init__(certificate)

    def answer(self, request):
        self.paths.append(request.path)
        reply(request, 405 if request.headers.get("Authorization", "") == self.token else 401, b"x" * 100000)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    if not shutil.which("openssl"):
        pytest.skip("SKIP openssl: no openssl command")
    path = tmp_path_factory.mktemp("tls") / "server.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                    "-nodes", "-days", "2", "-subj", "/CN=x", "-addext", "subjectAltName=IP:127.0.0.1",
                    "-keyout", path, "-out", path.with_suffix(".crt")], check=True, capture_output=True)
    path.write_text(path.read_text() + path.with_suffix(".crt").read_text())
    return path


@pytest.mark.parametrize("kind, path", [
    ("pyroscope", "/push.v1.PusherService/Push"),
    pytest.param("parca", "/api/profiles/writeraw", marks=pytest.mark.all),
    pytest.param("otlp", "/v1development/profiles", marks=pytest.mark.all)])
def test_a_receiver(tmp_path, kind, path):
    """It is asked at the place to which profiles go, with the credentials."""
    header = tmp_path / "header"
    header.write_text("Authorization: Bearer first\n")
    receiver = Receiver("Bearer first")
    url = "%s+http://%s" % (kind, receiver.authority)
    found = doctor(*NO_PROCESS, "--push", url + "/", "--push-header-file", header, code=0)
    assert "answers (405, without a profile)" in found["says"]["receiver"]
    assert set(receiver.paths) == {path}
    found = doctor(*NO_PROCESS, "--push", url, code=1)
    assert missing(found) == {"receiver"} and "answers 401" in found["says"]["receiver"]
    assert "--push-header-file" in found["mends"]["receiver"][0]
    header.write_text("no header\n")
    found = doctor(*NO_PROCESS, "--push", url, "--push-header-file", header, code=1)
    assert missing(found) == {"receiver"} and str(header) in found["says"]["receiver"]
    receiver.close()


def test_a_receiver_that_cannot_be_reached(certificate):
    found = doctor(*NO_PROCESS, "--push", "parca+http://127.0.0.1:%d" % free_port(), code=1)
    assert missing(found) == {"receiver"} and "onnect" in found["says"]["receiver"]
    assert "not as asked for, for want of: receiver.\n" in found["text"]
    receiver = Receiver(certificate=certificate)
    url = "parca+https://" + receiver.authority
    found = doctor(*NO_PROCESS, "--push", url, code=1)
    assert missing(found) == {"receiver"} and "ertificate" in found["says"]["receiver"]
    assert "--push-ca-file" in found["mends"]["receiver"][0]
    doctor(*NO_PROCESS, "--push", url, "--push-ca-file", certificate.with_suffix(".crt"), code=0)
    receiver.close()


def kubelet_options(kubelet, token, certificate):
    return ("--kubelet", kubelet.url, "--kubelet-token-file", token, "--kubelet-ca-file",
            certificate.with_suffix(".crt"))


@pytest.mark.all
def test_a_kubelet(tmp_path, certificate):
    token = tmp_path / "token"
    token.write_text("first\n")
    pods = tmp_path / "pods"
    (pods / ("shop_web-1_%s" % uuid.uuid4()) / "main").mkdir(parents=True)
    with fake.serving(certificate) as kubelet:
        kubelet.pods = [fake.pod(str(uuid.uuid4()), app="shop"), fake.pod(str(uuid.uuid4()))]
        options = *NO_PROCESS, "--pod-logs", pods, *kubelet_options(kubelet, token, certificate)
        found = doctor(*options, code=0)
        assert found["says"]["kubelet"] == kubelet.url + " names 2 pods"
        assert found["says"]["pod logs"] == "1 entries of %s name pods" % pods
        assert doctor(*options, "--pod-label", "app", code=0)["results"]["kubelet"] == "ok"
        token.write_text("second\n")
        found = doctor(*options, code=1)
        assert missing(found) == {"kubelet"} and "401" in found["says"]["kubelet"]
        assert any("--kubelet-token-file" in way for way in found["mends"]["kubelet"])
        found = doctor(*options[:-2], code=1)
        assert missing(found) == {"kubelet"} and "ertificate" in found["says"]["kubelet"]
        assert any("--kubelet-ca-file" in way for way in found["mends"]["kubelet"])
        token.unlink()
        assert str(token) in doctor(*options, code=1)["says"]["kubelet"]


@pytest.mark.all
def test_a_kubelet_that_does_not_answer(tmp_path, certificate):
    token, never = tmp_path / "token", threading.Event()
    token.write_text("first\n")
    with fake.serving(certificate, behave=lambda number: never) as kubelet:
        found = doctor(*NO_PROCESS, *kubelet_options(kubelet, token, certificate), code=1)
        assert missing(found) == {"kubelet"} and "no answer within 10 s" in found["says"]["kubelet"]
        never.set()


def test_names_of_pods(tmp_path):
    """Without them a filter selects nothing; a run without one goes on."""
    tmp_path.chmod(0o755)
    logs = tmp_path / "pods"
    options = *NO_PROCESS, "--pod-logs", logs
    assert doctor(*options, code=0)["results"]["pod logs"] == "unasked"
    found = doctor(*options, "--namespace", "x*", code=1)
    assert missing(found) == {"pod logs"} and "No such file" in found["says"]["pod logs"]
    assert any("--pod-logs" in way for way in found["mends"]["pod logs"])
    found = doctor(*options, env=IN_A_POD, code=0)
    assert found["results"]["pod logs"] == "note" and found["results"]["kubelet"] == "note"
    logs.mkdir()
    assert missing(doctor(*options, "--pod", "x", code=1)) == {"pod logs"}
    for name in "shop_web-1_%s" % uuid.uuid4(), "shop_web-2_%s" % uuid.uuid4(), "no pod":
        (logs / name).mkdir()
    found = doctor(*options, "--pod", "x", code=0)
    assert found["says"]["pod logs"] == "2 entries of %s name pods" % logs


@pytest.mark.all
def test_names_of_pods_that_are_closed(tmp_path):
    logs = pathlib.Path("/usr/local") / ("pyperf-%s" % uuid.uuid4())
    logs.mkdir(mode=0o700)
    binary = logs.with_suffix(".bin")
    shutil.copy(profiler.BINARY, binary)
    try:
        found = doctor(*NO_PROCESS, "--pod-logs", logs, "--pod", "x", prefix=NOBODY, binary=str(binary),
                       code=1)
        assert "pod logs" in missing(found) and "Permission denied" in found["says"]["pod logs"]
        assert "as root" in found["mends"]["pod logs"][0]
    finally:
        logs.rmdir()
        binary.unlink()


def test_libcurl():
    """A binary that opens it as it starts is tried without it in tests/dist/test_packages.py."""
    found = doctor(*NO_PROCESS, code=0)
    assert found["results"]["libcurl"] == "ok" and found["says"]["libcurl"].startswith("libcurl/")


@pytest.mark.all
def test_cgroups():
    if namespaces.reason():
        pytest.skip("SKIP mounts: " + namespaces.reason())
    assert doctor(*NO_PROCESS, code=0)["results"]["cgroups"] == "ok"
    found = doctor(*NO_PROCESS, prefix=["unshare", "--cgroup"], code=0)
    assert found["results"]["cgroups"] == "note" and "namespace" in found["says"]["cgroups"]
    assert found["mends"]["cgroups"] == ["in a container: docker run --cgroupns=host"]
    hide = "mount -t tmpfs none /sys/fs/cgroup"
    found = doctor(*NO_PROCESS, prefix=in_namespace(hide), code=0)
    assert found["results"]["cgroups"] == "note" and "not mounted" in found["says"]["cgroups"]
    mend, = found["mends"]["cgroups"]
    found = doctor(*NO_PROCESS, prefix=in_namespace(hide + "; " + mend), code=0)
    assert found["says"]["cgroups"] == "version 2" and found["results"]["cgroups"] == "ok"


class Timex(ctypes.Structure):
    """As far as it is looked at (sys/timex.h)."""
    _fields_ = [("modes", ctypes.c_uint), ("offset", ctypes.c_long), ("freq", ctypes.c_long),
                ("maxerror", ctypes.c_long), ("esterror", ctypes.c_long), ("status", ctypes.c_int),
                ("rest", ctypes.c_char * 256)]


def test_the_clock():
    """It says what the kernel does, whatever that is; where that may not be asked, it is not guessed."""
    t = Timex()
    state = ctypes.CDLL(None).adjtimex(ctypes.byref(t))
    found = doctor(*NO_PROCESS, code=0)
    assert found["results"]["clock"] == ("note" if state == 5 or t.status & 0x40 else "ok")
    assert not found["mends"]["clock"] or "timedatectl" in found["mends"]["clock"][0]
    found = doctor(*NO_PROCESS, prefix=[REFUSE, "clock", "--"], code=0)
    assert found["results"]["clock"] == "ok" and "does not say" in found["says"]["clock"]


@pytest.mark.all
@pytest.mark.parametrize("now, result, says", [(1735689599, "note", "2024-12-31 23:59:59 UTC, which cannot"),
                                               (0, "note", "1970-01-01 00:00:00 UTC, which cannot"),
                                               (1800000000, "ok", "2027-01-15 08:00:00 UTC, at most 12 ms")])
def test_an_odd_clock(now, result, says):
    found = doctor(*NO_PROCESS, code=0, env={
        **os.environ, "LD_PRELOAD": str(profiler.BUILD / "tests/forge/odd_clock.so"), "ODD_CLOCK": str(now)})
    assert found["results"]["clock"] == result and says in found["says"]["clock"]


def native_of(pid):
    python, = doctor("--native", "full", "--pid", pid, code=0)["processes"]
    return python["native"]


def test_native_code(workloads):
    """Of a program with code that a compiler has made, so to speak: without names, and with them."""
    script = ("import mmap, time\n"
              "m = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=7)\n"
              "while True: sum(range(1000))\n")
    with profiler.target(sys.executable, workloads / "burn.py") as target:
        plain = native_of(target.pid)
        assert "native" not in doctor("--pid", target.pid, code=0)["processes"][0]
    assert plain["files"] > 3 and plain["named"] and not plain["unread"]
    assert plain["made_at_run_time"] == "none" and not plain["without_callers"]
    assert mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC == 7
    with profiler.target(sys.executable, "-c", script, about=False) as target:
        maps = pathlib.Path("/proc/%d/maps" % target.pid)
        profiler.wait_until(lambda: "rwxp" in maps.read_text(), what="the memory")
        assert native_of(target.pid)["made_at_run_time"] == "without names"
        names = pathlib.Path("/tmp/perf-%d.map" % target.pid)
        names.write_text("1000 10 f\n")
        try:
            assert native_of(target.pid)["made_at_run_time"] == "with names"
        finally:
            names.unlink()


@pytest.mark.all
def test_code_without_callers():
    """OpenBLAS has kernels of which nothing says who calls them (docs/native.md)."""
    with profiler.target(sys.executable, "-c", "import numpy, time\nwhile True: time.sleep(0.01)",
                         about=False) as target:
        maps = pathlib.Path("/proc/%d/maps" % target.pid)
        profiler.wait_until(lambda: "openblas" in maps.read_text(), what="the library")
        found = doctor("--native", "full", "--pid", target.pid, code=0)
    python, = found["processes"]
    names = python["native"]["first_without_callers"]
    assert any("openblas" in name for name in names)
    assert len(names) == min(3, python["native"]["without_callers"])
    assert "callers are not found in parts of " in found["text"]
