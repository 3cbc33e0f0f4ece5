"""All configurations of a chain of up to six joints by elimination.

A chain of fewer joints gets auxiliary joints at its end, whose angles must be zero.
"""

from collections.abc import Mapping

import numpy as np

from rikigaku.core.types import Array, Mask
from rikigaku.inverse_kinematics.exact_chain import JOINTS, ExactChain, ExactConfigurations, scaled
from rikigaku.inverse_kinematics.general_arm import GeneralArm
from rikigaku.inverse_kinematics.loop_cut import numbers
from rikigaku.inverse_kinematics.pose_newton import newton_kernel, newton_step
from rikigaku.inverse_kinematics.serial_arm import SerialArm

_CLOSE = 1e-6  # [rad]: an auxiliary joint within this of zero starts a least-squares solution
_ROUNDING = 1e-14  # [rad]: an auxiliary joint farther from zero leaves errors that least squares remove
_PER_ERROR = 1e3  # the same, per tolerance: an error of the pose moves an auxiliary joint by some multiple
_LEAST_SQUARES_STEPS = 12


def general_arm(chain: ExactChain, given: Mapping[str, Array], eliminate: bool = True) -> GeneralArm:
    """The arm of six joints at the first values of the given ones; its cuts serve all.

    eliminate: False for continuation alone.
    """
    links = chain.six_links(given)
    first = np.array([link if link.ndim == 2 else link[0] for link in links])
    revolute = [*chain.free_revolute, *[True] * (JOINTS - len(chain.free))]
    varying = [k for k, link in enumerate(links) if link.ndim == 3]
    return GeneralArm(SerialArm(first, tuple(revolute), tuple(range(JOINTS))), varying, eliminate)


def configurations_by_elimination(
    chain: ExactChain, general: GeneralArm, poses: Array, given: Mapping[str, Array], tolerance: float
) -> ExactConfigurations:
    """All configurations at poses (n, 4, 4); given: values (n,) of the joints that are not solved for."""
    found = general.solve(poses, chain.six_links(given) if given else None)
    position = rotation = found.residual
    free = len(chain.free)
    if free == JOINTS and not given:
        position = position * general.reach
        return ExactConfigurations(
            found.q, found.multiplicity, found.family, position, rotation, found.complete
        )
    q = np.full((*found.q.shape[:2], len(chain.arm.revolute)), np.nan)
    q[..., list(chain.free)] = found.q[..., :free]
    reached = found.multiplicity > 0
    for name, value in given.items():
        q[..., chain.names.index(name)] = np.asarray(value)[:, None]
    if free < JOINTS:  # errors without the auxiliary joints
        with np.errstate(invalid="ignore"):
            largest = np.abs(found.q[..., free:]).max(axis=-1)
            near = reached & (largest < max(_CLOSE, _PER_ERROR * tolerance))
            beside = near & (largest > _ROUNDING)
        _least_squares(chain, q, beside, poses, given)
        position, rotation = chain.errors(q, poses)
        with np.errstate(invalid="ignore"):
            reached = near & chain.present(position, rotation, tolerance)
        multiplicity = np.where(reached, found.multiplicity, 0)
        chain.merge(q, multiplicity, np.nonzero(beside.any(axis=1))[0])
        reached = multiplicity > 0
    else:
        position = position * general.reach
        multiplicity = found.multiplicity
    q[~reached] = np.nan
    return ExactConfigurations(
        q,
        multiplicity,
        np.where(reached, found.family, 0),
        position,
        rotation,
        found.complete,
    )


def _least_squares(chain: ExactChain, q: Array, rows: Mask, poses: Array, given: Mapping[str, Array]) -> None:
    """Move configurations of a pose beside the reach of fewer than six joints to the nearest pose."""
    own, branch = np.nonzero(rows)
    if not len(own):
        return
    links = [scaled(x if x.ndim == 2 else x[own], chain.reach) for x in chain.chain_links(given)]
    revolute, free, unit = chain.free_revolute, list(chain.free), chain.units
    kernel, target = newton_kernel(revolute), numbers(scaled(poses[own], chain.reach))
    x = q[own, branch][:, free] / unit
    with np.errstate(all="ignore"):
        for _ in range(_LEAST_SQUARES_STEPS):
            x = x + newton_step(kernel, [numbers(link) for link in links], target, x)[0]
    start = q[own, branch]
    moved = start.copy()
    moved[:, free] = x * unit
    before, after = (np.hypot(*chain.errors(y[:, None], poses[own]))[:, 0] for y in (start, moved))
    better = after <= before  # steps at a singular configuration are ones of rounding errors
    q[own, branch] = np.where(better[:, None], moved, start)
