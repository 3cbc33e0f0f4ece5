"""Object code kept on disk between processes, by the rules of safety of `rikigaku.disk`."""

import json
from typing import NamedTuple

from rikigaku import disk
from rikigaku.disk import directory as directory
from rikigaku.disk import source_fingerprint as source_fingerprint

_MAGIC = b"rikigaku object 1\n"
_LARGEST_TOTAL = 500_000_000  # bytes; beyond, the files used longest ago go


class Entry(NamedTuple):
    """What is kept: a small description and the code."""

    description: dict[str, object]
    code: bytes


def read(key: str) -> Entry | None:
    """The entry of that key, or None."""
    if (body := disk.read(f"{key}.rko", _MAGIC)) is None:
        return None
    size = int.from_bytes(body[:4], "little")
    return Entry(json.loads(body[4 : 4 + size]), body[4 + size :])


def write(key: str, entry: Entry) -> None:
    """Keep an entry; a disk that refuses is no reason to fail."""
    description = json.dumps(entry.description).encode()
    body = len(description).to_bytes(4, "little") + description + entry.code
    disk.write(f"{key}.rko", _MAGIC, body, _LARGEST_TOTAL)
