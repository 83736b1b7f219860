"""A headless Chromium that a test drives: open a page, ask it things, press and drag, take pictures.

Through its debugging pipe (DevTools protocol, messages that end in a zero byte), which needs nothing but
the standard library. It cannot reach any network: every name fails to resolve, but for the machine's own
address, and every request is noted.
"""

import base64
import contextlib
import fcntl
import json
import os
import shutil
import subprocess

import pytest

OPTIONS = [
    "--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--no-first-run", "--disable-quic",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--hide-scrollbars",
    "--force-device-scale-factor=1",
]  # fmt: skip
SOFTWARE = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
NO_WEBGL = ["--disable-gpu", "--disable-3d-apis"]


def chromium():
    """The path of the browser; the test skips where there is none."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    return pytest.skip("needs the package chromium")


class Browser:
    """One page of one browser, in a profile of its own."""

    def __init__(self, folder, webgl=True):
        self.events, self._number, self._rest = [], 0, b""
        (to_it, self._out), (self._in, from_it) = os.pipe(), os.pipe()
        command = [chromium(), *OPTIONS, *(SOFTWARE if webgl else NO_WEBGL), f"--user-data-dir={folder}"]

        def plumb():  # the browser reads from its descriptor 3 and writes to 4
            ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (to_it, from_it)]
            for end, place in zip(ends, (3, 4), strict=True):
                os.dup2(end, place)

        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen([*command, "about:blank"], pass_fds=(3, 4), preexec_fn=plumb, **quiet)
        os.close(to_it)
        os.close(from_it)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = None
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for part in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{part}.enable")

    def close(self):
        """End the browser."""
        with contextlib.suppress(BrokenPipeError, EOFError):
            self.session = None
            self.call("Browser.close")
        self.process.wait(20)
        os.close(self._out)
        os.close(self._in)

    def call(self, method, **parameters):
        """The answer to a command; events that come meanwhile are kept."""
        self._number += 1
        told = {"id": self._number, "method": method, "params": parameters}
        if getattr(self, "session", None):
            told["sessionId"] = self.session
        os.write(self._out, json.dumps(told).encode() + b"\0")
        while (message := self._read()).get("id") != self._number:
            self.events.append(message)
        assert "error" not in message, f"{method}: {message['error']}"
        return message["result"]

    def _read(self):
        while b"\0" not in self._rest:
            part = os.read(self._in, 1 << 20)
            if not part:
                raise EOFError("the browser has gone")
            self._rest += part
        text, self._rest = self._rest.split(b"\0", 1)
        return json.loads(text)

    def size(self, width, height, mobile=False):
        """Give the window a size."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=mobile,
        )

    def open(self, path, wish=""):
        """Load a file, with a wish behind its name, and wait until it is drawn."""
        self.visit(f"file://{path}{wish}")
        self.drawn()

    def visit(self, url):
        """Load a page of the player."""
        self.call("Page.navigate", url="about:blank")  # or a change of the wish alone would not load it
        self.events.clear()
        self.call("Page.navigate", url=url)
        self.wait("globalThis.replay && globalThis.replay.sized")

    def ask(self, expression):
        """The value of an expression of the page; a promise is waited for."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def wait(self, expression, tries=200):
        """Wait until an expression of the page holds."""
        step = "new Promise((done) => setTimeout(done, 50))"
        for _ in range(tries):
            if self.ask(f"Boolean({expression})"):
                return
            self.ask(step)
        raise AssertionError(f"in vain: {expression}; {self.complaints()}")

    def drawn(self):
        """Wait for two pictures."""
        self.ask("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def picture(self, element=""):
        """A PNG of the page, or of one element of it."""
        self.drawn()
        clip = {}
        if element:
            box = f"document.querySelector({json.dumps(element)}).getBoundingClientRect()"
            x, y, width, height = self.ask(f"(({{x, y, width, height}}) => [x, y, width, height])({box})")
            clip = {"clip": {"x": x, "y": y, "width": width, "height": height, "scale": 1}}
        return base64.b64decode(self.call("Page.captureScreenshot", format="png", **clip)["data"])

    def middle(self, element):
        """Where the middle of an element is."""
        box = f"document.querySelector({json.dumps(element)}).getBoundingClientRect()"
        return self.ask(f"(({{x, y, width, height}}) => [x + width / 2, y + height / 2])({box})")

    def drag(self, *places):
        """Press at the first place, move over the others, release at the last; one place is a click."""
        (x, y), *way = places
        self._mouse("mouseMoved", x, y)
        self._mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
        for x, y in way:
            self._mouse("mouseMoved", x, y, button="left", buttons=1)
        self._mouse("mouseReleased", x, y, button="left", clickCount=1)
        self.drawn()

    def hover(self, x, y):
        """Move the pointer."""
        self._mouse("mouseMoved", x, y)
        self.drawn()

    def _mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def press(self, key, **more):
        """Press a key and release it."""
        text = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text, **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, **more)
        self.drawn()

    def complaints(self):
        """What the page has said to the console as a warning or an error, and what it threw."""
        self.call("Runtime.evaluate", expression="1")  # so that what was under way has arrived
        found = []
        for event in self.events:
            method, told = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(told["exceptionDetails"].get("exception", {}).get("description", "thrown"))
            elif method == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
                found.append(told["entry"]["text"])
            elif method == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning", "assert"):
                found.append(" ".join(str(a.get("value", a.get("description"))) for a in told["args"]))
        return found

    def requests(self):
        """The addresses that the page has asked for, itself and what it carries inside left out."""
        sent = [e["params"] for e in self.events if e.get("method") == "Network.requestWillBeSent"]
        urls = [told["request"]["url"] for told in sent if told.get("type") != "Document"]
        return [url for url in urls if not url.startswith(("data:", "blob:"))]
