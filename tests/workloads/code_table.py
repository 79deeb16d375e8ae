# SPDX-License-Identifier: GPL-2.0-only
"""What a workload says about its own code, for those who judge its stacks."""
import dis


def code_name(code):
    return getattr(code, "co_qualname", code.co_name)  # 3.11+


def code_lines(code):
    if hasattr(code, "co_lines"):  # 3.10+
        return {line for _, _, line in code.co_lines()} - {None}
    return {line for _, line in dis.findlinestarts(code)}


def code_table(code, table):
    """Every (name, first line, lines) in a code object and those nested in it."""
    table.append([code_name(code), code.co_firstlineno, sorted(code_lines(code))])
    for constant in code.co_consts:
        if hasattr(constant, "co_code"):
            code_table(constant, table)
    return table
