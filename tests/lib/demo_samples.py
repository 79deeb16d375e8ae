#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""demo_samples.py PROFILE: says how many samples of `make run`'s demo are in it; fails if there is none."""
import sys

import pprof


def main(path):
    found = sum(sample.count for sample in pprof.read(path).samples
                if any(frame.filename.endswith("/demo/demo.py") for frame in sample.frames))
    print("%s: %d samples of the demo" % (path, found))
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
