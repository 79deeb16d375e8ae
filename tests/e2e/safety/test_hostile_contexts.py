# SPDX-License-Identifier: GPL-2.0-only
"""`--label-var` beside a program that forges the tree of its context variables: rings, nodes that are deeper
and wider than there can be, values of any size, all of it changing while it is read."""
import pytest

from hostile_readers import PYTHONS, beside, only_own_labels, reads_at_most, right, samples_of

# bpf/python/context.h: three words to the tree; of each of 8 variables 17 steps of two objects with a name of
# a type, and its value; and what a sample reads besides.
READS = 3 + 8 * (17 * 6 + 12) + 200


@pytest.mark.parametrize("samples", (3000, pytest.param(100000, marks=pytest.mark.long)))
@pytest.mark.parametrize("python", PYTHONS)
def test_contexts(python, samples, workloads, tmp_path):
    run = beside(python, "contexts.py", samples, workloads, tmp_path, "--label-var", "tenant")
    reads_at_most(run, READS)
    assert right(samples_of(run, run.honest), run.honest.about, ("tenant",)) > 0.7
    only_own_labels(run, "tenant", "kept for")
