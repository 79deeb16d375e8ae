# SPDX-License-Identifier: GPL-2.0-only
"""The viewers of tests/viewers.txt: where they are, and a server for them."""
import contextlib
import functools
import http.server
import pathlib
import shutil
import sys
import threading

import pytest

HOME = pathlib.Path(__file__).resolve().parents[2] / ".cache" / "viewers"


def find(name):
    """The folder of a viewer's package."""
    if not (HOME / name / ".sum").exists():
        pytest.skip("SKIP viewers: tests/fetch-viewers.sh has not fetched %s" % name)
    return HOME / name


def node():
    """Runs those that are programs. deploy/deps.sh puts it beside the tests' Python where there is none."""
    here = pathlib.Path(sys.executable).parent / "node"
    return (shutil.which("node") or shutil.which(here)
            or pytest.skip("SKIP viewers: there is no node to run them"))


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@contextlib.contextmanager
def serve(folder):
    """The address of a server of this machine that has the folder's files."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0),
                                         functools.partial(Handler, directory=folder)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield "http://127.0.0.1:%d" % server.server_port
        finally:
            server.shutdown()
            thread.join()
