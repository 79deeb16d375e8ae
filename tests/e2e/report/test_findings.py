# SPDX-License-Identifier: GPL-2.0-only
"""What stands out: each rule of user/findings/rules.def says so of a program with the fault, and not of the
same program without it; nothing is said of programs in which nothing is wrong."""
import json
import re
import subprocess

import jsonschema
import pytest

import interpreters as known
import profiler
from pprof_rows import report

SCHEMA = json.loads((profiler.ROOT / "docs" / "schemas" / "report.json").read_text())
WORKLOADS = profiler.ROOT / "tests" / "workloads"
RULES = {code: float(least) for code, least in re.findall(
    r"^RULE\((\w+), ([\d.]+),", (profiler.ROOT / "user" / "findings" / "rules.def").read_text(), re.M)}
SOUND = re.findall(r"\w+", re.search(r"^NAMES = \[(.*?)\]", (WORKLOADS / "sound.py").read_text(),
                                     re.M | re.S)[1])
# What a rule needs to see. Others do with ticks.
EVENTS = {"gil_wait": "cpu,gil", "loop_waits": "cpu,offcpu", "loop_busy": "cpu,offcpu"}
# Where most of it is: the function.
PLACES = {"gil_wait": "burn", "gil_full": "burn", "loop_waits": "blocks", "loop_busy": "burns_in_loop",
          "imports": "imports_what", "collections": "collects", "exceptions": "burn",
          "serialisation": "encodes", "deep_copies": "copies"}
QUICK = "gil_wait", "serialisation"


def profile(directory, program, *arguments, event="cpu", more=()):
    return profiler.run(directory, "-F", 499, "--event", event, *more, "--", known.newest().path,
                        WORKLOADS / program, *arguments, timeout=240)


def findings(path):
    found = json.loads(report("--findings", "--json", path))
    jsonschema.validate(found, SCHEMA)
    assert not found["tables"]
    return {one["code"]: one for one in found["findings"]}


def some(names, quick):
    return [name if name in quick else pytest.param(name, marks=pytest.mark.all) for name in names]


def is_gil_full(run):
    """Whether the machine gave the program a whole CPU: only then its threads can have kept the GIL."""
    return run.stats["profile"]["samples"] > 0.95 * 499 * run.stats["seconds"]


def faulty(directory, code):
    for _ in range(5):
        run = profile(directory, "stands_out.py", code, event=EVENTS.get(code, "cpu"))
        if code != "gil_full" or is_gil_full(run):
            return run
    pytest.skip("SKIP quiet: others keep this machine's CPUs busy")


def check(one, code):
    assert 0 < one["value"] <= one["of"] and one["share"] == pytest.approx(one["value"] / one["of"], abs=1e-6)
    if "samples" in one:
        assert RULES[code] <= one["share_low"] <= one["share"] <= one["share_high"]
    assert one["share"] >= RULES[code]
    assert one["place"]["name"].split(".")[-1] == PLACES[code] and one["place"]["share"] > 0.3
    assert one["text"].count("%") >= 2 and one["text"].endswith(".") and one["doubt"]


@pytest.mark.parametrize("code", some(RULES, QUICK))
def test_a_program_with_the_fault(code, tmp_path):
    run = faulty(tmp_path, code)
    found = findings(run.path)
    assert code in found
    check(found[code], code)
    command = found[code]["command"].split()
    assert command[:2] == ["pyperf-bpf", "report"] and command[-1] == str(run.path)
    # The command shows what it is about.
    assert report(*found[code]["arguments"], run.path)
    text = " ".join(report("--findings", run.path).split())
    assert found[code]["text"] in text and found[code]["doubt"] in text and found[code]["command"] in text


@pytest.mark.parametrize("code", some(RULES, QUICK))
def test_the_same_program_without_it(code, tmp_path):
    run = profile(tmp_path, "stands_out.py", "sound:" + code, event=EVENTS.get(code, "cpu"))
    assert not findings(run.path)
    assert "\nNothing stands out.\n" in report("--findings", run.path)


def test_there_are_enough():
    assert len(SOUND) >= 20


@pytest.mark.parametrize("name", some(SOUND, ("server",)))
def test_nothing_is_said_where_nothing_is_wrong(name, tmp_path):
    run = profile(tmp_path, "sound.py", name, event="cpu,offcpu,gil,memory", more=("--native", "top"))
    assert not findings(run.path)


@pytest.mark.parametrize("more", (("--by", "line"), ("--tree",), ("--focus", "x"), ("--fold",)))
def test_it_is_of_whole_profiles(more):
    done = subprocess.run([profiler.BINARY, "report", "--findings", *more, "x"], capture_output=True,
                          text=True)
    assert (done.returncode, done.stdout) == (2, "") and "--findings" in done.stderr
