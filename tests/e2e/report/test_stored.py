# SPDX-License-Identifier: GPL-2.0-only
"""`report` on a store of profiles: what is asked, and who listens there may answer anything. What a real one
answers is in tests/e2e/push/test_receivers.py."""
import json

import pytest

import interpreters as known
import pprof
import profiler
from local_server import LocalServer
from serving import free_port

CALL = "/querier.v1.QuerierService/SelectMergeProfile"


def report(url, *arguments, code=0):
    done = profiler.command("report", url, *arguments, code=code)
    assert code in (0, 3) or done.stderr.count("\n") == 1, done.stderr
    return done


class Store(LocalServer):
    METHOD = "POST"

    def __init__(self, status, body, certificate=None):
        self.status, self.body, self.asked = status, body, []
        super().__init__(certificate)

    def answer(self, request):
        size = int(request.headers["Content-Length"])
        self.asked.append((request.path, dict(request.headers), request.rfile.read(size)))
        request.send_response(self.status)
        request.send_header("Content-Length", str(len(self.body)))
        request.end_headers()
        request.wfile.write(self.body)


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
    assert found == json.loads(report(written, "--json").stdout)
    (path, headers, body), = one.asked
    assert path == CALL and headers["Content-Type"] == "application/proto"
    assert headers["Authorization"] == "Bearer " + token.read_text()
    message = pprof.decode(body)
    assert message[1] == [b"process_cpu:cpu"] and message[2] == [b'{team="a b"}']
    assert message[3] == [1795618800000] and message[4] == [1795622400000]


def test_of_a_prefix_and_with_times_of_options(store, written):
    one = store(200, written.read_bytes())
    report("pyroscope+http://%s/store/?query={}" % one.authority, "--from", "2026-11-25", "--to",
           "2026-11-26")
    (path, _, body), = one.asked
    assert path == "/store" + CALL
    message = pprof.decode(body)
    assert message[1] == [b"process_cpu:cpu:nanoseconds:cpu:nanoseconds"] and message[2] == [b"{}"]
    assert message[4][0] - message[3][0] == 86400000


def test_two_parts_of_one_query(store, written):
    """What the labels of --base and of --new choose of it."""
    one = store(200, written.read_bytes())
    for query, begins in ('{service_name="shop"}', b'{service_name="shop",'), ("", b"{"):
        done = profiler.command("diff", "--base", 'version="1.4"', "--new", 'version="1.5"',
                                url_of(one, query))
        assert "(all)" in done.stdout
        selectors = [pprof.decode(body)[2] for _, _, body in one.asked[-2:]]
        assert selectors == [[begins + b'version="%s"}' % version] for version in (b"1.4", b"1.5")]


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
                                   "?query=" + "x" * 5000, "?query=%00", "@x/?query={}"))
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
