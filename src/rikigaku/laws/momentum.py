"""Total momentum of a robot, and the matrix that gives it from the joint velocities."""

from collections.abc import Sequence

from rikigaku.errors import WrongValue
from rikigaku.laws.energy import first_moment, total_mass
from rikigaku.laws.root_axes import own_composites, root_axes, root_poses, seen_wrench
from rikigaku.model.mechanism import WORLD, Mechanism
from rikigaku.numbers.kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.inertia import SpatialInertia
from rikigaku.spatial.vector import Vector, cross, transform

Numbers = Sequence[Number]

POINTS = ("com", "world")


def momentum_matrix(mechanism: Mechanism, q: Numbers, about: str = "com") -> list[list[Number]]:
    """A with [linear; angular momentum] = A v, world axes, 6 x nv; links only, rotors not.

    about: "com": angular momentum about the centre of mass (the centroidal momentum matrix);
        "world": about the world's origin.
    """
    if about not in POINTS:
        raise WrongValue(f"Momentum about {about!r} is not known. Known: {', '.join(POINTS)}.")
    seen, roots = root_axes(mechanism, q), root_poses(mechanism, q)
    composites = own_composites(mechanism, q)
    arms = _levers(mechanism, q, composites, about)
    rows: list[list[Number]] = [[0] * mechanism.nv for _ in range(6)]
    for i, whole in enumerate(composites):
        X, body, arm = roots[i], mechanism.bodies[i], arms[i]
        for k, direction in zip(body.v, body.joint.directions(), strict=True):
            wrench = seen_wrench(seen[i].pose, whole.times(direction))
            linear = transform(X.R, wrench.force)
            angular = vector.add(transform(X.R, wrench.moment), cross(arm, linear))
            for row, value in zip(rows, (*linear, *angular), strict=True):
                row[k] = value
    return rows


def _levers(
    mechanism: Mechanism, q: Numbers, composites: Sequence[SpatialInertia], about: str
) -> dict[int, Vector]:
    """For each body, the origin of its root body as seen from the point, world axes."""
    roots = root_poses(mechanism, q)
    if about == "world":
        return {i: X.p for i, X in roots.items()}
    first = [i for i, body in enumerate(mechanism.bodies) if body.parent == WORLD]
    if len(first) == 1:  # the root knows its own centre of mass: far from the world's origin no digit is lost
        m, h, _ = composites[first[0]]
        lever = transform(roots[first[0]].R, vector.scale(-1 / m, h))
        return dict.fromkeys(roots, lever)
    mass = total_mass(mechanism)
    x, y, z = first_moment(mechanism, q)
    return {i: vector.sub(X.p, (x / mass, y / mass, z / mass)) for i, X in roots.items()}


def momentum(mechanism: Mechanism, q: Numbers, v: Numbers, about: str = "com") -> list[Number]:
    """Linear and angular momentum, world axes: six numbers. `about` as in `momentum_matrix`."""
    return [vector.dot(row, v) for row in momentum_matrix(mechanism, q, about)]
