"""Closed robots that were edited: locked, freed again, put on a free base."""

import numpy as np

import rikigaku as rk


def test_a_closed_robot_on_a_free_base_leads_its_base_first_and_keeps_its_momentum() -> None:
    floating = rk.load("five_bar").on_free_base().with_gravity((0, 0, 0))
    plan = floating.closure()
    assert plan.independent == (*(f"free_base[{k}]" for k in range(6)), "left_motor", "right_motor")
    base = [0.1, 0.2, 0.3, 0.5, -0.5, 0.5, 0.5]
    q = floating.assemble([*base, 0.3, 1.2])
    np.testing.assert_allclose(q[:7], base, atol=1e-15)
    fixed = rk.load("five_bar").assemble([0.3, 1.2])
    np.testing.assert_allclose(q[7:], fixed, atol=1e-12)
    v, _ = floating.complete(q, np.arange(8) / 10, np.zeros(8))
    motion = rk.simulate(floating, q, v, [0.3, -0.2], duration=0.5)
    before, after = floating.momentum(motion.q[[0, -1]], motion.v[[0, -1]])
    np.testing.assert_allclose(after, before, atol=1e-9 * np.abs(before).max())


def test_a_locked_joint_of_a_closed_robot_moves_as_before_when_it_is_freed() -> None:
    five = rk.load("five_bar")
    again = five.lock("left_motor", 0).free("left_motor")
    assert set(again.closure().independent) == set(five.closure().independent)
    q = five.assemble([0.3, 1.2])
    M = five.reduced.mass_matrix(q)
    order = [again.closure().independent.index(name) for name in five.closure().independent]
    np.testing.assert_allclose(again.reduced.mass_matrix(q)[np.ix_(order, order)], M, rtol=1e-12)
