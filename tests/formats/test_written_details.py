"""What URDF and MJCF say of limits, friction, gears and planar joints, and what they cannot say."""

import warnings
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from mujoco_reference import equality_rows, tree_law
from written_robots import forces, saved, shipped

import rikigaku as rk
from rikigaku.core.errors import IgnoredWarning, MissingValue, WrongValue
from rikigaku.robot import Robot


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
        with pytest.raises(WrongValue, match=r"'s' is helical, which (URDF|MJCF) does not have"):
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
    with pytest.raises(WrongValue, match="Free joint 'f' is on"):
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
    with pytest.raises(WrongValue, match="closed by a prismatic joint, which MJCF lacks"):
        rk.Robot("r", links, loops=(slide,)).save(tmp_path / "x.xml")
    with pytest.warns(IgnoredWarning, match=r"bodies without mass \(given 1e-14 kg\): a"):
        rk.Robot("r", (rk.Link("a", "base", rk.Joint("j")),)).save(tmp_path / "x.xml")
    mujoco.MjModel.from_xml_path(str(tmp_path / "x.xml"))
    with pytest.raises(WrongValue, match="ends with none of"):
        one(rk.Joint("j")).save(tmp_path / "x.obj")


def test_the_puma_is_written_with_a_warning_of_what_mujoco_will_refuse(tmp_path: Path) -> None:
    with pytest.warns(IgnoredWarning, match=r"inertias no body can have \(MuJoCo refuses them\): link3"):
        shipped("puma560").save(tmp_path / "x.xml")
