"""J* and H* of the planar satellite as formulas: exactly the paper's equations, in rational numbers."""

from fractions import Fraction

import numpy as np
import pytest

import rikigaku as rk

F = Fraction
Point = tuple[Fraction, Fraction]
# Sine and cosine of each angle, and a value for each symbol: all rational, so that equal means equal.
ANGLES = (
    [(F(3, 5), F(4, 5)), (F(-5, 13), F(12, 13)), (F(8, 17), F(-15, 17))],
    [(F(0), F(1)), (F(1), F(0)), (F(-20, 29), F(-21, 29))],
)
SYMBOLS = (
    {"m0": F(200), "I0": F(33), "m1": F(15), "m2": F(10), "b": F(1, 2), "l1": F(3, 2), "l2": F(3, 2)},
    {"m0": F(7, 3), "I0": F(5, 11), "m1": F(2, 7), "m2": F(9, 4), "b": F(-1, 3), "l1": F(8, 5), "l2": F(1)},
)
every = pytest.mark.parametrize(
    ("angles", "symbols"), [*zip(ANGLES, SYMBOLS, strict=True)], ids=["plate", "odd"]
)


def turned(by: Point, p: Point) -> Point:
    s, c = by
    return c * p[0] - s * p[1], s * p[0] + c * p[1]


def sum_of(a: Point, b: Point) -> Point:
    """Sine and cosine of the sum of two angles."""
    return a[0] * b[1] + a[1] * b[0], a[1] * b[1] - a[0] * b[0]


def cross(a: Point, b: Point) -> Fraction:
    return a[0] * b[1] - a[1] * b[0]


def turn_of(a: Point) -> Point:
    """z x a."""
    return -a[1], a[0]


def less(a: Point, b: Point) -> Point:
    return a[0] - b[0], a[1] - b[1]


def paper(angles: list[Point], x: dict[str, Fraction]) -> tuple[list[list[Fraction]], list[list[Fraction]]]:
    """J* (x, y and turn) and H* by equations 5, 7 and 42 in a plane; centre of the satellite at 0."""
    base, first = angles[0], sum_of(angles[0], angles[1])
    second = sum_of(first, angles[2])
    p1 = turned(base, (x["b"], F(0)))
    p2 = tuple(a + b for a, b in zip(p1, turned(first, (x["l1"], F(0))), strict=True))
    p_E = tuple(a + b for a, b in zip(p2, turned(second, (x["l2"], F(0))), strict=True))
    r = [tuple((a + b) / 2 for a, b in zip(p1, p2, strict=True))]
    r.append(tuple((a + b) / 2 for a, b in zip(p2, p_E, strict=True)))
    m, p = [x["m1"], x["m2"]], [p1, p2]
    I = [m[0] * x["l1"] ** 2 / 12, m[1] * x["l2"] ** 2 / 12]  # uniform rods
    w = x["m0"] + sum(m)
    r_G = tuple(sum(m[i] * r[i][k] for i in range(2)) / w for k in range(2))
    J_L = [[turn_of(less(r[i], p[j])) if j <= i else (F(0), F(0)) for j in range(2)] for i in range(2)]
    J_A = [[F(j <= i) for j in range(2)] for i in range(2)]
    J_LG = [tuple(sum(m[i] * J_L[i][j][k] for i in range(2)) / w for k in range(2)) for j in range(2)]
    I_s = x["I0"] + sum(I[i] + m[i] * (r[i][0] ** 2 + r[i][1] ** 2) for i in range(2))
    I_s -= w * (r_G[0] ** 2 + r_G[1] ** 2)
    I_m = [
        sum(I[i] * J_A[i][j] + m[i] * cross(r[i], J_L[i][j]) for i in range(2)) - w * cross(r_G, J_LG[j])
        for j in range(2)
    ]
    J = [[F(0)] * 2 for _ in range(3)]
    H = [[F(0)] * 2 for _ in range(2)]
    for j in range(2):
        back = turn_of(less(p_E, r_G))
        hand = turn_of(less(p_E, p[j]))
        for k in range(2):
            J[k][j] = hand[k] - J_LG[j][k] - back[k] * I_m[j] / I_s
        J[2][j] = 1 - I_m[j] / I_s
        for k in range(2):
            links = sum(
                I[i] * J_A[i][j] * J_A[i][k]
                + m[i] * sum(a * b for a, b in zip(J_L[i][j], J_L[i][k], strict=True))
                for i in range(2)
            )
            G = sum(a * b for a, b in zip(J_LG[j], J_LG[k], strict=True))
            H[j][k] = links - w * G - I_m[j] * I_m[k] / I_s
    return J, H


@every
def test_formulas_of_the_planar_satellite_are_the_papers_exactly(
    angles: list[Point], symbols: dict[str, Fraction]
) -> None:
    robot = rk.load("space_planar_2r")
    J, H = paper(angles, symbols)
    q = [F(1, 7), F(-2), *angles]
    ours = robot.space.generalized_inertia.symbolic.value(q=q, **symbols)
    assert ours.tolist() == H
    found = robot.space.generalized_jacobian.formulas("hand").value(q=q, **symbols)
    assert found[[0, 1, 5]].tolist() == J
    assert not found[[2, 3, 4]].any()


@every
def test_formulas_in_base_axes_do_not_hold_the_attitude(
    angles: list[Point], symbols: dict[str, Fraction]
) -> None:
    robot = rk.load("space_planar_2r")
    formulas = robot.space.generalized_jacobian.formulas("hand", axes="base")
    assert "base_theta" not in formulas.names
    J, _ = paper([(F(0), F(1)), *angles[1:]], symbols)
    found = formulas.combined().value(q=[0, 0, *angles], **symbols)
    assert found[[0, 1, 5]].tolist() == J


def test_numbers_of_the_compiled_laws_are_the_papers_to_the_last_digits() -> None:
    robot = rk.load("space_planar_2r")
    J, H = (np.array(x, float) for x in paper(ANGLES[0], SYMBOLS[0]))
    q = np.array([1 / 7, -2.0, *(np.arctan2(float(s), float(c)) for s, c in ANGLES[0])])
    assert np.abs(robot.space.generalized_inertia(q) - H).max() < 1e-13 * np.abs(H).max()
    assert np.abs(robot.space.generalized_jacobian(q, "hand")[[0, 1, 5]] - J).max() < 1e-14 * np.abs(J).max()
