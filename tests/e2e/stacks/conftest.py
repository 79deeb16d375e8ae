# SPDX-License-Identifier: GPL-2.0-only
"""What the tests of this folder share."""
import os
import pathlib
import tempfile

import pytest


@pytest.fixture
def open_folder():
    """One in which any user may write."""
    with tempfile.TemporaryDirectory(prefix="pyperf-outside-") as folder:
        os.chmod(folder, 0o777)
        yield pathlib.Path(folder)
