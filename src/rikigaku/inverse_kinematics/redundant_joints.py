"""Redundant joints of a chain: the dimension of its family of configurations, and samples of the family."""

import itertools
from collections.abc import Sequence

import numpy as np

from rikigaku.core.types import Array
from rikigaku.inverse_kinematics.exact_chain import ExactChain, scaled
from rikigaku.inverse_kinematics.joint_ranges import low_discrepancy, sampled_range
from rikigaku.inverse_kinematics.serial_arm import jacobian
from rikigaku.inverse_kinematics.square_root_arms import may_have_formulas

_RANK = 1e-7  # smallest singular value of a Jacobian, relative to the largest, that counts
_SAMPLES = 72  # of one redundant joint


def null_spaces(chain: ExactChain) -> Array:
    """Orthonormal bases (samples, joints, dimension) of the Jacobian's null space, free joints only."""
    rng = np.random.default_rng(11)
    q = rng.uniform(-1, 1, (16, len(chain.arm.revolute))) * np.where(chain.angles, 2.0, 0.3)
    J = jacobian(list(scaled(chain.arm.links, chain.reach)), chain.arm.revolute, q)[..., list(chain.free)]
    sizes, Vt = np.linalg.svd(J)[1:]
    rank = int((sizes > _RANK * sizes[:, :1]).sum(axis=1).max(initial=0))
    return np.swapaxes(Vt[:, rank:], -1, -2)


def redundant_sets(chain: ExactChain, spaces: Array) -> list[tuple[str, ...]]:
    """Sets of joints, as many as the family has dimensions; those that move most along the family first.

    A set that moves half as much and may leave formulas comes before. The elbow of an arm with spherical
    shoulder and wrist does not move: the pose determines it.
    """
    count, dimension = range(len(chain.free)), spaces.shape[-1]
    sets = list(itertools.islice(itertools.combinations(count, dimension), 5000))
    size = np.array([np.abs(np.linalg.det(spaces[:, own])).mean() for own in map(list, sets)])
    for k in np.nonzero(size > 0.5 * size.max())[0]:
        rest = [x for i, x in enumerate(chain.free) if i not in sets[k]]
        size[k] += may_have_formulas(chain.arm, rest)
    return [tuple(chain.names[chain.free[i]] for i in sets[k]) for k in np.argsort(-size, kind="stable")]


def family_samples(chain: ExactChain, names: Sequence[str], limits: bool = True) -> dict[str, Array]:
    """Values (m,) of the redundant joints at which a family of configurations is sampled.

    One joint is sampled evenly; several by a sequence of low discrepancy.
    """
    found = {}
    for k, name in enumerate(names):
        at = chain.robot.q_slices[name].start
        low, high = (float(x[at]) for x in chain.bounds) if limits else (-np.inf, np.inf)
        if not chain.angles[chain.names.index(name)]:
            low, high = max(low, -chain.reach), min(high, chain.reach)
        if len(names) == 1:
            found[name] = sampled_range(low, high, _SAMPLES)
        else:
            found[name] = low_discrepancy(low, high, _SAMPLES * len(names), k, len(names))
    return found
