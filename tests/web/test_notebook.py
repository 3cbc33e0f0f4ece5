"""Robots in notebooks: the widget, what is shown without it, the example executed and live in JupyterLab."""

import base64
import io
import json
import subprocess
import sys
import warnings
from pathlib import Path

import nbformat
import numpy as np
import pytest
from browser_page import chromium
from nbclient import NotebookClient
from nbconvert import HTMLExporter
from notebook_server import jupyter_lab
from PIL import Image
from playwright.sync_api import expect
from traitlets.config import Config

import rikigaku as rk
from rikigaku.core.errors import RikigakuError, WrongSize, WrongValue
from rikigaku.plotting import default_configuration

EXAMPLE = Path(__file__).parents[2] / "examples" / "live_model.ipynb"
ARM = rk.load("planar_2r")
OFFLINE = ["text/html", "image/png", "text/plain"]  # of docs/notebook.md
WIDGET = "application/vnd.jupyter.widget-view+json"


def test_q_of_a_view_is_checked_and_sent() -> None:
    view = ARM.view([0.3, 0.4])
    view.q = [1.0, 2]
    assert view.get_state()["q"] == [1.0, 2.0]
    with pytest.raises(WrongSize, match="planar_2r"):
        view.q = [1.0]
    with pytest.raises(ValueError, match="read-only"):
        view.q[0] = 3.0
    seen = []
    view.observe(lambda change: seen.append(change["new"]), "q")
    view.set_state({"q": [0.5, 0.6]})  # as a message of the page does
    np.testing.assert_array_equal(view.q, [0.5, 0.6])
    assert len(seen) == 1
    assert json.loads(json.dumps(view.document, allow_nan=False))["name"] == "planar_2r"


def test_several_configurations_are_ghosts_with_names() -> None:
    rows = np.random.default_rng(0).normal(size=(200, 2))
    (ghosts,) = ARM.view(rows).document["ghosts"]
    assert len(ghosts["positions"]) == 64
    assert (ghosts["names"][0], ghosts["names"][-1]) == ("1", "200")
    (ghosts,) = ARM.view(rows[:2], names=["up", "down"]).document["ghosts"]
    assert ghosts["names"] == ["up", "down"]
    np.testing.assert_array_equal(ghosts["positions"], rows[:2])


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"q": [1, 2, 3]}, WrongSize, "shape"),
        ({"q": np.zeros((0, 2))}, WrongSize, "none was given"),
        ({"q": [[0, 0], [1, 1]], "names": ["a"]}, WrongSize, "2 configurations"),
        ({"height": 3}, WrongValue, "100"),
        ({"language": "fr"}, WrongValue, "en, ja"),
        ({"surfaces": ["z"]}, WrongValue, "Plane"),
    ],
)
def test_wrong_options_of_a_view_are_named(options: dict, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        ARM.view(**options)


def test_surfaces_and_motions_are_in_the_document() -> None:
    assert len(ARM.view(surfaces=[rk.Plane(), rk.Sphere(0.2)]).document["surfaces"]) == 2
    fall = rk.simulate(ARM, [0.3, 0.4], [0.0, 0.0], duration=0.5)
    (motion,) = fall.animate(speed=2.0, rate=30).document["motions"]
    assert motion["times"][-1] == pytest.approx(0.25)
    np.testing.assert_allclose(motion["positions"][-1], fall.q[-1])


def test_a_robot_shows_itself_live_and_as_picture_and_table() -> None:
    bundle = ARM._repr_mimebundle_()
    assert WIDGET in bundle
    assert "data:image/png;base64," in bundle["text/html"]
    assert "<table" in bundle["text/html"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loop = rk.load("rosam_loop")  # symbols without a value place its links
    assert "<table" in loop._repr_mimebundle_()["text/html"]


def still_pixels(view: object) -> np.ndarray:
    """The picture of a view for pages without widgets, (rows, columns, 4)."""
    bundle = view._repr_mimebundle_()
    assert WIDGET in bundle
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(bundle["image/png"]))))


def test_each_view_has_a_still_picture_at_its_configuration() -> None:
    view = ARM.view([0.3, 0.4])
    first = still_pixels(view)
    view.q = [1.3, -0.7]
    assert not np.array_equal(still_pixels(view), first)  # drawn when it is shown
    one, two, five = (
        still_pixels(ARM.view(np.tile([[0.3], [0.5]], (1, 2))[np.zeros(k, int)])) for k in (1, 2, 5)
    )
    assert two.shape[1] < one.shape[1]
    half = two.shape[1] // 2
    np.testing.assert_array_equal(two[40:, :half], two[40:, half:])  # one camera, each in its own place
    assert five.shape[:2] == (2 * two.shape[0], 2 * two.shape[1])  # four in a row
    fall = rk.simulate(ARM, [0.3, 0.4], [0.0, 0.0], duration=0.5)
    stills = still_pixels(fall.animate())
    width = stills.shape[1] // 4
    assert not np.array_equal(stills[:, :width], stills[:, -width:])  # the arm has moved
    flexible = ARM.fem().elastic(elements=2)
    modes = flexible.modes([0.3, 0.4], count=3)
    assert (
        still_pixels(modes.view()).shape[0]
        > still_pixels(ARM.fem().elastic().deflection([0.3, 0.4]).view()).shape[0]
    )


def test_without_anywidget_the_picture_stays_and_the_error_names_the_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("rikigaku.web.notebook.find_spec", lambda name: None)
    bundle = ARM._repr_mimebundle_()
    assert WIDGET not in bundle
    assert "data:image/png;base64," in bundle["text/html"]
    with pytest.raises(RikigakuError, match=r"pip install 'rikigaku\[notebook\]'"):
        ARM.view()


def test_neither_the_package_nor_a_robot_imports_the_widgets() -> None:
    script = "import sys, rikigaku as rk; rk.load('planar_2r').neutral(); "
    script += "print([x for x in ('anywidget', 'ipywidgets', 'rikigaku.web') if x in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_example_runs_and_its_page_shows_pictures_offline() -> None:
    notebook = nbformat.read(EXAMPLE, as_version=4)
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    shown = [cell.outputs[-1].data for cell in notebook.cells if cell.cell_type == "code" and cell.outputs]
    assert [WIDGET in data for data in shown] == [True] * 5
    outputs = [one for cell in notebook.cells for one in cell.get("outputs", [])]
    assert not [one.text for one in outputs if one.output_type == "stream" and "compiling" in one.text]
    page = HTMLExporter(config=Config({"NbConvertBase": {"display_data_priority": OFFLINE}}))
    html, _ = page.from_notebook_node(notebook)
    assert html.count('src="data:image/png;base64,') == 5


# A text that Python sets from view.q after each change of it.
ECHO = """
import ipywidgets
echo = ipywidgets.Text("none")
view.observe(lambda change: setattr(echo, "value", f"{change['new'][FIRST]:.9f}"), "q")
echo
"""


def test_a_view_lives_in_jupyterlab(tmp_path: Path) -> None:
    stewart = rk.load("stewart")
    first = stewart.q_slices[stewart.closure().independent[0]].start
    notebook = nbformat.read(EXAMPLE, as_version=4)
    moving = notebook.cells[3]
    notebook.cells = [notebook.cells[1], nbformat.v4.new_code_cell(ECHO.replace("FIRST", str(first))), moving]
    nbformat.write(notebook, tmp_path / "live.ipynb")
    with jupyter_lab(tmp_path) as address, chromium() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 1000})
        page.set_default_timeout(180_000)
        foreign: list[str] = []
        page.on("request", lambda request: foreign.append(request.url))
        page.goto(address.format("live.ipynb"))
        page.wait_for_selector(".jp-Notebook .jp-CodeCell")
        page.evaluate("jupyterapp.shell.currentWidget.sessionContext.ready")
        page.evaluate("void jupyterapp.commands.execute('notebook:run-all-cells')")
        page.wait_for_selector("canvas.rk-canvas")
        # q that the last cell sets moves the picture and its sliders
        moved = stewart.assemble([0.74, 0.76, 0.72, 0.74, 0.76, 0.72], near=default_configuration(stewart))
        value = page.locator(".rk-slider output").first
        expect(value).to_have_text(f"{moved[first]:.3f} m", timeout=180_000)
        # a slider of the page moves q in Python
        slider = page.locator(".rk-slider input").first
        slider.focus()
        for _ in range(8):
            slider.press("ArrowRight")
        echo = page.locator(".widget-text input, .jupyter-widgets input[type=text]").first
        expect(echo).not_to_have_value("none", timeout=60_000)
        page.screenshot(path=tmp_path / "jupyterlab.png")
        wanted = float(slider.input_value())
        assert wanted > moved[first] + 1e-3
        expect(echo).to_have_value(f"{wanted:.9f}", timeout=60_000)
        local = ("http://127.0.0.1", "ws://127.0.0.1", "data:", "blob:")
        assert [url for url in foreign if not url.startswith(local)] == []
    assert (tmp_path / "jupyterlab.png").stat().st_size > 20_000
