# SPDX-License-Identifier: GPL-2.0-only
"""Fixtures of all tests in Python. Most of these need root, a built binary ($PYPERF, or else
build/pyperf-bpf) and the interpreters of tests/fetch-interpreters.py; an interpreter that is not here skips
its tests and says why."""
import collections
import json
import os
import pathlib
import re
import resource
import sys
import time

import pytest

TESTS = pathlib.Path(__file__).resolve().parent
# Folders and files whose tests mostly wait: for the end of an interval, for a receiver, for what a terminal
# shows, or for programs that rest as well. They use a quarter of a CPU and less (the last lines of `make
# check`), and so are of the lane "waits".
WAITING = [TESTS / name for name in (
    "judges", "repo", "e2e/commands", "e2e/containers", "e2e/output", "e2e/push", "e2e/serving",
    "e2e/processes/test_targets_end.py", "e2e/tasks/test_tasks.py", "e2e/tasks/test_tasks_event.py",
    "e2e/tasks/test_tasks_found.py", "e2e/waits/test_asleep.py", "e2e/waits/test_budget.py",
    "e2e/waits/test_memory.py", "e2e/waits/test_offcpu.py")]
# What pytest makes of a test's file is kept for the next process: that is most of what it does until tests
# begin. Programs that tests start keep nothing, which PYTHONDONTWRITEBYTECODE says.
sys.pycache_prefix = str(TESTS.parent / "build" / "pycache")
sys.dont_write_bytecode = False
sys.path.insert(0, str(TESTS / "lib"))
import home  # noqa: E402
import interpreters as known  # noqa: E402
import left_to_all  # noqa: E402
import signals  # noqa: E402


def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        signals.heed()
    config.addinivalue_line("markers", "long: takes a minute or more; leave out with -m 'not long'")
    config.addinivalue_line("markers", "all: is left to `make check-all`")
    config.addinivalue_line("markers", "waits: mostly waits: of that lane")
    config.addinivalue_line("markers", "burns: keeps CPUs busy, though its folder is one of those that wait")
    config.addinivalue_line("markers", "alone: is about the whole machine; nothing may run beside it")


def is_waiting(path):
    return bool({path, path.parent} & set(WAITING))


def has_none_of(lane, path):
    """Whether a file has no test of this lane of tests/check.sh: its name and the markers in it say so."""
    if lane not in ("waits", "burns", "alone") or not path.name.startswith("test_"):
        return False
    is_usual = lane == ("waits" if is_waiting(path) else "burns")
    return not is_usual and "pytest.mark." + lane not in path.read_text()


def pytest_ignore_collect(collection_path):
    """Files of which `make check`, or its lane that runs, has nothing are not even read."""
    is_left = known.ONLY_FAMILIES and left_to_all.is_left(str(collection_path.relative_to(TESTS.parent)))
    is_empty = collection_path.suffix == ".py" and has_none_of(os.environ.get("LAYER"), collection_path)
    return True if is_left or is_empty else None  # None: as pytest thinks


def shared_fixtures(item):
    """Those of the item's own module that live longer than one test, with the parameter that each has."""
    given = getattr(item, "callspec", None)
    for name, fixtures in item._fixtureinfo.name2fixturedefs.items():
        if fixtures[-1].scope != "function" and ".py" in fixtures[-1].baseid:
            yield fixtures[-1].baseid, name, str(given.params[name]) if given and name in given.params else ""


def is_for_all(item):
    """Whether a test is about an interpreter or a version that `make check` does without. Where all are
    wanted, the one of a version may be another than there. Where FEW_ARE_ENOUGH, which a module says, or a
    test by an attribute, it has two: what these are about does not depend on how frames are kept."""
    given = getattr(item, "callspec", None)
    few = hasattr(item.module, "FEW_ARE_ENOUGH") or hasattr(item.function, "few_are_enough")
    return any(known.is_left_out(value) or few and known.is_beyond_few(value)
               for value in (given.params.values() if given else ()))


@pytest.hookimpl(tryfirst=True)  # pytest-xdist looks at the groups in its own
def pytest_collection_modifyitems(items):
    """Tests that share what a fixture has started are one group, and so stay in one process of pytest-xdist
    (--dist loadgroup), directly or by others that share with both. The largest groups come first, so that
    none of them is what the others wait for at the end."""
    for item in items:
        if is_for_all(item) or left_to_all.is_left(item.nodeid):
            item.add_marker("all")
        if home.needs_bpf(item.nodeid) and home.refusal():
            item.add_marker(pytest.mark.skip(reason=home.REASON))
        if is_waiting(item.path) and not item.get_closest_marker("burns"):
            item.add_marker("waits")
    groups = {}  # fixture: the list of all fixtures of its group
    shared = {item: list(shared_fixtures(item)) for item in items}
    for fixtures in shared.values():
        merged = sorted({one for fixture in fixtures for one in groups.get(fixture, [fixture])})
        groups.update((fixture, merged) for fixture in merged)
    sizes = collections.Counter()
    for item in items:
        if shared[item]:
            name = re.sub(r"\W+", "_", "-".join(groups[shared[item][0]][0]))  # "@NAME" behind the test's own
            item.add_marker(pytest.mark.xdist_group(name))
            sizes[name] += 1
    items.sort(key=lambda item: -max((sizes[mark.args[0]] for mark in item.iter_markers("xdist_group")),
                                     default=0))


def pytest_collection_finish(session):
    """How many tests there are, for the line a minute of `make check` (tests/lib/progress.py). Each worker of
    pytest-xdist collects the same."""
    worker = getattr(session.config, "workerinput", {}).get("workerid")
    if os.environ.get("NOTES") and session.items and worker in (None, "gw0"):
        with open(os.environ["NOTES"], "a") as notes:
            notes.write(json.dumps({"layer": os.environ["LAYER"], "tests": len(session.items)}) + "\n")


def cpu_times():
    """Seconds of CPU time: our own, and that of the children that we have waited for."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return [one.ru_utime + one.ru_stime for one in used]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """What each test took, with its fixtures, for the end of `make check` (tests/lib/times.py). What a target
    of several tests has used is counted for the last of them, which ends it."""
    began, before = time.monotonic(), cpu_times()
    try:
        return (yield)
    finally:
        if os.environ.get("NOTES"):
            own, children = (after - past for past, after in zip(before, cpu_times()))
            took = {"layer": os.environ["LAYER"], "test": re.sub(r"@\w+$", "", item.nodeid),
                    "wall": time.monotonic() - began, "own": own, "children": children}
            with open(os.environ["NOTES"], "a") as notes:
                notes.write(json.dumps(took) + "\n")


def pytest_sessionfinish(session):
    """What the tests did, for the end of `make check` (tests/lib/skips.py): in $NOTES, layer $LAYER."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if not os.environ.get("NOTES") or hasattr(session.config, "workerinput") or not reporter:
        return
    layer = os.environ["LAYER"]
    failed = reporter.stats.get("failed", []) + reporter.stats.get("error", [])
    with open(os.environ["NOTES"], "a") as notes:
        for report in reporter.stats.get("skipped", []):
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
            skip = {"layer": layer, "test": report.nodeid, "skip": reason.removeprefix("Skipped: ")}
            notes.write(json.dumps(skip) + "\n")
        done = {"layer": layer, "passed": len(reporter.stats.get("passed", [])), "failed": len(failed)}
        notes.write(json.dumps(done) + "\n")


def marks(name, here):
    if name not in here:
        yield pytest.mark.skip(reason="SKIP %s: %s" % (name, known.reason(name)))
    if name in known.LONG:
        yield pytest.mark.long


def version_marks(version, here, quick):
    if version not in here:
        yield pytest.mark.skip(reason="SKIP %s: no such Python here" % version)
    if version not in quick:
        yield pytest.mark.long


def parameters(names, here):
    return [pytest.param(here.get(name), id=name, marks=tuple(marks(name, here))) for name in names]


def pytest_generate_tests(metafunc):
    """`interpreter`: each one that is here or ought to be. `version`: one of each supported version; those
    that are not in the module's QUICK_VERSIONS, if it has such, are for the long tests. 2.7 is among them in
    modules that say so (ALSO_2_7)."""
    two = getattr(metafunc.module, "ALSO_2_7", False)
    if "interpreter" in metafunc.fixturenames:
        here = {i.name: i for i in known.everything()}
        names = [name for name in dict.fromkeys([*known.names(), *here]) if two or not known.is_two(name)]
        metafunc.parametrize("interpreter", parameters(names, here))
    if "version" in metafunc.fixturenames:
        chosen = {i.minor: i for i in known.one_per_version_and_two()}
        supported = (known.TWO, *known.SUPPORTED) if two else known.SUPPORTED
        only = getattr(metafunc.function, "versions", supported)
        quick = getattr(metafunc.module, "QUICK_VERSIONS", supported)
        if known.ONLY_FAMILIES:
            quick = supported
        metafunc.parametrize("version", [pytest.param(chosen.get(v), id=v,
                                                      marks=tuple(version_marks(v, chosen, quick)))
                                         for v in only])


@pytest.fixture(scope="session")
def workloads():
    return TESTS / "workloads"
