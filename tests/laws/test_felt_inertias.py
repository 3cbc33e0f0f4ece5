"""Inertias handed inward: joints feel the same, and what they cannot feel is gone."""

from dataclasses import replace

import numpy as np
import pytest
from law_cases import agree, robot, state

import rikigaku as rk
from rikigaku.laws.energy import kinetic_energy, potential_energy
from rikigaku.laws.felt_inertias import felt_inertias
from rikigaku.model.elementary import Free, Helical, Prismatic, Revolute, Spherical
from rikigaku.model.mechanism import WORLD, Mechanism, instantiate
from rikigaku.numbers.kind import FLOATS
from rikigaku.numbers.program import trace
from rikigaku.spatial.inertia import SpatialInertia

TREES = [robot(seed, links, True) for seed, links in ((11, 1), (12, 2), (13, 4), (14, 7), (15, 12))]


def reduced(mechanism: Mechanism) -> Mechanism:
    felt = felt_inertias(mechanism)
    bodies = [replace(body, inertia=inertia) for body, inertia in zip(mechanism.bodies, felt, strict=True)]
    return replace(mechanism, bodies=bodies)


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
        less = reduced(mechanism)
        for seed in range(5):
            q, v, _ = (list(x) for x in state(tree, seed))
            assert agree(np.array(kinetic_energy(less, q, v)), np.array(kinetic_energy(mechanism, q, v)))
            assert agree(np.array(potential_energy(less, q)), np.array(potential_energy(mechanism, q)))


def test_what_a_joint_cannot_feel_is_gone() -> None:
    for tree in TREES:
        for body in reduced(instantiate(tree, FLOATS, {})).bodies:
            m, h, ((xx, *_), (_, yy, _), (_, _, zz)) = body.inertia
            if body.parent != WORLD and isinstance(body.joint, Revolute):
                assert (m, h[2]) == (0, 0)
                assert xx + yy - zz == 0
            elif body.parent != WORLD and isinstance(body.joint, Prismatic):
                assert not np.any(body.inertia.I)


def test_slender_bodies_keep_their_digits() -> None:
    """Mass along the axis, far from the origin: what the joint feels is a millionth of the tensor."""
    slender = ((5.0000013, 0.0, 0.0), (0.0, 5.0000011, 0.0), (0.0, 0.0, 2.2e-7))
    arm = rk.load("planar_2r")
    mechanism = instantiate(arm, FLOATS, arm.declared_values)
    mechanism.bodies[1].inertia = SpatialInertia(2.0, (0.0, 0.0, 3.0), slender)
    ((xx, _, _), (_, yy, _), (_, _, zz)) = felt_inertias(mechanism)[1].I
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
        assert felt_inertias(mechanism) == [body.inertia for body in mechanism.bodies]
        return {"masses": masses}

    trace("masses", [("masses", (len(instantiate(tree, FLOATS, {}).bodies),))], run)
