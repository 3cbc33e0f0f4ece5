"""Derivatives: by structure, by the graph, and by differences, with respect to states and symbols."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from law_cases import DIFFERENCES, agree, robot, state
from law_kinds import on_floats, on_states
from pose_reference import mass_matrix, slope, slopes, tangent
from random_robots import ALL_JOINTS, random_robot

from rikigaku.laws.catalogue import laws_of
from rikigaku.model.editing import on_free_base
from rikigaku.model.mechanism import instantiate
from rikigaku.model.robot_model import Symbol
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.robot import Robot

LAWS = laws_of("tree")

Array = np.ndarray
TREES = [robot(seed, links, True) for seed, links in ((11, 1), (12, 2), (13, 4), (14, 7))]
trees = pytest.mark.parametrize("tree", TREES, ids=lambda tree: tree.name)


def test_every_joint_type_is_among_the_trees() -> None:
    assert {joint.type for tree in TREES for joint in tree.joints} == set(ALL_JOINTS) - {"fixed"}


def differences(tree: Robot, name: str, *inputs: Array, **options: Any) -> list[Array]:
    """Derivatives of a law with respect to each input by extrapolated differences, q in the tangent."""
    result = []
    for k, x in enumerate(inputs):

        def law(at: Array, k: int = k) -> Array:
            full = [at if i == k else np.broadcast_to(y, (len(at), y.size)) for i, y in enumerate(inputs)]
            return on_states(tree, name, *full, **options)

        directions = tangent(tree, inputs[0]) if k == 0 else np.eye(x.size)
        result.append(slopes(law, x, directions))
    return result


@trees
def test_derivatives_of_inverse_dynamics_are_its_slopes(tree: Robot) -> None:
    inputs = state(tree)
    ours = tree.inverse_dynamics.derivative(*inputs)
    for mine, theirs in zip(ours, differences(tree, "inverse_dynamics", *inputs), strict=True):
        assert agree(mine, theirs, DIFFERENCES)
    assert ours._fields == ("q", "v", "a")


@trees
def test_derivatives_of_forward_dynamics_are_its_slopes(tree: Robot) -> None:
    inputs = state(tree)
    worse = np.linalg.cond(mass_matrix(tree, inputs[0]))
    ours = tree.forward_dynamics.derivative(*inputs)
    for mine, theirs in zip(ours, differences(tree, "forward_dynamics", *inputs), strict=True):
        assert agree(mine, theirs, DIFFERENCES * worse)
    assert ours._fields == ("q", "v", "tau")


@trees
def test_derivatives_by_structure_are_those_of_the_graph(tree: Robot) -> None:
    """Two ways with nothing in common; naming one input alone takes the way through the graph."""
    q, v, a = state(tree)
    whole = tree.inverse_dynamics.derivative(q, v, a)
    for name in ("q", "v", "a"):
        alone = tree.inverse_dynamics.derivative(q, v, a, wrt=name)
        assert alone._fields == (name,)
        assert agree(alone[0], getattr(whole, name))


@trees
def test_derivatives_run_on_plain_floats_too(tree: Robot) -> None:
    inputs = state(tree)
    for name in ("inverse_dynamics", "forward_dynamics"):
        law = LAWS[name].derivative
        assert law is not None
        by_floats = law.recursion(instantiate(tree, FLOATS, {}), *(x.tolist() for x in inputs))
        worse = np.linalg.cond(mass_matrix(tree, inputs[0]))
        for mine, theirs in zip(getattr(tree, name).derivative(*inputs), by_floats, strict=True):
            assert agree(mine, np.array(theirs, float), 1e-12 * worse)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("pose", {"frame": "tip"}),
        ("jacobian", {"frame": "tip"}),
        ("mass_matrix", {}),
        ("gravity_forces", {}),
        ("velocity_forces", {}),
        ("kinetic_energy", {}),
        ("potential_energy", {}),
        ("center_of_mass", {}),
        ("momentum", {}),
    ],
)
def test_derivatives_of_other_laws_are_their_slopes(name: str, options: dict[str, str]) -> None:
    tree = TREES[2]
    inputs = state(tree)[: len(LAWS[name].inputs)]
    ours = getattr(tree, name).derivative(*inputs, **options)
    theirs = differences(tree, name, *inputs, **options)
    for mine, his in zip(ours, theirs, strict=True):
        assert agree(mine, his, DIFFERENCES)


@pytest.mark.parametrize(
    "drive", [{}, {"viscous": 0.3}, {"rotor": 0.2}, {"viscous": 0.3, "rotor": 0.2}], ids=lambda x: "+".join(x)
)
def test_derivatives_of_a_base_with_drag_or_rotors_are_slopes(drive: dict[str, float]) -> None:
    """A free base without either is moved along, unsolved; with any of them it is not."""
    tree = on_free_base(robot(13, 4, True))
    base, *others = tree.links
    tree = replace(tree, links=(replace(base, joint=replace(base.joint, **drive)), *others))
    inputs = state(tree)
    law = LAWS["forward_dynamics"].derivative
    assert law is not None
    ours = law.recursion(instantiate(tree, FLOATS, {}), *(x.tolist() for x in inputs))
    worse = np.linalg.cond(mass_matrix(tree, inputs[0]))
    for mine, theirs in zip(ours, differences(tree, "forward_dynamics", *inputs), strict=True):
        assert agree(np.array(mine, float), theirs, DIFFERENCES * worse)


def test_derivatives_without_friction_are_slopes() -> None:
    tree = TREES[2]
    inputs = state(tree)
    for name in ("inverse_dynamics", "forward_dynamics"):
        worse = np.linalg.cond(mass_matrix(tree, inputs[0]))
        ours = getattr(tree, name).derivative(*inputs, friction=False)
        for mine, theirs in zip(ours, differences(tree, name, *inputs, friction=False), strict=True):
            assert agree(mine, theirs, DIFFERENCES * worse)
        assert not np.allclose(ours.v, getattr(tree, name).derivative(*inputs).v)


@pytest.mark.parametrize(
    "given",
    [
        {"gravity": np.array([1.0, 2.0, 3.0])},  # known to the derivatives by structure
        {"gravity": np.array([1.0, 2.0, 3.0]), "wrenches": {"tip": np.arange(6.0)}},  # only to the graph
    ],
    ids=["gravity", "both"],
)
def test_derivatives_with_gravity_and_wrenches_given_are_slopes(given: dict[str, Any]) -> None:
    tree = TREES[1]
    inputs = state(tree)
    for name in ("inverse_dynamics", "forward_dynamics"):
        worse = np.linalg.cond(mass_matrix(tree, inputs[0]))
        ours = getattr(tree, name).derivative(*inputs, **given)
        for mine, theirs in zip(ours, differences(tree, name, *inputs, **given), strict=True):
            assert agree(mine, theirs, DIFFERENCES * worse)


def test_derivatives_of_a_batch_are_those_of_its_states() -> None:
    tree = TREES[3]
    states = [np.stack(x) for x in zip(*(state(tree, seed) for seed in range(5)), strict=True)]
    batch = tree.inverse_dynamics.derivative(*states)
    for k in range(5):
        alone = tree.inverse_dynamics.derivative(*(x[k] for x in states))
        for mine, theirs in zip(alone, batch, strict=True):
            assert np.array_equal(mine, theirs[k])


def symbolic_tree() -> Robot:
    """A tree whose second link has a length L, a mass m and a first moment m*L of its own."""
    tree = random_robot(21, 4, ("revolute", "spherical", "prismatic", "revolute"), drives=True)
    L, m = Formula.of("L"), Formula.of("m")
    first, second, *rest = tree.links
    assert second.inertia is not None
    inertia = replace(
        second.inertia, about="origin", m=m, position=(m * L, m * L / 2, m), rpy=(Formula.of(0),) * 3
    )
    joint = replace(second.joint, viscous=L * m)
    third = rest[0]
    geometry = replace(tree.frames[0].geometry, xyz=(L, L * L, Formula.of(0)))
    links = (
        first,
        replace(second, inertia=inertia, joint=joint),
        replace(third, geometry=geometry),
        *rest[1:],
    )
    symbols = (Symbol("L", Formula.of("0.4")), Symbol("m"))
    return replace(tree, links=links, symbols=symbols)


def test_derivatives_with_respect_to_symbols_are_the_slopes_of_bound_robots() -> None:
    tree = symbolic_tree()
    q, v, a = state(tree)
    ours = tree.inverse_dynamics.derivative(q, v, a, wrt=("L", "m"), L=0.7, m=2.5)

    def tau(at: Array) -> Array:
        return on_floats(tree.bind(L=float(at[0]), m=float(at[1])), "inverse_dynamics", q, v, a)

    point = np.array([0.7, 2.5])
    assert agree(ours.L, slope(tau, point, np.array([1.0, 0.0])), DIFFERENCES)
    assert agree(ours.m, slope(tau, point, np.array([0.0, 1.0])), DIFFERENCES)
    assert agree(tree.inverse_dynamics(q, v, a, m=2.5), tau(np.array([0.4, 2.5])))
