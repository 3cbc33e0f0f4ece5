"""Curves and pictures show what was computed; sections survive their way through files."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from mechanisms import portal, rod, tilting
from readers import parse_toml

import rikigaku as rk
from rikigaku.core.errors import BadModel
from rikigaku.trajectory import septic


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def test_torque_curves_are_the_torques_of_all_joints():
    robot = portal()
    found = robot.fem(masses={"top": 1.0}).inverse_dynamics(tilting(robot, 1.0), sharing=0.8)
    ax = found.plot()
    for line, name in zip(ax.get_lines(), found.names, strict=True):
        assert line.get_label() == name
        assert line.get_ydata() == pytest.approx(found.torque(name))
    assert "time" in ax.get_xlabel()
    title = found.plot_internal("bending", -1).get_title()
    assert f"{np.abs(found.internal_forces.component('bending')[:, -1]).max():.3g} N m" in title


def test_pictures_of_portals_have_x_to_the_right_and_z_up():
    robot = portal()
    ax = robot.fem().elastic(elements=2).deflection(tilting(robot, 1.0)(0.0).q).plot(scale=0.0)
    x = np.concatenate([line.get_xdata() for line in ax.get_lines()])
    z = np.concatenate([line.get_ydata() for line in ax.get_lines()])
    assert (x.min(), x.max(), z.min(), z.max()) == pytest.approx((0, 1, 0, 1), abs=1e-9)


def test_shapes_motions_and_torques_of_flexible_arms_are_drawn():
    elastic = rod(EA=1e5, EI=20.0, kGA=1e5).fem().elastic(elements=2, damping=(0, 1e-3))
    assert "Hz" in elastic.modes().plot(mode=1).get_title()
    assert elastic.damped_modes().plot(mode=0).get_title() == elastic.modes().plot(mode=0).get_title()
    motion = elastic.simulate([0.0], duration=0.02, step=2e-3)
    path = motion.plot(frame="tip").get_lines()[-1]
    assert path.get_ydata() == pytest.approx(motion.at("tip")[:, 2])
    found = elastic.inverse_dynamics(septic([0.0], [0.3], 0.4), "tip", step=2e-2)
    flexible, rigid = found.plot_torques().get_lines()
    assert flexible.get_ydata() == pytest.approx(found.torques[:, 0])
    assert rigid.get_ydata() == pytest.approx(found.rigid_torques[:, 0])


def test_a_robot_in_space_is_drawn_in_space():
    ax = rk.load("panda").fem().elastic(elements=2).deflection([0, 0.3, 0, -1.5, 0, 1.8, 0]).plot()
    assert ax.name == "3d"


HEAD = 'schema = 1\nname = "r"\n[[link]]\nname = "a"\njoint = { type = "revolute" }\nplacement = {}\n'


@pytest.mark.parametrize(
    "text",
    [
        '{ tube = [0.05, "4/100"], material = "steel" }',
        "{ rod = 0.02, E = 6.9e10 }",
        "{ bar = [0.02, 0.04] }",
        "{ box = [0.04, 0.06, 0.003] }",
        "{ EA = 1e6, EI = 35 }",
        "{ EA = 1e6, EI = 35, damping = 2e-4 }",
        '{ rod = 0.1, material = "steel", damping = "1/1000" }',
        '{ rod = 0.1, material = "oak", E = 1.1e10, G = 6e8 }',
    ],
)
def test_sections_survive_saving(text, tmp_path):
    robot = parse_toml(HEAD + f"section = {text}\n")
    robot.save(tmp_path / "r.robot.toml")
    again = rk.load(tmp_path / "r.robot.toml")
    assert again == robot
    assert again.links[0].section.stiffness == robot.links[0].section.stiffness


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{ tube = [0.05, 0.04], material = "stel" }', "Did you mean 'steel'"),
        ("{ tube = [0.05] }", "2 numbers (outer diameter, inner diameter)"),
        ("{ pipe = 0.05 }", "no key 'pipe'"),
        ("{ rod = -1 }", "above zero"),
        ("{ rod = 1, damping = -1 }", "0 s or more"),
        ("{ EA = 1e6 }", "EA [N] and EI"),
        ("{ rod = 0.1, bar = [1, 2] }", "one profile"),
        ('{ rod = "d" }', "plain number"),
    ],
)
def test_wrong_sections_are_reported_with_their_place(text, told):
    with pytest.raises(BadModel) as error:
        parse_toml(HEAD + f"section = {text}\n")
    assert told in str(error.value)
    assert "section" in str(error.value)
