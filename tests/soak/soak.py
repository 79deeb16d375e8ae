# SPDX-License-Identifier: GPL-2.0-only
"""The profiler over hours, with everything in it that is meant to run for months, beside programs that change
all the time. It writes what the profiler holds to FOLDER/soak.csv, draws soak.svg, and fails when it grows.

    soak.py HOURS FOLDER            HOURS may be a fraction

All of it together takes about a quarter of one CPU."""
import contextlib
import os
import pathlib
import shutil
import sys
import tempfile
import time

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "lib"))
import interpreters  # noqa: E402
import pprof  # noqa: E402
import profiler  # noqa: E402
import serving  # noqa: E402

import judge  # noqa: E402
import watch  # noqa: E402

EACH = 5  # seconds between two rows
ROUND = 0.1  # of the program that changes
# Seconds of a profile, and how many files of them stay. The page keeps the last 90 in memory: those have come
# after three minutes, and the warm-up of half an hour is six.
INTERVAL, KEEP = 2, 12
# The receiver is down for a third of this, which is longer than all attempts of one push take; less in a
# short run, which tests the soak itself.
PERIOD = 90
# Of which something can be said about growth, if enough has come and gone (judge.enough). On a machine that
# is slow or busy, for which it waits, at most so many times the hours.
LEAST_HOURS, LONGER = 0.5, 3
# What children of the program that changes bring with them (tests/workloads/soak_child.py). The files that
# are left in the end have both; a short run goes on until each was in one, for so many seconds at most.
LIBRARIES, MEETS = {"libown.so", "libapart.so"}, 400
# So small that a new generation of the call tree begins every minute or so, as it does in days otherwise.
TREE = 16384


def start(folder, comm, receiver):
    profiles = folder / "profiles"
    profiles.mkdir(parents=True)
    # Only the program of the soak: others that run here would be in the figures.
    return profiles, serving.Server(folder, "-a", "--comm", comm, "-F", 199, "--tree-size", TREE,
                                    "--native", "full", "--event", "cpu,offcpu,gil,memory",
                                    "--output-dir", profiles, "--interval", INTERVAL, "--keep", KEEP,
                                    "--push", "pyroscope+http://127.0.0.1:%d" % receiver.port,
                                    "--push-timeout", 5)


def ask(server, n):
    """What people ask for now and then. The first of them go away before they have an answer."""
    if n % 6 == 0:
        with serving.connect(server.port) as s:
            s.sendall(b"GET /debug/pprof/profile?seconds=5 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            time.sleep(0.2)
    if n % 6 == 2:
        assert server.get("/debug/pyperf/interval").status in (200, 503)
    if n % 6 == 4:
        assert server.profile("seconds=1&comm=soak-%d" % os.getpid())


def newest():
    """The newest interpreter that is a program: some are started by a script, and have its loader's name."""
    return [one for one in interpreters.one_per_version() if open(one.path, "rb").read(4) == b"\x7fELF"][-1]


def libraries(profiles):
    """Those of LIBRARIES that are in files of the folder, from which the oldest go meanwhile."""
    found = set()
    for file in profiles.glob("*.pb.gz"):
        with contextlib.suppress(FileNotFoundError):
            found |= {mapping.filename.rpartition("/")[2] for mapping in pprof.read(file).mappings}
    return found & LIBRARIES


def waits(rows, hours, now, met):
    """Whether it goes on though its hours are over."""
    if hours < LEAST_HOURS:
        return now < MEETS and met != LIBRARIES
    return now < LONGER * hours * 3600 and not judge.enough(judge.read(rows.name))


def run(hours, folder):
    python = newest()
    named = folder / ("soak-%d" % os.getpid())
    named.symlink_to(python.path)
    receiver = watch.Receiver()
    profiles, server = start(folder, named.name, receiver)
    os.nice(10)  # all but the profiler, whose turns are measured
    try:
        with profiler.target(named, TESTS / "workloads/soak.py", ROUND) as program, \
                open(folder / "soak.csv", "w") as rows:
            watched = watch.Watch(server, profiles)
            met = set()
            begin, n, period = time.monotonic(), 0, min(PERIOD, hours * 1800)
            while (now := time.monotonic() - begin) < hours * 3600 or waits(rows, hours, now, met):
                up = now % period < period * 2 / 3
                receiver.turn(up)
                judge.write_row(rows, {"seconds": round(now, 1), "receiver_up": int(up), **watched.row()})
                ask(server, n)
                if hours < LEAST_HOURS:
                    met |= libraries(profiles)
                n += 1
                time.sleep(max(0, begin + n * EACH - time.monotonic()))
                assert program.process.poll() is None, "the program that changes has ended"
        server.stop()
    finally:
        server.run.kill()
        receiver.down()
    return server.run, profiles, met


def complaints(ended, profiles, met):
    """What is wrong with what it left."""
    stats = ended.stats
    if sum(stats["outcomes"].values()) != stats["ticks"]:
        yield "the outcomes do not add up to the ticks"
    files = sorted(profiles.iterdir())
    if len(files) > KEEP or any(not file.name.endswith("Z.pb.gz") for file in files):
        yield "the folder has %s" % [file.name for file in files]
    read = [pprof.read(file) for file in files]
    if not any(profile.samples for profile in read):
        yield "no profile has a sample"
    for library in sorted(LIBRARIES - met - libraries(profiles)):
        yield "no profile has the file %s" % library
    export = stats["export"]
    if not export["pushed"] or not export["push_failures"]:
        yield "the receiver was not met both up and down: %s" % export


def main():
    hours, folder = float(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as beside:
        os.environ["TMPDIR"] = beside
        ended, profiles, met = run(hours, folder)
    rows = judge.read(folder / "soak.csv")
    judge.draw(rows, folder / "soak.svg")
    wrong = [*complaints(ended, profiles, met), *(judge.verdict(rows) if hours >= LEAST_HOURS else ())]
    export = ended.stats["export"]
    print("\n".join(judge.table(rows)))
    print("%.2f hours, %d rows, %d ticks, %d generations, %d profiles pushed, %d attempts failed"
          % (rows[-1]["seconds"] / 3600, len(rows), ended.stats["ticks"], rows[-1]["generations"],
             export["pushed"], export["push_failures"]))
    print("on stderr:\n%s" % ended.err)
    print("\n".join("FAILED " + line for line in wrong) or "nothing is wrong")
    if hours < LEAST_HOURS:
        print("SKIP soak: too short to say what grows")
    print("%d passed, %d failed, %d skipped" % (not wrong, len(wrong), hours < LEAST_HOURS))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
