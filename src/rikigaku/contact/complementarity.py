"""Which contacts open, stick or slide: answers of w = W F + w0 that are consistent.

The same question is asked twice. Of accelerations: F forces, w accelerations along the rows. Of an impact: F
impulses, w velocities after it. Each block of rows (a normal and its tangents, or a joint) has a few choices;
each combination of choices is a linear system, and its solution counts if it fits its own assumptions.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rikigaku.contact.shared_forces import within_cones
from rikigaku.errors import TooLarge

Array = NDArray[np.float64]

_TOLERANCE = 1e-9  # of forces and accelerations, against the largest of their kind
STICKING = 5e-11  # of friction at rest: how far beyond its limit counts as within
_LARGEST = 50_000  # combinations tried
_TURNS = 400  # of the direction in which sliding starts, in 3-D


class Choice(NamedTuple):
    """What a block does: "free", "stick" or "slip"; sign of planar sliding; side a bilateral contact presses.

    opens: the normal row is not held though friction acts (impulse left over from compression).
    """

    kind: str
    sign: int = 0
    side: int = 1
    opens: bool = False


@dataclass(frozen=True, eq=False)
class Block:
    """Rows that belong together.

    normal: place of the normal row, None for a joint. tangents: places of the tangential rows, one or two.
    static, kinetic: coefficients (a joint: forces). target: value of w along the normal that is held.
    direction: of sliding, over the tangents, where it is known; None where it starts now.
    base: normal force that acts whatever else (restitution). choices: those worth trying, best first.
    """

    normal: int | None
    tangents: tuple[int, ...]
    static: float = 0.0
    kinetic: float = 0.0
    target: float = 0.0
    direction: Array | None = None
    bilateral: bool = False
    base: float = 0.0
    choices: tuple[Choice, ...] = ()


@dataclass(frozen=True, eq=False)
class Answer:
    """Choices that fit, forces and responses along all rows, rows kept (independent) and the doubtful blocks.

    directions: of sliding, by block. shared: forces are not decided by the motion, one fit is given.
    painleve: blocks whose friction turns the sign of the response to the normal force (A <= 0).
    """

    choices: tuple[Choice, ...]
    F: Array
    w: Array
    kept: tuple[int, ...]
    directions: dict[int, Array] = field(default_factory=dict)
    shared: bool = False
    painleve: tuple[int, ...] = ()


def default_choices(block: Block) -> tuple[Choice, ...]:
    """All a block may do, sticking first."""
    sides = (1, -1) if block.bilateral else (1,)
    stick = () if block.direction is not None or not block.tangents else (Choice("stick"),)
    if not block.tangents:
        slip: tuple[Choice, ...] = (Choice("slip"),)
    elif block.direction is not None or len(block.tangents) == 2:
        slip = tuple(Choice("slip", 0, side) for side in sides)
    else:
        slip = tuple(Choice("slip", sign, side) for sign in (1, -1) for side in sides)
    if block.normal is None:
        return (*stick, *slip)
    if block.base > 0:
        return (*stick, *slip, *(choice._replace(opens=True) for choice in (*stick, *slip)))
    return (*stick, *slip) if block.bilateral else (*stick, *slip, Choice("free"))


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
                directions[k] = _unit(w0[list(block.tangents)])
            else:
                directions[k] = np.full(len(block.tangents), float(choice.sign))
    system = _System(W, w0, blocks, choices, held)
    solved = system.solve(directions)
    for _ in range(_TURNS if open_ else 0):  # sliding starts the way it is pushed: a fixed point
        if solved is None:
            return None
        turned = 0.0
        for k in open_:
            new = _unit(directions[k] + _unit(solved.w[list(blocks[k].tangents)]))
            turned = max(turned, float(np.abs(new - directions[k]).max()))
            directions[k] = new
        solved = system.solve(directions)
        if turned < 1e-15:
            break
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
