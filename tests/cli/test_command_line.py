"""The command `rikigaku`: what it prints, what it writes, how it fails."""

import base64
import hashlib
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import rikigaku as rk
from rikigaku.cli import main
from rikigaku.core.errors import RikigakuError, UnphysicalInertiaWarning
from rikigaku.library import NAMES, path

PENDULUM = """
schema = 1
name = "pendulum"
[symbols]
L = { unit = "m" }
[[link]]
name = "rod"
parent = "base"
joint = { name = "swing", type = "revolute" }
dh = { alpha = "pi/2", a = 0, theta = "q", d = 0 }
inertia = { about = "origin", m = "m", ms = ["m*L", 0, 0], I = [0, 0, 0, 0, 0, "m*L^2"] }
"""
POST = """
schema = 1
name = "post"
[[link]]
name = "post"
parent = "base"
joint = { name = "weld", type = "fixed" }
placement = { xyz = [0, 0, 1] }
inertia = { about = "com", m = 1, com = [0, 0, 0], I = [1, 0, 0, 1, 0, 1] }
"""
SATELLITE = POST.replace('"weld", type = "fixed"', '"drift", type = "free"').replace('"post"', '"satellite"')
BROKEN = PENDULUM.replace('"revolute"', '"revolut"').replace("pi/2", "pi/")


class Page(HTMLParser):
    """Tags in order, with attributes, and all text; fails where a tag is left open."""

    VOID = ("meta", "img", "br")

    def __init__(self, text):
        super().__init__()
        self.open, self.attributes, self.text = [], [], ""
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.attributes += [(tag, key, value) for key, value in attrs]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] not in (["script"], ["style"]):
            self.text += data


def written(folder, name, text):
    file = folder / name
    file.write_text(text)
    return str(file)


def report(robot, tmp_path):
    file = tmp_path / "report.html"
    assert main(["analyze", robot, "-o", str(file)]) == 0
    return Page(file.read_text("utf-8"))


def test_analyze_writes_a_report_and_says_where(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["analyze", "puma560"]) == 0
    out, err = capsys.readouterr()
    assert "report: report_puma560.html" in out
    assert "inertias no rigid body can have" in out
    assert "compiling" in err
    page = Page(Path("report_puma560.html").read_text("utf-8"))
    with pytest.warns(UnphysicalInertiaWarning):
        robot = rk.load("puma560")
    for word in ("inverse_dynamics", str(robot.mass_matrix.operations), "link6", "flange", "Armstrong"):
        assert word in page.text
    assert "this machine" in page.text


def test_the_report_names_no_address_and_allows_no_other_script(tmp_path):
    page = report("five_bar", tmp_path)
    tags = [tag for tag, _, _ in page.attributes]
    assert not {"link", "iframe", "object"} & set(tags)
    addresses = [value for _, key, value in page.attributes if key in ("src", "href")]
    pictures = [value for value in addresses if not value.startswith("#")]
    assert len(pictures) == 1
    assert pictures[0].startswith("data:image/png;base64,iVBOR")
    text = (tmp_path / "report.html").read_text("utf-8")
    style = text[text.index("<style>") : text.index("</style>")]
    assert "@import" not in style
    assert re.findall(r"url\((?!data:font/woff2)", style) == []
    assert "prefers-color-scheme:dark" in style.replace(" ", "")
    (policy,) = [value for _, key, value in page.attributes if key == "content" and "default-src" in value]
    script = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)[-1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}' 'wasm-unsafe-eval';" in policy
    assert "default-src 'none'" in policy


def test_values_of_the_report_are_those_of_the_laws(tmp_path):
    page = report("planar_2r", tmp_path)
    robot = rk.load("planar_2r")
    from rikigaku.plotting import default_configuration

    q = default_configuration(robot)
    tau = robot.inverse_dynamics(q, [0.5, 0.5], [1.0, 1.0])
    for x in (*tau, *robot.mass_matrix(q).ravel()):
        assert f"{x:.5g}" in page.text


def test_closed_robots_are_analysed_with_their_loops_closed(tmp_path, capsys):
    from rikigaku.plotting import default_configuration

    page = report("five_bar", tmp_path)
    out = capsys.readouterr().out
    robot = rk.load("five_bar")
    assert "mobility 2, 2 independent equations, 3 redundant" in out
    assert "assembly modes found at this configuration: 2" in out
    assert "2 assembly modes at the independent coordinates" in page.text
    assert "reduced.mass_matrix" in out
    assert str(robot.inverse_dynamics.operations) in page.text
    assert str(robot.reduced.forward_dynamics.operations) in page.text
    q = default_configuration(robot)
    v, a = robot.complete(q, [0.5, 0.5], [1.0, 1.0])
    values = (robot.inverse_dynamics(q, v, a), robot.forward_dynamics(q, v, [0.0, 0.0]), v, a)
    for x in (*(x for value in values for x in value), *robot.reduced.mass_matrix(q).ravel()):
        assert f"{x:.5g}" in page.text
    own = [robot.q_slices[name].start for name in robot.closure().independent]
    for configuration in robot.assemble(q[own], all=True):
        assert all(f"{x:.5g}" in page.text for x in configuration)
    assert "nan" not in page.text


def test_missing_values_are_named_and_the_rest_is_shown(tmp_path, capsys):
    page = report(written(tmp_path, "p.robot.toml", PENDULUM), tmp_path)
    assert "no value for: L, m" in capsys.readouterr().out
    assert "These symbols have no value: L, m." in page.text
    assert "sincos" in page.text  # operations need no values
    assert "img" in {tag for tag, _, _ in page.attributes}  # nor does the picture: only inertias are unknown
    assert "robot.pose(q, frame='rod')" in page.text
    assert page.text.count("cos") > 1  # nor do formulas
    assert "needs symbols without a value: L, m. Give them" in page.text


def test_a_symbol_of_gravity_without_a_value_leaves_picture_and_times(tmp_path):
    text = PENDULUM.replace("schema = 1\n", 'schema = 1\ngravity = [0, "-g", 0]\n')
    page = report(written(tmp_path, "p.robot.toml", text), tmp_path)
    assert "img" in {tag for tag, _, _ in page.attributes}
    assert "The picture, its sliders and the simulation take g = 9.81;" in page.text
    assert "Times were measured" in page.text  # of kinematics
    assert "Symbols without a value place the links" not in page.text


def test_if_symbols_without_a_value_place_the_links_nothing_is_measured(tmp_path):
    page = report(written(tmp_path, "p.robot.toml", PENDULUM.replace("a = 0", 'a = "L"')), tmp_path)
    assert "img" in {tag for tag, _, _ in page.attributes}
    assert "The picture, its sliders and the simulation take L = 0.5;" in page.text
    assert "Times were measured" not in page.text
    assert "Nothing was timed" in page.text
    assert "Symbols without a value place the links" in page.text


def test_values_and_a_free_base_are_given_on_the_command_line(tmp_path, capsys):
    file = written(tmp_path, "p.robot.toml", PENDULUM.replace("a = 0", 'a = "L"'))
    values = ["--set", "L=0.5", "--set", "m = 2/4"]
    assert main(["show", file, *values, "--free-base"]) == 0
    out = capsys.readouterr().out
    assert "nq 8, nv 7" in out
    assert re.search(r"^L +0.5 +m$", out, re.MULTILINE)
    assert re.search(r"^m +0.5$", out, re.MULTILINE)
    assert main(["plot", file, "-o", str(tmp_path / "p.png")]) == 2
    assert main(["plot", file, "-o", str(tmp_path / "p.png"), *values]) == 0
    assert main(["convert", file, str(tmp_path / "p.urdf"), *values]) == 0
    capsys.readouterr()
    for wrong, words in (
        ("k=1", "has no symbol named 'k'"),
        ("L", "--set takes NAME=VALUE"),
        ("L=m", "its value m"),
    ):
        assert main(["show", file, "--set", wrong]) == 2
        assert words in capsys.readouterr().err


def test_robots_with_quaternions_are_analysed(tmp_path):
    page = report(written(tmp_path, "satellite.robot.toml", SATELLITE), tmp_path)
    assert "nq 7, nv 6" in page.text
    assert "nan" not in page.text


def test_a_robot_that_does_not_move_is_analysed(tmp_path):
    page = report(written(tmp_path, "post.robot.toml", POST), tmp_path)
    assert "nq 0" in page.text


def test_a_report_without_a_picture_says_why(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise RikigakuError("Pictures need <matplotlib>.")

    monkeypatch.setattr("rikigaku.report.html_page.save_plot", refuse)
    page = report(written(tmp_path, "post.robot.toml", POST), tmp_path)
    assert "Pictures need <matplotlib>." in page.text


def test_a_report_that_cannot_be_written_is_an_error(tmp_path, capsys):
    file = written(tmp_path, "post.robot.toml", POST)
    assert main(["analyze", file, "-o", str(tmp_path / "no" / "report.html")]) == 2
    assert "cannot be written: there is no directory" in capsys.readouterr().err


def test_open_shows_the_report_in_the_browser(tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    file = tmp_path / "r.html"
    assert main(["analyze", written(tmp_path, "post.robot.toml", POST), "-o", str(file), "--open"]) == 0
    assert opened == [file.resolve().as_uri()]


def test_list_names_every_shipped_robot_with_its_degrees_of_freedom(capsys):
    assert main(["list", "--full"]) == 0
    lines = capsys.readouterr().out.splitlines()[2:]
    assert [line.split()[0] for line in lines] == list(NAMES)
    panda = next(line for line in lines if line.startswith("panda"))
    assert panda.split()[1] == "7"
    assert "Gaz" in panda


def test_show_prints_the_tables(capsys):
    assert main(["show", "rosam_loop"]) == 0
    out = capsys.readouterr().out
    assert "theta11" in out
    assert re.search(r"^l21 +l11 +d21 +prismatic +pi/2 +0 +0 +d21", out, re.MULTILINE)
    assert re.search(r"^cut\b.*revolute", out, re.MULTILINE)
    assert re.search(r"^L +0.4 +m$", out, re.MULTILINE)


def test_plot_writes_a_picture_at_degrees(tmp_path, capsys):
    file = tmp_path / "panda.png"
    assert main(["plot", "panda", "-o", str(file), "--q", *["0", "-45", "0", "-135", "0", "90", "45"]]) == 0
    assert file.read_bytes().startswith(b"\x89PNG")
    assert main(["plot", "panda", "-o", str(file), "--q", "1", "2"]) == 2
    assert "--q takes 7 numbers" in capsys.readouterr().err


def test_degrees_are_for_angles_only():
    from rikigaku.cli.plot_robot import _radians

    q = _radians(rk.load("stewart"), [1, 2, 3, 1, 0, 0, 0, *[180, 90, 0.7] * 6])
    assert q[:7].tolist() == [1, 2, 3, 1, 0, 0, 0]
    assert q[7:10] == pytest.approx([3.141592653589793, 1.5707963267948966, 0.7])


def test_check_lists_all_problems_and_returns_one(tmp_path, capsys):
    assert main(["check", written(tmp_path, "b.robot.toml", BROKEN)]) == 1
    out = capsys.readouterr().out
    assert "2 problems" in out
    assert "Did you mean 'revolute'?" in out
    assert "pi/" in out
    assert main(["check", written(tmp_path, "t.robot.toml", "schema = [")]) == 1
    assert "t.robot.toml" in capsys.readouterr().out


def test_check_accepts_a_good_file_and_prints_its_warnings(capsys):
    puma = str(path("puma560"))
    assert main(["check", puma]) == 0
    out = capsys.readouterr().out
    assert "no problems" in out
    assert "warning" in out
    assert main(["check", "--strict", puma]) == 1


def test_errors_are_one_sentence_with_exit_code_two(capsys):
    assert main(["analyze", "puma650"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("rikigaku: The library has no robot named 'puma650'. Did you mean 'puma560'?")
    assert main(["check", "nowhere.urdf"]) == 2
    assert main(["show", "nowhere.urdf"]) == 2
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["fly"], ["plot", "panda", "--q", "x"]])
def test_a_wrong_command_line_prints_the_usage(arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert "usage: rikigaku" in capsys.readouterr().err


def test_help_and_version(capsys):
    for words in (["--help"], ["analyze", "--help"], ["--version"]):
        with pytest.raises(SystemExit) as stop:
            main(words)
        assert stop.value.code == 0
    assert capsys.readouterr().out.endswith(f"rikigaku {rk.__version__}\n")


def test_interruption_ends_quietly(monkeypatch, capsys):
    def interrupted(source):
        raise KeyboardInterrupt

    monkeypatch.setattr("rikigaku.cli.show.robot_and_warnings", interrupted)
    assert main(["show", "ur5"]) == 130
    assert "interrupted" in capsys.readouterr().err


def test_a_reader_that_leaves_early_gets_no_traceback():
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "rikigaku", "list"]
    answer = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    assert answer.returncode == 141
    assert answer.stderr == ""
