# SPDX-License-Identifier: GPL-2.0-only
"""What the soak measures, by /proc, bpftool and the profiler's own metrics; and the receiver and the clients
that come and go meanwhile."""
import contextlib
import http.server
import os
import pathlib
import re
import socket
import threading

import bpf_objects


def status_bytes(pid, field):
    """A field of /proc/PID/status; 0 for a process that is no more."""
    with contextlib.suppress(OSError):
        found = re.search(r"^%s:\s*(\d+) kB" % field, pathlib.Path("/proc/%d/status" % pid).read_text(), re.M)
        return int(found[1]) << 10 if found else 0
    return 0


def descriptors(pid):
    with contextlib.suppress(OSError):
        return len(os.listdir("/proc/%d/fd" % pid))
    return 0


def descendants(pid):
    """Children, and theirs."""
    found = []
    with contextlib.suppress(OSError):
        for task in os.listdir("/proc/%d/task" % pid):
            text = pathlib.Path("/proc/%d/task/%s/children" % (pid, task)).read_text()
            for child in map(int, text.split()):
                found += [child, *descendants(child)]
    return found


class Turns:
    """The longest turn of the event loop between two looks at the histogram of /metrics, as the upper end of
    its bucket in ms; exact where the look before saw a shorter longest turn."""

    def __init__(self):
        self.before, self.longest = {}, 0

    def look(self, metrics):
        name = "pyperf_loop_turn_seconds"
        below = sorted((float(dict(labels)["le"]), count) for (metric, labels), count in metrics.items()
                       if metric == name + "_bucket")
        longest = metrics[name + "_max", ()]
        new, last, last_before = 0, 0, 0
        for le, count in below:
            if count - last > self.before.get(le, 0) - last_before:
                new = le
            last, last_before = count, self.before.get(le, 0)
        self.before = dict(below)
        if longest > self.longest:
            new = longest
        self.longest = longest
        return 1e3 * min(new, longest)


class Watch:
    def __init__(self, server, folder):
        self.server, self.folder, self.pid = server, folder, server.run.process.pid
        self.turns = Turns()
        self.table = bpf_objects.map_of(self.pid, "processes")

    def row(self):
        """One line of the CSV, without the time and the receiver."""
        metrics = self.server.metrics()
        helpers = descendants(self.pid)
        held = bpf_objects.held_by(self.pid)

        def metric(name):
            return metrics["pyperf_" + name, ()]

        return {
            "rss_bytes": status_bytes(self.pid, "VmRSS"),
            "heap_bytes": status_bytes(self.pid, "RssAnon"),
            "helper_bytes": sum(status_bytes(pid, "VmRSS") for pid in helpers),
            "descriptors": descriptors(self.pid),
            "helper_descriptors": sum(map(descriptors, helpers)),
            "children": len(helpers),
            "bpf_objects": len(held),
            "table_ended": sum(not os.path.exists("/proc/%d" % pid) for pid in bpf_objects.keys(self.table)),
            "processes_known": metric("processes_known"),
            "code_objects": metric("code_objects"),
            "native_files": metric("native_files"),
            "native_regions": metric("native_regions"),
            "native_positions": metric("native_positions"),
            "native_name_bytes": metric("native_name_bytes"),
            "intervals_kept": metric("intervals_kept"),
            "intervals_kept_bytes": metric("intervals_kept_bytes"),
            "files": len(os.listdir(self.folder)),
            "turn_ms": self.turns.look(metrics),
            "pushed": metric("pushed_total"),
            "generations": metric("generations_total"),
        }


class Receiver:
    """Takes what is pushed and forgets it. While it is down nobody listens on its port."""

    def __init__(self):
        with socket.create_server(("127.0.0.1", 0)) as s:
            self.port = s.getsockname()[1]
        self.server, self.taken, self.connections = None, 0, set()

    def up(self):
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self):
                super().setup()
                receiver.connections.add(self.connection)

            def log_message(self, *arguments):
                pass

            def do_POST(self):  # noqa: N802, http.server calls it so
                self.rfile.read(int(self.headers["Content-Length"]))
                receiver.taken += 1
                # Now and then it has no time, which is another way of being down.
                status = 503 if receiver.taken % 11 == 0 else 200
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

        http.server.ThreadingHTTPServer.allow_reuse_address = True
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.2,), daemon=True).start()

    def down(self):
        if self.server:
            self.server.shutdown()
            self.server.server_close()
        while self.connections:  # those that are kept alive would go on
            with contextlib.suppress(OSError):
                self.connections.pop().shutdown(socket.SHUT_RDWR)
        self.server = None

    def turn(self, up):
        if up and not self.server:
            self.up()
        if not up:
            self.down()
