"""Disk cache of compiled programs and of object code (see `rikigaku.core.disk_cache`).

The entry of a program (.rko) holds its ports, its constants and the key of its object code. The key of object
code (.rkc) is a hash of its LLVM text without constants, so that programs of one structure share it.
"""

import json
from typing import NamedTuple

from rikigaku.core import disk_cache
from rikigaku.core.disk_cache import directory as directory
from rikigaku.core.disk_cache import source_fingerprint as source_fingerprint

_MAGIC = b"rikigaku object 2\n"
_LARGEST_TOTAL = 500_000_000  # bytes of each kind; beyond, the files used longest ago are deleted

_LARGEST_IN_MEMORY = 100_000_000  # bytes of object code; beyond, the oldest is forgotten

_in_memory: dict[str, "Entry"] = {}  # object code where no file can be written


class Entry(NamedTuple):
    """An entry of the cache: a small description and the code."""

    description: dict[str, object]
    code: bytes


def read(key: str) -> Entry | None:
    """The program of that key, or None."""
    return _read(f"{key}.rko")


def write(key: str, entry: Entry) -> None:
    """Keep a program; a disk that refuses is no reason to fail."""
    _write(f"{key}.rko", entry)


def read_code(key: str) -> Entry | None:
    """The object code of that key, or None."""
    return _in_memory.get(key) or _read(f"{key}.rkc")


def write_code(key: str, entry: Entry) -> None:
    """Store object code; only in memory if there is no cache directory."""
    if directory() is None:
        _in_memory[key] = entry
        while sum(len(known.code) for known in _in_memory.values()) > _LARGEST_IN_MEMORY:
            del _in_memory[next(iter(_in_memory))]
    _write(f"{key}.rkc", entry)


def _read(name: str) -> Entry | None:
    if (body := disk_cache.read(name, _MAGIC)) is None:
        return None
    size = int.from_bytes(body[:4], "little")
    return Entry(json.loads(body[4 : 4 + size]), body[4 + size :])


def _write(name: str, entry: Entry) -> None:
    description = json.dumps(entry.description).encode()
    body = len(description).to_bytes(4, "little") + description + entry.code
    disk_cache.write(name, _MAGIC, body, _LARGEST_TOTAL)
