"""Steps of a closed-form solution as data, in order, from the pose to the joints.

Formulas are `rikigaku.numbers.formula.Formula`s: they run on floats, arrays, traced nodes and residues alike.
A solved joint appears in later formulas by its own name, as sin(q1), cos(q1) or d3.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from rikigaku.numbers.formula import Formula
from rikigaku.numbers.latex_names import latex_name


@dataclass(frozen=True)
class Definition:
    """An intermediate variable."""

    name: str
    formula: Formula


@dataclass(frozen=True)
class Root:
    """name = plus or minus the square root of a formula; its sign distinguishes branches."""

    name: str
    radicand: Formula


@dataclass(frozen=True)
class Angle:
    """A revolute joint: angle = atan2(y, x), with y = scale sin, x = scale cos and scale not negative.

    Where the scale is zero the joint may take any angle: the arm is singular there. total: the angle as a
    sum of angles solved before, where it is one.
    """

    place: int
    name: str
    y: Formula
    x: Formula
    scale: Formula
    total: Formula | None = None

    @property
    def sin(self) -> Formula:
        return self.y / self.scale

    @property
    def cos(self) -> Formula:
        return self.x / self.scale


@dataclass(frozen=True)
class Displacement:
    """A prismatic joint."""

    place: int
    name: str
    value: Formula


Step = Definition | Root | Angle | Displacement


def formulas_of(step: Step) -> tuple[Formula, ...]:
    """The formulas of a step."""
    match step:
        case Definition(_, formula):
            return (formula,)
        case Root(_, radicand):
            return (radicand,)
        case Angle():
            return (step.y, step.x, step.scale, *([] if step.total is None else [step.total]))
        case Displacement():
            return (step.value,)


def needed(steps: Sequence[Step], removable: Callable[[Step], bool] | None = None) -> tuple[Step, ...]:
    """The steps without unused ones: definitions, or those that satisfy `removable`."""
    removable = removable or (lambda step: isinstance(step, Definition))
    used: set[str] = set()
    kept: list[Step] = []
    for step in reversed(steps):
        if not removable(step) or step.name in used:
            kept.append(step)
            for formula in formulas_of(step):
                used |= formula.symbols
    return tuple(reversed(kept))


def direct(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps, with a displacement that only repeats a definition replaced by its formula."""
    uses = Counter(name for step in steps for f in formulas_of(step) for name in f.symbols)
    formulas = {step.name: step.formula for step in steps if isinstance(step, Definition)}
    result: list[Step] = []
    for step in steps:
        if isinstance(step, Displacement) and is_short(step.value):
            (name, *_) = (*step.value.symbols, "")
            if name in formulas and uses[name] == 1:
                step = replace(step, value=step.value.substitute(formulas))
        result.append(step)
    return needed(result)


class Names:
    """Identifiers not used before, and not printed like one that was."""

    def __init__(self, taken: Sequence[str]) -> None:
        self.taken = set(taken)
        self.printed = set(map(latex_name, taken))

    def new(self, wanted: str) -> str:
        """The requested name, or one like it."""
        while wanted in self.taken or latex_name(wanted) in self.printed:
            wanted += "_"
        self.taken.add(wanted)
        self.printed.add(latex_name(wanted))
        return wanted


def is_short(formula: Formula) -> bool:
    """Needs no definition: a number, a symbol, or its negative."""
    if formula.rational is not None:
        return True
    if len(formula.terms) != 1:
        return False
    (monomial, coefficient) = formula.terms[0]
    return abs(coefficient) == 1 and len(monomial) == 1 and monomial[0][1] == 1
