"""Angles that are probably in degrees are reported where a robot is read; rows refuse a joint's variable."""

import re
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import rikigaku as rk
from rikigaku.core.errors import BadModel, DegreesWarning, WrongValue
from rikigaku.numbers.latex_names import latex_name
from rikigaku.rosam import robot_from_data

TEXT = """schema = 1
name = "r"
[symbols]
twist = 45
[[link]]
name = "a"
joint = { type = "revolute" }
ROW
"""


def load(folder: Path, row: str) -> rk.Robot:
    path = folder / "r.robot.toml"
    path.write_text(TEXT.replace("ROW", row))
    return rk.load(path)


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ('dh = { alpha = 90, theta = "q" }', 'link \'a\': alpha is 90 rad. Write "90*deg" (or "pi/2")'),
        ('dh = { alpha = -45.5, theta = "q" }', 'alpha is -45.5 rad. Write "-45.5*deg" for degrees'),
        ('dh = { alpha = "twist", theta = "q" }', 'alpha is 45 rad. Write "(twist)*deg"'),
        ('dh = { theta = "q + 180" }', 'theta is 180 rad. Write "180*deg" (or "pi")'),
        ('dh = { theta = "q", beta = 30 }', 'beta is 30 rad. Write "30*deg" (or "pi/6")'),
        ("placement = { rpy = [0, 0, 90] }", "link 'a': rpy(3) is 90 rad"),
        ('dh = { theta = "q" }\n[[frame]]\nname = "f"\nlink = "a"\ndh = { alpha = 90 }', "frame 'f': alpha"),
        (
            'dh = { theta = "q" }\ninertia = { about = "com", m = 1, rpy = [90, 0, 0] }',
            "rpy(1) of the inertia",
        ),
        (
            'dh = { theta = "q" }\n[[loop]]\nname = "c"\njoint = "spherical"\nfrom = { link = "a" }\n'
            'to = { link = "base", dh = { alpha = 90 } }',
            "loop 'c', to: alpha is 90 rad",
        ),
    ],
)
def test_an_angle_beyond_a_revolution_is_reported_with_what_to_write(
    tmp_path: Path, row: str, sentence: str
) -> None:
    with pytest.warns(DegreesWarning) as caught:
        load(tmp_path, row)
    assert sentence in str(caught[0].message)
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "row",
    [
        'dh = { alpha = "450*deg", theta = "q + 5*pi/2", a = 90, d = 100 }',
        'dh = { alpha = 6.28, theta = "q - 6.28" }',
        'dh = { alpha = "tilt", theta = "q" }',
        "placement = { xyz = [10, 20, 30], rpy = [3, 3, 3] }",
    ],
)
def test_angles_with_a_unit_and_lengths_are_not_reported(tmp_path: Path, row: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", DegreesWarning)
        load(tmp_path, row)


def test_data_of_rosam_are_checked_for_degrees_and_negative_masses() -> None:
    def data(**link: object) -> dict[str, object]:
        one = {"Type": "R", "DH": [0, 0, "q1", 0], **link}
        return {"RobotType": "serial", "BranchNum": 1, "BranchInfo.1": {"Links": [one]}}

    with pytest.warns(DegreesWarning, match="alpha is 90 rad"):
        robot_from_data(data(DH=[90, 0, "q1", 0]))
    with pytest.raises(BadModel, match=r"BranchInfo.1, link 1, m is -1 kg, below zero"):
        robot_from_data(data(m=-1))


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        (lambda: rk.ModifiedDH(theta="q"), r"joint itself adds its variable to theta .* Leave theta out\."),
        (lambda: rk.ModifiedDH(theta="q + pi/2"), r'Write ModifiedDH\(theta="pi/2"\)'),
        (lambda: rk.StandardDH(d="q - L"), r'Write StandardDH\(d="-L"\)'),
        (lambda: rk.ModifiedDH(alpha="q"), "Give the constant pose, without q"),
        (lambda: rk.ModifiedDH(theta="2*q"), "Give the constant pose, without q"),
        (lambda: rk.Placement(rpy=(0, 0, "q")), "adds its variable to the placement. Give the constant pose"),
    ],
)
def test_a_row_in_python_that_holds_q_says_what_was_meant(made: object, sentence: str) -> None:
    with pytest.raises(WrongValue, match=sentence):
        made()  # type: ignore[operator]


def test_a_row_that_holds_the_name_of_its_joint_is_refused() -> None:
    def robot(**row: object) -> rk.Robot:
        return rk.Robot("r", (rk.Link("l2", "base", rk.Joint("theta2"), rk.ModifiedDH(**row)),))

    with pytest.raises(BadModel, match=r"theta is theta2, which .* own joint.* Leave theta out"):
        robot(theta="theta2")
    with pytest.raises(BadModel, match="Give the constant alone, theta=pi/2"):
        robot(theta="theta2 + pi/2")
    assert robot(a="theta2").free_symbols == ("theta2",)  # a length of that name is no joint variable


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        (lambda: rk.ModifiedDH(alpha=90), r'alpha is 90 rad. Write "90\*deg" \(or "pi/2"\)'),
        (lambda: rk.StandardDH(theta="180"), "StandardDH has 1 angle .* theta is 180 rad"),
        (lambda: rk.Placement((10, 20, 30), [0, 45, 90]), r"2 angles beyond .*\n.*rpy\(2\) is 45 rad"),
        (lambda: rk.Inertia("com", 1, rpy=(0, 0, 90)), r"rpy\(3\) is 90 rad"),
    ],
)
def test_angles_typed_in_python_are_reported_at_the_line_that_holds_them(made: Any, sentence: str) -> None:
    with pytest.warns(DegreesWarning) as caught:
        made()
    assert len(caught) == 1
    assert re.search(sentence, str(caught[0].message), re.DOTALL)
    assert caught[0].filename == __file__


def test_edits_do_not_repeat_the_warning() -> None:
    with pytest.warns(DegreesWarning):
        row = rk.ModifiedDH(alpha=90)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DegreesWarning)
        robot = rk.Robot("r", (rk.Link("a", "base", rk.Joint("j"), row),))
        replace(row, a=2)
        robot.attach("a", rk.Inertia("com", 1))
        rk.ModifiedDH(alpha="450*deg", theta=6.28, a=100)


@pytest.mark.parametrize("m", [-1, "-2/3"])
def test_a_negative_mass_in_python_is_an_error_with_link_and_number(m: object) -> None:
    with pytest.raises(BadModel, match=rf"link 'arm': m is {m} kg, below zero"):
        rk.Robot("r", (rk.Link("arm", "base", rk.Joint("j"), inertia=rk.Inertia("com", m)),))
    with pytest.raises(BadModel, match=r"link 'arm': m is -3 kg, below zero"):
        rk.Robot("r", (rk.Link("arm", "base", rk.Joint("j"), inertia=rk.Inertia("com", "m")),)).bind(m=-3)


@pytest.mark.parametrize(
    ("joint", "mass", "length", "sentence"),
    [
        ("q1", "m1", "m_1", r"symbol 'm_1' is printed like symbol 'm1' in formulas, m_\{1\}"),
        ("q1", "q_1", "L", r"symbol 'q_1' is printed like joint 'q1' in formulas"),
        ("q1", "q1_dot", "L", r"symbol 'q1_dot' is printed like the velocity of joint 'q1' in formulas"),
        ("q1", "L", "q_1_dot", r"symbol 'q_1_dot' is printed like the velocity of joint 'q1' in formulas"),
        ("q1", "q1_ddot", "L", r"'q1_ddot' is printed like the acceleration of joint 'q1' in formulas"),
        ("q1", "tau_q1", "L", r"symbol 'tau_q1' is printed like the force of joint 'q1' in formulas"),
    ],
)
def test_symbols_that_formulas_would_print_alike_are_refused(
    joint: str, mass: str, length: str, sentence: str
) -> None:
    inertia = rk.Inertia("com", mass, (length, 0, 0))
    with pytest.raises(BadModel, match=sentence):
        rk.Robot("r", (rk.Link("a", "base", rk.Joint(joint), inertia=inertia),))


@pytest.mark.parametrize(
    ("kind", "symbol"), [("spherical", "q1_wx"), ("free", "tau_q1_vz"), ("universal", "q1_2_dot")]
)
def test_symbols_printed_like_a_velocity_of_a_joint_with_several_are_refused(kind: str, symbol: str) -> None:
    with pytest.raises(BadModel, match=f"symbol '{symbol}' is printed like the .* of joint 'q1'"):
        rk.Robot("r", (rk.Link("a", "base", rk.Joint("q1", kind), inertia=rk.Inertia("com", symbol)),))


def test_names_that_formulas_make_are_not_printed_like_a_symbol() -> None:
    """Intermediate variables t1, roots w1 and components of gravity beside symbols t_1, w_1, gravity_x."""
    links = [rk.Link("l1", "base", rk.Joint("q1"), rk.ModifiedDH(), rk.Inertia("com", "t_1", ("w_1", 0, 0)))]
    links += [
        rk.Link(
            f"l{k}",
            f"l{k - 1}",
            rk.Joint(f"q{k}"),
            rk.ModifiedDH(alpha="pi/2" * (k == 2) or 0, a="w_1"),
            rk.Inertia("com", f"m{k}"),
        )
        for k in (2, 3)
    ]
    robot = rk.Robot("r", tuple(links), frames=(rk.Frame("hand", "l3", rk.ModifiedDH(a="gravity_x")),))
    symbols = {latex_name(name) for name in robot.free_symbols}
    steps = robot.mass_matrix.symbolic.intermediates().steps
    ik = robot.inverse_kinematics_formulas("hand")
    names = [*(name for name, _ in steps), *(step.name for step in ik.steps)]
    assert len(names) > 5
    assert not symbols & set(map(latex_name, names))


def test_limits_in_degrees_are_reported_and_several_revolutions_are_not(tmp_path: Path) -> None:
    file = tmp_path / "arm.robot.toml"
    text = """schema = 1
name = "arm"
[[link]]
name = "a"
parent = "base"
joint = { name = "j", type = "revolute", limits = { lower = LOWER, upper = 2.9 } }
placement = {}
"""
    file.write_text(text.replace("LOWER", "-170"), encoding="utf-8")
    with pytest.warns(DegreesWarning, match=r"joint 'j': -170 rad. Write \"-170\*deg\" for degrees"):
        rk.load(file)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DegreesWarning)
        for lower in ("-12.6", '"-170*deg"', '"-4*pi"'):
            file.write_text(text.replace("LOWER", lower), encoding="utf-8")
            rk.load(file)
        file.write_text(text.replace("LOWER", "-170").replace("revolute", "prismatic"), encoding="utf-8")
        rk.load(file)
