"""Blocks of constraint equations (a contact, a joint), their candidate modes, and consistent solutions."""

from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import NamedTuple

from rikigaku.core.types import Array


class BlockMode(NamedTuple):
    """Contact mode of a block.

    kind: "free", "stick" or "slip". sign: of planar sliding. side: sign of a bilateral contact's normal
        force.
    opens: the normal constraint is inactive though friction acts (restitution of Poisson's type).
    """

    kind: str
    sign: int = 0
    side: int = 1
    opens: bool = False


@dataclass(frozen=True, eq=False)
class ConstraintBlock:
    """The constraint equations of one contact or joint.

    Attributes:
        normal: index of the normal equation, None for a joint. tangents: indices of the tangential ones.
        static, kinetic: friction coefficients (of a joint: forces).
        target: value of w that the active normal constraint prescribes.
        direction: sliding direction over the tangents if it slides already; None if it is at rest.
        bilateral: the normal force may have either sign.
        base: normal force that acts in any mode (restitution of Poisson's type).
        candidates: modes to try, the likely ones first; `candidate_modes` if empty.
        lifted: its normal force has just fallen to zero.
        shared: the normal equation belongs to another, earlier block, whose force limits this friction.
    """

    normal: int | None
    tangents: tuple[int, ...]
    static: float = 0.0
    kinetic: float = 0.0
    target: float = 0.0
    direction: Array | None = None
    bilateral: bool = False
    base: float = 0.0
    candidates: tuple[BlockMode, ...] = ()
    lifted: bool = False
    shared: bool = False

    @property
    def equations(self) -> tuple[int, ...]:
        """Indices of its equations, the normal first."""
        return self.tangents if self.normal is None else (self.normal, *self.tangents)

    @cached_property
    def options(self) -> tuple[BlockMode, ...]:
        """Modes to try, in this order."""
        return self.candidates or candidate_modes(self)


@dataclass(frozen=True, eq=False)
class ModeSolution:
    """Modes of all blocks with forces F and responses w = W F + w0 that are consistent with them.

    Attributes:
        independent: independent active constraints. redundant: active constraints that are redundant; the
            forces are then not unique, and F has the minimum norm within friction.
        directions: sliding directions, by block.
        unloaded: blocks that slide and carry no force.
        painleve: blocks where friction reverses the response to the normal force (A <= 0).
        near: contacts slide, and F is chosen within the friction of those that stick; the motion starts near
            these forces.
        rank: solutions of lower rank are preferred. 1: contacts stick by a thin margin, since redundant ones
            that slide share their load just so. 2: a contact at rest begins to slide without acceleration,
            though no event ends its sticking, or though others hold it at rest.
    """

    modes: tuple[BlockMode, ...]
    F: Array
    w: Array
    independent: tuple[int, ...]
    directions: dict[int, Array] = field(default_factory=dict)
    redundant: tuple[int, ...] = ()
    unloaded: tuple[int, ...] = ()
    painleve: tuple[int, ...] = ()
    near: bool = False
    rank: int = 0


def candidate_modes(block: ConstraintBlock) -> tuple[BlockMode, ...]:
    """All modes of a block, sticking first."""
    moves, base = block.direction is not None, block.base > 0
    contact = block.normal is not None and not block.shared
    return _candidates(contact, len(block.tangents), moves, block.bilateral, base)


@cache
def _candidates(
    contact: bool, tangents: int, moves: bool, bilateral: bool, base: bool
) -> tuple[BlockMode, ...]:
    sides = (1, -1) if bilateral else (1,)
    stick = () if moves or not tangents else (BlockMode("stick"),)
    if not tangents:
        slip: tuple[BlockMode, ...] = (BlockMode("slip"),)
    elif moves or tangents == 2:
        slip = tuple(BlockMode("slip", 0, side) for side in sides)
    else:
        slip = tuple(BlockMode("slip", sign, side) for sign in (1, -1) for side in sides)
    if not contact:
        return (*stick, *slip)
    if base:
        return (*stick, *slip, *(mode._replace(opens=True) for mode in (*stick, *slip)))
    return (*stick, *slip) if bilateral else (*stick, *slip, BlockMode("free"))
