"""SymPyBotics on an arm of modified DH rows; it is on GitHub only (cdsousa/SymPyBotics), not on PyPI."""

import contextlib
import io
from typing import Any
from unittest.mock import patch

import numpy as np
import sympy
import sympybotics  # type: ignore[import-not-found]

from benchmarks.symbolic_robots import SymbolicArm


def generated(arm: SymbolicArm) -> int:
    """Makes all its models; returns the lines of code of M, C and g."""
    robot = _robot(arm)
    return sum(len(code[0]) for code in (robot.M_code, robot.C_code, robot.g_code))


def base_parameters(arm: SymbolicArm) -> int:
    """Its base parameters; it needs numeric lengths, so some are chosen."""
    robot = _robot(arm, symbols=False)
    # it calls np.mat, which NumPy 2 does not have any more
    with contextlib.redirect_stdout(io.StringIO()), patch.object(np, "mat", np.asmatrix, create=True):
        robot.calc_base_parms()
    return int(robot.dyn.n_base)


def _robot(arm: SymbolicArm, symbols: bool = True) -> Any:
    names = sorted({x for row in arm.rows for x in row[1:]} - {"0"})
    lengths = {"0": 0} | {
        name: sympy.Symbol(name) if symbols else 0.3 + 0.07 * k for k, name in enumerate(names)
    }
    rows = [(alpha, lengths[a], lengths[d], "q") for alpha, a, d in arm.rows]
    robot = sympybotics.RobotDef("arm", rows, dh_convention="modified")
    robot.gravityacc = sympy.Matrix([0, 0, -sympy.Symbol("g") if symbols else -9.81])
    return sympybotics.RobotDynCode(robot, verbose=False)
