"""Inertia regrouping: joint forces stay the same, and unobservable inertia is gone."""

import numpy as np
import pytest
from law_cases import agree, robot, state

import rikigaku as rk
from rikigaku.laws.tree.energy import kinetic_energy, potential_energy
from rikigaku.laws.tree.inertia_regrouping import regrouped
from rikigaku.model.elementary_motions import Free, Helical, Prismatic, Revolute, Spherical
from rikigaku.model.mechanism import WORLD, instantiate
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.numbers.program import trace
from rikigaku.spatial.rigid_inertia import SpatialInertia

TREES = [robot(seed, links, True) for seed, links in ((11, 1), (12, 2), (13, 4), (14, 7), (15, 12))]


def test_every_motion_is_among_the_trees() -> None:
    carried = {
        type(body.joint)
        for tree in TREES
        for body in instantiate(tree, FLOATS, {}).bodies
        if body.parent != WORLD
    }
    assert carried == {Revolute, Prismatic, Helical, Spherical, Free}


def test_energies_stay_the_same() -> None:
    """They are sums over bodies as they are; so forces stay the same, too."""
    for tree in TREES:
        mechanism = instantiate(tree, FLOATS, {})
        less = regrouped(mechanism)
        for seed in range(5):
            q, v, _ = (list(x) for x in state(tree, seed))
            assert agree(np.array(kinetic_energy(less, q, v)), np.array(kinetic_energy(mechanism, q, v)))
            assert agree(np.array(potential_energy(less, q)), np.array(potential_energy(mechanism, q)))


def test_inertia_that_a_joint_cannot_observe_is_gone() -> None:
    for tree in TREES:
        for body in regrouped(instantiate(tree, FLOATS, {})).bodies:
            m, h, ((xx, *_), (_, yy, _), (_, _, zz)) = body.inertia
            if body.parent != WORLD and isinstance(body.joint, Revolute):
                assert (m, h[2]) == (0, 0)
                assert xx + yy - zz == 0
            elif body.parent != WORLD and isinstance(body.joint, Prismatic):
                assert not np.any(body.inertia.I)


def test_slender_bodies_keep_their_digits() -> None:
    """Mass along the axis, far from the origin: what the joint observes is a millionth of the tensor."""
    slender = ((5.0000013, 0.0, 0.0), (0.0, 5.0000011, 0.0), (0.0, 0.0, 2.2e-7))
    arm = rk.load("planar_2r")
    mechanism = instantiate(arm, FLOATS, arm.declared_values)
    mechanism.bodies[1].inertia = SpatialInertia(2.0, (0.0, 0.0, 3.0), slender)
    ((xx, _, _), (_, yy, _), (_, _, zz)) = regrouped(mechanism).bodies[1].inertia.I
    across = slender[0][0] - slender[1][1]
    assert (xx, yy, zz) == pytest.approx(
        ((2.2e-7 + across) / 2, (2.2e-7 - across) / 2, 2.2e-7), rel=1e-12, abs=0
    )


def test_inertias_that_are_not_numbers_stay() -> None:
    tree = TREES[2]

    def run(masses: list[object]) -> dict[str, list[object]]:
        mechanism = instantiate(tree, FLOATS, {})
        for body, m in zip(mechanism.bodies, masses, strict=True):
            body.inertia = body.inertia._replace(m=m)
        assert regrouped(mechanism).bodies == mechanism.bodies
        return {"masses": masses}

    trace("masses", [("masses", (len(instantiate(tree, FLOATS, {}).bodies),))], run)


def test_massless_bodies_keep_the_fractions_of_their_parent() -> None:
    """Between the two rotations of a universal joint there is a body without inertia."""
    body = rk.Inertia("com", 2, (0.1, 0.05, 0.2), (0.1, 0.01, 0, 0.12, 0.02, 0.15))
    links = (
        rk.Link("pillar", "base", rk.Joint("q1"), inertia=body),
        rk.Link("rod", "pillar", rk.Joint("cardan", "universal", axis=(0, 1, 0)), inertia=body),
    )
    tree = rk.Robot("cardan", links)
    q = [0.3, -0.4, 0.7]
    exact = tree.mass_matrix.symbolic.value(q1=q[0], cardan_1=q[1], cardan_2=q[2])
    np.testing.assert_allclose(np.array(exact, dtype=float), tree.mass_matrix(q), rtol=1e-14)
