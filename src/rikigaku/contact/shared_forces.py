"""Forces that the motion does not decide (a table on four legs): whether some are within friction, and which.

Forces F + free z, z any, do the same to the rows that hold. What is closed holds as long as *any* z keeps all
of them in their cones; given is the one whose squares add up to the least, which is unique and changes
steadily with the state (as if all contacts were equally stiff).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rikigaku.contact.blocks import Block, Choice
from rikigaku.contact.cones import Margin, least, margin, widest
from rikigaku.contact.independence import least_solution

Array = NDArray[np.float64]


def cones_of(F: Array, blocks: Sequence[Block], choices: Sequence[Choice]) -> tuple[Array, Array]:
    """h (cones, 3) and B (cones, 3, rows): forces X are within all limits where h + B X is within cones.

    F tells to which side a bilateral contact that sticks presses.
    """
    h: list[Array] = []
    B: list[Array] = []

    def cone(start: float, *rows: tuple[int, float]) -> None:
        h.append(np.array([start, 0.0, 0.0]))
        B.append(np.zeros((3, len(F))))
        for k, (row, factor) in enumerate(rows):
            B[-1][k, row] = factor

    for block, choice in zip(blocks, choices, strict=True):
        if choice.kind == "free":
            continue
        tangents = [(row, 1.0) for row in block.tangents]
        if block.normal is None:
            if choice.kind == "stick":
                cone(block.static, (block.tangents[0], 0.0), *tangents)
            continue
        side = 1.0
        if block.bilateral:
            side = float(choice.side) if choice.kind == "slip" else float(np.sign(F[block.normal])) or 1.0
        if choice.kind == "stick" and tangents:
            cone(0.0, (block.normal, side * block.static), *tangents)
        presses = not block.bilateral or (choice.kind == "slip" and tangents)
        if presses and not choice.opens and (choice.kind == "slip" or not block.static or block.base):
            cone(-block.base, (block.normal, side))
    return np.array(h).reshape(-1, 3), np.array(B).reshape(-1, 3, len(F))


def room(F: Array, free: Array, blocks: Sequence[Block], choices: Sequence[Choice]) -> Margin:
    """z and the widest margin [N] that F + free z can keep from all limits; negative where none is within."""
    h, B = cones_of(F, blocks, choices)
    return widest(h + B @ F, B @ free, float(np.abs(F).max(initial=0.0)) + 1e-300)


def within_cones(
    F: Array, free: Array, blocks: Sequence[Block], choices: Sequence[Choice], small: float
) -> Array | None:
    """The least F + free z within all limits, up to a force that is small; None if there is none.

    F is the least of all, orthogonal to free, whose columns are orthonormal.
    """
    h, B = cones_of(F, blocks, choices)
    h, G = h + B @ F, B @ free
    if margin(h, G, np.zeros(free.shape[1])) >= -small:
        return F
    found = widest(h, G, float(np.abs(F).max()))
    if found.value < -small:
        return None
    if found.value < 20 * small:  # hardly any choice
        return np.asarray(F + free @ found.x)
    return np.asarray(F + free @ least(h, G, found.x))


def loaded(
    A: Array,
    b: Array,
    f: Array,
    free: Array,
    pushing: dict[int, int],
    small: float,
    lifted: Sequence[int] = (),
) -> tuple[Array, tuple[int, ...]] | None:
    """The least f with A f = b that pushes: f[place] >= 0 for each (block, place) of `pushing`.

    Given the least of all, f, and what may be added. Also the blocks that carry nothing: without them the
    rest is the least of all again. None if none pushes. lifted: blocks whose force has just come to zero.
    """
    places = list(pushing.values())
    if all(f[place] >= (small if k in lifted else -small) for k, place in pushing.items()):
        return f, ()
    h, G = np.zeros((len(places), 3)), np.zeros((len(places), 3, free.shape[1]))
    h[:, 0], G[:, 0] = f[places], free[places]
    found = widest(h, G, float(np.abs(f).max()))
    if found.value < -small:
        return None
    if found.value > 20 * small:
        found = found._replace(x=least(h, G, found.x))
    pushed = f + free @ found.x
    idle = [k for k, place in pushing.items() if pushed[place] < 1e-6 * np.abs(pushed).max()]
    carrying = [j for j in range(len(f)) if j not in {pushing[k] for k in idle}]
    exact, _ = least_solution(A[:, carrying], b, 1e-300)
    if exact is None or exact[[carrying.index(p) for p in places if p in carrying]].min(initial=0.0) < -small:
        return pushed, ()
    pushed = np.zeros(len(f))
    pushed[carrying] = exact
    return pushed, tuple(idle)
