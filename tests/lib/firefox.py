# SPDX-License-Identifier: GPL-2.0-only
"""Firefox without a window, driven as a person would. It is spoken to by WebDriver BiDi, over a
web socket."""
import contextlib
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import time

from person import PATIENCE, Person

# https://www.w3.org/TR/webdriver2/#keyboard-actions
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "Tab": "\ue004", "Home": "\ue011", "End": "\ue010",
        "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015"}

AS_JSON = "Promise.resolve(%s).then(v => JSON.stringify(v === undefined ? null : v))"


class Browser:
    """Raises FileNotFoundError where there is no Firefox, or nothing that speaks to web sockets. home: a
    folder for what it wants to keep."""

    def __init__(self, home):
        program = shutil.which("firefox-esr") or shutil.which("firefox")
        if not program:
            raise FileNotFoundError("firefox")
        try:
            from websockets.sync.client import connect
        except ImportError:
            raise FileNotFoundError("websockets") from None
        self.numbers, self.events, said = itertools.count(1), [], home / "said"
        with open(said, "wb") as stderr:
            self.process = subprocess.Popen(
                [program, "--headless", "--no-remote", "--profile", home, "--remote-debugging-port=0"],
                env={**os.environ, "HOME": str(home)}, stdout=subprocess.DEVNULL, stderr=stderr,
                start_new_session=True)
        self.opened = contextlib.ExitStack()
        self.socket = self.opened.enter_context(
            connect(self.find_address(said) + "/session", max_size=None, proxy=None, open_timeout=PATIENCE))
        self.call("session.new", capabilities={})
        self.call("session.subscribe", events=["log.entryAdded"])

    def find_address(self, said):
        until = time.monotonic() + PATIENCE
        while True:
            found = re.search(r"WebDriver BiDi listening on (ws://\S+)", said.read_text(errors="replace"))
            if found:
                return found[1]
            assert self.process.poll() is None and time.monotonic() < until, said.read_text(errors="replace")
            time.sleep(0.05)

    def close(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.opened.close()

    def call(self, method, **parameters):
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.recv(PATIENCE))
            if answer.get("id") == number:
                assert answer["type"] == "success", (method, answer)
                return answer["result"]
            self.events.append(answer)

    def open(self, url, width=1400, height=1000):
        return Page(self, url, width, height)


class Page(Person):
    """A tab. complaints: what its scripts said on the console, and what they failed at."""

    def __init__(self, browser, url, width, height):
        self.browser = browser
        self.context = browser.call("browsingContext.create", type="tab")["context"]
        self.call("browsingContext.setViewport", viewport={"width": width, "height": height})
        self.go(url)

    def call(self, method, **parameters):
        return self.browser.call(method, context=self.context, **parameters)

    def go(self, url):
        self.call("browsingContext.navigate", url=url, wait="complete")

    def close(self):
        self.call("browsingContext.close")

    def run(self, expression):
        answer = self.browser.call("script.evaluate", expression=AS_JSON % expression, awaitPromise=True,
                                   target={"context": self.context})
        assert answer["type"] == "success", (expression, answer)
        return json.loads(answer["result"]["value"])

    @property
    def complaints(self):
        self.run("0")  # what was said before has come then
        return [event["params"] for event in self.browser.events if event.get("method") == "log.entryAdded"
                and event["params"]["source"].get("context") == self.context]

    def act(self, kind, actions, **more):
        self.call("input.performActions",
                  actions=[{"type": kind, "id": kind, "actions": actions, **more}])

    def mouse(self, kind, x, y, **more):
        move = {"type": "pointerMove", "x": round(x), "y": round(y)}
        press = {"type": "pointerDown" if kind == "Pressed" else "pointerUp", "button": 0}
        self.act("pointer", [move] if kind == "Moved" else [move, press],
                 parameters={"pointerType": "mouse"})

    def key(self, name, **more):
        value = KEYS.get(name, name)
        self.act("key", [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}])
