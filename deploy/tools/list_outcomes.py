# SPDX-License-Identifier: GPL-2.0-only
"""docs/outcomes.md on stdout, from bpf/outcomes.def and bpf/stats.def."""
import re

PLACES = {"WHOLE": "in the profile", "MARKED": "in the profile, with a marker frame", "OUTSIDE": "not in the profile"}


def rows(path, macro):
    text = re.sub(r"/\*.*?\*/", "", open(path).read(), flags=re.S)
    for call in re.findall(macro + r"\((.*?)\)\s*$", text, flags=re.S | re.M):
        names = [w.strip() for w in re.sub(r'"[^"]*"', "", call).split(",") if w.strip()]
        yield names, re.findall(r'"([^"]*)"', call)


print("# What can become of a tick\n")
print("Made from `bpf/outcomes.def` and `bpf/stats.def` by `make docs/outcomes.md`. Every tick of the sampler ends")
print("in exactly one of these; `--stats` and `--stats-json` count them, and they add up to the ticks.\n")
print("| name in JSON | shown as | where | meaning |\n|---|---|---|---|")
for names, texts in rows("bpf/outcomes.def", "OUTCOME"):
    shown = f"`[{texts[0]}]`" if names[1] == "MARKED" else texts[0]
    print(f"| `{names[0].lower()}` | {shown} | {PLACES[names[1]]} | {texts[1]} |")
print("\nCounters besides:\n\n| name in JSON | meaning |\n|---|---|")
for names, texts in rows("bpf/stats.def", "STAT"):
    print(f"| `{names[0]}` | {texts[0]} |")
