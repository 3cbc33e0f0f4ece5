"""Regrouped robots: links whose inertias are base parameters, as numbers or as symbols.

A regrouped robot has the same joint forces, mass matrix and accelerations. Its links hold base parameters
only; all other parameters are zero and fold away when a law is traced.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.core.errors import MissingValue, NotVerified, WrongValue
from rikigaku.laws.tree.newton_euler import inverse_dynamics
from rikigaku.laws.tree.regressor import regressor_bodies, regressor_parameters
from rikigaku.model.aligned_frames import aligned
from rikigaku.model.inertial_parameters import PARAMETER_NAMES
from rikigaku.model.mechanism import instantiate
from rikigaku.model.robot_model import ModelT, RobotModel
from rikigaku.model.states import random_state
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.symbolic.base_parameters.geometric_rules import base_by_rules, numbers_by_rules
from rikigaku.symbolic.base_parameters.regressor_samples import ANY_GRAVITY
from rikigaku.symbolic.base_parameters.regrouping import (
    base_values,
    rebuilt,
    some_values,
    still_declared,
    with_symbols,
)

_CHOICES = ("numbers", "symbols")
_SEED, _STATES = 3, 3
_ROUNDING = 1e-12  # of the largest force: sums of regrouped parameters lose a few of sixteen digits


def regrouped(
    robot: ModelT,
    parameters: str = "numbers",
    any_gravity: bool = False,
    loops: bool = False,
    near: ArrayLike | None = None,
    **symbols: float,
) -> ModelT:
    """A robot that moves as this one under the same joint forces, with base parameters for its inertias.

    Args:
        parameters: "numbers": the regrouped values are constants that fold into the programs. "symbols": each
            base parameter is a symbol (Izz_link2, ...) with the robot's value, an input of every program:
            for identified values, given with each call or by `bind`.
        any_gravity: hold for gravity of every direction, where calls will give it. Else the regrouped robot
            holds for the direction of the robot's own gravity, which takes fewer parameters.
        loops: use the base parameters of the closed robot, which are fewer than those of its tree and are all
            that can be identified. Then forces along the motions of its loops are kept
            (`inverse_dynamics`, `robot.reduced`, but no forward dynamics), not those in its cut joints, and
            only on the component of its configurations that `near` (or the reference) lies on.
        symbols: values that replace those of the robot's symbols ("numbers").

    Sums over the links (`center_of_mass`, `momentum`) and the constant of `potential_energy` are not kept,
    nor is the motion of a robot that gets more freedoms afterwards.

    Raises:
        WrongValue: for loops=True if the robot has none.
        MissingValue: if a symbol has no value ("numbers").
        NotVerified: if joint forces at random states are not those of the full robot.
    """
    if parameters not in _CHOICES:
        raise WrongValue(f"parameters={parameters!r} is not known. Give {' or '.join(map(repr, _CHOICES))}.")
    closed = bool(robot.loops or robot.couplings)
    if not closed and (loops or near is not None):
        raise WrongValue(
            f"Robot {robot.name!r} has no loops and no coupled joints: loops=True and near=... do not apply."
        )
    if near is not None and not loops:
        raise WrongValue("near=... is for loops=True: the parameters of a tree hold at all configurations.")
    if parameters == "numbers":
        full = _bound(robot, symbols)
        if loops:
            return _along_loops(aligned(full), any_gravity, near, False)
        return _verified(full, _with_numbers(aligned(full), any_gravity), any_gravity, {}, {})
    if symbols:
        raise WrongValue(
            "Values of symbols are for parameters='numbers'; bind the symbols of the regrouped robot instead."
        )
    if loops:
        return _along_loops(aligned(robot), any_gravity, near, True)
    return _with_symbols(aligned(robot), any_gravity)


def _along_loops(robot: ModelT, any_gravity: bool, near: Any, symbols: bool) -> ModelT:
    from rikigaku.symbolic.base_parameters.regrouped_closed_robot import (
        regrouped_along_loops,  # for robots that have loops
    )

    return regrouped_along_loops(robot, any_gravity, near, symbols)


def _bound(robot: ModelT, symbols: Mapping[str, float]) -> ModelT:
    from rikigaku.model.editing import bind

    values = {**robot.declared_values, **symbols}
    if missing := [name for name in robot.free_symbols if name not in values]:
        example = ", ".join(f"{name}=..." for name in missing[:4])
        raise MissingValue(
            f"The regrouped robot of {robot.name!r} needs values for {', '.join(missing)}. Give them "
            f"(robot.regrouped({example})), or make base parameters symbols (robot.regrouped('symbols'))."
        )
    return bind(robot, **{name: values[name] for name in robot.free_symbols})


def _under(robot: ModelT, any_gravity: bool) -> ModelT:
    return replace(robot, gravity=ANY_GRAVITY) if any_gravity else robot


def _with_numbers(robot: ModelT, any_gravity: bool) -> ModelT:
    mechanism = instantiate(robot, FLOATS, {})
    owners = [mechanism.bodies[i].name for i in regressor_bodies(mechanism)]
    ten = np.array(regressor_parameters(mechanism), float).reshape(-1, 10)
    full = {
        f"{p} of {owner}": float(x)
        for owner, row in zip(owners, ten, strict=True)
        for p, x in zip(PARAMETER_NAMES, row, strict=True)
    }
    full |= {name: float(robot.joint(joint).rotor) for joint, name in _rotors(robot).items()}
    base = numbers_by_rules(_under(robot, any_gravity), _rotor_coordinates(robot))
    values = dict.fromkeys(full, 0.0)
    for name, parts in base.items():
        values[name] = sum(c * full[n] for n, c in parts.items())
    inertias, rotors = {}, {}
    for owner in owners:
        inertias[owner] = [Formula.of(values[f"{p} of {owner}"]) for p in PARAMETER_NAMES]
    for joint, name in _rotors(robot).items():
        rotors[joint] = Formula.of(values[name])
    return rebuilt(robot, inertias, rotors)


def _with_symbols(robot: ModelT, any_gravity: bool) -> ModelT:
    regrouping = base_by_rules(_under(robot, any_gravity))
    result, added = with_symbols(robot, regrouping)
    values = some_values(robot)
    base = dict(zip((symbol.name for symbol in added), base_values(robot, regrouping, values), strict=True))
    _verified(robot, result, any_gravity, values, {**values, **base})
    return replace(result, symbols=(*still_declared(robot, result), *added))


def _verified(
    robot: ModelT,
    result: ModelT,
    any_gravity: bool,
    values: Mapping[str, float],
    regrouped_values: Mapping[str, float],
) -> ModelT:
    """The regrouped robot, after comparing its joint forces with those of the full robot at random states."""
    full, less = instantiate(robot, FLOATS, values), instantiate(result, FLOATS, regrouped_values)
    rng = np.random.default_rng(_SEED)
    states = random_state(robot, rng, _STATES)
    wrong = largest = 0.0
    for q, v, a in zip(*(x.tolist() for x in states), strict=True):
        gx, gy, gz = rng.uniform(-10, 10, 3).tolist()
        gravity = (gx, gy, gz) if any_gravity else None
        tau = np.array(inverse_dynamics(full, q, v, a, gravity), float)
        wrong = max(wrong, np.abs(np.array(inverse_dynamics(less, q, v, a, gravity)) - tau).max(initial=0))
        largest = max(largest, np.abs(tau).max(initial=0))
    if not wrong <= _ROUNDING * largest:
        raise NotVerified(
            f"Joint forces of the regrouped robot of {robot.name!r} differ from the full one's by "
            f"{wrong:.3g} (of {largest:.3g}). Please report this robot."
        )
    return result


def _rotors(robot: RobotModel) -> dict[str, str]:
    """Names of the rotor inertias by joint; not of joints whose several coordinates share one value."""
    return {joint.name: f"rotor of {joint.name}" for joint in robot.joints if joint.nv == 1}


def _rotor_coordinates(robot: RobotModel) -> dict[int, str]:
    return {robot.v_slices[joint].start: name for joint, name in _rotors(robot).items()}
