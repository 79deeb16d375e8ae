# SPDX-License-Identifier: GPL-2.0-only
"""Table 11: the lines of the processor's caches that one tick touches (tests/bench/lines.c). It does not
depend on the machine: a build has the same figures everywhere."""
import json
import subprocess

from common import Table

# Parts of the sampler's code, and the files of which they are made; the first that fits.
CODE = (
    ("process, start and end", ("bpf/pyperf", "bpf/sample/", "bpf/base/buckets")),
    ("thread state, epoch", ("bpf/python/thread.h", "bpf/python/self.h", "bpf/python/epoch.h")),
    ("walk", ("bpf/python/walk.h", "bpf/python/reads.h", "bpf/python/cframe.h", "bpf/python/data_stack.h",
              "bpf/base/mem.h", "bpf/base/loop.h")),
    ("cache check", ("bpf/python/cache.h",)),
    ("what the walk led to", ("bpf/stack/stack.h", "bpf/stack/leaf.h", "bpf/python/state.h")),
    ("code objects", ("bpf/python/code.h", "bpf/python/instruction.h", "bpf/python/settled.h",
                      "bpf/python/digest.h")),
    ("tree", ("bpf/tree/", "bpf/abi/tree.h", "bpf/stack/intern.h", "bpf/base/hash.h")),
    ("of options that are off", ("bpf/attributes.def", "bpf/native/", "bpf/stack/", "bpf/python/await.h",
                                 "bpf/python/task.h", "bpf/events/")),
    ("the rest", ("",)),
)
HELPERS = {"1": "bpf_map_lookup_elem", "5": "bpf_ktime_get_ns", "8": "bpf_get_smp_processor_id",
           "112": "bpf_probe_read_user", "118": "bpf_jiffies64", "158": "bpf_get_current_task_btf",
           "181": "bpf_loop"}


def count(build):
    """What tests/bench/lines says of the object in this folder."""
    done = subprocess.run([build / "tests" / "bench" / "lines", build / "bpf" / "pyperf.bpf.o"],
                          capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return json.loads(done.stdout)


def part_of(file):
    return next(part for part, begins in CODE if file.startswith(begins))


def parts(tick):
    """{part: lines} of one tick, code first, and the sums."""
    found = {}
    for file, lines in tick["code"].items():
        name = "code: " + part_of(file)
        found[name] = found.get(name, 0) + lines
    found = {"code: " + part: found["code: " + part] for part, _ in CODE if "code: " + part in found}
    code = sum(found.values())
    data = tick["data"]
    found["code, in all"] = code
    found.update({"data: " + part: data[part] for part in sorted(data)})
    found["data, in all"] = sum(data.values())
    found["lines"] = code + found["data, in all"]
    return found


def lines(settings, save):
    told = count(settings.build)
    table = Table("11. Lines of 64 bytes that a tick touches, 30 Python frames, all that is optional off",
                  "target: of the program's memory. The same on every machine for one build.")
    columns = {tick["tick"]: parts(tick) for tick in told["ticks"]}
    for tick in told["ticks"]:
        columns[tick["tick"]].update({"pages of data": tick["pages"], "bytes of code that ran": tick["bytes"],
                                      "instructions": tick["instructions"]})
    most = max(columns.values(), key=len)  # has all parts of the others
    for part in most:
        table.add(part=part, **{name: column.get(part, 0) for name, column in columns.items()})
    calls = Table("    ... and calls of the kernel's functions")
    for number in dict.fromkeys(number for tick in told["ticks"] for number in tick["helpers"]):
        calls.add(function=HELPERS.get(number, "helper " + number),
                  **{tick["tick"]: tick["helpers"].get(number, 0) for tick in told["ticks"]})
    image = Table("    ... and the functions of the program: bytes of machine code, of the stack")
    for function in told["functions"]:
        image.add(**function)
    image.add(name="in all", bytes=sum(f["bytes"] for f in told["functions"]),
              instructions=sum(f["instructions"] for f in told["functions"]))
    return [table, calls, image], told
