"""Fingerprint of the package's source: what one version stored on disk, another does not read.

The files are listed, with their times and sizes, before the modules of the package are imported; their
content is read when a cache is first used. A file that changed since may have been imported as it was or as
it is. The process then has a fingerprint of its own, and stores nothing.
"""

import hashlib
import os
from functools import cache
from pathlib import Path
from typing import NamedTuple


class _State(NamedTuple):
    """What changes when a file is written or replaced, also by a file of the same size and time."""

    size: int
    modified: int  # [ns]
    changed: int  # [ns]
    inode: int


def _listed() -> dict[str, _State]:
    """The state of every source file of the package, by its path within it."""
    found: dict[str, _State] = {}
    folders = [""]
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(os.path.join(_PACKAGE, folder)) as entries:
                for entry in entries:
                    path = f"{folder}{entry.name}"
                    if entry.name.endswith(".py"):
                        status = entry.stat()
                        found[path] = _State(
                            status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino
                        )
                    elif "." not in entry.name and entry.name != "__pycache__" and entry.is_dir():
                        folders.append(f"{path}/")
        except OSError:  # in an archive, or removed
            continue
    return found


_PACKAGE = str(Path(__file__).resolve().parent.parent)
_AT_IMPORT = _listed()


def source_is_unchanged() -> bool:
    """Whether the source files are those that the modules of this process were imported from."""
    return bool(_AT_IMPORT) and _listed() == _AT_IMPORT


@cache
def source_fingerprint() -> str:
    """A digest of the source this process runs; one that no other process has where that is not known."""
    digest = hashlib.sha256()
    try:
        for path in sorted(_AT_IMPORT):
            digest.update(path.encode() + Path(_PACKAGE, path).read_bytes())
    except OSError:  # a file is gone
        digest.update(os.urandom(32))
    if not source_is_unchanged():  # tested after reading: the content read is that of the import
        digest.update(os.urandom(32))
    return digest.hexdigest()
