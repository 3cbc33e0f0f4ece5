"""Poses at which formulas are inaccurate, solved as those of a general arm as well.

A twist of 1.5707963 in place of a right angle makes a curve of configurations at a singular pose, along which
the error is small but not zero. Formulas list one configuration of it, with the errors of an ill-conditioned
root; a general arm's solutions are sought all along such curves.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from rikigaku.core.types import Array, Mask
from rikigaku.inverse_kinematics.exact_chain import BRANCH, JOINTS, ExactChain, ExactConfigurations, Indices
from rikigaku.inverse_kinematics.pose_newton import ACCEPTED
from rikigaku.inverse_kinematics.recovered_configurations import corrected_starts, distances

_SAME = 0.02  # [rad, m] that Newton's method moves a branch at most
_EQUAL = 1e-5  # [rad, m]: configurations closer than this are one
_MULTIPLE = 1e-3  # [rad, m]: spread of solutions that rounding errors make of a multiple root
_COINCIDE = 1e-6  # [rad, m]: solutions closer than this are one of higher multiplicity
_BESIDE = 0.1  # [rad, m]: distance from a branch to the solution that it stands for


class Doubtful(NamedTuple):
    """Poses (m,) at which formulas do not suffice, and branches (n, k) on curves that nearly are families."""

    rows: Indices
    nearly: Mask


def with_newton_steps(
    chain: ExactChain, poses: Array, given: Mapping[str, Array], found: ExactConfigurations, nearly: Mask
) -> Doubtful:
    """Improve branches by Newton's method; poses are doubtful where one is not accurate, or on a curve."""
    rough = rough_branches(chain, found)
    own, branch = np.nonzero(rough & ~nearly)
    if len(own):
        start = found.q[own, branch]
        values = {name: x[own] for name, x in given.items()}
        at, q, _ = corrected_starts(chain, poses[own], values, np.arange(len(own)), start)
        close = distances(chain, q, start[at]) < _SAME
        at, q = at[close], q[close]
        found.q[own[at], branch[at]] = q
        found.position[own], found.rotation[own] = chain.errors(found.q[own], poses[own])
        rough = rough_branches(chain, found)
    return Doubtful(np.nonzero((nearly | rough).any(axis=1) | ~found.complete)[0], nearly)


def rough_branches(chain: ExactChain, found: ExactConfigurations) -> Mask:
    """Branches (n, k) with residuals above those of rounding.

    Chains of fewer than six joints, and tolerances above that of a branch, have others that stay.
    """
    if len(chain.free) < JOINTS:
        return np.zeros(found.multiplicity.shape, dtype=bool)
    far = BRANCH * chain.reach
    exists = (found.multiplicity > 0) & (found.position < far) & (found.rotation < BRANCH)
    return np.asarray(exists & ((found.position > ACCEPTED * chain.reach) | (found.rotation > ACCEPTED)))


def united(
    chain: ExactChain, found: ExactConfigurations, doubtful: Doubtful, more: ExactConfigurations
) -> ExactConfigurations:
    """Both: the branches that are accurate, and solutions as a general arm (at the doubtful poses) in turn.

    A branch with errors goes if it is on a curve that nearly is a family, or a solution is beside it.
    """
    rough = rough_branches(chain, found)
    added = dict[int, Indices]()
    for k, row in enumerate(doubtful.rows.tolist()):
        others = np.nonzero(more.multiplicity[k] > 0)[0]
        for branch in np.nonzero(rough[row] | doubtful.nearly[row])[0]:
            near = distances(chain, more.q[k, others], found.q[row, branch])
            if found.multiplicity[row, branch] > 1 and (near < _MULTIPLE).any():
                # a multiple root: the solutions about it are that root
                if rough[row, branch]:
                    for name in ("q", "position", "rotation"):
                        getattr(found, name)[row, branch] = getattr(more, name)[k, others[np.argmin(near)]]
                    rough[row, branch] = False
                others = others[near > _MULTIPLE]
                continue
            if (near < _BESIDE).any() or doubtful.nearly[row, branch]:
                found.multiplicity[row, branch] = found.family[row, branch] = 0
        kept = found.q[row, found.multiplicity[row] > 0]
        apart = [x for x in others.tolist() if (distances(chain, kept, more.q[k, x]) > _EQUAL).all()]
        if found.family[row].any():  # one member of a family stands for others
            apart = [x for x in apart if not more.family[k, x]]
        added[row] = np.array(_coinciding_as_one(chain, more, k, apart), dtype=np.int64)
        uncertain = (rough[row] & (found.multiplicity[row] > 0)).any()
        found.complete[row] = more.complete[k] and not uncertain
    extra = max(len(x) - int((found.multiplicity[row] == 0).sum()) for row, x in added.items())
    found = found.widened(max(extra, 0))
    for k, (row, own) in enumerate(added.items()):
        places = np.nonzero(found.multiplicity[row] == 0)[0][: len(own)]
        for name in ("q", "multiplicity", "family", "position", "rotation"):
            getattr(found, name)[row, places] = getattr(more, name)[k, own]
    return found


def _coinciding_as_one(
    chain: ExactChain, more: ExactConfigurations, pose: int, solutions: list[int]
) -> list[int]:
    """Of solutions at a pose that coincide the first, with the multiplicities of all."""
    kept: list[int] = []
    for x in solutions:
        near = distances(chain, more.q[pose, kept], more.q[pose, x]) if kept else np.zeros(0)
        if not (near < _COINCIDE).any():
            kept.append(x)
        elif not more.family[pose, x]:
            more.multiplicity[pose, kept[int(np.argmin(near))]] += more.multiplicity[pose, x]
    return kept
