"""Integration of joint velocities on the configuration manifold."""

from collections.abc import Sequence

from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.number_kind import Number


def integrate(mechanism: Mechanism, q: Sequence[Number], v: Sequence[Number]) -> list[Number]:
    """Configuration after one unit of time at constant joint velocities v: q exp(v), q + v without rotations.

    For a time step dt pass v dt. Velocities of spherical and free joints are constant in body axes.
    Returns: joint positions [rad, m], (nq); quaternions are normalised.
    """
    result: list[Number] = [0] * mechanism.nq
    for body in mechanism.bodies:
        stepped = body.joint.step([q[k] for k in body.q], [v[k] for k in body.v])
        for k, x in zip(body.q, stepped, strict=True):
            result[k] = x
    return result


def position_rates(mechanism: Mechanism, q: Sequence[Number], v: Sequence[Number]) -> list[Number]:
    """dq/dt, quaternions included."""
    rates: list[Number] = [0] * mechanism.nq
    for body in mechanism.bodies:
        own = body.joint.rate([q[k] for k in body.q], [v[k] for k in body.v])
        for k, x in zip(body.q, own, strict=True):
            rates[k] = x
    return rates
