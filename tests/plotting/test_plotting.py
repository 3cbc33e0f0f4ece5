"""Pictures: what is drawn stands where another engine puts it, loops are closed, every robot can be drawn."""

import subprocess
import sys
import warnings
from dataclasses import replace
from importlib.metadata import distribution
from pathlib import Path

import matplotlib
import numpy as np
import pinocchio as pin
import pytest

import rikigaku as rk
from rikigaku.core.errors import MissingValue, RikigakuError, WrongValue
from rikigaku.laws.tree.kinematics import jacobian
from rikigaku.library import NAMES
from rikigaku.model.editing import on_free_base
from rikigaku.model.geometry import Placement
from rikigaku.model.joint import Joint
from rikigaku.model.robot_model import Link, Loop, LoopEnd
from rikigaku.model.states import neutral, position_bounds, random_state
from rikigaku.numbers.formula import Formula
from rikigaku.plotting import default_configuration, plot, save_plot
from rikigaku.plotting.body_layout import mechanism_of
from rikigaku.plotting.skeleton import skeleton
from rikigaku.robot import Robot

matplotlib.use("Agg")

UR5 = Path(
    str(
        distribution("example-robot-data").locate_file(
            "cmeel.prefix/share/example-robot-data/robots/ur_description/urdf/ur5_robot.urdf"
        )
    )
)


def robot_named(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rk.load(name)


def test_joints_and_masses_are_drawn_where_pinocchio_has_them():
    robot, model = robot_named(UR5), pin.buildModelFromUrdf(str(UR5))
    data, q = model.createData(), random_state(robot, 1).q
    pin.forwardKinematics(model, data, q)
    drawn = skeleton(robot, q)
    ours = np.array([joint.place for joint in drawn.joints])
    np.testing.assert_allclose(ours, [X.translation for X in data.oMi[1:]], atol=1e-12)
    centres = [X.act(body.lever) for X, body in zip(data.oMi[1:], model.inertias[1:], strict=True)]
    np.testing.assert_allclose([place for place, _ in drawn.masses], centres, atol=1e-12)
    np.testing.assert_allclose([m for _, m in drawn.masses], [body.mass for body in model.inertias[1:]])


def test_bars_connect_each_joint_to_the_next():
    drawn = skeleton(robot_named("panda"), default_configuration(robot_named("panda")))
    ends = {tuple(np.round(p, 9)) for bar in drawn.bars for p in bar}
    assert {tuple(np.round(joint.place, 9)) for joint in drawn.joints} <= ends


@pytest.mark.parametrize("name", ["puma560", "rx90", "ur5", "stanford", "scara", "planar_3r", "panda"])
def test_the_default_configuration_of_an_arm_is_not_singular(name):
    robot = robot_named(name)
    mechanism, q = mechanism_of(robot), list(default_configuration(robot))
    J = np.array(jacobian(mechanism, q, list(mechanism.frames)[-1]), dtype=float)
    values = np.linalg.svd(J, compute_uv=False)
    assert values[min(6, robot.nv) - 1] > 0.01 * values[0]


@pytest.mark.parametrize("name", ["five_bar", "four_bar", "rosam_loop", "stewart", "three_rrr"])
def test_the_default_configuration_closes_all_loops(name):
    robot = robot_named(name)
    drawn = skeleton(robot, default_configuration(robot))
    assert len(drawn.closures) == len(robot.loops)
    for kind, start, end in drawn.closures:
        np.testing.assert_allclose(start[:3, 3], end[:3, 3], atol=1e-8)
        if kind == "revolute":
            np.testing.assert_allclose(start[:3, 2], end[:3, 2], atol=1e-8)


def test_axes_of_closed_hinges_agree_in_space_too():
    tilted = Placement(tuple(map(Formula.of, ("1/5", 0, "1/2"))), tuple(map(Formula.of, ("0.3", "-0.4", 0))))
    loop = Loop("hinge", "revolute", LoopEnd("base", tilted), LoopEnd("door"))
    robot = Robot("door", (Link("door", "base", Joint("floating", "free")),), loops=(loop,))
    ((_, start, end),) = skeleton(robot, default_configuration(robot)).closures
    np.testing.assert_allclose(start[:3, 2:], end[:3, 2:], atol=1e-8)


@pytest.mark.parametrize("name", NAMES)
def test_the_default_configuration_is_within_the_limits_with_unit_quaternions(name):
    robot = robot_named(name)
    q = default_configuration(robot)
    lower, upper = position_bounds(robot)
    assert ((q >= lower) & (q <= upper)).all()
    for joint in robot.joints:
        if joint.type == "free":
            four = q[robot.q_slices[joint.name]][3:]
            assert np.linalg.norm(four) == pytest.approx(1, abs=1e-12)


def test_symbols_that_are_not_drawn_need_no_value():
    joint = rk.Joint("q1", viscous="b", rotor="J", stiffness="k", rest="q0")
    robot = rk.Robot("r", (rk.Link("a", "base", joint, inertia=rk.Inertia("com", "m", (0.5, 0, 0))),))
    assert default_configuration(robot).tolist() == [0.0]


@pytest.mark.parametrize("name", ["panda", "humanoid_32", "stewart", "five_bar", "space_arm_6", "stanford"])
def test_a_picture_shows_something_and_cuts_nothing_off(name, tmp_path):
    save_plot(robot_named(name), tmp_path / "robot.png", dpi=50)
    alpha = matplotlib.image.imread(tmp_path / "robot.png")[..., 3]
    assert (alpha > 0.5).mean() > 0.01
    border = np.concatenate([alpha[0], alpha[-1], alpha[:, 0], alpha[:, -1]])
    assert (border > 0.9).mean() < 0.02


def test_plot_draws_into_given_axes_and_returns_them():
    from matplotlib import pyplot

    figure = pyplot.figure()
    ax = figure.add_subplot(1, 2, 1, projection="3d")
    assert plot(robot_named("ur5"), ax=ax) is ax
    assert plot(robot_named("ur5"), frames=False, masses=False, legend=False).get_legend() is None
    pyplot.close("all")


def test_frames_are_named_only_if_requested():
    from matplotlib import pyplot

    shown = {text.get_text() for text in plot(robot_named("ur5")).texts}
    assert {"hand"} <= shown
    assert not plot(robot_named("ur5"), frames=False).texts
    pyplot.close("all")


def test_loop_closures_are_drawn_dashed():
    from matplotlib import pyplot

    ax = plot(robot_named("five_bar"), np.zeros(4))
    assert [line.get_linestyle() for line in ax.lines] == ["--"]
    pyplot.close("all")


def test_robots_that_do_not_move_or_have_nothing_can_be_drawn(tmp_path):
    post = Robot("post", (Link("post", "base", Joint("weld", "fixed")),))
    for k, robot in enumerate([Robot("nothing"), post, on_free_base(post)]):
        save_plot(robot, tmp_path / f"{k}.svg")
        assert (tmp_path / f"{k}.svg").stat().st_size > 1000


def test_what_cannot_be_drawn_is_said(tmp_path):
    robot = robot_named("ur5")
    with pytest.raises(WrongValue, match="6 numbers"):
        plot(robot, [0.0, 1.0])
    with pytest.raises(WrongValue, match="finite"):
        plot(robot, [np.nan] * 6)
    with pytest.raises(RikigakuError, match="cannot be written: there is no directory"):
        save_plot(robot, tmp_path / "no" / "such" / "folder.png")
    with pytest.raises(RikigakuError, match="could not be written"):
        save_plot(robot, tmp_path / "robot.docx")
    link = replace(robot.links[0], geometry=Placement((Formula.of("L"), Formula.of(0), Formula.of(0))))
    with pytest.raises(MissingValue, match="'L'"):
        plot(replace(robot, links=(link, *robot.links[1:])))


@pytest.mark.parametrize("path", [None, 3])
def test_what_is_no_place_for_a_picture_is_refused_in_words(path):
    with pytest.raises(WrongValue, match=f"goes to the path of a file, or into an open one; {path}"):
        save_plot(rk.load("planar_2r"), path)


def test_flat_axes_are_refused_in_words():
    flat = matplotlib.figure.Figure().add_subplot()
    with pytest.raises(WrongValue, match=r"three-dimensional axes, figure.add_subplot\(projection='3d'\)"):
        plot(rk.load("planar_2r"), ax=flat)


def test_importing_the_package_does_not_import_matplotlib():
    code = "import sys, rikigaku, rikigaku.plotting, rikigaku.cli; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_the_neutral_configuration_is_drawn_as_it_is():
    robot = robot_named("planar_2r")
    tip = skeleton(robot, neutral(robot)).frames[-1][1]
    np.testing.assert_allclose(tip, robot.pose(np.zeros(2), robot.frame_names[-1]), atol=1e-12)


def test_a_mass_without_a_value_is_no_part_of_a_picture(tmp_path: Path) -> None:
    robot = replace(rk.load("planar_2r").bind(l1=0.5, l2=0.4), symbols=())
    assert set(robot.free_symbols) - robot.declared_values.keys()  # masses
    file = tmp_path / "arm.png"
    save_plot(robot, file)
    assert file.stat().st_size > 1000


def test_pictures_say_which_package_they_need(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(RikigakuError, match=r"Pictures need matplotlib. Install it: pip install matplotlib"):
        rk.load("planar_2r").plot()
