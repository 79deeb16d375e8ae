# SPDX-License-Identifier: GPL-2.0-only
"""How the summary names files, and that profiles keep whole paths. tests/unit/profile/test_short_path.c has
the rule, case by case."""
import re

import pytest

import interpreters as known
import profiler

PROGRAM = """import json, sys
sys.path.insert(0, sys.argv[1])
import shop.cart
print("{}", flush=True)
while True:
    shop.cart.add()
    json.JSONEncoder(indent=1).encode([[1, 2]] * 500)
"""
LIBRARY = "def add():\n    for i in range(20000):\n        i * i\n"


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """One that burns in a script, a package of site-packages, and the standard library."""
    top = tmp_path_factory.mktemp("project")
    packages = top / "venv" / "site-packages"
    (packages / "shop").mkdir(parents=True)
    (packages / "shop" / "__init__.py").touch()
    (packages / "shop" / "cart.py").write_text(LIBRARY)
    (top / "scripts").mkdir()
    (top / "scripts" / "serve.py").write_text(PROGRAM)
    with profiler.target(known.newest().path, "-B", top / "scripts" / "serve.py", packages) as started:
        started.top = top
        yield started


def places(run):
    """The files of the two tables of the summary."""
    text = re.search(r"Hottest functions\n(.*?)\n(Processes|Threads)", run.out, re.S)[1]
    return set(re.findall(r"^ .*%.*\s(\S+\.py):\d+$", text, re.M))


def test_short(tmp_path, program):
    run = profiler.run_while(tmp_path, [program], 0.4, "-F", 1999, cwd=program.top)
    assert {"scripts/serve.py", "shop/cart.py", "json/encoder.py"} <= places(run)
    files = {frame[1] for sample in run.of(program.pid) for frame in sample.stack}
    whole = {str(program.top / "scripts/serve.py"), str(program.top / "venv/site-packages/shop/cart.py")}
    assert whole <= files and any(file.endswith("/json/encoder.py") for file in files)


def test_from_elsewhere_and_whole(tmp_path, program):
    run = profiler.run_while(tmp_path, [program], 0.3, "-F", 1999, cwd="/")
    assert {"scripts/serve.py", "shop/cart.py"} <= places(run)
    run = profiler.run_while(tmp_path, [program], 0.3, "-F", 1999, "--paths", "full", cwd=program.top)
    assert not any("/" not in place for place in places(run))
    assert all(re.match(r"/|\.\.\./", place) for place in places(run)), places(run)


APPS = """import sys, time
sys.path.insert(0, ".")
import api, api.views, jobs, jobs.views
print("{}", flush=True)
while True:
    for app in (api, api.views, jobs, jobs.views):
        app.work(time.time() + 0.01)
"""
WORK = "import time\ndef work(end):\n    while time.time() < end: sum(range(300))\n"


@pytest.fixture(scope="module")
def apps(tmp_path_factory):
    """As a project of Django has them: two packages with files of the same names, and functions of the same
    names at the same lines, called from one line."""
    top = tmp_path_factory.mktemp("site")
    for folder in "api", "jobs":
        (top / folder).mkdir()
        for name in "__init__.py", "views.py":
            (top / folder / name).write_text(WORK)
    with profiler.target(known.newest().path, "-B", "-c", APPS, cwd=top) as started:
        started.top = top
        yield started


@pytest.mark.parametrize("paths", ("short", "full"))
def test_folded_stacks_of_files_of_one_name_are_apart(tmp_path, apps, paths):
    run = profiler.run_while(tmp_path, [apps], 0.3, "-F", 1999, "--paths", paths, cwd=apps.top)
    of_pprof = {sample.stack[0][1] for sample in run.of(apps.pid) if sample.stack[0][0] == "work"}
    run = profiler.run_while(tmp_path, [apps], 0.3, "-F", 1999, "--paths", paths, cwd=apps.top,
                             output="p.folded")
    of_folded = set(re.findall(r";work \(([^;]*):3\) \d+$", run.path.read_text(), re.M))
    names = {"api/__init__.py", "api/views.py", "jobs/__init__.py", "jobs/views.py"}
    assert of_pprof == {str(apps.top / name) for name in names}
    assert of_folded == (names if paths == "short" else of_pprof)
