# SPDX-License-Identifier: GPL-2.0-only
"""What --event memory costs a program that grows: memory_cost.py PROFILER [OPTION...]

Programs that do nothing but grow, and give it back, run in turns with the profiler and without. Of the CPU
time of a round the least of each is compared, since other programs only ever make it more. The profiler
also runs with a step that is never reached: then only the tracepoint is left."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

TURNS, ROUNDS = 15, 6
WORK = """
import json, sys, time

def buffers():
    return [bytearray(1 << 20) for _ in range(64)]

def objects():
    return [(n, str(n)) for n in range(200000)]

print(json.dumps(0), flush=True)
for line in sys.stdin:
    name, rounds = line.split()
    times = []
    for _ in range(int(rounds)):
        start = time.process_time_ns()
        globals()[name]()
        times.append(time.process_time_ns() - start)
    print(json.dumps(times), flush=True)
"""


class Target:
    def __init__(self):
        self.process = subprocess.Popen([sys.executable, "-c", WORK], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.answer()

    def answer(self):
        return json.loads(self.process.stdout.readline())

    def rounds(self, name):
        self.process.stdin.write("%s %d\n" % (name, ROUNDS))
        self.process.stdin.flush()
        return self.answer()


def start_profiler(command, pid):
    log = tempfile.TemporaryFile()
    process = subprocess.Popen([*command, "--pid", str(pid), "-v", "-o", "/dev/null", "-q"], stderr=log,
                               stdout=subprocess.DEVNULL)
    while b"capabilities that are kept" not in os.pread(log.fileno(), 1 << 20, 0):
        if process.poll() is not None:
            sys.exit(os.pread(log.fileno(), 1 << 20, 0).decode())
        time.sleep(0.02)
    return process


def main():
    profiler, options = sys.argv[1], sys.argv[2:]
    memory = [profiler, "--event", "memory", *options]
    ways = {"without": None, "never a stack": memory + ["--rss-step", "1048576"], "with": memory}
    for name in "buffers", "objects":
        best = dict.fromkeys(ways, float("inf"))
        target = Target()
        target.rounds(name)
        for _ in range(TURNS):
            for way, command in ways.items():
                running = command and start_profiler(command, target.process.pid)
                best[way] = min(best[way], *target.rounds(name))
                if running:
                    running.send_signal(signal.SIGINT)
                    running.wait()
        target.process.kill()
        print("%-8s" % name, ", ".join("%s %.2f ms (%+.1f %%)" % (
            way, ns / 1e6, 100 * (ns / best["without"] - 1)) for way, ns in best.items()))


main()
