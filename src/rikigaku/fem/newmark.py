"""Accelerations as equation (3) of the paper gives them: Newmark's formula on the increments of the target.

    a(t + dt) = du/(b dt^2) - v/(b dt) - (1/(2b) - 1) a,    b = 1/4.

With v and a carried on by its own recursion the error of the acceleration is (-1)^k (e0 + t j0/3), j0 the
jerk at the start, whatever dt: it does not shrink. With v and a of the target in every step it is of first
order, jerk dt/3. Exact accelerations of the target have neither: they are the default of `inverse_dynamics`.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rikigaku.errors import WrongValue
from rikigaku.fem.kinematics import Moving

Array = NDArray[np.float64]

_B = 0.25


def accelerations(u: Array, v: Array, a: Array, dt: float, recursive: bool) -> Array:
    """By equation (3), samples along the second axis; the first sample is the target's."""
    result = np.array(a)
    speed, push = v[:, 0], a[:, 0]
    for k in range(1, u.shape[1]):
        if not recursive:
            speed, push = v[:, k - 1], a[:, k - 1]
        new = (u[:, k] - u[:, k - 1]) / (_B * dt**2) - speed / (_B * dt) - (1 / (2 * _B) - 1) * push
        speed, push = speed + dt / 2 * (push + new), new
        result[:, k] = new
    return result


def as_computed(state: Moving, t: Array, normal: Array | None, recursive: bool) -> Moving:
    """The motion with accelerations by equation (3).

    Raises:
        WrongValue: for motions in space, whose rotations have no increments to divide, and uneven times.
    """
    if normal is None:
        raise WrongValue(
            "Equation (3) is written for motion in a plane. Leave method out for exact accelerations."
        )
    steps = np.diff(t)
    if not len(steps) or np.abs(steps - steps[0]).max() > 1e-9 * steps[0]:
        raise WrongValue("Equation (3) takes even steps of time: give t=np.linspace(...).")
    dt = float(steps[0])
    felt = accelerations(state.c, state.velocity, state.felt - state.ground, dt, recursive) + state.ground
    side = np.linalg.svd(normal[None])[2][1]
    across = np.cross(normal, side)
    # a line fixed on each body in the plane: any will do, only its turning counts
    fixed = np.einsum("bji,j->bi", state.R[:, 0], side)
    own = np.einsum("btij,bj->bti", state.R, fixed)
    angle = np.unwrap(np.arctan2(own @ across, own @ side), axis=1)[..., None]
    rate, push = (x @ normal for x in (state.omega, state.alpha))
    alpha = accelerations(angle, rate[..., None], push[..., None], dt, recursive) * normal
    return replace(state, felt=felt, alpha=alpha)
