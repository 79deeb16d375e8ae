# SPDX-License-Identifier: GPL-2.0-only
"""compile_commands.json on stdout:
compile_commands.py 'COMPILER AND FLAGS' SOURCE... [-- 'OTHER COMPILER AND FLAGS' SOURCE...]..."""
import json
import os
import sys


def commands(arguments):
    """An entry for each source; each `--` begins a group with a compiler and flags of its own."""
    group = iter(arguments)
    for flags in group:
        for source in group:
            if source == "--":
                break
            yield {"directory": os.getcwd(), "file": source, "command": f"{flags} -c {source}"}


json.dump(list(commands(sys.argv[1:])), sys.stdout, indent=1)
