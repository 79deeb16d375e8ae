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

# Beside other programs what frameworks do takes longer, as it finds the processor's caches cold, and what
# handlers burn does not. So shares are only judged to the point on a quiet machine, with $SHARES set.
SLACK = 0.02 if os.environ.get("SHARES") else 0.25

APPLICATIONS = pathlib.Path(__file__).resolve().parents[1] / "workloads" / "endpoints"


def children(pid):
    return [int(child) for child in
            pathlib.Path("/proc/%d/task/%d/children" % (pid, pid)).read_text().split()]


def working(pid):
    """Its children, once each of them has used CPU time since it was first seen: those that answer. What a
    server runs for a moment, such as celery's `uname`, is none of them."""
    first, now = {}, {}

    def all_work():
        now.clear()
        now.update((child, profiler.cpu_seconds(child)) for child in children(pid))
        return now and all(used - first.setdefault(child, used) > 0.1 for child, used in now.items())

    profiler.wait_until(all_work, what="children at work")
    return list(now)


class Clients:
    """Threads that ask for these paths in turn, until close()."""

    def __init__(self, port, paths, count=4):
        self.port, self.paths, self.ended, self.wrong = port, paths, False, []
        self.answers = 0
        self.threads = [threading.Thread(target=self.run, args=(k,)) for k in range(count)]
        for thread in self.threads:
            thread.start()

    def run(self, first):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
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


def launch(python, arguments, environment, **options):
    environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", **environment)
    return subprocess.Popen([str(part) for part in (python, *arguments)], cwd=APPLICATIONS, env=environment,
                            **options)


class Application:
    """A server that is asked all the time: for paths, or by a program that prints a line when it has been
    answered."""

    def __init__(self, python, arguments, paths=(), asks=None, environment=None, forks=False):
        """In arguments and asks, the server's and that program's, PORT stands for the port. forks: its
        children answer."""
        self.port = serving.free_port()
        self.clients = self.asking = None
        arguments, asks = ([str(part).replace("PORT", str(self.port)) for part in command]
                           for command in (arguments, asks or ()))
        self.process = launch(python, arguments, environment or {})
        try:
            if asks:
                self.asking = launch(python, asks, environment or {}, stdout=subprocess.PIPE)
                assert self.asking.stdout.readline()
            else:
                profiler.wait_until(lambda: self.process.poll() is not None or self.answers(paths[0]), 240,
                                    "answer")
                self.clients = Clients(self.port, paths)
            assert self.process.poll() is None, arguments
            self.pids = working(self.process.pid) if forks else [self.process.pid]
        except BaseException:
            self.stop()
            raise

    def answers(self, path):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
            connection.request("GET", path)
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False

    def stop(self):
        if self.clients:
            self.clients.close()
        if self.asking:
            self.asking.kill()
            self.asking.communicate()
        self.process.terminate()
        try:
            self.process.wait(300)
        finally:
            self.process.kill()
            self.process.wait()


@contextlib.contextmanager
def application(*arguments, **options):
    started = Application(*arguments, **options)
    try:
        yield started
        if started.clients:
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


ANSWERS = "fastapi.routing:serialize_response"  # what FastAPI does when a handler has returned


def judge(samples, handlers, share, alone=(), in_stack=True):
    """Each sample below a handler's own leaf function has that handler as its endpoint, no sample has one
    that is not a handler, and nearly that share of all has one. handlers: {leaf function: endpoint}. alone:
    leaf functions that children of asyncio.gather() call, in whose stacks the handler is not. in_stack: what
    is named is in the stack."""
    found = dict.fromkeys(handlers.values(), 0)
    for sample in samples:
        endpoint = sample.labels.get("endpoint")
        names = {name.rpartition(".")[2] for name in sample.names}
        leaves = names & set(handlers)
        assert len(leaves) <= 1, sample
        if endpoint and endpoint != ANSWERS:
            assert endpoint in found, (endpoint, sample.names)
            found[endpoint] += sample.count
            assert not in_stack or endpoint.rpartition(":")[2].rpartition(".")[2] in names, sample
        for leaf in leaves:
            assert endpoint == handlers[leaf] or (leaf in alone and not endpoint), sample
    whole, named = sum(sample.count for sample in samples), sum(found.values())
    assert all(found[handler] or leaf in alone for leaf, handler in handlers.items()), found
    sigma = named ** 0.5
    assert named + 3 * sigma >= (share - SLACK) * whole, (named / whole, found)
    return named / whole
