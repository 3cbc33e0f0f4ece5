"""The native solver of friction problems: against Coulomb's law, enumeration, projections, Siconos."""

import json
from pathlib import Path

import numpy as np
import pytest
from friction_problems import contact_blocks, on_one_body, violation, well_posed

from rikigaku.contact.complementarity import consistent_solutions
from rikigaku.contact.constraint_blocks import ConstraintBlock
from rikigaku.contact.friction_problem import friction_solution
from rikigaku.core.errors import WrongSize, WrongValue


@pytest.mark.parametrize("mu", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("contacts", [1, 2, 4, 8, 20])
@pytest.mark.parametrize("make", [well_posed, on_one_body])
def test_laws_of_all_blocks_hold_to_rounding(make, contacts, mu):
    for seed in range(30):
        W, w0, blocks = make(seed, contacts, mu)
        found = friction_solution(W, w0, blocks)
        assert found.relative < 1e-12, seed
        assert np.allclose(found.w, W @ found.F + w0, rtol=0, atol=1e-12 * np.abs(found.F).max(initial=1.0))
        size = max(1.0, float(np.abs(found.F).max()))
        assert violation(W, w0, blocks, found.F) < 1e-11 * size, seed


@pytest.mark.parametrize("contacts", [1, 2, 3])
def test_the_solution_is_the_one_of_enumeration(contacts):
    """The solution is unique in these, and all modes occur."""
    kinds = set()
    for seed in range({1: 80, 2: 30, 3: 20}[contacts]):
        W, w0, blocks = well_posed(seed, contacts, 0.4)
        expected = next(iter(consistent_solutions(W, w0, blocks)))
        kinds |= {mode.kind for mode in expected.modes}
        found = friction_solution(W, w0, blocks)
        assert np.allclose(found.F, expected.F, rtol=0, atol=1e-7 * max(1.0, np.abs(expected.F).max())), seed
    assert kinds == {"free", "stick", "slip"}


def _projected(W, w0, mu):
    """Fixed-point iteration F = P(F - r (w + mu |w_t| n)) onto the friction cones: De Saxce's form."""
    F, r = np.zeros(len(w0)), 1.0 / np.linalg.eigvalsh(W)[-1]
    for _ in range(20000):
        w = W @ F + w0
        w[::3] += mu * np.hypot(w[1::3], w[2::3])
        new = F - r * w
        n, t = new[::3], np.hypot(new[1::3], new[2::3])
        inside, polar = t <= mu * n, mu * t <= -n
        axis = np.where(inside, n, np.where(polar, 0.0, (n + mu * t) / (1 + mu * mu)))
        factor = np.where(inside, 1.0, mu * axis / np.maximum(t, 1e-300))
        new[::3], new[1::3], new[2::3] = axis, factor * new[1::3], factor * new[2::3]
        if np.abs(new - F).max() < 1e-14:
            break
        F = new
    return F


def test_the_solution_is_the_one_of_projections_with_de_saxces_correction():
    for seed in range(12):
        W, w0, blocks = well_posed(seed, 6, 0.25)
        expected = _projected(W, w0, 0.25)
        assert violation(W, w0, blocks, expected) < 1e-10
        found = friction_solution(W, w0, blocks)
        assert np.allclose(found.F, expected, rtol=0, atol=1e-10 * np.abs(expected).max()), seed


def test_problems_with_chosen_forces_and_motions():
    """Forces and motions of all modes are chosen; w0 follows. All kinds of blocks, and an unused row."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n = 3 * 4 + 4 + 2 + 1
        R = rng.normal(size=(n, n + 8))
        W = R @ R.T / n + 0.2 * np.eye(n)
        F, w = np.zeros(n), np.zeros(n)
        blocks, mu = [], 0.15
        for k in range(4):
            base, target = [(0.0, 0.0), (0.0, 0.3), (0.5, 0.0), (0.0, 0.0)][k]
            rows = [3 * k, 3 * k + 1, 3 * k + 2]
            sign = 1.0
            if k == 3:  # bilateral
                sign = rng.choice([-1.0, 1.0])
            mode = rng.integers(3) if k != 3 else 1 + rng.integers(2)
            F[rows[0]] = base if mode == 0 else sign * (base + rng.uniform(0.5, 2.0))
            w[rows[0]] = target + (rng.uniform(0.1, 1.0) if mode == 0 else 0.0)
            radius, d = mu * abs(F[rows[0]]), _unit(rng)
            slides = mode == 2 or (mode == 0 and base > 0)
            F[rows[1:]] = -radius * d if slides else 0.5 * radius * d
            w[rows[1:]] = rng.uniform(0.1, 1.0) * d if slides or mode == 0 else 0.0
            blocks.append(
                ConstraintBlock(rows[0], tuple(rows[1:]), mu, mu, target=target, base=base, bilateral=k == 3)
            )
        for i in range(12, 16):  # joints
            moves, sign = rng.integers(2), rng.choice([-1.0, 1.0])
            F[i], w[i] = (-0.7 * sign, sign * rng.uniform(0.1, 1.0)) if moves else (0.4 * sign, 0.0)
            blocks.append(ConstraintBlock(None, (i,), 0.7, 0.7))
        F[16:18] = rng.normal(size=2)  # bilateral rows; the last row belongs to nothing
        w[18] = 5.0
        w0 = w - W @ F
        assert violation(W, w0, blocks, F, (16, 17)) < 1e-12
        for start in (None, F + 0.3 * rng.normal(size=n), F):
            if start is not None:
                start = start * (np.arange(n) < 18)
            found = friction_solution(W, w0, blocks, (16, 17), start)
            assert found.relative < 1e-13
            assert np.allclose(found.F, F, rtol=0, atol=1e-10), seed


def _unit(rng):
    x = rng.normal(size=2)
    return x / np.linalg.norm(x)


def test_a_start_at_the_solution_takes_no_iterations():
    W, w0, blocks = well_posed(3, 8, 0.4)
    found = friction_solution(W, w0, blocks)
    again = friction_solution(W, w0, blocks, start=found.F)
    assert (again.iterations, again.sweeps) == (0, 0)
    assert (again.F == found.F).all()


def test_a_near_start_takes_newton_iterations_only():
    for seed in range(20):
        W, w0, blocks = well_posed(seed, 8, 0.4)
        found = friction_solution(W, w0, blocks)
        rng = np.random.default_rng(seed)
        again = friction_solution(W, w0 + 1e-4 * rng.normal(size=len(w0)), blocks, start=found.F)
        assert again.sweeps == 0
        assert 1 <= again.iterations <= 6
        assert again.relative < 1e-13


def test_redundant_forces_stay_near_the_start():
    """Four corners of a body at rest: forces that balance already are not redistributed."""
    W, _, blocks = on_one_body(1, 4, 0.8)
    rng = np.random.default_rng(5)
    F = np.zeros(12)
    F[::3] = rng.uniform(1.0, 2.0, 4)
    moved = F.copy()
    moved[::3] += 1e-3 * rng.normal(size=4)
    found = friction_solution(W, -W @ F, blocks, start=moved)
    assert found.relative < 1e-13
    assert np.abs(found.F - F).max() < 5e-3
    null = np.linalg.svd(W)[2][np.linalg.matrix_rank(W, 1e-10) :]
    weights = np.diag(W).copy().reshape(-1, 3)
    weights[:, 1:] = weights[:, 1:].mean(axis=1, keepdims=True)
    # in the norm of the proximal term the change has no part that leaves w as it is; rounding of w over rho
    assert np.abs(null @ (weights.ravel() * (found.F - moved))).max() < 2e-7


def test_friction_of_a_joint_between_its_limits():
    W, blocks = np.array([[2.0]]), [ConstraintBlock(None, (0,), 0.5, 0.5)]
    for w0, F in [(0.4, -0.2), (-0.4, 0.2), (3.0, -0.5), (-3.0, 0.5), (1.0, -0.5)]:
        found = friction_solution(W, np.array([w0]), blocks)
        assert pytest.approx([F], abs=1e-15) == found.F


def test_a_problem_without_solution_returns_its_residual():
    """Two surfaces that squeeze a body between them, and approach."""
    W = np.array([[1.0, -1.0], [-1.0, 1.0]])
    blocks = [ConstraintBlock(0, ()), ConstraintBlock(1, ())]
    found = friction_solution(W, np.array([-1.0, -1.0]), blocks, sweeps=50)
    assert not found.solved
    assert np.isfinite(found.F).all()


def test_solutions_are_those_of_siconos():
    """Reactions computed by Siconos 4.4 (fc3d_nsgs to 1e-13) for problems that are made again here."""
    table = json.loads((Path(__file__).parent / "siconos_friction.json").read_text())
    assert len(table) >= 10
    for case in table:
        W, w0, blocks = well_posed(case["seed"], case["contacts"], case["mu"])
        found = friction_solution(W, w0, blocks)
        expected = np.array(case["reaction"])
        assert np.allclose(found.F, expected, rtol=0, atol=1e-9 * np.abs(expected).max()), case["seed"]


def test_more_contacts_than_a_machine_word_has_bits():
    W, w0, blocks = well_posed(0, 70, 0.5)
    found = friction_solution(W, w0, contact_blocks(70, 0.5))
    assert found.relative < 1e-13
    assert violation(W, w0, blocks, found.F) < 1e-10


@pytest.mark.parametrize("kind", ["contact", "pressed", "bilateral", "joint"])
def test_one_block_is_solved_by_its_exact_solution_without_newton_iterations(kind):
    """All modes of one block; a contact with a least normal force takes the parts of the secular equation."""
    for seed in range(80):
        W, w0, blocks = well_posed(seed, 1, 0.7)
        if kind == "pressed":
            blocks = [ConstraintBlock(0, (1, 2), 0.7, 0.7, base=0.8)]
        elif kind == "bilateral":
            blocks = [ConstraintBlock(0, (1, 2), 0.7, 0.7, bilateral=True)]
        elif kind == "joint":
            blocks = [ConstraintBlock(None, (1, 2), 0.3, 0.3)]
        found = friction_solution(W, w0, blocks)
        assert found.iterations == 0
        assert violation(W, w0, blocks, found.F) < 1e-12


def test_arrays_and_indices_that_do_not_fit_are_refused():
    W, w0, blocks = well_posed(0, 2, 0.3)
    for bad in ((W[:4], w0), (W, w0[:5]), (W, w0[None])):
        with pytest.raises(WrongSize, match="shape"):
            friction_solution(*bad, blocks)
    with pytest.raises(WrongSize, match="start"):
        friction_solution(W, w0, blocks, start=w0[:3])
    with pytest.raises(WrongValue, match="Rows of 6 constraints are 0 to 5; 6 was given"):
        friction_solution(W, w0, [ConstraintBlock(6, ())])
    with pytest.raises(WrongValue, match="some were given twice"):
        friction_solution(W, w0, blocks, permanent=[0])
