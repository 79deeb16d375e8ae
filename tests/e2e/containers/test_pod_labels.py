# SPDX-License-Identifier: GPL-2.0-only
"""Labels of pods from the kubelet, which a TLS server of ours stands in for (tests/lib/kubelet.py); the pods
are cgroups with the names that a kubelet gives. A real kubelet is in tests/k8s. Whatever it answers, samples
are taken and written."""
import os
import shutil
import subprocess
import sys
import threading
import uuid

import pytest

import cgroups
import kubelet as fake
import pprof
import profiler
from receiver import POD_LABELS, receiving
from serving import server

pytestmark = [pytest.mark.skipif(cgroups.hierarchy() is None,
                                 reason="SKIP cgroups: no cgroup hierarchy can be written here"),
              pytest.mark.skipif(not shutil.which("openssl"), reason="SKIP openssl: no openssl command")]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A self-signed one with its key, as a kubelet makes for itself."""
    path = tmp_path_factory.mktemp("tls") / "kubelet.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                    "-nodes",
                    "-days", "2", "-subj", "/CN=node", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
                    path,
                    "-out", path.with_suffix(".crt")], check=True, capture_output=True)
    path.write_text(path.read_text() + path.with_suffix(".crt").read_text())
    return path


@pytest.fixture
def token(tmp_path):
    path = tmp_path / "token"
    path.write_text("first\n")
    return path


class Pod:
    """A cgroup of a pod, and Python in it, from `with` on."""

    def __init__(self, workloads):
        self.uid = str(uuid.uuid4())
        self.cgroup = cgroups.cgroup("/kubepods-pyperf/burstable/pod%s/%s" %
                                     (self.uid, cgroups.container_id()))
        self.program = workloads / "burn.py"

    def __enter__(self):
        self.target = profiler.Target([sys.executable, self.program],
                                      preexec_fn=cgroups.starter(self.cgroup.__enter__()))
        self.pid = self.target.pid
        return self

    def __exit__(self, *error):
        self.target.stop()
        self.cgroup.__exit__(None, None, None)


def labels_of(path, pid, *names):
    """Of each name its values in the samples of that process, None for samples without."""
    samples = [s for s in pprof.read(path).samples if s.labels.get("pid") == pid]
    assert samples, "no sample of %d" % pid
    return [{s.labels.get(name) for s in samples} for name in names]


def arguments(kubelet, token, certificate, names="app"):
    return ("--kubelet", kubelet.url, "--kubelet-token-file", token, "--kubelet-ca-file", certificate,
            "--pod-label", names)


def sampled(directory, pods, *more, seconds=2, **options):
    """A run over all processes that has samples of each of these."""
    pids = [pod.pid for pod in pods]
    return profiler.run_all_while(directory, pids, 0.5, *more, seconds=seconds, **options)


def said(run):
    return os.pread(run.streams[1].fileno(), 1 << 20, 0).decode()


SHOP = {"app": "shop", "app.kubernetes.io/name": "cart", "pod": "purple"}


def test_labels(workloads, certificate, token, tmp_path):
    """Those that were asked for, on the pods that have them; one with a name of ours is called otherwise."""
    with (Pod(workloads) as one, Pod(workloads) as two, Pod(workloads) as unknown,
          fake.serving(certificate) as kubelet,
          profiler.target(sys.executable, workloads / "burn.py") as outside):
        kubelet.pods = [fake.pod(one.uid, tier="web", **SHOP), fake.pod(two.uid, tier="db")]
        names = ("app", "app.kubernetes.io/name", "label_pod", "tier")
        run = sampled(tmp_path, (one, two, unknown, outside),
                      *arguments(kubelet, token, certificate, "app,app.kubernetes.io/name,pod"))
        assert labels_of(run.path, one.pid, *names) == [{"shop"}, {"cart"}, {"purple"}, {None}]
        for pid in two.pid, unknown.pid, outside.pid:
            assert labels_of(run.path, pid, *names) == [{None}] * 4
    # Its answer names all that is known. There is another one, every ten seconds at most, for who is not.
    assert set(kubelet.requests) == {("/pods", "first")}
    assert len(kubelet.requests) <= 1 + run.stats["seconds"] / 10
    assert "kubelet" not in run.err


@pytest.mark.parametrize("kind", ("pyroscope", "parca", "parca-grpc"))
def test_pushed(workloads, certificate, token, tmp_path, kind):
    """They are labels of the pod's series, with names as receivers take them;
    samples have none (tests/lib/receiver.py)."""
    with (Pod(workloads) as one, Pod(workloads) as two, fake.serving(certificate) as kubelet,
          receiving(kind) as receiver):
        kubelet.pods = [fake.pod(one.uid, **SHOP), fake.pod(two.uid)]
        names = "app,app.kubernetes.io/name,pod,app-kubernetes.io/name"
        run = profiler.run_while(tmp_path, (one, two), 0.5, "--interval", 1, "--push", receiver.url,
                                 *arguments(kubelet, token, certificate, names), seconds=3, output=None)
        assert run.stats["export"]["push_dropped"] == 0
    found = {tuple(sorted((k, v) for k, v in r.labels.items() if k in POD_LABELS)) for r in receiver.received}
    assert found == {(), (("app", "shop"), ("app_kubernetes_io_name", "cart"), ("label_pod", "purple"))}


@pytest.mark.all
def test_pushed_as_otlp(workloads, certificate, token, tmp_path):
    """They are attributes of the resource, under their own names."""
    with (Pod(workloads) as one, Pod(workloads) as two, fake.serving(certificate) as kubelet,
          receiving("otlp") as receiver):
        kubelet.pods = [fake.pod(one.uid, **SHOP), fake.pod(two.uid)]
        run = profiler.run_while(tmp_path, (one, two), 0.5, "--interval", 1, "--push", receiver.url,
                                 *arguments(kubelet, token, certificate, "app,app.kubernetes.io/name,pod"),
                                 seconds=3, output=None)
        assert run.stats["export"]["push_dropped"] == 0
    found = {tuple(sorted((k, v) for k, v in r.labels.items() if "label" in k)) for r in receiver.received}
    assert found == {(), (("k8s.pod.label.app", "shop"), ("k8s.pod.label.app.kubernetes.io/name", "cart"),
                          ("k8s.pod.label.pod", "purple"))}


def test_a_pod_that_comes_later(workloads, certificate, token, tmp_path):
    """It is asked for when it is met, but not more often than every ten seconds."""
    with Pod(workloads) as early, fake.serving(certificate) as kubelet:
        kubelet.pods = [fake.pod(early.uid, app="early")]
        with server(tmp_path, "-a", *arguments(kubelet, token, certificate)) as s:
            profiler.wait_until(lambda: kubelet.requests, what="request")
            with Pod(workloads) as late:
                kubelet.pods.append(fake.pod(late.uid, app="late"))
                profiler.wait_until(lambda: len(kubelet.requests) >= 2, what="second request")
                assert kubelet.times[1] - kubelet.times[0] > 9
                profiler.wait_until(lambda: "late" in fetched(s, late.pid), what="label")
                assert "early" in fetched(s, early.pid)


def fetched(served, pid):
    """The apps in a profile of a second, of the first in which the process had a CPU."""
    found = set()
    while not found:
        found = {sample.labels.get("app") for sample in served.profile("seconds=1&pid=%d" % pid).samples}
    return found


def test_a_token_that_is_renewed(workloads, certificate, token, tmp_path):
    """401 until the file has the new one: said once, and once more when it is over; counted."""
    with Pod(workloads) as pod, fake.serving(certificate, token="second") as kubelet:
        kubelet.pods = [fake.pod(pod.uid, app="shop")]
        with server(tmp_path, "-a", *arguments(kubelet, token, certificate)) as s:
            profiler.wait_until(lambda: "401: Unauthorized" in said(s.run), what="warning")
            metrics = s.metrics()
            failures, requests = ("pyperf_kubelet_%s_total" % what for what in ("failures", "requests"))
            assert metrics[failures, ()] == metrics[requests, ()]
            assert fetched(s, pod.pid) == {None}
            new = tmp_path / "new"
            new.write_text("second")
            new.rename(token)
            profiler.wait_until(lambda: "shop" in fetched(s, pod.pid), what="label")
            failures, pods = s.metric("kubelet_failures_total"), s.metric("kubelet_pods")
            text = said(s.run)
    # Where all this takes more than ten seconds, the old one is tried again.
    assert [t for _, t in kubelet.requests] == int(failures) * ["first"] + ["second"]
    assert failures >= 1 and pods == 1
    assert text.count("no labels of pods") == 1 and text.count("again\n") == 1
    assert "first" not in text and "second" not in text


DEEP = b'{"items":' + b"[" * 100000
WIDE = b'{"items":[' + b"{}," * 200000
HUGE = b'{"items":["' + b"x" * (20 << 20) + b'"]}'


@pytest.mark.parametrize("answer, words", [
    ((200, b"<html>"), "not a list of pods"), ((200, b""), "not a list of pods"),
    ((200, fake.pod_list()[:-1]), "not a list of pods"), ((200, b'{"items":{}}'), "not a list of pods"),
    ((200, DEEP), "too large"), ((200, WIDE), "too large"), ((200, HUGE), "too large"),
    ((403, b"Forbidden (user=x, verb=get)\nmore"), "403: Forbidden (user=x, verb=get);"),
    ((302, b""), "302"), ((500, b"\x1b[2J" * 99), "500"),
], ids=lambda value: value if isinstance(value, str) else "")
def test_answers_that_are_none(workloads, certificate, token, tmp_path, answer, words):
    with Pod(workloads) as pod, fake.serving(certificate, behave=lambda number: answer) as kubelet:
        run = sampled(tmp_path, [pod], *arguments(kubelet, token, certificate))
        assert labels_of(run.path, pod.pid, "app", "pod_uid") == [{None}, {pod.uid}]
    warnings = [line for line in run.err.splitlines() if "no labels of pods" in line]
    assert len(warnings) == 1 and words in warnings[0] and "\x1b" not in run.err, run.err


def test_values_that_are_none(workloads, certificate, token, tmp_path):
    """What the API server would not let through does not get into a profile."""
    with Pod(workloads) as one, Pod(workloads) as two, fake.serving(certificate) as kubelet:
        kubelet.pods = [fake.pod("../" + one.uid, app="x"), fake.pod(one.uid, app="\x1b[31m"),
                        fake.pod(two.uid, app="x" * 64),
                        {"metadata": {"uid": 7}}, None]
        run = sampled(tmp_path, (one, two), *arguments(kubelet, token, certificate))
        for pod in one, two:
            assert labels_of(run.path, pod.pid, "app") == [{None}]


def test_slow_kubelet_does_not_hold_it_up(workloads, certificate, token, tmp_path):
    """It answers only after a profile with samples of the pod, which then lack the label;
    a later one has it."""
    answer = threading.Event()
    folder = tmp_path / "profiles"
    folder.mkdir()

    def apps(path, pid):
        return {s.labels.get("app") for s in pprof.read(path).samples if s.labels.get("pid") == pid}

    def seen(pid):
        return [found for found in (apps(path, pid) for path in sorted(folder.glob("*.pb.gz"))) if found]

    with Pod(workloads) as pod, fake.serving(certificate, behave=lambda number: answer) as kubelet:
        kubelet.pods = [fake.pod(pod.uid, app="shop")]
        run = profiler.Run(tmp_path, "-a", "--output-dir", folder, "--interval", 1,
                           *arguments(kubelet, token, certificate), output=None)
        try:
            profiler.wait_until(lambda: kubelet.requests and seen(pod.pid), what="profile before the answer")
            early = seen(pod.pid)
            answer.set()
            profiler.wait_until(lambda: {"shop"} in seen(pod.pid), what="profile with the label")
            run.interrupt()
            run.finish()
        finally:
            answer.set()
            run.kill()
    assert all(found == {None} for found in early), early


def test_kubelet_that_never_answers(workloads, certificate, token, tmp_path):
    with Pod(workloads) as pod, fake.serving(certificate, behave=lambda number: 60.0) as kubelet:
        run = sampled(tmp_path, [pod], *arguments(kubelet, token, certificate))
        assert labels_of(run.path, pod.pid, "app") == [{None}]
        assert len(kubelet.requests) == 1


@pytest.mark.parametrize("more, words", [((), "certificate"), (("--kubelet-insecure-tls",), None)],
                         ids=("verified", "not verified"))
def test_certificate_that_nobody_vouches_for(workloads, certificate, token, tmp_path, more, words):
    """No token goes to it unless that was said."""
    with Pod(workloads) as pod, fake.serving(certificate) as kubelet:
        kubelet.pods = [fake.pod(pod.uid, app="shop")]
        run = sampled(tmp_path, [pod], "--kubelet", kubelet.url, "--kubelet-token-file", token, "--pod-label",
                      "app", *more)
        assert labels_of(run.path, pod.pid, "app") == [{None if words else "shop"}]
    assert len(kubelet.requests) == (0 if words else 1)
    assert not words or words in run.err.lower()


@pytest.mark.parametrize("text, words", [
    (None, "No such file"), ("", "not a token"), ("a\x01b", "not a token"), ("x" * 20000, "too large"),
], ids=("missing", "empty", "control byte", "large"))
def test_token_file_that_is_wrong(workloads, certificate, token, tmp_path, text, words):
    token.unlink()
    if text is not None:
        token.write_text(text)
    with Pod(workloads) as pod, fake.serving(certificate) as kubelet:
        run = sampled(tmp_path, [pod], *arguments(kubelet, token, certificate), seconds=1)
        assert labels_of(run.path, pod.pid, "app") == [{None}]
    assert not kubelet.requests and words in run.err and str(token) in run.err


def test_config_file(workloads, certificate, token, tmp_path):
    with Pod(workloads) as pod, fake.serving(certificate) as kubelet:
        kubelet.pods = [fake.pod(pod.uid, app="shop")]
        config = tmp_path / "config"
        config.write_text("all-python = yes\nkubelet = %s\nkubelet-token-file = %s\n" % (kubelet.url, token) +
                          "kubelet-insecure-tls = yes\npod-label = app\n")
        run = profiler.end_after(profiler.Run(tmp_path, "--config", config), [pod.pid], 0.5, seconds=1)
        assert labels_of(run.path, pod.pid, "app") == [{"shop"}]


@pytest.mark.parametrize("wrong, words", [
    (("--kubelet", "https://127.0.0.1:10250"), ("--kubelet", "--pod-label")),
    (("--pod-label", "app"), ("--kubelet", "--pod-label")),
    (("--kubelet-insecure-tls",), ("--kubelet-insecure-tls", "--kubelet")),
    (("--kubelet", "http://127.0.0.1:10255", "--pod-label", "app"), ("https://",)),
    (("--kubelet", "https://node:10250/pods", "--pod-label", "app"), ("without a path",)),
    (("--kubelet", "https://node:10250", "--pod-label", "app,app"), ("--pod-label", "app,app")),
    (("--kubelet", "https://node:10250", "--pod-label", ",".join("abcdefghijklmnopq")), ("16",)),
    (("--kubelet", "https://node:10250", "--pod-label", "a b"), ("a b",)),
    (("--kubelet", "https://node:10250", "--pod-label", "app", "--kubelet-insecure-tls", "--kubelet-ca-file",
      "x"),
     ("--kubelet-ca-file",)),
], ids=" ".join)
def test_bad_input(tmp_path, wrong, words):
    done = subprocess.run([profiler.BINARY, "-a", *wrong], cwd=tmp_path, capture_output=True, text=True,
                          timeout=300)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
    assert all(word in done.stderr for word in words), done.stderr
