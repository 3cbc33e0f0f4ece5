"""Redundant contacts (a table on four legs): friction margin, and the minimum-norm forces.

Forces F + free z with any z give the same motion. The contacts stay closed as long as *some* z keeps all
forces in their friction cones. The minimum-norm forces within the cones are reported; they are unique and
continuous in the state (as if all contacts were equally stiff).
"""

from collections.abc import Sequence

import numpy as np

from rikigaku.contact.cone_program import Margin, margin, maximize_margin, minimum_norm
from rikigaku.contact.constraint_blocks import BlockMode, ConstraintBlock
from rikigaku.contact.redundancy import minimum_norm_solution
from rikigaku.core.types import Array


def friction_cones(
    F: Array, blocks: Sequence[ConstraintBlock], modes: Sequence[BlockMode]
) -> tuple[Array, Array]:
    """h (cones, 3) and B (cones, 3, equations): forces X satisfy all limits if h + B X is inside the cones.

    The sign of F decides on which side a sticking bilateral contact presses.
    """
    cones: list[tuple[float, tuple[tuple[int, float], ...]]] = []

    def cone(start: float, *rows: tuple[int, float]) -> None:
        cones.append((start, rows))

    for block, mode in zip(blocks, modes, strict=True):
        if mode.kind == "free":
            continue
        tangents = [(row, 1.0) for row in block.tangents]
        if block.normal is None:
            if mode.kind == "stick":
                cone(block.static, (block.tangents[0], 0.0), *tangents)
            continue
        side = 1.0
        if block.bilateral:
            side = float(mode.side) if mode.kind == "slip" else float(np.sign(F[block.normal])) or 1.0
        if mode.kind == "stick" and tangents:
            cone(0.0, (block.normal, side * block.static), *tangents)
        presses = not block.bilateral or (mode.kind == "slip" and tangents)
        if presses and not mode.opens and (mode.kind == "slip" or not block.static or block.base):
            cone(-block.base, (block.normal, side))
    h, B = np.zeros((len(cones), 3)), np.zeros((len(cones), 3, len(F)))
    h[:, 0] = [start for start, _ in cones]
    for c, (_, rows) in enumerate(cones):
        for k, (row, factor) in enumerate(rows):
            B[c, k, row] = factor
    return h, B


def widest_margin(
    F: Array, free: Array, blocks: Sequence[ConstraintBlock], modes: Sequence[BlockMode]
) -> Margin:
    """z and the widest margin [N] of F + free z to all friction limits; negative if no z satisfies them."""
    h, B = friction_cones(F, blocks, modes)
    return maximize_margin(h + B @ F, B @ free, float(np.abs(F).max(initial=0.0)) + 1e-300)


def minimum_norm_in_cones(
    F: Array, free: Array, blocks: Sequence[ConstraintBlock], modes: Sequence[BlockMode], small: float
) -> Array | None:
    """The minimum-norm F + free z within all limits, up to a force `small`; None if there is none.

    F is the unconstrained minimum-norm solution, orthogonal to the orthonormal columns of free.
    """
    h, B = friction_cones(F, blocks, modes)
    h, G = h + B @ F, B @ free
    if margin(h, G, np.zeros(free.shape[1])) >= -small:
        return F
    found = maximize_margin(h, G, float(np.abs(F).max()))
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
