# SPDX-License-Identifier: GPL-2.0-only
"""Fixtures of the end-to-end tests. They need root, a built binary ($PYPERF) and the interpreters of
tests/fetch-interpreters.py; an interpreter that is not here skips its tests and says why."""
import pathlib
import sys

import pytest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "lib"))
import interpreters as known  # noqa: E402


def pytest_configure(config):
    config.addinivalue_line("markers", "long: takes a minute or more; leave out with -m 'not long'")


def marks(name, here):
    if name not in here:
        yield pytest.mark.skip(reason="SKIP %s: %s" % (name, known.reason(name)))
    if name in known.LONG:
        yield pytest.mark.long


def version_marks(version, here, quick):
    if version not in here:
        yield pytest.mark.skip(reason="SKIP: no Python %s here" % version)
    if version not in quick:
        yield pytest.mark.long


def parameters(names, here):
    return [pytest.param(here.get(name), id=name, marks=tuple(marks(name, here))) for name in names]


def pytest_generate_tests(metafunc):
    """`interpreter`: each one that is here or ought to be. `version`: one of each supported version; those that are not in
    the module's QUICK_VERSIONS, if it has such, are for the long tests. 2.7 is among them in modules that say so
    (ALSO_2_7)."""
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
        metafunc.parametrize("version", [pytest.param(chosen.get(v), id=v, marks=tuple(version_marks(v, chosen, quick)))
                                         for v in only])


@pytest.fixture(scope="session")
def workloads():
    return TESTS / "workloads"
