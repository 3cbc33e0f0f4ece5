"""The steps of a solution as data: what is computed, in order, from the pose to the joints.

Formulas are `rikigaku.numbers.formula.Formula`s: they run on floats, arrays, traced nodes and residues alike.
A solved joint stands in later formulas by its own name, as sin(q1), cos(q1) or d3.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from rikigaku.numbers.formula import Formula


@dataclass(frozen=True)
class Definition:
    """An intermediate variable."""

    name: str
    formula: Formula


@dataclass(frozen=True)
class Root:
    """name = plus or minus the square root of a formula: where branches part."""

    name: str
    radicand: Formula


@dataclass(frozen=True)
class Angle:
    """A revolute joint: angle = atan2(y, x), with y = scale sin, x = scale cos and scale not negative.

    Where the scale is zero the joint may take any angle: the arm is singular there.
    """

    place: int
    name: str
    y: Formula
    x: Formula
    scale: Formula

    @property
    def sin(self) -> Formula:
        return self.y / self.scale

    @property
    def cos(self) -> Formula:
        return self.x / self.scale


@dataclass(frozen=True)
class Slide:
    """A prismatic joint."""

    place: int
    name: str
    value: Formula


Step = Definition | Root | Angle | Slide


def formulas_of(step: Step) -> tuple[Formula, ...]:
    """What a step computes from."""
    match step:
        case Definition(_, formula):
            return (formula,)
        case Root(_, radicand):
            return (radicand,)
        case Angle():
            return (step.y, step.x, step.scale)
        case Slide():
            return (step.value,)


def needed(steps: Sequence[Step], idle: Callable[[Step], bool] | None = None) -> tuple[Step, ...]:
    """The steps without those nobody uses: definitions, or what `idle` says."""
    idle = idle or (lambda step: isinstance(step, Definition))
    used: set[str] = set()
    kept: list[Step] = []
    for step in reversed(steps):
        if not idle(step) or step.name in used:
            kept.append(step)
            for formula in formulas_of(step):
                used |= formula.symbols
    return tuple(reversed(kept))


def direct(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps with slides that are nothing but a definition of their own written as that formula."""
    uses = Counter(name for step in steps for f in formulas_of(step) for name in f.symbols)
    formulas = {step.name: step.formula for step in steps if isinstance(step, Definition)}
    result: list[Step] = []
    for step in steps:
        if isinstance(step, Slide) and is_short(step.value):
            (name, *_) = (*step.value.symbols, "")
            if name in formulas and uses[name] == 1:
                step = replace(step, value=step.value.substitute(formulas))
        result.append(step)
    return needed(result)


class Names:
    """Identifiers not used before."""

    def __init__(self, taken: Sequence[str]) -> None:
        self.taken = set(taken)

    def new(self, wish: str) -> str:
        """The name wished for, or one like it."""
        while wish in self.taken:
            wish += "_"
        self.taken.add(wish)
        return wish


def is_short(formula: Formula) -> bool:
    """Worth no name of its own: a number, a symbol, or one with a sign."""
    if formula.rational is not None:
        return True
    if len(formula.terms) != 1:
        return False
    (monomial, coefficient) = formula.terms[0]
    return abs(coefficient) == 1 and len(monomial) == 1 and monomial[0][1] == 1
