# SPDX-License-Identifier: GPL-2.0-only
"""compile_commands.json on stdout: compile_commands.py 'COMPILER AND FLAGS' SOURCE..."""
import json
import os
import sys

flags, sources = sys.argv[1], sys.argv[2:]
json.dump(
    [{"directory": os.getcwd(), "file": s, "command": f"{flags} -c {s}"} for s in sources],
    sys.stdout, indent=1)
