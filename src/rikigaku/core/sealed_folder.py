"""Kernels made ahead: a folder that other users and containers read, verified by content.

A program that runs with RIKIGAKU_CACHE=FOLDER leaves its compiled code there; `seal` adds a manifest with the
digest of every file. RIKIGAKU_KERNELS=FOLDER makes other processes read that code. Whoever can write it runs
code as their user: the folder and its files must belong to this user or to root, and nobody else may write
them. With RIKIGAKU_KERNELS=FOLDER@sha256:DIGEST the manifest must have that digest, and may belong to anyone.
"""

import hashlib
import json
import os
import stat
from functools import cache
from pathlib import Path

from rikigaku.core.caller_warnings import warn_caller
from rikigaku.core.errors import IgnoredWarning, NoPlace, WrongValue
from rikigaku.core.files import write_whole

MANIFEST = "kernels.json"
_SETTING = "RIKIGAKU_KERNELS"


def seal(folder: Path) -> str:
    """Write the manifest of a folder of kernels; its digest in hexadecimal.

    Raises:
        WrongValue: if the folder holds no kernels.
        NoPlace: if it cannot be read or written.
    """
    try:
        paths = [path for path in sorted(folder.iterdir()) if path.suffix and path.name[0] != "."]
        files = {path.name: _digest(path.read_bytes()) for path in paths if path.name != MANIFEST}
    except OSError as error:
        raise NoPlace(f"{folder} cannot be sealed: {error.strerror}.") from error
    if not files:
        raise WrongValue(
            f"{folder} holds no kernels. Run a program that calls the laws you need with "
            f"RIKIGAKU_CACHE={folder}."
        )
    content = json.dumps({"format": 1, "files": files}, indent=1).encode() + b"\n"
    write_whole(folder / MANIFEST, content)
    return _digest(content)


def read(name: str) -> bytes | None:
    """The content of that file of the sealed folder, if the settings name one and its digest is right."""
    if not (setting := os.environ.get(_SETTING, "")):
        return None
    folder, files, pinned = _manifest(setting)
    if name not in files:
        return None
    try:
        path = folder / name
        content = path.read_bytes() if pinned or _is_trusted(path) else b""
    except OSError:
        return None
    return content if _digest(content) == files[name] else None


@cache
def _manifest(setting: str) -> tuple[Path, dict[str, str], bool]:
    """The folder, the digests of its files, and whether the setting pins them; no files if it is refused."""
    text, _, digest = setting.partition("@sha256:")
    folder = Path(text)
    try:
        content = (folder / MANIFEST).read_bytes()
        if digest and _digest(content) != digest.lower():
            return _refused(folder, f"{MANIFEST} has the digest {_digest(content)}, not {digest}")
        if not digest and not (_is_trusted(folder) and _is_trusted(folder / MANIFEST)):
            return _refused(folder, "others may write there; add @sha256:DIGEST to the setting")
        files = json.loads(content)["files"]
        if not all(isinstance(x, str) and Path(name).name == name for name, x in files.items()):
            return _refused(folder, f"{MANIFEST} is damaged")
        return folder, files, bool(digest)
    except OSError as error:
        return _refused(folder, f"{MANIFEST} cannot be read ({error.strerror})")
    except (ValueError, KeyError, TypeError, AttributeError):
        return _refused(folder, f"{MANIFEST} is damaged")


def _refused(folder: Path, why: str) -> tuple[Path, dict[str, str], bool]:
    message = f"Kernels in {folder} ({_SETTING}) are not used: {why}. Laws are compiled instead."
    warn_caller(message, IgnoredWarning)
    return folder, {}, False


def _is_trusted(path: Path) -> bool:
    """Whether only this user or root can have written it."""
    status = path.lstat()
    if not hasattr(os, "getuid"):  # Windows: no owner to compare; pin the digest there
        return True
    others = stat.S_IWGRP | stat.S_IWOTH
    return status.st_uid in (0, os.getuid()) and not status.st_mode & others and not path.is_symlink()


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
