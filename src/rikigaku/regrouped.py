"""Regrouped robots: inertias regrouped to the base parameters, so that every law of motion takes less work.

A regrouped robot moves exactly as the given one: the same joint forces, mass matrix and accelerations. Its
links hold base parameters only; all else is zero and folds away when a law is recorded. There is no second
recursion.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from rikigaku.errors import MissingValue, NotVerified, WrongValue
from rikigaku.laws.newton_euler import inverse_dynamics
from rikigaku.laws.regressor import regressor_bodies, regressor_parameters
from rikigaku.model.aligned import aligned
from rikigaku.model.inertia import PARAMETER_NAMES
from rikigaku.model.mechanism import instantiate
from rikigaku.model.robot import Robot
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.kind import FLOATS
from rikigaku.regrouped_inertias import base_values, rebuilt, some_values, still_declared, with_symbols
from rikigaku.states import random_state
from rikigaku.symbolic.base.rules import base_by_rules, numbers_by_rules
from rikigaku.symbolic.base.samples import ANY_GRAVITY

# Parameters in which a regrouped link is a lamina (all mass at z = 0) where its joint is a revolute
# one: then Izz = Ixx + Iyy, and a product and a sum less are needed than with Iyy = 0. Pxx = sum of m x^2.
SECOND_MOMENTS = {
    "Pxx": {"Iyy": 1, "Izz": 1},
    "Pyy": {"Ixx": 1, "Izz": 1},
    **{name: {name: 1} for name in ("Ixy", "Ixz", "Iyz", "msx", "msy")},
    "Pzz": {"Ixx": 1, "Iyy": 1},
    "msz": {"msz": 1},
    "m": {"m": 1},
}
_UNITS = {name: tuple(unit.get(p, 0) for p in PARAMETER_NAMES) for name, unit in SECOND_MOMENTS.items()}
_CHOICES = ("numbers", "symbols")
_SEED, _STATES = 3, 3
_ROUNDING = 1e-12  # of the largest force: sums of regrouped parameters lose a few of sixteen digits


def regrouped(
    robot: Robot,
    parameters: str = "numbers",
    any_gravity: bool = False,
    loops: bool = False,
    near: Any = None,
    **symbols: float,
) -> Robot:
    """A robot that moves as this one under the same joint forces, with base parameters for its inertias.

    Args:
        parameters: "numbers": the regrouped values are constants and fold into the programs, which are as
            short as they get. "symbols": each base parameter is a symbol (Izz_link2, ...) with the robot's
            value, an input of every program: for identified values, given with each call or by `bind`.
        any_gravity: hold for gravity of every direction, where calls will give it. Else the regrouped robot
            holds for the direction of the robot's own gravity, which takes fewer parameters.
        loops: of a closed robot, take its own base parameters, which are fewer than those of its tree and
            all that measurements can tell. Then forces along the motions of its loops are kept
            (`inverse_dynamics`, `robot.reduced`, but no forward dynamics), not those in its cut joints, and
            only on the component of its postures that `near` (or home) lies in; see `base_parameters`.
        symbols: values of the robot's symbols where they have none or another is wanted ("numbers").

    Sums over the links (`center_of_mass`, `momentum`) and the constant of `potential_energy` are not kept,
    nor is the motion of a robot that is given more freedom afterwards.

    Raises:
        WrongValue: if loops are asked for where there are none.
        MissingValue: if a symbol has no value ("numbers").
        NotVerified: if joint forces at random states are not those of the full robot: never, we believe.
    """
    if parameters not in _CHOICES:
        raise WrongValue(f"parameters={parameters!r} is not known. Give {' or '.join(map(repr, _CHOICES))}.")
    closed = bool(robot.loops or robot.couplings)
    if not closed and (loops or near is not None):
        raise WrongValue(
            f"Robot {robot.name!r} has no loops and no coupled joints: loops=True, near=... mean nothing."
        )
    if near is not None and not loops:
        raise WrongValue("near=... is for loops=True: the parameters of a tree serve all postures.")
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


def _along_loops(robot: Robot, any_gravity: bool, near: Any, symbols: bool) -> Robot:
    from rikigaku.regrouped_closed import regrouped_along_loops  # for robots that have loops

    return regrouped_along_loops(robot, any_gravity, near, symbols)


def _bound(robot: Robot, given: Mapping[str, float]) -> Robot:
    from rikigaku.model.edit import bind

    values = {**robot.declared_values, **given}
    if missing := [name for name in robot.free_symbols if name not in values]:
        example = ", ".join(f"{name}=..." for name in missing[:4])
        raise MissingValue(
            f"The regrouped robot of {robot.name!r} needs values for {', '.join(missing)}. Give them "
            f"(robot.regrouped({example})), or make base parameters symbols (robot.regrouped('symbols'))."
        )
    return bind(robot, **{name: values[name] for name in robot.free_symbols})


def _under(robot: Robot, any_gravity: bool) -> Robot:
    return replace(robot, gravity=ANY_GRAVITY) if any_gravity else robot


def _with_numbers(robot: Robot, any_gravity: bool) -> Robot:
    mechanism = instantiate(robot, FLOATS, {})
    owners = [mechanism.bodies[i].name for i in regressor_bodies(mechanism)]
    ten = np.array(regressor_parameters(mechanism), float).reshape(-1, 10)
    units = np.array(list(_UNITS.values()), float)
    moments = np.linalg.solve(units.T, ten.T).T
    full = {
        f"{p} of {owner}": float(x)
        for owner, row in zip(owners, moments, strict=True)
        for p, x in zip(_UNITS, row, strict=True)
    }
    full |= {name: float(robot.joint(joint).rotor) for joint, name in _rotors(robot).items()}
    base = numbers_by_rules(_under(robot, any_gravity), _UNITS, _rotor_coordinates(robot))
    values = dict.fromkeys(full, 0.0)
    for name, parts in base.items():
        values[name] = sum(c * full[n] for n, c in parts.items())
    inertias, rotors = {}, {}
    for owner in owners:
        row = np.array([values[f"{p} of {owner}"] for p in _UNITS])
        # sums of two, rounded as a law rounds them: a lamina is seen to be one
        inertias[owner] = [Formula.of(float(x)) for x in row @ units]
    for joint, name in _rotors(robot).items():
        rotors[joint] = Formula.of(values[name])
    return rebuilt(robot, inertias, rotors)


def _with_symbols(robot: Robot, any_gravity: bool) -> Robot:
    regrouping = base_by_rules(_under(robot, any_gravity))
    result, added = with_symbols(robot, regrouping)
    values = some_values(robot)
    base = dict(zip((symbol.name for symbol in added), base_values(robot, regrouping, values), strict=True))
    _verified(robot, result, any_gravity, values, {**values, **base})
    return replace(result, symbols=(*still_declared(robot, result), *added))


def _verified(
    robot: Robot,
    result: Robot,
    any_gravity: bool,
    values: Mapping[str, float],
    regrouped_values: Mapping[str, float],
) -> Robot:
    """The regrouped robot, its joint forces held against those of the full one at random states."""
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


def _rotors(robot: Robot) -> dict[str, str]:
    """Names of the rotor inertias by joint; not of joints whose several coordinates share one value."""
    return {joint.name: f"rotor of {joint.name}" for joint in robot.joints if joint.nv == 1}


def _rotor_coordinates(robot: Robot) -> dict[int, str]:
    return {robot.v_slices[joint].start: name for joint, name in _rotors(robot).items()}
