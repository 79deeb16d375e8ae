# SPDX-License-Identifier: GPL-2.0-only
"""Chromium without a window, driven as a person would: mouse, keyboard, and what is on the page then. It is
spoken to by its DevTools protocol, over two pipes."""
import base64
import contextlib
import itertools
import json
import os
import select
import signal
import subprocess
import time

import browser
from person import PATIENCE, Person

KEYS = {"Enter": (13, "\r"), "Escape": (27, ""), "Tab": (9, ""), "Home": (36, ""), "End": (35, ""),
        "ArrowLeft": (37, ""), "ArrowUp": (38, ""), "ArrowRight": (39, ""), "ArrowDown": (40, ""),
        " ": (32, " ")}


class Browser:
    """Raises FileNotFoundError where there is no Chromium. home: a folder for what it wants to keep.
    arguments: more of them for its command line."""

    def __init__(self, home, *arguments):
        program = browser.program()
        their_in, self.out = os.pipe()
        self.into, their_out = os.pipe()
        self.numbers, self.rest, self.events = itertools.count(1), b"", []

        def take_pipes():
            """The protocol is on the descriptors 3 and 4."""
            os.dup2(their_in, 100)
            os.dup2(their_out, 101)
            os.dup2(100, 3)
            os.dup2(101, 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--force-device-scale-factor=1", "--user-data-dir=%s" % home, "--remote-debugging-pipe",
             "--window-size=1400,1000", *arguments, "about:blank"],
            preexec_fn=take_pipes, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True)
        os.close(their_in)
        os.close(their_out)

    def close(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.out)
        os.close(self.into)

    def read(self, until):
        while b"\0" not in self.rest:
            left = until - time.monotonic()
            assert left > 0 and select.select([self.into], [], [], left)[0], "no answer of the browser"
            data = os.read(self.into, 1 << 20)
            assert data, "the browser has ended"
            self.rest += data
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **parameters):
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        until = time.monotonic() + PATIENCE
        while True:
            answer = self.read(until)
            if answer.get("id") == number:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]
            self.events.append(answer)

    def open(self, url, dark=False, width=1400, height=1000, headers=None):
        """headers: more of them, that each of its requests has."""
        return Page(self, url, dark, width, height, headers)


class Page(Person):
    """A tab. complaints: what its scripts said on the console, and what they failed at; an answer that is no
    page is none."""

    def __init__(self, browser, url, dark, width, height, headers):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.target = target
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Network", "Log":
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=False)
        if dark:
            self.call("Emulation.setEmulatedMedia",
                      features=[{"name": "prefers-color-scheme", "value": "dark"}])
        if headers:
            self.call("Network.setExtraHTTPHeaders", headers=headers)
        self.go(url)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def go(self, url):
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)

    def run(self, expression):
        """The value of an expression of JavaScript on the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, (expression, answer["exceptionDetails"])
        return answer["result"].get("value")

    def events(self, method):
        return [event["params"] for event in self.browser.events
                if event.get("method") == method and event.get("sessionId") == self.session]

    @property
    def complaints(self):
        self.run("0")  # what was said before has come then
        said = [[argument.get("value") for argument in event["args"]]
                for event in self.events("Runtime.consoleAPICalled")]
        failed = [event["exceptionDetails"] for event in self.events("Runtime.exceptionThrown")]
        logged = [event["entry"] for event in self.events("Log.entryAdded")]
        return said + failed + [entry for entry in logged if entry["source"] != "network"]

    @property
    def asked(self):
        """The addresses that it asked for."""
        self.run("0")
        return [event["request"]["url"] for event in self.events("Network.requestWillBeSent")]

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type="mouse" + kind, x=x, y=y, **more)

    def key(self, name, **more):
        code, text = KEYS.get(name, (ord(name[0].upper()), name))
        self.call("Input.dispatchKeyEvent", type="keyDown", key=name, windowsVirtualKeyCode=code,
                  **({"text": text} if text else {}), **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=name, windowsVirtualKeyCode=code, **more)

    def picture(self, path):
        """Of the whole page, as PNG."""
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=False)["data"]
        path.write_bytes(base64.b64decode(data))
