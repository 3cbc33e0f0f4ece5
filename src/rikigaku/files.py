"""Files replaced in one step: after a failure the old one is still there, whole."""

import os
import tempfile
from pathlib import Path

from rikigaku.errors import NoPlace


def write_whole(path: Path, content: bytes) -> None:
    """The content in a file of that name, all of it or nothing.

    Raises:
        NoPlace: if there is no such directory, it may not be written, or the name is that of a directory.
    """
    try:
        _write(path, content)
    except NoPlace:
        raise
    except OSError as error:
        raise no_place(path, error) from error


def no_place(path: Path, error: OSError) -> NoPlace:
    """That the system does not take a file, in words."""
    return NoPlace(f"{path} cannot be written: {error.strerror or error}. Choose another place or name.")


def _write(path: Path, content: bytes) -> None:
    target = path.resolve()  # through a link to the file it names
    if not target.parent.is_dir():
        raise NoPlace(f"{path} cannot be written: there is no directory {target.parent}. Make it first.")
    if target.is_dir():
        raise NoPlace(f"{path} is a directory. Add the name of a file: {path / 'name'}.")
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _umask() -> int:
    """The process's mask for new files; reading it means setting it for a moment."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
