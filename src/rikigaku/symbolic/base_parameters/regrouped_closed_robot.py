"""Closed robots regrouped to their own base parameters, fewer than those of their trees."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from rikigaku.core.errors import NotVerified
from rikigaku.laws.closed.loop_equations import loop_bias, loop_jacobian
from rikigaku.laws.tree.newton_euler import inverse_dynamics
from rikigaku.model.inertial_parameters import PARAMETER_NAMES
from rikigaku.model.mechanism import instantiate
from rikigaku.model.robot_model import ModelT, RobotModel
from rikigaku.numbers.formula import ZERO, Formula
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.symbolic.base_parameters.base_parameter_set import BaseParameters
from rikigaku.symbolic.base_parameters.base_parameters import base_parameters
from rikigaku.symbolic.base_parameters.regrouping import (
    base_values,
    rebuilt,
    some_values,
    still_declared,
    with_symbols,
)
from rikigaku.symbolic.loops.component import component_of

_SEED, _STATES = 5, 4
_ROUNDING = 1e-12  # of the largest force: sums of regrouped parameters lose a few of sixteen digits


def regrouped_along_loops(robot: ModelT, any_gravity: bool, near: Any, symbols: bool = False) -> ModelT:
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
    robot: RobotModel,
    result: ModelT,
    any_gravity: bool,
    values: Mapping[str, float],
    regrouped_values: Mapping[str, float],
) -> ModelT:
    """The regrouped robot, after comparing forces along the loops' motions with those of the full robot."""
    component = component_of(base.problem.geometry, base.configuration)
    at = {name: float(x) for name, x in component.values.items()}
    full = instantiate(robot, FLOATS, {**values, **at})
    less = instantiate(result, FLOATS, {**regrouped_values, **at})
    rng = np.random.default_rng(_SEED)
    wrong = largest = 0.0
    for configuration in component.configurations(_STATES)[:_STATES]:
        q = configuration.tolist()
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
