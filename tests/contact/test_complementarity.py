"""Answers of W F + w0 = w in friction cones, on random problems: every one fits, and one is found."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from rikigaku.contact import mode_enumeration
from rikigaku.contact.complementarity import assigned_solution, consistent_solutions
from rikigaku.contact.constraint_blocks import BlockMode, ConstraintBlock
from rikigaku.contact.mode_enumeration import ModeAssignment, mode_assignments
from rikigaku.core.errors import TooLarge


def problem(seed, contacts, mu):
    """A random mass matrix and rows of points in space: normal, two tangents each."""
    rng = np.random.default_rng(seed)
    R = rng.normal(size=(3 * contacts, 3 * contacts + 3))
    W = R @ R.T / len(R) + 0.1 * np.eye(3 * contacts)
    w0 = rng.normal(size=3 * contacts)
    w0[::3] -= 1.0  # pressed, mostly
    return W, w0, [ConstraintBlock(3 * i, (3 * i + 1, 3 * i + 2), mu, mu) for i in range(contacts)]


def check(answer, W, w0, blocks):
    assert np.allclose(W @ answer.F + w0, answer.w, rtol=0, atol=1e-12)
    for block, choice in zip(blocks, answer.modes, strict=True):
        n, (F_n, F_t) = answer.w[block.normal], (answer.F[block.normal], answer.F[list(block.tangents)])
        w_t = answer.w[list(block.tangents)]
        if choice.kind == "free":
            assert F_n == 0 and n > -1e-8  # noqa: PT018
            assert not F_t.any()
            continue
        assert abs(n) < 1e-9
        assert F_n > -1e-8
        if choice.kind == "stick":
            assert np.abs(w_t).max() < 1e-9
            assert np.linalg.norm(F_t) <= block.static * F_n + 1e-9
        else:
            speed = np.linalg.norm(w_t)
            assert np.linalg.norm(F_t) == pytest.approx(block.kinetic * F_n, abs=1e-9)
            assert F_t @ w_t == pytest.approx(-speed * np.linalg.norm(F_t), abs=1e-7 * max(1, speed))


@pytest.mark.parametrize("contacts", [1, 2])
def test_a_consistent_solution_is_found_and_fits(contacts):
    kinds = set()
    for seed in range(60 if contacts == 1 else 25):
        W, w0, blocks = problem(seed, contacts, 0.3)
        answer = next(iter(consistent_solutions(W, w0, blocks)), None)
        assert answer is not None, seed
        check(answer, W, w0, blocks)
        kinds |= {choice.kind for choice in answer.modes}
    assert kinds == {"free", "stick", "slip"}


def test_sliding_that_begins_at_the_limit_goes_against_the_force_at_rest():
    """Pushed exactly to its limit: the acceleration is zero, and the direction that of the force held."""
    for seed in range(40):
        W, w0, (block,) = problem(seed, 1, 0.3)
        F = np.linalg.solve(W, -w0)
        if F[0] <= 0:
            continue
        mu = np.linalg.norm(F[1:]) / F[0]
        sliding = ConstraintBlock(
            0, (1, 2), mu, mu, candidates=tuple(c for c in _choices(block) if c.kind == "slip")
        )
        answer = next(iter(consistent_solutions(W, w0, [sliding])), None)
        assert answer is not None, seed
        assert np.allclose(answer.directions[0], -F[1:] / np.linalg.norm(F[1:]), rtol=0, atol=1e-6)
        assert np.allclose(answer.F, F, rtol=0, atol=1e-6 * np.abs(F).max())


def _choices(block):
    from rikigaku.contact.constraint_blocks import candidate_modes

    return candidate_modes(block)


@pytest.mark.parametrize("seed", range(3))
def test_twelve_contacts_of_which_each_may_open_stick_or_slide_are_solved(seed):
    """531441 mode assignments: a convex approximation selects those to try."""
    W, w0, blocks = problem(seed, 12, 0.3)
    answer = next(iter(consistent_solutions(W, w0, blocks)))
    check(answer, W, w0, blocks)
    assert len({choice.kind for choice in answer.modes}) > 1


def _three_joints(w0, **candidates):
    W, blocks = np.eye(3), [ConstraintBlock(None, (i,), 1.0, 1.0, **candidates) for i in range(3)]
    return [one.modes for one in itertools.islice(mode_assignments(W, np.array(w0), blocks, (), ()), 2)]


def test_friction_at_its_limit_is_tried_as_slipping_though_nothing_moves():
    """Where a joint begins to slip its acceleration is zero; the forces alone show it."""
    sticks, slips = BlockMode("stick"), BlockMode("slip", 1)
    assert (slips, sticks, sticks) in _three_joints([1.0, 0.2, -0.3])


def test_joints_that_slip_are_tried_in_the_direction_against_their_friction():
    order = BlockMode("slip", 1), BlockMode("slip", -1), BlockMode("stick")
    first, _ = _three_joints([-1.0, 0.9, -0.3], candidates=order)
    assert [mode.sign for mode in first] == [-1, 1, -1]


def test_what_takes_too_many_combinations_is_given_up(monkeypatch):
    monkeypatch.setattr(mode_enumeration, "_LARGEST", 0)
    W, w0, blocks = problem(0, 4, 0.3)
    with pytest.raises(TooLarge, match="0 were tried"):
        next(iter(consistent_solutions(W, w0, blocks)))


@pytest.mark.parametrize(("room", "sticks"), [(1e-3, False), (1.0, True)])
def test_a_joint_held_by_a_narrow_choice_of_forces_may_slip_instead(room, sticks):
    """Two contacts with one normal slide, 10 N on both; the friction of the first loads a joint.

    The joint carries 1 N m + 0.5 f_1, f_1 between 0 and 10 N, and holds 1 N m + room. The mode in which it
    sticks has forces within friction, f_1 < 2 room, with a margin of about the room.
    """
    J = np.array([[1.0, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 0]])
    w0 = np.array([-10.0, 0, -10, 0, -1])
    along = np.array([1.0])
    contacts = [ConstraintBlock(i, (i + 1,), 0.5, 0.5, direction=along) for i in (0, 2)]
    blocks = [*contacts, ConstraintBlock(None, (4,), 1 + room, 1 + room)]
    held = ModeAssignment((BlockMode("slip"), BlockMode("slip"), BlockMode("stick")), {})
    found = assigned_solution(J @ J.T, w0, blocks, (), held, 10.0)
    assert found is not None
    assert found.near
    assert abs(found.F[4]) < 1 + room
    assert found.rank == (0 if sticks else 1)
    slips = held._replace(modes=(*held.modes[:2], BlockMode("slip", -1)))
    moving = assigned_solution(J @ J.T, w0, blocks, (), slips, 10.0)
    assert moving is not None
    assert moving.rank == 0


def plane_of_points(count, mu):
    """Points of one mass that moves along a line and a normal, pushed by mu times its weight."""
    J = np.vstack([np.eye(2)] * count)
    blocks = [ConstraintBlock(2 * i, (2 * i + 1,), mu, mu) for i in range(count)]
    return J @ J.T, J @ np.array([-10.0, 10.0 * mu]), blocks


def test_a_contact_at_its_limit_sticks_unless_an_event_ends_its_sticking():
    W, w0, (block,) = plane_of_points(1, 0.5)
    slips = ModeAssignment((BlockMode("slip", 1),), {})
    assert assigned_solution(W, w0, [block], (), slips, 10.0).rank == 2
    ended = replace(block, candidates=(BlockMode("slip", 1), BlockMode("stick")))
    assert assigned_solution(W, w0, [ended], (), slips, 10.0).rank == 0


def test_a_contact_that_another_holds_at_rest_does_not_begin_to_slide():
    W, w0, (held, block) = plane_of_points(2, 0.5)
    ended = replace(block, candidates=(BlockMode("slip", 1), BlockMode("stick")))
    one = ModeAssignment((BlockMode("stick"), BlockMode("slip", 1)), {})
    assert assigned_solution(W, w0, [held, ended], (), one, 10.0).rank == 2
