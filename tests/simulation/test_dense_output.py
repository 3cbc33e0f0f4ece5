"""Accuracy between the steps: below rtol in smooth motion, as the page on simulation states."""

import numpy as np
import pytest
from test_against_scipy import Q, scipy_motion

import rikigaku as rk


@pytest.mark.parametrize(("method", "rtol"), [("dop853", 1e-6), ("dop853", 1e-10), ("radau", 1e-6)])
def test_values_between_steps_deviate_by_less_than_rtol(puma, method, rtol) -> None:
    run = rk.simulate(puma, Q, duration=0.5, method=method, rtol=rtol, atol=rtol / 100)
    times = np.linspace(0, 0.5, 101)
    theirs = scipy_motion(puma, Q, np.zeros(6), 0.5).sol(times)
    fine = rk.simulate(puma, Q, duration=0.5, rtol=3e-14, atol=1e-15, output=times)
    assert np.abs(fine.q - theirs[:6].T).max() < 1e-9  # SciPy's own interpolant
    between = np.abs(run.at(times).q - fine.q).max()
    assert 0 < between < rtol
    at_steps = np.abs(
        run.q - rk.simulate(puma, Q, duration=0.5, rtol=3e-14, atol=1e-15, output=run.t).q
    ).max()
    assert at_steps < between
