# SPDX-License-Identifier: GPL-2.0-only
"""compile_commands.json, from which editors know how a file is compiled, has the files of all rooms."""
import json
import pathlib
import subprocess

TOP = pathlib.Path(__file__).resolve().parents[2]


def made():
    return json.loads(subprocess.check_output(
        ["make", "-s", "-B", "-C", TOP, "compile_commands.json", "COMMANDS=/dev/stdout"], text=True))


def test_every_source_file_has_a_command():
    # What a test compiles by itself, in its own way, is no part of the build.
    ours = {str(path.relative_to(TOP)) for room in ("bpf", "user", "tests")
            for path in (TOP / room).rglob("*.c") if not path.is_relative_to(TOP / "tests/workloads")}
    commands = {entry["file"]: entry["command"] for entry in made()}
    assert len(ours) > 800 and ours - set(commands) == set()
    assert "-target bpf" in commands["bpf/pyperf.bpf.c"]
    assert "-target bpf" not in commands["user/main.c"]


def test_a_command_compiles():
    for entry in made():
        if entry["file"] in ("bpf/pyperf.bpf.c", "user/main.c", "tests/unit/base/test_hash.c"):
            command = entry["command"] + " -fsyntax-only"
            subprocess.run(command, shell=True, check=True, cwd=entry["directory"])
