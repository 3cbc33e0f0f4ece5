"""The studio in a real browser: mistakes at their cells, undo, reload, two languages."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from studio_client import page_of, served
from studio_page import (
    idle,
    new_robot,
    nothing_went_wrong,
    open_shipped,
    opened_studio,
    settled,
    type_cell,
    until_checked,
)

from rikigaku import library
from rikigaku.studio.server import StudioServer


def test_a_wrong_cell_shows_its_message_there_and_is_undone(browser: Browser, server: StudioServer) -> None:
    with opened_studio(browser, server) as studio:
        page = studio.page
        new_robot(page, "Serial")
        cell = page.get_by_role("textbox", name="l1: a", exact=True)
        type_cell(page, "l1: a", "0.3 + ")
        message = page.locator("td", has=cell).get_by_role("alert")
        expect(message).to_contain_text("it ends where a number, a name or '(' should stand")
        expect(cell).to_have_attribute("aria-invalid", "true")
        expect(page.get_by_text("the picture shows the last robot")).to_be_visible()
        expect(page.get_by_label("1 mistakes")).to_be_visible()
        page.keyboard.press("Control+z")
        expect(cell).to_have_value("0")
        expect(message).to_have_count(0)
        page.keyboard.press("Control+y")
        expect(cell).to_have_value("0.3 +")
        expect(message).to_be_visible()
        nothing_went_wrong(studio, server)


def test_an_edit_moves_the_picture_and_the_robot_stays_where_it_is(
    browser: Browser, server: StudioServer
) -> None:
    with opened_studio(browser, server) as studio:
        page = studio.page
        open_shipped(page, "planar_2r")
        page.evaluate("() => rikigaku.studio.state.move(0, 0.7)")
        frame = "() => rikigaku.studio.state.framePlace(rikigaku.studio.state.robot.frames.length - 1)"
        before = page.evaluate(frame)
        name = page.evaluate("() => rikigaku.studio.document.cells.links[1].name")
        symbol = page.evaluate("() => rikigaku.studio.document.cells.links[1].geometry.a")
        type_cell(page, f"{name}: a", f"2*({symbol})")
        until_checked(page)
        after = page.evaluate(frame)
        assert page.evaluate("() => rikigaku.studio.state.q[0]") == pytest.approx(0.7)
        assert max(abs(a - b) for a, b in zip(before, after, strict=True)) > 0.05
        nothing_went_wrong(studio, server)


def test_a_robot_that_grows_stays_in_the_picture(browser: Browser, server: StudioServer) -> None:
    with opened_studio(browser, server) as studio:
        page = studio.page
        new_robot(page, "Serial")
        for name in ("l2", "l3", "l4"):
            page.get_by_role("textbox", name="New link").fill(name)
            page.get_by_role("button", name="Add link").click()
            type_cell(page, f"{name}: a", "0.7")
        until_checked(page)
        idle(page)
        x, y = page.evaluate(
            """() => { const { viewer } = rikigaku.studio;
            const box = viewer.canvas.getBoundingClientRect();
            const place = viewer.handlePlace(viewer.state.robot.frames.findIndex((frame) => frame.law));
            return [(place.x - box.left) / box.width, (place.y - box.top) / box.height]; }"""
        )
        assert 0 < x < 1
        assert 0 < y < 1
        nothing_went_wrong(studio, server)


def test_a_block_of_a_spreadsheet_is_pasted(browser: Browser, server: StudioServer) -> None:
    with opened_studio(browser, server, permissions=["clipboard-read", "clipboard-write"]) as studio:
        page = studio.page
        new_robot(page, "Tree")
        cell = page.get_by_role("textbox", name="l1: α")
        expect(cell).to_be_visible()
        page.evaluate(
            "() => navigator.clipboard.writeText('pi/2\\t0.1\\tq\\t0\\n90°\\t0.2\\n0\\t0.3\\n9\\t9\\n')"
        )
        cell.click()
        page.keyboard.press("Control+v")
        expect(page.get_by_role("textbox", name="l21: α")).to_have_value("90*deg")
        for link, a in (("l1", "0.1"), ("l21", "0.2"), ("l22", "0.3")):
            expect(page.get_by_role("textbox", name=f"{link}: a", exact=True)).to_have_value(a)
        expect(page.get_by_text("2 values of the block lie beyond the table")).to_be_visible()
        page.get_by_role("button", name="Undo: paste").click()
        expect(page.get_by_role("textbox", name="l1: α")).to_have_value("0")
        nothing_went_wrong(studio, server)


def test_a_reload_recovers_the_work(browser: Browser, server: StudioServer) -> None:
    with opened_studio(browser, server) as studio:
        page = studio.page
        new_robot(page, "Serial")
        type_cell(page, "l1: a", "0.77")
        page.reload()
        expect(page.get_by_role("textbox", name="l1: a", exact=True)).to_have_value("0.77")
        page.wait_for_selector("canvas.rk-canvas")
        page.get_by_role("button", name="Undo: change of a cell").click()
        expect(page.get_by_role("textbox", name="l1: a", exact=True)).to_have_value("0")
        nothing_went_wrong(studio, server)


CUT = """() => { const own = rikigaku.studio.connection;
    own.again = own.open; own.open = () => undefined; own.socket.close(); }"""
BACK = "() => { const own = rikigaku.studio.connection; own.open = own.again; own.open(); }"


def test_an_edit_typed_without_a_connection_is_kept_and_sent(browser: Browser, server: StudioServer) -> None:
    with opened_studio(browser, server) as studio:
        page = studio.page
        new_robot(page, "Serial")
        cell = page.get_by_role("textbox", name="l1: a", exact=True)
        banner = page.locator(".rk-offline")

        def type_without_connection(*values: str) -> None:
            page.evaluate(CUT)
            expect(banner).to_be_visible()
            for value in values:
                cell.fill(value)
                page.keyboard.press("Tab")
                expect(cell).to_have_value(value)
            expect(banner).to_contain_text(f"edits that wait: {len(values)}")

        type_without_connection("0.51", "0.52")
        page.keyboard.press("Control+z")  # takes back the last of them
        expect(banner).to_contain_text("edits that wait: 1")
        expect(banner).to_contain_text("start `rikigaku studio` again")
        page.evaluate(BACK)
        expect(banner).to_have_count(0)
        settled(page)
        expect(cell).to_have_value("0.51")
        expect(page.get_by_role("button", name="Undo: change of a cell")).to_be_enabled()

        # another page of the session changes the document: the user decides; a reload keeps the edit
        type_without_connection("0.53")
        session = page.evaluate("() => sessionStorage.getItem('rikigaku-session')")
        with page_of(server, session=session) as other:
            assert other.edit("set_value", path=["gravity", 0], value="1")["type"] == "document"
        page.reload()
        page.get_by_role("button", name="Make these edits now").click()
        expect(cell).to_have_value("0.53")
        expect(page.get_by_role("textbox", name="Gravity x")).to_have_value("1")
        expect(page.get_by_role("button", name="Make these edits now")).to_have_count(0)
        nothing_went_wrong(studio, server)


def test_what_is_clicked_without_a_connection_waits_for_it(browser: Browser, server: StudioServer) -> None:
    """The newest robot that was chosen opens; a computation is done on the next connection."""
    with opened_studio(browser, server) as studio:
        page = studio.page
        banner = page.locator(".rk-offline")
        expect(page.locator(".rk-gallery button").first).to_be_visible()
        page.evaluate(CUT)
        expect(banner).to_be_visible()
        page.locator(".rk-gallery button", has=page.get_by_text("planar_2r", exact=True)).click()
        expect(banner).to_contain_text("planar_2r opens when it answers")
        page.locator(".rk-kind", has_text="Serial").click()
        expect(banner).to_contain_text("my_robot opens when it answers")
        page.evaluate(BACK)
        expect(banner).to_have_count(0)
        expect(page.get_by_role("textbox", name="Name of the robot")).to_have_value("my_robot")
        until_checked(page)
        page.evaluate(CUT)
        expect(banner).to_be_visible()
        page.get_by_role("tab", name="Equations").click()
        waits = "() => rikigaku.studio.connecting.size > 0"
        page.wait_for_function(waits)  # the list of laws waits
        page.evaluate(BACK)
        expect(page.locator(".rk-equations h3")).to_be_visible()
        expect(page.locator(".rk-job-error")).to_have_count(0)
        nothing_went_wrong(studio, server)


def test_two_tabs_on_one_file_merge(browser: Browser, server: StudioServer, folder: Path) -> None:
    text = library.path("planar_3r").read_text("utf-8")
    (folder / "tabs.robot.toml").write_text(text, "utf-8")
    with opened_studio(browser, server) as first, opened_studio(browser, server) as second:
        for studio, value in ((first, "0.11"), (second, "0.22")):
            studio.page.locator(".rk-files button", has_text="tabs.robot.toml").first.click()
            until_checked(studio.page)
            label = "Gravity x" if studio is first else "Gravity y"
            type_cell(studio.page, label, value)
        first.page.keyboard.press("Control+s")
        expect(first.page.get_by_text("Saved to tabs.robot.toml.")).to_be_visible()
        expect(second.page.get_by_text("was saved in another tab")).to_be_visible()
        second.page.keyboard.press("Control+s")
        expect(second.page.get_by_role("heading", name="has changed since you opened it")).to_be_visible()
        second.page.get_by_role("button", name="Keep both").click()
        expect(second.page.get_by_text("Saved to tabs-2.robot.toml.")).to_be_visible()
        nothing_went_wrong(first, server)
    assert "0.22" in (folder / "tabs-2.robot.toml").read_text("utf-8")


def test_links_are_clicked_in_the_picture(browser: Browser, server: StudioServer) -> None:
    """A pixel of each link is found by trying points of the picture; the click is a real one."""
    with opened_studio(browser, server) as studio:
        page = studio.page
        open_shipped(page, "five_bar")
        page.get_by_role("tab", name="Loops").click()
        idle(page)  # the screen listens to clicks, and the picture has its place
        places = page.evaluate(
            """() => {
              const { viewer } = rikigaku.studio;
              const box = viewer.canvas.getBoundingClientRect();
              const found = {};
              for (let x = box.left + 4; x < box.right; x += 6)
                for (let y = box.top + 4; y < box.bottom; y += 6) {
                  const body = viewer.picking.bodyAt(x, y);
                  if (body !== null) (found[viewer.state.robot.bodies[body]] ??= []).push([x, y]);
                }
              return found;
            }"""
        )
        names = sorted(set(places) - {"undefined"}, key=lambda name: -len(places[name]))[:2]
        for name, label in zip(names, ("From", "To"), strict=True):
            x, y = places[name][len(places[name]) // 2]
            page.mouse.click(x, y)
            expect(page.get_by_role("combobox", name=label, exact=True)).to_have_value(name)
        page.get_by_role("button", name="Find assembly modes").click()
        pictures = page.locator(".rk-modes button")
        expect(pictures).to_have_count(2)
        before = page.evaluate("() => rikigaku.studio.state.robot.q")
        pictures.nth(1).click()
        expect(pictures.nth(1)).to_have_attribute("aria-pressed", "true")
        until_checked(page)
        after = page.evaluate("() => rikigaku.studio.state.robot.q")
        assert max(abs(a - b) for a, b in zip(before, after, strict=True)) > 0.1
        nothing_went_wrong(studio, server)


def test_the_page_speaks_japanese_and_keeps_that(browser: Browser, server: StudioServer) -> None:
    with opened_studio(browser, server) as studio:
        page = studio.page
        page.get_by_role("combobox", name="Language").select_option("ja")
        expect(page.get_by_role("tab", name="開始")).to_be_visible()
        page.reload()
        expect(page.get_by_role("tab", name="開始")).to_be_visible()
        assert page.evaluate("() => document.documentElement.lang") == "ja"
        nothing_went_wrong(studio, server)


def test_screens_are_reached_by_keyboard(browser: Browser, server: StudioServer) -> None:
    with opened_studio(browser, server) as studio:
        page = studio.page
        page.locator(".rk-kind", has_text="Serial").focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("tab", name="Structure")).to_have_attribute("aria-selected", "true")
        page.keyboard.press("Alt+3")
        expect(page.get_by_role("tab", name="Inertia")).to_have_attribute("aria-selected", "true")
        page.get_by_role("tab", name="Inertia").focus()
        page.keyboard.press("ArrowRight")
        expect(page.get_by_role("tab", name="Loops")).to_be_focused()
        page.keyboard.press("Alt+2")
        page.get_by_role("textbox", name="l1: a", exact=True).focus()
        page.keyboard.type("0.5")
        page.keyboard.press("Enter")
        settled(page)
        expect(page.get_by_role("textbox", name="l1: a", exact=True)).to_have_value("0.5")
        nothing_went_wrong(studio, server)


def test_names_like_html_stay_text(browser: Browser, server: StudioServer) -> None:
    with opened_studio(browser, server) as studio:
        page = studio.page
        page.get_by_role("textbox", name="Name", exact=True).fill("<img src=x onerror=alert(1)>")
        new_robot(page, "Serial")
        expect(page.get_by_role("textbox", name="Name of the robot")).to_have_value(
            "<img src=x onerror=alert(1)>"
        )
        until_checked(page)
        type_cell(page, "l1: Joint", "<script>alert(1)</script>")
        until_checked(page)
        idle(page)
        assert page.locator("img[src=x]").count() == 0
        assert page.locator("#rk-studio script").count() == 0
        nothing_went_wrong(studio, server)


@pytest.mark.parametrize("name", ["UR5.urdf", "broken.urdf"])
def test_files_are_uploaded(name: str, browser: Browser, server: StudioServer, tmp_path: Path) -> None:
    import rikigaku as rk

    if name == "UR5.urdf":
        rk.load("ur5").save(tmp_path / name)
    else:
        (tmp_path / name).write_text("<robot")
    with opened_studio(browser, server) as studio:
        page = studio.page
        page.locator("input[type=file]").set_input_files(tmp_path / name)
        if name == "UR5.urdf":
            expect(page.get_by_role("tab", name="Structure")).to_have_attribute("aria-selected", "true")
            page.wait_for_selector("canvas.rk-canvas")
        else:
            expect(page.locator(".rk-message")).to_contain_text("broken")
        nothing_went_wrong(studio, server)


def test_a_start_file_that_cannot_be_read_is_named(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "bad.urdf").write_text("<robot")
    with served(tmp_path, start="bad.urdf") as server, opened_studio(browser, server) as studio:
        page = studio.page
        expect(page.locator(".rk-message")).to_contain_text("bad.urdf")
        expect(page.locator(".rk-offline")).to_have_count(0)
        open_shipped(page, "planar_2r")
        nothing_went_wrong(studio, server)


DELAY = """() => { const own = rikigaku.studio.connection.received.bind(rikigaku.studio.connection);
    rikigaku.studio.connection.received = (message) => setTimeout(() => own(message), 400); }"""


def test_replies_leave_alone_what_is_typed_meanwhile(browser: Browser, server: StudioServer) -> None:
    with opened_studio(browser, server) as studio:
        page = studio.page
        new_robot(page, "Serial")
        cell = page.get_by_role("textbox", name="l1: a", exact=True)
        page.evaluate(DELAY)
        cell.fill("0.1")
        page.keyboard.press("Tab")
        cell.fill("0.25")  # the first is not answered yet
        page.wait_for_function("() => rikigaku.studio.document.cells.links[0].geometry.a === '0.1'")
        idle(page)
        expect(cell).to_have_value("0.25")
        page.keyboard.press("Tab")
        page.wait_for_function("() => rikigaku.studio.document.cells.links[0].geometry.a === '0.25'")
        expect(cell).to_have_value("0.25")
        nothing_went_wrong(studio, server)


def test_a_mass_is_typed_into_a_massless_link(browser: Browser, server: StudioServer) -> None:
    with opened_studio(browser, server) as studio:
        page = studio.page
        new_robot(page, "Serial")
        page.get_by_role("tab", name="Inertia").click()
        type_cell(page, "l1: m", "2.5")
        expect(page.get_by_role("textbox", name="l1: Izz")).to_have_value("0")
        until_checked(page)
        assert page.evaluate("() => rikigaku.studio.checked.mistakes.length") == 0
        layer = page.get_by_role("button", name="centres of mass")
        expect(layer).to_have_attribute("aria-pressed", "true")
        page.get_by_role("tab", name="Pose").click()
        expect(layer).to_have_attribute("aria-pressed", "false")
        nothing_went_wrong(studio, server)


def test_pictures_give_their_contexts_back(browser: Browser, server: StudioServer) -> None:
    """Browsers keep 16 contexts of WebGL and warn beyond: the console would have it."""
    with opened_studio(browser, server) as studio:
        page = studio.page
        open_shipped(page, "planar_2r")
        for _ in range(20):
            for screen in ("Start", "Structure"):
                page.get_by_role("tab", name=screen).click()
                expect(page.locator("canvas.rk-canvas")).to_have_count(int(screen == "Structure"))
        nothing_went_wrong(studio, server)
