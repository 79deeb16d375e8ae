# SPDX-License-Identifier: GPL-2.0-only
"""--listen: profiles over HTTP, as Google's reader and others ask for them; metrics, as Prometheus reads
them; clients that go away, are slow or talk nonsense.

Targets are stopped (SIGSTOP) when windows open and close, so that windows of different requests must hold
exactly the same samples."""
import collections
import contextlib
import html.parser
import http.client
import os
import random
import re
import resource
import signal
import subprocess
import time

import pytest

import formats
import go_pprof
import home
import interpreters as known
import interval_graph
import profiler
import waits
from serving import Later, connect, free_port, server, talk
from stopped import let_run, stop


@pytest.fixture
def busy(tmp_path, workloads):
    """Two programs of different names, which are those of the links they were started by; stopped."""
    (tmp_path / "bin").mkdir()
    first, second = tmp_path / "bin" / "first one", tmp_path / "bin" / "second<b>"
    for link in first, second:
        link.symlink_to(known.usual().path)
    with profiler.targets([(first, workloads / "burn.py"), (second, workloads / "shares.py", 1)]) as targets:
        for target in targets:
            stop(target)
        yield targets


def pids(targets):
    return ",".join(str(target.pid) for target in targets)


def stacks(profile):
    """What was counted, whatever the order."""
    found = collections.Counter()
    for sample in profile.samples:
        found[tuple(sample.frames), tuple(sorted(sample.labels.items()))] += sample.count
    return found


def go_tool_pprof(directory, *arguments):
    return go_pprof.read(*arguments, timeout=120, cwd=directory, PPROF_TMPDIR=str(directory),
                         GOFLAGS="-mod=mod")


def test_go_tool_pprof(tmp_path, workloads):
    """By the bare address as well, to which it adds path and duration itself."""
    with profiler.target(known.usual().path, workloads / "shares.py", 1) as target:
        with server(tmp_path, "--pid", target.pid, "-F", 997) as s:
            top = go_tool_pprof(tmp_path, "-top", "-seconds", "2", s.url)
            assert "heavy" in top and "light" in top
            # The two seconds are those between two readings of the kernel, which may be some ms less.
            assert float(re.search(r"Duration: ([\d.]+)s", top)[1]) > 1.9
            raw = go_tool_pprof(tmp_path, "-raw", s.url + "/debug/pprof/profile?seconds=2")
            assert "pid:[%d]" % target.pid in raw and "shares.py" in raw
            assert "samples/count cpu/nanoseconds" in raw


def test_requests_at_once_agree(tmp_path, busy):
    """Windows of different lengths and filters around the same work: the same samples,
    and parts that add up."""
    first, second = busy
    queries = ["seconds=4", "seconds=5", "seconds=4&pid=%d" % first.pid, "seconds=5&pid=%d" % second.pid,
               "seconds=4&comm=first%20one", "seconds=4&comm=second%3Cb%3E", "seconds=4&comm=other",
               "seconds=4&pid=%d&comm=other" % first.pid]
    with server(tmp_path, "--pid", pids(busy), "-F", 499, stats=True) as s:
        answers = [Later(s.profile, query) for query in queries]
        s.wait_for_open(len(queries))
        let_run(busy)
        whole, longer, of_first, of_second, by_first, by_second, *nothing = [a.get() for a in answers]
        assert s.metric("profile_requests_open") == 0
        assert s.metric("profiles_served_total") == len(queries)
        s.stop()
    assert whole.total > 20
    assert stacks(whole) == stacks(longer)
    assert stacks(of_first) == stacks(by_first) and stacks(of_second) == stacks(by_second)
    assert stacks(of_first) + stacks(of_second) == stacks(whole)
    assert {sample.labels["pid"] for sample in of_first.samples} == {first.pid}
    assert [profile.total for profile in nothing] == [0, 0]
    assert 3.9e9 < whole.duration_nanos < longer.duration_nanos < 20e9
    # All that was sampled in this run was sampled in these windows.
    inside = {outcome.key for outcome in profiler.TICK_OUTCOMES if outcome.place != "OUTSIDE"}
    assert sum(s.run.stats["outcomes"][key] for key in inside) == whole.total


def test_windows_one_after_the_other_lose_nothing(tmp_path, busy):
    with server(tmp_path, "--pid", pids(busy)) as s:
        around = Later(s.profile, "seconds=12")
        parts = []
        for _ in range(2):
            part = Later(s.profile, "seconds=4")
            s.wait_for_open(2)
            let_run(busy)
            parts.append(part.get())
        assert sum((stacks(part) for part in parts), collections.Counter()) == stacks(around.get())


@pytest.mark.alone  # what is to happen at the end of a window must be in time
def test_names_that_are_on_their_way(tmp_path, workloads):
    """Of code that is met just before a window ends, and whose line table only the worker can read."""
    for _ in range(20):  # until the signal and the end were in time
        with profiler.target(known.usual().path, workloads / "long_function.py") as target:
            with server(tmp_path, "--pid", target.pid) as s:
                answer = Later(s.profile, "seconds=3")
                profiler.wait_until(lambda: s.metric("profile_requests_open") or not answer.is_alive(),
                                    what="a window, which may be over on a busy machine")
                time.sleep(2.6)
                os.kill(target.pid, signal.SIGUSR1)
                profile = answer.get()
        lines = {sample.frames[0].line for sample in profile.samples if sample.frames[0].function == "long"}
        assert 1 not in lines  # what is said of a line that is not known
        assert 2.9e9 < profile.duration_nanos
        in_time = profile.duration_nanos < 3.5e9  # the wait is no part of it
        if in_time and lines & set(range(target.about["lines"] - 2, target.about["lines"] + 1)):
            return
    assert False, (profile.duration_nanos, lines)


def test_one_connection_for_many_requests(one_server):
    connection = http.client.HTTPConnection("127.0.0.1", one_server.port, timeout=30)
    with contextlib.closing(connection):
        connection.connect()
        socket = connection.sock
        for path in ("/metrics", "/debug/pprof/profile?seconds=1", "/x", "/debug/pprof/profile?seconds=0",
                     "/healthz"):
            connection.request("GET", path)
            assert connection.getresponse().read()
        assert connection.sock is socket


def test_every_format(tmp_path, busy):
    """The same stretch in each format of the list tells the same, under the type that the list names."""
    with server(tmp_path, "--pid", pids(busy), "-F", 499) as s:
        asked = [Later(s.get, "/debug/pprof/profile?seconds=8&pid=%d&format=%s" % (busy[1].pid, format.name))
                 for format in formats.FORMATS]
        s.wait_for_open(len(asked))
        let_run(busy)
        answers = dict(zip(formats.FORMATS, (answer.get() for answer in asked)))
    expected = formats.read_pprof(answers[formats.DEFAULT].body)
    assert sum(expected.values()) > 5
    for format, answer in answers.items():
        assert formats.read(format, answer.body) == expected, format
        assert answer.headers["Content-Type"] == format.type
        shown = format.type.startswith("text/")
        saved_as = None if shown else 'attachment; filename="profile%s"' % format.suffix
        assert answer.headers.get("Content-Disposition") == saved_as
    folded = next(answers[f].body.decode() for f in formats.FORMATS if f.name == "folded")
    assert all(line.startswith("second<b> (pid %d);" % busy[1].pid) for line in folded.splitlines())


@pytest.mark.parametrize("query, word", [
    ("seconds=0", "from 1 to 600"), ("seconds=601", "601"), ("seconds=-1", "-1"), ("seconds=", "seconds"),
    ("seconds=1e1", "1e1"), ("seconds=1&seconds=2", "twice"), ("seconds=99999999999999999999", "seconds"),
    ("pid=", "pid"), ("pid=one", "one"), ("pid=1&pid=2", "twice"), ("comm=", "comm"), ("format=png", "png"),
    ("secs=5", "there are seconds"), ("pid", "pid=..."), ("%0a%1b[31m=1", "unknown"),
    ("x" * 5000 + "=1", "unknown"),
])
def test_bad_questions(one_server, query, word):
    answer = one_server.get("/debug/pprof/profile?" + query)
    text = answer.body.decode("ascii")
    assert answer.status == 400 and word in text
    assert text.count("\n") == 1 and text.isprintable() or text.rstrip("\n").isprintable()


@pytest.fixture(scope="module")
def one_server(tmp_path_factory):
    with server(tmp_path_factory.mktemp("http"), "--all-python", "--listen-metrics", free_port()) as s:
        s.second = int(s.run.command[s.run.command.index("--listen-metrics") + 1])
        yield s
        assert s.is_ready()
        assert s.stop() < 20


def test_methods_and_paths(one_server):
    s = one_server
    assert s.get("/healthz").body == b"alive\n" and s.get("/readyz").body == b"sampling\n"
    head = s.get("/metrics", method="HEAD")
    assert head.status == 200 and head.body == b"" and int(head.headers["Content-Length"]) > 1000
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "BREW"):
        answer = s.get("/metrics", method=method, body=b"x" * 100000)
        assert answer.status == 405 and answer.headers["Allow"] == "GET, HEAD"
    assert s.get("/debug/pprof/profile", method="HEAD").status == 405
    assert b"profile" in s.get("/debug/pprof/").body
    for path in ("/x", "/../etc/passwd", "/debug/pprof/profile/", "//", "/debug/pprof/heap", "/page.css/"):
        assert s.get(path).status in (400, 404), path


def test_second_address_has_only_metrics(one_server):
    s = one_server
    assert [s.get(path, port=s.second).status for path in ("/metrics", "/healthz", "/readyz")] == [200] * 3
    for path in ("/", "/debug/pprof/", "/debug/pprof/profile", "/debug/pyperf/interval", "/page.js",
                 "/page.css"):
        answer = s.get(path, port=s.second)
        assert answer.status == 404 and answer.body == b"there are /metrics, /healthz, /readyz\n"
    assert set(s.metrics(s.second)) == set(s.metrics())


def test_foreign_host_names_are_refused(one_server):
    """A web page of somebody else whose name was made to mean 127.0.0.1."""
    for host, status in (("evil.example", 403), ("evil.example:80", 403), ("localhost", 200),
                         ("[::1]:1", 200)):
        assert one_server.get("/healthz", headers={"Host": host}).status == status


@pytest.mark.parametrize("data", [
    b"\r\n" * 100000, b"\0" * 100000, b"GET", b"GET /\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\xff" * 70000,
    b"GET /" + b"a" * 1000000 + b" HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\nX: " + b"b" * 1000000 + b"\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 100000 + b"\r\n", b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nxx\r\n",
    b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999999\r\n\r\nx",
    b"GET /?" + b"&".join(b"k%d=v" % i for i in range(1000)) + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n" * 1000,
], ids=lambda data: data[:20].decode("latin-1").replace("\r\n", ".").replace("\0", "0") or "empty")
def test_nonsense(one_server, data):
    talk(one_server.port, data, timeout=3)
    assert one_server.is_ready()


def test_metrics(tmp_path, busy):
    """Every outcome and every counter by name, with the words of the tables they come from;
    no name of a target."""
    lost, outside = waits.stolen(), bool(home.refusal())
    with server(tmp_path, "--pid", pids(busy), "-F", 499) as s:
        let_run(busy)
        # What each CPU has had is read once a second. From outside no look is of a CPU, and none is expected.
        name_of_last = "pyperf_ticks_total" if outside else "pyperf_cpu_ticks_total"
        profiler.wait_until(lambda: any(value for (name, _), value in s.metrics().items()
                                        if name == name_of_last), what="count by CPU")
        text = s.get("/metrics").body.decode()
        before, after = s.metrics(), s.metrics()
    lost = (waits.stolen() - lost) / 1e9  # seconds in which a hypervisor let no tick come, or halted one
    counters = re.findall(r'^STAT\((\w+), "([^"]*)"\)', (profiler.ROOT / "bpf" / "stats.def").read_text(),
                          re.M)
    assert len(counters) > 10
    for name, words in counters:
        assert "# HELP pyperf_%s_total %s\n# TYPE pyperf_%s_total counter\n" % (name, words, name) in text
    ticks = before["pyperf_ticks_total", ()]
    outcomes = {dict(labels)["outcome"]: value for (name, labels), value in before.items()
                if name == "pyperf_outcomes_total"}
    assert set(outcomes) == {outcome.key for outcome in profiler.TICK_OUTCOMES}
    assert abs(sum(outcomes.values()) - ticks) <= os.cpu_count()  # the tick that is under way on each CPU
    assert outcomes["whole"] > 20
    cpus = {dict(labels)["cpu"]: value for (name, labels), value in after.items()
            if name == "pyperf_cpu_ticks_total"}
    wanted = {dict(labels)["cpu"]: value for (name, labels), value in after.items()
              if name == "pyperf_cpu_ticks_expected_total"}
    assert set(cpus) == set(wanted) == {str(cpu) for cpu in os.sched_getaffinity(0) if not outside}
    # As of the last second. Busy time is told in hundredths of a second: 5 ticks of each CPU, at both ends.
    assert outside or 0 < sum(cpus.values()) <= after["pyperf_ticks_total", ()]
    assert outside or 0 < sum(wanted.values()) <= after["pyperf_ticks_expected_total", ()] + 10 * len(wanted)
    for cpu, expected in wanted.items():
        assert cpus[cpu] + 499 * lost > 0.5 * expected or expected < 100, (cpus, wanted, lost)
    for key, value in before.items():
        assert not key[0].endswith("_total") or after[key] >= value, key
    sampler = ("program", "sampler"),
    assert before["pyperf_kernel_runs_total", sampler] >= ticks - os.cpu_count()
    runs = before["pyperf_kernel_runs_total", sampler]
    assert 0 < before["pyperf_kernel_seconds_total", sampler] < (5e-3 if outside else 1e-3) * runs + lost
    assert before["pyperf_cpu_seconds_total", ()] > 0 and before["pyperf_map_bytes", ()] > 1 << 20
    for process in ("profiler", "worker", "parser"):
        assert 1 << 20 < before["pyperf_resident_bytes", (("process", process),)] < 1 << 30
    assert before["pyperf_processes_live", ()] == 2 and before["pyperf_sampling", ()] == 1
    told = {value for _, labels in [*before, *after] for _, value in labels}
    assert str(busy[0].pid) not in told
    for name in ("burn", "heavy", "first one"):
        assert not any(name in value for value in told)


def test_a_client_that_leaves_frees_its_window(tmp_path):
    # An instrumented binary keeps what is freed, unless told not to.
    with server(tmp_path, "--all-python", env=dict(os.environ, ASAN_OPTIONS="quarantine_size_mb=1")) as s:
        memory = s.metrics()["pyperf_resident_bytes", (("process", "profiler"),)]
        clients = [connect(s.port, source) for source in ["127.0.0.1"] * 12 + ["127.0.0.2"] * 4]
        for client in clients:
            client.sendall(b"GET /debug/pprof/profile?seconds=60 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        s.wait_for_open(16)
        refused = s.get("/debug/pprof/profile?seconds=1")
        assert refused.status == 503 and "Retry-After" in refused.headers and b"16" in refused.body
        for client in clients[:8]:
            client.close()
        s.wait_for_open(8)
        for client in clients[8:]:
            client.close()
        s.wait_for_open(0)
        assert s.metric("profiles_abandoned_total") == 16
        assert s.metrics()["pyperf_resident_bytes", (("process", "profiler"),)] < memory + (16 << 20)
        assert s.profile("seconds=1").duration_nanos > 9e8


def test_a_slow_client_loses_its_place(tmp_path):
    """Who sends one byte now and then is hung up on after ten seconds."""
    with server(tmp_path, "--all-python") as s, connect(s.port) as client:
        assert drip(client) < 55
        assert s.is_ready()


def drip(client):
    """Sends a header for ever, slowly. Returns the seconds until that is refused."""
    start = time.monotonic()
    with contextlib.suppress(OSError):
        client.sendall(b"GET / HTTP/1.1\r\nX: ")
        while time.monotonic() - start < 60:
            client.sendall(b"x")
            time.sleep(0.5)
    return time.monotonic() - start


def test_an_endless_body_is_cut_off(tmp_path):
    def send(client):
        with contextlib.suppress(OSError):
            client.sendall(b"POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
                           b"1000000000000\r\n\r\n")
            while True:
                client.sendall(b"x" * 1000)
                time.sleep(0.01)

    with server(tmp_path, "--all-python") as s, connect(s.port) as client:
        Later(send, client).get(timeout=240)
        assert s.is_ready()


@pytest.mark.parametrize("waiting", (0, 3))
def test_sigterm(tmp_path, busy, waiting):
    """Within two seconds, ten times that when busy; who waits for a profile gets what there is."""
    with server(tmp_path, "--pid", pids(busy)) as s:
        answers = [Later(s.profile, "seconds=600") for _ in range(waiting)]
        s.wait_for_open(waiting)
        let_run(busy)
        assert s.stop() < 20
        for answer in answers:
            profile = answer.get()
            assert profile.total > (0 if home.refusal() else 10) and 0.2e9 < profile.duration_nanos < 60e9


def test_sigterm_with_clients_that_do_not_read(tmp_path, busy):
    with server(tmp_path, "--pid", pids(busy)) as s, contextlib.ExitStack() as stack:
        for _ in range(4):
            client = stack.enter_context(connect(s.port))
            client.sendall(b"GET /debug/pprof/profile?seconds=600 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        s.wait_for_open(4)
        client = stack.enter_context(connect(s.port))
        client.sendall(b"GET /metrics HTT")
        assert s.stop() < 20


def test_no_file_unless_asked_for(tmp_path):
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    with server(tmp_path / "here", "--all-python", stats=False, cwd=tmp_path / "here") as s:
        s.stop()
    assert os.listdir(tmp_path / "here") == []
    with server(tmp_path / "there", "--all-python", output="profile.pb.gz") as s:
        s.stop()
    assert s.run.samples is not None and s.run.stats  # and finish() has checked the books


def test_duration_ends_it(tmp_path):
    with server(tmp_path, "--all-python", "-d", 3) as s:
        s.run.finish()


def test_port_in_use(tmp_path, one_server):
    for option in ("--listen", "--listen-metrics"):
        done = subprocess.run([profiler.BINARY, "-a", "-d", "5", option, str(one_server.port)],
                              capture_output=True,
                              text=True, timeout=120, cwd=tmp_path)
        assert done.returncode == 1 and len(home.without_notice(done.stderr).splitlines()) == 1, done.stderr
        assert option in done.stderr and "another program listens there" in done.stderr
    done = subprocess.run([profiler.BINARY, "-a", "-d", "5", "--listen", "192.0.2.1:80"], capture_output=True,
                          text=True, timeout=120, cwd=tmp_path)
    assert done.returncode == 1 and "no such address" in done.stderr


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.cells = collections.Counter(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags[tag] += 1

    def handle_data(self, data):
        self.cells.append(data.strip())


def test_page_and_interval(tmp_path, busy):
    """What is being profiled, and where its time went. A process's name is no markup."""
    with server(tmp_path, "--pid", pids(busy), "-F", 499) as s:
        let_run(busy)
        profiler.wait_until(lambda: interval_graph.fetch(s), what="first interval")
        answer = s.get("/")
        whole, part = interval_graph.fetch_same(s, "", "?pid=%d" % busy[1].pid)
        assert s.get(interval_graph.PATH + "?pod").status == 400
    page = Page(answer.body.decode())
    assert "second<b>" in page.cells and "first one" in page.cells and str(busy[0].pid) in page.cells
    listed = answer.body.decode().partition('<div id="processes">')[2].partition("</div>")[0]
    assert page.tags["b"] == 0 and Page(listed).tags["tr"] == 3
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert not re.search(r"(src|href)=\"?(https?:)?//", answer.body.decode())
    assert {"burn", "heavy", "light"} <= whole.names()
    assert {("second<b>", busy[1].pid), ("first one", busy[0].pid)} <= {
        (dict(owner)["comm"], dict(owner)["pid"]) for owner, _ in whole.stacks}
    assert whole.total == sum(whole.stacks.values()) > 20
    assert "burn" not in part.names() and 0 < part.total < whole.total


def test_descriptors_are_given_back(tmp_path):
    with server(tmp_path, "--all-python") as s:
        fds = "/proc/%d/fd" % s.run.process.pid
        s.get("/")
        before = len(os.listdir(fds))
        for _ in range(100):
            s.get("/metrics")
            talk(s.port, b"GET /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        for _ in range(5):
            s.profile("seconds=1")
        profiler.wait_until(lambda: len(os.listdir(fds)) <= before, what="closed descriptors")
    assert before < resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def misbehave(port, seed, end):
    """One client after the other: in pieces, in a hurry, gone before the answer,
    with more than was asked for."""
    draw = random.Random(seed)
    paths = ["/", "/metrics", "/debug/pyperf/interval", "/healthz", "/x", "/debug/pprof/profile?seconds=1",
             "/debug/pprof/profile?seconds=1&format=folded&comm=python", "/debug/pprof/profile?seconds=600"]
    while time.monotonic() < end:
        request = "".join("%s %s HTTP/1.%d\r\nHost: localhost\r\n\r\n" % (
            draw.choice(["GET", "GET", "GET", "HEAD", "POST"]), draw.choice(paths), draw.randrange(2))
            for _ in range(draw.choice([1, 1, 2, 5]))).encode()
        if draw.random() < 0.2:
            at = draw.randrange(len(request))
            request = request[:at] + draw.randbytes(8) + request[at:]
        with contextlib.suppress(OSError), connect(port) as s:
            s.settimeout(draw.choice([0.01, 0.1, 1.5]))
            while request:
                piece = draw.choice([1, 7, 1000, 1000])
                s.sendall(request[:piece])
                request = request[piece:]
            while draw.random() < 0.9 and s.recv(draw.choice([1, 100, 65536])):
                pass


def test_storm(tmp_path, busy):
    with server(tmp_path, "--pid", pids(busy)) as s:
        s.get("/")
        fds = "/proc/%d/fd" % s.run.process.pid
        before = len(os.listdir(fds))
        for target in busy:
            os.kill(target.pid, signal.SIGCONT)
        end = time.monotonic() + 10
        for client in [Later(misbehave, s.port, seed, end) for seed in range(8)]:
            client.get(timeout=120)
        s.wait_for_open(0)
        profiler.wait_until(lambda: len(os.listdir(fds)) <= before, what="closed descriptors")
        assert s.metric("http_answers_total") > 100
        assert s.profile("seconds=4").total > 10
        assert s.stop() < 20
