"""The constants of a program as data beside its code, so that programs of one structure share object code.

Robots that differ in numbers only (another gravity, another mass) record programs with the same instructions.
Their LLVM text differs in the constants alone. Each constant is therefore read from a table, `@constants`,
which is filled when the code is loaded (`native_code.Library`): the object code depends on the structure.
Before the table lie the constants of all programs (coefficients of sine and cosine).

A function loads the address of the table once, from a global variable, which stays a load because no pass
over the whole module runs (`GlobalOpt` would fold it). Its constants are then memory operands with one base
register. Addresses as constants of the code would each be an instruction of ten bytes, because the code may
lie anywhere (`native_code`).
"""

import re
import struct
from collections.abc import Sequence
from typing import NamedTuple

from rikigaku.compiler.llvm_text import Vector

TABLE = "constants"  # name of the table in the object code

# A line at the begin of each function that reads constants.
CONSTANTS = f"  %constants = load ptr, ptr @{TABLE}_base"

_MARKER = re.compile(r"@c([0-9A-F]{16})\b")
_FIXED = re.compile(r"@k([0-9A-F]{16})\b")


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
    parts = [skeleton.pieces[0]]
    for place, piece in zip(places, skeleton.pieces[1:], strict=True):
        parts += [str(place * t.width), piece]
    text = "".join(parts)
    fixed = sorted(set(_FIXED.findall(text)))
    before = {bits: -(k + 1) * t.width for k, bits in enumerate(reversed(fixed))}
    text = _FIXED.sub(lambda use: str(before[use[1]]), text)
    # The table holds NaN until it is filled. It is not an LLVM `constant`, so LLVM does not fold its values.
    numbers = [*fixed, *["7FF8000000000000"] * (max(places, default=-1) + 1)]
    if not numbers:
        return f"{text}\n@{TABLE}_base = internal global ptr null"
    row = f"[{t.width} x {t.scalar}]"
    rows = ", ".join(f"{row} [{', '.join([f'{t.scalar} 0x{bits}'] * t.width)}]" for bits in numbers)
    first = f"getelementptr ({t.scalar}, ptr @{TABLE}, i64 {len(fixed) * t.width})"
    lines = [
        f"@{TABLE} = internal global [{len(numbers)} x {row}] [{rows}], align {max(t.bytes, 8)}",
        f"@{TABLE}_base = internal global ptr {first}",
        f"define ptr @{TABLE}_address() {{ ret ptr {first} }}",
    ]
    return "\n".join([text, *lines])
