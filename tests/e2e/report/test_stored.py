# SPDX-License-Identifier: GPL-2.0-only
"""`report` on a store of profiles: what is asked, and who listens there may answer anything. What a real one
answers is in tests/e2e/push/test_receivers.py."""
import contextlib
import json
import re
import subprocess

import pytest

import interpreters as known
import pprof
import profiler
from local_server import LocalServer
from mcp_client import Server
from protobuf import number, text as field
from serving import free_port

SERVICE = "/querier.v1.QuerierService/"
CALL = SERVICE + "SelectMergeProfile"
CPU = "process_cpu:%s:cpu:nanoseconds"


def report(url, *arguments, code=0):
    done = profiler.command("report", url, *arguments, code=code)
    assert code in (0, 3) or done.stderr.count("\n") == 1, done.stderr
    return done


class Store(LocalServer):
    """Answers each question with the same; or, of what a function has for its type and selector, with that.
    nodes: those that it has something of."""

    METHOD = "POST"

    def __init__(self, status, body, nodes=()):
        self.status, self.body, self.nodes, self.asked = status, body, nodes, []
        super().__init__()

    def of(self, request):
        if request.path.endswith("SelectSeries"):
            return series(self.nodes) if isinstance(self.nodes, tuple) else self.nodes
        if not callable(self.body):
            return self.body
        kind, selector = (self.asked[-1][2][number][0].decode() for number in (1, 2))
        return self.body(kind, selector)

    def answer(self, request):
        message = pprof.decode(request.rfile.read(int(request.headers["Content-Length"])))
        self.asked.append((request.path, dict(request.headers), message))
        body = self.of(request)
        request.send_response(self.status)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)


def series(nodes):
    """SelectSeriesResponse of one series each."""
    labels = [field(1, b"node") + field(2, node.encode()) for node in nodes]
    return b"".join(field(1, field(1, label)) for label in labels)


@pytest.fixture
def store():
    started = []

    def start(*arguments):
        started.append(Store(*arguments))
        return started[-1]

    yield start
    for one in started:
        one.close()


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    return profiler.run(tmp_path_factory.mktemp("written"), "-F", 999, "--", known.newest().path, "-c",
                        "sum(i * i for i in range(3000000))").path


def url_of(store, query='{service_name="shop"}', more=""):
    return "pyroscope+http://%s/?query=%s%s" % (store.authority, query, more)


def test_what_it_answers_is_a_profile(store, written, tmp_path):
    """The query is sent as it was written; times are milliseconds since 1970, and the token is shown."""
    one, token = store(200, written.read_bytes()), tmp_path / "token"
    token.write_text("an-example-of-a-token-0123456789")
    url = url_of(one, "process_cpu:cpu{team=%22a%20b%22}", "&from=2026-11-25T15:00&until=2026-11-25T16:00")
    found = json.loads(report(url, "--json", "--token-file", token).stdout)
    asked_for, there = found["tables"], json.loads(report(written, "--json").stdout)["tables"]
    assert asked_for == there and found["profile"]["start"].startswith("2026-11-25T15:00:00")
    (path, headers, message), = one.asked
    assert path == CALL and headers["Content-Type"] == "application/proto"
    assert headers["Authorization"] == "Bearer " + token.read_text() and "X-Scope-OrgID" not in headers
    assert message[1] == [b"process_cpu:cpu"] and message[2] == [b'{team="a b"}']
    assert message[3] == [1795618800000] and message[4] == [1795622400000]


def test_of_a_prefix_and_with_times_of_options(store, written):
    one = store(200, written.read_bytes())
    report("pyroscope+http://%s/store/?query={}" % one.authority, "--from", "2026-11-25", "--to",
           "2026-11-26")
    assert {path for path, _, _ in one.asked} == {"/store" + CALL}
    types = [message[1][0].decode() for _, _, message in one.asked]
    assert types == [CPU % kind for kind in ("samples:count", "cpu:nanoseconds", "books:count")]
    message = one.asked[0][2]
    assert message[2] == [b"{}"]
    assert message[4][0] - message[3][0] == 86400000


def test_two_parts_of_one_query(store, written):
    """What the labels of --base and of --new choose of it."""
    one = store(200, written.read_bytes())
    for query, begins in ('{service_name="shop"}', b'{service_name="shop",'), ("", b"{"):
        done = profiler.command("diff", "--base", 'version="1.4"', "--new", 'version="1.5"',
                                url_of(one, query))
        assert "(all)" in done.stdout
        selectors = [message[2][0] for _, _, message in one.asked]
        assert selectors == [begins + b'version="%s"}' % version for version in (b"1.4", b"1.5")
                             for _ in range(4)]
        one.asked.clear()


def test_a_tenant(store, written):
    one = store(200, written.read_bytes())
    report(url_of(one, more="&tenant=team-a"))
    assert {headers["X-Scope-OrgID"] for _, headers, _ in one.asked} == {"team-a"}


def test_headers_of_a_file(store, written, tmp_path):
    """As pushes have them: the same file will do. One that is none is said, and nothing is asked."""
    one, file = store(200, written.read_bytes()), tmp_path / "headers"
    file.write_text("# of the gateway\nAuthorization: Basic c2hvcDpv\nX-Team: a b\n")
    report(url_of(one), "--header-file", file)
    assert one.asked and {(headers["Authorization"], headers["X-Team"])
                          for _, headers, _ in one.asked} == {("Basic c2hvcDpv", "a b")}
    one.asked.clear()
    for text, words in (("no line of that kind\n", "a line is not 'Name: value'"), (None, "No such file")):
        file.write_text(text) if text else file.unlink()
        done = profiler.command("report", "--header-file", file, url_of(one), code=1)
        assert "%s: %s" % (file, words) in done.stderr and len(done.stderr.splitlines()) == 1
    assert not one.asked


def some(samples, books=()):
    """A store's answer with such samples, {function: ticks}, or with the books."""
    def of(kind, _):
        named = kind.split(":")[1]
        if named == "books":
            return encode("books", "count", {(name, "[books]"): amount for name, amount in books})
        one = 10**7 if named == "cpu" else 1
        unit = "nanoseconds" if named == "cpu" else "count"
        return encode(named, unit, {(name, "main"): one * ticks for name, ticks in samples.items()})
    return of


def encode(kind, unit, stacks):
    """pprof with one type and such stacks, leaf first."""
    names = sorted({name for stack in stacks for name in stack})
    texts = ["", kind, unit, *names]
    out = field(1, number(1, 1) + number(2, 2))
    for stack, value in stacks.items():
        ids = [names.index(name) + 1 for name in stack]
        out += field(2, b"".join(number(1, one) for one in ids) + number(2, value))
    for i, _ in enumerate(names, 1):
        out += field(4, number(1, i) + field(4, number(1, i))) + field(5, number(1, i) + number(2, i + 2))
    return out + b"".join(field(6, text.encode()) for text in texts)


def test_books_come_back(store):
    """What was lost is said as of a file, how it was sampled is told apart; without books that is said."""
    books = (("profiles", 1200), ("ticks that came where some are missing", 970), ("full ticks_thinned", 30),
             ("ticks wanted where some are missing", 1000), ("run pyperf-bpf 0.1.0, 99 Hz", 1100),
             ("run pyperf-bpf 0.1.0, 49 Hz", 100), ("run \x1b[31m", 1))
    one = store(200, some({"work": 300}, books))
    found = json.loads(report(url_of(one), "--json").stdout)
    assert found["profile"]["samples"] == 300 and found["profile"]["total"] == 3 * 10**9
    assert found["books"]["pushed"]["amounts"] == {name: amount for name, amount in books
                                                   if not name.startswith("run")}
    said = report(url_of(one)).stdout
    for words in ("1,200 profiles were pushed of this, as pyperf-bpf 0.1.0, 99 Hz (1,100); ",
                  "970 of 1,000 ticks came", "30 ticks were not looked at, to keep within --budget",
                  "99 Hz (1,100); pyperf-bpf 0.1.0, 49 Hz (100)", "shares rest on 300 samples"):
        assert words in said, said
    assert "\x1b" not in said
    assert "nothing says what was lost" in report(url_of(store(200, some({"work": 3})))).stdout


@pytest.mark.parametrize("arguments, code", (
    (("--base", 'a="b"', "--new", "}{"), 1),
    (("--base", 'a="b"'), 2),
), ids=("no-labels", "one-alone"))
def test_no_part_of_it(store, arguments, code):
    one = store(200, b"")
    done = profiler.command("diff", *arguments, url_of(one), code=code)
    assert done.stderr.count("\n") == 1


def test_parts_of_a_file(written):
    done = profiler.command("diff", "--base", 'a="b"', "--new", 'a="c"', written, code=1)
    assert "of a store of profiles" in done.stderr


def test_nothing_is_stored(store):
    report(url_of(store(200, b"")), code=3)


@pytest.mark.parametrize("status, body, words", (
    (400, json.dumps({"code": "invalid_argument", "message": "no \x1b[31m such label"}).encode(), "no ?"),
    (500, b"<html>\n\n" + b"x" * 5000, "answer is 500"),
    (200, b"\x1f\x8b" + b"damaged", ""),
    (200, b"{}", ""),
), ids=("refused", "broken", "damaged", "no-profile"))
def test_an_answer_that_is_none(store, status, body, words):
    error = report(url_of(store(status, body)), code=1).stderr
    assert words in error and "\x1b" not in error and len(error) < 600


@pytest.mark.parametrize("query", ("?quer={}", "?query={}&from=yesterday", "?query={}&from=-1h&until=-2h",
                                   "?query=" + "x" * 5000, "?query=%00", "@x/?query={}",
                                   "?query={}&tenant=", "?query={}&tenant=a%0d%0aX: y"))
def test_a_query_that_is_none(store, query):
    one = store(200, b"")
    assert "query=" in report("pyroscope+http://%s/%s" % (one.authority, query), code=1).stderr
    assert not one.asked


def test_nobody_listens():
    error = report("pyroscope+http://127.0.0.1:%d/?query={}" % free_port(), code=1).stderr
    assert "connect" in error.lower()


def test_wary(store, written):
    """Who asks for others learns nothing of it."""
    one = store(200, written.read_bytes())
    report(url_of(one), "--wary", code=1)
    assert not one.asked


def fleet(slow=(), lost=()):
    """A store of five nodes a version, of which those of 1.5 that are named need thrice as much for work."""
    def of(kind, selector):
        found = re.search('node="(n[0-9])"', selector)
        if 'version="1.5"' not in selector:
            slower = 1
        else:
            slower = 3 if found and found[1] in slow else 1
        if kind.split(":")[1] == "books":
            return some({}, [("profiles", 20), *(lost if 'version="1.5"' in selector else ())])(kind, "")
        return some({"work": 100 * slower, "rest": 1000 - 100 * slower} if found else {})(kind, "")
    return of


NODES = ("n1", "n2", "n3", "n4", "n5")
CANARY = "diff", "--base", 'version="1.4"', "--new", 'version="1.5"', "--fail-over", "5"


def test_a_canary(store):
    """What all nodes of the new version have is more than chance; each side says what it rests on, and what
    was lost of it."""
    url = url_of(store(200, fleet(NODES, [("ticks of processes that may not be read", 7)]), NODES))
    done = profiler.command(*CANARY, url, code=4)
    assert done.stdout.count("5,000 samples, of 5 nodes") == 2, done.stdout
    row, = (line for line in done.stdout.splitlines() if line.endswith(" work"))
    assert "*" in row and "only on" not in row
    assert "new: 7 ticks of processes that may not be read" in done.stdout
    assert "base: 7" not in done.stdout and "work grew by more than 5 %" in done.stderr
    found = json.loads(profiler.command(*CANARY, "--json", url, code=4).stdout)
    assert found["base"]["nodes"] == found["new"]["nodes"] == 5 and found["scale"] == 1
    assert found["new"]["pushed"]["profiles"] == 20


def test_one_bad_node(store):
    url = url_of(store(200, fleet(("n4",)), NODES))
    found = json.loads(profiler.command(*CANARY, "--json", url).stdout)
    row, = (row for row in found["rows"] if row["name"] == "work")
    assert row["node"] == "n4" and not row["beyond_chance"]
    assert " work  only on n4\n" in profiler.command(*CANARY, url).stdout
    text = profiler.command(*CANARY, "--format", "markdown", url).stdout
    row, = re.findall(r"^\|.*\| `work` .*$", text, re.M)
    assert row.endswith(" only on `n4` |") and "**" not in row
    assert "one node makes alone, or nodes differ in among themselves, is not bold" in text


def test_markdown_has_nodes_and_books(store):
    """What each side rests on, and what was lost of it, below the table as a list."""
    url = url_of(store(200, fleet(NODES, [("ticks of processes that may not be read", 7)]), NODES))
    text = profiler.command(*CANARY, "--format", "markdown", url, code=4).stdout
    assert text.count("(5,000 samples) of 5 nodes in") == 2
    lost = "- new: `7 ticks of processes that may not be read are not in here (each service of a machine "
    assert lost in text and "- base: `7" not in text and "- base: `20 profiles were pushed" in text
    assert text.index("\n\n- base: ") > text.index("is not bold.")


def test_requests_of_each_side(store):
    """Twice as many requests took as much, so each took half."""
    url = url_of(store(200, fleet(), NODES))
    found = json.loads(profiler.command(*CANARY, "--per", "1000,2000", "--json", url).stdout)
    assert found["scale"] == 2 and found["whole"]["self"] == -5 * 10**10


def test_more_nodes_than_are_told_apart(store):
    """100 of them: 25 are asked for one by one, and the others together."""
    one = store(200, fleet(), tuple("m%d" % i for i in range(100)))
    report(url_of(one), "--by", "label:node", code=3)
    selectors = {message[2][0].decode() for _, _, message in one.asked}
    told = {found[1] for found in (re.search('node="(m[0-9]+)"', one) for one in selectors) if found}
    others, = (one for one in selectors if "!~" in one)
    assert len(told) == 25 and set(re.findall("m[0-9]+", others)) == told


@pytest.mark.parametrize("nodes", (
    ('a"} or {b="c', "\x1b[31m", "", "x" * 500), b"\xff" * 100, b"\x0a\x7f", series(("n1",))[:-1],
), ids=("names", "no-message", "cut", "cut-name"))
def test_nodes_that_are_none(store, written, nodes):
    """Such a name is never part of a query."""
    one = store(200, written.read_bytes(), nodes)
    done = subprocess.run([profiler.BINARY, "report", "--by", "label:node", url_of(one)], capture_output=True,
                          text=True, timeout=60)
    assert done.returncode in (0, 1) and "\x1b" not in done.stderr + done.stdout
    assert {message[2][0] for _, _, message in one.asked} == {b'{service_name="shop"}'}


def test_programs_ask_the_store_that_was_named(store, written):
    """By mcp, what stands out included; any other store is refused, and without one all are."""
    one, other = store(200, written.read_bytes()), store(200, written.read_bytes())
    base = url_of(one).partition("?")[0]
    with Server(arguments=("--store", base)) as server:
        rows = server.call("report", profile=url_of(one), by="function")["answer"]["tables"][0]["rows"]
        assert rows and one.asked
        assert "findings" in server.call("report", profile=url_of(one), findings=True)["answer"]
        differs = server.call("diff", base=url_of(one), new=url_of(one, more="&from=-2h"))["answer"]
        assert differs["schema"] == "pyperf-bpf.diff/1"
        for wrong in (url_of(other), url_of(other).replace("http://", "http://%s@" % one.authority), base,
                      base.rstrip("/") + "0/?query={}", base + "more/?query={}"):
            assert "no profile can be had there" in server.text("report", True, profile=wrong), wrong
    with Server() as server:
        server.text("report", True, profile=url_of(one))
    assert not other.asked
    done = profiler.command("mcp", "--store", url_of(one), code=2)
    assert done.stderr.count("\n") == 1 and "without a query" in done.stderr


class Parca(LocalServer):
    """Answers each question with these bytes, and these headers."""

    METHOD = "POST"

    def __init__(self, body, **headers):
        self.body, self.headers, self.asked = body, headers, []
        super().__init__()

    def answer(self, request):
        body = request.rfile.read(int(request.headers["Content-Length"]))
        self.asked.append((request.path, request.headers["Content-Type"], body))
        request.send_response(200)
        for name, value in {**self.headers, "Content-Length": str(len(self.body))}.items():
            request.send_header(name.replace("_", "-"), value)
        request.end_headers()
        request.wfile.write(self.body)


def frame(data, flags=0):
    return bytes([flags]) + len(data).to_bytes(4, "big") + data


OK = frame(b"grpc-status: 0\r\n", 128)


def parca_url(one):
    return 'parca+http://%s/?query={service_name="shop"}&from=2026-11-25T15:00&until=2026-11-25T16:00' % (
        one.authority)


def test_a_parca(written):
    with contextlib.closing(Parca(frame(field(6, written.read_bytes())) + OK)) as one:
        found = json.loads(report(parca_url(one), "--json").stdout)
        assert found["tables"] == json.loads(report(written, "--json").stdout)["tables"]
        path, kind, body = one.asked[0]
    assert path == "/parca.query.v1alpha1.QueryService/Query" and kind == "application/grpc-web+proto"
    assert body[:1] == b"\0" and int.from_bytes(body[1:5], "big") == len(body) - 5
    message = pprof.decode(body[5:])
    merge = pprof.decode(message[3][0])
    assert message[1] == [2] and message[5] == [1]
    assert merge[1] == [(CPU % "cpu:nanoseconds" + ':delta{service_name="shop"}').encode()]
    assert [pprof.decode(merge[i][0])[1] for i in (2, 3)] == [[1795618800], [1795622400]]


@pytest.mark.parametrize("body, headers, code, words", (
    (b"", {"grpc_status": "5", "grpc_message": "could not find profile"}, 3, ""),
    (b"", {"grpc_status": "3", "grpc_message": "no \tsuch label"}, 1, "no ?such label"),
    (frame(b"grpc-status: 13\r\ngrpc-message: it broke\r\n", 128), {}, 1, "it broke"),
    (b"", {}, 1, "no answer of Parca's"),
    (b"<html>", {}, 1, "no answer of Parca's"),
    (frame(b"\xff" * 20) + OK, {}, 1, "no answer of Parca's"),
    (frame(field(6, b"\x1f\x8bdamaged")) + OK, {}, 1, ""),
    (b"\0\xff\xff\xff\xff" + b"x" * 100 + OK, {}, 1, "no answer of Parca's"),
    (frame(b"grpc-status: 7\r\ngrpc-message: " + b"x" * 9000, 128), {}, 1, "xxx"),
    (frame(b"grpc-status: ok\r\n", 128), {}, 1, "no answer of Parca's"),
    (b"", {"grpc_status": "0x5"}, 1, "no answer of Parca's"),
), ids=("nothing", "refused", "broken", "empty", "page", "no-message", "damaged", "cut", "long", "no-number",
        "half-a-number"))
def test_a_parca_that_is_none(body, headers, code, words):
    with contextlib.closing(Parca(body, **headers)) as one:
        done = report(parca_url(one), code=code)
    assert words in done.stderr and len(done.stderr) < 500
