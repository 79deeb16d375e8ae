# SPDX-License-Identifier: GPL-2.0-only
"""Profiles in pprof's format whose stacks are as deep as somebody wants."""
import protobuf
from protobuf import varint


def profile(path, functions, stacks, spread=1):
    """functions: [(name, file)]; stacks: of their indices, leaf first. The id of a location is spread times
    that of the one before."""
    texts = ["", "samples", "count"]
    texts += [text for function in functions for text in function]
    out = [protobuf.text(1, b"\x08\x01\x10\x02")]
    for i in range(len(functions)):
        out.append(protobuf.text(5, b"\x08" + varint(i + 1) + b"\x10" + varint(2 * i + 3) +
                                 b"\x20" + varint(2 * i + 4)))
        address = 0 if functions[i][1].endswith(".py") else i + 4096  # code that has one is native
        out.append(protobuf.text(4, b"\x08" + varint((i + 1) * spread) + b"\x18" + varint(address) +
                                 protobuf.text(4, b"\x08" + varint(i + 1) + b"\x10\x01")))
    ids = [varint((i + 1) * spread) for i in range(len(functions))]
    out += [protobuf.text(2, protobuf.text(1, b"".join(map(ids.__getitem__, stack))) + b"\x12\x01\x01")
            for stack in stacks]
    out += [protobuf.text(6, text.encode()) for text in texts]
    path.write_bytes(b"".join(out))
    return path
