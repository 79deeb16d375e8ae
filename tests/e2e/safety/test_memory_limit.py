# SPDX-License-Identifier: GPL-2.0-only
"""A limit of memory that is too small for the tables is said with the figure that is enough."""
import os
import pathlib
import re

import pytest

import interpreters as known
import profiler

MEMORY = pathlib.Path("/sys/fs/cgroup/memory")
# What takes much memory, and the least, with a limit in MiB that is too small for its tables. Were it much
# smaller, the kernel would kill whatever runs there.
OPTIONS = [(["--native", "full", "--event", "cpu,offcpu"], 64), ([], 30)]


@pytest.fixture
def limited():
    """A function that gives a command whose memory is limited to so many MiB."""
    folder = MEMORY / ("pyperf-limit-%d" % os.getpid())
    try:
        folder.mkdir()
    except OSError:
        pytest.skip("SKIP cgroup-memory: no memory controller of version 1 that can be used")
    file = folder / "memory.limit_in_bytes"

    def command(mib):
        file.write_text(str(mib << 20))
        return ["sh", "-c", 'echo 0 >"$0"/cgroup.procs; exec "$@"', str(folder), profiler.BINARY]

    yield command
    folder.rmdir()


@pytest.mark.all
@pytest.mark.parametrize("options,too_small", OPTIONS, ids=["much", "least"])
def test_the_figure_is_enough(tmp_path, workloads, limited, options, too_small):
    with profiler.target(known.newest().path, workloads / "burn.py") as target:
        asked = ["-d", 2, "-p", target.pid, *options]
        run = profiler.run(tmp_path, *asked, binary=limited(too_small), code=1, output=None, stats=False)
        said = re.search(r"the BPF tables, which take (\d+) MiB: .* has to be (\d+) MiB", run.err)
        assert said, run.err
        assert int(said[1]) < int(said[2])
        run = profiler.run(tmp_path, *asked, binary=limited(int(said[2])))
    assert profiler.total(run.of(target.pid)) > 0
