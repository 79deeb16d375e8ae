# SPDX-License-Identifier: GPL-2.0-only
"""code_table.py for Python 2.7, and its byte strings as the profiler shows them."""
import dis


def decoded(text):
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        return text.decode("latin-1")


def code_table(code, table, names={}):
    """Every (name, first line, lines) in a code object and those nested in it.
    names: those that are renamed."""
    lines = {line for _, line in dis.findlinestarts(code)}
    table.append([names.get(code.co_name, code.co_name), code.co_firstlineno, sorted(lines)])
    for constant in code.co_consts:
        if hasattr(constant, "co_code"):
            code_table(constant, table, names)
    return table
