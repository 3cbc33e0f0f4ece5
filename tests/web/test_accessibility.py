"""Pages are usable by everyone: axe-core finds nothing, the main flow works by keyboard alone."""

from pathlib import Path

import pytest
from browser_page import OpenedPage, opened
from playwright.sync_api import Browser
from written_reports import Reports

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
FOUND = """async () => (await axe.run(document, {resultTypes: ['violations']})).violations.map(rule =>
    `${rule.id}: ${rule.help} (${rule.nodes.slice(0, 4).map(node => node.target.join(' ')).join('; ')})`)"""


def violations(page: OpenedPage) -> list[str]:
    if not AXE.is_file():
        pytest.fail("These tests need axe-core: cd web && npm install (as .ci/run does).")
    page.page.evaluate(AXE.read_text("utf-8"))
    return list(page.page.evaluate(FOUND))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", ["English", "日本語"])
def test_axe_finds_nothing_in_a_report(
    scheme: str, language: str, browser: Browser, written: Reports
) -> None:
    with opened(browser, written["five_bar"], color_scheme=scheme) as page:
        page.page.get_by_role("button", name=language).click()
        page.page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        page.page.locator("button.rk-primary").click()  # plots and playback too
        page.page.wait_for_selector(".rk-plot .uplot")
        page.page.locator(".rk-player button").click()
        assert violations(page) == []


def test_axe_finds_nothing_on_a_phone(browser: Browser, written: Reports) -> None:
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    with opened(browser, written["five_bar"], **phone) as page:
        assert violations(page) == []


def test_axe_finds_what_is_wrong(browser: Browser, written: Reports) -> None:
    with opened(browser, written["five_bar"]) as page:
        page.page.evaluate("document.querySelector('.rk-lead').style.color = '#ddd'")
        page.page.evaluate("document.querySelector('.rk-slider input').closest('label').replaceWith("
                           "document.querySelector('.rk-slider input'))")  # fmt: skip
        assert {text.split(":")[0] for text in violations(page)} >= {"color-contrast", "label"}


def test_the_main_flow_needs_no_pointer(browser: Browser, written: Reports) -> None:
    """Language, theme, camera, layer, slider, simulation, copy: reached by Tab, used by keys."""
    with opened(browser, written["five_bar"]) as page:
        keys, seen = page.page.keyboard, []

        def until(selector: str) -> None:
            for _ in range(200):
                keys.press("Tab")
                here = page.page.evaluate("s => document.activeElement.matches(s)", selector)
                if here:
                    outline = page.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
                    assert outline != "none", f"no outline on {selector}"
                    seen.append(selector)
                    return
            pytest.fail(f"Tab does not reach {selector} after {seen}")

        until("#rk-languages button[lang=ja]")
        keys.press("Enter")
        assert page.page.evaluate("document.documentElement.lang") == "ja"
        until("#rk-theme")
        keys.press("Space")
        assert page.page.evaluate("document.documentElement.dataset.theme") == "dark"
        until("canvas.rk-canvas")
        keys.press("ArrowLeft")
        until(".rk-bar button")
        keys.press("Space")
        until(".rk-slider input")
        before = page.run("live => live.state.q[0]")
        for _ in range(5):
            keys.press("ArrowRight")
        assert page.run("live => live.state.q[0]") > before
        until(".rk-contents a[href='#dynamics']")
        keys.press("Enter")
        until(".rk-copy button")
        until("button.rk-primary")
        keys.press("Enter")
        page.page.wait_for_selector(".rk-plot .uplot")
        until(".rk-player button")
        keys.press("Space")
        assert page.errors == []
