# SPDX-License-Identifier: GPL-2.0-only
"""python -m pyperf_bpf ...: the command line, as the process that Python was."""
import os
import sys

from ._binary import BinaryMissing, find_binary


def main() -> None:
    try:
        binary = find_binary()
        os.execv(binary, [binary, *sys.argv[1:]])
    except (BinaryMissing, OSError) as error:
        sys.exit("python -m pyperf_bpf: %s" % error)


if __name__ == "__main__":
    main()
