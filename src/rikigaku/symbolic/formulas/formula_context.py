"""The context of a law's exact formulas: robot, polynomial ring, and display names of its generators."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from rikigaku.core.errors import NotExact, UnknownName, WrongValue
from rikigaku.model.editing import geometry_only
from rikigaku.model.formula_fields import formulas
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.algebra_budget import charged, work_left, work_limit
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.polynomial_ring import Ring
from rikigaku.symbolic.formulas.formula_grouping import grouped, shortest
from rikigaku.symbolic.formulas.formula_writing import FormulaWriter
from rikigaku.symbolic.formulas.textbook_form import TextbookForms
from rikigaku.symbolic.formulas.trigonometric_sums import combined

STYLES = ("full", "short")
_KINDS = ("parameters", "accelerations", "velocities")


def short_indices(style: str, coordinates: Sequence[str], taken: Iterable[str]) -> dict[str, str] | None:
    """Indices of the coordinates in the style "short", s23 for sin(theta2 + theta3); None for "full".

    The number at the end of each name; where no name ends in one, the number of the coordinate. A coordinate
    has no index, and its sine is written in full, where another one ends in the same number, or where a name
    that is taken (a symbol, a step) reads like an abbreviation of it: c2 and c12 for theta2.
    """
    if style not in STYLES:
        raise UnknownName("style", style, STYLES, "formulas")
    if style == "full":
        return None
    numbers = [found[0] if (found := re.findall(r"\d+$", name)) else "" for name in coordinates]
    if not any(numbers):
        numbers = [str(k + 1) for k in range(len(coordinates))]
    like = ["".join(re.findall(r"\d", name)) for name in taken if re.fullmatch(r"[sc][\d_]*\d", name)]
    return {
        name: number
        for name, number in zip(coordinates, numbers, strict=True)
        if number and numbers.count(number) == 1 and not any(number in digits for digits in like)
    }


@dataclass(frozen=True, eq=False)
class FormulaContext:
    """Robot, ring and names of generators that the formulas of one law share.

    closed: the formulas hold only where the robot's loops are closed.
    replaced: None, or, where coordinates or lengths of a closed robot were replaced, the names in their
    values. The loops of such formulas are others than the robot's, and they are kept as they are.
    """

    robot: RobotModel
    ring: Ring
    names: Mapping[str, str]  # "q[0]": "theta1"
    closed: bool = False
    replaced: frozenset[str] | None = None

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

    def short_form(self, number: Any, work: float) -> Formula:
        """The shortest form of a number that is found with this work; at least a quick one."""
        return charged(self._short_forms, (number, work), lambda: self._searched(number, work))

    def _searched(self, number: Any, work: float) -> Formula:
        with work_limit(work):
            form = self.forms(number)
            complete = work_left() >= 0
        if complete:
            return form
        return shortest((form, grouped(combined(number, self.writer, self.combined))))

    @cached_property
    def _short_forms(self) -> dict[Any, tuple[Formula, float]]:
        return {}

    def short_indices(self, style: str, taken: Iterable[str] = ()) -> dict[str, str] | None:
        """Indices of the angles in the style "short"; None for "full". taken: names of steps."""
        places = (f"q[{k}]" for k in range(self.robot.nq))
        coordinates = [self.names[x] for x in places if x in self.names]
        return short_indices(style, coordinates, (*self.names.values(), *self.robot.free_symbols, *taken))

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

    @cached_property
    def coefficients(self) -> tuple[str, ...]:
        """Generators whose coefficients are shown: inertial parameters, velocities, accelerations."""
        return (*self.parameters, *(x for x in self.names if x.startswith(("v[", "a["))))

    @property
    def relations(self) -> tuple[str, ...]:
        """Linear relations of a closed robot's coordinates that were substituted, as text."""
        if not self.closed:
            return ()
        from rikigaku.symbolic.loops.linear_substitution import linear_substitution

        linear = linear_substitution(self.robot)
        return () if linear is None else linear.relations

    @property
    def unsubstituted_relations(self) -> tuple[str, ...]:
        """Linear relations of a closed robot's coordinates that were not substituted, as text."""
        if not self.closed:
            return ()
        from rikigaku.symbolic.loops.linear_substitution import unsubstituted_relations

        return unsubstituted_relations(self.robot)

    def reduced(self, number: Any) -> Any:
        """The number; of a closed robot its shortest form where the loops are closed, zero if it vanishes."""
        if not self.closed or self.replaced is not None or not hasattr(number, "ring"):
            return number
        from rikigaku.symbolic.loops.loop_constraints import loop_constraints  # for robots that have loops

        ideal = loop_constraints(self.robot).ideal
        return ideal.reduced(number) if ideal.ring is number.ring else number

    @cached_property
    def _geometry(self) -> RobotModel:
        """The robot without the data that its closed configurations do not depend on."""
        return replace(geometry_only(self.robot), couplings=self.robot.couplings)

    @cached_property
    def _loop_geometry(self) -> tuple[Any, ...]:
        links = [
            (
                link.name,
                link.parent,
                link.geometry,
                joint.name,
                joint.type,
                joint.axis,
                joint.second_axis,
                joint.pitch,
            )
            for link in self._geometry.links
            for joint in (link.joint,)
        ]
        values = {x: y for x, y in self.robot.declared_values.items() if x in self._geometry.free_symbols}
        return links, self.robot.loops, self.robot.couplings, values

    def closed_alike(self, other: "FormulaContext") -> bool:
        """Whether formulas of both hold at the same closed configurations; those of trees hold at all."""
        return not (self.closed and other.closed) or self._loop_geometry == other._loop_geometry

    def positional(self, name: str) -> bool:
        """Whether the closed configurations depend on this variable: a coordinate, a length."""
        own = self._geometry.free_symbols
        return self.generator(name).startswith("q[") or name in own or name in (self.replaced or ())

    def check_derivative(self, name: str) -> None:
        """Raises NotExact where a partial derivative depends on how a closed robot's formula is written."""
        if self.closed and self.positional(name):
            raise NotExact(
                f"Robot {self.robot.name!r} has closed loops: its formulas hold only where they are closed, "
                f"and {name!r} does not change alone there, so that a partial derivative depends on how the "
                "formula is written. Its rate along loops is robot.reduced.mass_matrix.derivative(q).q @ v, "
                "v of all joints (robot.complete); formulas of the open tree are those of robot.tree. "
                "Derivatives by velocities, accelerations and inertial parameters exist."
            )

    def after_replacing(self, values: Mapping[str, Formula]) -> "FormulaContext":
        """The context of formulas with these variables replaced."""
        moved = {name: value for name, value in values.items() if self.closed and self.positional(name)}
        if not moved:
            return self
        held = frozenset(x for value in moved.values() for x in value.symbols) | (
            self.replaced or frozenset()
        )
        if held not in self._replaced:
            self._replaced[held] = replace(self, replaced=held)
        return self._replaced[held]

    @cached_property
    def _replaced(self) -> dict[frozenset[str], "FormulaContext"]:
        return {}

    def in_ring_of(self, other: "FormulaContext") -> "FormulaContext | None":
        """This context over the ring of another law; None if it has symbols this robot has not."""
        if not set(other.robot.free_symbols) <= set(self.robot.free_symbols):
            return None
        return replace(self, ring=other.ring, names={**other.names, **self.names})

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
