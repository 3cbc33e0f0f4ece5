"""Loops of SDF files: which joint is cut, by choice of the reader or by name, and what a cut lets through."""

from pathlib import Path

import numpy as np
import pytest
from mujoco_reference import null_projector, tree_law
from readers import parse_sdf
from sdf_files import joint, link, model

import rikigaku as rk
from rikigaku.core.errors import BadModel, UnknownName, WrongValue


def four_bar(*kinds: str, extra: dict[int, str] | None = None) -> str:
    ends = [("world", "crank"), ("crank", "coupler"), ("coupler", "rocker"), ("world", "rocker")]
    bars = [link("crank"), link("coupler", "1 0 0 0 0 0"), link("rocker", "1 1 0 0 0 0")]
    joints = [
        joint(f"j{i}", kind, *end, inside=(extra or {}).get(i, ""))
        for i, (kind, end) in enumerate(zip(kinds, ends, strict=True))
    ]
    return model(*bars, *joints)


DAMPED = (
    "<axis><xyz>0 0 1</xyz><dynamics><damping>1</damping></dynamics><limit><effort>0</effort></limit></axis>"
)
DRIVEN = "<axis><xyz>0 0 1</xyz><limit><effort>5</effort></limit></axis>"


@pytest.mark.parametrize(
    ("kinds", "cut"),
    [
        (("revolute",) * 4, "j3"),  # the last of equals
        (("revolute", "ball", "revolute", "revolute"), "j1"),
        (("revolute", "ball", "universal", "revolute"), "j1"),
        (("revolute", "revolute", "prismatic", "prismatic"), "j1"),
        (("revolute", "revolute", "fixed", "screw"), "j1"),
    ],
)
def test_balls_are_cut_before_hinges_and_hinges_before_slides(kinds: tuple[str, ...], cut: str) -> None:
    text = four_bar(*kinds).replace(
        "type='screw'>", "type='screw'><screw_thread_pitch>0.1</screw_thread_pitch>"
    )
    assert [loop.name for loop in parse_sdf(text).loops] == [cut]


def test_an_actuated_joint_and_one_with_friction_are_kept() -> None:
    text = four_bar(*("revolute",) * 4).replace(joint("j3", "revolute", "world", "rocker"), "{}")
    last = "<joint name='j3' type='revolute'><parent>world</parent><child>rocker</child>{}</joint>"
    for inside in (DAMPED, DRIVEN):
        assert [loop.name for loop in parse_sdf(text.replace("{}", last.format(inside))).loops] == ["j2"]


def test_cuts_that_cannot_be_made_are_refused_by_name() -> None:
    text = four_bar(*("revolute",) * 4)
    with pytest.raises(UnknownName, match="Did you mean 'j1'"):
        parse_sdf(text, cut=["j11"])
    with pytest.raises(WrongValue, match="'j0' cannot be cut: without it 'world' and 'crank' are not"):
        parse_sdf(text, cut=["j0", "j1"])
    screws = four_bar("screw", "screw", "screw", "screw").replace(
        "type='screw'>", "type='screw'><thread_pitch>-10</thread_pitch>"
    )
    with pytest.raises(BadModel, match="a helical joint cannot close a loop"):
        parse_sdf(screws)


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "universal", "ball", "fixed"])
def test_a_cut_joint_of_any_type_lets_exactly_its_own_motion_through(kind: str) -> None:
    """A body on a ball-and-slides arm, held by the cut: what moves is what the joint allows."""
    parts = [
        link("one", "0.1 0.2 0.3 0.4 0.5 0.6"),
        link("two", "0.2 0.2 0.3 0.4 0.5 0.6"),
        link("three", "0.2 0.3 0.3 0.4 0.5 0.6"),
        link("body", "0.5 0.4 0.3 0.2 0.1 0"),
        *(
            joint(f"s{i}", "prismatic", *ends, axis=axis)
            for i, (ends, axis) in enumerate(
                zip(
                    (("world", "one"), ("one", "two"), ("two", "three")),
                    ("1 0 0", "0 1 0", "0 0 1"),
                    strict=True,
                )
            )
        ),
        joint("turn", "ball", "three", "body"),
        joint("held", kind, "world", "body", "<pose>0.1 0.1 0 0.2 0.3 0.4</pose>", "0 1 0"),
    ]
    robot = parse_sdf(model(*parts), cut=["held"])
    J = tree_law(robot, "loop_jacobian", robot.neutral())
    free = {"revolute": 1, "prismatic": 1, "universal": 2, "ball": 3, "fixed": 0}[kind]
    assert np.trace(null_projector(J)) == pytest.approx(free)


def test_cut_is_refused_for_files_that_say_themselves_where_they_are_cut(tmp_path: Path) -> None:
    path = tmp_path / "x.urdf"
    path.write_text("<robot name='x'><link name='a'/></robot>")
    with pytest.raises(WrongValue, match="are cut where the file says"):
        rk.load(path, cut=["j"])
