# SPDX-License-Identifier: GPL-2.0-only
"""Programs of one user that fill the call tree and the tables of code objects and of threads as fast as they
can, and a service of another user: it keeps its samples."""
import pytest

import crowds
import interpreters as known
import profiler

NEWEST = known.newest()
CPU = 1  # seconds of it, of the service, at FREQUENCY: so many samples that a share is known to a per cent
FREQUENCY = 4999
TREE = 131072  # a quarter of the default, since the crowd has a part of a large machine's CPUs
OF_THREADS = 32768  # of their table it is the 64th part, in each of two banks
SHORT = OF_THREADS // 64 * 3 // 4  # from there on new threads share their process's entry


@pytest.mark.all
@pytest.mark.alone
@pytest.mark.timeout(900)  # to read stacks 900 deep takes long on a busy machine
@pytest.mark.parametrize("kind", ["stacks", "codes", "names", "threads"])
def test_a_service_of_another_user(tmp_path, kind):
    tree = OF_THREADS if kind == "threads" else TREE
    arguments = ["threads"] if kind == "threads" else []  # its own threads need room, too
    with crowds.crowd(kind, 8) as crowd, \
            profiler.target(NEWEST.path, "-ISc", crowds.SERVICE, *arguments) as service:
        pids = [service.pid, *crowd.about["children"]]
        run = profiler.Run(tmp_path, "-p", ",".join(map(str, pids)), "-F", FREQUENCY, "--tree-size", tree)
        profiler.let_use_cpu(run, [service.pid], CPU)
        run.interrupt()
        run.finish(120)
    ours = run.of(service.pid)
    full, owners = run.stats["outcomes"]["table_full"], run.stats["counters"]["owners_new"]
    share = crowds.whole_share(ours)
    if kind == "threads":  # a thread without an entry is nobody's: take all of these as the service's
        share *= profiler.total(ours) / (profiler.total(ours) + full)
    print("%d samples, %.2f %% whole; %d of all found no room, %d threads were met" %
          (profiler.total(ours), 100 * share, full, owners))
    assert profiler.total(ours) > 2000
    assert full > 0 or kind == "threads" and owners >= SHORT, "nothing ran short: nothing was tested"
    assert share >= 0.95
