"""Arrays from .npz files that are not trusted: real numbers, whole numbers and text, within a limit of size.

NumPy's reader allocates what a header claims and unpacks whatever the archive holds. Here the claims are
compared with each other and with the limit before anything is unpacked; nothing is unpickled or evaluated.
"""

import math
import re
import struct
import zipfile
import zlib
from pathlib import Path
from typing import IO, Any

import numpy as np

from rikigaku.core.errors import NoFile, TooLarge
from rikigaku.core.input_files import open_input
from rikigaku.core.input_limits import SOLUTION_ARRAYS, SOLUTION_DIRECTORY_BYTES, SOLUTION_TEXT

_LARGE = 1 << 31  # bytes: larger archives have a second end record
_MAGIC = b"\x93NUMPY\x01\x00"
_HEADER = re.compile(
    r"\{'descr': '([<>])(f8|i8|U\d{1,9})', 'fortran_order': (True|False), 'shape': \(([\d, ]{0,200})\), \}\s*"
)
_TYPES = {"f8": np.float64, "i8": np.int64}


class BadArchive(ValueError):
    """What is wrong with an archive, for the message of the reader that knows what it should hold."""


def read_npz(path: Path, largest: int) -> tuple[dict[str, Any], dict[str, str]]:
    """The arrays (float64, int64) of an .npz file, and its texts, by name.

    largest: bytes, of all members together when unpacked.

    Raises:
        BadArchive: for a file that `numpy.savez` does not write from such arrays, or a damaged one.
        TooLarge: beyond the limit.
    """
    arrays: dict[str, Any] = {}
    texts: dict[str, str] = {}
    try:
        with open_input(path) as file:
            _check_end(file)
            with zipfile.ZipFile(file) as archive:
                for name, member in _members(archive, path, largest).items():
                    with archive.open(member) as stream:
                        assert isinstance(stream, zipfile.ZipExtFile)
                        found = _content(stream, name, member.file_size)
                    if isinstance(found, str):
                        texts[name] = found
                    else:
                        arrays[name] = found
    except (BadArchive, NoFile, TooLarge):
        raise
    except (
        OSError, ValueError, KeyError, EOFError, RuntimeError, OverflowError, struct.error, zlib.error,
        zipfile.BadZipFile,
    ) as error:  # fmt: skip
        raise BadArchive("it cannot be read whole") from error
    return arrays, texts


def _check_end(file: IO[bytes]) -> None:
    """Refuse a list of members so long that reading the list itself exhausts memory."""
    size = file.seek(0, 2)
    file.seek(max(size - 42, 0))
    tail = file.read(42)
    end = tail[-22:]
    if not end.startswith(b"PK\5\6"):
        raise BadArchive("it cannot be read whole")
    directory = int.from_bytes(end[12:16], "little")
    if directory > SOLUTION_DIRECTORY_BYTES or (tail.startswith(b"PK\6\7") and size < _LARGE):
        raise BadArchive("its list of members is too long")


def _members(archive: zipfile.ZipFile, path: Path, largest: int) -> dict[str, zipfile.ZipInfo]:
    """The members by the names of their arrays."""
    found: dict[str, zipfile.ZipInfo] = {}
    for member in archive.infolist():
        name = member.filename.removesuffix(".npy")
        if name == member.filename or name in found or len(found) >= SOLUTION_ARRAYS:
            raise BadArchive(f"it has a member {member.filename[:80]!r} that is none of its arrays")
        if member.flag_bits & 1:
            raise BadArchive(f"its member {name[:80]!r} is encrypted")
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise BadArchive(f"its member {name[:80]!r} is packed by a method that is not read")
        found[name] = member
    if (total := sum(member.file_size for member in found.values())) > largest:
        raise TooLarge(
            f"{str(path)!r} unpacks to {total:,} bytes; at most {largest:,} are read. If you trust the file, "
            f"raise the limit: largest={total}."
        )
    return found


def _content(stream: zipfile.ZipExtFile, name: str, size: int) -> Any:
    """The array or the text of a member of that size."""
    shown = name[:80]
    head = stream.read(len(_MAGIC) + 2)
    length = int.from_bytes(head[-2:], "little")
    header = _HEADER.fullmatch(stream.read(length).decode("latin1")) if head.startswith(_MAGIC) else None
    if header is None:
        raise BadArchive(f"{shown!r} is no array of real or whole numbers, nor text")
    order, kind, by_columns, sizes = header.groups()
    shape = tuple(int(x) for x in sizes.split(",") if x.strip())
    item = 4 * int(kind[1:]) if kind.startswith("U") else 8
    if len(head) + length + item * math.prod(shape) != size:
        raise BadArchive(f"{shown!r} claims shape {_short(shape)}, which is not what it holds")
    if kind.startswith("U"):
        if shape:
            raise BadArchive(f"{shown!r} is an array of texts")
        if item > 4 * SOLUTION_TEXT:
            raise BadArchive(f"{shown!r} is too long")
        return stream.read().decode("utf-32-le" if order == "<" else "utf-32-be").rstrip("\0")
    flat = np.empty(math.prod(shape), dtype=f"{order}{kind}")  # filled in place: one copy in memory
    memory, filled = flat.view(np.uint8).data, 0
    while filled < len(memory):
        if not (count := stream.readinto(memory[filled:])):
            raise BadArchive(f"{shown!r} ends too early")
        filled += count
    flat = flat.astype(_TYPES[kind], copy=False)
    return flat.reshape(shape, order="F" if by_columns == "True" else "C")


def _short(shape: tuple[int, ...]) -> str:
    return str(shape) if len(str(shape)) < 80 else f"{str(shape)[:77]}..."
