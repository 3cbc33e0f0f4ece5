"""Reports that tests of pages share: each is built once, when a test asks for it."""

import warnings
from pathlib import Path
from typing import Any

import rikigaku as rk
from rikigaku.plotting import default_configuration
from rikigaku.report import html_report, report
from rikigaku.report.report_data import Report
from rikigaku.web.beam_meshes import beam_mesh
from rikigaku.web.motions import recorded_motion

# For the algebra of one law: these robots are there to move, their formulas are too long in any time.
SECONDS = {"stewart": 0.1, "humanoid_32": 0.1}
# Names may hold neither < nor quotes; the source, a comment, may.
NAME, SOURCE = "a ${alert(1)} b", "</script><img src=x onerror=alert(1)>"
HOSTILE = f"""
schema = 1
name = "{NAME}"
source = "{SOURCE}"
[[link]]
name = "arm --"
parent = "base"
joint = {{ name = "__proto__", type = "revolute" }}
placement = {{}}
inertia = {{ about = "com", m = 1, com = [0.1, 0, 0], I = [0.1, 0, 0, 0.1, 0, 0.1] }}
[[frame]]
name = "constructor"
link = "arm --"
placement = {{ xyz = [0.3, 0, 0], rpy = [0, 0, 0] }}
"""


class Reports(dict[str, Path]):
    """Files of reports by the names of their robots, "hostile" among them."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder

    def __missing__(self, name: str) -> Path:
        self[name] = self.folder / f"{name}.html"
        self[name].write_text(html_report(_report(name, self.folder)), "utf-8")
        return self[name]


def _report(name: str, folder: Path) -> Report:
    source: str | Path = name
    if name == "hostile":
        source = folder / "hostile.robot.toml"
        source.write_text(HOSTILE, "utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = rk.load(source)
    q = default_configuration(robot)
    options: dict[str, Any] = {}
    if name == "planar_2r":
        fall = rk.simulate(robot, [0.3, 0.4], [0.0, 0.0], duration=0.5)
        options["motions"] = [recorded_motion(fall, "fall")]
    if name == "five_bar":
        modes = robot.fem().elastic(elements=2).modes(q, count=2)
        options |= {"beams": [beam_mesh(modes, "viewer.vibrationModes")], "warnings": ["A warning."]}
    laws = ["complete"] if robot.loops else ["mass_matrix"]
    return report(robot, q, time_limit=SECONDS.get(name, 2.0), laws=laws, **options)
