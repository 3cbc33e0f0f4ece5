"""A cache on disk shared by processes: object code, and results of long algebraic computations.

Files are in a directory only the user can write; a directory or file that belongs to someone else, or that
others may write, is never read. Writing is atomic, so concurrent processes at worst do the same work twice.
Each file carries a digest of its content. Set RIKIGAKU_CACHE to another directory, or to "off", and
RIKIGAKU_CACHE_SIZE to its largest size in megabytes. What the cache does not hold is looked for in a sealed
folder (`sealed_folder`).
"""

import contextlib
import hashlib
import os
import stat
from pathlib import Path
from typing import NamedTuple

from rikigaku.core import sealed_folder
from rikigaku.core.files import remove_abandoned, write_private
from rikigaku.core.source_fingerprint import source_fingerprint as source_fingerprint
from rikigaku.core.source_fingerprint import source_is_unchanged

_LARGEST = 1000.0  # megabytes of all files together
_WRITES_A_PRUNE = 64  # one write in this many lists all files, which is slow for thousands of them


def directory() -> Path | None:
    """The directory of the files, made on first use; None if the cache is off or others may write there."""
    setting = os.environ.get("RIKIGAKU_CACHE", "")
    if setting.lower() in ("off", "0", "no"):
        return None
    try:
        path = Path(setting).expanduser() if setting else _user_cache() / "rikigaku"
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return path if _is_ours(path) else None
    except (OSError, RuntimeError):  # RuntimeError: this user has no home directory
        return None


def read(name: str, magic: bytes) -> bytes | None:
    """The content written under that file name with that first line, or None."""
    if (content := _own(name)) is None and (content := sealed_folder.read(name)) is None:
        return None
    head, body = content[: len(magic) + 32], content[len(magic) + 32 :]
    return body if head == magic + hashlib.sha256(body).digest() else None


def _own(name: str) -> bytes | None:
    """The file of that name in the user's directory."""
    if (folder := directory()) is None:
        return None
    path = folder / name
    try:
        if not _is_ours(path):
            return None
        content = path.read_bytes()
    except OSError:
        return None
    with contextlib.suppress(OSError):  # a disk that cannot be written can still be read
        os.utime(path)
    return content


def write(name: str, magic: bytes, body: bytes, largest_total: int) -> None:
    """Keep the content; errors of the disk are ignored. A process whose source has changed keeps nothing.

    largest_total: bytes of all files with this ending. Beyond it, and beyond the size of the whole cache, the
    files used longest ago are deleted, at one write in about 64, and so are temporary files of killed
    processes; the content decides at which, so that short processes take part.
    """
    if (folder := directory()) is None or not source_is_unchanged():
        return
    try:
        digest = hashlib.sha256(body).digest()
        write_private(folder / name, magic + digest + body)
        if digest[0] % _WRITES_A_PRUNE == 0:
            _prune(folder, Path(name).suffix, largest_total)
            _prune(folder, "", size_limit())
            remove_abandoned(folder)
    except OSError:
        return


def _is_ours(path: Path) -> bool:
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        return False
    if not hasattr(os, "getuid"):  # Windows: the profile directory is private already
        return True
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


class CachedFile(NamedTuple):
    """A file of the cache: when it was last used [s since 1970], and its size in bytes."""

    used: float
    size: int
    path: Path


def size_limit() -> int:
    """Bytes that all files together may have: RIKIGAKU_CACHE_SIZE in megabytes, or 1000 MB."""
    try:
        megabytes = float(os.environ.get("RIKIGAKU_CACHE_SIZE") or _LARGEST)
    except ValueError:
        megabytes = _LARGEST
    return int(1e6 * megabytes) if 0 <= megabytes < 1e9 else int(1e6 * _LARGEST)


def cached_files(folder: Path, suffix: str = "") -> list[CachedFile]:
    """Files of the cache with that ending (all, if none is given), those used longest ago first."""
    found = []
    for path in folder.glob(f"[!.]*{suffix}"):
        with contextlib.suppress(OSError):  # another process has deleted it
            status = path.lstat()
            if stat.S_ISREG(status.st_mode):
                found.append(CachedFile(status.st_mtime, status.st_size, path))
    return sorted(found)


def clear(folder: Path) -> int:
    """Delete all files of the cache; the number of them."""
    files = cached_files(folder)
    _prune(folder, "", -1)
    return len(files)


def _prune(folder: Path, suffix: str, largest_total: int) -> None:
    files = cached_files(folder, suffix)
    total = sum(file.size for file in files)
    for file in files:
        if total <= largest_total:
            return
        file.path.unlink(missing_ok=True)
        total -= file.size


def _user_cache() -> Path:
    if os.name == "nt":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
