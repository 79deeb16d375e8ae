# SPDX-License-Identifier: GPL-2.0-only
"""What a person does on a page, whichever browser has it. A browser's own Page says how its parts are done:
run(), mouse() and key()."""
import json
import time

PATIENCE = 240


class Person:
    def run(self, expression):
        """The value of an expression of JavaScript on the page."""
        raise NotImplementedError

    def mouse(self, kind, x, y, **more):
        """kind: Moved, Pressed or Released."""
        raise NotImplementedError

    def key(self, name, **more):
        """Down and up again. name: a letter, or one such as Enter or ArrowLeft."""
        raise NotImplementedError

    def wait(self, expression, what=None):
        """Until it is true."""
        until = time.monotonic() + PATIENCE
        while not self.run(expression):
            assert time.monotonic() < until, "waited for %s" % (what or expression)
            time.sleep(0.05)

    def box(self, selector, index=0):
        """Left, top, width and height of an element, which is brought into view."""
        return self.run("(() => { const e = document.querySelectorAll(%s)[%d];"
                        "e.scrollIntoView({block: 'center', behavior: 'instant'});"
                        "const b = e.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()"
                        % (json.dumps(selector), index))

    def click_at(self, x, y, **more):
        self.mouse("Moved", x, y)
        for kind in "Pressed", "Released":
            self.mouse(kind, x, y, button="left", clickCount=1, **more)

    def click(self, selector, index=0, **more):
        left, top, width, height = self.box(selector, index)
        self.click_at(left + width / 2, top + height / 2, **more)

    def drag(self, start, end):
        self.mouse("Moved", *start)
        self.mouse("Pressed", *start, button="left", buttons=1, clickCount=1)
        for part in 0.3, 0.7, 1:
            self.mouse("Moved", *(a + (b - a) * part for a, b in zip(start, end, strict=True)), buttons=1)
        self.mouse("Released", *end, button="left", clickCount=1)

    def type(self, text):
        for letter in text:
            self.key(letter)

    def focus(self, selector, index=0):
        self.run("document.querySelectorAll(%s)[%d].focus()" % (json.dumps(selector), index))

    def text(self, selector):
        return self.run("document.querySelector(%s).textContent" % json.dumps(selector))

    def texts(self, selector):
        return self.run("[...document.querySelectorAll(%s)].map(e => e.textContent)" % json.dumps(selector))

    def address(self):
        return self.run("location.href")
