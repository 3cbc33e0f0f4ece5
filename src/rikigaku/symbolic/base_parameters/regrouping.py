"""Regrouping of inertial parameters: base parameters as combinations of full ones; robots that hold them.

Both methods (geometric rules, regressor) return this record, for regrouped robots, minimal regressors,
tables.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.core.errors import WrongSize, WrongValue
from rikigaku.laws.tree.regressor import regressor_parameters
from rikigaku.model.inertial_parameters import PARAMETER_NAMES, Inertia
from rikigaku.model.mechanism import instantiate
from rikigaku.model.robot_model import ModelT, RobotModel, Symbol
from rikigaku.numbers.formula import ONE, ZERO, Formula
from rikigaku.numbers.number_kind import FLOATS

_SEED = 3


@dataclass(frozen=True)
class Regrouping:
    """Base parameters as combinations of the full ones: base[k] = sum of coefficient * full parameter.

    parameters: names of the full parameters in the order of the regressor's columns ("Izz of link3").
    kept: full parameters whose columns are kept, one for each base parameter, in the order of the columns.
    base: for each base parameter {full parameter: coefficient}: its kept parameter with coefficient one, no
        other kept one, and what is regrouped into it. Coefficients are formulas of the robot's geometry.
    """

    parameters: tuple[str, ...]
    kept: tuple[str, ...]
    base: tuple[Mapping[str, Formula], ...]

    def __post_init__(self) -> None:
        if len(self.kept) != len(self.base):
            raise WrongSize(f"{len(self.kept)} parameters are kept, but {len(self.base)} combinations given.")
        known, kept = set(self.parameters), set(self.kept)
        for name, combination in zip(self.kept, self.base, strict=True):
            if not combination.keys() <= known:
                raise WrongValue(
                    f"{name!r} regroups unknown parameters: {sorted(combination.keys() - known)}."
                )
            if combination.keys() & kept != {name} or combination[name] != ONE:
                raise WrongValue(
                    f"The combination of {name!r} must contain {name!r} with coefficient 1 and no other kept "
                    "parameter."
                )

    @property
    def count(self) -> int:
        """Number of base parameters."""
        return len(self.kept)

    @cached_property
    def regrouped(self) -> tuple[str, ...]:
        """Parameters that act only in sums with kept ones."""
        used = {name for combination in self.base for name in combination}
        return tuple(name for name in self.parameters if name in used and name not in self._kept)

    @cached_property
    def eliminated(self) -> tuple[str, ...]:
        """Parameters without effect on the joint forces."""
        used = {name for combination in self.base for name in combination}
        return tuple(name for name in self.parameters if name not in used)

    @cached_property
    def _kept(self) -> frozenset[str]:
        return frozenset(self.kept)

    @cached_property
    def columns(self) -> tuple[int, ...]:
        """Indices of the kept parameters: the independent columns of the regressor."""
        places = {name: k for k, name in enumerate(self.parameters)}
        return tuple(places[name] for name in self.kept)

    def matrix(self, symbols: Mapping[str, float] | None = None) -> NDArray[np.float64]:
        """K with base = K @ full, at the given values of the symbols in its coefficients."""
        places = {name: k for k, name in enumerate(self.parameters)}
        K = np.zeros((self.count, len(self.parameters)))
        for row, combination in zip(K, self.base, strict=True):
            for name, coefficient in combination.items():
                row[places[name]] = float(coefficient.evaluate(FLOATS, symbols or {}))
        return K

    def full_values(self, base: Sequence[float]) -> dict[str, float]:
        """One full set of parameters with these base values: kept ones as given, all others zero."""
        if len(base) != self.count:
            raise WrongSize(f"There are {self.count} base parameters; {len(base)} values were given.")
        return {**dict.fromkeys(self.parameters, 0.0), **dict(zip(self.kept, map(float, base), strict=True))}


def with_symbols(robot: ModelT, regrouping: Regrouping) -> tuple[ModelT, list[Symbol]]:
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


def still_declared(robot: RobotModel, result: RobotModel) -> tuple[Symbol, ...]:
    """The robot's own symbols that are still in use."""
    used = set(result.free_symbols)
    return tuple(symbol for symbol in robot.symbols if symbol.name in used)


def default_values(robot: RobotModel, regrouping: Regrouping) -> list[Formula | None]:
    """The robot's own base values, where all its symbols have values."""
    values = robot.declared_values
    if any(name not in values for name in robot.free_symbols):
        return [None] * regrouping.count
    return [Formula.of(x) for x in base_values(robot, regrouping, values)]


def base_values(robot: RobotModel, regrouping: Regrouping, values: Mapping[str, float]) -> list[float]:
    full = np.array(regressor_parameters(instantiate(robot, FLOATS, values)), float)
    return [float(x) for x in regrouping.matrix(values) @ full]


def some_values(robot: RobotModel) -> dict[str, float]:
    """A value for every symbol: its own, or a random one."""
    rng, own = np.random.default_rng(_SEED), robot.declared_values
    return {name: own.get(name, float(rng.uniform(0.5, 1.5))) for name in robot.free_symbols}


def rebuilt(
    robot: ModelT, inertias: Mapping[str, Sequence[Formula]], rotors: Mapping[str, Formula]
) -> ModelT:
    """The robot with these ten parameters on its links, about their origins, and nothing on the others."""
    links = []
    for link in robot.links:
        ten: Any = inertias.get(link.name)
        inertia = None
        if ten is not None:
            inertia = Inertia("origin", ten[0], tuple(ten[1:4]), tuple(ten[4:]), regrouped=True)
        joint = replace(link.joint, rotor=rotors.get(link.joint.name, link.joint.rotor))
        links.append(replace(link, joint=joint, inertia=inertia))
    return replace(robot, name=f"{robot.name} (regrouped)", links=tuple(links), base_inertia=None)
