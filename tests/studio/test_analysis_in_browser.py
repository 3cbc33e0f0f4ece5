"""Screens of analysis in a real browser: constraints, base parameters, motion, terms, branches, papers."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from studio_page import (
    idle,
    nothing_went_wrong,
    open_shipped,
    opened_studio,
    type_cell,
    type_papers_robot,
    until_checked,
)

from rikigaku import library
from rikigaku.formats.toml.toml_file import parse_toml
from rikigaku.studio.server import StudioServer


def show(page: Page, screen: str) -> None:
    page.get_by_role("tab", name=screen, exact=True).click()


def drag_hand(page: Page, dx: float, dy: float) -> dict[str, Any]:
    """Drag the first handle with the mouse in twelve steps; the largest closure residual on the way."""
    idle(page)
    place = page.evaluate(
        "() => { const v = rikigaku.studio.viewer;"
        " return v.handlePlace(v.state.robot.frames.findIndex((frame) => frame.law)); }"
    )
    before = page.evaluate("() => [...rikigaku.studio.state.q]")
    page.mouse.move(place["x"], place["y"])
    page.mouse.down()
    largest = 0.0
    for k in range(1, 13):
        page.mouse.move(place["x"] + dx * k / 12, place["y"] + dy * k / 12)
        residual = page.evaluate(
            "() => { const s = rikigaku.studio.state; return s.loops.largestResidual(s.q); }"
        )
        largest = max(largest, residual)
    page.mouse.up()
    after = page.evaluate("() => [...rikigaku.studio.state.q]")
    return {"residual": largest, "moved": max(abs(a - b) for a, b in zip(before, after, strict=True))}


def test_the_papers_closed_robot_is_typed_in_from_nothing_analysed_and_simulated(
    browser: Browser, server: StudioServer, folder: Path
) -> None:
    with opened_studio(browser, server) as studio:
        page = studio.page
        type_papers_robot(page)
        expect(page.locator("#rk-mobility dd").first).to_have_text("3")
        expect(page.locator("canvas.rk-canvas")).to_be_visible()
        page.keyboard.press("Control+s")
        page.get_by_role("textbox", name="File name").fill("typed.robot.toml")
        page.keyboard.press("Enter")
        expect(page.get_by_text("Saved to typed.robot.toml.")).to_be_visible()
        robot = parse_toml((folder / "typed.robot.toml").read_text("utf-8"))
        wanted = parse_toml(library.path("rosam_loop").read_text("utf-8"))
        for field in ("name", "gravity", "links", "frames", "loops", "independent"):
            assert getattr(robot, field) == getattr(wanted, field), field
        constraints = page.locator("#rk-constraints > .rk-line")
        expect(constraints).to_have_count(2)
        solved = page.locator("#rk-constraints details .rk-line .katex")  # theta12 and d22, folded
        expect(solved).to_have_count(2)
        expect(constraints.first.locator(".katex")).to_be_visible()  # rendered after the line is there
        assert "θ11" in constraints.first.inner_text().replace("\n", "").replace(" ", "").replace("​", "")
        show(page, "Base parameters")
        expect(page.locator("#rk-base-count")).to_have_text("10")
        show(page, "Simulate")
        page.get_by_role("textbox", name="tau_theta11").fill("0.05*cos(3*t)")
        page.get_by_role("textbox", name="tau_d21").fill("0.3*sin(2*t) - d21_dot")
        page.get_by_role("checkbox", name="take typical values").check()
        page.get_by_role("button", name="Run", exact=True).click()
        expect(page.get_by_text("done", exact=True)).to_be_visible()
        assert float(page.locator("[data-residual]").get_attribute("data-residual") or 1) < 1e-9
        assert float(page.locator("[data-relative]").get_attribute("data-relative") or 1) < 1e-7
        expect(page.locator(".rk-plot")).not_to_have_count(0)
        nothing_went_wrong(studio, server)


def test_a_motion_plays_without_a_message_for_each_frame(browser: Browser, server: StudioServer) -> None:
    with opened_studio(browser, server) as studio:
        page = studio.page
        open_shipped(page, "planar_3r")
        show(page, "Simulate")
        page.get_by_role("textbox", name="Duration [s]").fill("1")
        page.get_by_role("button", name="Run", exact=True).click()
        scrub = page.get_by_role("slider", name="time [s]")
        at_its_end = """() => { const own = document.querySelector(".rk-scrub input");
            return own && Number(own.value) === Number(own.max); }"""
        page.wait_for_function(at_its_end)  # it plays at once
        play = page.get_by_role("button", name="Play", exact=True)
        expect(play).to_be_visible()
        scrub.fill("0")
        idle(page)
        page.evaluate(
            "() => { const own = WebSocket.prototype.send; window.sent = 0;"
            " WebSocket.prototype.send = function (x) { window.sent += 1; return own.call(this, x); }; }"
        )
        first = page.evaluate("() => [...rikigaku.studio.state.q]")
        play.click()
        page.wait_for_function(at_its_end)
        expect(play).to_be_visible()
        assert page.evaluate("() => rikigaku.studio.state.q[0]") != first[0]
        assert page.evaluate("() => window.sent") == 0
        scrub.fill("0")
        assert page.evaluate("() => rikigaku.studio.state.q[0]") == first[0]
        scrub.fill("0.5")
        assert page.evaluate("() => rikigaku.studio.state.q[0]") != first[0]
        nothing_went_wrong(studio, server)


def test_contacts_events_and_a_wrong_formula(browser: Browser, server: StudioServer) -> None:
    with opened_studio(browser, server) as studio:
        page = studio.page
        open_shipped(page, "planar_3r")
        show(page, "Simulate")
        page.get_by_role("textbox", name="tau_q1").fill("3*sin(")
        page.get_by_role("button", name="Run", exact=True).click()
        expect(page.get_by_role("textbox", name="tau_q1")).to_have_attribute("aria-invalid", "true")
        page.get_by_role("textbox", name="tau_q1").fill("-2*q1_dot")
        page.get_by_text("Contacts on surfaces: 0").click()
        page.get_by_role("button", name="Add a contact").click()
        page.get_by_role("textbox", name="Point [m] z").fill("-0.5")
        page.get_by_role("button", name="Run", exact=True).click()
        expect(page.get_by_text("done", exact=True)).to_be_visible()
        events = page.locator(".rk-events li button")
        expect(events.first).to_contain_text("hand")
        events.first.click()
        shown = float((events.first.locator(".rk-event-time").inner_text()).split()[0])
        page.wait_for_function(
            "t => Math.abs(Number(document.querySelector('.rk-scrub input').value) - t) < 1e-3", arg=shown
        )
        nothing_went_wrong(studio, server)


def test_a_long_computation_is_cancelled(
    browser: Browser, server: StudioServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = server.pool.run

    async def held(function: str, data: Any, **options: Any) -> Any:
        wanted = data.get("arguments", {}) if isinstance(data, dict) else {}
        if wanted.get("law") == "coriolis_matrix":  # the algebra would end while a slow page is clicked
            function, data = "time:sleep", 600
        return await run(function, data, **options)

    monkeypatch.setattr(server.pool, "run", held)
    with opened_studio(browser, server) as studio:
        page = studio.page
        open_shipped(page, "rx90")
        show(page, "Equations")
        page.get_by_role("button", name="Intermediate variables").click()
        page.get_by_label("Law").select_option("coriolis_matrix")
        page.get_by_role("button", name="By parameter").click()
        stop = page.get_by_role("button", name="Cancel")
        expect(stop).to_be_visible()
        stop.click()
        expect(page.get_by_text("Cancelled.")).to_be_visible()
        page.get_by_label("Law").select_option("gravity_forces")  # another worker answers
        expect(page.locator(".rk-equations h3")).to_have_text("Gravity forces")
        nothing_went_wrong(studio, server)


def test_of_long_formulas_only_what_is_in_sight_is_rendered(
    browser: Browser, server: StudioServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Thousands of terms: the page shows some of each element, renders those in sight, and stays usable."""
    run = server.pool.run

    async def longer(function: str, data: Any, **options: Any) -> Any:
        reply = await run(function, data, **options)
        if isinstance(data, dict) and data.get("task") == "equations":
            for element in reply["result"]["elements"]:
                element["terms"] = 200 * element["terms"][:1]
            reply["result"]["elements"] *= 8
        return reply

    monkeypatch.setattr(server.pool, "run", longer)
    with opened_studio(browser, server) as studio:
        page = studio.page
        open_shipped(page, "planar_2r")
        show(page, "Equations")
        page.wait_for_selector(".rk-term .katex")  # `expect` would describe the long page first
        idle(page)
        lines, terms = page.locator(".rk-terms"), page.locator(".rk-term")
        assert terms.count() == 60 * lines.count() > 1000
        last = terms.last
        assert last.locator(".katex").count() == 0
        assert last.text_content()  # the formula as text
        page.wait_for_function(  # lines above it get their height when they are passed
            """() => { const own = [...document.querySelectorAll(".rk-term")].at(-1);
            own.scrollIntoView(); return own.querySelector(".katex") !== null; }"""
        )
        lines.last.get_by_role("button", name="all 200 terms").click()
        page.wait_for_function(
            """() => { const line = [...document.querySelectorAll(".rk-terms")].at(-1);
            return line.querySelectorAll(".rk-term").length === 200; }"""
        )
        nothing_went_wrong(studio, server)


def test_a_click_on_a_term_highlights_its_link(browser: Browser, server: StudioServer) -> None:
    with opened_studio(browser, server) as studio:
        page = studio.page
        open_shipped(page, "planar_2r")
        show(page, "Equations")
        page.get_by_role("button", name="By parameter").click()
        idle(page)
        page.locator('.rk-term[data-links="link2"]').first.click()
        expect(page.locator(".rk-equations .rk-chip")).to_have_text("link2")
        body = page.evaluate("() => rikigaku.studio.state.robot.bodies.indexOf('link2')")
        page.wait_for_function(
            "(body) => rikigaku.studio.viewer.highlighted.join() === String(body)", arg=body
        )
        page.get_by_role("searchbox").fill("m1")
        expect(page.locator(".rk-term.rk-found").first).to_be_visible()
        assert all("m1" in (x.get_attribute("title") or "") for x in page.locator(".rk-found").all())
        nothing_went_wrong(studio, server)


def test_equations_of_a_closed_robot_open_with_its_laws_on_the_loop(
    browser: Browser, server: StudioServer
) -> None:
    with opened_studio(browser, server) as studio:
        page = studio.page
        open_shipped(page, "four_bar")
        show(page, "Equations")
        expect(page.get_by_label("Law")).to_have_value("reduced.mass_matrix")
        expect(page.locator(".rk-equations h3")).to_have_text("Mass matrix")
        page.wait_for_selector(".rk-equations .rk-textbook .katex")
        idle(page)
        titles = page.get_by_label("Law").locator("option").all_inner_texts()
        assert "Mass matrix (spanning tree)" in titles
        assert not [title for title in titles if "_" in title]
        nothing_went_wrong(studio, server)


def test_a_singularity_of_the_loops_is_named(browser: Browser, server: StudioServer) -> None:
    """The elbows of a five-bar linkage meet: its hand moves while both motors are locked."""
    with opened_studio(browser, server) as studio:
        page = studio.page
        open_shipped(page, "five_bar")
        show(page, "Pose")
        expect(page.locator(".rk-badge", has_text="regular")).to_be_visible()
        followers = page.locator(".rk-stage .rk-followers .rk-slider-name")  # dependent ones are listed, too
        expect(followers).to_have_count(2)
        expect(followers.first).to_be_visible()
        page.evaluate(
            """() => { const state = rikigaku.studio.state, names = state.robot.names.q;
            const [left, right] = ["left_motor", "right_motor"].map((name) => names.indexOf(name));
            const half = Math.asin(0.1 / 0.3), from = [state.q[left], state.q[right]];
            let q = state.q;
            for (let k = 1; k <= 20; k++) {
                const next = q.slice(), share = Math.min(k / 20, 1 - 1e-6);
                next[left] = from[0] + share * (Math.PI / 2 - half - from[0]);
                next[right] = from[1] + share * (Math.PI / 2 + half - from[1]);
                q = state.loops.close(next, [left, right]);
            }
            state.set(q); }"""
        )
        expect(page.get_by_text("the coordinates left_motor, right_motor no longer")).to_be_visible()
        nothing_went_wrong(studio, server)


@pytest.mark.parametrize("robot", ["five_bar", "stewart"])
def test_a_dragged_hand_keeps_the_loops_closed(browser: Browser, server: StudioServer, robot: str) -> None:
    with opened_studio(browser, server) as studio:
        page = studio.page
        open_shipped(page, robot)
        show(page, "Pose")
        found = drag_hand(page, 40, -30)
        assert found["moved"] > 1e-3
        assert found["residual"] < 1e-10
        nothing_went_wrong(studio, server)


def test_branches_are_ghosts_and_a_singular_configuration_is_found(
    browser: Browser, server: StudioServer
) -> None:
    with opened_studio(browser, server) as studio:
        page = studio.page
        open_shipped(page, "puma560")
        show(page, "Pose")
        page.evaluate("() => rikigaku.studio.state.set([0.3, 0.5, 0.2, 0.4, 0.7, 0.1])")
        page.get_by_role("checkbox", name="within the joint limits").uncheck()
        page.get_by_role("button", name="Show all branches").click()
        expect(page.locator(".rk-branches button")).to_have_count(8)
        place = "() => rikigaku.studio.state.framePlace(rikigaku.studio.state.robot.frames.length - 1)"
        before = page.evaluate(place)
        page.locator(".rk-branches button").nth(5).click()
        q = page.evaluate("() => [...rikigaku.studio.state.q]")
        assert max(abs(a - b) for a, b in zip(q, (0.3, 0.5, 0.2, 0.4, 0.7, 0.1), strict=True)) > 0.1
        assert page.evaluate(place) == pytest.approx(before, abs=1e-9)
        ghosts = "rikigaku.studio.viewer.ghosts.group.children.length"
        page.wait_for_function(f"() => {ghosts} > 0")
        page.evaluate("() => rikigaku.studio.state.move(0, 0.9)")  # these are branches of another pose
        expect(page.locator(".rk-branches button")).to_have_count(0)
        page.wait_for_function(f"() => {ghosts} === 0")
        page.get_by_role("button", name="go to a singular configuration").click()
        expect(page.get_by_text("singular", exact=True)).to_be_visible()
        nothing_went_wrong(studio, server)


def test_vibration_modes_move_and_files_are_exported(browser: Browser, server: StudioServer) -> None:
    with opened_studio(browser, server) as studio:
        page = studio.page
        open_shipped(page, "planar_2r")
        show(page, "Elastic")
        expect(page.locator(".rk-data tbody tr")).to_have_count(6)
        expect(page.get_by_role("button", name="Deflection under weight and load")).to_be_enabled()
        show(page, "Export")
        page.get_by_role("button", name="Write").first.click()
        expect(page.locator(".rk-code").first).to_contain_text("inverse_dynamics")
        page.keyboard.press("Control+s")
        page.get_by_role("dialog").get_by_role("textbox").fill("exported")
        page.keyboard.press("Enter")
        expect(page.get_by_text("Saved to exported.robot.toml.")).to_be_visible()
        until_checked(page)
        expect(page.locator(".rk-code").first).to_contain_text("inverse_dynamics")
        with page.expect_download() as download:
            page.get_by_role("button", name="Download").first.click()
        assert download.value.suggested_filename == "inverse_dynamics.c"
        page.get_by_role("button", name="Store in the workspace").first.click()
        expect(page.get_by_text("Stored as inverse_dynamics.c.")).to_be_visible()
        assert (server.workspace.folder / "inverse_dynamics.c").is_file()
        nothing_went_wrong(studio, server)


def test_a_paper_is_shown_without_a_robot_and_in_japanese(browser: Browser, server: StudioServer) -> None:
    with opened_studio(browser, server) as studio:
        page = studio.page
        show(page, "Papers")
        page.get_by_role("button", name="10 s, 1:1").click()
        expect(page.locator(".rk-study .rk-plot")).to_have_count(2)
        expect(page.locator("canvas.rk-canvas")).to_be_visible()
        page.get_by_label("Language").select_option("ja")
        expect(page.get_by_text("磯部大吾郎(筑波大学)")).to_be_visible()
        expect(page.locator(".rk-study .u-title").first).to_contain_text("モータのトルク")
        nothing_went_wrong(studio, server)


def test_an_edit_reaches_picture_and_formula(browser: Browser, server: StudioServer) -> None:
    with opened_studio(browser, server) as studio:
        page = studio.page
        open_shipped(page, "puma560")
        type_cell(page, "link3: a", "0.5")
        show(page, "Equations")
        page.get_by_label("Law").select_option("jacobian")
        expect(page.locator('.rk-term[title*="0.5"]').first).to_be_visible()
        nothing_went_wrong(studio, server)
