"""Robots written as URDF with a side file and as MJCF: read back by us, Pinocchio and MuJoCo."""

import json
import tomllib
import warnings
from importlib.resources import files
from pathlib import Path

import jsonschema
import mujoco
import numpy as np
import pinocchio as pin
import pytest
from mujoco_reference import (
    closed,
    data_at,
    dynamics_gap,
    equality_rows,
    full_mass_matrix,
    layout_by_order,
    null_projector,
    tree_law,
)
from random_robots import random_robot
from referencing import Registry, Resource

import rikigaku as rk
from rikigaku.errors import BadModel, IgnoredWarning, MissingValue, UnphysicalInertiaWarning, WrongValue
from rikigaku.model.interop import to_pinocchio
from rikigaku.model.library import NAMES
from rikigaku.model.loops_file import with_loops
from rikigaku.model.mjcf import parse_mjcf
from rikigaku.model.robot import Robot
from rikigaku.model.write_mjcf import mjcf_text

TOLERANCE = 1e-9  # what is promised; found: 1e-14
CLOSED = ("four_bar", "five_bar", "three_rrr", "stewart", "slider_crank", "delta", "sr400", "cassie_leg")


def shipped(name: str) -> Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnphysicalInertiaWarning)
        robot = rk.load(name)
    return robot.bind(**robot.declared_values)


def saved(robot: Robot, path: Path) -> Robot:
    """The robot written to that file and read back."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IgnoredWarning)
        warnings.simplefilter("ignore", UnphysicalInertiaWarning)
        robot.save(path)
        return rk.load(path)


def reordered(robot: Robot, back: Robot, x: np.ndarray, of: str) -> np.ndarray:
    """Numbers of q or v in the order of the robot that was read back."""
    ours = getattr(robot, of)
    parts = []
    for joint in back.joints:
        if joint.name in ours:
            parts.append(x[ours[joint.name]])
        else:
            # "hinge_2" is the second angle of "hinge", "base_TY" the second coordinate of a planar joint
            name, which = joint.name.rsplit("_", 1)
            k = ("TX", "TY", "RZ").index(which) if which[0] in "TR" else int(which) - 1
            start = ours[name].start
            parts.append(x[start + k : start + k + 1])
    return np.concatenate(parts)


def forces(robot: Robot, q: np.ndarray, v: np.ndarray, a: np.ndarray, **options: object) -> np.ndarray:
    return tree_law(robot, "inverse_dynamics", q, v, a, **options)


# -- every shipped robot ---------------------------------------------------------------------------
@pytest.mark.parametrize("name", NAMES)
def test_a_urdf_with_its_side_file_is_the_same_robot(name: str, tmp_path: Path) -> None:
    robot = shipped(name)
    back = saved(robot, tmp_path / f"{name}.urdf")
    q, v, a = robot.random_state(1)
    tau = forces(robot, q, v, a)
    assert forces(back, q, v, a) == pytest.approx(tau, abs=TOLERANCE * np.abs(tau).max())
    assert (back.loops, back.frames, back.gravity) == (robot.loops, robot.frames, robot.gravity)
    assert [float(c.multiplier) for c in back.couplings] == [float(c.multiplier) for c in robot.couplings]
    driven = {joint.name.removesuffix("_1").removesuffix("_2") for joint in back.joints if joint.actuated}
    assert driven == {
        joint.name.removesuffix("_1").removesuffix("_2") for joint in robot.joints if joint.actuated
    }
    if robot.loops:
        residual = tree_law(robot, "loop_residual", q)
        assert tree_law(back, "loop_residual", q) == pytest.approx(residual, abs=TOLERANCE)


@pytest.mark.parametrize("name", NAMES)
def test_pinocchio_reads_the_urdf_and_finds_the_same_forces(name: str, tmp_path: Path) -> None:
    robot = shipped(name)
    back = saved(robot, tmp_path / "x.urdf")
    model = pin.buildModelFromUrdf(str(tmp_path / "x.urdf"))
    model.gravity.linear = np.array([float(g) for g in robot.gravity])
    layout = to_pinocchio(back, model)
    q, v, a = robot.random_state(2)
    theirs = pin.rnea(model, model.createData(), layout.q(q), layout.v(q, v), layout.a(q, v, a))
    for joint in back.joints:  # Pinocchio knows no rotors from a URDF
        theirs = theirs + layout.tau(
            q, np.eye(back.nv)[back.v_slices[joint.name]].sum(0) * float(joint.rotor) * a
        )
    tau = layout.tau(q, forces(robot, q, v, a, friction=False))
    assert tau == pytest.approx(theirs, abs=TOLERANCE * np.abs(theirs).max())


@pytest.mark.parametrize("name", ["panda", "ur5", "scara", "stanford", "iiwa14", "humanoid_17", "sr400"])
def test_pinocchio_reads_the_mjcf_too(name: str, tmp_path: Path) -> None:
    robot = shipped(name)
    back = saved(robot, tmp_path / "x.xml")
    model = pin.buildModelFromMJCF(str(tmp_path / "x.xml"))
    model = model[0] if isinstance(model, tuple) else model
    model.gravity.linear = np.array([float(g) for g in robot.gravity])
    q, v, a = back.random_state(4)
    layout = to_pinocchio(back, model)
    theirs = pin.rnea(model, model.createData(), layout.q(q), layout.v(q, v), layout.a(q, v, a))
    tau = layout.tau(q, forces(back, q, v, a, friction=False))
    assert tau == pytest.approx(theirs, abs=TOLERANCE * np.abs(theirs).max())


@pytest.mark.parametrize("name", [name for name in NAMES if name != "puma560"])
def test_mujoco_reads_the_mjcf_and_finds_the_same_dynamics_and_so_do_we(name: str, tmp_path: Path) -> None:
    robot = shipped(name)
    back = saved(robot, tmp_path / f"{name}.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / f"{name}.xml"))
    q, v, a = robot.random_state(3)
    q_, v_, a_ = (
        reordered(robot, back, x, of) for x, of in ((q, "q_slices"), (v, "v_slices"), (a, "v_slices"))
    )
    tau = reordered(robot, back, forces(robot, q, v, a), "v_slices")
    assert forces(back, q_, v_, a_) == pytest.approx(tau, abs=TOLERANCE * np.abs(tau).max())
    # against MuJoCo directly, through nothing we read: M and bias of the robot as it was
    layout, data = layout_by_order(back, model), data_at(back, model, q_, v_)
    T, order = layout.velocity_map(q_), reordered(robot, back, np.arange(robot.nv), "v_slices").astype(int)
    M = tree_law(robot, "mass_matrix", q)[np.ix_(order, order)]
    theirs = full_mass_matrix(model, data)
    ours = T @ M @ T.T
    assert ours == pytest.approx(theirs, abs=TOLERANCE * np.abs(theirs).max())
    still = np.empty(robot.nv)
    still[order] = layout.from_a(q_, v_, np.zeros(model.nv))
    bias = layout.tau(q_, forces(robot, q, v, still, friction=False)[order])
    assert bias == pytest.approx(data.qfrc_bias, abs=TOLERANCE * max(1.0, np.abs(data.qfrc_bias).max()))
    for frame in robot.frames:
        ours = tree_law(robot, "pose", q, frame=frame.name)
        assert data.site(frame.name).xpos == pytest.approx(ours[:3, 3], abs=1e-12)
    driven = [joint.name for joint in back.joints if joint.actuated]
    # a motor of MJCF drives one coordinate: joints with several have none there
    expected = [joint.name for joint in robot.joints if joint.actuated and joint.nv == 1]
    assert sorted(driven) == sorted(expected)


@pytest.mark.parametrize("name", CLOSED)
def test_loops_written_as_equalities_close_and_move_in_mujoco_as_here(name: str, tmp_path: Path) -> None:
    robot = shipped(name)
    back = saved(robot, tmp_path / "x.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "x.xml"))
    q = closed_posture(robot)
    assert np.abs(tree_law(robot, "loop_residual", q)).max() < 1e-12
    q_ = reordered(robot, back, q, "q_slices")
    residual, J = equality_rows(back, model, q_)
    assert np.abs(residual).max() < 1e-11
    order = reordered(robot, back, np.arange(robot.nv), "v_slices").astype(int)
    ours = null_projector(tree_law(robot, "loop_jacobian", q)[:, order])
    assert ours == pytest.approx(null_projector(J), abs=1e-8)
    assert [loop.joint for loop in back.loops] == [loop.joint for loop in robot.loops]
    assert [loop.name for loop in back.loops] == [loop.name for loop in robot.loops]


STARTS = {"four_bar": [0.3, 0.9, 1.4], "five_bar": [np.pi / 2, -0.25, np.pi / 2, 0.25]}


def closed_posture(robot: Robot) -> np.ndarray:
    if robot.name == "stewart":
        start = [0, 0, 0.7, 1, 0, 0, 0, *[0, 0, 0.78] * 6]
    else:
        start = STARTS.get(robot.name) or (robot.neutral() + 0.01)
    return closed(robot, np.array(start))


# -- random trees ----------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(5))
def test_random_trees_survive_both_formats(seed: int, tmp_path: Path) -> None:
    kinds = ("revolute", "prismatic", "fixed", "universal")
    robot = random_robot(seed, 7, kinds, drives=True)
    q, v, a = robot.random_state(seed)
    tau = forces(robot, q, v, a)
    for ending in ("urdf", "xml"):
        back = saved(robot, tmp_path / f"x.{ending}")
        q_, v_, a_ = (
            reordered(robot, back, x, of) for x, of in ((q, "q_slices"), (v, "v_slices"), (a, "v_slices"))
        )
        expected = reordered(robot, back, tau, "v_slices")
        assert forces(back, q_, v_, a_) == pytest.approx(expected, abs=TOLERANCE * np.abs(tau).max())
        assert tree_law(back, "pose", q_, frame="tip") == pytest.approx(
            tree_law(robot, "pose", q, frame="tip"), abs=1e-12
        )


@pytest.mark.parametrize("seed", range(3))
def test_random_trees_with_balls_and_a_free_base_go_to_mujoco(seed: int) -> None:
    robot = random_robot(seed, 6, ("revolute", "spherical", "prismatic"), drives=False)
    body = rk.Inertia("com", 3, (0.1, 0, 0), (0.1, 0, 0, 0.1, 0, 0.15))
    robot = rk.Robot("r", robot.links, robot.frames, base_inertia=body).on_free_base()
    model = mujoco.MjModel.from_xml_string(mjcf_text(robot))
    back = parse_mjcf(mjcf_text(robot))
    q, v, _ = back.random_state(seed)
    assert max(dynamics_gap(back, model, q, v)) < 1e-11


def test_gears_are_mimics_in_urdf_and_joint_equalities_in_mjcf(tmp_path: Path) -> None:
    body = rk.Inertia("com", 1, (0.1, 0, 0), (0.1, 0, 0, 0.1, 0, 0.15))
    links = (
        rk.Link("a", "base", rk.Joint("lead"), inertia=body),
        rk.Link("b", "a", rk.Joint("follow", actuated=False), rk.Placement((0.3, 0, 0)), body),
    )
    robot = rk.Robot("geared", links, couplings=(rk.Coupling("follow", "lead", "-2.5", 0.1),))
    for ending in ("urdf", "xml"):
        assert saved(robot, tmp_path / f"x.{ending}").couplings == robot.couplings
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "x.xml"))
    q = np.array([0.3, 0.7])
    residual, J = equality_rows(robot, model, q)
    assert tree_law(robot, "loop_residual", q) == pytest.approx(residual, abs=1e-15)
    assert tree_law(robot, "loop_jacobian", q) == pytest.approx(J, abs=1e-15)
    follower = pin.buildModelFromUrdf(str(tmp_path / "x.urdf"), mimic=True)
    assert (follower.nv, follower.nq) == (1, 2)  # Pinocchio keeps cosine and sine of the leader


def test_a_planar_joint_is_three_joints_in_mjcf_and_one_in_urdf(tmp_path: Path) -> None:
    body = rk.Inertia("com", 1, (0.1, 0, 0), (0.1, 0, 0, 0.1, 0, 0.15))
    robot = rk.Robot("p", (rk.Link("a", "base", rk.Joint("slide", "planar", actuated=False), inertia=body),))
    q, v, a = robot.random_state(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IgnoredWarning)
        xml, urdf = (saved(robot, tmp_path / f"x.{ending}") for ending in ("xml", "urdf"))
    assert [joint.name for joint in xml.joints] == ["slide_TX", "slide_TY", "slide_RZ"]
    for back in (xml, urdf):
        assert forces(back, q, v, a) == pytest.approx(forces(robot, q, v, a), abs=1e-13)


# -- limits, names, comments -----------------------------------------------------------------------
def test_limits_and_friction_come_back_also_where_they_are_one_sided(tmp_path: Path) -> None:
    joints = (
        rk.Joint("a", limits=rk.Limits(-1, 2, 3, 4), viscous=0.1, coulomb=0.2, rotor=0.3),
        rk.Joint("b", limits=rk.Limits(lower=-1)),
        rk.Joint("c", "prismatic", limits=rk.Limits(effort=7)),
        rk.Joint("d"),
    )
    body = rk.Inertia("com", 1, (0.1, 0, 0), (0.1, 0, 0, 0.1, 0, 0.15))
    parents = ("base", "la", "lb", "lc")
    links = tuple(rk.Link(f"l{j.name}", p, j, inertia=body) for j, p in zip(joints, parents, strict=True))
    robot = rk.Robot("limits", links)
    assert [link.joint for link in saved(robot, tmp_path / "x.urdf").links] == list(joints)
    with pytest.warns(IgnoredWarning, match="velocity limits: a"):
        robot.save(tmp_path / "x.xml")
    back = rk.load(tmp_path / "x.xml")
    assert back.name == robot.name
    kept = rk.Joint("a", limits=rk.Limits(-1, 2, effort=4), viscous=0.1, coulomb=0.2, rotor=0.3)
    assert [link.joint for link in back.links] == [kept, *joints[1:]]


def test_what_a_format_cannot_say_is_refused_or_told_by_name(tmp_path: Path) -> None:
    body = rk.Inertia("com", 1, (0.1, 0, 0), (0.1, 0, 0, 0.1, 0, 0.15))

    def one(joint: rk.Joint, **more: object) -> Robot:
        return rk.Robot("r", (rk.Link("a", "base", joint, inertia=body),), **more)  # type: ignore[arg-type]

    for ending in ("urdf", "xml"):
        with pytest.raises(WrongValue, match="'s' is a screw"):
            one(rk.Joint("s", "helical", pitch=0.1)).save(tmp_path / f"x.{ending}")
        with pytest.raises(WrongValue, match="another normal than z"):
            one(rk.Joint("p", "planar", axis=(1, 0, 0))).save(tmp_path / f"x.{ending}")
        with pytest.raises(MissingValue, match=r"has L\. robot\.bind\(\*\*robot\.declared_values\)"):
            rk.Robot(
                "r",
                (rk.Link("a", "base", rk.Joint("j"), rk.Placement(("L", 0, 0))),),
                symbols=(rk.Symbol("L", 1),),
            ).save(tmp_path / f"x.{ending}")
        with pytest.raises(MissingValue, match=r"robot\.bind\(L=\.\.\.\)"):
            rk.Robot("r", (rk.Link("a", "base", rk.Joint("j"), rk.Placement(("L", 0, 0))),)).save(
                tmp_path / f"x.{ending}"
            )
        regrouped = rk.Inertia("origin", 0, (1, 0, 0))
        with pytest.raises(WrongValue, match="first moments but no mass"):
            rk.Robot("r", (rk.Link("a", "base", rk.Joint("j"), inertia=regrouped),)).save(
                tmp_path / f"x.{ending}"
            )
    with pytest.raises(WrongValue, match="'b' is spherical, which URDF does not have"):
        one(rk.Joint("b", "spherical")).save(tmp_path / "x.urdf")
    with pytest.raises(WrongValue, match="Free joint 'f' stands on"):
        rk.Robot("r", (rk.Link("a", "base", rk.Joint("f", "free"), rk.Placement((1, 0, 0)), body),)).save(
            tmp_path / "x.xml"
        )
    with pytest.raises(WrongValue, match="named 'world'"):
        rk.Robot("r", (rk.Link("world", "base", rk.Joint("f"), inertia=body),)).save(tmp_path / "x.xml")
    links = (
        rk.Link("a", "base", rk.Joint("j"), inertia=body),
        rk.Link("b", "base", rk.Joint("k"), inertia=body),
    )
    slide = rk.Loop("cut", "prismatic", rk.LoopEnd("a"), rk.LoopEnd("b"))
    with pytest.raises(WrongValue, match="closed by a prismatic joint, which MJCF cannot say"):
        rk.Robot("r", links, loops=(slide,)).save(tmp_path / "x.xml")
    with pytest.warns(IgnoredWarning, match=r"bodies without mass \(given 1e-14 kg\): a"):
        rk.Robot("r", (rk.Link("a", "base", rk.Joint("j")),)).save(tmp_path / "x.xml")
    mujoco.MjModel.from_xml_path(str(tmp_path / "x.xml"))
    with pytest.raises(WrongValue, match="ends with neither"):
        one(rk.Joint("j")).save(tmp_path / "x.obj")


def test_the_puma_is_written_with_a_warning_of_what_mujoco_will_refuse(tmp_path: Path) -> None:
    with pytest.warns(IgnoredWarning, match=r"inertias no body can have \(MuJoCo refuses them\): link3"):
        shipped("puma560").save(tmp_path / "x.xml")


def test_a_stale_side_file_is_pointed_out(tmp_path: Path) -> None:
    shipped("four_bar").save(tmp_path / "x.urdf")
    with pytest.warns(IgnoredWarning, match=r"x\.loops\.toml belongs to an older x\.urdf"):
        rk.Robot("r", (rk.Link("a", "base", rk.Joint("j")),)).save(tmp_path / "x.urdf")


# -- the side file ---------------------------------------------------------------------------------
def validator() -> jsonschema.Draft202012Validator:
    schemas = {
        name: json.loads((files("rikigaku.model") / name).read_text())
        for name in ("robot.schema.json", "loops.schema.json")
    }
    registry = Registry().with_resources(
        [(name, Resource.from_contents(schema)) for name, schema in schemas.items()]
    )
    jsonschema.Draft202012Validator.check_schema(schemas["loops.schema.json"])
    return jsonschema.Draft202012Validator(schemas["loops.schema.json"], registry=registry)


@pytest.mark.parametrize("name", ["four_bar", "stewart", "puma560", "space_arm_6"])
def test_side_files_we_write_fit_the_schema(name: str, tmp_path: Path) -> None:
    saved(shipped(name), tmp_path / "x.urdf")
    validator().validate(tomllib.loads((tmp_path / "x.loops.toml").read_text()))


SIDE = """
schema = 1
gravity = [0, 0, -1.62]
passive = ["b"]
[rotor]
a = "2*0.05"
[[frame]]
name = "tip"
link = "lb"
placement = { xyz = [1, 0, 0] }
[[loop]]
name = "cut"
joint = "revolute"
from = { link = "la" }
to = { link = "lb", placement = { xyz = ["sqrt(2)", 0, 0] } }
independent = ["a"]
"""


def two_links() -> Robot:
    return rk.Robot("r", (rk.Link("la", "base", rk.Joint("a")), rk.Link("lb", "base", rk.Joint("b"))))


def test_a_side_file_written_by_hand_adds_what_it_says() -> None:
    validator().validate(tomllib.loads(SIDE))
    robot = with_loops(two_links(), SIDE)
    assert [joint.actuated for joint in robot.joints] == [True, False]
    assert (float(robot.joint("a").rotor), float(robot.gravity[2])) == (0.1, -1.62)
    assert (robot.loops[0].name, robot.independent, robot.frames[0].name) == ("cut", ("a",), "tip")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("schema = 1", "schema = 2", "this version reads schema = 1"),
        ('passive = ["b"]', 'passive = ["c"]', "no moving joint named 'c'"),
        ('a = "2*0.05"', "elbow = 1", "no moving joint named 'elbow'"),
        ('from = { link = "la" }', 'from = { link = "lx" }', "there is no link 'lx'"),
        ('joint = "revolute"', 'joint = "revolut"', "Did you mean 'revolute'"),
        ("gravity =", "gravitiy =", "Did you mean 'gravity'"),
        ("[rotor]", "[rotor", "not a TOML file"),
    ],
)
def test_mistakes_in_a_side_file_are_named(old: str, new: str, said: str) -> None:
    with pytest.raises(BadModel) as caught:
        with_loops(two_links(), SIDE.replace(old, new), "x.loops.toml")
    assert said in str(caught.value)
    assert "x.loops.toml" in str(caught.value)
