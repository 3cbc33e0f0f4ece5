"""A free body of a simple shape and uniform density, as a robot of one link."""

from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import WrongValue
from rikigaku.core.validation import number
from rikigaku.core.value_text import short
from rikigaku.laws.contact.contact_shapes import Ball, Box, Capsule, SolidCylinder
from rikigaku.model.geometry import Placement
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.joint import Joint
from rikigaku.model.robot_model import Link
from rikigaku.robot import Robot


@checked
def free_body(name: str, shape: Ball | Box | Capsule | SolidCylinder, mass: float) -> Robot:
    """A body that moves freely, of uniform density: `free_body("box", Box(0.4, 0.3, 0.2), mass=3)`.

    q is the position of the link `name` and its unit quaternion (w, x, y, z), v its velocity in body axes.
    `rk.world([robot, box])` puts it beside a robot.
    """
    mass = number("A mass [kg]", mass)
    if not mass > 0:
        raise WrongValue(f"A mass is above 0 kg; {short(mass)} was given.")
    if isinstance(shape, Ball):
        moments = [0.4 * mass * shape.radius**2] * 3
    elif isinstance(shape, Box) and not shape.radius:
        squares = [shape.x**2, shape.y**2, shape.z**2]
        moments = [mass / 12 * (sum(squares) - own) for own in squares]
    elif isinstance(shape, Capsule | SolidCylinder):
        moments = _about_axis(shape, mass)
    else:
        raise WrongValue(
            "A body of uniform density is a Ball, a Box with sharp edges, a Capsule or a SolidCylinder; "
            f"{short(shape)} was given."
        )
    x, y, z = moments
    inertia = Inertia("com", mass, shape.at, (x, 0, 0, y, 0, z))
    return Robot(name, (Link(name, "base", Joint(f"{name}_free", "free"), Placement(), inertia),))


def _about_axis(shape: Capsule | SolidCylinder, mass: float) -> list[float]:
    """Principal moments of a cylinder, or of a cylinder between two hemispheres."""
    r, length = shape.radius, shape.length
    ends = mass / (1 + 0.75 * length / r) if isinstance(shape, Capsule) else 0.0  # mass of both hemispheres
    middle = mass - ends
    axial = middle * r * r / 2 + ends * 0.4 * r * r
    across = middle * (3 * r * r + length**2) / 12 + ends * (0.4 * r * r + length**2 / 4 + 0.375 * length * r)
    return [axial if name == shape.axis else across for name in "xyz"]
