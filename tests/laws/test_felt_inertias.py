"""Inertias handed inward: joints feel the same, and what they cannot feel is gone."""

from dataclasses import replace

import numpy as np
from law_cases import agree, robot, state

from rikigaku.laws.composite_body import mass_matrix
from rikigaku.laws.felt_inertias import felt_inertias
from rikigaku.laws.newton_euler import inverse_dynamics
from rikigaku.model.elementary import Free, Helical, Prismatic, Revolute, Spherical
from rikigaku.model.mechanism import WORLD, Mechanism, instantiate
from rikigaku.numbers.kind import FLOATS
from rikigaku.numbers.program import trace

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


def test_joints_feel_no_difference() -> None:
    for tree in TREES:
        q, v, a = (list(x) for x in state(tree))
        mechanism = instantiate(tree, FLOATS, {})
        less = reduced(mechanism)
        assert agree(np.array(mass_matrix(less, q)), np.array(mass_matrix(mechanism, q)))
        ours, all_of_it = (np.array(inverse_dynamics(m, q, v, a)) for m in (less, mechanism))
        assert agree(ours, all_of_it)


def test_what_a_joint_cannot_feel_is_gone() -> None:
    for tree in TREES:
        for body in reduced(instantiate(tree, FLOATS, {})).bodies:
            m, h, ((xx, *_), (_, yy, _), (_, _, zz)) = body.inertia
            if body.parent != WORLD and isinstance(body.joint, Revolute):
                assert (m, h[2]) == (0, 0)
                assert xx + yy - zz == 0
            elif body.parent != WORLD and isinstance(body.joint, Prismatic):
                assert not np.any(body.inertia.I)


def test_inertias_that_are_not_numbers_stay() -> None:
    tree = TREES[2]

    def run(masses: list[object]) -> dict[str, list[object]]:
        mechanism = instantiate(tree, FLOATS, {})
        for body, m in zip(mechanism.bodies, masses, strict=True):
            body.inertia = body.inertia._replace(m=m)
        assert felt_inertias(mechanism) == [body.inertia for body in mechanism.bodies]
        return {"masses": masses}

    trace("masses", [("masses", (len(instantiate(tree, FLOATS, {}).bodies),))], run)
