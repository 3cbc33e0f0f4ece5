"""Momentum of a tree and the centroidal momentum matrix, by composite inertias."""

from collections.abc import Sequence

from rikigaku.core.errors import WrongValue
from rikigaku.laws.tree.energy import first_moment, total_mass
from rikigaku.laws.tree.root_axes import composite_inertias, root_axes, root_poses, wrench_in_root_axes
from rikigaku.model.mechanism import WORLD, Mechanism
from rikigaku.numbers.number_kind import Number, Numbers
from rikigaku.spatial import vector
from rikigaku.spatial.rigid_inertia import SpatialInertia
from rikigaku.spatial.vector import Vector, cross, transform

POINTS = ("com", "world")


def momentum_matrix(mechanism: Mechanism, q: Numbers, about: str = "com") -> list[list[Number]]:
    """Centroidal momentum matrix: [linear; angular momentum] = A(q) v, world axes.

    Args:
        about: "com": angular momentum about the centre of mass; "world": about the world's origin.
    Returns: 6 x nv matrix, linear rows first; reflected rotor inertia is not included.
    """
    if about not in POINTS:
        raise WrongValue(f"Momentum about {about!r} is not known. Known: {', '.join(POINTS)}.")
    rooted, roots = root_axes(mechanism, q), root_poses(mechanism, q)
    composites = composite_inertias(mechanism, q)
    arms = _levers(mechanism, q, composites, about)
    rows: list[list[Number]] = [[0] * mechanism.nv for _ in range(6)]
    for i, composite in enumerate(composites):
        X, body, arm = roots[i], mechanism.bodies[i], arms[i]
        for k, direction in zip(body.v, body.joint.directions(), strict=True):
            wrench = wrench_in_root_axes(rooted[i].pose, composite.times(direction))
            linear = transform(X.R, wrench.force)
            angular = vector.add(transform(X.R, wrench.moment), cross(arm, linear))
            for row, value in zip(rows, (*linear, *angular), strict=True):
                row[k] = value
    return rows


def _levers(
    mechanism: Mechanism, q: Numbers, composites: Sequence[SpatialInertia], about: str
) -> dict[int, Vector]:
    """For each body, the vector from the reference point to the origin of its root body, world axes."""
    roots = root_poses(mechanism, q)
    if about == "world":
        return {i: X.p for i, X in roots.items()}
    first = [i for i, body in enumerate(mechanism.bodies) if body.parent == WORLD]
    if len(first) == 1:  # relative to the root body: no cancellation far from the world's origin
        m, h, _ = composites[first[0]]
        lever = transform(roots[first[0]].R, vector.scale(-1 / m, h))
        return dict.fromkeys(roots, lever)
    mass = total_mass(mechanism)
    x, y, z = first_moment(mechanism, q)
    return {i: vector.sub(X.p, (x / mass, y / mass, z / mass)) for i, X in roots.items()}


def momentum(mechanism: Mechanism, q: Numbers, v: Numbers, about: str = "com") -> list[Number]:
    """Momentum of the moving bodies: [linear; angular] = A(q) v, world axes.

    Args:
        about: "com": angular momentum about the centre of mass; "world": about the world's origin.
    Returns: (6), linear [N s] first, then angular [N m s]; reflected rotor inertia is not included.
    """
    return [vector.dot(row, v) for row in momentum_matrix(mechanism, q, about)]
