"""The linear system of one assignment of contact modes, its forces, and whether they are consistent."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import hypot
from typing import NamedTuple

import numpy as np

from rikigaku.contact.cone_program import Margin
from rikigaku.contact.constraint_blocks import BlockMode, ConstraintBlock
from rikigaku.contact.contact_tolerances import STICKING, TOLERANCE, force_scale
from rikigaku.contact.redundancy import independent_equations, minimum_norm_solution
from rikigaku.contact.redundant_forces import (
    friction_cones,
    minimum_norm_in_cones,
    nonnegative_forces,
    widest_margin,
)
from rikigaku.contact.slip_onset import OnsetResponse, sliding_directions
from rikigaku.core.types import Array

# Margin to friction limits, relative to the forces, of a mode that lasts because redundant sliding contacts
# share their load just so.
_THIN = 1e-3


class SolvedForces(NamedTuple):
    F: Array
    w: Array
    active: list[int]  # active constraints
    free: Array  # orthonormal columns: changes of f that do not change w along the active constraints
    painleve: tuple[int, ...]
    S: Array  # F = S f + c, f the forces along the active constraints
    A: Array  # A f = b
    b: Array
    c: Array
    unloaded: tuple[int, ...] = ()
    near: bool = False  # F is chosen within friction, not of minimum norm
    thin: bool = False  # by a thin margin


@dataclass(frozen=True, eq=False)
class ModeSystem:
    W: Array
    w0: Array
    blocks: Sequence[ConstraintBlock]
    modes: tuple[BlockMode, ...]
    permanent: Sequence[int]
    least: float  # the smallest response that sets a scale

    @cached_property
    def acting(self) -> list[bool]:
        """For each block whether its contact or joint is not open."""
        return [
            mode.kind != "free" if not block.shared else acts(k, self.blocks, self.modes)
            for k, (block, mode) in enumerate(zip(self.blocks, self.modes, strict=True))
        ]

    def solve(self, directions: dict[int, Array], nearest: bool = False) -> SolvedForces | None:
        """The minimum-norm f with F = S f + c and W F + w0 at its target on the active constraints; None if
        these contradict each other, or, if `nearest`, the forces with the least error."""
        rows, targets = list(self.permanent), [0.0] * len(self.permanent)
        sliding: dict[int, tuple[int, float]] = {}  # tangent: (normal, friction factor)
        c = np.zeros(len(self.w0))
        for k, (block, mode) in enumerate(zip(self.blocks, self.modes, strict=True)):
            if not self.acting[k]:
                continue
            if block.normal is None and mode.kind == "stick":
                rows.append(block.tangents[0])
                targets.append(0.0)
                continue
            if block.shared:
                owner = owner_of(k, self.blocks)
                block, opens = replace(block, base=self.blocks[owner].base), self.modes[owner].opens
                mode = mode._replace(opens=opens)
            elif block.normal is not None:
                c[block.normal] = block.base
                if not mode.opens:
                    rows.append(block.normal)
                    targets.append(block.target)
            for i, row in enumerate(block.tangents):
                if mode.kind == "stick":
                    rows.append(row)
                    targets.append(0.0)
                elif block.normal is None:
                    c[row] = -block.kinetic * directions[k][i]
                else:
                    factor = -mode.side * block.kinetic * directions[k][i]
                    c[row] = factor * block.base
                    if not mode.opens:
                        sliding[row] = (block.normal, factor)
        S = np.zeros((len(self.w0), len(rows)))
        S[rows, range(len(rows))] = 1.0
        W = self.W[rows]
        A = W[:, rows]
        places = {row: i for i, row in enumerate(rows)}
        for row, (normal, factor) in sliding.items():
            at = places[normal]
            S[row, at] = factor
            A[:, at] += factor * W[:, row]
        b = np.array(targets) - self.w0[rows] - W @ c
        f, free = minimum_norm_solution(A, b, self.least)
        if f is None and nearest:
            f = np.asarray(np.linalg.lstsq(A, b, rcond=1e-10)[0], dtype=np.float64)
        if f is None:
            return None
        F = S @ f + c
        painleve = tuple(
            k for k, (b_, mode) in enumerate(zip(self.blocks, self.modes, strict=True))
            if b_.normal is not None and mode.kind == "slip" and b_.normal in places
            and A[(j := places[b_.normal]), j] <= 0
        )  # fmt: skip
        return SolvedForces(F, self.W @ F + self.w0, rows, free, painleve, S, A, b, c)

    def distribute(self, solved: SolvedForces | None) -> SolvedForces | None:
        """The solution with redundant constraint forces inside their cones; None if there is none.

        If contacts slide, their normal forces influence the motion: the minimum-norm forces that push are
        taken, and contacts that would pull are unloaded; if these forces are beyond the friction of contacts
        that stick beside them, forces far from all limits are taken. If nothing slides, the minimum-norm
        forces within the friction cones are taken.
        """
        if solved is None or not solved.free.shape[1]:
            return solved
        size = force_scale(self.W, solved.F, self.least)
        moments = {
            b.normal for k, (b, c) in enumerate(zip(self.blocks, self.modes, strict=True))
            if b.shared and c.kind == "slip" and self.acting[k]
        }  # fmt: skip
        sliding = {
            k: solved.active.index(b.normal)
            for k, (b, c) in enumerate(zip(self.blocks, self.modes, strict=True))
            if b.normal is not None and (c.kind == "slip" or b.normal in moments)
            and not c.opens and not b.bilateral and not b.shared
        }  # fmt: skip
        if not sliding:
            free = solved.S @ solved.free
            cones = friction_cones(solved.F, self.blocks, self.modes)
            F = minimum_norm_in_cones(solved.F, free, cones, STICKING * size)
            return None if F is None else solved._replace(F=F, w=self.W @ F + self.w0)
        f = (solved.F - solved.c)[solved.active]
        found = nonnegative_forces(
            solved.A, solved.b, f, solved.free, sliding, TOLERANCE * size,
            [k for k in sliding if self.blocks[k].lifted],
        )  # fmt: skip
        if found is None:
            return None
        f, unloaded = found
        F = solved.S @ f + solved.c
        if not self._forces_are_consistent(F):
            near = self._within_friction(solved)
            if near is not None:
                F, unloaded = near.x, ()
                solved = solved._replace(near=True, thin=near.value < _THIN)
        return solved._replace(F=F, w=self.W @ F + self.w0, unloaded=unloaded)

    def _within_friction(self, solved: SolvedForces) -> Margin | None:
        """Forces far from all limits of contacts and joints that stick beside sliding contacts, and their
        margin relative to the scale of forces; None if there are none."""
        free = solved.S @ solved.free
        found = widest_margin(solved.F, free, friction_cones(solved.F, self.blocks, self.modes))
        margin = found.value / force_scale(self.W, solved.F, self.least)
        return None if margin < -STICKING else Margin(solved.F + free @ found.x, margin)

    def start_directions(
        self, known: dict[int, Array], unknown: Sequence[int], likely: dict[int, Array]
    ) -> dict[int, Array] | None:
        """Directions in which blocks at rest start to slide (two tangents)."""

        tangents = [list(self.blocks[k].tangents) for k in unknown]

        def response(directions: dict[int, Array]) -> OnsetResponse | None:
            solved = self.distribute(self.solve(known | directions))
            if solved is None:
                return None
            return OnsetResponse(solved.w[tangents], lambda: self._slopes(solved, directions)[tangents])

        sticking = tuple(BlockMode("stick") if k in unknown else c for k, c in enumerate(self.modes))
        rest = ModeSystem(self.W, self.w0, self.blocks, sticking, self.permanent, self.least).solve(
            known, True
        )
        pushed = {k: _unit(self.w0[list(self.blocks[k].tangents)]) for k in unknown}
        starts = [pushed]
        if rest is not None:  # against the static friction; at a singular configuration the nearest to it
            starts.insert(0, {k: _unit(-rest.F[list(self.blocks[k].tangents)]) for k in unknown})
        if likely:
            starts.insert(0, {k: likely.get(k, pushed[k]) for k in unknown})
        size = max(self.least, float(np.abs(self.w0).max(initial=0.0)))
        return sliding_directions(starts, response, size)

    def _slopes(self, solved: SolvedForces, directions: dict[int, Array]) -> Array:
        """Derivatives of w (n, k) by the angles of sliding directions: A df = -W dF, dw = W (S df + dF)."""
        dF = np.zeros((len(self.w0), len(directions)))
        for j, (k, d) in enumerate(directions.items()):
            block, mode = self.blocks[k], self.modes[k]
            force = 1.0 if block.normal is None else mode.side * solved.F[block.normal]
            dF[list(block.tangents), j] = -block.kinetic * force * np.array([-d[1], d[0]])
        through = self.W @ dF
        df = np.linalg.lstsq(solved.A, -through[solved.active], rcond=1e-12)[0]
        return np.asarray(through + self.W @ (solved.S @ df))

    def is_consistent(
        self, solved: SolvedForces, directions: dict[int, Array], started: Sequence[int]
    ) -> bool:
        """Whether forces and responses satisfy the inequalities of the modes."""
        w, small_w = solved.w, self._small_w
        for k, (block, mode) in enumerate(zip(self.blocks, self.modes, strict=True)):
            if block.shared and not self.acting[k]:
                continue
            opening = mode.kind == "free" or mode.opens
            if opening and block.normal is not None:
                leaving = w[block.normal] - block.target
                if leaving < -small_w:
                    return False
                # A contact that other constraints keep closed is closed, whether it carries force or not.
                if (
                    mode.kind == "free"
                    and leaving < small_w
                    and self._is_redundant(block.normal, solved.active)
                ):
                    return False
            if mode.kind == "slip" and block.direction is None and block.tangents:
                along = w[list(block.tangents)]
                if along @ directions[k] < -small_w:
                    return False
                if (
                    k in started
                    and np.linalg.norm(along - (along @ directions[k]) * directions[k]) > 1e3 * small_w
                ):
                    return False
        return self._forces_are_consistent(solved.F)

    @property
    def _small_w(self) -> float:
        return TOLERANCE * max(self.least, float(np.abs(self.w0).max(initial=0.0)))

    def _is_redundant(self, row: int, rows: Sequence[int]) -> bool:
        return row not in independent_equations(self.W, rows, [row])

    def rank(self, solved: SolvedForces, directions: dict[int, Array]) -> int:
        """See `ModeSolution.rank`."""
        for k, (block, mode) in enumerate(zip(self.blocks, self.modes, strict=True)):
            if mode.kind != "slip" or block.direction is not None or not block.tangents or not self.acting[k]:
                continue
            if solved.w[list(block.tangents)] @ directions[k] > self._small_w:
                continue
            if not block.candidates or all(self._is_redundant(i, solved.active) for i in block.tangents):
                return 2
        return int(solved.thin)

    def _forces_are_consistent(self, F: Array) -> bool:
        size = force_scale(self.W, F, self.least)
        small, forces = TOLERANCE * size, F.tolist()
        for k, (block, mode) in enumerate(zip(self.blocks, self.modes, strict=True)):
            if not self.acting[k]:
                continue
            limit = block.static
            if block.normal is not None:
                normal = forces[block.normal]
                if block.bilateral:
                    if mode.kind == "slip" and block.tangents and mode.side * normal < -small:
                        return False
                    limit *= abs(normal)
                elif not block.shared and normal - block.base < -small:
                    return False
                else:
                    limit *= normal
            # of a moment in proportion to its lever, the coefficient [m]
            largest = limit + 2 * STICKING * size * (min(block.static, 1.0) if block.shared else 1.0)
            if mode.kind == "stick" and hypot(*(forces[i] for i in block.tangents)) > largest:
                return False
        return True


def owner_of(k: int, blocks: Sequence[ConstraintBlock]) -> int:
    """The block to which the normal of block k belongs."""
    if not blocks[k].shared:
        return k
    return next(j for j, b in enumerate(blocks) if b.normal == blocks[k].normal and not b.shared)


def acts(k: int, blocks: Sequence[ConstraintBlock], modes: Sequence[BlockMode]) -> bool:
    """Whether the contact or joint of block k is not open."""
    return modes[owner_of(k, blocks)].kind != "free"


def _unit(x: Array) -> Array:
    length = float(np.linalg.norm(x))
    return x / length if length > 0 else np.eye(len(x))[0]
