"""Formulas of closed robots: distinguished, checked at the configuration itself, read like any law's."""

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.core.errors import UnknownName
from rikigaku.model.geometry import ModifiedDH
from rikigaku.model.joint import Joint
from rikigaku.model.robot_model import Link, Loop, LoopEnd
from rikigaku.robot import Robot


def tilted() -> Robot:
    """Two joints on one pivot whose tilted ends meet: facing each other, or turned over."""
    links = (Link("l1", "base", Joint("q1")), Link("l2", "base", Joint("q2")))
    ends = [LoopEnd(name, ModifiedDH("pi/4", 0, 0, 0)) for name in ("l1", "l2")]
    return Robot("tilted", links, loops=(Loop("cut", "revolute", *ends),), independent=("q1",))


def test_configurations_closed_with_axes_reversed_are_left_out() -> None:
    found = tilted().loop_constraints().configurations({"q1": 0.4})
    assert len(found)
    for q in found:
        assert np.abs(tilted().loop_residual(q)).max() < 1e-9
        assert tilted().loop_alignment(q).min() > 0.99


def test_a_misspelt_symbol_is_reported() -> None:
    robot = rk.load("rosam_loop")
    c = robot.loop_constraints()
    with pytest.raises(UnknownName, match="LL"):
        c.configurations({"theta11": 0, "d21": 0.6, "theta31": 0}, LL=1)
    with pytest.raises(UnknownName, match="LL"):
        c.value(c.jacobian, [0, 0.6, 0, 0.9273, 1], LL=1)
    formulas = robot.inverse_kinematics_formulas("hand")
    with pytest.raises(UnknownName, match="LL"):
        formulas.solve([0.3, 0.2, 0.1], LL=1)


def test_closed_formulas_are_read_like_those_of_any_law() -> None:
    c = rk.load("rosam_loop").loop_constraints()
    M = c.robot.reduced.mass_matrix.symbolic
    assert M.shape == (3, 3)
    assert "m31" in M[1, 1].collect("parameters")
    assert M[0, 0].latex()
    q = c.configurations({"theta11": 0.2, "d21": 0.5, "theta31": 0.3})[0]
    got = np.array(M.value(q=q, **c.robot.declared_values), dtype=float)
    np.testing.assert_allclose(got, c.robot.reduced.mass_matrix(q), rtol=1e-9)


def test_explicit_relations_are_shown_when_they_were_requested() -> None:
    assert "sqrt" in repr(rk.load("rosam_loop").loop_constraints(explicit=True))


def test_a_long_name_of_a_robot_makes_a_good_name_for_a_function() -> None:
    robot = Robot("a" * 23 + " b", (Link("l1", "base", Joint("q1")),))
    assert f"{'a' * 23}_gravity_forces(" in robot.gravity_forces.export("c")
