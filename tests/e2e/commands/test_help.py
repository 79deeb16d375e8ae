# SPDX-License-Identifier: GPL-2.0-only
"""The help of each command in user/options/commands.def: what it names is taken, and what it does not name is
refused. tests/unit/options/test_commands.c asks the parser; this asks the program."""
import re
import subprocess

import pytest

import profiler

LIST = profiler.ROOT / "user" / "options" / "commands.def"
COMMANDS = re.findall(r'^\t\.name = "(\w+)"', LIST.read_text(), re.M)


def run(*arguments):
    return subprocess.run([profiler.BINARY, *arguments], capture_output=True, text=True, timeout=300,
                          stdin=subprocess.DEVNULL)


def page(*words):
    done = run(*words, "--help") if words else run("help", "all")
    assert done.returncode == 0 and done.stderr == ""
    assert "\033" not in done.stdout  # no terminal, no colours
    return done.stdout


def options_on(text):
    """Those that have a line of their own."""
    return set(re.findall(r"^  (?:-\w, |    )(--[a-z-]+) ", text, re.M))


def test_there_are_some():
    assert {"profile", "top", "dump", "tasks"} <= set(COMMANDS)
    assert len(COMMANDS) == len(re.findall(r"^COMMAND\(", LIST.read_text(), re.M))


def test_all_commands_are_listed():
    text = page()
    assert all(re.search(r"^  %s +\S" % name, text, re.M) for name in COMMANDS)
    assert options_on(text) == set.union(*(options_on(page(name)) for name in COMMANDS))


@pytest.mark.parametrize("name", COMMANDS)
def test_command(name):
    text = page(name)
    assert text.startswith("pyperf-bpf %s " % name) and "Exit code: 0, 1 on failure" in text
    assert re.search(r"^  pyperf-bpf .* {2,}\S", text, re.M), "an example"
    for option in sorted(options_on(page()) - options_on(text)):
        done = run(name, option, "1")
        assert done.returncode == 2 and not done.stdout, done
        assert len(done.stderr.splitlines()) == 1
        assert "%s does not go with %s, only with " % (option, name) in done.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_version_of_a_command(name):
    assert run(name, "--version").stdout == run("--version").stdout
