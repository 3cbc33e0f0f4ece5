"""The laws on exact numbers: identities hold as polynomials, and values are those of Kane's equations."""

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pose_reference as reference
import pytest
from law_cases import DIFFERENCES, agree, state
from random_robots import ALL_JOINTS, random_robot

from rikigaku.laws.catalogue import laws_of
from rikigaku.laws.tree.regressor import regressor_parameters
from rikigaku.model.geometry import ModifiedDH
from rikigaku.numbers.exact_number import Exact
from rikigaku.numbers.formula import Formula
from rikigaku.robot import Robot
from rikigaku.symbolic.formulas.exact_state import ExactState, exact_state

LAWS = laws_of("tree")

Array = np.ndarray
Numbers = list[Any]
# Every joint type, a few at a time: polynomials grow quickly.
GROUPS = (
    ("revolute", "prismatic"),
    ("helical", "revolute"),
    ("universal", "revolute"),
    ("prismatic", "planar"),
    ("revolute", "spherical"),
    ("free", "prismatic"),
    ("revolute", "prismatic", "revolute"),
)


def slanted(tree: Robot) -> Robot:
    """The tree with links at angles that are no right ones: generators of their own, with s^2 + c^2 = 1."""
    rows = [ModifiedDH(Formula.of("0.3"), Formula.of("0.2"), Formula.of("pi/4"), Formula.of("0.1"))]
    rows += [ModifiedDH(Formula.of("pi/4"), Formula.of("-0.4"), Formula.of("pi/2"), Formula.of("0.2"))]
    links = [replace(link, geometry=row) for link, row in zip(tree.links, rows, strict=False)]
    return replace(tree, name="slanted", links=(*links, *tree.links[len(links) :]))


TREES = [random_robot(i, len(types), types, right_angles=True) for i, types in enumerate(GROUPS)]
TREES.append(slanted(TREES[-1]))
trees = pytest.mark.parametrize("tree", TREES, ids=lambda tree: tree.name)


@cache
def generic(tree: Robot) -> ExactState:
    return exact_state(tree)


@cache
def law(tree: Robot, name: str, **options: Any) -> Any:
    """A law's polynomials at a generic state."""
    s = generic(tree)
    inputs = {"q": s.q, "v": s.v, "a": s.a}
    return LAWS[name].recursion(s.mechanism, *(inputs[x] for x in LAWS[name].inputs), **options)


def value(tree: Robot, polynomials: Any) -> Array:
    """The polynomials at the tree's random state."""
    q, v, a = state(tree)
    at: dict[str, float] = {}
    for letter, numbers in (("q", q), ("v", v), ("a", a)):
        at |= {f"{letter}[{k}]": float(x) for k, x in enumerate(numbers)}
    for k, x in enumerate(q):
        at |= {f"sin(q[{k}])": float(np.sin(x)), f"cos(q[{k}])": float(np.cos(x))}
    ring = generic(tree).ring
    for k, angle in enumerate(ring.constant_angles):
        at |= {f"sin(angle[{k}])": math.sin(float(angle)), f"cos(angle[{k}])": math.cos(float(angle))}
    at |= {f"root[{k}]": math.sqrt(x) for k, x in enumerate(ring.radicands)}
    number = np.vectorize(lambda x: float(x.value(at)) if isinstance(x, Exact) else float(x), otypes=[float])
    return np.asarray(number(np.array(polynomials, dtype=object)))


def total(xs: Numbers, ys: Numbers) -> Any:
    result: Any = 0
    for x, y in zip(xs, ys, strict=True):
        result = result + x * y
    return result


def test_every_joint_type_is_among_the_trees() -> None:
    assert {joint.type for tree in TREES for joint in tree.joints} == set(ALL_JOINTS) - {"fixed"}


@trees
def test_exact_joint_forces_are_those_of_kanes_equations(tree: Robot) -> None:
    tau = value(tree, law(tree, "inverse_dynamics", friction=False))
    assert agree(tau, reference.kane(tree, *state(tree)), DIFFERENCES)


@trees
def test_the_exact_mass_matrix_is_the_sum_over_bodies(tree: Robot) -> None:
    M = law(tree, "mass_matrix")
    assert agree(value(tree, M), reference.mass_matrix(tree, state(tree)[0]))
    assert all(M[i][j] == M[j][i] for i in range(tree.nv) for j in range(i))


@trees
def test_exact_forces_are_inertia_velocity_and_gravity_forces_identically(tree: Robot) -> None:
    tau = law(tree, "inverse_dynamics", friction=False)
    M, h, g = (law(tree, name) for name in ("mass_matrix", "velocity_forces", "gravity_forces"))
    for k in range(tree.nv):
        assert total(M[k], generic(tree).a) + h[k] + g[k] - tau[k] == 0


@trees
def test_the_exact_coriolis_matrix_times_v_is_the_velocity_force_identically(tree: Robot) -> None:
    C, h = law(tree, "coriolis_matrix"), law(tree, "velocity_forces")
    for k in range(tree.nv):
        assert total(C[k], generic(tree).v) - h[k] == 0


@trees
def test_twice_the_exact_kinetic_energy_is_v_m_v_identically(tree: Robot) -> None:
    M, v = law(tree, "mass_matrix"), generic(tree).v
    assert total([total(row, v) for row in M], v) - 2 * law(tree, "kinetic_energy") == 0


@trees
def test_the_exact_regressor_times_the_parameters_is_the_force_identically(tree: Robot) -> None:
    Y, tau = law(tree, "regressor"), law(tree, "inverse_dynamics", friction=False)
    parameters = regressor_parameters(generic(tree).mechanism)
    for k in range(tree.nv):
        assert total(Y[k], parameters) - tau[k] == 0


@trees
def test_exact_jacobians_and_poses_are_those_of_the_geometry(tree: Robot) -> None:
    frame = reference.jacobians(tree, state(tree)[0])["tip"]
    J = value(tree, law(tree, "jacobian", frame="tip"))
    assert agree(J, np.concatenate([frame.linear, frame.angular]))
    assert agree(value(tree, law(tree, "pose", frame="tip"))[:3, 3], frame.p)


def test_exact_rotations_are_orthogonal_identically() -> None:
    for tree in TREES:
        R = [row[:3] for row in law(tree, "pose", frame="tip")[:3]]
        for i in range(3):
            for j in range(3):
                assert total(R[i], R[j]) - Fraction(i == j) == 0
