"""One dependent coordinate of a closed robot as a formula of coordinates known before it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from rikigaku.numbers.formula import Formula
from rikigaku.numbers.functions import is_zero, sqrt
from rikigaku.symbolic.evaluation import Point


@dataclass(frozen=True)
class Relation:
    """One coordinate from those known before it.

    form "slide": a x^2 + b x + c = 0 (a may be 0); "angle": a sin + b cos + c = 0, two solutions;
    "both": a sin + c = 0 and b cos + d = 0, one solution.
    """

    name: str  # the coordinate's, as people know it
    generator: str  # "q[3]"
    form: str
    a: Any
    b: Any
    c: Any
    d: Any = 0
    write: Callable[[Any], Formula] = field(default=Formula.of, repr=False, compare=False)

    @property
    def branches(self) -> int:
        """How many solutions there are, at most."""
        return 2 if self.form == "angle" or (self.form == "slide" and not is_zero(self.a)) else 1

    def solved(self, point: Point, sign: int = 1) -> dict[str, Any]:
        """Values of the coordinate's generators at a point where all it needs is known; sign: the branch."""
        a, b, c, d = (point.value(x) for x in (self.a, self.b, self.c, self.d))
        if self.form == "slide":
            x = -c / b if is_zero(self.a) else (-b + sign * sqrt(b * b - 4 * a * c)) / (2 * a)
            return {self.generator: x}
        if self.form == "both":
            s, cosine = -c / a, -d / b
        else:
            square = a * a + b * b
            root = sign * sqrt(square - c * c)
            s, cosine = (-a * c + b * root) / square, (-b * c - a * root) / square
        return {f"sin({self.generator})": s, f"cos({self.generator})": cosine}

    def __str__(self) -> str:
        name, (a, b, c, d) = self.name, map(self.write, (self.a, self.b, self.c, self.d))
        if self.form == "both":
            return f"sin({name}) = {-c / a}, cos({name}) = {-d / b}"
        if self.form == "angle":
            A, B, C, W = (f"{letter}_{name}" for letter in "ABCW")  # no symbol of the robot's own
            return (
                f"sin({name}) = (-{A}*{C} +- {B}*{W})/({A}**2 + {B}**2), "
                f"cos({name}) = (-{B}*{C} -+ {A}*{W})/({A}**2 + {B}**2) "
                f"with {A} = {a}, {B} = {b}, {C} = {c}, {W} = sqrt({A}**2 + {B}**2 - {C}**2)"
            )
        if is_zero(self.a):
            return f"{name} = {-c / b}"
        if is_zero(self.b):
            return f"{name} = +-sqrt({-c / a})"
        return f"{name} = ({-b} +- sqrt({b * b - 4 * a * c}))/({2 * a})"
