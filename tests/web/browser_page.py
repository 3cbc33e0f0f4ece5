"""Pages in Debian's Chromium, driven by Playwright; messages of the console and requests are kept."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, expect, sync_playwright

from rikigaku.report.chromium import browser_arguments, browser_path

COARSE = 0.5  # pixels of the screen a pixel of the page: software draws WebGL, its pixels are the cost

WAIT = 60_000  # [ms] for what must come: a busy machine takes its time
expect.set_options(timeout=WAIT)

COPY = "GPU stall due to ReadPixels"  # a browser that composes pages by software copies each WebGL frame


@dataclass
class OpenedPage:
    """A page with what went wrong on it: errors of the console, and requests to anywhere."""

    page: Page
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def run(self, script: str, *arguments: Any) -> Any:
        """The value of a function of the live report: `async (live, argument) => ...`."""
        text = (
            f"async (argument) => {{ const live = await rikigaku.live; return ({script})(live, argument); }}"
        )
        return self.page.evaluate(text, *arguments)

    def wait(self, script: str) -> None:
        """Wait until such a function returns true."""
        # a function that returns a promise would pass at once, whatever it resolves to
        self.page.evaluate("async () => { window.liveReport = await rikigaku.live; }")
        self.page.wait_for_function(f"() => ({script})(window.liveReport)")


def watched(page: Page) -> OpenedPage:
    """The page; what goes wrong on it, and what it requests, is kept from now on."""
    result = OpenedPage(page)

    def heard(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and COPY not in message.text:
            result.errors.append(message.text)

    def asked(dialog: Dialog) -> None:
        if dialog.type == "beforeunload":
            dialog.accept()
        else:  # pages of ours ask nothing this way: a script of a name did
            result.errors.append(f"dialog: {dialog.message}")
            dialog.dismiss()

    page.on("dialog", asked)
    page.on("console", heard)
    page.on("pageerror", lambda error: result.errors.append(str(error)))
    page.on("request", lambda request: result.requests.append(request.url))
    page.set_default_timeout(WAIT)
    return result


def laid_out(page: Page) -> None:
    """Until fonts are there, effects have run and frames are drawn: nothing shifts any more."""
    page.evaluate(
        """async () => { await document.fonts.ready;
        const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
        for (let k = 0; k < 3; k++) await frame(); }"""
    )


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a window."""
    path = browser_path()
    if path is None:
        pytest.fail("These tests need Chromium: apt-get install chromium (as .ci/run does).")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=browser_arguments())
        try:
            yield browser
        finally:
            browser.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for the tests of a module."""
    with chromium() as found:
        yield found


@contextmanager
def opened(browser: Browser, file: Path, **options: Any) -> Iterator[OpenedPage]:
    """The file in a new page; the robot is live inside, unless scripts are off."""
    options = {"viewport": {"width": 1200, "height": 900}, "device_scale_factor": COARSE, **options}
    context = browser.new_context(**options)
    try:
        page = context.new_page()
        result = watched(page)
        page.goto(file.as_uri())
        if options.get("java_script_enabled", True):
            page.wait_for_selector("canvas.rk-canvas")
            page.evaluate("async () => { await rikigaku.live; }")
            laid_out(page)
        yield result
    finally:
        context.close()
