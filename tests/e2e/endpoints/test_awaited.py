# SPDX-License-Identifier: GPL-2.0-only
"""`--by endpoint` with `--async`: children of gather() have the endpoint of the handler that awaits them."""
import collections

import pytest

import pprof
import profiler
from async_tasks import EACH, EACH_FOUND

PROGRAM = "awaited.py"
RULE = "endpoints/" + PROGRAM + ":dispatch"
LEAST = 50  # samples of each


@pytest.mark.all
@pytest.mark.parametrize("python", EACH + EACH_FOUND)
def test_children_of_a_handler(python, workloads, tmp_path):
    found = {}
    with profiler.target(python.path, "-S", workloads / "endpoints" / PROGRAM) as target:
        for name, options in (("alone", ()), ("awaited", ("--async",))):
            folder = tmp_path / name
            folder.mkdir()
            run = profiler.run_while(folder, [target], 2, "-F", 499, "--by", "endpoint", "--endpoint-rule",
                                     RULE, *options)
            found[name] = collections.Counter()
            for sample in pprof.read(run.path).samples:
                work = {f.function for f in sample.frames if f.function.startswith("burn_")}
                whole = not any(f.function.startswith("[") for f in sample.frames)
                if work and whole:
                    found[name][work.pop(), sample.labels.get("endpoint")] += sample.count
    assert {endpoint for _, endpoint in found["alone"]} == {None}, found
    shown = dict(found["awaited"].keys())
    assert len(shown) == len(found["awaited"]) == 2 and min(found["awaited"].values()) > LEAST, found
    assert all(endpoint.endswith(":" + work.replace("burn_", "")) for work, endpoint in shown.items()), found
