# SPDX-License-Identifier: GPL-2.0-only
"""A real web application: Flask under gunicorn with four forked workers, loaded over HTTP on loopback."""
import collections
import http.client
import json
import os
import pathlib
import signal
import subprocess
import threading

import pytest

import interpreters as known
import profiler
from serving import free_port

WORKERS = 4
EACH = 1.2  # seconds of CPU time of a worker: its first requests import and compile
VIEWS = ("fractal_view", "report_view")


def children(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
        return {int(child) for child in f.read().split()}


class Load:
    """Clients that ask for the views in turn until they are told that it is enough."""

    def __init__(self, port, clients=8):
        self.port, self.enough = port, False
        self.answers, self.errors = collections.Counter(), []
        self.threads = [threading.Thread(target=self.client, args=(k,)) for k in range(clients)]
        for thread in self.threads:
            thread.start()

    def client(self, k):
        while not self.enough:
            k += 1
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
                connection.request("GET", "/fractal" if k % 2 else "/report")
                self.answers[json.loads(connection.getresponse().read())["pid"]] += 1
                connection.close()
            except (OSError, ValueError, http.client.HTTPException) as error:
                self.errors.append(error)

    def end(self):
        self.enough = True
        for thread in self.threads:
            thread.join()


@pytest.fixture(scope="module")
def site_packages():
    """Flask and gunicorn, pure Python, from the environment that runs the tests."""
    flask = pytest.importorskip("flask", reason="SKIP venv: no flask; pip install -r tests/requirements.txt")
    pytest.importorskip("gunicorn", reason="SKIP venv: no gunicorn; pip install -r tests/requirements.txt")
    return pathlib.Path(flask.__file__).parents[1]


@pytest.mark.parametrize("python", known.of_versions("3.12", "3.15"), ids=str)
def test_flask_under_gunicorn(python, workloads, tmp_path, site_packages):
    """The Flask of the tests wants 3.10."""
    port = free_port()
    # The profiler is first: it must find a server that starts later and the workers it forks.
    run = profiler.Run(tmp_path, "--all-python", "-F", 499)
    profiler.wait_until(lambda: profiler.samples_cpus(run), what="ticks")
    environment = dict(os.environ, PYTHONPATH="%s:%s" % (workloads, site_packages),
                       PYTHONDONTWRITEBYTECODE="1")
    server = subprocess.Popen([python.path, "-m", "gunicorn", "--preload", "-w", str(WORKERS), "-b",
                               "127.0.0.1:%d" % port, "--timeout", "0",
                               "--log-level", "warning", "webapp:application"], env=environment, cwd=tmp_path)
    try:
        profiler.wait_until(lambda: server.poll() is not None or len(children(server.pid)) == WORKERS,
                            what="workers")
        assert server.poll() is None
        workers = children(server.pid)
        load = Load(port)
        try:
            profiler.let_use_cpu(run, workers, EACH)
            profiler.wait_until(lambda: set(load.answers) >= workers, what="answers of each worker")
        finally:
            load.end()
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(300)
        run.interrupt()
        run.finish()
    assert set(load.answers) == workers, (load.answers, load.errors[:3])
    for pid in workers:
        samples = run.of(pid)
        assert profiler.total(samples) > 50, pid
        in_views = profiler.share(samples, lambda s: any(view in profiler.functions(s) for view in VIEWS))
        assert in_views > 0.7, pid
    self_time, whole_time = collections.Counter(), collections.Counter()
    for sample in run.of(*workers):
        if sample.stack[0][1].endswith("webapp.py"):
            self_time[sample.stack[0][0]] += sample.count
        for view in set(profiler.functions(sample)) & set(VIEWS):
            whole_time[view] += sample.count
    assert set(whole_time) == set(VIEWS)
    assert self_time.most_common(1)[0][0] == "escape_time", self_time.most_common(5)


