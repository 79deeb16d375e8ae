#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What tables of deep stacks cost: tests/bench/deep.py PROFILER, in Python with what the tests need
(.cache/venv). CPU time of the user, the least of some runs, of 50 stacks of 100,000 frames of 2,000
functions: all tables, one that looks at no frame but to find markers, and all of a file whose ids do not
count up. Exit code 1 if the first is more than 1.5 times the second, or more than 0.75 times the third."""
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from deep_profiles import profile  # noqa: E402

RUNS = 9
MOST_OF_NONE, MOST_OF_OTHERS = 1.5, 0.75


def seconds(binary, path, *words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([binary, "report", *words, str(path)], check=True, stdout=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def main(binary):
    functions = [("f%d" % i, "/app/y.py") for i in range(2000)]
    stacks = [random.choices(range(2000), k=100000) for _ in range(50)]
    with tempfile.TemporaryDirectory() as folder:
        near = profile(pathlib.Path(folder, "near.pb"), functions, stacks)
        far = profile(pathlib.Path(folder, "far.pb"), functions, stacks, spread=1 << 20)
        asked = (near,), (near, "--by", "process"), (far,)
        turns = [[seconds(binary, *words) for words in asked] for _ in range(RUNS)]
    every, none, others = (min(turn[i] for turn in turns) for i in range(len(asked)))
    print("all tables %.2f s, one without frames %.2f s, other ids %.2f s" % (every, none, others))
    return int(every > MOST_OF_NONE * none or every > MOST_OF_OTHERS * others)


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
