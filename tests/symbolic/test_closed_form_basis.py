"""The equations that inverse kinematics solves lie in the Groebner basis of forward kinematics."""

from dataclasses import replace

import numpy as np
import pytest
from arms import arm, distance, poses

from rikigaku.numbers.exact_number import Exact
from rikigaku.symbolic.algebra.groebner import System, groebner_basis
from rikigaku.symbolic.inverse_kinematics import closed_form, triangular_solver

ARMS = {
    "planar 3R": (arm("RRR", [(0, 0, 0, 0), (0, "l1", 0, 0), (0, "l2", 0, 0)], (0, "l3", 0, 0)), "planar"),
    "wrist centre of a Puma": (
        arm("RRR", [(0, 0, 0, 0), ("-pi/2", 0, 0, "d2"), (0, "a2", 0, "d3")], ("-pi/2", "a3", 0, "d4")),
        "position",
    ),
    "spherical wrist": (arm("RRR", [(0, 0, 0, 0), ("pi/2", 0, 0, 0), ("-pi/2", 0, 0, 0)]), "pose"),
}
SKEW = arm("RPR", [(0, 0, 0, 0.1), ("pi/3", 0.2, 0, 0.15), ("pi/3", 0.1, 0, 0.2)], (0, 0.35, 0, 0.1))


@pytest.fixture(autouse=True)
def nothing_remembered(monkeypatch):
    monkeypatch.setattr(closed_form, "_KNOWN", {})


def elements(pose, turns):
    return [*pose.p, *(x for row in pose.R for x in row if turns)]


def used_equations(robot, target, monkeypatch):
    """What the solver solved: (chain, target, unknown axes, axis, equation) one after the other."""
    seen = []
    take = triangular_solver.Solver._take

    def recorded(self, found):
        x = [self.chain.ring.variable(name) for name in found.axis.generators]
        for line in filter(None, (found.first, found.second)):
            A, B, C = line
            equation = A * x[0] + B * x[1] + C if found.axis.revolute else (A * x[0] + B) * x[0] + C
            seen.append((self.chain, self.target, self._unknown(), found.axis, equation))
        take(self, found)

    monkeypatch.setattr(triangular_solver.Solver, "_take", recorded)
    robot.inverse_kinematics_formulas(target=target)
    return seen


def system_of(chain, target, unknown, axis, also):
    """Forward kinematics and circles, lexicographic, the axis the smallest unknown; and one more equation."""
    equations = [
        x - y
        for x, y in zip(
            elements(chain.pose(), target.with_rotation),
            elements(target.pose, target.with_rotation),
            strict=True,
        )
    ]
    names = chain.ring.names
    terms = [x.polynomial.to_dict() for x in (*equations, also) if isinstance(x, Exact)]
    for each in chain.axes:
        if each.revolute:
            s, c = (tuple(2 * (name == own) for name in names) for own in each.generators)
            terms.insert(0, {s: 1, c: 1, (0,) * len(names): -1})
    others = [name for other in unknown if other != axis for name in other.generators]
    first = [*others, *axis.generators]
    used = {name for p in terms for m in p for name, n in zip(names, m, strict=True) if n}
    order = [*first, *sorted(used - set(first))]
    places = [names.index(name) for name in order]
    *system, last = ({tuple(int(m[k]) for k in places): c for m, c in p.items()} for p in terms)
    return System.of(order, system), last


@pytest.mark.parametrize("name", ARMS)
def test_a_groebner_basis_of_forward_kinematics_holds_every_equation_that_is_solved(name, monkeypatch):
    seen = used_equations(*ARMS[name], monkeypatch)
    assert {axis.place for *_, axis, _ in seen} == {0, 1, 2}
    for chain, target, unknown, axis, equation in seen:
        system, terms = system_of(chain, target, unknown, axis, equation)
        if name == "spherical wrist":  # its lexicographic basis takes minutes; any basis knows its ideal
            system = replace(system, order="degrevlex")
        basis = groebner_basis(system, engine="flint")
        assert basis.contains(terms)
        assert not basis.contains({**terms, (0,) * len(basis.names): 7})


def test_where_the_solver_derives_nothing_a_basis_gives_the_formulas(monkeypatch):
    robot = SKEW
    usual = robot.inverse_kinematics_formulas()
    monkeypatch.setattr(closed_form, "_KNOWN", {})
    monkeypatch.setattr(triangular_solver, "derived", lambda *_: iter(()))
    formulas = robot.inverse_kinematics_formulas()
    assert str(formulas) != str(usual)
    q = np.random.default_rng(0).uniform(-1.5, 1.5, (20, 3))
    T = poses(robot, q)
    answer = formulas.solve(T)
    assert np.nanmin(distance(robot, answer.q, q[:, None]), axis=-1).max() < 1e-8
    np.testing.assert_array_equal(answer.valid.sum(-1), usual.solve(T).valid.sum(-1))
