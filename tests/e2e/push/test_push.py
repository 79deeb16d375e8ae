# SPDX-License-Identifier: GPL-2.0-only
"""Profiles pushed to receivers that are strict, broken, slow, gone or not who they say they are. Whatever
happens, each profile is delivered or counted as dropped, the profiler goes on, and it ends in time."""
import gzip
import os
import pathlib
import shutil
import signal
import subprocess
import time

import pytest

import go_pprof
import interpreters as known
import pprof
import profiler
from receiver import finish_push, interrupt_when_pushed, receiving

NEWEST = [known.newest()]
KINDS = ("pyroscope", "pyroscope-ingest", "parca", "parca-grpc", "otlp")


@pytest.fixture(scope="module", params=NEWEST, ids=str)
def busy(request, workloads):
    with profiler.target(request.param.path, workloads / "edges.py", "--calm") as started:
        yield started


def start(directory, receiver, *arguments, interval=0.5, **options):
    patience = () if "--push-timeout" in arguments else ("--push-timeout", 300)
    return profiler.Run(directory, "--push", receiver if isinstance(receiver, str) else receiver.url,
                        "--interval", interval, *patience, *arguments, output=None, **options)


def end_after(run, receiver, requests=2):
    """Ends it by SIGTERM when so many requests have come: an interval without samples has none."""
    profiler.wait_until(lambda: len(receiver.times) >= requests, what="%d requests" % requests)
    return terminate(run)


def exported(run):
    return run.stats["export"]


def said(run):
    return os.pread(run.streams[1].fileno(), 1 << 20, 0).decode()


def terminate(run, seconds=60):
    """Ends it while --push-timeout, which is longer than these seconds, still runs. What it has to itself at
    the end is some seconds; the rest is for machines with other work."""
    run.process.send_signal(signal.SIGTERM)
    run.process.wait(seconds)
    return finish_push(run)


@pytest.mark.parametrize("kind", KINDS)
def test_everything_arrives_once(busy, tmp_path, kind):
    """The samples of all pushed profiles are those that the kernel counted, one by one."""
    with receiving(kind) as receiver:
        run = start(tmp_path, receiver, "-p", busy.pid, "-F", 199)
        profiler.wait_until(lambda: len(receiver.received) >= 3)
        terminate(run)
    assert exported(run)["pushed"] == len(receiver.received) >= 3
    assert exported(run)["push_failures"] == exported(run)["push_dropped"] == 0
    run.samples = [s for r in receiver.received for s in profiler.samples_of(r.profile)]
    run.check_books()
    comm = pathlib.Path("/proc/%d/comm" % busy.pid).read_text().strip()
    assert {r.service for r in receiver.received} == {comm}
    assert {r.node for r in receiver.received} == {os.uname().nodename}
    starts = [r.profile.time_nanos for r in receiver.received]
    assert starts == sorted(starts), "a service's profiles arrive in their order"


def test_a_fleet_is_spread_over_the_interval(busy, tmp_path):
    """Four profilers that begin at one moment do not send at one moment: each has its own distance from the
    end of an interval, and keeps it."""
    interval, since = 6, time.time() - time.monotonic()
    with receiving("pyroscope") as receiver:
        runs = []
        for name in "abcd":
            (tmp_path / name).mkdir()
            header = tmp_path / name / "header"
            header.write_text("X-Agent: %s\n" % name)
            runs.append(start(tmp_path / name, receiver, "-p", busy.pid, "-F", 19, "--push-header-file",
                              header, interval=interval))
        agents = lambda: [one.headers["X-Agent"] for one in receiver.received]  # noqa: E731
        profiler.wait_until(lambda: all(agents().count(name) >= 2 for name in "abcd"), what="two of each")
        after = {name: [one.when + since - (one.profile.time_nanos + one.profile.duration_nanos) / 1e9
                        for one in receiver.received if one.headers["X-Agent"] == name] for name in "abcd"}
        for run in runs:
            terminate(run)
    first = [times[0] for times in after.values()]
    assert max(first) - min(first) > interval / 20, after


@pytest.mark.parametrize("python", NEWEST, ids=str)
def test_a_service_each(python, workloads, tmp_path):
    """Processes of one name are one profile, whatever bytes are in it; two names are two."""
    names = ("web", "web", "celery{beat}, \"x\"")
    program = ("import ctypes, json, sys, time\nctypes.CDLL(None).prctl(15, %r.encode(), 0, 0, 0)\n"
               "print(json.dumps({}), flush=True)\nwhile True: sum(range(9000)), time.sleep(0.002)")
    for kind in KINDS:
        with profiler.targets([(python.path, "-c", program % name)
                               for name in names]) as targets, receiving(kind) as receiver:
            run = start(tmp_path, receiver, "-p", ",".join(str(t.pid) for t in targets), "-F", 499,
                        interval=0.3)
            both = {"web", "celery_beat____" if kind.startswith("pyroscope") else names[2][:15]}
            profiler.wait_until(lambda: len({r.service for r in list(receiver.received)}) >= 2,
                                what="both services")
            terminate(run)
        assert {r.service for r in receiver.received} == both
        web = [s for r in receiver.received if r.service == "web" for s in r.profile.samples]
        stacks = {}
        for r in receiver.received:
            for sample in r.profile.samples:
                key = r.service, r.profile.time_nanos, tuple(sample.frames), *sample.labels.items()
                assert key not in stacks, "the same stack twice in one profile"
                stacks[key] = sample.count
        assert web and exported(run)["pushed"] == len(receiver.received)
        assert exported(run)["push_dropped"] == 0


def test_headers_from_a_file_that_changes(busy, tmp_path):
    file = tmp_path / "headers"
    file.write_text("# of the test\nAuthorization: Bearer first\n\nX-Scope-OrgID: team-a\r\n")
    with receiving("pyroscope", headers={"X-Scope-OrgID": "team-a"}) as receiver:
        run = start(tmp_path, receiver, "-p", busy.pid, "--push-header-file", file)
        profiler.wait_until(lambda: len(receiver.received) >= 2)
        new = tmp_path / "new"
        new.write_text("Authorization: Bearer second\nX-Scope-OrgID: team-a\n")
        new.rename(file)
        number = len(receiver.received)
        profiler.wait_until(lambda: len(receiver.received) >= number + 3)
        terminate(run)
    tokens = [r.headers["Authorization"] for r in receiver.received]
    assert tokens[0] == "Bearer first" and tokens[-1] == "Bearer second" and tokens == sorted(tokens)
    assert "Bearer" not in run.err


@pytest.mark.parametrize("text, words", [(None, "No such file"), ("no colon\n", "Name: value"),
                                         ("A: b\0c\n", "Name: value"),
                                         (": x\n", "Name: value"), ("X" * 70000, "too large")], ids=repr)
def test_header_file_that_is_wrong(busy, tmp_path, text, words):
    file = tmp_path / "headers"
    if text is not None:
        file.write_text(text)
    with receiving("pyroscope") as receiver:
        run = start(tmp_path, receiver, "-p", busy.pid, "--push-header-file", file)
        profiler.wait_until(lambda: "cannot be pushed" in said(run))
        terminate(run)
    assert not receiver.received and words in run.err and str(file) in run.err
    assert exported(run)["push_dropped"] > 0 == exported(run)["pushed"]


@pytest.mark.parametrize("action", (500, 503, 429, "close"))
def test_tried_again_until_it_works(busy, tmp_path, action):
    with receiving("pyroscope", behave=lambda number: action if number < 3 else None) as receiver:
        run = start(tmp_path, receiver, "-p", busy.pid, "-F", 499)
        profiler.wait_until(lambda: len(receiver.received) >= 4)
        profiler.wait_until(lambda: "pushed again" in said(run))
        interrupt_when_pushed(run, receiver, [busy.pid])
        finish_push(run)
    assert exported(run)["push_dropped"] == 0 and exported(run)["push_failures"] >= 3
    assert run.err.count("cannot be pushed") == 1, run.err
    # Nothing was lost on the way.
    run.samples = [s for r in receiver.received for s in profiler.samples_of(r.profile)]
    run.check_books()


@pytest.mark.parametrize("status", (400, 401, 404, 413, 422))
def test_refused_is_not_tried_again(busy, tmp_path, status):
    with receiving("pyroscope", behave=lambda number: status) as receiver:
        run = end_after(start(tmp_path, receiver, "-p", busy.pid), receiver)
    export = exported(run)
    assert export["push_dropped"] == export["push_failures"] >= (1 if status == 404 else 2)
    # After a 404 there is another way to the receiver, once for each that is under way.
    elsewhere = len(receiver.times) - export["push_dropped"]
    assert 0 < elsewhere <= export["push_dropped"] if status == 404 else elsewhere == 0
    assert run.err.count("cannot be pushed") == 1 and str(status) in run.err and "told to fail" in run.err


def test_given_up_after_five_attempts_each_later(busy, tmp_path):
    with receiving("pyroscope", behave=lambda number: 500) as receiver:
        run = start(tmp_path, receiver, "-p", busy.pid, "-d", 40, interval=1)
        profiler.wait_until(lambda: run.process.poll() is not None or len(receiver.times) >= 6, seconds=60)
        terminate(run)
    gaps = [b - a for a, b in zip(receiver.times[:5], receiver.times[1:5])]
    for gap, pause in zip(gaps, (1, 2, 4, 8)):
        assert gap > 0.74 * pause, gaps
    assert exported(run)["pushed"] == 0


def test_slow_receiver_does_not_hold_it_up(busy, tmp_path):
    """Answers after 1.5 s, three intervals: profiles wait, none is lost, sampling goes on."""
    with receiving("parca", behave=lambda number: 1.5 if number < 2 else None) as receiver:
        run = start(tmp_path, receiver, "-p", busy.pid, "-F", 499)
        profiler.wait_until(lambda: len(receiver.received) >= 6)
        terminate(run)
    assert exported(run)["push_failures"] == exported(run)["push_dropped"] == 0


def test_no_answer_in_time(busy, tmp_path):
    with receiving("pyroscope", behave=lambda number: 10.0 if number == 0 else None) as receiver:
        run = start(tmp_path, receiver, "-p", busy.pid, "--push-timeout", 1)
        profiler.wait_until(lambda: len(receiver.received) >= 2)
        terminate(run)
    assert exported(run)["push_failures"] >= 1 and "timed out" in run.err.lower()


def test_end_in_time_while_the_receiver_hangs(busy, tmp_path):
    with receiving("pyroscope", behave=lambda number: 60.0) as receiver:
        run = start(tmp_path, receiver, "-p", busy.pid)
        profiler.wait_until(lambda: receiver.times)
        terminate(run)
    assert "not pushed" in run.err and exported(run)["push_dropped"] >= 1 and not receiver.received


@pytest.mark.all
def test_the_end_waits_for_a_slow_receiver(busy, tmp_path):
    """The only profile of a run is sent at its end, when its receiver needs longer than a second."""
    with receiving("pyroscope", behave=lambda number: 1.5) as receiver:
        run = start(tmp_path, receiver, "-p", busy.pid, interval=1000)
        profiler.let_use_cpu(run, [busy.pid], 0.3)
        terminate(run)
    assert exported(run)["pushed"] == len(receiver.received) == 1 and "not pushed" not in run.err


def test_nobody_listens(busy, tmp_path):
    run = start(tmp_path, "pyroscope+http://127.0.0.1:9", "-p", busy.pid)
    profiler.wait_until(lambda: "cannot be pushed" in said(run))
    terminate(run)
    assert exported(run)["push_dropped"] >= 1


def certificate(directory, name, *more):
    """A self-signed one with its key, in one file."""
    path = directory / (name + ".pem")
    done = subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                           "-nodes", "-days", "2",
                           "-keyout", path, "-out",
                           directory / "cert", "-subj", "/CN=" + name, *more], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with path.open("a") as f:
        f.write((directory / "cert").read_text())
    return path


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    if not shutil.which("openssl"):
        pytest.skip("SKIP openssl: no openssl command")
    directory = tmp_path_factory.mktemp("tls")
    return {"right": certificate(directory, "right", "-addext", "subjectAltName=IP:127.0.0.1"),
            "other": certificate(directory, "other", "-addext", "subjectAltName=DNS:elsewhere.example"),
            "unknown": certificate(directory, "unknown", "-addext", "subjectAltName=IP:127.0.0.1")}


def test_tls(busy, tmp_path, certificates):
    with receiving("pyroscope", certificate=certificates["right"]) as receiver:
        run = end_after(start(tmp_path, receiver, "-p", busy.pid, "--push-ca-file", certificates["right"]),
                        receiver)
    assert exported(run)["pushed"] == len(receiver.received) >= 2 and not exported(run)["push_failures"]


@pytest.mark.parametrize("served, trusted", [("right", None), ("unknown", "right"), ("other", "other")],
                         ids=("unknown to the system", "another's", "of another name"))
def test_tls_with_a_wrong_certificate(busy, tmp_path, certificates, served, trusted):
    """Not one byte of a profile is sent."""
    with receiving("pyroscope", certificate=certificates[served]) as receiver:
        run = start(tmp_path, receiver, "-p", busy.pid,
                    *(("--push-ca-file", certificates[trusted]) if trusted else ()))
        profiler.wait_until(lambda: "cannot be pushed" in said(run))
        terminate(run)
    assert not receiver.received and not receiver.times
    assert "certificate" in run.err or "SSL" in run.err, run.err


def test_files_and_push_together(busy, tmp_path):
    folder = tmp_path / "profiles"
    folder.mkdir()
    with receiving("parca") as receiver:
        run = end_after(start(tmp_path, receiver, "-p", busy.pid, "-F", 499, "--output-dir", folder),
                        receiver, 4)
    files = [pprof.read(path) for path in sorted(folder.iterdir())]
    assert sum(p.total for p in files) == run.stats["profile"]["samples"]
    # They are taken one after the other, so the end of each differs by little; the sum does not.
    assert sum(r.profile.total for r in receiver.received) == run.stats["profile"]["samples"]


def test_grpc_statuses(busy, tmp_path):
    """An answer of HTTP 200 may still be a refusal: 14 is tried again, 3 is not."""
    with receiving("parca-grpc") as receiver:
        answers = iter((14, 3))

        def answer(request):
            if "writeraw" not in request.path and (status := next(answers, None)):
                request.rfile.read(int(request.headers["Content-Length"]))
                request.send_response(200)
                request.send_header("grpc-status", str(status))
                request.send_header("Content-Length", "0")
                request.end_headers()
            else:
                usual(request)

        usual, receiver.answer = receiver.answer, answer
        run = start(tmp_path, receiver, "-p", busy.pid)
        profiler.wait_until(lambda: len(receiver.received) >= 2)
        terminate(run)
    assert exported(run)["push_failures"] == 2 and exported(run)["push_dropped"] == 1


@pytest.mark.skipif(not shutil.which("go"), reason="SKIP go: no go command (Debian package golang-go)")
def test_go_tool_pprof_reads_what_was_pushed(busy, tmp_path):
    profiles = []

    def keep(body):
        """The profile is the end of the message. Some intervals are too short for a sample of what burns."""
        profile = body[body.index(b"\x1f\x8b\x08"):]
        profiles.extend([profile] if b"spin" in gzip.decompress(profile) else [])

    with receiving("pyroscope") as receiver:
        take = receiver.take
        receiver.take = lambda request, body: (keep(body), take(request, body))
        run = start(tmp_path, receiver, "-p", busy.pid)
        profiler.wait_until(lambda: profiles, what="pushed samples of a function")
        terminate(run)
    (tmp_path / "pushed.pb.gz").write_bytes(profiles[0])
    text = go_pprof.read("-raw", tmp_path / "pushed.pb.gz")
    assert "spin" in text and "[books]" in text, text


def test_credentials_over_http(busy, tmp_path):
    """To another machine: one warning, however often they are sent. 192.0.2.0/24 is for documents, nobody
    has it."""
    file = tmp_path / "headers"
    file.write_text("Authorization: Bearer abc\n")
    run = start(tmp_path, "pyroscope+http://192.0.2.1:9", "-p", busy.pid, "--push-header-file", file,
                "--push-timeout", 1)
    profiler.wait_until(lambda: "others can read" in said(run))
    profiler.wait_until(lambda: "cannot be pushed" in said(run))
    terminate(run)
    assert run.err.count("others can read") == 1 and "abc" not in run.err


def test_credentials_in_the_url(tmp_path):
    done = subprocess.run([profiler.BINARY, "-a", "--push", "pyroscope+https://me:secret@host"], cwd=tmp_path,
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
    assert "--push-header-file" in done.stderr and "secret" not in done.stderr


@pytest.mark.parametrize("arguments, words", [
    (("--push", "http://x:1"), ("--push", "pyroscope+http")),
    (("--push", "ftp://x"), ("--push",)),
    (("--push", "pyroscope+http://"), ("--push",)),
    (("--push", "pyroscope+http://x/?a=b"), ("--push",)),
    (("--push", "parca+http://x", "--push-format", "pyroscope"), ("--push",)),
    (("--push", "otlp+http://x", "--push-format", "parca"), ("--push", "otlp+http")),
    (("--push-header-file", "x"), ("--push-header-file", "--push")),
    (("--push", "parca+http://x", "--push-timeout", "0"), ("--push-timeout",)),
    (("--push", "parca+http://x", "-o", "y"), ("--output",)),
], ids=" ".join)
def test_bad_input(tmp_path, arguments, words):
    done = subprocess.run([profiler.BINARY, "-a", *arguments], cwd=tmp_path, capture_output=True, text=True,
                          timeout=300)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
    assert all(word in done.stderr for word in words)
