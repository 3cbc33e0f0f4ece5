"""The context of a law's exact formulas: robot, polynomial ring, and display names of its generators."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rikigaku.core.errors import UnknownName, WrongValue
from rikigaku.model.formula_fields import formulas
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.polynomial_ring import Ring
from rikigaku.symbolic.formulas.formula_writing import FormulaWriter
from rikigaku.symbolic.formulas.textbook_form import TextbookForms

STYLES = ("full", "short")
_KINDS = ("parameters", "accelerations", "velocities")


def short_indices(style: str, coordinates: Sequence[str]) -> dict[str, str] | None:
    """Indices of the coordinates in the style "short", s23 for sin(theta2 + theta3); None for "full".

    The number at the end of each name, where all are different, else the number of the coordinate.
    """
    if style not in STYLES:
        raise UnknownName("style", style, STYLES, "formulas")
    if style == "full":
        return None
    numbers = [found[0] if (found := re.findall(r"\d+$", name)) else "" for name in coordinates]
    if not all(numbers) or len(set(numbers)) < len(numbers):
        numbers = [str(k + 1) for k in range(len(coordinates))]
    return dict(zip(coordinates, numbers, strict=True))


@dataclass(frozen=True, eq=False)
class FormulaContext:
    """Robot, ring and names of generators that the formulas of one law share.

    closed: the formulas hold only where the robot's loops are closed.
    """

    robot: RobotModel
    ring: Ring
    names: Mapping[str, str]  # "q[0]": "theta1"
    closed: bool = False

    @property
    def writer(self) -> FormulaWriter:
        """The writer of this ring's numbers as formulas."""
        known = len(self.ring.radicands)  # another law may have added square roots since
        if known not in self._writers:
            self._writers[known] = FormulaWriter(self.ring, self.names)
        return self._writers[known]

    @cached_property
    def _writers(self) -> dict[int, FormulaWriter]:
        return {}

    @property
    def forms(self) -> TextbookForms:
        """Short forms of this ring's numbers, with those found before."""
        known = len(self.ring.radicands)
        if known not in self._forms:
            self._forms[known] = TextbookForms(self.writer)
        return self._forms[known]

    @cached_property
    def _forms(self) -> dict[int, TextbookForms]:
        return {}

    def short_indices(self, style: str) -> dict[str, str] | None:
        """Indices of the angles in the style "short"; None for "full"."""
        places = (f"q[{k}]" for k in range(self.robot.nq))
        return short_indices(style, [self.names[x] for x in places if x in self.names])

    @cached_property
    def combined(self) -> dict[Any, Formula]:
        """Cache of combined sines and cosines, for the next formula."""
        return {}

    @cached_property
    def generators(self) -> dict[str, str]:
        """The generator of each name a formula may hold."""
        return {name: x for x, name in self.names.items()} | {x: x for x in self.robot.free_symbols}

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """Symbols that occur only in inertias, friction and rotors."""
        inertial: set[str] = set()
        others: set[str] = set()
        for place, formula in formulas(self.robot):
            own = "inertia." in place or place.endswith((".viscous", ".coulomb", ".rotor"))
            (inertial if own else others).update(formula.symbols)
        return tuple(name for name in self.robot.free_symbols if name in inertial - others)

    @property
    def relations(self) -> tuple[str, ...]:
        """Linear relations of a closed robot's coordinates that were substituted, as text."""
        if not self.closed:
            return ()
        from rikigaku.symbolic.loops.linear_substitution import linear_substitution

        linear = linear_substitution(self.robot)
        return () if linear is None else linear.relations

    def reduced(self, number: Any) -> Any:
        """The number; of a closed robot its shortest form where the loops are closed, zero if it vanishes."""
        if not self.closed or not hasattr(number, "ring"):
            return number
        from rikigaku.symbolic.loops.loop_constraints import loop_constraints  # for robots that have loops

        ideal = loop_constraints(self.robot).ideal
        return ideal.reduced(number) if ideal.ring is number.ring else number

    def generator(self, name: str) -> str:
        """The generator of that name."""
        if name not in self.generators:
            raise UnknownName("variable", name, self.generators, f"a formula of robot {self.robot.name!r}")
        return self.generators[name]

    def chosen(self, by: str | Sequence[str]) -> list[str]:
        """Generators by kind ("parameters", "accelerations", "velocities"), by name, or by names."""
        if not isinstance(by, str):
            if not isinstance(by, Sequence) or not all(isinstance(name, str) for name in by):
                known = ", ".join(map(repr, _KINDS))
                raise WrongValue(f"collect takes one of {known}, or names of variables; {by!r} was given.")
            return [self.generator(name) for name in by]
        if by == "parameters":
            return list(self.parameters)
        if by in ("accelerations", "velocities"):
            return [x for x in self.names if x.startswith("a[" if by == "accelerations" else "v[")]
        if by in self.generators:
            return [self.generator(by)]
        raise UnknownName("way to collect", by, (*_KINDS, *self.generators), "a formula")
