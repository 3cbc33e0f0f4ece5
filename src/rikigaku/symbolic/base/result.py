"""The base parameters of a robot as data: names, regrouping, values, the minimal regressor, printing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.arrays import floats, sized
from rikigaku.errors import MissingValue, UnknownName, WrongValue
from rikigaku.laws.regressor import regressor_parameters
from rikigaku.model.mechanism import instantiate
from rikigaku.model.robot import Robot
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.kind import FLOATS
from rikigaku.symbolic.base.names import latex_name, paper_names
from rikigaku.symbolic.base.regrouping import Regrouping
from rikigaku.symbolic.base.samples import Question
from rikigaku.symbolic.base.text import latex_term, sum_text

if TYPE_CHECKING:
    from rikigaku.symbolic.base.minimal_regressor import MinimalRegressor
    from rikigaku.symbolic.base.prime_rank import PrimeRank

Array = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class BaseParameters:
    """The base parameters of a robot.

    robot: under the gravity that was asked for. question: what counted as a parameter. closed: whether the
    loops were closed. verified: how the result was checked.
    posture: of a closed robot, a posture q of the component of its configuration space they hold for (and
    with `near=` can be asked for again). relations: where all coordinates follow linearly there, how.
    """

    robot: Robot
    question: Question
    found: Regrouping
    verified: str
    closed: bool = False
    posture: tuple[float, ...] = ()
    relations: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """How many there are."""
        return self.found.count

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Their names: the kept parameter's own, with "(regrouped)" where others were added to it."""
        return tuple(
            f"{name} (regrouped)" if len(terms) > 1 else name
            for name, terms in zip(self.found.kept, self.found.base, strict=True)
        )

    @cached_property
    def formulas(self) -> dict[str, dict[str, Formula]]:
        """For each base parameter, by name, {full parameter: exact coefficient}."""
        return {name: dict(terms) for name, terms in zip(self.names, self.found.base, strict=True)}

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the full parameters, in the order of the regressor's columns."""
        return self.found.parameters

    @property
    def columns(self) -> dict[int, str]:
        """The independent columns of the full regressor, each with the parameter it belongs to."""
        return dict(zip(self.found.columns, self.found.kept, strict=True))

    @property
    def unimportant(self) -> tuple[str, ...]:
        """Parameters that never matter."""
        return self.found.eliminated

    @property
    def regrouping(self) -> Array:
        """K with base = K @ full, at the values the robot gives to its symbols."""
        return self.matrix()

    def matrix(self, **symbols: float) -> Array:
        """K with base = K @ full, at given values of the symbols of the geometry."""
        self._check_names(symbols)
        given = {name: float(floats(name, x)) for name, x in symbols.items()}
        values = self.robot.declared_values | given
        used = {s for terms in self.found.base for x in terms.values() for s in x.symbols}
        if missing := sorted(used - values.keys()):
            raise MissingValue(
                f"The regrouping of robot {self.robot.name!r} has symbols without a value: "
                f"{', '.join(missing)}. "
                f"Give them: matrix({missing[0]}=...), or ask a robot.bind({missing[0]}=...)."
            )
        return self.found.matrix(values)

    def base_values(
        self, full: Mapping[str, float] | Sequence[float] | None = None, **symbols: float
    ) -> Array:
        """Values of the base parameters from a full set: by name, in order, or (None) the robot's own."""
        return self.matrix(**symbols) @ self._full(full, symbols)

    def full_values(self, base: Sequence[float] | Array, **symbols: float) -> dict[str, float]:
        """One full set of parameters with these base values: kept ones as given, all others zero.

        symbols: as `base_values` takes them; no matter here, for what is regrouped is zero.
        """
        self._check_names(symbols)
        return self.found.full_values(list(floats("full_values", base)))

    def _check_names(self, symbols: Mapping[str, Any]) -> None:
        for name in symbols:
            if name not in self.robot.free_symbols:
                raise UnknownName("symbol", name, self.robot.free_symbols, f"robot {self.robot.name!r}")

    @cached_property
    def tree(self) -> Robot:
        """The robot without its loops and gears, whose laws are those of the spanning tree."""
        return replace(self.robot, loops=(), couplings=(), independent=())

    @property
    def regressor(self) -> "MinimalRegressor":
        """The columns of the regressor that are kept: tau = regressor(q, v, a) @ base."""
        from rikigaku.symbolic.base.minimal_regressor import MinimalRegressor

        return MinimalRegressor(self)

    def prime_rank(self) -> "PrimeRank":
        """Of a closed robot the rank of its regressor, exactly, at points of its loops over a prime field.

        `.rank` is proved as a lower bound of the count, on the component where the points lie. It is larger
        where the loops have another component with more base parameters (a crossed twin).

        Raises:
            WrongValue: where `verified` is exact already, of trees and where coordinates follow linearly.
            NoFormula, NotExact: where no such points are found.
        """
        if not self.closed or self.relations:
            raise WrongValue(f"This rank is exact already: {self.verified}.")
        from rikigaku.symbolic.base.prime_rank import prime_rank

        return prime_rank(self.question)

    def paper_form(self) -> str:
        """The base parameters in the letters of ROSAM II: m, ms, In with link and branch number (Inzz31)."""
        names = paper_names(self.robot, self.parameters)
        return "\n".join(sum_text(terms, names) for terms in self.found.base)

    def __len__(self) -> int:
        return self.count

    def __repr__(self) -> str:
        kind = "closed robot" if self.closed else "robot"
        head = f"{self.count} base parameters of {kind} {self.robot.name!r}, of {len(self.parameters)}:"
        lines = [
            f"  {name}" if len(t) == 1 else f"  {name} = {sum_text(t)}" for name, t in self.formulas.items()
        ]
        never = ", ".join(self.unimportant)
        tail = [f"Never matter: {never}."] if never else []
        where = [f"Hold {self.where}."] if self.closed else []
        return "\n".join([head, *lines, *tail, *where, f"Verified: {self.verified}."])

    @property
    def where(self) -> str:
        """For which postures of a closed robot they hold, in words."""
        at = ", ".join(f"{x:.4g}" for x in self.posture)
        along = f", where {', '.join(self.relations)}" if self.relations else ""
        return f"on the component of q = ({at}){along}"

    def _repr_html_(self) -> str:
        rows = [
            f"<tr><td>{k}</td><td>{escape(name)}</td><td>{escape(sum_text(terms))}</td></tr>"
            for k, (name, terms) in zip(self.found.columns, self.formulas.items(), strict=True)
        ]
        head = "<tr><th>column</th><th>base parameter</th><th>regrouping</th></tr>"
        caption = escape(f"{self.count} base parameters of {self.robot.name}; verified: {self.verified}")
        return f"<table><caption>{caption}</caption>{head}{''.join(rows)}</table>"

    def _repr_latex_(self) -> str:
        rows = []
        for name, terms in zip(self.found.kept, self.found.base, strict=True):
            left = latex_name(name) if len(terms) == 1 else rf"{{{latex_name(name)}}}^{{R}}"
            parts = [latex_term(x, latex_name(n)) for n, x in terms.items()]
            rows.append(f"{left} &= {' + '.join(parts).replace('+ -', '- ')}")
        return r"$\begin{aligned}" + r"\\".join(rows) + r"\end{aligned}$"

    def _full(self, full: Any, symbols: Mapping[str, float]) -> Array:
        if full is None:
            mechanism = instantiate(self.robot, FLOATS, self.robot.declared_values | dict(symbols))
            own = self.question.pick(regressor_parameters(mechanism, bool(self.question.drives)))
            return np.array([float(x) for x in own])
        if isinstance(full, Mapping):
            for name in full:
                if name not in self.parameters:
                    raise UnknownName("parameter", name, self.parameters, f"robot {self.robot.name!r}")
            if missing := [name for name in self.parameters if name not in full]:
                raise MissingValue(
                    f"base_values lacks {', '.join(missing[:5])}{' ...' * (len(missing) > 5)}."
                )
            return np.array([float(full[name]) for name in self.parameters])
        return sized("base_values", full, len(self.parameters))
