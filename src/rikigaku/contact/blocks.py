"""Contacts and joints as blocks of rows, what each may do, and answers that fit."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


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
    lifted: its normal force has just fallen to zero.
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
    lifted: bool = False


@dataclass(frozen=True, eq=False)
class Answer:
    """Choices that fit, forces and responses along all rows, rows kept (independent) and the doubtful blocks.

    directions: of sliding, by block. more: rows that hold as well, following from those kept; forces are then
    not decided by the motion, and the least that fit are given. idle: blocks that slide and carry nothing.
    painleve: blocks whose friction turns the sign of the response to the normal force (A <= 0).
    """

    choices: tuple[Choice, ...]
    F: Array
    w: Array
    kept: tuple[int, ...]
    directions: dict[int, Array] = field(default_factory=dict)
    more: tuple[int, ...] = ()
    idle: tuple[int, ...] = ()
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
