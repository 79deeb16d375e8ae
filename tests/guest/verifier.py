# SPDX-License-Identifier: GPL-2.0-only
"""The table of docs/verifier.md: what each kernel's verifier looked at, as verifier.c printed it.

verifier.py NAME FILE    puts the lines of FILE into the page, as the column NAME ("x86-64 6.12")"""
import pathlib
import re
import sys

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/verifier.md"
TABLE = re.compile(r"(<!-- begin: counts -->\n).*?(<!-- end: counts -->)", re.S)
LIMIT = 600000  # INSTRUCTIONS_MAX of verifier.c
# The sampler is another program with each --cache; the others are always the same.
SAMPLERS = ("on_tick", "start_timer", "on_switch", "on_rss")
ROWS = [(sampler, cache) for sampler in SAMPLERS for cache in ("verified", "off", "check", "native")] + [
    (name, "") for name in ("stop_timer", "on_process_fork", "on_process_exec", "on_process_exit",
                            "list_processes", "set_number", "on_wakeup", "on_wakeup_new",
                            "on_syscall_end", "settle_waits", "list_asleep", "list_accounts", "add_stack",
                            "add_tasks")]
NATIVE = "--native full --native-lines --kernel full --cache check"


def parse_lines(text):
    """{(program, cache): instructions} of what verifier.c printed."""
    counts = {}
    for line in text.splitlines():
        program, cache, count = line.split()
        key = program, cache if program in SAMPLERS else ""
        counts[key] = max(int(count), counts.get(key, 0))
    return counts


def parse_page(text):
    """{column: {(program, cache): instructions}} of the page."""
    lines = [[cell.strip() for cell in line.strip("|").split("|")]
             for line in TABLE.search(text)[0].splitlines() if line.startswith("|")]
    columns = {name: {} for name in lines[0][2:]} if lines else {}
    for program, cache, *counts in lines[2:]:
        cache = cache.strip("`")
        key = program.strip("`"), "native" if cache == NATIVE else cache.removeprefix("--cache ")
        for name, count in zip(columns, counts):
            if count:
                columns[name][key] = int(count.replace(",", ""))
    return columns


def in_order(name):
    machine, release = name.split(" ")
    return machine != "x86-64", [int(part) for part in release.split(".")]


def write_table(columns):
    names = sorted(columns, key=in_order)
    lines = ["| program | | %s |" % " | ".join(names), "|---|---|" + "--:|" * len(names)]
    for program, cache in ROWS:
        counts = [columns[name].get((program, cache)) for name in names]
        option = NATIVE if cache == "native" else cache and "--cache " + cache
        lines.append("| `%s` | %s | %s |" % (
            program, option and "`%s`" % option,
            " | ".join("{:,}".format(count) if count else "" for count in counts)))
    return "\n".join(lines) + "\n"


def main():
    name, path = sys.argv[1:]
    text = PAGE.read_text()
    columns = parse_page(text)
    columns[name] = parse_lines(pathlib.Path(path).read_text())
    PAGE.write_text(TABLE.sub(lambda match: match[1] + write_table(columns) + match[2], text))


if __name__ == "__main__":
    main()
