"""Base parameters of a robot: names, regrouping matrix, values, minimal regressor, printed forms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.core.arrays import floats, sized
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import MissingValue, UnknownName, WrongValue
from rikigaku.core.types import Array
from rikigaku.laws.tree.regressor import regressor_parameters
from rikigaku.model.mechanism import instantiate
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.formula import ZERO, Formula
from rikigaku.numbers.formula_text import signed_terms, sum_rows
from rikigaku.numbers.latex_names import aligned, displays
from rikigaku.numbers.latex_names import latex_name as symbol_latex
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.symbolic.base_parameters.parameter_names import latex_name as parameter_latex
from rikigaku.symbolic.base_parameters.parameter_names import latex_terms, paper_names, sum_text
from rikigaku.symbolic.base_parameters.regressor_samples import BaseParameterProblem
from rikigaku.symbolic.base_parameters.regrouping import Regrouping
from rikigaku.symbolic.formulas.factored_fraction import factored_fraction

if TYPE_CHECKING:
    from rikigaku.symbolic.base_parameters.minimal_regressor_law import MinimalRegressor
    from rikigaku.symbolic.base_parameters.prime_rank import PrimeRank


@dataclass(frozen=True, repr=False)
class BaseParameters:
    """The base parameters of a robot.

    robot: with the gravity of the call. problem: which parameters are included. closed: whether the loops are
    closed. verified: how the result was checked.
    configuration: of a closed robot, a configuration q on the component they hold for (give it as `near=` to
    get the same set again). relations: linear relations of the coordinates on that component, if all are
    linear.
    symbols: parameters that are symbols of the robot's file, {"Izz of arm1": "zz1"}; texts show these.
    zeros: parameters that the file declares zero, in links whose inertias are symbols; they do not count.
    values: parameters of links about their centres of mass in the file's symbols, {"msx of arm1": c1*m1}.
    """

    robot: RobotModel
    problem: BaseParameterProblem
    found: Regrouping
    verified: str
    closed: bool = False
    configuration: tuple[float, ...] = ()
    relations: tuple[str, ...] = ()
    symbols: Mapping[str, str] = field(default_factory=dict)
    zeros: tuple[str, ...] = ()
    values: Mapping[str, Formula] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """Number of base parameters."""
        return self.found.count

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Their names: the kept parameter's own, with "(regrouped)" where others were added to it.

        A parameter that is a symbol of the robot's file has the name of the symbol.
        """
        return tuple(
            f"{self.symbols.get(name, name)}{' (regrouped)' * (len(terms) > 1)}"
            for name, terms in zip(self.found.kept, self.found.base, strict=True)
        )

    @cached_property
    def _shown(self) -> dict[str, str]:
        """How each parameter is written in sums: the user's symbol, or its name in brackets."""
        return {name: self.symbols.get(name, f"[{name}]") for name in self.parameters}

    @cached_property
    def formulas(self) -> dict[str, dict[str, Formula]]:
        """For each base parameter, by name, {full parameter: exact coefficient}."""
        return dict(zip(self.names, self._base, strict=True))

    @cached_property
    def _base(self) -> tuple[dict[str, Formula], ...]:
        """The combinations with their coefficients in short form: (e - p)**2, not e**2 + p**2 - 2*e*p."""
        return tuple({name: factored_fraction(c) for name, c in terms.items()} for terms in self.found.base)

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
        """Parameters that have no effect on the joint forces, without those that are zero."""
        return tuple(name for name in self.found.eliminated if name not in self.zeros)

    @property
    def regrouping(self) -> Array:
        """K with base = K @ full, at the values the robot gives to its symbols."""
        return self.matrix()

    @checked
    def matrix(self, **symbols: float) -> Array:
        """K with base = K @ full, at given values of the symbols of the geometry."""
        self._check_names(symbols)
        chosen = {name: float(floats(name, x)) for name, x in symbols.items()}
        values = self.robot.declared_values | chosen
        used = {s for terms in self.found.base for x in terms.values() for s in x.symbols}
        if missing := sorted(used - values.keys()):
            raise MissingValue(
                f"The regrouping of robot {self.robot.name!r} has symbols without a value: "
                f"{', '.join(missing)}. "
                f"Give them: matrix({missing[0]}=...), or ask a robot.bind({missing[0]}=...)."
            )
        return self.found.matrix(values)

    @checked
    def base_values(
        self, full: Mapping[str, float] | Sequence[float] | None = None, **symbols: float
    ) -> Array:
        """Values of the base parameters from a full set: by name, in order, or (None) the robot's own."""
        return self.matrix(**symbols) @ self._full(full, symbols)

    @checked
    def full_values(self, base: ArrayLike, **symbols: float) -> dict[str, float]:
        """One full set of parameters with these base values: kept ones have them, all others are zero.

        symbols: as `base_values` takes them; without effect here.
        """
        self._check_names(symbols)
        return self.found.full_values(list(np.atleast_1d(floats("full_values", base))))

    def _check_names(self, symbols: Mapping[str, Any]) -> None:
        for name in symbols:
            if name not in self.robot.free_symbols:
                raise UnknownName("symbol", name, self.robot.free_symbols, f"robot {self.robot.name!r}")

    @cached_property
    def tree(self) -> RobotModel:
        """The robot without its loops and gears, whose laws are those of the spanning tree."""
        return replace(self.robot, loops=(), couplings=(), independent=())

    @property
    def regressor(self) -> "MinimalRegressor":
        """The columns of the regressor that are kept: tau = regressor(q, v, a) @ base."""
        from rikigaku.symbolic.base_parameters.minimal_regressor_law import MinimalRegressor

        return MinimalRegressor(self)

    def prime_rank(self) -> "PrimeRank":
        """Rank of the regressor of a closed robot, exactly, at closed configurations over a prime field.

        `.rank` is a proved lower bound of the count, on the component where the points lie. It is larger
        where the loops have another component with more base parameters (a crossed parallelogram).

        Raises:
            WrongValue: where the rank is exact already: trees, and linear relations of coordinates.
            NoFormula, NotExact: where no such points are found.
        """
        if not self.closed or self.relations:
            raise WrongValue(f"This rank is exact already: {self.verified}.")
        from rikigaku.symbolic.base_parameters.prime_rank import prime_rank

        return prime_rank(self.problem)

    def paper_form(self) -> str:
        """The base parameters in the notation of ROSAM II: m, ms, In with link and branch number (Inzz31)."""
        names = paper_names(self.robot, self.parameters)
        return "\n".join(sum_text(terms, names) for terms in self.found.base)

    def __len__(self) -> int:
        return self.count

    def __repr__(self) -> str:
        kind = "closed robot" if self.closed else "robot"
        many = len(self.parameters) - len(self.zeros)
        head = f"{self.count} base parameters of {kind} {self.robot.name!r}, of {many}:"
        lines = [
            f"  {name} = {self._sum(t)}" if self._is_sum(t) else f"  {name}"
            for name, t in self.formulas.items()
        ]
        unimportant = ", ".join(self.symbols.get(name, name) for name in self.unimportant)
        tail = [f"Without effect: {unimportant}."] if unimportant else []
        where = [f"Hold {self.where}."] if self.closed else []
        return "\n".join([head, *lines, *tail, *where, f"Verified: {self.verified}."])

    @property
    def where(self) -> str:
        """Text that names the component on which base parameters of a closed robot hold."""
        at = ", ".join(f"{x:.4g}" for x in self.configuration)
        along = f", where {', '.join(self.relations)}" if self.relations else ""
        return f"on the component of q = ({at}){along}"

    def _repr_html_(self) -> str:
        rows = [
            f"<tr><td>{k + 1}</td><td>{escape(name)}</td><td>{escape(self._sum(terms))}</td></tr>"
            for k, (name, terms) in zip(self.found.columns, self.formulas.items(), strict=True)
        ]
        head = "<tr><th>column</th><th>base parameter</th><th>regrouping</th></tr>"
        caption = escape(f"{self.count} base parameters of {self.robot.name}; verified: {self.verified}")
        return f"<table><caption>{caption}</caption>{head}{''.join(rows)}</table>"

    def latex(self) -> str:
        """The regrouping as an aligned display, without dollar signs; R marks a regrouped parameter."""
        return aligned(self._latex_rows())

    def _latex_rows(self) -> list[str]:
        rows: list[str] = []
        for name, terms in zip(self.found.kept, self._base, strict=True):
            own = self.latex_name(name)
            if not self._is_sum(terms):
                rows.append(f"{own} &")
                continue
            written, others = self._in_symbols(terms)
            parts = signed_terms(written) if written else []
            parts += latex_terms(others, self.latex_name)
            rows += sum_rows(parts, rf"{own}^{{\mathrm{{R}}}}" if len(terms) > 1 else own)
        return rows

    def _is_sum(self, terms: Mapping[str, Formula]) -> bool:
        """Whether more than the name of a parameter is shown: a sum, or its formula."""
        return len(terms) > 1 or bool(self.values.keys() & terms.keys())

    def _sum(self, terms: Mapping[str, Formula]) -> str:
        """A sum of parameters, in the file's symbols as far as it has them."""
        written, others = self._in_symbols(terms)
        texts = [str(written)] * bool(written) + [sum_text(others, self._shown)] * bool(others)
        return " + ".join(texts).replace("+ -", "- ")

    def _in_symbols(self, terms: Mapping[str, Formula]) -> tuple[Formula, Mapping[str, Formula]]:
        """The part of a sum that is a formula of the file's symbols, where a link has one, and the rest."""
        if not self.values.keys() & terms.keys():
            return ZERO, terms
        own = {x: Formula.symbol(y) for x, y in self.symbols.items()} | dict(self.values)
        written = sum((c * own[x] for x, c in terms.items() if x in own), ZERO)
        return written, {x: c for x, c in terms.items() if x not in own}

    def latex_name(self, name: str) -> str:
        """A parameter in LaTeX: the user's symbol, or its own letter with the link as index."""
        return symbol_latex(self.symbols[name]) if name in self.symbols else parameter_latex(name)

    def _repr_latex_(self) -> str:
        return displays(self._latex_rows())

    def _full(self, full: Any, symbols: Mapping[str, float]) -> Array:
        if full is None:
            mechanism = instantiate(self.robot, FLOATS, self.robot.declared_values | dict(symbols))
            own = self.problem.pick(regressor_parameters(mechanism, bool(self.problem.joint_parameters)))
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
