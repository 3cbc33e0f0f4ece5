"""Which contacts open, stick or slide: answers of w = W F + w0 that are consistent.

The same question is asked twice. Of accelerations: F forces, w accelerations along the rows. Of an impact: F
impulses, w velocities after it. Each block of rows (a normal and its tangents, or a joint) has a few choices;
each combination of choices is a linear system, and its solution counts if it fits its own assumptions. Where
rows depend on each other it is many solutions, and the combination counts if one of them fits.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rikigaku.contact.blocks import Answer, Block, Choice
from rikigaku.contact.combinations import Combination, combinations
from rikigaku.contact.independence import independent, least_solution
from rikigaku.contact.shared_forces import loaded, within_cones
from rikigaku.contact.starting import starting_directions

Array = NDArray[np.float64]

_TOLERANCE = 1e-9  # of forces and accelerations, against the largest of their kind
STICKING = 5e-11  # of friction at rest: how far beyond its limit counts as within
_LEAST = 1e-6  # [m/s^2, m/s]: responses below this are no measure of size


def answers(
    W: Array,
    w0: Array,
    blocks: Sequence[Block],
    held: Sequence[int] = (),
    first: Combination | None = None,
) -> Iterator[Answer]:
    """All consistent combinations, the likely ones first.

    held: rows that hold in any case (loops); w is zero there. first: what to try before others.

    Raises:
        TooLarge: where too many combinations were tried.
    """
    for combination in combinations(W, w0, blocks, held, first):
        answer = _tried(W, w0, blocks, combination, held)
        if answer is not None:
            yield answer


def force_size(W: Array, F: Array) -> float:
    """What forces are measured by: the largest, or those that matter at all."""
    given = float(np.diag(W).max(initial=0.0))
    return max(float(np.abs(F).max(initial=0.0)), _LEAST / given if given > 0 else 0.0)


def _tried(
    W: Array, w0: Array, blocks: Sequence[Block], combination: Combination, held: Sequence[int]
) -> Answer | None:
    """The solution for these choices if it fits them."""
    choices = combination.choices
    directions = {
        k: b.direction for k, (b, c) in enumerate(zip(blocks, choices, strict=True))
        if c.kind == "slip" and b.direction is not None
    }  # fmt: skip
    open_ = []
    for k, (block, choice) in enumerate(zip(blocks, choices, strict=True)):
        if choice.kind == "slip" and k not in directions:
            if len(block.tangents) == 2:
                open_.append(k)
            else:
                directions[k] = np.full(len(block.tangents), float(choice.sign))
    system = _System(W, w0, blocks, choices, held)
    if open_:
        found = system.started(directions, open_, combination.directions)
        if found is None:
            return None
        directions |= found
    solved = system.shared(system.solve(directions))
    if solved is None or not system.fits(solved, directions, open_):
        return None
    unloaded = {row for k in solved.idle for row in (blocks[k].normal, *blocks[k].tangents)}
    rows = [row for row in solved.rows if row not in unloaded]
    kept = independent(W, rows) if solved.free.shape[1] else rows
    more = tuple(row for row in rows if row not in kept)
    return Answer(choices, solved.F, solved.w, tuple(kept), directions, more, solved.idle, solved.painleve)


class _Solved(NamedTuple):
    F: Array
    w: Array
    rows: list[int]
    free: Array  # orthonormal columns: forces that leave the rows that hold as they are
    painleve: tuple[int, ...]
    S: Array  # forces from those along the rows that hold
    A: Array
    b: Array
    c: Array
    idle: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class _System:
    W: Array
    w0: Array
    blocks: Sequence[Block]
    choices: tuple[Choice, ...]
    held: Sequence[int]

    def solve(self, directions: dict[int, Array]) -> _Solved | None:
        """The least f with F = S f + c and W F + w0 at its target on the rows that hold; None if the rows
        contradict."""
        rows, targets = list(self.held), [0.0] * len(self.held)
        tied: dict[int, tuple[int, float]] = {}  # tangent row: (normal row, factor)
        c = np.zeros(len(self.w0))
        for k, (block, choice) in enumerate(zip(self.blocks, self.choices, strict=True)):
            if choice.kind == "free":
                continue
            if block.normal is not None:
                c[block.normal] = block.base
                if not choice.opens:
                    rows.append(block.normal)
                    targets.append(block.target)
            for i, row in enumerate(block.tangents):
                if choice.kind == "stick":
                    rows.append(row)
                    targets.append(0.0)
                elif block.normal is None:
                    c[row] = -block.kinetic * directions[k][i]
                else:
                    factor = -choice.side * block.kinetic * directions[k][i]
                    c[row] = factor * block.base
                    if not choice.opens:
                        tied[row] = (block.normal, factor)
        S = np.zeros((len(self.w0), len(rows)))
        S[rows, range(len(rows))] = 1.0
        for row, (normal, factor) in tied.items():
            S[row, rows.index(normal)] = factor
        A = self.W[rows] @ S
        b = np.array(targets) - self.w0[rows] - self.W[rows] @ c
        f, free = least_solution(A, b, _LEAST)
        if f is None:
            return None
        F = S @ f + c
        painleve = tuple(
            k for k, b_ in enumerate(self.blocks)
            if self.choices[k].kind == "slip" and b_.normal in rows
            and A[(j := rows.index(b_.normal)), j] <= 0
        )  # fmt: skip
        return _Solved(F, self.W @ F + self.w0, rows, free, painleve, S, A, b, c)

    def shared(self, solved: _Solved | None) -> _Solved | None:
        """The solution with forces shared so that they fit, where rows depend on each other.

        What sliding contacts carry decides where they go: there the least forces that push are taken, and
        contacts that would pull carry nothing. Where nothing slides any forces within friction will do.
        """
        if solved is None or not solved.free.shape[1]:
            return solved
        size = force_size(self.W, solved.F)
        sliding = {
            k: solved.rows.index(b.normal)
            for k, (b, c) in enumerate(zip(self.blocks, self.choices, strict=True))
            if c.kind == "slip" and b.normal is not None and not c.opens and not b.bilateral
        }
        if not sliding:
            spread = solved.S @ solved.free
            F = within_cones(solved.F, spread, self.blocks, self.choices, STICKING * size)
            return None if F is None else solved._replace(F=F, w=self.W @ F + self.w0)
        f = (solved.F - solved.c)[solved.rows]
        found = loaded(
            solved.A, solved.b, f, solved.free, sliding, _TOLERANCE * size,
            [k for k in sliding if self.blocks[k].lifted],
        )  # fmt: skip
        if found is None:
            return None
        f, idle = found
        F = solved.S @ f + solved.c
        return solved._replace(F=F, w=self.W @ F + self.w0, idle=idle)

    def started(
        self, known: dict[int, Array], open_: Sequence[int], likely: dict[int, Array]
    ) -> dict[int, Array] | None:
        """Directions in which blocks begin to slide in space."""

        def response(directions: dict[int, Array]) -> dict[int, Array] | None:
            solved = self.shared(self.solve(known | directions))
            return None if solved is None else {k: solved.w[list(self.blocks[k].tangents)] for k in open_}

        held = tuple(Choice("stick") if k in open_ else c for k, c in enumerate(self.choices))
        rest = _System(self.W, self.w0, self.blocks, held, self.held).solve(known)
        pushed = {k: _unit(self.w0[list(self.blocks[k].tangents)]) for k in open_}
        starts = [pushed]
        if rest is not None:  # against the force that would hold
            starts.insert(0, {k: _unit(-rest.F[list(self.blocks[k].tangents)]) for k in open_})
        if likely:
            starts.insert(0, {k: likely.get(k, pushed[k]) for k in open_})
        size = max(_LEAST, float(np.abs(self.w0).max(initial=0.0)))
        return starting_directions(starts, response, size)

    def fits(self, solved: _Solved, directions: dict[int, Array], started: Sequence[int]) -> bool:
        """Whether forces and responses agree with the choices."""
        w = solved.w
        small_w = _TOLERANCE * max(_LEAST, float(np.abs(self.w0).max(initial=0.0)))
        for k, (block, choice) in enumerate(zip(self.blocks, self.choices, strict=True)):
            off = choice.kind == "free" or choice.opens
            if off and block.normal is not None:
                leaving = w[block.normal] - block.target
                if leaving < -small_w:
                    return False
                # What stays closed because others do is closed, whether it carries anything or not.
                if choice.kind == "free" and leaving < small_w and self._follows(block.normal, solved.rows):
                    return False
            if choice.kind == "slip" and block.direction is None and block.tangents:
                along = w[list(block.tangents)]
                if along @ directions[k] < -small_w:
                    return False
                if (
                    k in started
                    and np.linalg.norm(along - (along @ directions[k]) * directions[k]) > 1e3 * small_w
                ):
                    return False
        return self._forces_fit(solved.F)

    def _follows(self, row: int, rows: Sequence[int]) -> bool:
        kept = independent(self.W, rows)
        return len(independent(self.W, [*kept, row])) == len(kept)

    def _forces_fit(self, F: Array) -> bool:
        size = force_size(self.W, F)
        small = _TOLERANCE * size
        for block, choice in zip(self.blocks, self.choices, strict=True):
            if choice.kind == "free":
                continue
            limit = block.static
            if block.normal is not None:
                pressing = F[block.normal]
                if block.bilateral:
                    if choice.kind == "slip" and block.tangents and choice.side * pressing < -small:
                        return False
                    limit *= abs(pressing)
                elif pressing - block.base < -small:
                    return False
                else:
                    limit *= pressing
            most = limit + 2 * STICKING * size
            if choice.kind == "stick" and np.linalg.norm(F[list(block.tangents)]) > most:
                return False
        return True


def _unit(x: Array) -> Array:
    length = float(np.linalg.norm(x))
    return x / length if length > 0 else np.eye(len(x))[0]
