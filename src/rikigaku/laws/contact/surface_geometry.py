"""Geometry of a surface C(r, t) = 0 at a point: gap, normal, tangents, motion of its material."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rikigaku.numbers.elementary_functions import is_number, sqrt, where
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.number_kind import FLOATS, Number
from rikigaku.spatial import vector
from rikigaku.spatial.vector import Vector, cross, dot

_TINY = 1e-200


@dataclass(frozen=True)
class SurfacePoint:
    """A surface (`contact.surfaces.Surface`) at a point p and time t.

    plane: unit normal of the plane of motion, if the point can only move in a plane.
    """

    surface: Any
    p: Vector
    t: Number
    plane: Vector | None

    @cached_property
    def _variables(self) -> Any:
        return self.surface.variables(self.p, self.t)

    def value(self, formula: Formula) -> Number:
        """A formula of the surface at the point."""
        return formula.evaluate(FLOATS, self._variables)

    def values(self, formulas: Sequence[Formula]) -> Vector:
        """Three formulas at the point."""
        return (self.value(formulas[0]), self.value(formulas[1]), self.value(formulas[2]))

    @cached_property
    def C(self) -> Number:
        """C at the point."""
        return self.value(self.surface.formula)

    @cached_property
    def gradient(self) -> Vector:
        """C_r."""
        return self.values(self.surface.gradient)

    @cached_property
    def size(self) -> Number:
        """|C_r|."""
        return length(self.gradient)

    @property
    def gap(self) -> Number:
        """Distance to the surface, to first order [m]."""
        return self.C / self.size

    @property
    def gap_rate(self) -> Number:
        """Rate of the gap of a point at rest, C_t/|C_r| [m/s]."""
        return self.value(self.surface.rate) / self.size

    @cached_property
    def directions(self) -> tuple[Vector, ...]:
        """The normal, then one or two tangents."""
        n = vector.scale(1 / self.size, self.gradient)
        return (n, *tangent_directions(n, self.plane))

    @cached_property
    def tangent_basis(self) -> tuple[Vector, Vector]:
        """Two unit tangents, also of a point that moves in a plane."""
        n, first = self.directions[:2]
        return first, cross(n, first)

    @cached_property
    def gradient_rate(self) -> Vector:
        """C_rt."""
        return self.values(self.surface.gradient_rate)

    def curved(self, x: Vector) -> Vector:
        """C_rr x."""
        a, b, c = (dot(self.values(row), x) for row in self.surface.hessian)
        return a, b, c

    def normal_rate(self, velocity: Vector) -> Vector:
        """dn/dt at a point of the surface that moves at that velocity."""
        change, n = vector.add(self.curved(velocity), self.gradient_rate), self.directions[0]
        return vector.scale(1 / self.size, vector.sub(change, vector.scale(dot(n, change), n)))

    def rates(self, velocity: Vector) -> tuple[Number, Vector]:
        """d/dt of C_t/|C_r| and of the material's velocity w, at a point that moves at that velocity."""
        s, n = self.surface, self.directions[0]
        change = vector.add(self.curved(velocity), self.gradient_rate)
        own = dot(self.gradient_rate, velocity) + self.value(s.second_rate) - self.gap_rate * dot(n, change)
        return own / self.size, self._material_rate(velocity)

    def _material_rate(self, velocity: Vector) -> Vector:
        """w_r velocity + w_t."""
        s = self.surface
        a, b, c = (
            dot(self.values(row), velocity) + self.value(rate)
            for row, rate in zip(s.velocity_gradient, s.velocity_rate, strict=True)
        )
        return a, b, c

    @cached_property
    def material(self) -> Vector:
        """Velocity w of the surface's material [m/s]."""
        return self.values(self.surface.velocity)

    def bias(self, speed: Vector, acceleration: Vector) -> tuple[Number, ...]:
        """Bias acceleration along each direction of a point with that velocity and that dJ/dt v.

        normal      (r'.C_rr r' + C_r.(dJ/dt v) + 2 C_rt.r' + C_tt) / |C_r|
        tangential  t.(dJ/dt v - w_r r' - w_t)
        """
        sigma = (
            dot(speed, self.curved(speed))
            + dot(self.gradient, acceleration)
            + 2 * dot(self.gradient_rate, speed)
            + self.value(self.surface.second_rate)
        )
        relative = vector.sub(acceleration, self._material_rate(speed))
        return (sigma / self.size, *(dot(tangent, relative) for tangent in self.directions[1:]))


def tangent_directions(n: Vector, plane: Vector | None) -> tuple[Vector, ...]:
    """One unit tangent in the plane of motion, or two."""
    if plane is not None:
        return (unit(cross(plane, n)),)
    across = where(n[0] * n[0] < 0.5, 1, 0)  # x, or y where the normal is close to x
    first = unit(cross((across, 1 - across, 0), n))
    return (first, cross(n, first))


def unit(a: Vector) -> Vector:
    """a / |a|."""
    return vector.scale(1 / length(a), a)


def length(a: Vector) -> Number:
    """|a|, above zero: where C_r = 0, as at the centre of a sphere, the surface is far away."""
    square = dot(a, a)
    return sqrt(square if is_number(square) else where(square < _TINY, _TINY, square))
