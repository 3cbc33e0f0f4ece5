"""Closest points of a shape and a surface: gap, normal, contact point, and their rates of change.

Everything is in the axes of the surface. With p, R the pose of the shape, v, w its velocity and angular
velocity, a, al their bias accelerations, n the unit normal, `arm` = c - p from the shape's centre to the
contact point c on the shape, and u the velocity of the surface's material at its own closest point:

    gap rate      n.(v + w x arm) - n.u
    normal        n.(a + al x arm + w x arm') + n'.(v + w x arm) - (n.u)'
    tangential    t.(a + al x arm + w x arm' - u')

are the bias accelerations. arm' and n' include the motion of the contact point on both bodies (rolling).
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from rikigaku.laws.contact.contact_shapes import Ball, Capsule, Rim, Solid
from rikigaku.laws.contact.surface_geometry import SurfacePoint, length, tangent_directions, unit
from rikigaku.numbers.elementary_functions import is_zero, where
from rikigaku.numbers.number_kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.pose import Pose
from rikigaku.spatial.vector import Vector, add, cross, dot, scale, sub, transform

# Steps of Newton's method for the closest point of a surface that is given by a formula.
_NEWTON_STEPS = 8
# Sine of the angle between a disc and its plane below which the disc is flat.
_FLAT = 1e-9
# Squared sine of the angle between two capsules below which they are parallel.
_PARALLEL = 1e-12


class Motion(NamedTuple):
    """Motion of a shape relative to a surface, in the axes of the surface.

    linear, angular: velocity of the shape's centre and angular velocity. acceleration, alpha: bias
    accelerations.
    """

    linear: Vector
    angular: Vector
    acceleration: Vector
    alpha: Vector


class Rates(NamedTuple):
    """Rates of the arm, of the normal, and of the closest point on the surface."""

    arm: Vector
    normal: Vector
    foot: Vector


@dataclass(frozen=True)
class PointContact:
    """A point at p on a surface C = 0. plane: normal of the plane of motion, if there is one."""

    surface: Any
    p: Vector
    t: Number
    plane: Vector | None

    @cached_property
    def at_surface(self) -> SurfacePoint:
        return SurfacePoint(self.surface, self.p, self.t, self.plane)

    @property
    def arm(self) -> Vector:
        """From the shape's centre to the contact point."""
        return vector.ZERO

    @property
    def gap(self) -> Number:
        """Distance of the shape from the surface [m]; of a point to first order."""
        return self.at_surface.gap

    @property
    def gap_rate(self) -> Number:
        """Rate of the gap of a shape at rest [m/s]."""
        return self.at_surface.gap_rate

    @property
    def directions(self) -> tuple[Vector, ...]:
        """The normal, then one or two tangents."""
        return self.at_surface.directions

    @property
    def material(self) -> Vector:
        """Velocity of the surface's material relative to its body [m/s]."""
        return self.at_surface.material

    def bias(self, motion: Motion) -> tuple[Number, ...]:
        """Bias acceleration along each direction."""
        return self.at_surface.bias(motion.linear, motion.acceleration)

    def normal_rate(self, motion: Motion) -> Vector:
        """dn/dt."""
        return self.at_surface.normal_rate(motion.linear)

    def angular_bias(self, motion: Motion, axes: Sequence[Vector]) -> tuple[Number, ...]:
        """Bias of d(axis . angular velocity)/dt for axes that are normal or tangential to the surface.

        Tangential axes rotate with the normal, t' = -(t.n') n. Their rotation about the normal is left out:
        it has no effect where both tangential components vanish.
        """
        n, rate = self.directions[0], self.normal_rate(motion)
        found = []
        for axis in axes:
            turned = rate if axis is n else scale(-dot(axis, rate), n)
            found.append(dot(axis, motion.alpha) + dot(turned, motion.angular))
        return tuple(found)


@dataclass(frozen=True)
class ShapeContact(PointContact, ABC):
    """A shape at the pose (R, p): what the kinds of shape have in common."""

    shape: Any
    R: Any

    @abstractmethod
    def rates(self, motion: Motion) -> Rates:
        """Rates of the arm, the normal and the closest point."""

    def normal_rate(self, motion: Motion) -> Vector:
        return self.rates(motion).normal

    def bias(self, motion: Motion) -> tuple[Number, ...]:
        n, *tangents = self.directions
        rates = self.rates(motion)
        speed = add(motion.linear, cross(motion.angular, self.arm))
        own = add(cross(motion.alpha, self.arm), cross(motion.angular, rates.arm))
        acceleration = add(motion.acceleration, own)
        normal, material = self.surface_terms(rates.foot)
        relative = sub(acceleration, material)
        along = dot(n, acceleration) + dot(rates.normal, speed) + normal
        return (along, *(dot(tangent, relative) for tangent in tangents))

    def surface_terms(self, foot_rate: Vector) -> tuple[Number, Vector]:
        """d/dt of C_t/|C_r| and of the material's velocity at the closest point, which moves at foot_rate."""
        return self.at_surface.rates(foot_rate)


class BallContact(ShapeContact):
    """A ball on a surface C = 0: the closest point of the surface to its centre."""

    @cached_property
    def at_surface(self) -> SurfacePoint:
        return closest_point(self.surface, self.p, self.t, self.plane)

    @cached_property
    def height(self) -> Number:
        """Signed distance of the centre from the surface."""
        return dot(self.directions[0], sub(self.p, self.at_surface.p))

    @property
    def gap(self) -> Number:
        return self.height - self.shape.radius

    @property
    def arm(self) -> Vector:
        return scale(-self.shape.radius, self.directions[0])

    def rates(self, motion: Motion) -> Rates:
        """p = foot + height n, with n the normal at the foot."""
        at, n = self.at_surface, self.directions[0]
        first, second = at.tangent_basis
        across = scale(-at.gap_rate, n)  # the surface's own motion along the normal
        own = sub(motion.linear, scale(self.height / at.size, add(at.curved(across), at.gradient_rate)))
        along = tangential_solution(at, self.height, (dot(first, own), dot(second, own)))
        foot = add(across, add(scale(along[0], first), scale(along[1], second)))
        normal = at.normal_rate(foot)
        return Rates(scale(-self.shape.radius, normal), normal, foot)


class RimContact(ShapeContact):
    """The rim of a disc on a plane: its lowest point, p + r d - edge n with d in the plane of the disc."""

    @cached_property
    def axis(self) -> Vector:
        return transform(self.R, self.shape.direction)

    @cached_property
    def upright(self) -> tuple[Vector, Number]:
        """n less its part along the axis, and its length: the sine of the angle between disc and plane."""
        n, e = self.directions[0], self.axis
        m = sub(n, scale(dot(n, e), e))
        return m, length(m)

    @cached_property
    def down(self) -> Vector:
        """Direction of the lowest point from the centre; zero where the disc is flat."""
        m, s = self.upright
        return scale(where(s < _FLAT, 0, -1) / s, m)

    @cached_property
    def arm(self) -> Vector:
        return sub(scale(self.shape.radius, self.down), scale(self.shape.edge, self.directions[0]))

    @cached_property
    def at_lowest(self) -> SurfacePoint:
        return SurfacePoint(self.surface, add(self.p, self.arm), self.t, self.plane)

    @property
    def gap(self) -> Number:
        return self.at_lowest.gap

    @property
    def gap_rate(self) -> Number:
        return self.at_lowest.gap_rate

    @property
    def material(self) -> Vector:
        return self.at_lowest.material

    def rates(self, motion: Motion) -> Rates:
        n, e, d, (_, s) = self.directions[0], self.axis, self.down, self.upright
        dn, de = self.at_surface.normal_rate(vector.ZERO), cross(motion.angular, self.axis)
        cosine = dot(n, e)
        dm = sub(dn, add(scale(dot(dn, e) + dot(n, de), e), scale(cosine, de)))
        turning = scale(where(s < _FLAT, 0, -1) / s, sub(dm, scale(dot(d, dm), d)))
        arm = sub(scale(self.shape.radius, turning), scale(self.shape.edge, dn))
        return Rates(arm, dn, add(motion.linear, arm))

    def surface_terms(self, foot_rate: Vector) -> tuple[Number, Vector]:
        return self.at_lowest.rates(foot_rate)


class SolidContact(ShapeContact):
    """A ball or capsule on a ball, capsule or box: the closest points of their cores, less both radii."""

    @cached_property
    def cores(self) -> tuple[Vector, Vector, Any]:
        """d: from the surface's core to the shape's; the point of the shape's core from p; how both move."""
        p, h, e = sub(self.p, self.surface.at), self.surface.core, None
        if isinstance(self.shape, Ball):
            c = (_clamped(p[0], h[0]), _clamped(p[1], h[1]), _clamped(p[2], h[2]))
            return sub(p, c), vector.ZERO, None
        e, f, a, b = transform(self.R, self.shape.direction), _axis(h), 0.5 * self.shape.length, max(h)
        s, r, free = segment_parameters(p, e, f, a, b)
        return sub(add(p, scale(s, e)), scale(r, f)), scale(s, e), (e, f, s, free)

    @cached_property
    def distance(self) -> Number:
        return length(self.cores[0])

    @cached_property
    def directions(self) -> tuple[Vector, ...]:
        n = scale(1 / self.distance, self.cores[0])
        return (n, *tangent_directions(n, self.plane))

    @property
    def gap(self) -> Number:
        return self.distance - self.shape.radius - self.surface.radius

    @property
    def gap_rate(self) -> Number:
        return 0

    @property
    def material(self) -> Vector:
        return vector.ZERO

    @cached_property
    def arm(self) -> Vector:
        return sub(self.cores[1], scale(self.shape.radius, self.directions[0]))

    def rates(self, motion: Motion) -> Rates:
        d, v, n = self.cores[0], motion.linear, self.directions[0]
        if self.cores[2] is None:
            p, h = sub(self.p, self.surface.at), self.surface.core
            moved = tuple(where(x * x < b * b, 0, dx) if b else dx for x, b, dx in zip(p, h, v, strict=True))
            core: Vector = vector.ZERO
            change: Vector = (moved[0], moved[1], moved[2])
        else:
            e, f, s, (free_s, free_r) = self.cores[2]
            de, k = cross(motion.angular, e), dot(e, f)
            along_e, along_f = dot(v, e) + dot(d, de), dot(v, f) + s * dot(de, f)
            sine = 1 - k * k
            parallel = sine < _PARALLEL
            crossing = (k * along_f - along_e) / where(parallel, 1, sine)
            ds = where(parallel, 0, free_s * where(free_r > 0.5, crossing, -along_e))
            dr = free_r * (along_f + ds * k)
            core = add(scale(ds, e), scale(s, de))
            change = sub(add(v, core), scale(dr, f))
        normal = scale(1 / self.distance, sub(change, scale(dot(n, change), n)))
        return Rates(sub(core, scale(self.shape.radius, normal)), normal, vector.ZERO)

    def surface_terms(self, foot_rate: Vector) -> tuple[Number, Vector]:
        return 0, vector.ZERO


def contact_of(surface: Any, shape: Any, X: Pose, t: Number, plane: Vector | None) -> PointContact:
    """The contact of a shape at the pose X with a surface, in the axes of the surface."""
    if isinstance(surface, Solid):
        return SolidContact(surface, X.p, t, plane, shape, X.R)
    if isinstance(shape, Ball):
        return BallContact(surface, X.p, t, plane, shape, X.R)
    if isinstance(shape, Rim):
        return RimContact(surface, X.p, t, plane, shape, X.R)
    assert not isinstance(shape, Capsule)  # `Contact` requires a solid surface
    return PointContact(surface, X.p, t, plane)


def closest_point(surface: Any, p: Vector, t: Number, plane: Vector | None) -> SurfacePoint:
    """The point of a surface that is closest to p.

    Exact for planes and for surfaces at a constant distance from a point, a line or a circle. Otherwise
    Newton's method in a fixed number of steps, which converges where the distance of p is below half a
    radius of curvature.
    """
    at = SurfacePoint(surface, p, t, plane)
    if surface.is_plane or surface.radius is not None:
        height = at.gap if surface.is_plane else at.C / (0.5 * at.size + at.value(surface.radius))
        return SurfacePoint(surface, sub(p, scale(height, unit(at.gradient))), t, plane)
    for _ in range(_NEWTON_STEPS):
        n, (first, second) = unit(at.gradient), at.tangent_basis
        off = sub(p, at.p)
        height, across = dot(n, off), -at.gap
        # moving along the normal turns the normal as well
        own = sub(off, scale(height * across / at.size, at.curved(n)))
        along = tangential_solution(at, height, (dot(first, own), dot(second, own)))
        step = add(scale(across, n), add(scale(along[0], first), scale(along[1], second)))
        at = SurfacePoint(surface, add(at.p, step), t, plane)
    return at


def tangential_solution(at: SurfacePoint, height: Number, x: tuple[Number, Number]) -> tuple[Number, Number]:
    """(1 + height S)^-1 x over the tangents, S = curvature of the surface (2 x 2).

    Beyond a centre of curvature, where the closest point is not unique, x itself.
    """
    first, second = at.tangent_basis
    u, w = (scale(height / at.size, at.curved(tangent)) for tangent in (first, second))
    a, b, c = 1 + dot(first, u), dot(second, u), 1 + dot(second, w)
    det = a * c - b * b
    if is_zero(b) and is_zero(a - 1) and is_zero(c - 1):
        return x
    singular = det < 1e-3
    inverse = where(singular, 0, 1) / where(singular, 1, det)
    y = (inverse * (c * x[0] - b * x[1]), inverse * (a * x[1] - b * x[0]))
    return where(singular, x[0], y[0]), where(singular, x[1], y[1])


def segment_parameters(
    p: Vector, e: Vector, f: Vector, a: float, b: float
) -> tuple[Number, Number, tuple[Number, Number]]:
    """s, r of the closest points p + s e (|s| <= a) and r f (|r| <= b); 1 or 0 for each that is free to move.

    Parallel segments have many: the middle of those is taken.
    """
    k, along_e, along_f = dot(e, f), dot(p, e), dot(p, f)
    sine = 1 - k * k
    parallel = sine < _PARALLEL
    s = _clamped((k * along_f - along_e) / where(parallel, 1, sine), a)
    middle = 0.5 * (_clamped(b * k - along_e, a) + _clamped(-b * k - along_e, a))
    s = where(parallel, middle, s)
    free_r = where((along_f + s * k) * (along_f + s * k) < b * b, 1, 0)
    r = _clamped(along_f + s * k, b)
    s = where(free_r > 0.5, s, _clamped(r * k - along_e, a))
    return s, r, (where(s * s < a * a, 1, 0), free_r)


def _clamped(x: Number, bound: float) -> Number:
    if not bound:
        return 0
    return where(x < -bound, -bound, where(bound < x, bound, x))


def _axis(core: tuple[float, float, float]) -> Vector:
    """Direction of a segment with these half lengths; any direction for a point."""
    x, y, z = (float(h > 0) for h in core)
    return (x, y, z) if x or y or z else (0.0, 0.0, 1.0)
