"""All configurations of a chain by its formulas, with multiplicities and families at singular ones."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rikigaku.core.types import Array, Mask
from rikigaku.inverse_kinematics.doubtful_formulas import Doubtful, with_newton_steps
from rikigaku.inverse_kinematics.exact_chain import BRANCH, ExactChain, ExactConfigurations, Indices, scaled
from rikigaku.inverse_kinematics.formula_kernel import FormulaKernel
from rikigaku.inverse_kinematics.recovered_configurations import corrected_starts, fill, from_neighbours
from rikigaku.inverse_kinematics.singular_configurations import (
    SUSPECT,
    multiplicities,
    singular_kinds,
)
from rikigaku.symbolic.inverse_kinematics.ik_branches import JointFormulas

_NEARLY = 1e-5  # error [reach, rad] of a branch whose existence is uncertain


def configurations_by_formulas(
    chain: ExactChain, formulas: FormulaKernel, poses: Array, given: Mapping[str, Array], tolerance: float
) -> tuple[ExactConfigurations, Doubtful]:
    """All configurations at poses (n, 4, 4), and the poses at which formulas do not suffice."""
    coordinates = formulas.formulas.coordinates
    values = {coordinates[chain.robot.q_slices[name].start]: given[name] for name in chain.given}
    with np.errstate(all="ignore"):
        q, position, rotation, pivot = formulas.solve(poses, values)
        if np.isnan(position[:, 0]).any():
            _repair(chain, formulas.formulas, (q, position, rotation, pivot), poses, values)
        present = chain.present(position, rotation, tolerance)
        undetermined = None
        if not present.all():
            undetermined = np.asarray((pivot < 0).any(axis=1) & ~present.all(axis=1))
            nearly = chain.present(position, rotation, _NEARLY) & ~present
            if undetermined.any() or nearly.any():
                found = (q, position, rotation, pivot)
                _recover(chain, formulas, found, poses, given, (undetermined, nearly))
                present = chain.present(position, rotation, tolerance)
        suspect = present & (pivot < SUSPECT)
    multiplicity = present.astype(np.int64)
    family = np.zeros(present.shape, dtype=np.int64)
    complete = np.ones(len(poses), dtype=bool)
    nearly = np.zeros(present.shape, dtype=bool)
    if suspect.any():
        _singular(chain, suspect, poses, given, q, multiplicity, family, nearly)
    # an undetermined angle belongs to a singular configuration: without one, some may be missing
    if undetermined is not None:
        complete = np.asarray(~undetermined | ((family > 0) | (multiplicity > 1)).any(axis=1))
    listed = ExactConfigurations(q, multiplicity, family, position, rotation, complete)
    return listed, with_newton_steps(chain, poses, given, listed, nearly)


def _repair(
    chain: ExactChain,
    formulas: JointFormulas,
    found: tuple[Array, Array, Array, Array],
    poses: Array,
    values: Mapping[str, Array],
) -> None:
    """Poses where a quotient of some branch is not finite: branch by branch, without native code."""
    q, position, rotation, pivot = found
    bad = np.nonzero(np.isnan(position[:, 0]))[0]
    own: dict[str, Any] = {**chain.symbols, **{name: x[bad] for name, x in values.items()}}
    again = formulas.solve(poses[bad], **own)
    q[bad] = again.q[..., list(chain.arm.coordinates)]
    position[bad] = rotation[bad] = again.error
    pivot[bad] = -1.0


def _recover(
    chain: ExactChain,
    formulas: FormulaKernel,
    found: tuple[Array, Array, Array, Array],
    poses: Array,
    given: Mapping[str, Array],
    uncertain: tuple[Mask, Mask],
) -> None:
    """Configurations that formulas miss take the places of branches that do not exist.

    uncertain: (n,) poses where an angle is undetermined, and (n, k) branches that nearly exist: a double root
    is known to the square root of the rounding error.
    """
    q, position, rotation, pivot = found
    undetermined, nearly = uncertain
    present = chain.present(position, rotation, BRANCH)
    parts = []
    rows = np.nonzero(undetermined)[0]
    if len(rows):
        parts.append(from_neighbours(chain, formulas, poses, given, rows))
    own, branch = np.nonzero(nearly & ~undetermined[:, None])
    if len(own):
        parts.append(corrected_starts(chain, poses, given, own, q[own, branch]))
    at, candidates, pivots = (np.concatenate(x) for x in zip(*parts, strict=True))
    order = np.argsort(at, kind="stable")
    rows = np.unique(at)
    if not len(rows):
        return
    for row, some in zip(rows, np.split(order, np.searchsorted(at[order], rows[1:])), strict=True):
        places = fill(chain, q[row], present[row], candidates[some], pivots[some])
        pivot[row, places] = 0.0
    position[rows], rotation[rows] = chain.errors(q[rows], poses[rows])


def _singular(
    chain: ExactChain,
    suspect: Mask,
    poses: Array,
    given: Mapping[str, Array],
    q: Array,
    multiplicity: Indices,
    family: Indices,
    nearly: Mask,
) -> None:
    """Multiplicities and families at poses with a singular configuration; equal branches become one.

    nearly: becomes True for branches on curves that nearly are families.
    """
    links = [scaled(x, chain.reach) for x in chain.chain_links(given)]
    revolute, unit = chain.free_revolute, chain.units
    own, branch = np.nonzero(suspect)
    kinds = singular_kinds(
        [x if x.ndim == 2 else x[own] for x in links],
        revolute,
        scaled(poses[own], chain.reach),
        q[own, branch][:, list(chain.free)] / unit,
    )
    order = np.ones(multiplicity.shape, dtype=np.int64)
    order[own, branch], family[own, branch] = kinds.order, kinds.family
    rows = np.unique(own[(kinds.order > 1) | (kinds.family > 0)])
    chain.merge(q, multiplicity, rows)
    rows = np.unique(own[kinds.order > 1])
    listed = multiplicity[rows] > 0
    free = np.where(listed[..., None], q[rows][..., list(chain.free)] / unit, np.nan)
    multiplicity[rows] = np.where(listed, multiplicities(order[rows], free, revolute), 0)
    family[multiplicity == 0] = 0
    nearly[own, branch] = kinds.nearly
    nearly &= multiplicity > 0
