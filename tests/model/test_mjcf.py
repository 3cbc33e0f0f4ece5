"""MJCF files: dynamics, poses and equalities against MuJoCo itself, and what is said about wrong files."""

import math
import warnings
from pathlib import Path

import mujoco
import numpy as np
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

import rikigaku as rk
from rikigaku.errors import BadModel, IgnoredWarning, TooLarge
from rikigaku.model import mjcf_bodies, mjcf_defaults
from rikigaku.model.mjcf import parse_mjcf, read_mjcf
from rikigaku.model.robot import Robot

EVERYTHING = (Path(__file__).parent / "everything.xml").read_text()
# MuJoCo turns axes and orientations into quaternions and back; a few hundred roundings follow.
TOLERANCE = 1e-12
FOUR_BAR = """<mujoco model="four_bar">
  <compiler angle="radian"/>
  <worldbody>
    <body name="crank"><joint name="a" axis="0 1 0"/><geom type="capsule" size=".02" fromto="0 0 0 .2 0 0"/>
      <body name="coupler" pos=".2 0 0"><joint name="b" axis="0 1 0"/>
        <geom type="capsule" size=".02" fromto="0 0 0 .4 0 .3"/></body></body>
    <body name="rocker" pos=".6 0 0"><joint name="c" axis="0 1 0"/>
      <geom type="capsule" size=".02" fromto="0 0 0 0 0 .3"/></body>
  </worldbody>
  <equality>{equality}</equality>
  <actuator><motor joint="a"/></actuator>
</mujoco>"""
POINT = '<connect name="pin" body1="coupler" body2="rocker" anchor=".4 0 .3"/>'
AXIS = POINT + '<connect name="pin2" body1="coupler" body2="rocker" anchor=".4 .1 .3"/>'


def both(text: str) -> tuple[Robot, mujoco.MjModel]:
    return parse_mjcf(text), mujoco.MjModel.from_xml_string(text)


def body(inside: str, around: str = "", name: str = "b") -> str:
    return f"<mujoco>{around}<worldbody><body name='{name}'>{inside}</body></worldbody></mujoco>"


def mistakes(text: str) -> str:
    with pytest.raises(BadModel) as caught:
        parse_mjcf(text, "x.xml")
    assert str(caught.value).startswith("x.xml has ")
    return "\n".join(caught.value.problems)


# -- against MuJoCo --------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(3))
def test_every_way_of_writing_a_body_gives_the_dynamics_mujoco_computes(seed: int) -> None:
    robot, model = both(EVERYTHING)
    q, v, _ = robot.random_state(seed)
    assert max(dynamics_gap(robot, model, q, v)) < TOLERANCE


def test_joint_data_are_those_mujoco_holds() -> None:
    robot, model = both(EVERYTHING)
    for i, joint in enumerate(robot.joints):
        dof = int(model.jnt_dofadr[i])
        held = (model.dof_armature[dof], model.dof_damping[dof], model.dof_frictionloss[dof])
        assert (float(joint.rotor), float(joint.viscous), float(joint.coulomb)) == held
        if model.jnt_limited[i]:
            bounds = model.jnt_range[i] - model.qpos0[model.jnt_qposadr[i]]
            assert (joint.limits.lower, joint.limits.upper) == pytest.approx(bounds, abs=1e-15)
        else:
            assert joint.limits.lower is None
    assert [joint.name for joint in robot.joints if joint.actuated] == ["yaw", "wrist"]
    assert [float(g) for g in robot.gravity] == list(model.opt.gravity)


def test_a_gear_holds_where_mujoco_says_the_joint_equality_holds() -> None:
    robot, model = both(EVERYTHING)
    q, _, _ = robot.random_state(4)
    residual, J = equality_rows(robot, model, q)
    assert tree_law(robot, "loop_residual", q) == pytest.approx(residual, abs=1e-15)
    assert tree_law(robot, "loop_jacobian", q) == pytest.approx(J, abs=1e-15)


def test_the_model_in_mujocos_own_tests_moves_as_there_but_for_the_body_of_a_mesh() -> None:
    path = Path(mujoco.__file__).parent / "testdata" / "model.xml"
    with pytest.warns(IgnoredWarning, match=r"gravcomp.*'head'(.|\n)*mesh geoms(.|\n)*<tendon>"):
        robot = read_mjcf(path)
    model = mujoco.MjModel.from_xml_path(str(path))
    q, v, _ = robot.random_state(1)
    layout, data = layout_by_order(robot, model), data_at(robot, model, q, v)
    T = layout.velocity_map(q)
    slider = robot.v_slices["slider"].start
    known = [k for k in range(robot.nv) if k not in (slider, slider + 1)]  # the mesh's two joints
    ours, theirs = T @ tree_law(robot, "mass_matrix", q) @ T.T, full_mass_matrix(model, data)
    assert ours[np.ix_(known, known)] == pytest.approx(theirs[np.ix_(known, known)], abs=1e-12)
    for name in ("knee", "wheel_0", "anchor1"):
        shown = f"{name} site" if f"{name} site" in robot.frame_names else name
        assert tree_law(robot, "pose", q, frame=shown)[:3, 3] == pytest.approx(
            data.site(name).xpos, abs=1e-12
        )


def random_model(seed: int) -> str:
    """A random tree: one to three joints a body, geoms of all shapes, anchors and frames anywhere."""
    rng = np.random.default_rng(seed)

    def some(n: int, size: float) -> str:
        return " ".join(f"{x:.3f}" for x in rng.uniform(-size, size, n))

    def geom() -> str:
        kind = str(rng.choice(["sphere", "capsule", "cylinder", "ellipsoid", "box"]))
        sizes = " ".join(f"{x:.3f}" for x in rng.uniform(0.05, 0.2, 3))
        way = f'euler="{some(3, 90)}"' if rng.random() < 0.5 else f'quat="{some(4, 1)}"'
        return f'<geom type="{kind}" size="{sizes}" pos="{some(3, 0.2)}" {way}/>'

    def joints(i: int) -> str:
        kinds = [["hinge"], ["slide"], ["ball"], ["hinge", "slide"], ["hinge", "hinge", "hinge"]]
        chosen = kinds[int(rng.integers(len(kinds)))]
        return "".join(
            f'<joint name="j{i}_{k}" type="{kind}" pos="{some(3, 0.3)}" axis="{some(3, 1)}" ref="0.{k}"/>'
            for k, kind in enumerate(chosen)
        )

    def one(i: int, left: int) -> str:
        inside = joints(i) + geom() + geom()
        count = int(rng.integers(1, 3)) if left > 0 else 0
        inside += "".join(one(2 * i + k + 1, left - 1) for k in range(count))
        return f'<body name="b{i}" pos="{some(3, 0.5)}" euler="{some(3, 90)}">{inside}</body>'

    return f"<mujoco><worldbody>{one(0, 2)}</worldbody></mujoco>"


@pytest.mark.parametrize("seed", range(6))
def test_random_trees_of_any_joints_and_shapes_agree_with_mujoco(seed: int) -> None:
    robot, model = both(random_model(seed))
    q, v, _ = robot.random_state(seed)
    assert max(dynamics_gap(robot, model, q, v)) < TOLERANCE


# -- equalities ------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("equality", "joint"),
    [
        (POINT, "spherical"),
        (AXIS, "revolute"),
        ('<weld body1="coupler" body2="rocker" anchor="0.1 0.2 0.3"/>', "fixed"),
        ('<weld body1="coupler" body2="rocker" anchor="0 0 .3" torquescale="0"/>', "spherical"),
        ('<weld body1="coupler" body2="rocker" relpose=".3 .01 .1 1 0 .5 0"/>', "fixed"),
    ],
)
def test_a_closed_posture_of_ours_is_one_of_mujocos_and_moves_the_same_way(equality: str, joint: str) -> None:
    robot, model = both(FOUR_BAR.format(equality=equality))
    assert [loop.joint for loop in robot.loops] == [joint]
    q = closed(robot, np.array([0.3, 0.1, 0.2]))
    theirs, J = equality_rows(robot, model, q)
    if "relpose" in equality:  # it cannot be closed in the plane: the residuals differ by their units only
        assert np.abs(tree_law(robot, "loop_residual", q)).max() > 1e-3
    else:
        assert np.abs(tree_law(robot, "loop_residual", q)).max() < 1e-13
        assert np.abs(theirs).max() < 1e-12
    assert null_projector(tree_law(robot, "loop_jacobian", q)) == pytest.approx(null_projector(J), abs=1e-9)


def test_the_gap_of_a_connect_has_the_length_mujoco_gives_it_in_any_posture() -> None:
    robot, model = both(FOUR_BAR.format(equality=POINT))
    for q in np.random.default_rng(1).uniform(-2, 2, (5, 3)):
        theirs, _ = equality_rows(robot, model, q)
        assert np.linalg.norm(tree_law(robot, "loop_residual", q)) == pytest.approx(
            np.linalg.norm(theirs), abs=1e-13
        )


def test_sites_close_a_loop_where_they_are_not_where_the_drawing_has_them() -> None:
    sites = FOUR_BAR.replace('<body name="rocker"', '<site name="t"/><body name="rocker"').replace(
        '<body name="coupler" pos=".2 0 0">',
        '<body name="coupler" pos=".2 0 0"><site name="s" pos=".4 0 .35"/>',
    )
    robot, model = both(sites.format(equality='<connect site1="s" site2="t"/>'))
    q = np.array([0.4, -0.3, 0.2])
    theirs, _ = equality_rows(robot, model, q)
    assert np.linalg.norm(tree_law(robot, "loop_residual", q)) == pytest.approx(
        np.linalg.norm(theirs), abs=1e-13
    )


def test_bodies_and_joints_without_names_get_some() -> None:
    three = "<joint type='slide'/><joint/><joint type='ball'/>"
    text = f"<mujoco><worldbody><body>{three}</body></worldbody></mujoco>"
    robot = parse_mjcf(text)
    assert [joint.name for joint in robot.joints] == ["body1 joint", "body1 joint 2", "body1 joint 3"]
    assert robot.links[-1].name == "body1"


def test_a_joint_held_by_an_equality_is_locked_there() -> None:
    robot = parse_mjcf(FOUR_BAR.format(equality='<joint joint1="b" polycoef="0.25"/>'))
    assert [joint.name for joint in robot.joints] == ["a", "c"]
    free = parse_mjcf(FOUR_BAR.format(equality=""))
    assert tree_law(robot, "pose", np.array([0.1, 0.2]), frame="coupler") == pytest.approx(
        tree_law(free, "pose", np.array([0.1, 0.25, 0.2]), frame="coupler"), abs=1e-15
    )


def test_nonlinear_gears_and_tendon_equalities_are_refused_with_the_reason() -> None:
    curved = '<joint name="cam" joint1="b" joint2="a" polycoef="0 1 0.5 0 0"/>'
    assert "polycoef has the higher terms [0.5, 0.0, 0.0]; a gear is linear" in mistakes(
        FOUR_BAR.format(equality=curved)
    )
    assert "<tendon>: is not read; connect, weld and joint are" in mistakes(
        FOUR_BAR.format(equality='<tendon tendon1="t"/>')
    )
    assert "Did you mean 'crank'" in mistakes(
        FOUR_BAR.format(equality='<connect body1="krank" anchor="0 0 0"/>')
    )


def test_without_an_actuator_section_hinges_and_slides_are_driven_and_with_an_empty_one_none_is() -> None:
    text = FOUR_BAR.format(equality='<joint joint1="b" joint2="a"/>')
    motors = '<actuator><motor joint="a"/></actuator>'
    assert [joint.actuated for joint in parse_mjcf(text).joints] == [True, False, False]
    assert [joint.actuated for joint in parse_mjcf(text.replace(motors, "")).joints] == [True, False, True]
    assert not any(joint.actuated for joint in parse_mjcf(text.replace(motors, "<actuator/>")).joints)


# -- inertia settings ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "compiler",
    [
        'inertiafromgeom="true"',
        'settotalmass="5"',
        'boundmass="3" boundinertia="0.2"',
        'inertiagrouprange="1 2"',
        'balanceinertia="true"',
    ],
)
def test_compiler_settings_change_the_inertia_as_they_do_in_mujoco(
    compiler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # MuJoCo writes a log of its deprecations where it stands
    inside = """<joint axis="1 0 0"/><geom size=".1" group="1"/><geom type="box" size=".3 .1 .2" pos="1 0 0"/>
      <body pos="0 0 1"><joint axis="0 1 0"/><inertial mass="2" pos="0 0 .1" diaginertia=".1 .2 .25"/>
      <geom type="capsule" size=".1 .2" group="1"/></body>"""
    robot, model = both(body(inside, f"<compiler {compiler}/>"))
    q, v, _ = robot.random_state(2)
    assert max(dynamics_gap(robot, model, q, v)) < TOLERANCE


def test_a_mesh_without_an_inertial_is_named_in_a_warning_and_weighs_nothing() -> None:
    with pytest.warns(IgnoredWarning, match=r"mesh geoms \(give the body an <inertial>\): 'skin'"):
        robot = parse_mjcf(body('<joint/><geom name="skin" type="mesh" mesh="m"/>'))
    assert robot.links[0].inertia is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parse_mjcf(body('<joint/><geom type="mesh" mesh="m" mass="0"/>'))


# -- includes, and files that are wrong ------------------------------------------------------------------
def test_includes_are_spliced_in_from_the_folder_and_never_from_outside(tmp_path: Path) -> None:
    main = tmp_path / "robots" / "main.xml"
    (main.parent / "parts").mkdir(parents=True)
    (main.parent / "parts" / "arm.xml").write_text(
        "<mujocoinclude><body name='arm'><joint/></body></mujocoinclude>"
    )
    (tmp_path / "secret.xml").write_text("<mujocoinclude><body name='secret'/></mujocoinclude>")
    (main.parent / "link.xml").symlink_to(tmp_path / "secret.xml")
    text = "<mujoco><worldbody><include file='{}'/></worldbody></mujoco>"
    main.write_text(text.format("parts/arm.xml"))
    assert rk.load(main).links[0].name == "arm"
    for file in ("../secret.xml", str(tmp_path / "secret.xml"), "link.xml", "parts/../../secret.xml", ""):
        main.write_text(text.format(file))
        with pytest.raises(BadModel, match="only files in the folder of the main file"):
            rk.load(main)
    main.write_text(text.format("none.xml"))
    with pytest.raises(BadModel, match="cannot be read"):
        rk.load(main)
    main.write_text(text.format("main.xml"))
    with pytest.raises(BadModel, match="included a second time"):
        rk.load(main)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<robot/>", "begins with <mujoco>, not <robot>. This is a URDF"),
        (body("<joint axis='0 0 0'/>"), "the zero vector has no direction"),
        (body("<joint type='hing'/>"), "type='hing' is none of hinge, slide, ball, free"),
        (body("<joint pos='1 2'/>"), "pos='1 2': 3 numbers belong here"),
        (body("<joint class='fat'/>"), "there is no defaults class 'fat'"),
        (body("<geom size='0'/>"), "a sphere needs positive sizes"),
        (body("<geom quat='0 0 0 0'/>"), "the zero vector has no direction"),
        (body("<geom quat='1 0 0 0' euler='0 0 0'/>"), "one orientation is enough"),
        (body("<geom size='.1' shellinertia='true'/>"), "shellinertia is not read"),
        (body("<composite/>"), "let MuJoCo write the expanded model"),
        (body("<joint name='j'/><joint name='j'/>"), "this name was used before"),
        (body("<freejoint/><joint/>"), "a free joint belongs to a body of the world, and alone"),
        (body("<joint/>", "<compiler coordinate='global'/>"), "coordinate='global'"),
        (body("<joint/>", "<compiler eulerseq='xyw'/>"), "three of x y z X Y Z"),
        (body("<inertial pos='0 0 0' diaginertia='1 1 1'/>"), "attribute 'mass' is missing"),
        (body("<joint/>", "<actuator><motor joint='elbow'/></actuator>"), "no joint named 'elbow'"),
        (body("<jiont/>"), "there is no <jiont> in a body"),
    ],
)
def test_a_mistake_is_named_with_its_line(text: str, said: str) -> None:
    problems = mistakes(text)
    assert said in problems
    assert "line 1" in problems


def test_document_types_and_files_beyond_the_limits_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadModel, match="DOCTYPE"):
        parse_mjcf("<!DOCTYPE mujoco [<!ENTITY a 'b'>]><mujoco/>")
    deep = "<body>" * 401 + "</body>" * 401
    with pytest.raises(TooLarge, match="nested deeper than 400"):
        parse_mjcf(f"<mujoco><worldbody>{deep}</worldbody></mujoco>")
    monkeypatch.setattr(mjcf_bodies, "MAX_BODIES", 2)
    with pytest.raises(TooLarge, match="more than 2 bodies"):
        parse_mjcf(f"<mujoco><worldbody>{'<body/>' * 3}</worldbody></mujoco>")
    monkeypatch.setattr(mjcf_defaults, "MAX_ELEMENTS", 2)
    with pytest.raises(TooLarge, match="more than 2 XML elements"):
        parse_mjcf("<mujoco><worldbody><body/></worldbody></mujoco>")


def test_a_chain_of_three_hundred_links_is_read_whole() -> None:
    link = "<body pos='0 0 .1'><joint axis='1 0 0'/><geom size='.05'/>"
    robot = parse_mjcf(f"<mujoco><worldbody>{link * 300}{'</body>' * 300}</worldbody></mujoco>")
    assert robot.nv == 300
    assert math.isclose(
        sum(float(one.inertia.m) for one in robot.links), 300 * 1000 * 4 / 3 * math.pi * 0.05**3
    )
