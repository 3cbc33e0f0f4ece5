"""A contact as data: a point of the robot, its surface, friction and restitution."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rikigaku.contact.friction_law import Friction
from rikigaku.contact.surfaces import Surface
from rikigaku.core.checked_calls import check_fields, checked_data
from rikigaku.core.errors import WrongValue
from rikigaku.core.validation import is_number
from rikigaku.core.value_text import short
from rikigaku.laws.contact.contact_shapes import Ball, Box, Capsule, ContactShape, Rim, Solid


@checked_data
@dataclass(frozen=True)
class Contact:
    """A frame (or link) on a surface: `Contact("hand", Plane(), friction=0.2)`.

    surface: of the ground, or carried by a body: `Plane().on("box")`, `Ball(0.1).on("box")`.
    friction: a coefficient, or a Friction. restitution: 0 (inelastic) to 1.
    bilateral: the point cannot leave the surface; the normal force may pull, and friction is mu abs(f_n).
    shape: what touches: the origin of the frame if left out, a Vertex, Ball, Rim or Capsule.
    torsional_friction, rolling_friction: moments per normal force [m] against rotation of the body about the
    normal and against rolling, coefficients or a Friction; none if left out.
    """

    frame: str
    surface: Surface | Solid
    friction: Friction = field(default_factory=Friction)
    restitution: float = 0.0
    bilateral: bool = False
    shape: ContactShape | None = None
    torsional_friction: Friction | None = None
    rolling_friction: Friction | None = None

    if TYPE_CHECKING:  # a coefficient becomes a Friction in __post_init__

        def __init__(
            self,
            frame: str,
            surface: Surface | Solid,
            friction: Friction | float = ...,
            restitution: float = 0.0,
            bilateral: bool = False,
            shape: ContactShape | None = None,
            torsional_friction: Friction | float | None = None,
            rolling_friction: Friction | float | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        if isinstance(self.surface, Ball | Capsule | Box):
            raise WrongValue(
                f"The surface of the contact at {short(self.frame)} is a shape: fix it to a link or frame, "
                f"as in {short(self.surface)}.on('link'); on the ground in .on('base')."
            )
        if not isinstance(self.surface, Surface | Solid):
            raise WrongValue(
                f"The contact at {short(self.frame)} takes a surface (Plane(), Sphere(0.5), "
                f"Surface('z - x^2')), not {short(self.surface)}."
            )
        for name in ("friction", "torsional_friction", "rolling_friction"):
            self._set_friction(name)
        check_fields(self)
        if not 0 <= self.restitution <= 1:
            raise WrongValue(f"Restitution is between 0 and 1; {self.restitution} was given.")
        if self.surface.body == self.frame:
            raise WrongValue(f"The surface of the contact at {self.frame!r} is on the same frame.")
        if why := _not_possible(self.shape, self.surface):
            raise WrongValue(f"The contact at {self.frame!r}: {why}")
        if why := self._no_moments():
            raise WrongValue(f"The contact at {self.frame!r}: {why}")

    def _set_friction(self, name: str) -> None:
        """A coefficient becomes a Friction; of moments zero becomes None."""
        value: Any = getattr(self, name)
        if is_number(value):
            value = Friction(float(value))
            object.__setattr__(self, name, value)
        if name != "friction" and isinstance(value, Friction) and not value.limit and not value.viscous:
            object.__setattr__(self, name, None)
        elif not isinstance(value, Friction) and (value is not None or name == "friction"):
            unit = "" if name == "friction" else " [m]"
            raise WrongValue(f"{name} is a coefficient{unit} or a Friction, not {short(value)}.")

    def _no_moments(self) -> str:
        """Why this contact cannot have the friction moments it has; empty if it can."""
        if self.torsional_friction is None and self.rolling_friction is None:
            return ""
        if self.bilateral:
            return "torsional and rolling friction are for surfaces that push only (bilateral=False)."
        if self.rolling_friction is not None and not isinstance(self.shape, Ball | Rim | Capsule):
            return (
                "a point does not roll. Rolling friction takes shape=Ball(radius), Rim(radius) or a Capsule."
            )
        return ""


def _not_possible(shape: ContactShape | None, surface: Surface | Solid) -> str:
    """Why a shape and a surface have no closest points here; empty if they have."""
    many = "shape_contacts(frame, shape, surface) makes the contacts of shapes with several points."
    if isinstance(surface, Solid):
        if not isinstance(shape, Ball | Capsule):
            return "what touches a ball, capsule or box is shape=Ball(...) or Capsule(...)."
        if isinstance(shape, Capsule) and isinstance(surface.shape, Box):
            return f"a capsule touches a box with the balls at its ends. {many}"
    elif isinstance(shape, Capsule):
        return f"a capsule touches this surface with the balls at its ends. {many}"
    elif isinstance(shape, Rim) and not surface.is_plane:
        return "a Rim touches planes only. A Ball touches any surface."
    return ""


def plane_of_motion(jacobians: np.ndarray) -> tuple[float, float, float] | None:
    """Unit normal of the plane a point can move in, from its Jacobians (states, 3, nv) at many states.

    None if it moves in space. A point that moves on a line gets a plane that contains the line.
    """
    moves = np.concatenate(list(jacobians), axis=1)
    U, s, _ = np.linalg.svd(moves, full_matrices=moves.shape[1] < 3)  # V is not used
    if s[0] == 0 or (len(s) == 3 and s[2] > 1e-10 * s[0]):
        return None
    normal = U[:, 2]
    if s[1] <= 1e-10 * s[0]:  # a line
        d = U[:, 0]
        normal = np.cross(d, np.eye(3)[int(np.argmin(np.abs(d)))])
        normal /= np.linalg.norm(normal)
    k = int(np.argmax(np.abs(normal)))
    normal = normal * np.sign(normal[k])
    if abs(normal[k] - 1) < 1e-12:
        normal = np.eye(3)[k]
    return float(normal[0]), float(normal[1]), float(normal[2])
