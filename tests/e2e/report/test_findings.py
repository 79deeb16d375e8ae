# SPDX-License-Identifier: GPL-2.0-only
"""What stands out: each rule of user/findings/rules.def says so of a program with the fault, and not of the
same program without it; nothing is said of programs in which nothing is wrong."""
import contextlib
import json
import os
import pathlib
import re
import subprocess

import jsonschema
import pytest

import cgroups
import interpreters as known
import profiler
import serving
from pprof_rows import report

SCHEMA = json.loads((profiler.ROOT / "docs" / "schemas" / "report.json").read_text())
WORKLOADS = profiler.ROOT / "tests" / "workloads"
RULES = {code: float(least) for code, least in re.findall(
    r"^RULE\((\w+), ([\d.]+),", (profiler.ROOT / "user" / "findings" / "rules.def").read_text(), re.M)}
SOUND = re.findall(r"\w+", re.search(r"^NAMES = \[(.*?)\]", (WORKLOADS / "sound.py").read_text(),
                                     re.M | re.S)[1])
# What a rule needs to see. Others do with ticks.
MORE = {"gil_wait": ("--event", "cpu,gil"), "loop_waits": ("--event", "cpu,offcpu"),
        "loop_busy": ("--event", "cpu,offcpu"), "pool_starves": ("--event", "cpu,offcpu"),
        "no_cpu": ("--event", "cpu,offcpu"), "cpu_quota": ("--event", "cpu,offcpu"),
        "growth": ("--event", "cpu,memory"), "growth_goes_on": ("--event", "cpu,offcpu,memory"),
        "memory_copies": ("--native", "top"), "native_spot": ("--native", "top"),
        # Deeper than the imports at a program's start.
        "not_whole": ("--max-depth", "100")}
# Of CPU time: what is left at the begin and the end of a run must be little of it.
SECONDS = {"gil_full": ("4",), "loop_busy": ("2",)}
# What only a folder of intervals tells.
OVER_TIME = {"growth_goes_on"}
# A C library with symbols is that of this system; the others' is stripped.
INTERPRETERS = {"memory_copies": "debian-3.11"}
# Where most of it is: the function.
PLACES = {"gil_wait": "burn", "gil_full": "burn", "loop_waits": "blocks", "loop_busy": "burns_in_loop",
          "imports": "imports_what", "collections": "collects", "exceptions": "burn",
          "serialisation": "encodes", "deep_copies": "copies", "memory_copies": "copies_memory",
          "package": "uses_package", "native_spot": "checks", "pool_starves": "burn", "no_cpu": None,
          "cpu_quota": None, "growth": "grows", "growth_goes_on": "grows_on", "not_whole": "[truncated]",
          "only_ticks": None}
# Who has no CPU is not blamed for the GIL that it holds, so these have one whatever else the machine does.
BEFORE_OTHERS = {"gil_wait", "gil_full"}
QUICK = "gil_wait", "cpu_quota"


class Intervals(profiler.Run):
    """A file for each second, and in the place of a profile their folder."""

    def __init__(self, directory, *arguments, **options):
        (directory / "profiles").mkdir()
        super().__init__(directory, "--output-dir", directory / "profiles", "--interval", 1, *arguments,
                         output=None, **options)
        self.path = directory / "profiles"


def profile(directory, program, *arguments, code=None, more=(), **options):
    name = INTERPRETERS.get(code)
    python = known.find(name) if name else known.newest()
    if not python:
        pytest.skip(known.reason(name))
    run = Intervals if code in OVER_TIME else profiler.Run
    return run(directory, "-F", 499, *MORE.get(code, ()), *more, "--", python.path,
                        WORKLOADS / program, *arguments, **options).finish(240)


def findings(path):
    found = json.loads(report("--findings", "--json", path))
    jsonschema.validate(found, SCHEMA)
    assert not found["tables"]
    return {one["code"]: one for one in found["findings"]}


def some(names, quick):
    return [name if name in quick else pytest.param(name, marks=pytest.mark.all) for name in names]


def is_gil_full(run):
    """Whether the machine gave the program a whole CPU: only then its threads can have kept the GIL."""
    return run.stats["profile"]["samples"] > 0.93 * 499 * run.stats["seconds"]


@contextlib.contextmanager
def quota(directory):
    """A tenth of a CPU for what begins in there: what makes that so in a child of ours."""
    top = next((path for path in map(pathlib.Path, ("/sys/fs/cgroup/cpu", "/sys/fs/cgroup"))
                if (path / "cgroup.procs").exists()), None)
    made = top and top / ("pyperf-quota-%d" % os.getpid())
    try:
        made.mkdir()
        if (made / "cpu.max").exists():
            (made / "cpu.max").write_text("10000 100000")
        else:
            (made / "cpu.cfs_period_us").write_text("100000")
            (made / "cpu.cfs_quota_us").write_text("10000")
    except (AttributeError, OSError):
        pytest.skip("SKIP cgroups: no controller of CPU quotas that can be written to")
    try:
        yield cgroups.starter(made)
    finally:
        profiler.wait_until(lambda: not (made / "cgroup.procs").read_text(), 60, "end of what ran in there")
        made.rmdir()


def throttled(directory, more=MORE["cpu_quota"]):
    """Started here, and not by the profiler, which would be throttled, too."""
    with quota(directory) as begin:
        command = [known.newest().path, WORKLOADS / "stands_out.py", "cpu_quota", "60"]
        with profiler.target(*command, about=False, preexec_fn=begin) as started:
            return profiler.run_while(directory, [started], 0.3, "-F", 499, *more)


def crowded(directory, program=("stands_out.py", "no_cpu"), more=MORE["no_cpu"]):
    """A program and two others that compute share one CPU, and nobody has a quota."""
    def begin():
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with contextlib.ExitStack() as stack:
        started = [stack.enter_context(profiler.target(known.newest().path, WORKLOADS / name, code, "60",
                                                       about=False, preexec_fn=begin))
                   for name, code in (program, *[("stands_out.py", "no_cpu")] * 2)]
        return profiler.run_while(directory, started, 0.5, "-F", 499, *more)


def faulty(directory, code):
    if code in ("cpu_quota", "no_cpu"):
        return (throttled if code == "cpu_quota" else crowded)(directory)
    for _ in range(5):
        with profiler.before_others() if code in BEFORE_OTHERS else contextlib.nullcontext():
            run = profile(directory, "stands_out.py", code, *SECONDS.get(code, ()), code=code)
        if code != "gil_full" or is_gil_full(run):
            return run
    pytest.skip("SKIP quiet: others keep this machine's CPUs busy")


def nothing(run):
    """Whether nothing is said; but a machine that is busy with others may be what stands out."""
    found = findings(run.path)
    if set(found) == {"no_cpu"}:
        samples = run.samples
        if run.path.is_dir():
            samples = [sample for path in run.path.glob("*.pb.gz") for sample in profiler.read_samples(path)]
        ready, ran = (sum(sample.values[key] for sample in samples) for key in ("runqueue", "cpu_time"))
        return found["no_cpu"]["share"] == pytest.approx(ready / (ready + ran), abs=1e-6)
    assert not found
    return "\nNothing stands out.\n" in report("--findings", run.path)


def check(one, code):
    assert 0 < one["value"] <= one["of"] and one["share"] == pytest.approx(one["value"] / one["of"], abs=1e-6)
    if "samples" in one:
        assert RULES[code] <= one["share_low"] <= one["share"] <= one["share_high"]
    assert one["share"] >= RULES[code]
    if code == "not_whole":
        lack = float(re.search(r"; ([\d.]+) % of all lack frames", one["doubt"])[1])
        assert lack == pytest.approx(100 * one["share"], abs=2)  # of samples, not of their time
    if PLACES[code]:
        assert one["place"]["name"].split(".")[-1] == PLACES[code] and one["place"]["share"] > 0.3
    assert one["text"].endswith(".") and one["doubt"]


def figure_is_in_the_answer(one, path):
    """What the sentence says is what the command that is printed below it says, to the last nanosecond."""
    answer = json.loads(report("--json", *one["arguments"], path))
    text = " ".join(report(*one["arguments"], path).split())
    profile, value = answer["profile"], one["value"]
    if one["code"] == "package":
        name = re.match(r"Code of the package (\S+) took", one["text"])[1]
        row, = (row for row in answer["tables"][0]["rows"] if row["name"] == name)
        assert row["self"] == value and row["self_share"] == pytest.approx(one["share"], abs=1e-6)
        return
    if one["code"] == "cpu_quota":  # it is the kernel's count, and so is in no row
        assert "threads were held back for %d us" % (value // 1000) in text
        return
    assert profile["event"] == one["event"]
    if one["code"] == "only_ticks":
        assert profile["total"] == one["of"] - value
    elif one["code"] == "growth":
        assert profile["kept"] == one["of"]
    elif one["code"] == "no_cpu":
        assert profile["kept"] == value or "a quota held back" in one["text"]
    elif one["code"] == "growth_goes_on":
        assert profile["kept"] >= one["of"]
    else:
        assert profile["kept"] == value
    if "--of" in one["arguments"]:
        share, amount = re.search(r"leave ([\d.]+) % of it, ([\d.,]+ \w+);", text).groups()
        assert amount in one["text"]
        assert float(share) == pytest.approx(100 * profile["kept"] / profile["total"], abs=0.006)


@pytest.mark.parametrize("code", some(RULES, QUICK))
def test_a_program_with_the_fault(code, tmp_path):
    run = faulty(tmp_path, code)
    found = findings(run.path)
    assert code in found, "\n".join(one["text"] for one in found.values())
    check(found[code], code)
    command = found[code]["command"].split()
    assert command[:2] == ["pyperf-bpf", "report"] and command[-1] == str(run.path)
    figure_is_in_the_answer(found[code], run.path)
    text = " ".join(report("--findings", run.path).split())
    summary = " ".join((run.out or run.err).split())
    if code not in OVER_TIME:
        assert found[code]["text"] in summary and summary.index("What stands out") == 0
    assert found[code]["text"] in text and found[code]["doubt"] in text and found[code]["command"] in text


NATIVE_PACKAGE = """
import ctypes, sys, time
fast = ctypes.CDLL(sys.argv[1])
while time.process_time() < 1.2:
    fast.burn(20000000)
    sum(range(100000))
"""


@pytest.mark.parametrize("native", ("leaf", pytest.param("top", marks=pytest.mark.all),
                                    pytest.param("full", marks=pytest.mark.all)))
def test_native_code_of_a_package_is_its_own_everywhere(tmp_path, native):
    """One figure: of the sentence, of rows that are packages, of folded ones and of a difference, with code
    of the C library below."""
    folder = tmp_path / "site-packages" / "heavy"
    folder.mkdir(parents=True)
    (tmp_path / "fast.c").write_text(
        "#include <stdlib.h>\n"
        "int burn(int n) { int x = 0; while (n--) x += n % 64 ? n ^ x : rand(); return x; }")
    library = folder / "_fast.so"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, tmp_path / "fast.c"], check=True)
    run = profiler.Run(tmp_path, "-F", 499, "--native", native, "--", known.newest().path, "-c",
                       NATIVE_PACKAGE, library).finish(240)
    one = findings(run.path)["package"]
    figure_is_in_the_answer(one, run.path)
    assert "Code of the package heavy took" in one["text"] and one["share"] > 0.6
    def of_heavy(*arguments, key="self"):
        table = json.loads(report("--json", "--top", 100, *arguments, run.path))["tables"][0]
        return [row[key] for row in table["rows"] if (row["name"], row["kind"]) == ("heavy", "package")]
    assert of_heavy("--by", "package") == of_heavy("--by", "package", key="total") == [one["value"]]
    assert of_heavy("--fold", "--by", "function") == [one["value"]]
    assert sum(of_heavy("--fold", "--tree")) == one["value"]
    compared = subprocess.run([profiler.BINARY, "diff", "--json", "--by", "package", run.path, run.path],
                              capture_output=True, text=True, check=True).stdout
    row, = (row for row in json.loads(compared)["rows"] if row["name"] == "heavy")
    assert row["base_self"] == row["new_self"] == one["value"]
    # By functions it is the time of the line that called it.
    table = json.loads(report("--json", "--by", "function", run.path))["tables"][0]
    assert table["rows"][0]["name"] == "<module>" and table["rows"][0]["self"] > one["value"]


@pytest.mark.all
def test_who_waits_for_a_cpu_is_not_held_back(tmp_path):
    found = findings(crowded(tmp_path).path)
    assert "no_cpu" in found and "cpu_quota" not in found


@pytest.mark.all
def test_who_has_the_gil_and_no_cpu_is_not_to_blame(tmp_path):
    """A thread looks every now and then; what keeps it are the others of that CPU."""
    run = crowded(tmp_path, ("sound.py", "helper_thread"), ("--event", "cpu,offcpu,gil"))
    assert "gil_wait" not in findings(run.path)


@pytest.mark.all
@pytest.mark.parametrize("more", (("--event", "cpu,offcpu"), ("--event", "cpu")), ids=("waits", "ticks"))
def test_what_a_quota_takes_is_told_apart(tmp_path, more):
    run = throttled(tmp_path, more)
    found = findings(run.path)
    one = found["cpu_quota"]
    assert re.search(r"A quota of 0\.10 CPUs held back the threads of cgroup /pyperf-quota-\d+ "
                     r"\(process \d+\) for [\d.]+ m?s, in \d+ of \d+ periods of 100 ms", one["text"])
    assert "no sample" not in one["doubt"] and "not for each thread" in one["doubt"]
    if "cpu,offcpu" in more:
        ready = sum(sample.values["runqueue"] for sample in run.samples)
        # It has one thread, so there is one bound: what the kernel has counted, up to the last reading.
        share = int(re.search(r"did not, (\d+) % are that", one["text"])[1])
        assert share == pytest.approx(100 * min(1, one["value"] / ready), abs=1)
        # What the quota took is not what others had.
        assert found.get("no_cpu", {"value": 0})["value"] <= ready - min(ready, one["value"]) + 1


@pytest.mark.parametrize("code", some(RULES, QUICK))
def test_the_same_program_without_it(code, tmp_path):
    run = profile(tmp_path, "stands_out.py", "sound:" + code, code=code)
    assert nothing(run)


def test_known_code_is_there():
    """What marks.def names in the standard library is in the newest interpreter's."""
    text = (profiler.ROOT / "user" / "findings" / "marks.def").read_text()
    rows = re.findall(r'^MARK\(\w+, STANDARD, "(\w*)", "([\w/]+\.py)"\)', text, re.M)
    library = pathlib.Path(subprocess.run([known.newest().path, "-c", "import os; print(os.__file__)"],
                                          capture_output=True, text=True, check=True).stdout).parent
    assert len(rows) > 10
    for name, file in rows:
        source = (library / file).read_text()
        assert not name or re.search(r"^ *(async )?def %s\(" % name, source, re.M), (name, file)


def test_there_are_enough():
    assert len(SOUND) >= 20


@pytest.mark.parametrize("name", some(SOUND, ("server",)))
def test_nothing_is_said_where_nothing_is_wrong(name, tmp_path):
    assert nothing(profile(tmp_path, "sound.py", name, more=("--event", "cpu,offcpu,gil,memory", "--native",
                                                            "top")))


@pytest.mark.all
def test_growth_goes_on_as_a_profiler_that_serves_has_it(tmp_path):
    """Its intervals, one by one: they say what the folder of them does."""
    (tmp_path / "profiles").mkdir()
    def said(source):
        done = subprocess.run([profiler.BINARY, "report", "--findings", "--json", source],
                              capture_output=True, text=True)
        return {one["code"]: one for one in json.loads(done.stdout)["findings"]} if done.stdout else {}
    command = known.newest().path, WORKLOADS / "stands_out.py", "growth_goes_on", "6"
    live = {}
    with profiler.target(*command, about=False) as target:
        server = serving.Server(tmp_path, "--pid", target.pid, "--event", "memory", "--interval", 1,
                                "--output-dir", tmp_path / "profiles")
        while server.run.process.poll() is None and not live:
            live = said(server.url + "/debug/pyperf/intervals").get("growth_goes_on", {})
        server.run.interrupt()
        server.run.finish()
    kept = said(tmp_path / "profiles")["growth_goes_on"]
    assert live["place"]["name"] == kept["place"]["name"] == "grows_on" and live["value"] <= kept["value"]


@pytest.mark.parametrize("more", (("--by", "line"), ("--tree",), ("--focus", "x"), ("--fold",)))
def test_it_is_of_whole_profiles(more):
    done = subprocess.run([profiler.BINARY, "report", "--findings", *more, "x"], capture_output=True,
                          text=True)
    assert (done.returncode, done.stdout) == (2, "") and "--findings" in done.stderr
