# SPDX-License-Identifier: GPL-2.0-only
"""--listen among crowds: clients that are silent or want too much do not keep others out, probes of the
service's health least of all. Addresses of 127.0.0.0/8 stand for different machines."""
import contextlib
import time

import pytest

import manifests
import profiler
from serving import connect, free_port, server

CROWD = 160


def probe_seconds():
    """What the manifest's liveness probe waits for an answer."""
    container, = manifests.plain()["spec"]["template"]["spec"]["containers"]
    return container["livenessProbe"]["timeoutSeconds"]


def addresses(count):
    return ["127.0.%d.%d" % (1 + i // 200, 1 + i % 200) for i in range(count)]


@pytest.mark.parametrize("sources", (["127.0.0.1"] * CROWD, ["127.0.0.9"] * CROWD, addresses(CROWD)),
                         ids=("the probe's address", "one address", "an address each"))
def test_health_while_a_crowd_idles(tmp_path, sources):
    """At the address of the crowd, and at the one that is for probes and has a crowd too."""
    second = free_port()
    with profiler.before_others(), server(tmp_path, "--all-python", "--listen-health", second) as s, \
            contextlib.ExitStack() as stack:
        for source in sources:
            stack.enter_context(connect(s.port, source))
            stack.enter_context(connect(second, source))
        taken = []
        for port in (s.port, second) * 5:
            start = time.monotonic()
            for path in ("/healthz", "/readyz"):
                assert s.get(path, port=port).status == 200
            taken.append((time.monotonic() - start) / 2)
        print("seconds for an answer:", *("%.4f" % seconds for seconds in sorted(taken)))
        assert max(taken) < probe_seconds(), taken


def test_health_while_a_crowd_asks(tmp_path):
    """Of the crowd each has half a request sent, or does not take its answer."""
    with profiler.before_others(), server(tmp_path, "--all-python") as s, contextlib.ExitStack() as stack:
        for number in range(CROWD):
            client = stack.enter_context(connect(s.port, "127.0.0.9"))
            with contextlib.suppress(OSError):
                client.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n" * 50 if number % 2 else
                               b"GET / HTTP/1.1\r\nX: ")
        start = time.monotonic()
        assert s.get("/healthz").status == 200
        assert time.monotonic() - start < probe_seconds()


def ask_for_profile(client, seconds):
    client.sendall(b"GET /debug/pprof/profile?seconds=%d HTTP/1.1\r\nHost: localhost\r\n\r\n" % seconds)


def test_one_address_does_not_take_all_profiles(tmp_path):
    """Nor do those who want ten minutes: others get theirs."""
    with server(tmp_path, "--all-python") as s, contextlib.ExitStack() as stack:
        for _ in range(20):
            ask_for_profile(stack.enter_context(connect(s.port, "127.0.0.9")), 600)
        s.wait_for_open(8)
        for _ in range(20):
            ask_for_profile(stack.enter_context(connect(s.port, "127.0.0.9")), 60)
        s.wait_for_open(12)
        refused = s.get("/debug/pprof/profile?seconds=1", source="127.0.0.9")
        assert refused.status == 503 and b"this address" in refused.body
        assert s.get("/debug/pprof/profile?seconds=1").status == 200


def test_a_page_of_another_site(tmp_path):
    """It can make its visitor's browser ask, but nothing is begun for it."""
    with server(tmp_path, "--all-python") as s:
        for path in ("/debug/pprof/profile?seconds=600", "/debug/pyperf/interval"):
            for site, status in (("cross-site", 403), ("same-site", 403)):
                assert s.get(path, headers={"Sec-Fetch-Site": site}).status == status
        assert s.metric("profile_requests_open") == 0
        assert s.get("/debug/pprof/profile?seconds=1", headers={"Sec-Fetch-Site": "none"}).status == 200
