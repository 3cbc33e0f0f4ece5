"""Shapes of bodies in contact, as data: ball, rim, capsule, box, vertex. Meshes are not supported.

A shape is centred at `at` [m] in the axes of its frame. A ball, a rim and a vertex touch a surface at one
point and are shapes of one contact. A box, a disc and a solid cylinder touch a plane at several points:
`shape_contacts` of `contact.compound_shapes` makes one contact for each. `Ball(...).on("link")`, a capsule
and a box are also surfaces, which balls and capsules touch.
"""

from dataclasses import dataclass, fields
from typing import Any, ClassVar

from rikigaku.core.checked_calls import check_fields, checked_data
from rikigaku.core.errors import WrongValue
from rikigaku.core.validation import is_number
from rikigaku.core.value_text import short
from rikigaku.spatial.vector import Vector

Triple = tuple[float, float, float]
_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


@dataclass(frozen=True)
class Solid:
    """A surface that is the boundary of a ball, a capsule or a box, fixed to a link or frame.

    It is the set of points at the distance `radius` from a core: a box with the half lengths `core` along the
    axes of the frame, some or all of them zero.
    """

    shape: "Ball | Capsule | Box"
    body: str

    @property
    def radius(self) -> float:
        return self.shape.radius

    @property
    def core(self) -> Triple:
        return self.shape.core

    @property
    def at(self) -> Triple:
        return self.shape.at

    @property
    def moves_by_itself(self) -> bool:
        """Whether the surface moves relative to its body."""
        return False


@dataclass(frozen=True)
class _Shape:
    def _check(self, *positive: str) -> None:
        object.__setattr__(self, "at", _triple(self.at, f"The place of a {type(self).__name__}"))  # type: ignore[attr-defined]
        check_fields(self)
        for field in fields(self):
            if field.type is float:
                object.__setattr__(self, field.name, float(getattr(self, field.name)))
        for name in positive:
            if not getattr(self, name) > 0:
                given = short(getattr(self, name))
                raise WrongValue(f"The {name} of a {type(self).__name__} is above zero; {given} was given.")

    def _check_axis(self, axis: Any) -> None:
        if axis not in _AXES:
            kind = type(self).__name__
            raise WrongValue(
                f"The axis of a {kind} is 'x', 'y' or 'z' of its frame; {short(axis)} was given."
            )


@checked_data
@dataclass(frozen=True)
class Vertex(_Shape):
    """A point of the body at `at` [m] in the axes of the contact's frame."""

    at: Triple = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        self._check()


@checked_data
@dataclass(frozen=True)
class Ball(_Shape):
    """A ball of a radius [m] about `at`: `Contact("ball", Plane(), shape=Ball(0.1))`."""

    radius: float
    at: Triple = (0.0, 0.0, 0.0)
    core: ClassVar[Triple] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        self._check("radius")

    def on(self, body: str) -> Solid:
        """The ball as a surface fixed to a link or frame."""
        return Solid(self, body)


@checked_data
@dataclass(frozen=True)
class Rim(_Shape):
    """The rim of a disc or wheel about an axis of the frame; a plane meets it at its lowest point.

    radius: of the circle [m]. edge: radius [m] of the rounded edge about this circle (a torus); 0 is sharp.
    Where the disc lies flat its lowest point is undefined and the centre is taken: `shape_contacts` adds
    three points of the rim, which carry it then.
    """

    radius: float
    axis: str = "z"
    at: Triple = (0.0, 0.0, 0.0)
    edge: float = 0.0

    def __post_init__(self) -> None:
        self._check("radius")
        self._check_axis(self.axis)
        if self.edge < 0:
            raise WrongValue(f"The edge of a Rim has a radius >= 0; {self.edge} was given.")

    @property
    def direction(self) -> Vector:
        return _AXES[self.axis]


@checked_data
@dataclass(frozen=True)
class Capsule(_Shape):
    """All points within `radius` [m] of a segment of a `length` [m] along an axis of the frame."""

    radius: float
    length: float
    axis: str = "z"
    at: Triple = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        self._check("radius", "length")
        self._check_axis(self.axis)

    @property
    def direction(self) -> Vector:
        return _AXES[self.axis]

    @property
    def core(self) -> Triple:
        x, y, z = (0.5 * self.length * d for d in _AXES[self.axis])
        return x, y, z

    @property
    def ends(self) -> tuple[Ball, Ball]:
        """The balls at both ends."""
        low, high = (
            Ball(self.radius, _shifted(self.at, self.axis, side * 0.5 * self.length)) for side in (-1, 1)
        )
        return low, high

    def on(self, body: str) -> Solid:
        """The capsule as a surface fixed to a link or frame."""
        return Solid(self, body)


@checked_data
@dataclass(frozen=True)
class Box(_Shape):
    """A box with edges x, y, z [m] along the axes of the frame; radius [m] rounds its edges, outwards."""

    x: float
    y: float
    z: float
    at: Triple = (0.0, 0.0, 0.0)
    radius: float = 0.0

    def __post_init__(self) -> None:
        self._check("x", "y", "z")
        if self.radius < 0:
            raise WrongValue(f"The edges of a Box have a radius >= 0; {self.radius} was given.")

    @property
    def core(self) -> Triple:
        return 0.5 * self.x, 0.5 * self.y, 0.5 * self.z

    @property
    def corners(self) -> tuple[Vertex | Ball, ...]:
        """Its eight corners."""
        hx, hy, hz = self.core
        signs = [(a, b, c) for c in (-1, 1) for b in (-1, 1) for a in (-1, 1)]
        places = [(self.at[0] + a * hx, self.at[1] + b * hy, self.at[2] + c * hz) for a, b, c in signs]
        return tuple(Ball(self.radius, p) if self.radius else Vertex(p) for p in places)

    def on(self, body: str) -> Solid:
        """The box as a surface fixed to a link or frame."""
        return Solid(self, body)


@checked_data
@dataclass(frozen=True)
class SolidCylinder(_Shape):
    """A cylinder of a radius and a length [m] about an axis of the frame; a disc if its length is zero."""

    radius: float
    length: float = 0.0
    axis: str = "z"
    at: Triple = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        self._check("radius")
        self._check_axis(self.axis)
        if self.length < 0:
            raise WrongValue(f"The length of a SolidCylinder is not negative; {self.length} was given.")

    @property
    def rims(self) -> tuple[Rim, ...]:
        """The rims at its ends; one of a disc."""
        sides = (-0.5, 0.5) if self.length else (0.0,)
        return tuple(
            Rim(self.radius, self.axis, _shifted(self.at, self.axis, side * self.length)) for side in sides
        )


ContactShape = Vertex | Ball | Rim | Capsule


# Distance of the points that carry a flat disc from its rim, as a part of the radius: a disc that rolls on
# its rim does not touch them.
_INSIDE = 1e-5


def rim_points(rim: Rim) -> tuple[Vertex | Ball, ...]:
    """Three points at angles of 120 degrees, 1e-5 of the radius inside the rim, on which a flat disc lies."""
    k, radius = "xyz".index(rim.axis), (1 - _INSIDE) * rim.radius
    found = []
    for c, s in ((1.0, 0.0), (-0.5, 0.75**0.5), (-0.5, -(0.75**0.5))):
        place = list(rim.at)
        place[(k + 1) % 3] += radius * c
        place[(k + 2) % 3] += radius * s
        p = (place[0], place[1], place[2])
        found.append(Ball(rim.edge, p) if rim.edge else Vertex(p))
    return tuple(found)


def _shifted(at: Triple, axis: str, by: float) -> Triple:
    x, y, z = (a + by * d for a, d in zip(at, _AXES[axis], strict=True))
    return x, y, z


def _triple(values: Any, what: str) -> Triple:
    if isinstance(values, str) or not hasattr(values, "__len__") or len(values) != 3:
        raise WrongValue(f"{what} is three numbers [m]; {short(values)} was given.")
    if not all(is_number(x) for x in values):
        raise WrongValue(f"{what} is three numbers [m]; {short(values)} was given.")
    x, y, z = (float(x) for x in values)
    return x, y, z
