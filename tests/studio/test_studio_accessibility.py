"""The studio is usable by everyone: axe-core finds nothing on any screen, light and dark."""

import pytest
from playwright.sync_api import Browser, expect
from studio_page import idle, open_shipped, opened_studio, type_cell, until_checked
from test_accessibility import violations

from rikigaku.studio.server import StudioServer


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(scheme: str, browser: Browser, server: StudioServer) -> None:
    with opened_studio(browser, server, color_scheme=scheme) as studio:
        page = studio.page
        expect(page.locator(".rk-gallery button").first).to_be_visible()
        idle(page)
        found = {"start": violations(studio)}
        open_shipped(page, "rosam_loop")
        page.get_by_role("button", name="l11: More about this link").click()
        idle(page)
        found["structure"] = violations(studio)
        type_cell(page, "l11: a", "1+")
        expect(page.locator("[aria-invalid=true]")).to_have_count(1)
        idle(page)
        found["mistake"] = violations(studio)
        page.get_by_role("button", name="Undo: change of a cell").click()
        expect(page.get_by_role("textbox", name="l11: a", exact=True)).not_to_have_value("1+")
        until_checked(page)
        names = page.evaluate("() => [...document.querySelectorAll('[role=tab]')].map((own) => own.id)")
        for name in names[2:]:
            page.locator(f"#{name}").click()
            idle(page)
            found[name] = violations(studio)
        assert {name: rules for name, rules in found.items() if rules} == {}
