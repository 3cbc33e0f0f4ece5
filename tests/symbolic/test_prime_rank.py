"""Ranks of closed robots at points of their loops over a prime field."""

import numpy as np
import pytest
from linkages import four_bar, parallelogram

import rikigaku as rk
from rikigaku.core.errors import NoFormula, NotExact, WrongValue
from rikigaku.symbolic.base_parameters.prime_rank import prime_rank
from rikigaku.symbolic.base_parameters.regressor_samples import BaseParameterProblem, bare
from rikigaku.symbolic.loops import modular_points
from rikigaku.symbolic.loops.modular_points import loop_points, parametrised


@pytest.mark.parametrize(
    ("name", "count", "drawn"),
    [
        ("four_bar", 8, ("crank_angle",)),
        ("five_bar", 11, ("left_motor", "right_motor")),
        ("rosam_loop", 10, ("theta11", "d21", "theta31")),
        ("three_rrr", 13, ("motor1", "elbow1", "motor2")),
        ("stewart", 82, tuple(f"pose[{k}]" for k in range(6))),
    ],
)
def test_the_rank_modulo_a_prime_is_that_measured_in_arbitrary_precision(
    name: str, count: int, drawn: tuple
) -> None:
    base = rk.load(name).base_parameters()
    found = base.prime_rank()
    assert found.rank == base.count == count
    assert found.drawn == drawn
    assert found.points * len(drawn) > len(base.parameters)  # more rows than columns


def test_gravity_is_included_modulo_a_prime_too() -> None:
    robot = rk.load("rosam_loop")
    base = robot.base_parameters(gravity=(0, "-9.81", 0))
    assert base.prime_rank().rank == base.count == 14


def test_points_satisfy_every_equation_of_the_loops() -> None:
    robot = bare(rk.load("three_rrr"))
    c, rng = parametrised(robot), np.random.default_rng(2)
    for points in loop_points(c, BaseParameterProblem(robot).field(rng), 40):
        assert points.count > 1
        for row in c.rows:
            assert not points.value(row.formula).any()
        for k in range(robot.nq):
            s, cosine = (points.known[f"{f}(q[{k}])"] for f in ("sin", "cos"))
            p = points.field.prime
            assert ((s * s % p + cosine * cosine % p) % p == 1).all()


def test_a_loop_with_a_twin_has_the_larger_rank_of_both() -> None:
    robot = parallelogram()
    q = robot.assemble([0.4], all=True)
    counts = [robot.base_parameters(near=x).count for x in q]
    crossed = robot.base_parameters(near=q[int(np.argmax(counts))])
    assert min(counts) < max(counts)
    assert crossed.prime_rank().rank >= max(counts)


def test_where_the_rank_is_known_or_cannot_be_found_that_is_reported(monkeypatch) -> None:
    with pytest.raises(WrongValue, match="exact already: rank 8"):
        rk.load("scara").base_parameters().prime_rank()
    with pytest.raises(WrongValue, match="exact already"):
        parallelogram().base_parameters().prime_rank()
    with pytest.raises(NotExact, match="Give values to the symbols of the geometry: a, b, c, d"):
        prime_rank(BaseParameterProblem(bare(four_bar("a", "b", "c", "d"))))
    with pytest.raises(NotExact, match="joint_parameters=False"):
        prime_rank(BaseParameterProblem(bare(four_bar()), ("viscous",)))
    monkeypatch.setattr(modular_points, "_TRIES", 0)
    with pytest.raises(NoFormula, match="No joints of robot 'three_rrr'"):
        prime_rank(BaseParameterProblem(bare(rk.load("three_rrr"))))
