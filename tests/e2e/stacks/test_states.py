# SPDX-License-Identifier: GPL-2.0-only
"""Labels that say what the interpreter was doing at a sample (bpf/states.def): a program that is in one state
at a time, and says by the names of its functions in which."""
import collections
import re

import pytest

import interpreters as known
import pprof
import profiler

LIST = known.ROOT / "bpf" / "states.def"
QUICK = ("3.8", "3.11", "3.13", "3.14")  # the others are for the long tests
SCENES = {"runs_python", "runs_c", "imports", "handles", "has_handled"}
GC_SCENES = {"collects", "has_collected", "allocates", "is_made_to_collect", "burns_in_finalizer",
             "runs_beside"}
LEAST = 100  # samples of a scene, from which on a share of them is looked at

PARAMETERS = [pytest.param(i, id=i.minor, marks=() if known.is_quick(i, QUICK) else pytest.mark.long)
              for i in known.one_per_version_and_two()]
GC_PARAMETERS = [pytest.param(i, id=i.minor) for i in known.one_per_version() if i.version >= (3, 14)]


def label_shares(run, pid, scenes=SCENES):
    """{scene: {(key, value): share of its samples that have this label}}, of scenes with enough samples."""
    totals, with_label = collections.Counter(), collections.Counter()
    for sample in pprof.read(run.path).samples:
        scene = next((frame.function for frame in sample.frames if frame.function in scenes), None)
        if sample.labels.get("pid") != pid or not scene:
            continue
        totals[scene] += sample.count
        for key in ("gil", "import", "exception", "gc"):
            if key in sample.labels:
                with_label[scene, key, sample.labels[key]] += sample.count
    assert set(totals) == scenes and min(totals.values()) >= LEAST, totals
    return {scene: collections.Counter({found[1:]: n / totals[scene] for found, n in with_label.items()
                                        if found[0] == scene}) for scene in scenes}


@pytest.mark.parametrize("python", PARAMETERS)
def test_scenes(python, workloads, tmp_path):
    with profiler.target(python.path, "-B", workloads / "states.py") as target:
        run = profiler.run_while(tmp_path, [target], 1, "-F", 1999)
    shares = label_shares(run, target.pid)
    has, lacks = ("attached", "detached") if python.build == "t" else ("holds", "released")
    for scene in SCENES - {"runs_c"}:
        assert shares[scene]["gil", has] >= 0.97, (scene, shares)
    assert shares["runs_c"]["gil", lacks] >= 0.9, shares
    for scene in SCENES:
        wanted = {"import": scene == "imports" and python.version >= (3, 6),
                  "exception": scene == "handles" and python.version >= (3, 13)}
        for key, is_wanted in wanted.items():
            share = shares[scene][key, "yes"]
            assert share >= 0.95 if is_wanted else share <= 0.05, (scene, key, shares)


@pytest.mark.parametrize("python", GC_PARAMETERS)
def test_collections(python, workloads, tmp_path):
    """The other thread runs within collections too, while a finalizer sleeps, and has never the label."""
    with profiler.target(python.path, "-B", workloads / "states_gc.py") as target:
        run = profiler.run_while(tmp_path, [target], 2.5, "-F", 1999)
    shares = {scene: found["gc", "yes"] for scene, found in
              label_shares(run, target.pid, GC_SCENES).items()}
    assert shares["runs_beside"] == 0, shares
    if python.version < (3, 15):
        assert not any(shares.values()), shares
        return
    assert shares["collects"] >= 0.95, shares
    assert shares["is_made_to_collect"] >= 0.05, shares
    for scene in ("has_collected", "allocates", "burns_in_finalizer"):
        assert shares[scene] <= 0.02, (scene, shares)


def test_process_labels_have_none(workloads, tmp_path):
    """--labels process keeps less apart, and no states either."""
    python = known.newest()
    with profiler.target(python.path, "-B", workloads / "states.py") as target:
        run = profiler.run_while(tmp_path, [target], 0.5, "-F", 997, "--labels", "process")
    samples = pprof.read(run.path).samples
    assert samples and not any({"gil", "exception", "gc"} & set(sample.labels) for sample in samples)


def test_list():
    """Each row of the list has its label in the table of labels, and its value in the documentation."""
    import labels
    rows = re.findall(r'^STATE\(\w+, (\w+), "(\w+)"', LIST.read_text(), re.M)
    assert rows and {key for key, _ in rows} <= set(labels.keys(source="STATE"))
    text = (known.ROOT / "docs" / "states.md").read_text()
    for key, value in rows:
        assert "| `%s` | `%s` |" % (key, value) in text
