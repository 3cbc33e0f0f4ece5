"""Results kept on disk between processes: object code, and the answers of long algebra.

Files live in a directory only the user can write; a directory or file that belongs to someone else, or that
others may write, is never read. Writing is atomic, so concurrent processes at worst do the same work twice.
Each file carries a digest of its content. Set RIKIGAKU_CACHE to another directory, or to "off".
"""

import contextlib
import hashlib
import os
import stat
import tempfile
from functools import cache
from pathlib import Path

_WRITES_A_PRUNE = 64  # looking at every file takes long once there are thousands


def directory() -> Path | None:
    """Where the files are, made on first use; None when switched off or not to be trusted."""
    setting = os.environ.get("RIKIGAKU_CACHE", "")
    if setting.lower() in ("off", "0", "no"):
        return None
    try:
        path = Path(setting) if setting else _user_cache() / "rikigaku"
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return path if _is_ours(path) else None
    except (OSError, RuntimeError):  # RuntimeError: this user has no home directory
        return None


def read(name: str, magic: bytes) -> bytes | None:
    """The content written under that file name with that first line, or None."""
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
    head, body = content[: len(magic) + 32], content[len(magic) + 32 :]
    return body if head == magic + hashlib.sha256(body).digest() else None


def write(name: str, magic: bytes, body: bytes, largest_total: int) -> None:
    """Keep the content; a disk that refuses is no reason to fail.

    largest_total: bytes of all files with this ending; beyond, those used longest ago go, at one write in
    about 64, picked by the content so that short-lived processes do their share.
    """
    if (folder := directory()) is None:
        return
    try:
        handle, temporary = tempfile.mkstemp(dir=folder, suffix=".part")  # mode 0600
        try:
            digest = hashlib.sha256(body).digest()
            with os.fdopen(handle, "wb") as file:
                file.write(magic + digest + body)
            os.replace(temporary, folder / name)
        except BaseException:
            os.unlink(temporary)
            raise
        if digest[0] % _WRITES_A_PRUNE == 0:
            _prune(folder, Path(name).suffix, largest_total)
    except OSError:
        return


@cache
def source_fingerprint() -> str:
    """A digest of the package's own source: new source, new results."""
    package = Path(__file__).resolve().parent
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        digest.update(path.relative_to(package).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def _is_ours(path: Path) -> bool:
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        return False
    if not hasattr(os, "getuid"):  # Windows: the profile directory is private already
        return True
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _prune(folder: Path, suffix: str, largest_total: int) -> None:
    files = sorted((path.stat().st_mtime, path.stat().st_size, path) for path in folder.glob(f"*{suffix}"))
    total = sum(size for _, size, _ in files)
    for _, size, path in files:
        if total <= largest_total:
            return
        path.unlink(missing_ok=True)
        total -= size


def _user_cache() -> Path:
    if os.name == "nt":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
