"""Which links cause a term of a formula: those whose inertia or joint holds one of its symbols."""

from dataclasses import dataclass

from rikigaku.model.formula_fields import formulas
from rikigaku.model.geometry_symbols import geometries
from rikigaku.model.mechanism import instantiate
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.formula_text import latex, text
from rikigaku.numbers.number_kind import FLOATS

_RESISTANCE = ("viscous", "coulomb", "rotor", "stiffness")


@dataclass(frozen=True)
class TermRecord:
    """One term of a sum: LaTeX with its sign, its text, and the links that cause it, with their bodies."""

    latex: str
    text: str
    links: list[str]
    bodies: list[int]


class TermLinks:
    """Links by the symbols of a robot.

    A symbol that also places links (a length in a centre of mass) counts as geometry. Terms without a
    symbol of an inertia or joint belong to the links that their geometry symbols place.
    """

    def __init__(self, robot: RobotModel) -> None:
        # which links share a body depends on the fixed joints, not on the values of symbols
        mechanism = instantiate(robot, FLOATS, dict.fromkeys(robot.free_symbols, 1.0))
        self.bodies = {name: body for name, (body, _) in mechanism.frames.items()}
        self.geometry: dict[str, list[str]] = {}
        self.inertia: dict[str, list[str]] = {}
        for owner, geometry in geometries(robot):
            for _, formula in formulas(geometry):
                _add(self.geometry, formula, owner)
        for link in robot.links:
            own = [formula for _, formula in formulas(link.inertia)]
            own += [getattr(link.joint, name) for name in _RESISTANCE]
            for formula in own:
                _add(self.inertia, formula, link.name)
        self.inertia = {name: links for name, links in self.inertia.items() if name not in self.geometry}

    def of(self, symbols: frozenset[str]) -> list[str]:
        """The links that cause a term with these symbols, in alphabetical order of the symbols."""
        for table in (self.inertia, self.geometry):
            found = [link for name in sorted(symbols) for link in table.get(name, ())]
            if found:
                return list(dict.fromkeys(found))
        return []

    def term(self, formula: Formula, symbols: frozenset[str] | None = None) -> TermRecord:
        """The record of one term, caused by its own symbols or by those given."""
        links = self.of(formula.symbols if symbols is None else symbols)
        return TermRecord(latex(formula), text(formula), links, self.bodies_of(links))

    def bodies_of(self, links: list[str]) -> list[int]:
        """Bodies of the picture that the links belong to: links on fixed joints share one."""
        return sorted({self.bodies[name] for name in links if name in self.bodies})

    def terms(self, formula: Formula) -> list[TermRecord]:
        """The terms of a sum."""
        return [self.term(Formula((one,))) for one in formula.terms]


def _add(table: dict[str, list[str]], formula: Formula, owner: str) -> None:
    for name in formula.symbols:
        owners = table.setdefault(name, [])
        if owner not in owners:
            owners.append(owner)
