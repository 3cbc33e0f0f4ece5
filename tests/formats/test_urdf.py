"""URDF files: all of example-robot-data as Pinocchio reads them; what every element means."""

import re
import warnings
from fractions import Fraction
from pathlib import Path

import pinocchio as pin
import pytest
from readers import parse_urdf, read_urdf
from urdf_files import ARM, FILES, READABLE, REFUSED, read_quietly

from rikigaku.core.errors import RikigakuError
from rikigaku.model.robot_model import Coupling
from rikigaku.numbers.formula import ONE, ZERO, Formula
from rikigaku.robot import Robot


def total_mass(robot: Robot) -> float:
    inertias = [robot.base_inertia, *(link.inertia for link in robot.links)]
    return sum(float(inertia.m) for inertia in inertias if inertia is not None)


def test_all_but_two_of_the_69_public_files_are_read_and_18_of_them_warn_of_impossible_inertias() -> None:
    refused, warned = {}, []
    for path in FILES:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                read_urdf(path)
            except RikigakuError as error:
                refused[path.name] = str(error)
        warned += [str(warning.message) for warning in caught]
    assert len(FILES) == 69
    assert refused.keys() == REFUSED.keys()
    for name, reason in REFUSED.items():
        assert reason in refused[name]
    assert len(warned) == 18
    assert sum(text.count("\n  - link ") for text in warned) == 54


@pytest.mark.parametrize("path", READABLE, ids=lambda path: path.stem)
def test_a_public_robot_has_the_mass_the_sizes_and_the_joints_pinocchio_reads(path: Path) -> None:
    robot = read_quietly(path, free_base=True)
    floats_already = robot.joints[0].name != "free_base"
    model = (
        pin.buildModelFromUrdf(str(path))
        if floats_already
        else pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    )
    unbounded = sum("RUB" in joint.shortname() or "Unbounded" in joint.shortname() for joint in model.joints)
    assert robot.nv == model.nv
    assert robot.nq == model.nq - unbounded  # Pinocchio keeps the cosine and sine of an unbounded angle
    theirs = set(model.names) - {"universe", "root_joint"}
    assert {joint.name for joint in robot.joints} - {"free_base"} == theirs
    # Pinocchio leaves out the mass of a root that is the world.
    on_world = float(robot.base_inertia.m) if robot.base_inertia else 0.0
    assert total_mass(robot) - on_world == pytest.approx(pin.computeTotalMass(model), rel=1e-12)


@pytest.mark.parametrize("path", READABLE[::6], ids=lambda path: path.stem)
def test_q_follows_the_order_of_the_joints_in_the_file(path: Path) -> None:
    text = re.sub(r"<!--.*?-->", "", path.read_text(), flags=re.DOTALL)
    text = re.sub(r"<(transmission|gazebo|ros2_control)\b.*?</\1>", "", text, flags=re.DOTALL)
    tags = re.findall(r"<joint\b[^>]*>", text)
    moving = [tag for tag in tags if not re.search(r"""type=["']fixed["']""", tag)]
    names = [re.search(r"""name=["']([^"']+)["']""", tag)[1] for tag in moving]
    assert [joint.name for joint in read_quietly(path).joints] == names


def test_limits_and_friction_of_public_robots_are_pinocchios() -> None:
    path = next(path for path in FILES if path.name == "panda.urdf")
    robot, model = read_urdf(path), pin.buildModelFromUrdf(str(path))
    for joint in robot.joints:
        k = model.joints[model.getJointId(joint.name)].idx_v
        assert joint.limits.lower == model.lowerPositionLimit[k]
        assert joint.limits.upper == model.upperPositionLimit[k]
        assert joint.limits.velocity == model.upperVelocityLimit[k]
        assert joint.limits.effort == model.upperEffortLimit[k]
        assert float(joint.viscous) == model.damping[k]


def test_decimals_are_exact() -> None:
    robot = parse_urdf(ARM)
    assert robot.link("upper").inertia.tensor[0] == Fraction(1, 10)
    assert robot.link("upper").geometry.rpy == (ZERO, Formula.of("1.5708"), ZERO)
    assert robot.link("upper").inertia.position == (ZERO, ZERO, Formula.of("1/4"))


def test_the_root_link_is_the_base_and_keeps_its_inertia() -> None:
    inertial = re.search(r"<inertial>.*</inertial>", ARM, re.DOTALL)[0]
    robot = parse_urdf(ARM.replace('<link name="ground"/>', f'<link name="ground">{inertial}</link>'))
    assert robot.base == "ground"
    assert robot.base_inertia == robot.link("upper").inertia
    assert [link.name for link in robot.links] == ["upper", "lower"]


def test_damping_is_viscous_and_friction_is_coulomb() -> None:
    shoulder = parse_urdf(ARM).joint("shoulder")
    assert (shoulder.viscous, shoulder.coulomb) == (Formula.of("0.3"), Formula.of("0.7"))
    assert (shoulder.limits.lower, shoulder.limits.upper) == (-1, 1.5)


def test_a_continuous_joint_is_a_revolute_one_without_bounds_about_x_by_default() -> None:
    elbow = parse_urdf(ARM).joint("elbow")
    assert (elbow.type, elbow.limits.lower, elbow.limits.upper) == ("revolute", None, None)
    assert elbow.axis == (ONE, ZERO, ZERO)


def test_a_mimic_joint_follows_and_stays_in_q() -> None:
    mimic = '<child link="lower"/><mimic joint="shoulder" multiplier="-0.5" offset="0.1"/>'
    robot = parse_urdf(ARM.replace('<child link="lower"/>', mimic))
    assert robot.couplings == (Coupling("elbow", "shoulder", Formula.of("-1/2"), Formula.of("1/10")),)
    assert robot.nq == 2
    assert [joint.actuated for joint in robot.joints] == [True, False]


@pytest.mark.parametrize(("type_text", "kind", "nq"), [("planar", "planar", 3), ("floating", "free", 7)])
def test_planar_and_floating_joints_are_read_and_not_driven(type_text: str, kind: str, nq: int) -> None:
    joint = parse_urdf(ARM.replace("continuous", type_text)).joint("elbow")
    assert (joint.type, joint.nq, joint.actuated) == (kind, nq, False)


def test_a_free_base_carries_the_root_link_on_a_new_world() -> None:
    robot = parse_urdf(ARM.replace('"lower"', '"world"').replace('"elbow"', '"free_base"'), free_base=True)
    first = robot.links[0]
    assert (first.name, first.joint.type, first.joint.actuated) == ("ground", "free", False)
    assert robot.base == "world_"  # both usual names are taken in this file
    assert first.joint.name == "free_base_"


def test_a_root_that_only_carries_a_floating_joint_is_the_world_already() -> None:
    text = ARM.replace('type="revolute"', 'type="floating"')
    assert parse_urdf(text, free_base=True) == parse_urdf(text)


def test_a_text_may_declare_another_encoding_and_bytes_follow_theirs() -> None:
    latin = ARM.replace('version="1.0"', 'version="1.0" encoding="latin-1"').replace("shoulder", "épaule")
    assert parse_urdf(latin) == parse_urdf(latin.encode("latin-1"))
    assert parse_urdf(latin).joints[0].name == "épaule"
