"""The symbolic section compares the same arms: SymPy's equations of motion have the values of ours."""

import numpy as np
import pytest
import sympy
from sympy.physics.mechanics import dynamicsymbols

from benchmarks.peers.sympy_kane import equations
from benchmarks.symbolic import _met, _ratio, _time, done
from benchmarks.symbolic_robots import ARMS, planar


def test_kanes_method_and_our_formulas_agree_at_random_numbers() -> None:
    arm, rng = planar(2), np.random.default_rng(0)
    method, robot = equations(arm), arm.robot("planar 2R")
    q, u = rng.uniform(-1, 1, (2, 2))
    a2, g = 0.7, 9.81
    at = {sympy.Symbol("a2"): a2, sympy.Symbol("g"): g}
    values = {"a2": a2, "g": g}
    for k in (1, 2):
        m, c, half = rng.uniform(1, 2), rng.uniform(-0.3, 0.3, 3), rng.uniform(-0.2, 0.2, (3, 3))
        I = half @ half.T + np.eye(3)
        about = I + m * (c @ c * np.eye(3) - np.outer(c, c))
        at |= {sympy.Symbol(f"m{k}"): m}
        at |= {sympy.Symbol(f"c{x}{k}"): y for x, y in zip("xyz", c, strict=True)}
        values |= {f"m{k}": m} | {f"ms{x}{k}": m * y for x, y in zip("xyz", c, strict=True)}
        for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)):
            name = f"I{'xyz'[i]}{'xyz'[j]}{k}"
            at[sympy.Symbol(name)], values[name] = I[i, j], about[i, j]
    at |= dict(zip([*dynamicsymbols("q1:3"), *dynamicsymbols("u1:3")], [*q, *u], strict=True))
    M = np.array(method.mass_matrix.subs(at), float)
    forcing = np.array(method.forcing.subs(at), float).ravel()
    assert np.allclose(robot.mass_matrix.symbolic.value(q=q, symbols=values).astype(float), M, rtol=1e-12)
    h = robot.velocity_forces.symbolic.value(q=q, v=u, symbols=values).astype(float)
    weight = robot.gravity_forces.symbolic.value(q=q, symbols=values).astype(float)
    assert np.allclose(-(h + weight), forcing, rtol=1e-11)


def test_a_task_that_takes_too_long_is_stopped_and_told() -> None:
    answer = done("kane", "puma560", 0.2)
    assert answer == {"stopped": 0.2}
    assert _time(answer, 20) == "> 20"
    assert _ratio({"wall": 0.5}, answer, 20) == "> 40"
    assert _time({"missing": "sympybotics"}, 20) == "not installed"


@pytest.mark.parametrize(
    ("count", "seconds", "word"), [(36, 0.5, "yes"), (36, 2.5, "NO"), (35, 0.5, "NO (35")]
)
def test_the_verdict_asks_for_time_and_count(count: int, seconds: float, word: str) -> None:
    own = {"count": count, "processor": seconds}
    assert ARMS["puma560"].base == 36
    assert _met(own, "puma560", 2.0).startswith(word)
