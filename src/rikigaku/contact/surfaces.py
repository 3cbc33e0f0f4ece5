"""Surfaces C(x, y, z, t) = 0 in the world, C > 0 where a point is free to move.

A surface is a formula; `Plane`, `Sphere`, `Cylinder`, `Torus` and `HeightField` write it. The scale of C does
not matter: laws use the gradient C_r divided by its norm (the unit normal), and C divided by that norm (the
distance to first order).
"""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.core.arrays import floats
from rikigaku.core.checked_calls import checked, checked_data
from rikigaku.core.errors import WrongValue
from rikigaku.core.validation import flag, numbers
from rikigaku.core.value_text import short
from rikigaku.laws.contact.height_table import DERIVATIVES, MOST_HEIGHTS, HeightTable
from rikigaku.model.formula_fields import FormulaLike, FormulaTriple
from rikigaku.numbers.formula import ZERO, Formula
from rikigaku.numbers.formula_derivative import formula_derivative
from rikigaku.numbers.number_kind import Number
from rikigaku.spatial.vector import Vector

Triple = tuple[Formula, Formula, Formula]
COORDINATES = ("x", "y", "z")
_VARIABLES = frozenset({*COORDINATES, "t"})
_X: Triple = (Formula.symbol("x"), Formula.symbol("y"), Formula.symbol("z"))


@checked_data
@dataclass(frozen=True)
class Surface:
    """C(x, y, z, t) = 0, positive on the free side: `Surface("z - 0.1*sin(3*x)")`.

    Args:
        formula: C, of x, y, z [m] and t [s]; any scale.
        belt: velocity of the surface's material [m/s], world axes, three formulas: a conveyor. Only its
            tangential part is used; along the normal the material moves with C.
        body: link or frame that carries the surface; x, y, z and the belt are then in the axes of this frame.
            None is the ground. `surface.on("box")` sets it.
        radius: R [m], if ``|C|`` is the difference of the squares of R and of the distance to a point, a line
            or a circle. `Sphere`, `Cylinder` and `Torus` set it; closest points then have a closed form.
        grid: heights that the formula may use as h(x, y). `HeightGrid` sets it.
    """

    formula: Formula
    belt: Triple = field(default=(ZERO, ZERO, ZERO))
    body: str | None = None
    radius: Formula | None = None
    grid: HeightTable | None = None

    if TYPE_CHECKING:  # numbers and texts become formulas in __post_init__

        def __init__(
            self,
            formula: FormulaLike,
            belt: FormulaTriple = ...,
            body: str | None = None,
            radius: FormulaLike | None = None,
            grid: HeightTable | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "formula", Formula.of(self.formula))
        object.__setattr__(self, "belt", _triple(self.belt, "The velocity of a belt"))
        if self.radius is not None:
            object.__setattr__(self, "radius", Formula.of(self.radius))
        if self.body is not None and not isinstance(self.body, str):
            raise WrongValue(f"A surface is on a link or frame, a name; {short(self.body)} was given.")
        for formula in (self.formula, *self.belt):
            if unknown := sorted(formula.symbols - _VARIABLES - {"h" if self.grid else "x"}):
                raise WrongValue(
                    f"The surface {formula} uses {', '.join(unknown)}; a surface is a formula of "
                    "x, y, z and t. "
                    "Put numbers in for the others."
                )
        if not any(self.gradient):
            raise WrongValue(f"The surface {self.formula} = 0 does not depend on x, y or z.")

    @checked
    def on(self, body: str) -> "Surface":
        """The same surface, carried by a link or frame: `Contact("hand", Plane((1, 0, 0)).on("box"))`."""
        return replace(self, body=body)

    @property
    def moves_by_itself(self) -> bool:
        """Whether the surface or its material moves relative to its body."""
        return any((self.rate, *self.belt))

    @cached_property
    def is_plane(self) -> bool:
        """Whether the surface is a plane at all times."""
        return not any(x for row in self.hessian for x in row)

    def variables(self, p: Vector, t: Number) -> dict[str, Number]:
        """Values of the symbols of the formulas at a point."""
        heights = {} if self.grid is None else self.grid.values(p[0], p[1])
        return {"x": p[0], "y": p[1], "z": p[2], "t": t, **heights}

    @cached_property
    def gradient(self) -> Triple:
        """C_r."""
        return _gradient(self.formula)

    @cached_property
    def hessian(self) -> tuple[Triple, Triple, Triple]:
        """C_rr."""
        x, y, z = (_gradient(g) for g in self.gradient)
        return x, y, z

    @cached_property
    def rate(self) -> Formula:
        """C_t."""
        return formula_derivative(self.formula, "t")

    @cached_property
    def gradient_rate(self) -> Triple:
        """C_rt."""
        return _gradient(self.rate)

    @cached_property
    def second_rate(self) -> Formula:
        """C_tt."""
        return formula_derivative(self.rate, "t")

    @cached_property
    def velocity(self) -> Triple:
        """Velocity w of the material: the belt's along the surface, C's along the normal: C_t + C_r.w = 0."""
        across = self.rate + _dot(self.gradient, self.belt)
        if not across:
            return self.belt
        square = _dot(self.gradient, self.gradient)
        x, y, z = (b - across * g / square for b, g in zip(self.belt, self.gradient, strict=True))
        return x, y, z

    @cached_property
    def velocity_gradient(self) -> tuple[Triple, Triple, Triple]:
        """w_r, row by row."""
        x, y, z = (_gradient(w) for w in self.velocity)
        return x, y, z

    @cached_property
    def velocity_rate(self) -> Triple:
        """w_t."""
        x, y, z = (formula_derivative(w, "t") for w in self.velocity)
        return x, y, z


@checked
def Plane(
    normal: FormulaTriple = (0, 0, 1),
    point: FormulaTriple = (0, 0, 0),
    belt: FormulaTriple | None = None,
) -> Surface:
    """The plane through a point; free on the side the normal points to. Numbers or formulas of t.

    belt: velocity of its material, as of every surface here; that of the point (or centre) if left out.
    """
    n, p = _triple(normal, "A normal"), _triple(point, "A point")
    if not any(n):
        raise WrongValue("The normal of a plane must not be zero.")
    return Surface(_dot(n, _minus(p)), _carried(belt, p))


@checked
def Sphere(
    radius: FormulaLike,
    center: FormulaTriple = (0, 0, 0),
    inside: bool = False,
    belt: FormulaTriple | None = None,
) -> Surface:
    """A sphere: free outside, or with inside=True free inside."""
    r, c = _positive(radius, "Sphere(0.4, center=(0, 0, 1))"), _triple(center, "A centre")
    d = _minus(c)
    return Surface(_sided(_dot(d, d) - r * r, inside), _carried(belt, c), radius=r)


@checked
def Cylinder(
    radius: FormulaLike,
    axis: FormulaTriple = (0, 0, 1),
    point: FormulaTriple = (0, 0, 0),
    inside: bool = False,
    belt: FormulaTriple | None = None,
) -> Surface:
    """A cylinder about the axis through a point: free outside, or inside."""
    r = _positive(radius, "Cylinder(0.4, axis=(0, 1, 0), point=(0, 0, 1))")
    p, along = _triple(point, "A point"), _axis(axis)
    d = _minus(p)
    height = _dot(d, along)
    C = _dot(d, d) - height * height / _dot(along, along) - r * r
    return Surface(_sided(C, inside), _carried(belt, p), radius=r)


@checked
def Torus(
    ring: FormulaLike,
    tube: FormulaLike,
    axis: FormulaTriple = (0, 0, 1),
    center: FormulaTriple = (0, 0, 0),
    inside: bool = False,
    belt: FormulaTriple | None = None,
) -> Surface:
    """A torus: a tube of one radius about a ring of another."""
    example = "Torus(0.3, 0.1, center=(0, 0, 1))"
    R, r = _positive(ring, example), _positive(tube, example)
    c, along = _triple(center, "A centre"), _axis(axis)
    d = _minus(c)
    if R.is_number and r.is_number and float(r) >= float(R):
        raise WrongValue(f"The tube of a torus is thinner than its ring; {tube} and {ring} were given.")
    height = _dot(d, along)
    across = (_dot(d, d) - height * height / _dot(along, along)).sqrt() - R
    C = across * across + height * height / _dot(along, along) - r * r
    return Surface(_sided(C, inside), _carried(belt, c), radius=r)


@checked
def HeightField(height: FormulaLike, belt: FormulaTriple = (0, 0, 0)) -> Surface:
    """The ground z = f(x, y, t), free above."""
    return Surface(_X[2] - Formula.of(height), _triple(belt, "The velocity of a belt"))


@checked
def HeightGrid(
    heights: ArrayLike,
    spacing: float | tuple[float, float],
    origin: tuple[float, float] = (0.0, 0.0),
    belt: FormulaTriple = (0, 0, 0),
) -> Surface:
    """The ground z = h(x, y) through heights [m] on a grid, free above: `HeightGrid(z, 0.1)`.

    heights: (m, n), at x = origin[0] + i spacing, y = origin[1] + j spacing; at least 2 x 2, at most 65536
    in all. spacing: in x and y [m]. A bicubic spline with continuous second derivatives interpolates them;
    beyond the grid it continues linearly.
    """
    z = floats("The heights of a grid", heights)
    if z.ndim != 2 or min(z.shape) < 2 or z.size > MOST_HEIGHTS or not np.isfinite(z).all():
        raise WrongValue(
            f"The heights of a grid are finite numbers, at least 2 x 2 and at most {MOST_HEIGHTS} in all; "
            f"shape {z.shape} was given."
        )
    steps = numbers("The spacing of a grid [m]", spacing, (), (2,))
    if not (steps > 0).all():
        raise WrongValue(f"The spacing of a grid is above 0 m; {short(spacing)} was given.")
    dx, dy = (float(step) for step in np.broadcast_to(steps, (2,)))
    x, y = (float(at) for at in numbers("The origin of a grid [m]", origin, (2,)))
    rows = tuple(tuple(float(height) for height in row) for row in z)
    grid = HeightTable(rows, (dx, dy), (x, y))
    belt = _triple(belt, "The velocity of a belt")
    return Surface(_X[2] - Formula.symbol("h"), belt, grid=grid)


def _carried(belt: FormulaTriple | None, place: Triple) -> Triple:
    """Velocity of the material: `belt`, or that of the surface's point or centre."""
    if belt is not None:
        return _triple(belt, "The velocity of a belt")
    x, y, z = (formula_derivative(p, "t") for p in place)
    return x, y, z


def _gradient(formula: Formula) -> Triple:
    """Derivatives with respect to x, y, z, those of a grid's heights included."""

    def along(name: str) -> Formula:
        total = formula_derivative(formula, name)
        for symbol in sorted(formula.symbols & DERIVATIVES.keys()):
            if name in DERIVATIVES[symbol]:
                total = total + formula_derivative(formula, symbol) * Formula.symbol(
                    DERIVATIVES[symbol][name]
                )
        return total

    return along("x"), along("y"), along("z")


def _triple(values: FormulaTriple, what: str) -> Triple:
    if isinstance(values, str) or not isinstance(values, Collection):
        raise WrongValue(f"{what} has three numbers or formulas; {short(values)} was given.")
    formulas = tuple(Formula.of(x) for x in values)
    if len(formulas) != 3:
        raise WrongValue(f"{what} has three numbers; {len(formulas)} were given.")
    return formulas


def _minus(p: Triple) -> Triple:
    return (_X[0] - p[0], _X[1] - p[1], _X[2] - p[2])


def _dot(a: Triple, b: Triple) -> Formula:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _axis(axis: FormulaTriple) -> Triple:
    along = _triple(axis, "An axis")
    if not any(along):
        raise WrongValue("An axis must not be zero.")
    return along


def _positive(radius: FormulaLike, example: str) -> Formula:
    if isinstance(radius, Collection) and not isinstance(radius, str):
        raise WrongValue(
            f"A radius is one number or formula and comes before points and axes, as in {example}; "
            f"{short(radius)} was given."
        )
    r = Formula.of(radius)
    if r.is_number and float(r) <= 0:
        raise WrongValue(f"A radius is above zero; {radius} was given.")
    return r


def _sided(C: Formula, inside: bool) -> Formula:
    return -C if flag("inside", inside) else C
