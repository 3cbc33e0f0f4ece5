"""Total momentum of a robot, and the matrix that gives it from the joint velocities."""

from collections.abc import Sequence

from rikigaku.errors import WrongValue
from rikigaku.laws.energy import first_moment, total_mass
from rikigaku.laws.root_axes import own_composites, root_axes, root_poses, seen_wrench
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.vector import ZERO, cross, transform

Numbers = Sequence[Number]

POINTS = ("com", "world")


def momentum_matrix(mechanism: Mechanism, q: Numbers, about: str = "com") -> list[list[Number]]:
    """A with [linear; angular momentum] = A v, world axes, 6 x nv; links only, rotors not.

    about: "com": angular momentum about the centre of mass (the centroidal momentum matrix);
        "world": about the world's origin.
    """
    if about not in POINTS:
        raise WrongValue(f"Momentum about {about!r} is not known. Known: {', '.join(POINTS)}.")
    point = ZERO
    if about == "com":
        mass = total_mass(mechanism)
        x, y, z = first_moment(mechanism, q)
        point = (x / mass, y / mass, z / mass)
    seen, roots = root_axes(mechanism, q), root_poses(mechanism, q)
    rows: list[list[Number]] = [[0] * mechanism.nv for _ in range(6)]
    for i, whole in enumerate(own_composites(mechanism, q)):
        X, body = roots[i], mechanism.bodies[i]
        arm = vector.sub(X.p, point)
        for k, direction in zip(body.v, body.joint.directions(), strict=True):
            wrench = seen_wrench(seen[i].pose, whole.times(direction))
            linear = transform(X.R, wrench.force)
            angular = vector.add(transform(X.R, wrench.moment), cross(arm, linear))
            for row, value in zip(rows, (*linear, *angular), strict=True):
                row[k] = value
    return rows


def momentum(mechanism: Mechanism, q: Numbers, v: Numbers, about: str = "com") -> list[Number]:
    """Linear and angular momentum, world axes: six numbers. `about` as in `momentum_matrix`."""
    return [vector.dot(row, v) for row in momentum_matrix(mechanism, q, about)]
