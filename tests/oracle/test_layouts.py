# SPDX-License-Identifier: GPL-2.0-only
"""Every offset the profiler uses for a live process, against two judges that share no code with it: the
compiler over the interpreter's own headers (tests/layouts/derive.c, derive_old.c), and 3.13+'s own debug
offsets as read here."""
import os
import pathlib
import struct
import subprocess

import pytest

import interpreters as known
import profiler

SHOW = profiler.BUILD / "tests/layouts/show"
LAYOUTS = profiler.ROOT / "tests" / "layouts"

# Facts of derive.h that have no field of their own, and what the code takes them to be.
ASSUMED = {"tss_key_inside": "4", "tss_key_size": "4", "kind_mask": "7"}
ASSUMED_OF_2_7 = {"state_most": "2"}

ALSO_2_7 = True

# Byte offset in _Py_DebugOffsets of the word that a field of struct layout must equal, by minor version.
WORDS = {
    (3, 13): dict(
        version=8, free_threaded=16, runtime_interpreters=40, interp_next=64, interp_threads=72,
        interp_gil=112,
        tstate_next=168, tstate_interp=176, tstate_frame=184, tstate_thread_id=192, tstate_chunk=208,
        tstate_status=216,
        frame_previous=232, frame_code=240, frame_instr=248, frame_owner=264, code_filename=280,
        code_name=288,
        code_qualname=296, code_linetable=304, code_first_line=312, code_bytecode=344, bytes_size=520,
        bytes_data=528,
        str_state=544, str_length=552, str_ascii=560),
    (3, 14): dict(
        version=8, free_threaded=16, runtime_interpreters=40, interp_next=64, interp_threads=72,
        interp_gil=120,
        interp_epoch=160, tstate_next=192, tstate_interp=200, tstate_frame=208, tstate_thread_id=216,
        tstate_chunk=232, tstate_status=240, frame_previous=256, frame_code=264, frame_instr=272,
        frame_owner=288,
        code_filename=320, code_name=328, code_qualname=336, code_linetable=344, code_first_line=352,
        code_bytecode=384,
        interp_tlbc_generation=168, frame_tlbc_index=304, code_tlbc=392,
        bytes_size=600, bytes_data=608, str_state=624, str_length=632, str_ascii=640),
    (3, 15): dict(
        version=8, free_threaded=16, runtime_interpreters=40, interp_next=64, interp_threads=72,
        interp_gil=120,
        interp_epoch=160, interp_tlbc_generation=168, tstate_next=192, tstate_interp=200, tstate_frame=208,
        tstate_base_frame=216, tstate_thread_id=240, tstate_chunk=256, tstate_status=264, frame_previous=320,
        frame_code=328, frame_instr=336, frame_owner=352, frame_tlbc_index=368, code_filename=384,
        code_name=392,
        code_qualname=400, code_linetable=408, code_first_line=416, code_bytecode=448, code_tlbc=456,
        bytes_size=696, bytes_data=704, str_state=720, str_length=728, str_ascii=736, str_compact=744),
}


def parse(text):
    return dict(line.split("=", 1) for line in text.splitlines())


@pytest.fixture(scope="module")
def derived(tmp_path_factory):
    """derived(interpreter): what its headers say."""
    cache = {}

    def derive(interpreter):
        if interpreter.name not in cache:
            program = tmp_path_factory.mktemp("derive") / interpreter.name
            cache[interpreter.name] = compiled(interpreter, program)
        return cache[interpreter.name]

    return derive


def compiled(interpreter, program, *options):
    include = pathlib.Path(interpreter.include)
    source = LAYOUTS / ("derive.c" if interpreter.version >= (3, 11) else "derive_old.c")
    subprocess.run(["gcc", "-std=gnu11", "-w", "-O1", *options, "-I", str(include), "-I",
                    str(include / "internal"),
                    "-I", str(include.parent), "-I", str(profiler.ROOT), str(source), "-o", str(program)],
                   check=True,
                   timeout=120)
    return parse(subprocess.run([str(program)], capture_output=True, text=True, check=True,
                                timeout=60).stdout)


# The process under test; 2.7 and 3.6 say where the variable is that holds the current thread state, and the
# value of another. 2.7 holds the GIL: when it is stripped, it is only known by the thread that does.
PROGRAM = """
import sys
if sys.version_info < (3, 7):
    import ctypes
    api = ctypes.pythonapi
    api.PyInterpreterState_Head.restype = ctypes.c_void_p
    current = ctypes.c_void_p.in_dll(api, "_PyThreadState_Current")
    print("%d %d" % (ctypes.addressof(current), api.PyInterpreterState_Head()))
print("ready")
sys.stdout.flush()
while sys.version_info < (3,):
    pass
input()
"""


class Live:
    """A process of the interpreter: what identify() says of it, its debug offsets,
    and what it says itself (3.6)."""

    def __init__(self, interpreter):
        assert os.access(SHOW, os.X_OK), "not built: %s (make tests)" % SHOW
        with subprocess.Popen([interpreter.path, interpreter.isolated, "-S", "-c", PROGRAM],
                              stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as process:
            try:
                self.said = [int(word) for word in process.stdout.readline().split() if word != "ready"]
                assert not self.said or process.stdout.readline() == "ready\n"
                self.shown = parse(subprocess.run([str(SHOW), str(process.pid)], capture_output=True,
                                                  text=True,
                                                  check=True, timeout=60).stdout)
                with open("/proc/%d/mem" % process.pid, "rb") as memory:
                    memory.seek(int(self.shown["runtime"]))
                    self.bytes = memory.read(1024)
            finally:
                process.kill()


@pytest.fixture(scope="module")
def live():
    cache = {}

    def start(interpreter):
        if interpreter.name not in cache:
            cache[interpreter.name] = Live(interpreter)
        return cache[interpreter.name]

    return start


def test_identified(interpreter, live):
    shown = live(interpreter).shown
    assert shown["verdict"] == "Python"
    assert shown["reason"] == ""
    assert shown["text_version"] == "%d.%d.%d%s" % (*interpreter.version[:3],
                                                    interpreter.build.replace("d", ""))
    major, minor, micro = interpreter.version[:3]
    assert int(shown["version"]) >> 8 == major << 16 | minor << 8 | micro


def has_headers(interpreter):
    return (interpreter.include and (interpreter.version < (3, 7) or
                                     os.path.isdir(interpreter.include + "/internal")))


def headers_for(interpreter):
    """The interpreter whose headers describe this one: itself, or one of the same minor version.
    3.7.4 moved things."""
    if has_headers(interpreter):
        return interpreter
    kind = interpreter.minor, (3, 7) <= interpreter.version < (3, 7, 4)
    return next((i for i in known.everything() if has_headers(i) and
                 (i.minor, (3, 7) <= i.version < (3, 7, 4)) == kind), None)


def test_against_headers(interpreter, live, derived):
    source = headers_for(interpreter)
    if not source:
        pytest.skip("SKIP headers: none of Python %s here, for %s" % (interpreter.minor, interpreter.name))
    expected, shown = dict(derived(source)), live(interpreter).shown
    for name, value in (ASSUMED if source.version >= (3,) else ASSUMED_OF_2_7).items():
        assert expected.pop(name, value) == value
    if source is not interpreter:
        expected.pop("version")
    if interpreter.build == "d":
        # No word of 3.13's table, and Py_DEBUG moves it: what lies where it usually is must be 0, which
        # counts nothing.
        expected.pop("interp_epoch")
    assert len(expected) >= 49
    assert {name: shown.get(name) for name in expected} == expected


@pytest.mark.parametrize("minor", ("3.13", "3.14", "3.15"))
def test_free_threaded_against_headers(minor, tmp_path):
    """Of 3.14 and 3.15 no free-threaded build could be had, but the headers of the others hold it too. That
    this is as good is shown by 3.13, of which there are both."""
    sources = [i for i in known.available() if i.minor == minor and headers_for(i) is i]
    if not sources:
        pytest.skip("SKIP headers: none of Python %s here" % minor)
    expected = compiled(max(sources, key=lambda i: i.version), tmp_path / "derive", "-DPy_GIL_DISABLED=1")
    for name, value in ASSUMED.items():
        assert expected.pop(name) == value
    expected.pop("version")
    shown = parse(subprocess.run([str(SHOW), minor + "t"], capture_output=True, text=True, check=True,
                                 timeout=60).stdout)
    assert shown.pop("version") == "0"
    assert shown == expected


def test_variables_of_2_7_and_3_6(interpreter, live):
    """Before 3.7 there is no structure that holds them: the process says itself where one is,
    and what is in the other."""
    process = live(interpreter)
    if interpreter.version >= (3, 7):
        assert process.shown["runtime"] != "0" and not process.said
        return
    shown = {name: int(process.shown[name])
             for name in ("runtime", "runtime_tstate", "runtime_interpreters", "runtime_main")}
    current, head = process.said
    assert shown["runtime"] + shown["runtime_tstate"] == current
    if interpreter.name == "debian-2.7.18":  # stripped
        assert not shown["runtime_interpreters"] and shown["runtime_main"]
        return
    assert not shown["runtime_main"]
    assert shown["runtime_interpreters"], "only in a stripped file"
    assert struct.unpack_from("<Q", process.bytes, shown["runtime_interpreters"])[0] == head


def test_every_field_is_derived(interpreter, live, derived):
    """A field that show.c prints and derive.c does not would never be checked."""
    if headers_for(interpreter) is not interpreter:
        pytest.skip("SKIP headers: %s has none of its own" % interpreter)
    about = {"verdict", "reason", "hexversion", "text_version", "path", "build_id", "runtime", "first_us",
             "cached_us"}
    if interpreter.version < (3, 7):
        about |= {"runtime_interpreters", "runtime_main", "runtime_tstate"}  # test_variables_of_2_7_and_3_6
    expected = set(derived(interpreter)) - set(ASSUMED) - set(ASSUMED_OF_2_7)
    assert set(live(interpreter).shown) - about == expected


def test_against_debug_offsets(interpreter, live):
    words = WORDS.get(interpreter.version[:2])
    process = live(interpreter)
    if not words:
        assert process.bytes[:8] != b"xdebugpy"
        return
    assert process.bytes[:8] == b"xdebugpy"
    read = {name: str(struct.unpack_from("<Q", process.bytes, offset)[0]) for name, offset in words.items()}
    assert {name: process.shown[name] for name in words} == read


def test_every_field_is_shown():
    """A field of struct layout that show.c does not print would never be checked."""
    text = (profiler.ROOT / "bpf" / "abi" / "layout.h").read_text()
    body = text[text.index("\nstruct layout {"):]
    body = body[:body.index("\n}")]
    fields = {line.split(";")[0].split()[-1]
              for line in body.splitlines() if line.strip().startswith("__u")} - {"pad"}
    shown = (profiler.ROOT / "tests" / "layouts" / "show.c").read_text()
    assert len(fields) > 40
    assert not [name for name in fields if "NUMBER(%s)" % name not in shown and name != "version"]
