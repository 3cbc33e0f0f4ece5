"""Pages in Debian's Chromium, driven by Playwright; messages of the console and requests are kept."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from rikigaku.report.pdf_file import browser_path

# WebGL without a graphics card; programs that run as root have no sandbox.
ARGUMENTS = ("--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")


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
        for _ in range(200):
            if self.run(script):
                return
            self.page.wait_for_timeout(50)
        pytest.fail(f"After 10 s the page does not satisfy {script}")


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a window."""
    path = browser_path()
    if path is None:
        pytest.fail("These tests need Chromium: apt-get install chromium (as .ci/run does).")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield browser
        browser.close()


@contextmanager
def opened(browser: Browser, file: Path, **options: Any) -> Iterator[OpenedPage]:
    """The file in a new page; the robot is live inside, unless scripts are off."""
    options = {"viewport": {"width": 1200, "height": 900}, **options}
    context = browser.new_context(**options)
    page = context.new_page()
    result = OpenedPage(page)
    page.on("console", lambda m: result.errors.append(m.text) if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: result.errors.append(str(error)))
    page.on("request", lambda request: result.requests.append(request.url))
    page.goto(file.as_uri())
    if options.get("java_script_enabled", True):
        page.wait_for_selector("canvas.rk-canvas", timeout=60_000)
    yield result
    context.close()
