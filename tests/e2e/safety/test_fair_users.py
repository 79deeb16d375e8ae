# SPDX-License-Identifier: GPL-2.0-only
"""Programs of one user that fill the call tree and the table of code objects as fast as they can, and a
service of another user: it keeps its samples."""
import pytest

import crowds
import interpreters as known
import profiler

NEWEST = known.newest()
CPU = 1  # seconds of it, of the service, at FREQUENCY: so many samples that a share is known to a per cent
FREQUENCY = 4999
TREE = 131072  # a quarter of the default, since the crowd has a part of a large machine's CPUs


@pytest.mark.all
@pytest.mark.alone
@pytest.mark.timeout(900)  # to read stacks 900 deep takes long on a busy machine
@pytest.mark.parametrize("kind", ["stacks", "codes", "names"])
def test_a_service_of_another_user(tmp_path, kind):
    with crowds.crowd(kind, 8) as crowd, profiler.target(NEWEST.path, "-ISc", crowds.SERVICE) as service:
        pids = [service.pid, *crowd.about["children"]]
        run = profiler.Run(tmp_path, "-p", ",".join(map(str, pids)), "-F", FREQUENCY, "--tree-size", TREE)
        profiler.let_use_cpu(run, [service.pid], CPU)
        run.interrupt()
        run.finish(120)
    ours = run.of(service.pid)
    full = run.stats["outcomes"]["table_full"]
    print("%d samples, %.2f %% whole; %d of all found no room" %
          (profiler.total(ours), 100 * crowds.whole_share(ours), full))
    assert profiler.total(ours) > 2000
    assert full > 0, "nothing ran short: nothing was tested"
    assert crowds.whole_share(ours) >= 0.95
