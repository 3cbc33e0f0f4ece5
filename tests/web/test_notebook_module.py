"""The module of notebooks in a browser, with a model as kernels have it: q both ways, motions, ghosts."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from typing import Any

import numpy as np
from browser_page import COARSE, laid_out, watched
from playwright.sync_api import Browser, Page, expect

import rikigaku as rk

MODULE = (files("rikigaku.web") / "static" / "notebook.js").read_text("utf-8")
MOUNT = """async ([module, state]) => {
    const address = URL.createObjectURL(new Blob([module], { type: "text/javascript" }));
    const { default: widget } = await import(address);
    const listeners = {};
    window.sent = [];
    window.model = {
        get: name => state[name],
        set: (name, value) => { state[name] = value; (listeners["change:" + name] ?? []).forEach(f => f()); },
        save_changes: () => window.sent.push([...state.q]),
        on: (event, f) => (listeners[event] ??= []).push(f),
        off: (event, f) => { listeners[event] = listeners[event].filter(g => g !== f); },
    };
    window.end = widget.render({ model: window.model, el: document.getElementById("cell") });
}"""


@contextmanager
def cell(browser: Browser, view: Any, **options: Any) -> Iterator[Page]:
    """The view in a cell; errors of the console fail the test."""
    options = {"viewport": {"width": 1000, "height": 700}, "device_scale_factor": COARSE, **options}
    context = browser.new_context(**options)
    try:
        page = context.new_page()
        opened = watched(page)
        page.set_content("<button>outside</button><table><td>1</td></table><div id='cell'></div>")
        state = {name: view.get_state()[name] for name in ("document", "q", "height", "language")}
        page.evaluate(MOUNT, [MODULE, state])
        page.wait_for_selector("canvas.rk-canvas")
        laid_out(page)
        yield page
        assert opened.errors == []
        assert [url for url in opened.requests if not url.startswith(("blob:", "data:"))] == []
    finally:
        context.close()


def messages_sent(page: Page) -> None:
    """Until the timers that a change has started (60 ms) have ended: timers of a page end in their order."""
    page.evaluate("() => new Promise((done) => setTimeout(done, 200))")


def q_of(page: Page) -> np.ndarray:
    return np.array(page.evaluate("[...model.get('q')]"))


def test_q_moves_the_picture_and_follows_sliders(browser: Browser) -> None:
    five = rk.load("five_bar")
    start = five.assemble([0.3, 1.2])
    with cell(browser, five.view(start)) as page:
        moved = five.assemble([0.35, 1.15], near=start)
        page.evaluate("q => model.set('q', q)", list(moved))
        shown = page.locator(".rk-slider output").first
        expect(shown).to_have_text(f"{np.degrees(moved[0]):.1f}°")
        page.evaluate("() => { const now = performance.now(); performance.now = () => now; }")
        slider = page.locator(".rk-slider input").first
        slider.focus()
        slider.press("ArrowRight")
        page.wait_for_function("() => sent.length > 0")
        for _ in range(5):
            slider.press("ArrowRight")
        page.wait_for_function("q => model.get('q')[0] > q + 0.01", arg=moved[0])
        final = float(slider.input_value())  # messages follow the slider at a rate
        page.wait_for_function("q => Math.abs(sent.at(-1)[0] - q) < 1e-6", arg=final)
        assert np.abs(five.loop_residual(q_of(page))).max() < 1e-10
        last = page.evaluate("sent.at(-1)")
        page.evaluate("q => model.set('q', q)", page.evaluate("sent[0]"))  # a late echo of the kernel
        messages_sent(page)
        np.testing.assert_array_equal(page.evaluate("sent.at(-1)"), last)
        assert float(slider.input_value()) == final


def test_styles_stay_in_the_cell(browser: Browser) -> None:
    with cell(browser, rk.load("planar_2r").view()) as page:
        radius = "selector => getComputedStyle(document.querySelector(selector)).borderRadius"
        assert page.evaluate(radius, "button") == "0px"
        assert (
            page.locator("#cell .rk-bar button").first.evaluate("e => getComputedStyle(e).borderRadius")
            != "0px"
        )
        assert page.evaluate("document.body.className + document.documentElement.className") == ""
        assert page.evaluate("document.documentElement.lang") == ""


def test_a_motion_plays_without_a_message_a_frame(browser: Browser) -> None:
    arm = rk.load("planar_2r")
    fall = rk.simulate(arm, [0.3, 0.4], [0.0, 0.0], duration=0.6)
    with cell(browser, fall.animate()) as page:
        page.wait_for_function("q => Math.abs(model.get('q')[0] - q) < 1e-9", arg=fall.q[-1, 0])
        np.testing.assert_allclose(q_of(page), fall.q[-1], atol=1e-9)
        messages_sent(page)
        assert page.evaluate("sent.length") == 1


def test_buttons_choose_a_branch(browser: Browser) -> None:
    five = rk.load("five_bar")
    modes = five.assemble([0.3, 1.2], all=True)
    assert len(modes) == 2
    with cell(browser, five.view(modes, names=["up", "down"])) as page:
        page.get_by_role("button", name="down").click()
        page.wait_for_function("() => sent.length > 0")
        np.testing.assert_allclose(q_of(page), modes[1], atol=1e-12)


def test_vibration_modes_can_be_chosen(browser: Browser) -> None:
    five = rk.load("five_bar")
    modes = five.fem().elastic(elements=2).modes(five.assemble([0.3, 1.2]), count=3)
    with cell(browser, modes.view(language="ja")) as page:
        chosen = page.locator(".rk-vibration select")
        assert chosen.input_value() == "0"  # the first is shown at once
        assert chosen.locator("option").nth(2).inner_text() == f"2: {modes.frequencies[1]:.4g} Hz"
        chosen.select_option("1")
        page.get_by_role("button", name="一時停止").click()


def test_a_cell_ends_and_follows_the_theme(browser: Browser) -> None:
    with cell(browser, rk.load("planar_2r").view()) as page:
        text = "getComputedStyle(document.querySelector('#cell > div')).getPropertyValue('--rk-text')"
        light = page.evaluate(text)
        page.evaluate("document.body.dataset.jpThemeLight = 'false'")
        page.wait_for_function(f"light => {text} !== light", arg=light)
        page.evaluate("end()")
        assert page.locator("#cell > div").count() == 0
