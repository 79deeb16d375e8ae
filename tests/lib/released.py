# SPDX-License-Identifier: GPL-2.0-only
"""Judges samples of tests/workloads/released.py."""
import profiler


def on_c_lines(target, samples):
    """Part of the samples whose leaf is on a line that calls C code, under the callers that it has."""
    lines = target.about["lines"]
    return profiler.share(samples, lambda s: s.stack[0][3] in lines and
                          profiler.functions(s)[1:3] == ["burn_c", "main"]
                          and s.stack[-1][0] == "<module>")
