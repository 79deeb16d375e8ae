# SPDX-License-Identifier: GPL-2.0-only
"""How much stack the BPF programs of an object need, as the kernel's check_max_stack_depth() counts it: a
function has what it reaches below r10, rounded up, and whatever it calls, or hands to bpf_loop, is one call
deeper. What it hands to a timer begins anew."""
import collections
import struct

LIMIT = 512   # MAX_BPF_STACK
CALLS = 8     # MAX_CALL_FRAMES
ROUNDED = 32  # up to Linux 6.7; later 16, where the programs are compiled
TIMERS = {"on_timer"}

SYMBOL_TABLE, RELOCATIONS = 2, 9
FUNCTION_SYMBOL, SECTION_SYMBOL = 2, 3
STACK = 10                    # the register
CALL = 0x85                   # the opcode
ADD, MOVE = 0x07, 0xbf        # a number to a register, a register to another
R_BPF_64_64, R_BPF_64_32 = 1, 10

Function = collections.namedtuple("Function", "name reach calls")


def sections_of(data):
    """[(type, bytes, link, info)] of each section."""
    start, = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3a)
    found = []
    for i in range(count):
        _, kind, _, _, offset, length, link, info, _, _ = struct.unpack_from("<IIQQQQIIQQ", data,
                                                                            start + i * size)
        found.append((kind, data[offset:offset + length], link, info))
    return found


def symbols_of(sections):
    """[(name, type, section, offset, size)]"""
    table, names = next((data, sections[link][1]) for kind, data, link, _ in sections if kind == SYMBOL_TABLE)
    found = []
    for name, info, _, section, value, size in struct.iter_unpack("<IBBHQQ", table):
        found.append((names[name:names.index(b"\0", name)].decode(), info & 15, section, value, size))
    return found


def instructions(code):
    """(offset, opcode, destination, source, offset in memory, number) of each."""
    for at in range(0, len(code), 8):
        opcode, registers, offset, number = struct.unpack_from("<BBhi", code, at)
        yield at, opcode, registers & 15, registers >> 4, offset, number


def reach_of(code):
    """How far below r10 a function has something."""
    reach, copies = 0, set()
    for _, opcode, to, of, offset, number in instructions(code):
        loads, stores = opcode & 7 == 1, opcode & 7 in (2, 3)
        if loads and of == STACK or stores and to == STACK:
            reach = max(reach, -offset)
        elif opcode == ADD and to in copies:
            reach = max(reach, -number)
        copies = copies | {to} if (opcode, of) == (MOVE, STACK) else copies - {to}
    return reach


def functions_of(path):
    """{(section, offset): Function}, whose calls are such keys, too."""
    sections = sections_of(path.read_bytes())
    symbols = symbols_of(sections)
    starts = {(section, at): (name, size) for name, kind, section, at, size in symbols
              if kind == FUNCTION_SYMBOL}
    calls = collections.defaultdict(set)
    for kind, table, _, section in sections:
        if kind != RELOCATIONS or not any(section == of for of, _ in starts):
            continue
        for at, info in struct.iter_unpack("<QQ", table):
            _, what, other, value, _ = symbols[info >> 32]
            number, = struct.unpack_from("<i", sections[section][1], at + 4)
            if info & 0xffffffff == R_BPF_64_32 and what == SECTION_SYMBOL:
                value += (number + 1) * 8
            elif info & 0xffffffff == R_BPF_64_64 and what == SECTION_SYMBOL:
                value += number
            if (other, value) in starts and starts[other, value][0] not in TIMERS:
                calls[section, at].add((other, value))
    found = {}
    for (section, start), (name, size) in starts.items():
        own = [calls.get((section, at), ()) for at in range(start, start + size, 8)]
        found[section, start] = Function(name, reach_of(sections[section][1][start:start + size]),
                                         set().union(*own))
    return found


def deepest(functions, key):
    """(bytes, [names]) of the calls below a function that need most."""
    one = functions[key]
    need, names = max((deepest(functions, other) for other in one.calls), default=(0, []))
    return need + -(-max(one.reach, 1) // ROUNDED) * ROUNDED, [one.name, *names]


def programs(path):
    """{name: (bytes, [names])} of all functions that are not called by another."""
    functions = functions_of(path)
    called = set().union(*(one.calls for one in functions.values()))
    return {functions[key].name: deepest(functions, key) for key in functions if key not in called}
