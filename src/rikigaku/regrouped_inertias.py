"""Robots with base parameters for their inertias, as numbers or as symbols with values."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rikigaku.laws.regressor import regressor_parameters
from rikigaku.model.inertia import PARAMETER_NAMES, Inertia
from rikigaku.model.mechanism import instantiate
from rikigaku.model.robot import Robot, Symbol
from rikigaku.numbers.formula import ZERO, Formula
from rikigaku.numbers.kind import FLOATS
from rikigaku.symbolic.base.regrouping import Regrouping

_SEED = 3


def with_symbols(robot: Robot, regrouping: Regrouping) -> tuple[Robot, list[Symbol]]:
    """The robot with a symbol for each base parameter, and these symbols with the robot's values."""
    taken = {*robot.free_symbols, *(symbol.name for symbol in robot.symbols)}
    inertias: dict[str, list[Formula]] = {}
    added = []
    default = default_values(robot, regrouping)
    for name, value in zip(regrouping.kept, default, strict=True):
        parameter, owner = name.split(" of ", 1)
        symbol = re.sub(r"\W", "_", f"{parameter}_{owner}", flags=re.ASCII)
        while symbol in taken:
            symbol += "_"
        taken.add(symbol)
        unit = "kg" if parameter == "m" else "kg m" if parameter.startswith("ms") else "kg m^2"
        added.append(Symbol(symbol, value, unit))
        row = inertias.setdefault(owner, [ZERO] * 10)
        row[PARAMETER_NAMES.index(parameter)] = Formula.symbol(symbol)
    return rebuilt(robot, inertias, {}), added


def still_declared(robot: Robot, result: Robot) -> tuple[Symbol, ...]:
    """The robot's own symbols that are still in use."""
    used = set(result.free_symbols)
    return tuple(symbol for symbol in robot.symbols if symbol.name in used)


def default_values(robot: Robot, regrouping: Regrouping) -> list[Formula | None]:
    """The robot's own base values, where all its symbols have values."""
    values = robot.declared_values
    if any(name not in values for name in robot.free_symbols):
        return [None] * regrouping.count
    return [Formula.of(x) for x in base_values(robot, regrouping, values)]


def base_values(robot: Robot, regrouping: Regrouping, values: Mapping[str, float]) -> list[float]:
    full = np.array(regressor_parameters(instantiate(robot, FLOATS, values)), float)
    return [float(x) for x in regrouping.matrix(values) @ full]


def some_values(robot: Robot) -> dict[str, float]:
    """A value for every symbol: its own, or a random one."""
    rng, own = np.random.default_rng(_SEED), robot.declared_values
    return {name: own.get(name, float(rng.uniform(0.5, 1.5))) for name in robot.free_symbols}


def rebuilt(robot: Robot, inertias: Mapping[str, Sequence[Formula]], rotors: Mapping[str, Formula]) -> Robot:
    """The robot with these ten parameters on its links, about their origins, and nothing on the others."""
    links = []
    for link in robot.links:
        ten: Any = inertias.get(link.name)
        inertia = None if ten is None else Inertia("origin", ten[0], tuple(ten[1:4]), tuple(ten[4:]))
        joint = replace(link.joint, rotor=rotors.get(link.joint.name, link.joint.rotor))
        links.append(replace(link, joint=joint, inertia=inertia))
    return replace(robot, name=f"{robot.name} (regrouped)", links=tuple(links), base_inertia=None)
