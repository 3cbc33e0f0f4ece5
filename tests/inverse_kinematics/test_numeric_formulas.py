"""Formulas are looked for within a second, and the disk keeps whether there are any."""

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.core import disk_cache
from rikigaku.numbers.algebra_budget import OutOfBudget
from rikigaku.symbolic.inverse_kinematics import numeric_formulas as module

ROWS = ((0, 0, 0.2, 0), (-np.pi / 2, 0.3, 0, 0), (-np.pi / 2, 0.5, 0, 0), (0, 0.3, 0.2, np.pi / 2))


def wrist_and_slide() -> rk.Robot:
    """RRRP, whose conditions of reachability take minutes of elimination."""
    links = []
    for k, (alpha, a, d, theta) in enumerate(ROWS):
        joint = rk.Joint(f"q{k + 1}", "revolute" if k < 3 else "prismatic")
        offset = rk.ModifiedDH(alpha=alpha, a=a, d=d, theta=theta)
        links.append(rk.Link(f"l{k + 1}", f"l{k}" if k else "base", joint, offset))
    return rk.Robot("wrist and slide", tuple(links))


def test_conditions_of_reachability_do_not_delay_the_solution_in_numbers() -> None:
    robot = wrist_and_slide()
    q = np.random.default_rng(1).uniform(-1, 1, (20, 4))
    found = robot.inverse_kinematics(robot.pose(q, "l4"), "l4", all=True, limits=False)
    assert found.method == "formulas"
    gap = np.abs(np.exp(1j * found.q) - np.exp(1j * q[:, None])).max(axis=2)
    assert (np.where(found.success, gap, 1.0).min(axis=1) < 1e-9).all()


@pytest.mark.parametrize("stopped", [False, True])
def test_the_disk_keeps_whether_there_are_formulas(monkeypatch, tmp_path, stopped: bool) -> None:
    monkeypatch.setenv("RIKIGAKU_CACHE", str(tmp_path))
    monkeypatch.setattr(disk_cache, "source_is_unchanged", lambda: True)
    robot, calls, own = rk.load("planar_3r"), [], module.formulas_of

    def counted(*args, **options):
        calls.append(args)
        if stopped:
            raise OutOfBudget
        return own(*args, **options)

    monkeypatch.setattr(module, "formulas_of", counted)
    first, again = (module.numeric_formulas(robot, "hand", ()) for _ in range(2))
    assert len(calls) == 1
    assert (first is None, again is None) == (stopped, stopped)
    if first is not None and again is not None:
        assert [str(x) for x in first.steps] == [str(x) for x in again.steps]
