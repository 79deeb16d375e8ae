# SPDX-License-Identifier: GPL-2.0-only
"""A client of `pyperf-bpf mcp` that sends whatever a test wants it to. That a client library of others
understands the same server is shown in tests/e2e/commands/test_mcp_library.py."""
import itertools
import json
import shlex
import subprocess

import home
import profiler


class Server:
    def __init__(self, begin=True, binary=(profiler.BINARY,), arguments=(), **options):
        self.process = subprocess.Popen([*binary, "mcp", *arguments], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, **options)
        self.numbers = itertools.count(1)
        if begin:
            self.ask("initialize", protocolVersion="2025-06-18", capabilities={},
                     clientInfo={"name": "a test", "version": "1"})
            self.tell("notifications/initialized")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()  # it removes what it has recorded
        try:
            self.process.communicate(timeout=300)
        finally:
            self.process.kill()

    def send(self, line):
        """A line as it is."""
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def read_any(self):
        """A message that may be none that was asked for."""
        line = self.process.stdout.readline()
        assert line.endswith(b"\n") and line.count(b"\n") == 1, line
        return json.loads(line)

    def read(self):
        message = self.read_any()
        assert message["jsonrpc"] == "2.0" and ("result" in message) != ("error" in message)
        return message

    def tell(self, method, **params):
        self.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())

    def begin(self, method, **params):
        """The id of a request whose answer is not waited for."""
        number = next(self.numbers)
        self.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode())
        return number

    def ask(self, method, **params):
        number = self.begin(method, **params)
        message = self.read()
        assert message["id"] == number
        return message["result"] if "result" in message else message["error"]

    def text(self, tool, is_error=False, **arguments):
        """What a tool says."""
        result = self.ask("tools/call", name=tool, arguments=arguments)
        content, = result["content"]
        assert (content["type"], result["isError"]) == ("text", is_error), result
        content["text"] = home.without_notice(content["text"])
        return content["text"]

    def call(self, tool, **arguments):
        return json.loads(self.text(tool, **arguments))

    def end(self):
        """Its exit code, once stdin has ended."""
        self.process.stdin.close()
        self.process.stdin = None
        return self.process.wait(timeout=300)


def run(command):
    """The JSON of a command that an answer names."""
    name, *words = shlex.split(command)
    assert name == "pyperf-bpf"
    done = subprocess.run([profiler.BINARY, *words], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
