"""What meshes say of themselves: short lines, units of every curve, named axes, zeros where nothing acts."""

import inspect

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from mechanisms import portal, rod, spatial_arm, tilting

import rikigaku as rk
from rikigaku.core import progress
from rikigaku.core.errors import UnknownName, WrongValue
from rikigaku.fem import Motion
from rikigaku.trajectory import cubic, quintic, septic

SOFT = {"EA": 1e5, "EI": 20.0, "kGA": 1e5}


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def crane(slide: bool = True) -> rk.Robot:
    """A boom on a hinge, and a hook that slides along it."""
    inertia = rk.Inertia("com", 2.0, (0.5, 0, 0), (0.01, 0, 0, 0.2, 0, 0.2))
    kind, axis = ("prismatic", (1, 0, 0)) if slide else ("revolute", (0, 1, 0))
    links = (
        rk.Link("boom", "base", rk.Joint("luff", axis=(0, 1, 0)), rk.Placement(), inertia),
        rk.Link("hook", "boom", rk.Joint("winch", type=kind, axis=axis), rk.Placement((1, 0, 0)), inertia),
    )
    return rk.Robot("crane", links, (rk.Frame("tip", "hook", rk.Placement((1, 0, 0))),))


def test_torques_of_hinges_and_forces_of_slides_have_axes_of_their_own():
    found = crane().fem().inverse_dynamics(cubic([0, 0], [-1, 0.4], 1.0), samples=11)
    assert found.units == ("N m", "N")
    ax = found.plot()
    other = next(one for one in ax.figure.axes if one is not ax)
    assert (ax.get_ylabel(), other.get_ylabel()) == ("torque [N m]", "force [N]")
    (luff,), (winch,) = ax.get_lines(), other.get_lines()
    assert luff.get_ydata() == pytest.approx(found.torque("luff"))
    assert winch.get_ydata() == pytest.approx(found.torque("winch"))
    assert luff.get_color() != winch.get_color()
    assert [text.get_text() for text in other.get_legend().get_texts()] == ["luff [N m]", "winch [N]"]
    assert found.plot(joints=["winch"]).get_ylabel() == "force [N]"
    assert "up to" in repr(found)
    assert repr(found).splitlines()[2].endswith(" N")
    only = crane(slide=False).fem().inverse_dynamics(cubic([0, 0], [1, 1], 1.0), samples=3)
    assert only.plot().get_ylabel() == "torque [N m]"
    assert len(only.plot().figure.axes) == 1


def test_passive_joints_give_exactly_nothing_and_are_not_drawn():
    robot = rk.load("five_bar")
    found = robot.fem().inverse_dynamics({"hand": quintic([0.0, 0.55], [0.1, 0.6], 1.0)}, samples=9)
    passive = [joint.name for joint in robot.joints if not joint.actuated]
    assert len(passive) == 2
    assert all((found.torque(name) == 0).all() for name in passive)
    assert [line.get_label() for line in found.plot().get_lines()] == ["left_motor", "right_motor"]
    assert f"passive: {', '.join(passive)}" in repr(found)
    assert found.plot(joints=passive).get_lines()[0].get_label() == passive[0]
    with pytest.raises(UnknownName, match="Did you mean 'left_motor'"):
        found.plot(joints=["left_moter"])


def test_everything_a_mesh_gives_shows_itself_in_three_lines_or_less():
    mesh = rod(**SOFT).fem()
    elastic = mesh.elastic(elements=2, damping=(0, 1e-3))
    motion = elastic.simulate([0.0], duration=4e-3, step=2e-3)
    path = septic([0.0], [0.3], 0.4)
    shown = {
        "Mesh": mesh,
        "Elastic": elastic,
        "1 vibration modes": elastic.modes(count=1),
        "damping ratios": elastic.damped_modes(),
        "displaced": elastic.deflection(),
        "3 samples": motion,
        "torques differ": elastic.inverse_dynamics(path, "tip", step=2e-2),
        "5 samples": mesh.motion(path, samples=5),
        "beams, 5 samples": mesh.inverse_dynamics(path, samples=5).internal_forces,
        "coordinates": elastic.assembly(),
    }
    for word, one in shown.items():
        text = repr(one)
        assert word in text
        assert "rod" in text
        assert len(text) < 240
        assert text.count("\n") < 3


def test_pictures_name_their_axes_and_their_units():
    robot = portal()
    found = robot.fem(masses={"top": 1.0}).inverse_dynamics(tilting(robot, 1.0), sharing=0.5, samples=3)
    ax = found.plot_internal("axial", 2)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x [m]", "z [m]")
    assert " N, t = 1 s" in ax.get_title()
    turned = rk.Robot("leaning", tuple(link for link in rod().links), rod().frames)
    assert turned.fem().elastic(elements=2).modes().plot().get_xlabel() == "x [m]"


def test_internal_forces_in_space_are_ribbons_across_the_beams():
    robot = rk.load("panda")
    q = np.array([0, 0.3, 0, -1.5, 0, 1.8, 0])
    still = Motion(robot, [0.0], q[None], np.zeros((1, 7)), np.zeros((1, 7)))
    found = robot.fem().inverse_dynamics(still)
    ax = found.plot_internal("bending")
    assert (ax.get_xlabel(), ax.get_zlabel()) == ("x [m]", "z [m]")
    ribbons = _ribbons(ax)
    assert len(ribbons) == len(found.layout.beams)
    for upright, drawn in ((False, ribbons), (True, _ribbons(found.plot_internal("bending_upright")))):
        for beam, one in zip(found.layout.beams, drawn, strict=True):
            a, edge, _, b = one
            axis = robot.pose(q, found.layout.mechanism.bodies[beam.body].name)[:3, 2]
            across, n = edge - a, axis - (b - a) * (axis @ (b - a)) / beam.length**2
            assert across @ (b - a) == pytest.approx(0, abs=1e-9)
            if np.linalg.norm(n) > 0.1:  # else the beam lies along its joint's axis
                assert np.linalg.norm(np.cross(across, n) if upright else across @ n) < 1e-9
    # a flat robot has no side so short that its ticks run into each other
    sides = np.array([np.ptp(one) for one in (ax.get_xlim(), ax.get_ylim(), ax.get_zlim())])
    assert sides.min() > 0.29 * sides.max()


def _ribbons(ax):
    """Corners of the areas of a picture in space, each with its edge."""
    edges = [np.array(line.get_data_3d()).T for line in ax.get_lines()]
    areas = [one for one in ax.collections if type(one).__name__ == "Poly3DCollection"]
    corners = [edge for edge in edges if len(edge) == 4]
    assert len(corners) == len(areas)
    return corners


@pytest.mark.parametrize(
    ("match", "call"),
    [
        ("There are 5 samples, 0 to 4; sample 999", lambda found: found.plot_internal("axial", 999)),
        ("sample 1.5", lambda found: found.internal_forces.along("rod", "axial", 1.5)),
        ("mode 7 was given", lambda found: rod(**SOFT).fem().elastic(elements=2).modes().plot(mode=7)),
        ("'smple'.*Did you mean 'sample'", lambda found: found.plot_internal("axial", smple=1)),
    ],
)
def test_samples_and_options_that_are_not_there_are_reported(match, call):
    found = rod().fem().inverse_dynamics(cubic([0.0], [1.0], 1.0), samples=5)
    with pytest.raises((WrongValue, UnknownName), match=match):
        call(found)


def test_nothing_vibrates_where_nothing_has_mass():
    light = rod(mass=0.0, extra=0.0, **SOFT)
    with pytest.raises(WrongValue, match=r"Nothing of robot 'rod' .* has mass"):
        light.fem().elastic(elements=2).modes()
    assert np.isfinite(light.fem(masses={"tip": 1.0}).elastic(elements=2).modes().frequencies).all()


def test_help_shows_the_options_of_everything():
    elastic = rod().fem().elastic
    for call, options in (
        (rod().fem, "masses"),
        (elastic, "elements mass damping joint_stiffness hinges refined"),
        (elastic().simulate, "duration step torque rho rest locked every slip_speed"),
        (elastic().inverse_dynamics, "target frame step before after near slip_speed"),
    ):
        assert set(options.split()) <= set(inspect.signature(call).parameters)
        assert not any(one.kind == one.VAR_KEYWORD for one in inspect.signature(call).parameters.values())
        told = inspect.getdoc(call) or ""
        assert all(name in told or name in inspect.getdoc(type(elastic())) for name in options.split())


def test_long_work_reports_its_progress(monkeypatch):
    elastic, lines = rod(**SOFT).fem().elastic(elements=2), []
    elastic.simulate([0.0], duration=4e-3, step=2e-3, progress=lines.append)
    assert not lines  # quick work says nothing
    monkeypatch.setattr(progress, "_EVERY", 0.0)
    elastic.simulate([0.0], duration=4e-3, step=2e-3, progress=lines.append)
    assert [line.split(",")[0] for line in lines] == ["0.002 s of 0.004 s", "0.004 s of 0.004 s"]
    elastic.inverse_dynamics(septic([0.0], [0.3], 0.4), "tip", step=2e-2, progress=lines.append)
    assert "static equilibria" in lines[2]
    assert "boundary-value problem" in lines[-1]
    with pytest.raises(WrongValue, match="progress is a function of text"):
        elastic.simulate([0.0], duration=4e-3, progress=True)


def test_why_a_flexible_arm_with_too_many_motors_does_not_follow_is_reported():
    snake = spatial_arm({"EA": 1e6, "EI": 1e2}, ((0, 1, 0),) * 4)
    path = septic(np.full(4, 0.1), np.full(4, 0.2), 1.0)
    with pytest.raises(WrongValue, match=r"in a plane has 3 coordinates .* 4 motors: .* Hold 1 of"):
        snake.fem().elastic(elements=2).inverse_dynamics(path, "hand", step=0.1)
    wrist = spatial_arm({"EA": 1e6, "EI": 1e2}, ((0, 0, 1), (0, 1, 0), (1, 0, 0)))
    path = septic(np.full(3, 0.1), np.full(3, 0.4), 1.0)
    with pytest.raises(WrongValue, match=r"moves in 2 directions, and there are 3 motors"):
        wrist.fem().elastic(elements=2).inverse_dynamics(path, "rod1", step=0.1)


def test_cantilevers_sag_under_their_weight_as_the_page_on_beams_says():
    robot, EI = rod(mass=2.0, EA=1e9, EI=100.0, kGA=1e9), 100.0
    theory = 2.0 * 9.81 / (8 * EI)
    for beams, consistent in ((2, 1 / 12), (4, 1 / 48), (8, 1 / 192)):
        for options, wanted in (
            ({}, consistent),
            ({"refined": False}, 0.0),
            ({"mass": "lumped"}, 0.0),
            ({"mass": "centre"}, -1 / 6),
        ):
            sag = -robot.fem().elastic(beams, **options).deflection([0.0]).at("tip")[2]
            assert sag / theory - 1 == pytest.approx(wanted, abs=1e-5)
