"""Redundant contacts (a table on four legs): friction margin, and the minimum-norm forces.

Forces F + free z with any z give the same motion. The contacts stay closed as long as *some* z keeps all
forces in their friction cones. The minimum-norm forces within the cones are reported; they are unique and
continuous in the state (as if all contacts were equally stiff).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rikigaku.contact.cone_program import Margin, margin, maximize_margin, minimum_norm
from rikigaku.contact.constraint_blocks import BlockMode, ConstraintBlock
from rikigaku.contact.redundancy import minimum_norm_solution
from rikigaku.core.types import Array


class FrictionCones(NamedTuple):
    """Limits of forces X: h + factors X[equations] is inside all cones.

    h: constant force of each cone (k,). equations, factors: of its three components (k, 3).
    """

    h: Array
    equations: np.ndarray[Any, np.dtype[np.int64]]
    factors: Array

    def at(self, F: Array) -> Array:
        """Components (k, 3) at forces F."""
        u = self.factors * F[self.equations]
        u[:, 0] += self.h
        return u

    def along(self, free: Array) -> Array:
        """Changes of the components (k, 3, n) along the columns of free."""
        return self.factors[:, :, None] * free[self.equations]

    def relative_to(self, scales: Array) -> "FrictionCones":
        """The same cones, each divided by the scale of its first equation."""
        size = scales[self.equations[:, 0]]
        return FrictionCones(self.h / size, self.equations, self.factors / size[:, None])


def friction_cones(F: Array, blocks: Sequence[ConstraintBlock], modes: Sequence[BlockMode]) -> FrictionCones:
    """The friction cones of contacts and joints that stick, and the limits of normal forces.

    The sign of F decides on which side a sticking bilateral contact presses.
    """
    h: list[float] = []
    rows: list[int] = []
    factors: list[float] = []

    def cone(start: float, row: int, factor: float, tangents: tuple[int, ...] = ()) -> None:
        count = len(tangents)
        h.append(start)
        rows.extend((row, *tangents) if count == 2 else (row, *tangents, *(row,) * (2 - count)))
        factors.extend((factor, 1.0, 1.0) if count == 2 else (factor, float(count), 0.0))

    opened = {b.normal for b, c in zip(blocks, modes, strict=True) if c.kind == "free" and not b.shared}
    for block, mode in zip(blocks, modes, strict=True):
        if mode.kind == "free" or (block.shared and block.normal in opened):
            continue
        tangents = block.tangents
        if block.normal is None:
            if mode.kind == "stick":
                cone(block.static, tangents[0], 0.0, tangents)
            continue
        side = 1.0
        if block.bilateral:
            side = float(mode.side) if mode.kind == "slip" else float(np.sign(F[block.normal])) or 1.0
        if mode.kind == "stick" and tangents:
            cone(0.0, block.normal, side * block.static, tangents)
        presses = not block.bilateral or (mode.kind == "slip" and tangents)
        if (
            presses
            and not block.shared
            and not mode.opens
            and (mode.kind == "slip" or not block.static or block.base)
        ):
            cone(-block.base, block.normal, side)
    equations = np.array(rows, dtype=np.int64).reshape(-1, 3)
    return FrictionCones(np.array(h), equations, np.array(factors).reshape(-1, 3))


def widest_margin(F: Array, free: Array, cones: FrictionCones) -> Margin:
    """z and the widest margin [N] of F + free z to all friction limits; negative if no z satisfies them."""
    return maximize_margin(cones.at(F), cones.along(free), float(np.abs(F).max(initial=0.0)) + 1e-300)


def minimum_norm_in_cones(
    F: Array, free: Array, cones: FrictionCones, small: float, size: float | None = None
) -> Array | None:
    """The minimum-norm F + free z within all limits, up to `small`; None if there is none.

    F is the unconstrained minimum-norm solution, orthogonal to the orthonormal columns of free. size: of the
    components of the cones; that of F if left out.
    """
    h = cones.at(F)
    if margin(h) >= -small:
        return F
    G = cones.along(free)
    found = maximize_margin(h, G, float(np.abs(F).max()) if size is None else size)
    if found.value < -small:
        return None
    if found.value < 20 * small:  # the feasible set is almost a point
        return np.asarray(F + free @ found.x)
    return np.asarray(F + free @ minimum_norm(h, G, found.x))


def nonnegative_forces(
    A: Array,
    b: Array,
    f: Array,
    free: Array,
    pushing: dict[int, int],
    small: float,
    lifted: Sequence[int] = (),
) -> tuple[Array, tuple[int, ...]] | None:
    """The minimum-norm solution of A f = b with f[index] >= 0 for each (block, index) of `pushing`.

    Args:
        f: the unconstrained minimum-norm solution. free: basis of the null space of A.
        lifted: blocks whose force has just fallen to zero.
    Returns:
        The forces, and the blocks that carry none: without them the others are the minimum-norm solution.
        None if there are no nonnegative forces.
    """
    places = list(pushing.values())
    if all(f[place] >= (small if k in lifted else -small) for k, place in pushing.items()):
        return f, ()
    h, G = np.zeros((len(places), 3)), np.zeros((len(places), 3, free.shape[1]))
    h[:, 0], G[:, 0] = f[places], free[places]
    found = maximize_margin(h, G, float(np.abs(f).max()))
    if found.value < -small:
        return None
    if found.value > 20 * small:
        found = found._replace(x=minimum_norm(h, G, found.x))
    pushed = f + free @ found.x
    unloaded = [k for k, place in pushing.items() if pushed[place] < 1e-6 * np.abs(pushed).max()]
    carrying = [j for j in range(len(f)) if j not in {pushing[k] for k in unloaded}]
    exact, _ = minimum_norm_solution(A[:, carrying], b, 1e-300)
    if exact is None or exact[[carrying.index(p) for p in places if p in carrying]].min(initial=0.0) < -small:
        return pushed, ()
    pushed = np.zeros(len(f))
    pushed[carrying] = exact
    return pushed, tuple(unloaded)
