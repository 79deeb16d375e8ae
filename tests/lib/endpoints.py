# SPDX-License-Identifier: GPL-2.0-only
"""Web applications that are asked all the time, and what their profiles say of whose request a sample is."""
import contextlib
import http.client
import itertools
import os
import pathlib
import subprocess
import threading

import pprof
import profiler
import serving

APPLICATIONS = pathlib.Path(__file__).resolve().parents[1] / "workloads" / "endpoints"


def children(pid):
    return [int(child) for child in
            pathlib.Path("/proc/%d/task/%d/children" % (pid, pid)).read_text().split()]


class Clients:
    """Threads that ask for these paths in turn, until close()."""

    def __init__(self, port, paths, count=4):
        self.port, self.paths, self.ended, self.wrong = port, paths, False, []
        self.answers = 0
        self.threads = [threading.Thread(target=self.run, args=(k,)) for k in range(count)]
        for thread in self.threads:
            thread.start()

    def run(self, first):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        for path in itertools.islice(itertools.cycle(self.paths), first, None):
            if self.ended:
                break
            try:
                connection.request("GET", path)
                answer = connection.getresponse()
                answer.read()
                self.answers += 1
                if answer.status != 200:
                    self.wrong.append((path, answer.status))
            except (OSError, http.client.HTTPException):
                connection.close()
        connection.close()

    def close(self):
        self.ended = True
        for thread in self.threads:
            thread.join()


class Application:
    """A server of HTTP that is asked all the time. pids: the processes that answer."""

    def __init__(self, python, arguments, paths, environment, forks):
        self.port = serving.free_port()
        command = [str(part).replace("PORT", str(self.port)) for part in (python, *arguments)]
        environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", **environment)
        self.process = subprocess.Popen(command, cwd=APPLICATIONS, env=environment)
        self.clients = None
        profiler.wait_until(lambda: self.process.poll() is not None or self.answers(paths[0]), 120, "answer")
        assert self.process.poll() is None, command
        self.pids = children(self.process.pid) if forks else [self.process.pid]
        self.clients = Clients(self.port, paths)

    def answers(self, path):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
            connection.request("GET", path)
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False

    def stop(self):
        if self.clients:
            self.clients.close()
        self.process.terminate()
        try:
            self.process.wait(20)
        finally:
            self.process.kill()
            self.process.wait()


@contextlib.contextmanager
def application(python, arguments, paths, environment=None, forks=False):
    """arguments: the server's, in which PORT stands for the port. forks: its children answer."""
    started = Application(python, arguments, paths, environment or {}, forks)
    try:
        yield started
        assert started.clients.answers and not started.clients.wrong, started.clients.wrong[:3]
    finally:
        started.stop()


def profile_of(directory, started, cpu, *arguments, **options):
    """A run of `cpu` seconds of CPU time of each process, and its samples as pprof has them."""
    run = profiler.Run(directory, "--pid", ",".join(map(str, started.pids)), "-F", 499, *arguments, **options)
    try:
        profiler.let_use_cpu(run, started.pids, cpu)
        run.interrupt()
    except BaseException:
        run.kill()
        raise
    run.finish(300)
    return run, pprof.read(run.path).samples if run.path.suffix == ".gz" else None


def judge(samples, handlers, share, in_stack=True):
    """Each sample below a handler's own leaf function has that handler as its endpoint, no sample has one
    that is not a handler, and so much of all have one. handlers: {leaf function: endpoint}. in_stack: what is
    named is in the stack."""
    found = dict.fromkeys(handlers.values(), 0)
    for sample in samples:
        endpoint = sample.labels.get("endpoint")
        names = {name.rpartition(".")[2] for name in sample.names}
        leaves = names & set(handlers)
        assert len(leaves) <= 1, sample
        if endpoint:
            assert endpoint in found, (endpoint, sample.names)
            found[endpoint] += sample.count
            assert not in_stack or endpoint.rpartition(":")[2].rpartition(".")[2] in names, sample
        for leaf in leaves:
            assert endpoint in (None, handlers[leaf]), (leaf, endpoint, sample.names)
    whole, named = sum(sample.count for sample in samples), sum(found.values())
    assert all(found.values()), found
    assert named + 3 * named ** 0.5 >= share * whole, (named / whole, found)  # within three sigma
    return named / whole
