"""The live report in a real browser: it moves, stays closed, asks nobody, reads without scripts, prints."""

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser_page import OpenedPage, opened
from matplotlib import image
from playwright.sync_api import Browser
from written_reports import NAME, SOURCE, Reports

import rikigaku as rk
from rikigaku.report.pdf_file import write_pdf
from rikigaku.web.texts import texts as all_texts

TEXTS = all_texts()


def nothing_went_wrong(page: OpenedPage) -> None:
    assert not page.errors, page.errors
    assert [url for url in page.requests if not url.startswith(("file:", "data:", "blob:"))] == []
    assert len([url for url in page.requests if url.startswith("file:")]) == 1  # the page itself


@pytest.mark.parametrize("name", ["planar_2r", "puma560", "five_bar", "stewart", "humanoid_32"])
def test_reports_start_without_errors_and_ask_nobody(name: str, browser: Browser, written: Reports) -> None:
    with opened(browser, written[name]) as page:
        page.page.locator(
            "#law-pose"
        ).scroll_into_view_if_needed()  # formulas are rendered where they can be seen
        page.page.wait_for_selector("#law-pose .rk-textbook .katex")
        assert page.run("live => live.viewer !== null && live.state.moves")
        nothing_went_wrong(page)


def test_another_theme_leaves_labels_their_size(browser: Browser, written: Reports) -> None:
    """By its button, and by the scheme of the system."""
    heights = """({viewer}) => { const found = []; viewer.scene.traverse(object => {
        if (object.isSprite) found.push([object.id, object.scale.y, object.visible]); });
        return found; }"""
    with opened(browser, written["planar_2r"]) as page:
        before = page.run(heights)
        page.page.locator("#rk-theme").click()
        after = page.run(heights)
        page.page.emulate_media(color_scheme="dark")
        page.wait(f"live => ({heights})(live)[0][0] > {after[-1][0]}")  # labels of other colours
        last = page.run(heights)
        assert len(before) > 1
        assert before[0][0] != after[0][0]
        assert [x[1:] for x in before] == [x[1:] for x in after] == [x[1:] for x in last]
        nothing_went_wrong(page)


def test_a_page_that_wants_to_ask_is_refused(browser: Browser, written: Reports) -> None:
    with opened(browser, written["planar_2r"]) as page:
        refused = page.page.evaluate("fetch('https://example.org/').then(() => false, () => true)")
        assert refused
        assert any("Content Security Policy" in error for error in page.errors)


def test_a_slider_moves_the_robot_and_the_values(browser: Browser, written: Reports) -> None:
    with opened(browser, written["puma560"]) as page:
        slider = page.page.locator(".rk-slider input").nth(1)
        before = page.run("live => live.state.framePlace(live.state.robot.frames.length - 1)")
        table = page.page.locator("#law-mass_matrix table")
        value = table.locator("td").first.inner_text()
        slider.focus()
        for _ in range(30):
            slider.press("ArrowRight")
        q = np.array(page.run("live => Array.from(live.state.q)"))
        after = page.run("live => live.state.framePlace(live.state.robot.frames.length - 1)")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            robot = rk.load("puma560")
        frame = page.run("live => live.state.robot.frames.at(-1).name")
        np.testing.assert_allclose(after, robot.pose(q, frame)[:3, 3], atol=1e-12)
        assert np.linalg.norm(np.subtract(after, before)) > 0.01
        table.scroll_into_view_if_needed()  # values are computed where they can be seen
        cells = "old => document.querySelector('#law-mass_matrix td').innerText !== old"
        page.page.wait_for_function(cells, arg=value)
        shown = [float(x) for x in page.page.locator("#law-mass_matrix td").all_inner_texts()]
        np.testing.assert_allclose(shown, robot.mass_matrix(q).ravel(), rtol=1e-4, atol=1e-12)
        nothing_went_wrong(page)


def test_branches_of_inverse_kinematics_follow_the_sliders(browser: Browser, written: Reports) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = rk.load("puma560")
    with opened(browser, written["puma560"]) as page:
        page.page.get_by_role("button", name=TEXTS["en"]["ik.ghosts"]).click()
        holder = page.page.locator("[data-branches]")
        holder.scroll_into_view_if_needed()
        page.run("live => live.state.set([0.4, -0.9, 1.2, 0.3, 0.8, -0.5])")  # no wrist singularity
        slider = page.page.locator(".rk-slider input").nth(2)
        slider.focus()
        for _ in range(20):
            slider.press("ArrowRight")
        holder.scroll_into_view_if_needed()
        page.wait(  # the configuration shown is among them
            """({state}) => [...document.querySelectorAll("[data-branches] tbody tr")].some((row) =>
                state.q.every((x, k) => Math.cos(Number(row.cells[k + 1].innerText) - x) > 1 - 1e-8))"""
        )
        q = np.array(page.run("live => Array.from(live.state.q)"))
        rows = [row.split()[1:] for row in holder.locator("tbody tr").all_inner_texts()]
        found = np.array(rows, dtype=float)
        expected = robot.inverse_kinematics(robot.pose(q, "link6"), "link6", all=True, limits=False).q
        assert len(found) == len(expected) == 8
        np.testing.assert_allclose(
            robot.pose(found, "link6"), robot.pose(q, "link6")[None].repeat(8, 0), atol=1e-4
        )
        sizes = np.linalg.svd(robot.jacobian(q, "flange"), compute_uv=False)
        isotropy = sizes[-1] / sizes[0]
        page.page.wait_for_function(
            "x => Math.abs(Number(document.querySelector('[data-singularity]').innerText) / x - 1) < 1e-4",
            arg=float(isotropy),
        )
        bodies = 7 * page.run("live => live.viewer.shapes.size - live.viewer.shapes.has(-1)")
        page.wait(f"live => live.viewer.ghosts.group.children.length === {bodies}")
        page.page.locator(".rk-branches button").nth(3).click()
        chosen = np.array(page.run("live => Array.from(live.state.q)"))
        np.testing.assert_allclose(robot.pose(chosen, "link6"), robot.pose(q, "link6"), atol=1e-9)
        assert np.abs(np.sin((chosen - q) / 2)).max() > 0.1
        nothing_went_wrong(page)


@pytest.mark.parametrize(("name", "shift"), [("five_bar", (60, 40)), ("stewart", (50, -40))])
def test_dragging_keeps_loops_closed(
    name: str, shift: tuple[int, int], browser: Browser, written: Reports
) -> None:
    with opened(browser, written[name]) as page:
        frame = page.run("live => live.state.robot.frames.findIndex(own => own.law !== '')")
        place = page.run("(live, frame) => live.viewer.handlePlace(frame)", frame)
        before = np.array(page.run("live => Array.from(live.state.q)"))
        mouse = page.page.mouse
        mouse.move(place["x"], place["y"])
        mouse.down()
        for k in range(1, 13):
            mouse.move(place["x"] + shift[0] * k / 12, place["y"] + shift[1] * k / 12)
            assert page.run("live => live.state.loops.largestResidual(live.state.q)") < 1e-10
        mouse.up()
        q = np.array(page.run("live => Array.from(live.state.q)"))
        assert np.abs(q - before).max() > 0.02
        assert np.abs(rk.load(name).loop_residual(q)).max() < 1e-10  # by the native kernel
        now = page.run("(live, frame) => live.viewer.handlePlace(frame)", frame)
        assert np.hypot(now["x"] - place["x"] - shift[0], now["y"] - place["y"] - shift[1]) < 12
        nothing_went_wrong(page)


def test_the_keyboard_moves_a_hand(browser: Browser, written: Reports) -> None:
    with opened(browser, written["five_bar"]) as page:
        page.page.locator("canvas.rk-canvas").focus()
        before = np.array(
            page.run("live => live.state.framePlace(live.state.robot.frames.findIndex(f => f.law))")
        )
        page.page.keyboard.press("h")
        for _ in range(6):
            page.page.keyboard.press("ArrowRight")
        after = page.run("live => live.state.framePlace(live.state.robot.frames.findIndex(f => f.law))")
        assert np.linalg.norm(after - before) > 0.01
        assert page.run("live => live.state.loops.largestResidual(live.state.q)") < 1e-10


def test_touch_drags_a_hand(browser: Browser, written: Reports) -> None:
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    with opened(browser, written["planar_2r"], **phone) as page:
        frame = page.run("live => live.state.robot.frames.findIndex(own => own.law !== '')")
        place = page.run("(live, frame) => live.viewer.handlePlace(frame)", frame)
        before = np.array(page.run("live => Array.from(live.state.q)"))
        client = page.page.context.new_cdp_session(page.page)
        for k, kind in enumerate(["touchStart", *["touchMove"] * 8]):
            points = [{"x": place["x"] - 6 * k, "y": place["y"] + 4 * k}]
            client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        far = "(q, k) => Math.abs(q - before[k]) > 0.02"
        page.wait(f"({{state}}) => {{ const before = {before.tolist()}; return state.q.some({far}); }}")


RECORDED_LINES = """() => { window.heights = [];
    const line = Path2D.prototype.lineTo;
    Path2D.prototype.lineTo = function (x, y) { heights.push(y); line.call(this, x, y); }; }"""
COVERED = """() => { const box = (own) => own.getBoundingClientRect();
    const film = box(document.querySelector('.rk-film'));
    return [...document.querySelectorAll('.rk-plot')].map(box).filter((own) =>
        own.left < film.right && film.left < own.right &&
        own.top < film.bottom && film.top < own.bottom).length; }"""


def test_a_simulation_runs_plays_and_names_a_mistake(browser: Browser, written: Reports) -> None:
    with opened(browser, written["planar_2r"]) as page:
        force = page.page.locator(".rk-force input[type=text]").first
        force.fill("2 * sin(")
        page.page.locator("button.rk-primary").click()
        page.page.wait_for_selector(".rk-force .rk-problem")
        assert force.get_attribute("aria-invalid") == "true"
        force.fill("2*sin(3*t)")
        page.page.evaluate(RECORDED_LINES)
        page.page.locator("button.rk-primary").click()
        page.page.wait_for_selector(".rk-plot .uplot")
        assert page.page.locator(".rk-plot").count() == 3
        assert page.page.locator(".rk-force .rk-problem").count() == 0
        heights = page.page.evaluate("() => heights")
        assert sum(y != round(y) for y in heights) > len(heights) / 2  # curves lie between pixels
        page.page.locator(".rk-plot").last.scroll_into_view_if_needed()
        page.page.wait_for_function("() => document.querySelector('.rk-film #rk-viewer')")
        assert page.page.evaluate(COVERED) == 0  # plots that the picture beside them covers
        page.page.locator("h1").scroll_into_view_if_needed()
        page.page.wait_for_function("() => document.querySelector('.rk-place #rk-viewer')")
        page.wait("({state}) => state.q.some((x, k) => Math.abs(x - state.robot.q[k]) > 0.01)")
        nothing_went_wrong(page)


def test_a_recorded_motion_is_played_back(browser: Browser, written: Reports) -> None:
    with opened(browser, written["planar_2r"]) as page:
        page.page.get_by_role("button", name="fall").click()
        page.page.wait_for_selector(".rk-plot .uplot")
        page.wait("({state}) => !state.playing && state.q[0] === state.robot.motions[0].positions.at(-1)[0]")
        fall = rk.simulate(rk.load("planar_2r"), [0.3, 0.4], [0.0, 0.0], duration=0.5)
        np.testing.assert_allclose(page.run("live => Array.from(live.state.q)"), fall.q[-1], atol=1e-9)
        nothing_went_wrong(page)


def test_the_language_changes_in_the_whole_page(browser: Browser, written: Reports) -> None:
    with opened(browser, written["five_bar"]) as page:
        page.page.get_by_role("button", name="日本語").click()
        assert page.page.locator("#dynamics > h2").inner_text() == "動力学"
        assert "姿勢" in page.page.locator("#rk-controls h2").inner_text()
        assert page.page.evaluate("document.documentElement.lang") == "ja"
        untranslated = page.page.evaluate(
            "[...document.querySelectorAll('[data-text]')].filter(e => !/[぀-ヿ一-鿿]/.test(e.textContent))"
            ".map(e => e.dataset.text)"
        )
        assert untranslated == []


@pytest.mark.parametrize("name", ["five_bar", "puma560"])
def test_no_english_sentence_is_left_in_japanese(name: str, browser: Browser, written: Reports) -> None:
    """Three English words in a row, outside formulas, code, names of the robot and its source."""
    script = """() => {
        for (const own of document.querySelectorAll('details')) own.open = true;
        const skipped = 'code, pre, math, script, noscript, .katex, .rk-source, .rk-formula, .rk-copy';
        const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        const found = [];
        while (walk.nextNode()) {
            const { parentElement, textContent } = walk.currentNode;
            if (!parentElement.closest(skipped) && parentElement.offsetParent) found.push(textContent.trim());
        }
        return found; }"""
    with opened(browser, written[name]) as page:
        page.page.get_by_role("button", name="日本語").click()
        texts = page.page.evaluate(script)
        heads = page.page.locator(".rk-data th").all_inner_texts()
    assert len(texts) > 100
    sentence = re.compile(r"[A-Za-z]{2,}[,.;:]? [A-Za-z]{2,}[,.;:]? [A-Za-z]{2,}")
    english = [text for text in texts if sentence.search(text) and not re.search("[぀-ヿ一-鿿]", text)]
    assert english == []
    known = set(TEXTS["en"].values())
    assert [head for head in heads if head.partition(" [")[0] in known] == []


def test_no_formula_runs_past_its_card(browser: Browser, written: Reports) -> None:
    """On the screen a formula ends at its card or scrolls in it; on paper none is wider than the page."""
    past = """paper => { for (const own of document.querySelectorAll('details')) own.open = true;
        dispatchEvent(new Event('beforeprint'));
        const edge = document.querySelector('main').getBoundingClientRect().right + 1;
        const scrolls = own => own &&
            (/auto|scroll/.test(getComputedStyle(own).overflowX) || scrolls(own.parentElement));
        const right = own => Math.max(...[...own.querySelectorAll('.katex-base')].map(
            part => part.getBoundingClientRect().right));
        return [...document.querySelectorAll('.rk-rendered')].filter(
            own => own.getClientRects().length && right(own) > edge && (paper || !scrolls(own))).map(
            own => [own.dataset.latex.slice(0, 80), right(own), edge]); }"""
    with opened(browser, written["puma560"]) as page:
        assert page.page.evaluate(past, False) == []
        page.page.emulate_media(media="print")
        page.page.set_viewport_size({"width": 718, "height": 1000})  # A4 without its margins
        assert page.page.locator(".rk-rendered").count() > 60
        assert page.page.evaluate(past, True) == []


def test_names_of_a_robot_cannot_become_code(browser: Browser, written: Reports) -> None:
    with opened(browser, written["hostile"]) as page:
        page.page.get_by_role("button", name="日本語").click()
        assert page.page.locator("h1").inner_text() == NAME
        assert page.page.locator(".rk-source").inner_text() == SOURCE
        assert page.page.locator("img[src=x]").count() == 0
        nothing_went_wrong(page)  # a dialog would be a script of the robot's names


def test_mathml_says_what_katex_says(browser: Browser, written: Reports) -> None:
    """KaTeX is an independent reader of the same LaTeX: the letters of both must agree."""
    script = """() => [...document.querySelectorAll('[data-latex]')].map(e =>
        [e.dataset.latex, e.querySelector('math')?.textContent]).filter(([a, b]) => a && b)"""
    for name in ("puma560", "five_bar"):
        with opened(browser, written[name], java_script_enabled=False) as page:
            pairs = page.page.evaluate(script)
        assert len(pairs) > 40
        with opened(browser, written[name]) as page:
            theirs = page.page.evaluate(
                """latex => latex.map(x => { const span = document.createElement('span');
                rikigaku.katex.render(x, span, {output: 'mathml', throwOnError: true});
                span.querySelector('annotation').remove(); return span.textContent; })""",
                [latex for latex, _ in pairs],
            )
        for (latex, ours), other in zip(pairs, theirs, strict=True):
            assert _letters(ours) == _letters(other), latex


def _letters(text: str) -> str:
    """Without spaces, invisible operators and variants of one sign."""
    return (
        re.sub(r"[\s\u2061\u200b\u00a0]", "", text)
        .replace("ϕ", "φ")
        .replace("⋅", "⋅")
        .replace("˙", "˙")
        .replace("ˉ", "¯")
    )


def test_intermediate_variables_are_copied_as_latex(browser: Browser, written: Reports) -> None:
    """They stand once in the page: the button takes them from there, rendered or not."""
    with opened(browser, written["puma560"]) as page:
        page.page.evaluate(
            """() => { window.copied = []; Object.defineProperty(navigator, "clipboard", { value:
            { writeText: (text) => { window.copied.push(text); return Promise.resolve(); } } }); }"""
        )
        law = page.page.locator("article:has(.rk-copy[data-lines])").first
        lines = law.locator(".rk-steps .rk-line").count()
        button = law.locator(".rk-copy button", has_text="LaTeX")
        button.click()
        law.locator("details:has(> .rk-steps) > summary").click()
        law.locator(".rk-steps .katex").first.wait_for()
        law.locator(".rk-copy button").first.click()
        page.page.wait_for_function("() => window.copied.length === 2")
        before, after = page.page.evaluate("window.copied")
        assert before == after
        assert before.count("\n& ") >= lines > 10
        nothing_went_wrong(page)


def test_without_scripts_the_report_reads(browser: Browser, written: Reports) -> None:
    with opened(browser, written["puma560"], java_script_enabled=False) as page:
        assert page.page.locator("img.rk-picture").evaluate("image => image.naturalWidth") > 300
        assert page.page.locator("math").count() > 40
        box = page.page.locator("#law-pose math").first.bounding_box()
        assert box is not None
        assert box["width"] > 50
        assert "JavaScript is off" in page.page.locator("noscript").inner_text()
        assert page.page.locator("table.rk-data").count() > 4
        assert [url for url in page.requests if not url.startswith("data:")] == [written["puma560"].as_uri()]


def test_without_scripts_bars_stand_clear_of_their_letters(
    browser: Browser, written: Reports, tmp_path: Path
) -> None:
    options: dict[str, Any] = {"java_script_enabled": False, "device_scale_factor": 1}
    picture = tmp_path / "letter.png"
    with opened(browser, written["five_bar"], **options) as page:
        for letter in "Mhτ":
            barred = page.page.locator(
                f"math mover:has(> mi:text-is('{letter}')):has(> mo:text-is('¯'))"
            ).first
            barred.scroll_into_view_if_needed()
            box = barred.bounding_box()
            assert box is not None
            clip = {"x": box["x"], "y": box["y"] - 3, "width": box["width"], "height": box["height"] + 6}
            page.page.screenshot(path=picture, clip=clip)
            ink = image.imread(picture)[:, :, :3].min(axis=(1, 2)) < 0.7
            assert np.count_nonzero(np.diff(ink.astype(int)) == 1) == 2, letter  # the bar, then the letter


def test_events_of_a_slider_between_two_frames_are_drawn_once(browser: Browser, written: Reports) -> None:
    with opened(browser, written["stewart"]) as page:
        drawn = page.run(
            """async ({state, viewer}) => { const frame = () => new Promise(requestAnimationFrame);
            await frame(); await frame();
            const own = viewer.draw; let count = 0;
            viewer.draw = function () { count++; own.call(this); };
            const k = state.sliders[3]; const start = state.q[k];
            for (let i = 0; i < 30; i++) state.move(k, start + 0.03 * Math.sin(i / 5));
            await frame(); await frame();
            return count; }"""
        )
        assert drawn == 1


def test_sizes_of_reports_are_bounded(written: Reports) -> None:
    assert written["puma560"].stat().st_size < 3e6
    assert written["humanoid_32"].stat().st_size < 10e6


def test_a_report_prints_to_pdf(tmp_path: Path, written: Reports) -> None:
    write_pdf(written["planar_2r"], tmp_path / "report.pdf")
    data = (tmp_path / "report.pdf").read_bytes()
    assert data.startswith(b"%PDF-")
    assert len(data) > 50_000
