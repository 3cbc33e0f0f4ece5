"""Closed robots regrouped to their own base parameters, fewer than those of their trees."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from rikigaku.errors import NotVerified
from rikigaku.laws.loops import loop_bias, loop_jacobian
from rikigaku.laws.newton_euler import inverse_dynamics
from rikigaku.model.inertia import PARAMETER_NAMES
from rikigaku.model.mechanism import instantiate
from rikigaku.model.robot import Robot
from rikigaku.numbers.formula import ZERO, Formula
from rikigaku.numbers.kind import FLOATS
from rikigaku.regrouped_inertias import base_values, rebuilt, some_values, still_declared, with_symbols
from rikigaku.symbolic.base.parameters import base_parameters
from rikigaku.symbolic.base.result import BaseParameters
from rikigaku.symbolic.loops.component import component_of

_SEED, _STATES = 5, 4
_ROUNDING = 1e-12  # of the largest force: sums of regrouped parameters lose a few of sixteen digits


def regrouped_along_loops(robot: Robot, any_gravity: bool, near: Any, symbols: bool = False) -> Robot:
    """Regrouped to the base parameters of the closed robot."""
    base = base_parameters(robot, gravity="any" if any_gravity else None, near=near)
    values = some_values(robot)
    numbers = base_values(robot, base.found, values)
    if symbols:
        result, added = with_symbols(robot, base.found)
        named = dict(zip((symbol.name for symbol in added), numbers, strict=True))
        _verified_along(base, robot, result, any_gravity, values, {**values, **named})
        return replace(result, symbols=(*still_declared(robot, result), *added))
    inertias: dict[str, list[Formula]] = {}
    for name, value in zip(base.found.kept, numbers, strict=True):
        parameter, owner = name.split(" of ", 1)
        row = inertias.setdefault(owner, [ZERO] * 10)
        row[PARAMETER_NAMES.index(parameter)] = Formula.of(value)
    return _verified_along(base, robot, rebuilt(robot, inertias, {}), any_gravity, {}, {})


def _verified_along(
    base: BaseParameters,
    robot: Robot,
    result: Robot,
    any_gravity: bool,
    values: Mapping[str, float],
    regrouped_values: Mapping[str, float],
) -> Robot:
    """The regrouped robot, forces along the loops' motions held against those of the full one."""
    component = component_of(base.question.geometry, base.posture)
    at = {name: float(x) for name, x in component.values.items()}
    full = instantiate(robot, FLOATS, {**values, **at})
    less = instantiate(result, FLOATS, {**regrouped_values, **at})
    rng = np.random.default_rng(_SEED)
    wrong = largest = 0.0
    for posture in component.postures(_STATES)[:_STATES]:
        q = posture.tolist()
        J = np.array(loop_jacobian(full, q), float)
        N = np.linalg.svd(J)[2][component.rank :].T
        v = N @ rng.normal(size=component.mobility)
        bias = np.array(loop_bias(full, q, v.tolist()), float)
        a = N @ rng.normal(size=component.mobility) - np.linalg.pinv(J, rcond=1e-9) @ bias
        gx, gy, gz = rng.uniform(-10, 10, 3).tolist()
        gravity = (gx, gy, gz) if any_gravity else None
        tau, other = (
            N.T @ np.array(inverse_dynamics(x, q, v.tolist(), a.tolist(), gravity), float)
            for x in (full, less)
        )
        wrong = max(wrong, np.abs(other - tau).max(initial=0))
        largest = max(largest, np.abs(tau).max(initial=0))
    if not wrong <= _ROUNDING * largest:
        raise NotVerified(
            f"Forces of the regrouped robot of {robot.name!r} differ from the full one's by {wrong:.3g} (of "
            f"{largest:.3g}) along the motions of its loops. Please report this robot."
        )
    return result
