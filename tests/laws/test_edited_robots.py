"""Edited robots obey the laws of the robots they came from."""

from dataclasses import replace

import numpy as np
import pose_reference as reference
import pytest
from law_cases import agree, robot, state
from law_kinds import on_floats
from random_robots import ALL_JOINTS, random_inertia, random_robot

from rikigaku.model.geometry import Placement, StandardDH
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.joint import Joint
from rikigaku.model.robot_model import Link
from rikigaku.numbers.formula import Formula
from rikigaku.robot import Robot

Array = np.ndarray
TREES = [robot(seed, 7, True) for seed in (31, 32, 33)]
trees = pytest.mark.parametrize("tree", TREES, ids=lambda tree: tree.name)


@trees
def test_a_locked_joint_is_one_that_never_moves(tree: Robot) -> None:
    """The other joints need the same forces as when its rates and accelerations are zero."""
    for joint in tree.joints:
        q, v, a = state(tree)
        own_q, own_v = tree.q_slices[joint.name], tree.v_slices[joint.name]
        q[own_q] = np.round(q[own_q], 3)  # decimals: what lock() is given is what it means
        if joint.type in ("spherical", "free"):
            q[own_q.stop - 4 : own_q.stop] = (0.5, -0.5, 0.5, 0.5)
        v[own_v] = a[own_v] = 0
        locked = tree.lock(joint.name, q[own_q].tolist() if joint.nq > 1 else float(q[own_q][0]))
        assert locked.nv == tree.nv - joint.nv
        rest_q = np.delete(q, np.arange(tree.nq)[own_q])
        rest_v, rest_a = (np.delete(x, np.arange(tree.nv)[own_v]) for x in (v, a))
        tau = on_floats(tree, "inverse_dynamics", q, v, a)
        ours = on_floats(locked, "inverse_dynamics", rest_q, rest_v, rest_a)
        # Turns about a slanted axis come back as roll, pitch and yaw of few digits less.
        assert agree(ours, np.delete(tau, np.arange(tree.nv)[own_v]), 1e-11)


@trees
def test_a_payload_is_inertia_added_to_the_link_that_carries_it(tree: Robot) -> None:
    rng = np.random.default_rng(3)
    payload = random_inertia(rng)
    place = Placement((Formula.of("0.1"), Formula.of("-0.2"), Formula.of("0.3")), (Formula.of("0.4"),) * 3)
    loaded = tree.attach("tip", payload, geometry=place)
    q, v, a = state(tree)
    ours = on_floats(loaded, "inverse_dynamics", q, v, a)
    assert agree(ours, on_floats(tree, "inverse_dynamics", q, v, a) + payload_force(loaded, q, v, a))
    assert agree(on_floats(loaded, "mass_matrix", q), reference.mass_matrix(loaded, q))


def payload_force(loaded: Robot, q: Array, v: Array, a: Array) -> Array:
    """What the payload alone asks of the joints: Kane's equation of one body."""
    links = tuple(
        link
        if link.name == "payload"
        else replace(link, inertia=None, joint=replace(link.joint, rotor=Formula.of(0)))
        for link in loaded.links
    )
    return reference.kane(replace(loaded, links=links), q, v, a)


@trees
def test_an_inertia_on_a_fixed_link_and_the_same_one_merged_by_hand_are_alike(tree: Robot) -> None:
    """Ten parameters about the origin of the parent link add up."""
    one, other = (Formula.of(x) for x in ("0.7", "0.3"))
    first = Inertia("origin", one, (one, other, one), (one + 3, other, one, one + 2, other, one + 3))
    second = Inertia("origin", other, (other, one, one), (one + 2, one, one, one + 2, other, one + 4))
    both = Inertia(
        "origin",
        first.m + second.m,
        tuple(x + y for x, y in zip(first.position, second.position, strict=True)),  # type: ignore[arg-type]
        tuple(x + y for x, y in zip(first.tensor, second.tensor, strict=True)),  # type: ignore[arg-type]
    )
    last = tree.links[-1]
    bare = replace(tree, links=(*tree.links[:-1], replace(last, inertia=first)))
    merged = replace(tree, links=(*tree.links[:-1], replace(last, inertia=both)))
    inputs = state(tree)
    attached = bare.attach(last.name, second)
    assert agree(
        on_floats(attached, "inverse_dynamics", *inputs), on_floats(merged, "inverse_dynamics", *inputs)
    )


def test_two_robots_joined_on_the_ground_move_as_before() -> None:
    one, two = robot(41, 5), robot(42, 4)
    two = replace(two, gravity=one.gravity)
    both = one.join(two, "base", prefix="other_")
    states = [np.concatenate(pair) for pair in zip(state(one), state(two), strict=True)]
    alone = [on_floats(r, "inverse_dynamics", *state(r)) for r in (one, two)]
    assert agree(on_floats(both, "inverse_dynamics", *states), np.concatenate(alone))
    M = on_floats(both, "mass_matrix", states[0])
    assert not M[: one.nv, one.nv :].any()


def test_a_robot_joined_on_a_hand_is_the_tree_of_both() -> None:
    one, two = robot(43, 4), robot(44, 4)
    both = one.join(replace(two, gravity=one.gravity), "tip", prefix="other_")
    q, v, a = (np.concatenate(pair) for pair in zip(state(one), state(two), strict=True))
    ours = on_floats(both, "inverse_dynamics", q, v, a)
    assert agree(ours, reference.kane(both, q, v, a), 1e-10)


@trees
def test_a_base_that_floats_but_stands_still_changes_nothing_for_the_joints(tree: Robot) -> None:
    heavy = replace(tree, base_inertia=random_inertia(np.random.default_rng(8)))
    floating = heavy.on_free_base()
    q, v, a = state(tree)
    still = np.array([0.0, 0, 0, 1, 0, 0, 0])
    padded = [np.concatenate([np.zeros(6), x]) for x in (v, a)]
    ours = on_floats(floating, "inverse_dynamics", np.concatenate([still, q]), *padded)
    assert agree(ours[6:], on_floats(tree, "inverse_dynamics", q, v, a))


def test_a_floating_robot_left_alone_falls_freely() -> None:
    tree = replace(robot(45, 5), base_inertia=random_inertia(np.random.default_rng(9)))
    floating = tree.on_free_base()
    q, _, _ = state(floating)
    rest = np.zeros(floating.nv)
    a = on_floats(floating, "forward_dynamics", q, rest, rest)
    falling = reference.quaternion_matrix(*q[3:7]).T @ reference.gravity(tree)
    M = reference.mass_matrix(floating, q)
    assert agree(a, np.concatenate([falling, np.zeros(floating.nv - 3)]), 1e-14 * np.linalg.cond(M))


def of_one_type(kind: str, **fields: object) -> Robot:
    """Three links on joints of one type, each carrying the next, otherwise alike."""
    made = random_robot(51, 3, (kind,))
    links = tuple(
        replace(link, parent=parent, joint=replace(link.joint, **fields))  # type: ignore[arg-type]
        for link, parent in zip(made.links, ("base", "l1", "l2"), strict=True)
    )
    return replace(made, links=links)


def test_a_screw_without_pitch_is_a_hinge() -> None:
    screw, hinge = of_one_type("helical", pitch=Formula.of(0)), of_one_type("revolute")
    inputs = state(hinge)
    for name, count in (("inverse_dynamics", 3), ("mass_matrix", 1), ("coriolis_matrix", 2), ("poses", 1)):
        assert agree(on_floats(screw, name, *inputs[:count]), on_floats(hinge, name, *inputs[:count]))


def test_a_screw_of_great_pitch_is_a_slider() -> None:
    """With the pitch p, q = x / p turns little: tau p tends to the slider's force with error 1 / p."""
    slider = of_one_type("prismatic")
    x, v, a = state(slider)
    force = on_floats(slider, "inverse_dynamics", x, v, a)
    errors = []
    for p in (1e3, 1e6):
        screw = of_one_type("helical", pitch=Formula.of(p))
        ours = on_floats(screw, "inverse_dynamics", x / p, v / p, a / p) / p
        errors.append(np.abs(ours - force).max() / np.abs(force).max())
    assert errors[0] < 1e-2
    assert errors[1] < 2e-3 * errors[0]


def test_a_universal_joint_is_two_hinges_with_nothing_in_between() -> None:
    made = random_robot(52, 3, ("universal",))
    links: list[Link] = []
    for link in made.links:
        joint = link.joint
        first = Joint(f"{joint.name} first", "revolute", joint.axis)
        second = Joint(f"{joint.name} second", "revolute", joint.second_axis)
        before = (
            replace(link.geometry, a=Formula.of(0), alpha=Formula.of(0)) if after(link) else link.geometry
        )
        beyond = Link(link.name, f"{link.name} cross", second, after(link) or Placement(), link.inertia)
        links += [Link(f"{link.name} cross", link.parent, first, before), beyond]
    hinges = replace(made, links=tuple(links))
    inputs = state(made)
    assert agree(on_floats(made, "inverse_dynamics", *inputs), on_floats(hinges, "inverse_dynamics", *inputs))
    assert agree(
        on_floats(made, "pose", inputs[0], frame="tip"), on_floats(hinges, "pose", inputs[0], frame="tip")
    )


def after(link: Link) -> StandardDH | None:
    """Of a standard DH row, the part beyond the joint: a and alpha."""
    if not isinstance(link.geometry, StandardDH):
        return None
    return StandardDH(a=link.geometry.a, alpha=link.geometry.alpha)


@pytest.mark.parametrize("law", ["inverse_dynamics", "mass_matrix", "coriolis_matrix", "forward_dynamics"])
def test_a_robot_a_thousand_kilometres_away_keeps_its_digits(law: str) -> None:
    """On a fixed base, and on a free one: no law of motion depends on where the robot stands."""
    fixed = robot(61, 6, True)
    count = {"mass_matrix": 1, "coriolis_matrix": 2}.get(law, 3)
    place = Placement((Formula.of("1e6"), Formula.of("-1e6"), Formula.of("1e6")))
    carrier = Link("hill", "base", Joint("far", "fixed"), place)
    moved = tuple(replace(link, parent="hill") if link.parent == "base" else link for link in fixed.links)
    far = replace(fixed, links=(carrier, *moved))
    inputs = state(fixed)[:count]
    assert agree(on_floats(far, law, *inputs), on_floats(fixed, law, *inputs), 1e-13)
    assert np.abs(on_floats(far, "poses", inputs[0])[-1, :3, 3]).min() > 9e5

    floating = robot(62, 6, True, base="free")
    inputs = state(floating)[:count]
    there = [inputs[0] + np.concatenate([[1e6, -1e6, 1e6], np.zeros(floating.nq - 3)]), *inputs[1:]]
    near = on_floats(floating, law, *inputs)
    # The law differences no positions: every digit survives, whatever q starts with.
    assert np.array_equal(on_floats(floating, law, *there), near)


def test_all_joint_types_are_edited() -> None:
    assert {joint.type for tree in TREES for joint in tree.joints} == set(ALL_JOINTS) - {"fixed"}
