"""The contacts of a shape that touches a surface at several points: corners, ends, rims."""

from rikigaku.contact.contact_point import Contact
from rikigaku.contact.friction_law import Friction
from rikigaku.contact.surfaces import Surface
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import WrongValue
from rikigaku.core.value_text import short
from rikigaku.laws.contact.contact_shapes import (
    Ball,
    Box,
    Capsule,
    ContactShape,
    Rim,
    Solid,
    SolidCylinder,
    Vertex,
    rim_points,
)


@checked
def shape_contacts(
    frame: str,
    shape: ContactShape | Box | SolidCylinder,
    surface: Surface | Solid,
    friction: Friction | float = 0.0,
    restitution: float = 0.0,
) -> list[Contact]:
    """Contacts of a shape at a frame with a surface: `shape_contacts("box", Box(0.4, 0.3, 0.2), Plane())`.

    Ball, Vertex: one. Box: its eight corners. Capsule: the balls at both ends; on another capsule or ball the
    closest points of both, and for parallel capsules the balls at the ends of both, two of which touch.
    Rim, SolidCylinder: the lowest point of each rim, and three points of each rim, which carry a flat disc.
    A box, capsule or cylinder touches planes; edges of boxes against each other and meshes are not supported.

    Raises:
        WrongValue: if the shape cannot touch the surface.
    """
    if not isinstance(shape, _KNOWN):
        raise WrongValue(
            f"A shape is a Vertex, Ball, Rim, Capsule, Box or SolidCylinder; {short(shape)} was given. "
            "Meshes are not supported."
        )
    flat = isinstance(surface, Surface) and surface.is_plane
    if isinstance(shape, Box | Capsule | SolidCylinder) and isinstance(surface, Surface) and not flat:
        raise WrongValue(
            f"A {type(shape).__name__} touches planes by its corners, ends or rims; on {short(surface)} "
            "other points would touch. Use balls."
        )
    found = [Contact(frame, surface, friction, restitution, shape=part) for part in _parts(shape, surface)]
    if isinstance(shape, Capsule) and isinstance(surface, Solid) and isinstance(surface.shape, Capsule):
        mine = Solid(shape, frame)
        found += [Contact(surface.body, mine, friction, restitution, shape=end) for end in surface.shape.ends]
    return found


_KNOWN = (Vertex, Ball, Rim, Capsule, Box, SolidCylinder)


def _parts(shape: ContactShape | Box | SolidCylinder, surface: Surface | Solid) -> tuple[ContactShape, ...]:
    if isinstance(shape, Box):
        return shape.corners
    if isinstance(shape, Capsule):
        if isinstance(surface, Solid) and isinstance(surface.shape, Ball):
            return (shape,)
        return (shape, *shape.ends) if isinstance(surface, Solid) else shape.ends
    rims = (shape,) if isinstance(shape, Rim) else shape.rims if isinstance(shape, SolidCylinder) else ()
    if rims:
        return (*rims, *(point for rim in rims for point in rim_points(rim)))
    assert isinstance(shape, Vertex | Ball)
    return (shape,)
