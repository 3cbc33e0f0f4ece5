"""All configurations of a chain by its formulas, with multiplicities and families at singular ones."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rikigaku.core.types import Array, Mask
from rikigaku.inverse_kinematics.exact_chain import BRANCH, ExactChain, ExactConfigurations, Indices, scaled
from rikigaku.inverse_kinematics.formula_kernel import FormulaKernel
from rikigaku.inverse_kinematics.serial_arm import displacements
from rikigaku.inverse_kinematics.singular_configurations import (
    SUSPECT,
    corrected,
    multiplicities,
    singular_kinds,
)
from rikigaku.symbolic.inverse_kinematics.ik_branches import JointFormulas

_FAMILY_NEIGHBOURS = 8  # pairs of opposite poses beside one where an angle is undetermined
_NEIGHBOUR = 1e-3  # their distances [reach, rad]
_REACHED = 1e-12  # residual [reach, rad] of a corrected configuration
_APART = 0.2  # [rad, m]: members of a family that are listed apart


def configurations_by_formulas(
    chain: ExactChain, formulas: FormulaKernel, poses: Array, given: Mapping[str, Array], tolerance: float
) -> ExactConfigurations:
    coordinates = formulas.formulas.coordinates
    values = {coordinates[chain.robot.q_slices[name].start]: given[name] for name in chain.given}
    with np.errstate(all="ignore"):
        q, position, rotation, pivot = formulas.solve(poses, values)
        if np.isnan(position[:, 0]).any():
            _repair(chain, formulas.formulas, (q, position, rotation, pivot), poses, values)
        if (pivot < 0).any():
            _fill_families(chain, formulas, (q, position, rotation, pivot), poses, given)
        present = chain.present(position, rotation, tolerance)
        suspect = present & (pivot < SUSPECT)
    multiplicity = present.astype(np.int64)
    family = np.zeros(present.shape, dtype=np.int64)
    if suspect.any():
        _singular(chain, suspect, poses, given, q, multiplicity, family)
    complete = np.ones(len(poses), dtype=bool)
    return ExactConfigurations(q, multiplicity, family, position, rotation, complete)


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
    pivot[bad] = 0.0


def _fill_families(
    chain: ExactChain,
    formulas: FormulaKernel,
    found: tuple[Array, Array, Array, Array],
    poses: Array,
    given: Mapping[str, Array],
) -> None:
    """Members of families that the formulas miss because they set an undetermined angle to one value.

    Elsewhere on the family the other joints may reach the pose. Formulas at neighbouring poses have other
    values of that angle; their configurations are corrected to the pose and take the place of branches
    that do not exist.
    """
    q, position, rotation, pivot = found
    present = chain.present(position, rotation, BRANCH)
    rows = np.nonzero((pivot < 0).any(axis=1) & ~present.all(axis=1))[0]
    if not len(rows):
        return
    count = 2 * _FAMILY_NEIGHBOURS
    moves = np.random.default_rng(5).normal(size=(_FAMILY_NEIGHBOURS, 6)) * _NEIGHBOUR
    every = np.tile(rows, count)
    near = scaled(poses[every], chain.reach) @ displacements(
        np.repeat(np.concatenate([moves, -moves]), len(rows), axis=0)
    )
    near[:, :3, 3] *= chain.reach
    coordinates = formulas.formulas.coordinates
    values = {coordinates[chain.robot.q_slices[name].start]: given[name][every] for name in chain.given}
    start, far, turned, _ = formulas.solve(near, values)
    own, branch = np.nonzero(chain.present(far, turned, BRANCH))
    free, at = list(chain.free), every[own]
    unit = chain.units
    links = [scaled(x if x.ndim == 2 else x[at], chain.reach) for x in chain.chain_links(given)]
    target = scaled(poses[at], chain.reach)
    moved, residual = corrected(links, list(chain.angles[free]), target, start[own, branch][:, free] / unit)
    candidates = start[own, branch]
    candidates[:, free] = moved * unit
    for row in rows:
        empty, kept = (np.nonzero(x)[0].tolist() for x in (~present[row], present[row]))
        for x in candidates[(at == row) & (residual < _REACHED)]:
            gap = q[row, kept] - x
            gap = gap - np.where(chain.angles, 2 * np.pi * np.round(gap / (2 * np.pi)), 0.0)
            if not empty:
                break
            if not len(kept) or np.abs(gap).max(axis=1).min() > _APART:
                place = empty.pop(0)
                q[row, place], pivot[row, place] = x, 0.0
                kept.append(place)
    position[rows], rotation[rows] = chain.errors(q[rows], poses[rows])


def _singular(
    chain: ExactChain,
    suspect: Mask,
    poses: Array,
    given: Mapping[str, Array],
    q: Array,
    multiplicity: Indices,
    family: Indices,
) -> None:
    """Multiplicities and families at poses with a singular configuration; equal branches become one."""
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
    order[own, branch], family[own, branch] = kinds
    rows = np.unique(own[(kinds.order > 1) | (kinds.family > 0)])
    chain.merge(q, multiplicity, rows)
    rows = np.unique(own[kinds.order > 1])
    listed = multiplicity[rows] > 0
    free = np.where(listed[..., None], q[rows][..., list(chain.free)] / unit, np.nan)
    multiplicity[rows] = np.where(listed, multiplicities(order[rows], free, revolute), 0)
    family[multiplicity == 0] = 0
