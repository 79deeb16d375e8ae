# SPDX-License-Identifier: GPL-2.0-only
"""Kinds of events that only the tests have (tests/recipe/README.md). With what the recipe in
docs/internals/recipes.md says, and nothing else, the profiler can be asked for them, counts them and shows
them."""
import collections
import os
import re
import subprocess

import pytest

import interpreters as known
import pprof
import profiler

pytestmark = pytest.mark.all  # the profiler is built once more
ADDED = profiler.ROOT / "tests" / "recipe"
BUILD = profiler.ROOT / "build" / "recipe"
OUTPUT, INPUT = profiler.events(ADDED / "bpf")
KEYS = OUTPUT.key, INPUT.key
# What the program is told, and the kind that this is.
SCENES = {"writes": "output", "writes_more": "output", "reads": "input"}


@pytest.fixture(scope="module")
def binary():
    # Of a make that runs the tests nothing is inherited: neither its variables nor its jobs.
    outside = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    made = subprocess.run(["make", "-j%d" % os.cpu_count(), "O=%s" % BUILD.relative_to(profiler.ROOT),
                           "OVER=%s" % ADDED.relative_to(profiler.ROOT), "all"],
                          cwd=profiler.ROOT, env=outside, capture_output=True, text=True)
    assert made.returncode == 0, made.stdout[-2000:] + made.stderr[-8000:]
    return BUILD / "pyperf-bpf"


@pytest.fixture
def rows(monkeypatch):
    """What is checked of every run (Run.check_books) knows the kinds and the outcomes of the tests, too."""
    monkeypatch.setattr(profiler, "EVENTS", profiler.EVENTS + [OUTPUT, INPUT])
    monkeypatch.setattr(profiler, "OUTCOMES", profiler.OUTCOMES + profiler.outcomes(ADDED / "bpf"))


def is_ready(run):
    return b"capabilities that are kept" in os.pread(run.streams[1].fileno(), 1 << 24, 0)


Seen = collections.namedtuple("Seen", "run bytes")


def watch(directory, binary, workloads, *arguments):
    """bytes: {scene: what the program says that it has moved}."""
    moved = {}
    with profiler.target(known.usual().path, workloads / "transfers.py", stdin=subprocess.PIPE) as target:
        run = profiler.Run(directory, "--pid", target.pid, "-v", *arguments, binary=(binary,))
        try:
            profiler.wait_until(lambda: is_ready(run) or run.process.poll() is not None, what="start")
            for scene in [*SCENES, "writes_few"]:
                target.tell("%s 300" % scene)
                target.ready()
                moved[scene] = target.about["moved_bytes"]
            run.interrupt()
        except BaseException:
            run.kill()
            raise
        return Seen(run.finish(), moved)


def in_function(run, name, key):
    return sum(sample.values[key] for sample in run.samples if name in profiler.functions(sample))


def test_every_byte_is_counted_where_it_was_moved(tmp_path, binary, workloads, rows):
    """Exactly: each call is an event, and none is lost."""
    run, moved = watch(tmp_path, binary, workloads, "--event", "output")
    types = pprof.read(run.path).sample_types
    assert [tuple(one) for one in types] == [(OUTPUT.type, "bytes"), (INPUT.type, "bytes")]
    for scene, kind in SCENES.items():
        assert {key: in_function(run, scene, key) for key in KEYS} == dict.fromkeys(KEYS, 0) | {
            kind: moved[scene]}
    assert run.stats["output_outcomes"]["few_bytes"] == moved["writes_few"]


def test_beside_ticks_and_waits(tmp_path, binary, workloads, rows):
    """Other kinds are what they were, and have nothing of it."""
    run, moved = watch(tmp_path, binary, workloads, "--event", "cpu,output,offcpu")
    assert run.kinds == {"cpu", "offcpu", "runqueue", *KEYS}
    for scene, kind in SCENES.items():
        nested = run.stats[kind + "_outcomes"]["nested"]
        assert moved[scene] - nested <= in_function(run, scene, kind) <= moved[scene]


def test_it_is_asked_for_by_its_name(binary):
    shown = subprocess.run([binary, "--help", "all"], capture_output=True, text=True, check=True).stdout
    assert re.search(r"\boutput\b.*what programs write, and read", " ".join(shown.split()))
    refused = subprocess.run([binary, "-a", "--event", "input"], capture_output=True, text=True)
    assert refused.returncode == 2 and re.search("--event wants cpu, .*, output, or several", refused.stderr)


def test_nobody_else_has_it():
    """The profiler as it is refuses the same run."""
    refused = subprocess.run([profiler.BINARY, "-a", "--event", "output"], capture_output=True, text=True)
    assert refused.returncode == 2 and "--event wants cpu, " in refused.stderr


def recipe():
    text = (profiler.ROOT / "docs/internals/recipes.md").read_text()
    return text.split("\n## A new kind of event\n")[1].split("\n## ")[0]


def test_the_recipe_names_the_files_that_it_takes():
    """Its table has a row for each file of tests/recipe, and no other row."""
    named = re.findall(r"^\| `([\w./]+)` \|", recipe(), re.M)
    added = {str(path.relative_to(ADDED)) for path in ADDED.glob("*/**/*") if path.is_file()}
    assert {name.replace("NAME", "io") for name in named} == added
    assert len(named) == len(added)


@pytest.mark.parametrize("path", sorted(ADDED.glob("*/**/*.def")), ids=lambda path: path.name)
def test_what_is_added_are_rows(path):
    """A file of rows takes up the one that it is called after, and has rows only."""
    name = str(path.relative_to(ADDED))
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S).strip()
    first, rest = text.split("\n", 1)
    assert first == '#include_next "%s"' % name.removeprefix("user/")
    assert (profiler.ROOT / name).is_file() and "#" not in rest


def test_kinds_are_named_where_they_happen():
    """In bpf/events, whose files are each about some kind. Everything else goes over the rows: bpf/events.def
    says what the kinds mean to each other. Ticks are not counted: CPU time is compared with the kernel's
    account of it, and no kind that is new does that. Nor is the room of findings, whose rules are each about
    some kind, and what keeps growth for one of them; nor what looks from outside, which has CPU time and
    waits alone, and is to refuse any other kind."""
    keys = re.findall(r"^EVENT\((\w+)", (profiler.ROOT / "bpf/events.def").read_text(), re.M)
    pattern = re.compile(r"\bEVENT_(%s)\b" % "|".join(set(keys) - {"CPU"}))
    naming = {str(path.relative_to(profiler.ROOT)) for room in ("bpf", "user")
              for path in (profiler.ROOT / room).glob("**/*.[ch]") if pattern.search(path.read_text())}
    assert any(name.startswith("bpf/events/") for name in naming)
    ours = "bpf/events/", "user/findings/", "user/hosted/"
    assert {name for name in naming if not name.startswith(ours)} == {
        "user/recorded/read_header.c", "user/options/derive_outside.c", "user/views/unanalysed.c"}
