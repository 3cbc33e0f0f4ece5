"""Heights on grids: SciPy's natural splines, smoothness, bodies that slide and roll on them."""

import pickle

import numpy as np
import pytest
from bodies_in_contact import balance, ball
from scipy.interpolate import CubicSpline
from simple_bodies import particle

import rikigaku as rk
from rikigaku.core.errors import WrongSize, WrongValue

HEIGHTS = 0.1 * np.random.default_rng(0).normal(size=(7, 5))
SPACING, ORIGIN = (0.3, 0.5), (-1.0, -0.7)
NAMES = {(0, 0): "h", (1, 0): "h_x", (0, 1): "h_y", (2, 0): "h_xx", (1, 1): "h_xy", (0, 2): "h_yy"}


def grid():
    return rk.HeightGrid(HEIGHTS, SPACING, ORIGIN)


def reference(x, y, in_x, in_y):
    """Natural cubic splines in y, then in x, by SciPy."""
    X, Y = (
        start + step * np.arange(n) for start, step, n in zip(ORIGIN, SPACING, HEIGHTS.shape, strict=True)
    )
    along_y = CubicSpline(Y, HEIGHTS, axis=1, bc_type="natural")(y, in_y)
    return CubicSpline(X, along_y, bc_type="natural")(x, in_x)


def test_heights_and_derivatives_are_scipys():
    rng = np.random.default_rng(1)
    surface = grid()
    for _ in range(40):
        x, y = rng.uniform(-1, 0.8), rng.uniform(-0.7, 1.3)
        found = surface.grid.values(x, y)
        for (in_x, in_y), name in NAMES.items():
            assert found[name] == pytest.approx(reference(x, y, in_x, in_y), abs=1e-12)


def test_second_derivatives_are_continuous_everywhere():
    surface, tiny = grid(), 1e-9
    for x in (-1.0, -0.7, -0.1, 0.8):  # edges and lines of the grid
        for y in (-2.0, -0.7, 0.3, 1.3, 4.0):
            at = [surface.grid.values(x + dx, y + dy) for dx in (-tiny, tiny) for dy in (-tiny, tiny)]
            for name in NAMES.values():
                values = [found[name] for found in at]
                assert np.ptp(values) < 1e-5 * (1 + np.abs(values).max())
    beyond = [surface.grid.values(x, 0.4)["h"] for x in (3.0, 4.0, 5.0)]
    assert beyond[0] + beyond[2] == pytest.approx(2 * beyond[1])  # linear


def test_native_code_reads_the_same_heights():
    robot, surface = particle(), grid()
    system = rk.ContactSystem(robot, [rk.Contact("mass", surface)])
    rng = np.random.default_rng(2)
    for _ in range(20):
        x, y = rng.uniform(-2, 2, size=2)
        values = surface.grid.values(x, y)
        size = np.sqrt(1 + values["h_x"] ** 2 + values["h_y"] ** 2)
        gap = system.state([x, y, 0.3], np.zeros(3)).gap[0]
        assert gap == pytest.approx((0.3 - values["h"]) / size, abs=1e-14)


def test_a_grid_of_a_polynomial_of_degree_one_is_exact():
    x, y = np.meshgrid(np.arange(4.0), np.arange(3.0), indexing="ij")
    surface = rk.HeightGrid(0.2 * x - 0.1 * y + 0.05, 1.0)
    values = surface.grid.values(7.3, -2.2)
    assert values["h"] == pytest.approx(0.2 * 7.3 + 0.22 + 0.05)
    assert values["h_xx"] == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize("mu", [0.0, 0.4])
def test_a_ball_on_a_grid_keeps_its_energy_balance(mu):
    n = np.arange(-8, 9) * 0.25
    bowl = rk.HeightGrid(0.25 * (n[:, None] ** 2 + n[None, :] ** 2), 0.25, (-2, -2))
    robot, contact = rk.Robot("ball", (ball(),)), rk.Contact("ball", bowl, mu, shape=rk.Ball(0.1))
    system = rk.ContactSystem(robot, [contact])
    start = system.placed([0.6, 0.2, 0.3, 1, 0, 0, 0], ["ball"])
    solution = rk.simulate(robot, start, duration=2, contacts=[contact], rtol=1e-11, atol=1e-13)
    assert solution.status == "done"
    assert balance(solution) < 1e-9
    gaps = [system.state(q, v).gap[0] for q, v in zip(solution.q[::10], solution.v[::10], strict=True)]
    assert np.abs(gaps).max() < 1e-10
    assert solution.q[:, 0].min() < -0.3  # it comes through the middle


def test_a_foot_on_a_grid_that_a_body_carries():
    """A point at rest relative to a free body with a rough surface, under gravity: both fall together."""
    robot = rk.world([particle(), rk.free_body("ground", rk.Box(2, 2, 0.1), 5.0)])
    contact = rk.Contact("mass", grid().on("ground"), 5.0)
    q = rk.ContactSystem(robot, [contact]).placed(np.array([0.1, 0.2, 0.5, 0, 0, 0, 1, 0, 0, 0]), ["mass"])
    solution = rk.simulate(robot, q, duration=0.3, contacts=[contact])
    assert solution.q[-1, 2] - q[2] == pytest.approx(-9.81 * 0.045, abs=1e-9)


def test_grids_are_equal_if_their_heights_are():
    assert grid() == grid()
    assert hash(grid()) == hash(grid())
    assert grid() != rk.HeightGrid(HEIGHTS + 1e-9, SPACING, ORIGIN)
    assert rk.HeightGrid(np.zeros((2, 6)), 0.1) != rk.HeightGrid(np.zeros((3, 4)), 0.1)
    assert pickle.loads(pickle.dumps(grid())) == grid()


def test_mistakes_are_named():
    for heights in (np.zeros(4), np.zeros((1, 5)), np.full((3, 3), np.nan), np.zeros((300, 300))):
        with pytest.raises(WrongValue, match="at least 2 x 2 and at most"):
            rk.HeightGrid(heights, 0.1)
    with pytest.raises(WrongValue, match="spacing of a grid is above"):
        rk.HeightGrid(np.zeros((3, 3)), 0.0)
    with pytest.raises(WrongSize, match="origin of a grid"):
        rk.HeightGrid(np.zeros((3, 3)), 0.1, (1, 2, 3))
    assert len(repr(grid())) < 1000
