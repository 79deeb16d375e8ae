# SPDX-License-Identifier: GPL-2.0-only
"""Regular expressions that are to crash `report` and `diff`, or to take all memory or time: one line, and
memory has an end. Who chooses one may be an agent on mcp that was talked into it."""
import pathlib
import resource
import socket
import subprocess

import pytest

import interpreters as known
import profiler

PROGRAM = """
def made():
    exec("def {0}(): sum(range(10000))".format("a" * 3900), globals())
    while True:
        globals()["a" * 3900]()
made()
"""
SANITIZED = "/san/" in str(profiler.BINARY)
NONE = {
    "parentheses": "(" * 20000 + "a" + ")" * 20000,
    "repetitions": "((a{1,255}){1,255}){1,255}",
    "alternatives": "|".join("a" * 40000),
    "sets": "[a-z]" * 20000,
    "looks behind": "(?<=" * 200 + "a" + ")" * 200,
    "half of one": "(" * 100000,
}
TOO_MUCH = ("(a|aa)+$", "(.*)*[~!]", "(?R)", "(*LIMIT_MATCH=4000000000)(*LIMIT_HEAP=4000000000)(.*)*[~!]")
FINE = ("(a|b)*a(a|b){60}c", "(a*)*\\1b", "((a{1,100}){1,100})", "(" * 50 + "a" + ")" * 50)


@pytest.fixture(scope="module")
def profile(tmp_path_factory):
    home = tmp_path_factory.mktemp("profile")
    with profiler.target(known.usual().path, "-c", PROGRAM, about=False) as target:
        profiler.run_while(home, [target], 1, "--pid", target.pid)
    return home / "profile.pb.gz"


def asked(command, option, expression, *profiles):
    """Exit code and errors, with 256 MiB: before, it was 1.5 GB and more."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (256 << 20, 256 << 20))
    done = subprocess.run([profiler.BINARY, command, option, expression, *profiles], capture_output=True,
                          text=True, timeout=300, preexec_fn=None if SANITIZED else limit)
    return done.returncode, done.stderr


@pytest.mark.parametrize("command", ("report", "diff"))
@pytest.mark.parametrize("option", ("--focus", "--ignore"))
def test_expressions(command, option, profile):
    profiles = [profile] * (2 if command == "diff" else 1)
    for what, expression in NONE.items():
        code, err = asked(command, option, expression, *profiles)
        assert code == 2 and len(err.splitlines()) == 1, (what, code, err)
        assert option + " wants a regular expression" in err
    for expression in TOO_MUCH:
        code, err = asked(command, option, expression, *profiles)
        assert code == 1 and len(err.splitlines()) == 1, (expression, code, err)
        assert "takes too much to match" in err
    for expression in FINE:
        code, err = asked(command, option, expression, *profiles)
        assert code in (0, 3) and "error" not in err.splitlines()[:1], (expression, code, err)


@pytest.mark.skipif(SANITIZED, reason="SKIP not-applicable: a sanitizer wants terabytes")
@pytest.mark.parametrize("command", ("report", "diff"))
def test_memory_has_an_end(command):
    """While it waits for a profiler that says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = "http://127.0.0.1:%d" % silent.getsockname()[1]
        with subprocess.Popen([profiler.BINARY, command, *[url] * (2 if command == "diff" else 1)],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                silent.accept()
                limits = pathlib.Path("/proc/%d/limits" % process.pid).read_text()
            finally:
                process.kill()
    most = limits.split("Max address space")[1].split()[1]
    assert int(most) <= 5 << 30
