"""The constants of a program as data beside its code, so that programs of one structure share object code.

Robots that differ in numbers only (another gravity, another mass) record programs with the same instructions.
Their LLVM text differs in the constants alone. Each constant is therefore read from a table, `@constants`,
which is filled when the code is loaded (`native_code.Library`): the object code depends on the structure.
"""

import re
import struct
from collections.abc import Sequence
from typing import NamedTuple

from rikigaku.compiler.llvm_text import Vector

TABLE = "constants"  # name of the table in the object code

_MARKER = re.compile(r"@c([0-9A-F]{16})\b")


class Skeleton(NamedTuple):
    """LLVM text without its constants: the text around each use of one, and the value at each use."""

    pieces: tuple[str, ...]
    uses: tuple[float, ...]

    @property
    def text(self) -> str:
        """The text without the values: equal for programs of the same structure."""
        return "@c".join(self.pieces)


def skeleton(text: str) -> Skeleton:
    """Take the constants out of a text in which `Vector.program_constant` has marked them."""
    pieces = _MARKER.split(text)
    uses = tuple(struct.unpack(">d", bytes.fromhex(bits))[0] for bits in pieces[1::2])
    return Skeleton(tuple(pieces[::2]), uses)


def assigned_places(uses: Sequence[float]) -> list[int]:
    """For each use of a constant its place in the table: constants of equal bits share one."""
    places: dict[bytes, int] = {}
    return [places.setdefault(_bits(x), len(places)) for x in uses]


def table(uses: Sequence[float], places: Sequence[int]) -> list[float] | None:
    """The constants by their places; None if two that share a place differ."""
    values: dict[int, float] = {}
    for place, x in zip(places, uses, strict=True):
        if _bits(values.setdefault(place, x)) != _bits(x):
            return None
    return [values[place] for place in range(len(values))]


def _bits(x: float) -> bytes:
    """The bits of a constant: NaN equals no float, and 0.0 equals -0.0."""
    return struct.pack(">d", x)


def with_table(skeleton: Skeleton, places: Sequence[int], t: Vector) -> str:
    """The text with the table, and each use reading its place there."""
    size = max(places, default=-1) + 1
    if not size:
        return skeleton.text
    # The table holds NaN until it is filled. It is not an LLVM `constant`, so LLVM does not fold its values.
    row = f"[{t.width} x {t.scalar}]"
    nan = f"{row} [{', '.join([f'{t.scalar} 0x7FF8000000000000'] * t.width)}]"
    kind = f"[{size} x {row}]"
    lines = [
        f"@{TABLE} = internal global {kind} [{', '.join([nan] * size)}], align {t.bytes}",
        f"define ptr @{TABLE}_address() {{ ret ptr @{TABLE} }}",
    ]
    parts = [skeleton.pieces[0]]
    for place, piece in zip(places, skeleton.pieces[1:], strict=True):
        parts += [f"getelementptr ({t.scalar}, ptr @{TABLE}, i64 {place * t.width})", piece]
    return "\n".join(["".join(parts), *lines])
