"""Take the pictures of docs/studio.md from a running studio: python tools/studio_pictures.py [name ...]."""

import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from rikigaku.report.chromium import browser_arguments, browser_path
from rikigaku.studio.server import StudioServer
from rikigaku.studio.workspace import Workspace

TARGET = Path(__file__).parent.parent / "docs" / "_static"
WIDE: dict[str, Any] = {"viewport": {"width": 1360, "height": 850}}
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 1.5,
    "is_mobile": True,
}
WAIT = 120_000  # [ms]


def _open(page: Page, robot: str) -> None:
    page.locator(".rk-gallery button", has=page.get_by_text(robot, exact=True)).click()
    page.wait_for_selector("canvas.rk-canvas")
    page.wait_for_function("() => rikigaku.studio.checked?.revision === rikigaku.studio.document.revision")


def start(page: Page) -> None:
    page.evaluate("() => { rikigaku.studio.workspace = '~/robots'; rikigaku.studio.changed(); }")
    page.wait_for_function("() => [...document.images].filter((own) => own.complete && own.width).length > 6")


def structure(page: Page) -> None:
    _open(page, "rx90")
    page.locator("input[data-path*='alpha']").nth(2).click()


def mistake(page: Page) -> None:
    _open(page, "scara")
    cell = page.locator("input[data-path*='placement'], input[data-path*='dh']").nth(1)
    cell.fill("0.325 + L1 *")
    cell.press("Enter")
    page.wait_for_selector("[aria-invalid=true]")


def inertia(page: Page) -> None:
    _open(page, "iiwa14")
    page.click("#rk-tab-inertia")


def loops(page: Page) -> None:
    page.select_option(".rk-language", "ja")
    _open(page, "five_bar")
    page.click("#rk-tab-loops")
    page.locator(".rk-part header button").last.click()
    page.wait_for_selector(".rk-modes img")


def equations(page: Page) -> None:
    _open(page, "four_bar")
    page.click("#rk-tab-equations")
    page.wait_for_function("() => document.querySelectorAll('.rk-terms .katex').length > 1")
    page.wait_for_function("() => !document.querySelector('.rk-job')")


def simulate(page: Page) -> None:
    _open(page, "five_bar")
    page.click("#rk-tab-simulate")
    page.locator(".rk-run .rk-primary").click()
    page.wait_for_selector("#rk-audit")


def phone(page: Page) -> None:
    _open(page, "panda")


PICTURES: dict[str, tuple[Callable[[Page], None], dict[str, Any], str]] = {
    "studio_start": (start, WIDE, "light"),
    "studio_structure": (structure, WIDE, "light"),
    "studio_mistake": (mistake, WIDE, "light"),
    "studio_inertia": (inertia, WIDE, "dark"),
    "studio_loops_ja": (loops, WIDE, "dark"),
    "studio_equations": (equations, WIDE, "light"),
    "studio_simulate": (simulate, WIDE, "light"),
    "studio_phone": (phone, PHONE, "light"),
    "studio_phone_dark": (phone, PHONE, "dark"),
}


def take(browser: Browser, server: StudioServer, name: str) -> None:
    """Write one picture."""
    prepare, options, scheme = PICTURES[name]
    page = browser.new_page(**options, color_scheme=scheme)  # type: ignore[arg-type]
    page.set_default_timeout(WAIT)
    page.goto(server.address)
    page.wait_for_selector(".rk-gallery button")
    prepare(page)
    page.wait_for_timeout(1500)
    page.screenshot(path=TARGET / f"{name}.png")
    page.close()


def main(names: list[str]) -> None:
    """Take the named pictures."""
    with tempfile.TemporaryDirectory(prefix="robots_") as folder:
        server = StudioServer(Workspace(Path(folder)))
        ready = threading.Event()
        threading.Thread(target=server.serve, args=(ready.set,), daemon=True).start()
        ready.wait()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=browser_path(), args=browser_arguments())
            for name in names:
                take(browser, server, name)
            browser.close()
        server.stop()


if __name__ == "__main__":
    main(sys.argv[1:] or list(PICTURES))
