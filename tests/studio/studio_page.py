"""The studio in a real browser, driven by keyboard and mouse."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from browser_page import COARSE, OpenedPage, laid_out, watched
from playwright.sync_api import Browser, Locator, Page, expect

from rikigaku.studio.server import StudioServer


@contextmanager
def opened_studio(browser: Browser, server: StudioServer, **options: Any) -> Iterator[OpenedPage]:
    """The studio in a new context; its errors and requests are kept."""
    options = {"viewport": {"width": 1440, "height": 900}, "device_scale_factor": COARSE, **options}
    context = browser.new_context(**options)
    try:
        page = context.new_page()
        result = watched(page)
        page.goto(server.address)
        expect(page.get_by_role("tab", name="Start")).to_be_visible()
        page.wait_for_function("() => rikigaku.studio.connected")
        laid_out(page)
        yield result
    finally:
        context.close()


def nothing_went_wrong(page: OpenedPage, server: StudioServer) -> None:
    """No message of the console, and no request to another machine."""
    assert not page.errors, page.errors
    own = (f"http://127.0.0.1:{server.port}/", f"ws://127.0.0.1:{server.port}/", "data:", "blob:")
    assert [url for url in page.requests if not url.startswith(own)] == []


def type_cell(page: Page, label: str, value: str) -> Locator:
    """Type into a cell and leave it; returns the cell once the server has taken the value."""
    cell = page.get_by_role("textbox", name=label, exact=True)
    cell.click()
    page.keyboard.press("Control+A")
    page.keyboard.type(value)
    page.keyboard.press("Tab")
    # the server removes spaces at the ends
    expect(page.get_by_role("textbox", name=label, exact=True)).to_have_value(value.strip())
    settled(page)
    return cell


def open_shipped(page: Page, name: str) -> None:
    """Open a robot of the gallery and wait for its picture."""
    page.locator(".rk-gallery button", has=page.get_by_text(name, exact=True)).click()
    page.wait_for_selector("canvas.rk-canvas")
    until_checked(page)


def new_robot(page: Page, kind: str) -> None:
    """A robot from nothing: "Serial", "Tree" or "Closed loop"; returns once its table is there."""
    page.locator(".rk-kind", has_text=kind).click()
    expect(page.get_by_role("textbox", name="New link")).to_be_visible()


def settled(page: Page) -> None:
    """Until the server has done the edits of the page."""
    page.evaluate("() => rikigaku.studio.settled()")


def until_checked(page: Page) -> None:
    """Until the newest revision is checked and, where it can be, drawn."""
    page.wait_for_function(
        """() => { const s = rikigaku.studio;
        return s.checked && s.document?.revision === s.checked.revision
            && (!s.checked.robot || s.drawn === s.checked.revision)
            && (!s.viewer || s.viewer.state === s.state); }"""
    )


def idle(page: Page) -> None:
    """Until the page has drawn, its effects have run, and no request or job of it runs."""
    laid_out(page)
    page.wait_for_function(
        "() => { const s = rikigaku.studio; return !s.jobs.size && !s.connection.waiting.size; }"
    )
    laid_out(page)


def type_papers_robot(page: Page) -> None:
    """The closed robot of ROSAM II, section 6, from nothing up to its loop, by keyboard and mouse only."""
    page.get_by_role("textbox", name="Name", exact=True).fill("rosam_loop")
    new_robot(page, "Closed loop")
    page.get_by_role("textbox", name="New link").fill("l31")
    page.get_by_role("combobox", name="on", exact=True).select_option("l21")
    page.get_by_role("button", name="Add link").click()
    expect(page.get_by_role("textbox", name="l31: α")).to_be_visible()
    for link in ("l21", "l22"):
        page.get_by_role("combobox", name=f"{link}: Type").select_option("prismatic")
        expect(page.get_by_role("textbox", name=f"{link}: d", exact=True)).to_have_value("q")
    for link, alpha in (("l21", "pi/2"), ("l31", "-pi/2"), ("l22", "pi/2")):
        type_cell(page, f"{link}: α", alpha)
    for link in ("l21", "l12", "l22"):
        type_cell(page, f"{link}: a", "0")
    for link in ("l11", "l12"):
        type_cell(page, f"{link}: θ", "q")
    joints = {"l11": "theta11", "l21": "d21", "l31": "theta31", "l12": "theta12", "l22": "d22"}
    for link, joint in joints.items():
        type_cell(page, f"{link}: Joint", joint)
    for link in ("l12", "l22"):
        box = page.get_by_role("checkbox", name=f"{link}: Actuated")
        box.click()
        expect(box).not_to_be_checked()
    page.get_by_role("textbox", name="New symbol").fill("L")
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="L: Value", exact=True)).to_be_visible()
    type_cell(page, "L: Value", "0.4")
    type_cell(page, "L: Unit", "m")
    expect(page.get_by_role("combobox", name="hand: Link")).to_have_value("l31")  # it went along
    type_cell(page, "hand: a", "L")
    type_cell(page, "Gravity z", "0")
    page.get_by_role("tab", name="Inertia").click()
    page.get_by_role("button", name="All symbols").click()
    expect(page.get_by_role("textbox", name="l31: msx")).to_have_value("msx31")
    page.get_by_role("tab", name="Loops").click()
    page.get_by_role("combobox", name="From", exact=True).select_option("l31")
    page.get_by_role("combobox", name="To", exact=True).select_option("l22")
    page.get_by_role("button", name="Close loop").click()
    expect(page.get_by_role("textbox", name="loop1 From: a", exact=True)).to_be_visible()
    type_cell(page, "loop1 From: a", "2*L")
    type_cell(page, "loop1 To: α", "-pi/2")
    type_cell(page, "Name", "cut")
    for joint in ("theta11", "d21", "theta31"):
        page.get_by_role("button", name=joint, exact=True).click()
        expect(page.get_by_role("button", name=joint, exact=True)).to_have_attribute("aria-pressed", "true")
    until_checked(page)
