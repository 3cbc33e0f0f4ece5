"""A step of q on its manifold: q moved by a constant twist for one unit of time."""

from collections.abc import Sequence

from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.kind import Number


def integrate(mechanism: Mechanism, q: Sequence[Number], v: Sequence[Number]) -> list[Number]:
    """q after a unit of time at the constant rates v (scale v by the time step); quaternions unit."""
    result: list[Number] = [0] * mechanism.nq
    for body in mechanism.bodies:
        stepped = body.joint.step([q[k] for k in body.q], [v[k] for k in body.v])
        for k, x in zip(body.q, stepped, strict=True):
            result[k] = x
    return result
