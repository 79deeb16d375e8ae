# SPDX-License-Identifier: GPL-2.0-only
"""Names of functions whose symbols are not in the file itself."""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import pytest

import go_pprof
import interpreters as known
import namespaces
import native_frames
import profiler
from elf_files import forget_sizes, readelf

TOOL = profiler.BUILD / "tests/oracle/functions"
NOBODY = 65534


@pytest.fixture
def python():
    return known.newest().path


@pytest.fixture
def program(workloads):
    return workloads / "native" / "native.py"


@pytest.fixture
def stripped(tmp_path, workloads):
    """A library whose symbols say nothing any more, and the file that has them."""
    whole, bare, debug = (tmp_path / name for name in ("whole.so", "bare.so", "whole.debug"))
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-pthread", "-Wl,--build-id", "-DPREFIX=a_",
                    workloads / "native" / "burn.c", "-o", whole], check=True)
    subprocess.run(["objcopy", "--only-keep-debug", whole, debug], check=True)
    subprocess.run(["objcopy", "--strip-all", whole], check=True)
    forget_sizes(whole, bare)
    return bare, debug


def names(directory, command):
    """Of the native functions, and how many samples there were."""
    with profiler.target(*command) as target:
        run = profiler.run_while(directory, [target], 0.7, "-F", 997, "--native", "leaf")
    found = {sample.stack[0][0] for sample in run.samples if "in_heavy" in profiler.functions(sample)}
    assert profiler.total(run.samples) > 100
    return found


def test_packed_into_the_file(python, program, stripped, tmp_path):
    bare, debug = stripped
    subprocess.run(["xz", "--keep", debug], check=True)
    subprocess.run(["objcopy", "--add-section", ".gnu_debugdata=%s.xz" % debug, bare], check=True)
    assert "a_heavy" in names(tmp_path, [python, program, bare, "shares"])


@pytest.mark.parametrize("which", ["its own", "another build's"])
def test_debug_file_in_the_targets_root(which, python, program, stripped, workloads, tmp_path):
    if namespaces.reason():
        pytest.skip("SKIP mounts: " + namespaces.reason())
    bare, debug = stripped
    build_id = readelf("-n", bare).split("Build ID:")[1].split()[0]
    if which != "its own":
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-pthread", "-Wl,--build-id", "-DPREFIX=a_",
                        workloads / "native" / "burn.c", "-o", debug], check=True)
    command = namespaces.with_debug_file(debug, build_id, bare, [python, program, bare, "shares"])
    found = names(tmp_path, command)
    if which == "its own":
        assert "a_heavy" in found
    else:
        assert "a_heavy" not in found and any(name.startswith("bare.so!0x") for name in found)


@pytest.fixture
def public(stripped, workloads):
    """The library of `stripped` and the program, where every user can read them."""
    with tempfile.TemporaryDirectory(dir="/usr/local") as folder:
        folder = pathlib.Path(folder)
        folder.chmod(0o755)
        yield [shutil.copy(path, folder) for path in (stripped[0], workloads / "native" / "native.py")]


def forge(debug):
    """The same addresses, by another name."""
    forged = debug.with_suffix(".forged")
    subprocess.run(["objcopy", "--redefine-sym", "a_heavy=a_forged", "--redefine-sym", "a_light=a_forged_too",
                    debug, forged], check=True)
    forged.chmod(0o644)
    return forged


def test_another_user_names_nothing_of_ours(stripped, public, tmp_path):
    """A user has name spaces, in which debug files are the user's own and the library has another path. What
    it says counts for nobody else, though it was sampled first."""
    if namespaces.reason() or namespaces.reason_of_users():
        pytest.skip("SKIP mounts: " + (namespaces.reason() or namespaces.reason_of_users()))
    library, program = public
    build_id = readelf("-n", library).split("Build ID:")[1].split()[0]
    with tempfile.TemporaryDirectory(prefix="pyperf-forged.") as directory:
        os.chmod(directory, 0o755)
        forged = shutil.copy(forge(stripped[1]), directory)
        script = ("%s && touch %s/evil.so && mount --bind '%s' %s/evil.so && exec \"$@\"" %
                  (namespaces.put_debug_file(forged, build_id), namespaces.DEBUG, library, namespaces.DEBUG))
        hostile = ["unshare", "-Urm", "sh", "-c", script, "sh", "/usr/bin/python3", program,
                   namespaces.DEBUG + "/evil.so", "shares"]
        with profiler.target(*hostile, user=NOBODY, group=NOBODY, extra_groups=[]) as first:
            ran = profiler.Run(tmp_path, "-a", "-F", 997, "--native", "leaf")
            try:
                profiler.let_use_cpu(ran, [first.pid], 1)
                with profiler.target("/usr/bin/python3", program, library, "shares") as second:
                    profiler.let_use_cpu(ran, [second.pid], 1)
                ran.interrupt()
                run = ran.finish()
            except BaseException:
                ran.kill()
                raise
    for pid, path in ((first.pid, namespaces.DEBUG + "/evil.so"), (second.pid, library)):
        leaves = collections.Counter()
        for sample in run.of(pid):
            if "in_heavy" in profiler.functions(sample):
                leaves[sample.stack[0][:2]] += sample.count
        named = sum(count for (name, file), count in leaves.items()
                    if name.startswith(os.path.basename(path) + "!0x") and file == path)
        assert not any(name.startswith("a_forged") for name, _ in leaves), leaves
        assert named > 0.5 * leaves.total() > 50, leaves


def test_more_names_than_are_read_at_once(python, program, workloads, tmp_path):
    """As in libtorch_cpu: 45,000 functions whose names have 250 characters, and the one that runs has a name
    that comes last."""
    source, library = tmp_path / "many.s", tmp_path / "many.so"
    with open(source, "w") as file:
        file.write('.section .note.GNU-stack, "", @progbits\n.text\n')
        for i in range(45000):
            name = "%s_%d" % ("many" * 60, i)
            file.write(".global {0}\n.type {0}, @function\n{0}: ret\n.size {0}, 1\n".format(name))
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-pthread", "-Wl,--build-id", "-DPREFIX=a_", source,
                    workloads / "native" / "burn.c", "-o", library], check=True)
    at_once = subprocess.run([TOOL, library], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert len(at_once.splitlines()) > 45000 and not re.search(" [^\n]", at_once)
    assert "a_heavy" in names(tmp_path, [python, program, library, "shares"])


@pytest.fixture
def perf_maps():
    """Removes those that were written."""
    yield
    for path in pathlib.Path("/tmp").glob("perf-*.map"):
        if not pathlib.Path("/proc", path.stem.removeprefix("perf-")).exists():
            path.unlink()


def leaves(run):
    count = collections.Counter()
    for sample in run.samples:
        count[sample.stack[0][0]] += sample.count
    return count


def test_code_that_is_made_at_run_time(python, program, tmp_path, perf_maps):
    """Its names are in a file, which is read again when it has grown."""
    command = [python, program, "-", "perf_map"]
    with profiler.target(*command, stdin=subprocess.PIPE) as target:
        first = leaves(profiler.run_while(tmp_path, [target], 2, "-F", 997, "--native", "leaf"))
        run = profiler.Run(tmp_path, "--pid", target.pid, "-F", 997, "--native", "leaf")
        profiler.let_use_cpu(run, [target.pid], 1)
        target.tell()
        profiler.let_use_cpu(run, [target.pid], 3)
        run.interrupt()
        second = leaves(run.finish())
    assert first["made_first"] > 0.3 * sum(first.values()) and first["[JIT]"] > 0.3 * sum(first.values())
    assert second["made_first"] > 0.3 * sum(second.values()), second
    assert second["made_later"] > 0.3 * sum(second.values()), second


@pytest.mark.parametrize("mode", ["top", "full"])
def test_trampolines_of_x_perf(mode, workloads, tmp_path, perf_maps):
    """The interpreter's own code that it makes for each Python function tells nothing more."""
    chosen = next((i for i in known.one_per_version() if i.version[:2] == (3, 12)), None)
    if not chosen:
        pytest.skip("SKIP 3.12: it has -X perf, and is not here")
    library = native_frames.build_chains(tmp_path)
    command = [chosen.path, "-X", "perf", workloads / "native" / "chains.py", library, 20000000, "within", 10]
    with profiler.target(*command) as target:
        assert pathlib.Path("/tmp/perf-%d.map" % target.pid).exists()
        run = profiler.run_while(tmp_path, [target], 2, "-F", 997, "--native", mode)
    stacks = collections.Counter()
    for sample in run.samples:
        stacks[tuple(frame[0] for frame in sample.stack)] += sample.count
    assert not any(name.startswith("py::") for stack in stacks for name in stack)
    # In the first second they have no names.
    without = sum(count for stack, count in stacks.items() if "[JIT]" not in stack)
    assert without > 0.8 * sum(stacks.values()), stacks.most_common(3)
    assert run.stats["native"]["incomplete"] + run.stats["native"]["mismatch"] <= 0.01 * sum(stacks.values())


@pytest.mark.parametrize("link", ["-Wl,-z,noseparate-code", "-Wl,-Ttext-segment=0x4000000"])
def test_names_that_others_look_up(link, python, program, workloads, tmp_path):
    """--symbols server: addresses of the file, and its build id, so that whoever has it finds them."""
    library = tmp_path / "lib.so"
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-pthread", "-Wl,--build-id", link, "-DPREFIX=a_",
                    workloads / "native" / "burn.c", "-o", library], check=True)
    with profiler.target(python, program, library, "shares") as target:
        run = profiler.run_while(tmp_path, [target], 2, "-F", 997, "--native", "leaf", "--symbols", "server")
    assert "a_heavy" in run.out and "% in lib.so" in run.out  # the summary has them
    raw = go_pprof.read("-symbolize=none", "-raw", run.path)
    build_id = readelf("-n", library).split("Build ID:")[1].split()[0]
    line = next(line for line in raw.splitlines() if str(library) in line and "/0x0 " in line)
    assert build_id in line and "[FN]" not in line
    assert "a_heavy" not in raw and "in_heavy" in raw
    heavy = next(int(words[1], 16) for words in map(str.split, readelf("-s", library).splitlines())
                 if words and words[-1] == "a_heavy")
    assert "0x%x M=" % heavy in raw


def test_names_that_are_there_stay(python, program, stripped, tmp_path):
    """Without that option nobody looks for names: the nearest symbol would be a wrong one."""
    with profiler.target(python, program, stripped[0], "shares") as target:
        run = profiler.run_while(tmp_path, [target], 1, "-F", 997, "--native", "leaf")
    names = {frame[0] for sample in run.samples for frame in sample.stack}
    nameless = next(name for name in names if name.startswith("bare.so!0x"))
    assert nameless in go_pprof.read("-symbolize=local", "-top", run.path)
