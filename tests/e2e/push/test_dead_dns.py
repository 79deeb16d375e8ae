# SPDX-License-Identifier: GPL-2.0-only
"""Name servers that never answer: glibc waits for them, up to 30 s for three;
the profiler's loop must not."""
import contextlib
import os
import pathlib
import socket
import time

import pytest

import namespaces
import profiler
from serving import server

RESOLV_CONF = pathlib.Path("/etc/resolv.conf")
SERVERS = ["127.0.0.%d" % n for n in (77, 78, 79)]
# A loop that waited would stand for 5 s with one server, and for 15 s or more at the end.
ANSWER_SECONDS, END_SECONDS = 3, 10


@pytest.fixture
def dead_dns(tmp_path):
    """The beginning of a command line that runs the profiler where no name can be resolved."""
    if namespaces.reason() or os.geteuid() or not RESOLV_CONF.exists():
        why = namespaces.reason() or "it is not there, or this is not root"
        pytest.skip("SKIP mounts: /etc/resolv.conf cannot be replaced here: %s" % why)
    conf = tmp_path / "resolv.conf"
    conf.write_text("".join("nameserver %s\n" % address for address in SERVERS))
    with contextlib.ExitStack() as stack:
        for address in SERVERS:
            silent = stack.enter_context(socket.socket(type=socket.SOCK_DGRAM))
            silent.bind((address, 53))
        replace = 'mount --bind "$0" /etc/resolv.conf && exec "$@"'
        yield ["unshare", "--mount", "sh", "-c", replace, str(conf), profiler.BINARY]


def test_the_loop_goes_on(dead_dns, tmp_path):
    """It answers while names are asked for in vain, over several attempts, and ends when it is told to."""
    with server(tmp_path, "-a", "--push", "pyroscope+http://receiver.example.com:4040", "--interval", 1,
                binary=dead_dns) as s:
        end = time.monotonic() + 15  # three attempts, each given up after 5 s
        took = []
        while time.monotonic() < end:
            begin = time.monotonic()
            assert s.get("/healthz").status == 200
            took.append(time.monotonic() - begin)
            time.sleep(0.05)
        # A loop that waits for names does so in each attempt; other work may hold up one answer.
        assert sorted(took)[-2] < ANSWER_SECONDS
        assert s.metric("push_failures_total") >= 1, "no attempt was given up: names are resolved after all"
        assert s.stop(code=1) < END_SECONDS
