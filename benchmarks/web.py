"""Section: pages in Chromium: size, first picture, script time of a frame, edits; WebAssembly beside C."""

import json
import subprocess
import tempfile
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import rikigaku as rk
from benchmarks.errors import BenchmarkError
from benchmarks.options import Options
from benchmarks.report import figure, table
from rikigaku.plotting import default_configuration
from rikigaku.report import html_report, report
from rikigaku.report.chromium import browser_arguments, browser_path
from rikigaku.web.model_document import SCHEMA, PageDocument
from rikigaku.web.page import page_html
from rikigaku.web.robot_document import robot_document

PAGES = ("puma560", "humanoid_32", "stewart")
ARM = "panda"
EDITED = "puma560"
CALLS = 100_000
FORMULA_SECONDS = 2.0  # for each search of formulas; longer ones are shown by their steps

# Every slider moves by steps; each step is a slider event, the closing of loops, and one drawn frame.
FRAMES = """async () => {
    const { state, viewer } = await rikigaku.live;
    const times = [];
    for (let round = 0; round < 12; round++)
        for (const k of state.sliders) {
            const begin = performance.now();
            state.move(k, state.q[k] + (round % 2 ? -0.01 : 0.01));
            viewer.draw();
            times.push(performance.now() - begin);
            if (times.length % 16 === 0) await new Promise(requestAnimationFrame);
        }
    return times;
}"""

# The best of nine rounds [ns a call].
LAW = """async ([q, v, a, calls]) => {
    const { state } = await rikigaku.live;
    const law = state.laws.law("inverse_dynamics");
    const given = { q, v, a, gravity: state.robot.gravity };
    const inputs = law.signature.inputs.map(({ name }) => Float64Array.from(given[name]));
    let best = Infinity;
    for (let round = 0; round < 9; round++) {
        const begin = performance.now();
        for (let k = 0; k < calls; k++) law(...inputs);
        best = Math.min(best, performance.now() - begin);
    }
    return { ns: 1e6 * best / calls, value: Array.from(law(...inputs)) };
}"""

# From an edit in the studio to its picture, and to the new formula beside it [ms].
EDITS = """async ([name, values]) => {
    const { studio } = rikigaku;
    const frame = () => new Promise(requestAnimationFrame);
    const until = async (holds) => {
        const begin = performance.now();
        while (!holds()) {
            if (performance.now() - begin > 60000) throw new Error(`not within 60 s: ${holds}`);
            await frame();
        }
    };
    const times = [];
    for (const value of values) {
        const place = studio.document.cells.links.findIndex((link) => link.name === name);
        const kind = studio.document.cells.links[place].geometry.kind;
        const begin = performance.now();
        const before = studio.document.revision;
        void studio.edit({ type: "set_value", path: ["link", place, kind, "a"], value });
        await until(() => studio.document.revision > before && studio.viewer?.state === studio.state
            && studio.checked?.revision === studio.document.revision);
        const picture = performance.now() - begin;
        await until(() => document.querySelector(`.rk-term[title*="${value}"]`));
        times.push([picture, performance.now() - begin]);
        await until(() => !studio.jobs.size && !studio.connection.waiting.size);  // the factored form
    }
    return times;
}"""

LOOP = """#include <stdio.h>
#include <time.h>
%s
int main(void) {
  double in[%d] = {%s}, out[%d], best = 1e300;
  for (int round = 0; round < 9; round++) {
    struct timespec begin, end;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    for (int k = 0; k < %d; k++) { law(%s, out); __asm__ volatile("" : : "g"(out), "g"(in) : "memory"); }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    double ns = ((end.tv_sec - begin.tv_sec) * 1e9 + (end.tv_nsec - begin.tv_nsec)) / %d;
    if (ns < best) best = ns;
  }
  printf("%%.17g", best);
  for (int k = 0; k < %d; k++) printf(" %%.17g", out[k]);
}
"""


def run(options: Options) -> dict[str, Any]:
    """Measures, prints two tables, and returns everything."""
    from playwright.sync_api import sync_playwright

    path = browser_path()
    if path is None:
        raise BenchmarkError("The section web needs Chromium: apt-get install chromium.")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=browser_arguments())
        pages = {name: _page(browser, _written(name, Path(folder))) for name in PAGES}
        law = _law(browser, Path(folder))
        edits = _edits(browser, Path(folder))
        browser.close()
    rows = [
        [name, figure(x["MB"], 2), figure(x["first_ms"]), figure(x["frame_ms"], 2), figure(x["most_ms"], 2)]
        for name, x in pages.items()
    ]
    heads = ("robot", "report [MB]", "first picture [ms]", "slider to picture [ms]", "slowest of 20 [ms]")
    print(table("live reports in Chromium: script time", heads, rows))
    rows = [[ARM, figure(law["wasm"]), figure(law["native"]), figure(law["wasm"] / law["native"], 2)]]
    print(table("inverse dynamics of one state", ("robot", "WebAssembly [ns]", "native [ns]", "ratio"), rows))
    edited = ("robot", "edit to picture [ms]", "edit to formula [ms]", "slowest [ms]")
    rows = [[EDITED, figure(edits["picture"]), figure(edits["formula"]), figure(edits["slowest"])]]
    print(table("studio: from an edited cell to picture and Jacobian", edited, rows))
    return {"pages": pages, "law": law, "edits": edits}


def _written(name: str, folder: Path) -> Path:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = rk.load(name)
        data = report(robot, default_configuration(robot), laws=[], time_limit=FORMULA_SECONDS)
    path = folder / f"{name}.html"
    path.write_text(html_report(data), "utf-8")
    return path


def _page(browser: Any, path: Path) -> dict[str, float]:
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    page.goto(path.as_uri())
    page.wait_for_selector("canvas.rk-canvas", timeout=120_000)
    paint = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
    page.wait_for_function(paint)
    first, times = page.evaluate(paint), page.evaluate(FRAMES)
    page.close()
    size = path.stat().st_size / 1e6
    most = np.percentile(times, 95)
    return {"MB": size, "first_ms": first, "frame_ms": float(np.median(times)), "most_ms": float(most)}


def _edits(browser: Any, folder: Path) -> dict[str, float]:
    """Medians over edits of a length of a 6R arm, by the clock: page, server and worker take part."""
    from rikigaku.studio.server import StudioServer
    from rikigaku.studio.workspace import Workspace

    server = StudioServer(Workspace(folder))
    ready = threading.Event()
    thread = threading.Thread(target=server.serve, args=(ready.set,), daemon=True)
    thread.start()
    ready.wait(60)
    try:
        page = browser.new_page(viewport={"width": 1200, "height": 900})
        page.set_default_timeout(120_000)
        page.goto(server.address)
        page.locator(".rk-gallery button", has_text=EDITED).first.click()
        page.wait_for_selector("canvas.rk-canvas")
        page.locator("#rk-tab-equations").click()
        page.get_by_label("Law").select_option("jacobian")
        page.wait_for_selector(".rk-term")
        times = np.array(page.evaluate(EDITS, ["link3", [f"0.{k}" for k in range(4311, 4320)]]))
        page.close()
    finally:
        server.stop()
        thread.join(30)
    picture, formula = np.median(times[1:], axis=0)  # the first edit finds a worker that has not begun
    return {"picture": float(picture), "formula": float(formula), "slowest": float(times.max())}


def _law(browser: Any, folder: Path) -> dict[str, float]:
    """One state of inverse dynamics: in the page, and as exported C by gcc -O2, one state at a time."""
    robot = rk.load(ARM)
    state = robot.random_state(0)
    inputs = [[float(x) for x in values] for values in (state.q, state.v, np.ones(robot.nv))]
    document = PageDocument(SCHEMA, "report", "en", robot_document(robot))
    path = folder / f"{ARM}.html"
    path.write_text(page_html(ARM, '<div id="rk-viewer"></div>', document), "utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("canvas.rk-canvas", timeout=120_000)
    wasm = page.evaluate(LAW, [*inputs, CALLS])
    page.close()
    ns, *value = _native(robot, inputs, folder)
    expected = robot.inverse_dynamics(*inputs)
    for who, found in (("WebAssembly", wasm["value"]), ("C", value)):
        if not np.allclose(found, expected, rtol=1e-11, atol=1e-11):
            raise BenchmarkError(f"{who} has other values: {json.dumps(found)}")
    return {"wasm": wasm["ns"], "native": ns}


def _native(robot: rk.Robot, inputs: list[list[float]], folder: Path) -> list[float]:
    code = robot.inverse_dynamics.export("c", name="law")
    n, flat = robot.nv, [repr(x) for row in inputs for x in row]
    call = ", ".join(f"in + {sum(len(row) for row in inputs[:k])}" for k in range(len(inputs)))
    text = LOOP % (code, len(flat), ", ".join(flat), n, CALLS, call, CALLS, n)
    (folder / "law.c").write_text(text, "utf-8")
    build = ["gcc", "-O2", "-march=native", "-ffp-contract=off", "law.c", "-lm", "-o", "law"]
    try:
        subprocess.run(build, cwd=folder, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise BenchmarkError(f"The section web needs gcc: {error}") from None
    done = subprocess.run([folder / "law"], capture_output=True, text=True, check=True)
    return [float(x) for x in done.stdout.split()]
