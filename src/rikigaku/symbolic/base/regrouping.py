"""Which combinations of the inertial parameters the joint forces can tell apart, as a record.

Both ways to base parameters (geometric rules, regressor) end in this record, so that they can be compared and
everything downstream (reduced programs, minimal regressors, tables) asks one kind of question.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rikigaku.errors import WrongSize, WrongValue
from rikigaku.numbers.formula import ONE, Formula
from rikigaku.numbers.kind import FLOATS


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
                raise WrongValue(f"{name!r} must stand once, and alone of the kept ones, in its combination.")

    @property
    def count(self) -> int:
        """How many base parameters there are."""
        return len(self.kept)

    @cached_property
    def regrouped(self) -> tuple[str, ...]:
        """Parameters that matter only together with kept ones."""
        used = {name for combination in self.base for name in combination}
        return tuple(name for name in self.parameters if name in used and name not in self._kept)

    @cached_property
    def eliminated(self) -> tuple[str, ...]:
        """Parameters that never matter."""
        used = {name for combination in self.base for name in combination}
        return tuple(name for name in self.parameters if name not in used)

    @cached_property
    def _kept(self) -> frozenset[str]:
        return frozenset(self.kept)

    @cached_property
    def columns(self) -> tuple[int, ...]:
        """Where the kept parameters stand among all: the regressor's columns that are independent."""
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

    def base_formulas(self, full: Mapping[str, Formula]) -> list[Formula]:
        """Values of the base parameters from formulas (or numbers) of the full ones."""
        terms = [[c * full[name] for name, c in combination.items()] for combination in self.base]
        return [sum(products[1:], products[0]) for products in terms]

    def full_values(self, base: Sequence[float]) -> dict[str, float]:
        """One full set of parameters with these base values: kept ones as given, all others zero."""
        if len(base) != self.count:
            raise WrongSize(f"There are {self.count} base parameters; {len(base)} values were given.")
        return {**dict.fromkeys(self.parameters, 0.0), **dict(zip(self.kept, map(float, base), strict=True))}
