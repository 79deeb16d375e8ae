# SPDX-License-Identifier: GPL-2.0-only
"""`--by endpoint` beside a program that says it is a web framework with thousands of handlers: those of a
service of another user have their names."""
import collections
import subprocess

import pytest

import crowds
import interpreters as known
import pprof
import profiler

HANDLERS = 8000

# A dispatcher is known by the end of its file's name and by its own, which any program may choose.
PROGRAM = """
import json, os, sys
dispatch, handlers = {}, []
exec(compile("class Flask:\\n def dispatch_request(self, f):\\n  return f()\\n",
             "/x/site-packages/flask/app.py", "exec"), dispatch)
for i in range(int(sys.argv[1])):
    exec(compile("def %s%d():\\n for i in range(2000): pass\\n" % (sys.argv[2], i),
                 "/x/app/%s.py" % sys.argv[2], "exec"), dispatch)
    handlers.append(dispatch["%s%d" % (sys.argv[2], i)])
os.setgid(int(sys.argv[3]))
os.setuid(int(sys.argv[3]))
print(json.dumps({}), flush=True)
sys.stdin.readline()
flask = dispatch["Flask"]()
while True:
    for handler in handlers:
        flask.dispatch_request(handler)
"""


@pytest.mark.parametrize("python", dict.fromkeys([known.newest(), known.usual()]), ids=str)
def test_many_handlers(python, tmp_path):
    def start(*arguments):
        return profiler.target(python.path, "-ISc", PROGRAM, *arguments, stdin=subprocess.PIPE)
    with start(HANDLERS, "evil", crowds.STRANGER) as evil, \
            start(2, "honest", crowds.STRANGER + 1) as honest:
        run = profiler.Run(tmp_path, "-p", "%d,%d" % (evil.pid, honest.pid), "-F", 4999, "--budget", 0,
                           "--by", "endpoint")
        evil.tell()
        profiler.let_use_cpu(run, [evil.pid], 2.5)
        honest.tell()
        profiler.let_use_cpu(run, [honest.pid], 0.5)
        run.interrupt()
        run.finish(120)
    found = {pid: collections.Counter() for pid in (evil.pid, honest.pid)}
    for sample in pprof.parse(run.path.read_bytes()).samples:
        if "endpoint" in sample.labels:
            found[sample.labels["pid"]][sample.labels["endpoint"]] += sample.values[0]
    named = found[evil.pid].copy()
    more = named.pop("[more endpoints]", 0)
    print("%d names and %d samples beyond; %s" % (len(named), more, found[honest.pid]))
    assert set(found[honest.pid]) == {"app.honest:honest0", "app.honest:honest1"}
    assert found[honest.pid].total() > 200 and more
    assert len(named) <= 1024 and "names for 2048 endpoints" in run.err
