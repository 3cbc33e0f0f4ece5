"""Which contacts open, stick or slide: answers of w = W F + w0 that are consistent.

The same question is asked twice. Of accelerations: F forces, w accelerations along the rows. Of an impact: F
impulses, w velocities after it. Each block of rows (a normal and its tangents, or a joint) has a few choices;
each combination of choices is a linear system, and its solution counts if it fits its own assumptions.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rikigaku.contact.blocks import Answer, Block, Choice, default_choices
from rikigaku.contact.shared_forces import within_cones
from rikigaku.contact.starting import starting_directions
from rikigaku.errors import TooLarge

Array = NDArray[np.float64]

_TOLERANCE = 1e-9  # of forces and accelerations, against the largest of their kind
STICKING = 5e-11  # of friction at rest: how far beyond its limit counts as within
_LARGEST = 50_000  # combinations tried


def answers(W: Array, w0: Array, blocks: Sequence[Block], held: Sequence[int] = ()) -> Iterator[Answer]:
    """All consistent combinations, in the order of the blocks' choices.

    held: rows that hold in any case (loops); w is zero there.
    """
    options = [block.choices or default_choices(block) for block in blocks]
    if prod(len(o) for o in options) > _LARGEST:
        raise TooLarge(
            f"{len(blocks)} contacts and joints with friction may combine in "
            f"{prod(len(o) for o in options)} ways; "
            f"at most {_LARGEST} are tried. Leave out contacts that follow from others."
        )
    for choices in product(*options):
        answer = _tried(W, w0, blocks, choices, held)
        if answer is not None:
            yield answer


def _tried(
    W: Array, w0: Array, blocks: Sequence[Block], choices: tuple[Choice, ...], held: Sequence[int]
) -> Answer | None:
    """The solution for these choices if it fits them."""
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
        found = system.started(directions, open_)
        if found is None:
            return None
        directions |= found
    solved = system.solve(directions)
    if solved is None or not system.fits(solved, directions, open_):
        return None
    return Answer(
        choices, solved.F, solved.w, solved.kept, directions, solved.free.shape[1] > 0, solved.painleve
    )


class _Solved(NamedTuple):
    F: Array
    w: Array
    kept: tuple[int, ...]
    free: Array  # columns: forces that move nothing
    painleve: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class _System:
    W: Array
    w0: Array
    blocks: Sequence[Block]
    choices: tuple[Choice, ...]
    held: Sequence[int]

    def solve(self, directions: dict[int, Array]) -> _Solved | None:
        """F = S f + c with W F + w0 at its target on the rows that hold; None if the rows contradict."""
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
        right = np.array(targets) - self.w0[rows] - self.W[rows] @ c
        f, free, kept = _least(A, right)
        if f is None:
            return None
        F = S @ f + c
        painleve = tuple(
            k for k, b in enumerate(self.blocks)
            if self.choices[k].kind == "slip" and b.normal in rows and A[(j := rows.index(b.normal)), j] <= 0
        )  # fmt: skip
        return _Solved(F, self.W @ F + self.w0, tuple(rows[i] for i in kept), S @ free, painleve)

    def started(self, known: dict[int, Array], open_: Sequence[int]) -> dict[int, Array] | None:
        """Directions in which blocks begin to slide in space."""

        def response(directions: dict[int, Array]) -> dict[int, Array] | None:
            solved = self.solve(known | directions)
            return None if solved is None else {k: solved.w[list(self.blocks[k].tangents)] for k in open_}

        held = tuple(Choice("stick") if k in open_ else c for k, c in enumerate(self.choices))
        rest = _System(self.W, self.w0, self.blocks, held, self.held).solve(known)
        pushed = {k: _unit(self.w0[list(self.blocks[k].tangents)]) for k in open_}
        starts = [pushed]
        if rest is not None:  # against the force that would hold
            starts.insert(0, {k: _unit(-rest.F[list(self.blocks[k].tangents)]) for k in open_})
        size = max(1.0, float(np.abs(self.w0).max(initial=0.0)))
        return starting_directions(starts, response, size)

    def fits(self, solved: _Solved, directions: dict[int, Array], started: Sequence[int]) -> bool:
        """Whether forces and responses agree with the choices; sharing forces where that is open."""
        w = solved.w
        small_w = _TOLERANCE * max(1.0, float(np.abs(self.w0).max(initial=0.0)))
        for k, (block, choice) in enumerate(zip(self.blocks, self.choices, strict=True)):
            off = choice.kind == "free" or choice.opens
            if off and block.normal is not None and w[block.normal] < block.target - small_w:
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
        if self._forces_fit(solved.F):
            return True
        if not solved.free.shape[1]:
            return False
        shared = within_cones(solved.F, solved.free, self.blocks, self.choices)
        if shared is None:
            return False
        solved.F[:] = shared
        return True

    def _forces_fit(self, F: Array) -> bool:
        size = max(1.0, float(np.abs(F).max(initial=0.0)))
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
            if choice.kind == "stick" and np.linalg.norm(F[list(block.tangents)]) > limit + STICKING * size:
                return False
        return True


def _least(A: Array, b: Array) -> tuple[Array | None, Array, list[int]]:
    """The least x with A x = b (None if there is none), what may be added to it, and independent rows."""
    n = len(b)
    if n == 0:
        return np.zeros(0), np.zeros((0, 0)), []
    scale = 1 / np.sqrt(np.maximum(np.abs(np.diag(A)), 1e-300))
    scale[~np.isfinite(scale) | (np.abs(np.diag(A)) < 1e-12 * np.abs(A).max(initial=0.0))] = 1.0
    U, s, Vt = np.linalg.svd(A * scale[:, None])
    rank = int((s > 1e-10 * s[0]).sum()) if s[0] > 0 else 0
    x = Vt[:rank].T @ ((U[:, :rank].T @ (scale * b)) / s[:rank])
    if rank == n:
        return x, np.zeros((n, 0)), list(range(n))
    if np.abs(A @ x - b).max() > 1e-8 * max(1.0, float(np.abs(b).max())):
        return None, np.zeros((n, 0)), []
    kept: list[int] = []
    for i in range(n):  # the first rows that do not follow from those before
        if np.linalg.matrix_rank(A[np.ix_([*kept, i], [*kept, i])], tol=1e-10 * s[0]) == len(kept) + 1:
            kept.append(i)
    return x, Vt[rank:].T, kept


def _unit(x: Array) -> Array:
    length = float(np.linalg.norm(x))
    return x / length if length > 0 else np.eye(len(x))[0]
