"""Regrouped robots: inertias regrouped to the base parameters, so that every law of motion takes less work.

A regrouped robot moves exactly as the given one: the same joint forces, mass matrix and accelerations. Its
links hold base parameters only; all else is zero and folds away when a law is recorded. There is no second
recursion.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rikigaku.errors import MissingValue, NotVerified, WrongValue
from rikigaku.laws.newton_euler import inverse_dynamics
from rikigaku.laws.regressor import regressor_bodies, regressor_parameters
from rikigaku.model.aligned import aligned
from rikigaku.model.inertia import PARAMETER_NAMES, Inertia
from rikigaku.model.mechanism import instantiate
from rikigaku.model.robot import Robot, Symbol
from rikigaku.numbers.formula import ZERO, Formula
from rikigaku.numbers.kind import FLOATS
from rikigaku.states import random_state
from rikigaku.symbolic.base.regrouping import Regrouping
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
_ROUNDING = 1e-8  # of the largest force: sums of regrouped parameters lose a few of sixteen digits


def regrouped(
    robot: Robot, parameters: str = "numbers", any_gravity: bool = False, **symbols: float
) -> Robot:
    """A robot that moves as this one under the same joint forces, with base parameters for its inertias.

    Args:
        parameters: "numbers": the regrouped values are constants and fold into the programs, which are as
            short as they get. "symbols": each base parameter is a symbol (Izz_link2, ...) with the robot's
            value, an input of every program: for identified values, given with each call or by `bind`.
        any_gravity: hold for gravity of every direction, where calls will give it. Else the regrouped robot
            holds for the direction of the robot's own gravity, which takes fewer parameters.
        symbols: values of the robot's symbols where they have none or another is wanted ("numbers").

    Sums over the links (`center_of_mass`, `momentum`) and the constant of `potential_energy` are not kept,
    nor is the motion of a robot that is given more freedom afterwards.

    Raises:
        WrongValue: if the robot has loops or gears. MissingValue: if a symbol has no value ("numbers").
        NotVerified: if joint forces at random states are not those of the full robot: never, we believe.
    """
    if parameters not in _CHOICES:
        raise WrongValue(f"parameters={parameters!r} is not known. Give {' or '.join(map(repr, _CHOICES))}.")
    if robot.loops or robot.couplings:
        raise WrongValue(
            f"Robot {robot.name!r} has {'loops' if robot.loops else 'coupled joints'}: regrouped robots are "
            "made of trees, whose joints move freely. Its base parameters are `robot.base_parameters()`."
        )
    if parameters == "numbers":
        full = _bound(robot, symbols)
        return _verified(full, _with_numbers(aligned(full), any_gravity), any_gravity, {}, {})
    if symbols:
        raise WrongValue(
            "Values of symbols are for parameters='numbers'; bind the symbols of the regrouped robot instead."
        )
    return _with_symbols(aligned(robot), any_gravity)


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
    return _rebuilt(robot, inertias, rotors)


def _with_symbols(robot: Robot, any_gravity: bool) -> Robot:
    regrouping = base_by_rules(_under(robot, any_gravity))
    taken = {*robot.free_symbols, *(symbol.name for symbol in robot.symbols)}
    inertias: dict[str, list[Formula]] = {}
    added = []
    default = _default_values(robot, regrouping)
    for name, value in zip(regrouping.kept, default, strict=True):
        parameter, owner = name.split(" of ", 1)
        symbol = re.sub(r"\W", "_", f"{parameter}_{owner}", flags=re.ASCII)
        while symbol in taken:
            symbol += "_"
        taken.add(symbol)
        added.append(Symbol(symbol, value, "kg m" if parameter.startswith("ms") else "kg m^2"))
        row = inertias.setdefault(owner, [ZERO] * 10)
        row[PARAMETER_NAMES.index(parameter)] = Formula.symbol(symbol)
    result = _rebuilt(robot, inertias, {})
    values = _some_values(robot)
    base = dict(zip((symbol.name for symbol in added), _base_values(robot, regrouping, values), strict=True))
    _verified(robot, result, any_gravity, values, {**values, **base})
    used = set(result.free_symbols)
    kept = tuple(s for s in robot.symbols if s.name in used)
    return replace(result, symbols=(*kept, *added))


def _default_values(robot: Robot, regrouping: Regrouping) -> list[Formula | None]:
    """The robot's own base values, where all its symbols have values."""
    values = robot.declared_values
    if any(name not in values for name in robot.free_symbols):
        return [None] * regrouping.count
    return [Formula.of(x) for x in _base_values(robot, regrouping, values)]


def _base_values(robot: Robot, regrouping: Regrouping, values: Mapping[str, float]) -> list[float]:
    full = np.array(regressor_parameters(instantiate(robot, FLOATS, values)), float)
    return [float(x) for x in regrouping.matrix(values) @ full]


def _some_values(robot: Robot) -> dict[str, float]:
    """A value for every symbol: its own, or a random one."""
    rng, own = np.random.default_rng(_SEED), robot.declared_values
    return {name: own.get(name, float(rng.uniform(0.5, 1.5))) for name in robot.free_symbols}


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


def _rebuilt(robot: Robot, inertias: Mapping[str, Sequence[Formula]], rotors: Mapping[str, Formula]) -> Robot:
    """The robot with these ten parameters on its links, about their origins, and nothing on the others."""
    links = []
    for link in robot.links:
        ten: Any = inertias.get(link.name)
        inertia = None if ten is None else Inertia("origin", ten[0], tuple(ten[1:4]), tuple(ten[4:]))
        joint = replace(link.joint, rotor=rotors.get(link.joint.name, link.joint.rotor))
        links.append(replace(link, joint=joint, inertia=inertia))
    return replace(robot, name=f"{robot.name} (regrouped)", links=tuple(links), base_inertia=None)


def _rotors(robot: Robot) -> dict[str, str]:
    """Names of the rotor inertias by joint; not of joints whose several coordinates share one value."""
    return {joint.name: f"rotor of {joint.name}" for joint in robot.joints if joint.nv == 1}


def _rotor_coordinates(robot: Robot) -> dict[int, str]:
    return {robot.v_slices[joint].start: name for joint, name in _rotors(robot).items()}
