"""MJCF files: bodies, joints and inertias are those MuJoCo makes of the same text."""

import warnings
from pathlib import Path

import mujoco
import numpy as np
import pytest
from mjcf_files import EVERYTHING, FOUR_BAR, TOLERANCE, body, both
from mujoco_reference import data_at, dynamics_gap, full_mass_matrix, layout_by_order, tree_law
from readers import parse_mjcf, read_mjcf

from rikigaku.core.errors import IgnoredWarning


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


def test_bodies_and_joints_without_names_get_some() -> None:
    three = "<joint type='slide'/><joint/><joint type='ball'/>"
    text = f"<mujoco><worldbody><body>{three}</body></worldbody></mujoco>"
    robot = parse_mjcf(text)
    assert [joint.name for joint in robot.joints] == ["body1 joint", "body1 joint 2", "body1 joint 3"]
    assert robot.links[-1].name == "body1"


def test_without_an_actuator_section_hinges_and_slides_are_driven_and_with_an_empty_one_none_is() -> None:
    text = FOUR_BAR.format(equality='<joint joint1="b" joint2="a"/>')
    motors = '<actuator><motor joint="a"/></actuator>'
    assert [joint.actuated for joint in parse_mjcf(text).joints] == [True, False, False]
    assert [joint.actuated for joint in parse_mjcf(text.replace(motors, "")).joints] == [True, False, True]
    assert not any(joint.actuated for joint in parse_mjcf(text.replace(motors, "<actuator/>")).joints)


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
