# SPDX-License-Identifier: GPL-2.0-only
"""Where the program is that the wheel has put beside this package."""
from __future__ import annotations

import os
import pathlib
import shutil
import sysconfig
from typing import Iterator, Optional

NAME = "pyperf-bpf"
VARIABLE = "PYPERF_BPF"  # names another one


class BinaryMissing(FileNotFoundError):
    """There is no pyperf-bpf where the package was installed, nor on $PATH."""


def _places() -> Iterator[pathlib.Path]:
    """The scripts of the environment; those of `pip install --user`; beside `pip install --target`."""
    yield pathlib.Path(sysconfig.get_path("scripts"))
    if "posix_user" in sysconfig.get_scheme_names():
        yield pathlib.Path(sysconfig.get_path("scripts", "posix_user"))
    yield pathlib.Path(__file__).resolve().parent.parent / "bin"


def find_binary() -> str:
    """Its path. $PYPERF_BPF comes first, then the one of this package, then $PATH."""
    named: Optional[str] = os.environ.get(VARIABLE)
    if named:
        return named
    for folder in _places():
        if os.access(folder / NAME, os.X_OK):
            return str(folder / NAME)
    found = shutil.which(NAME)
    if not found:
        raise BinaryMissing("there is no %s beside this package, nor on $PATH: install its wheel, or name "
                            "one by $%s" % (NAME, VARIABLE))
    return found
