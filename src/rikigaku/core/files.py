"""Files written whole or not at all: a temporary file in the same directory, flushed, then renamed.

After a failure, or when the process is killed, the old file is unchanged. The temporary files that killed
processes leave behind (`.rikigaku-PID-*.tmp`) are removed by a save in that directory a minute or more later.
"""

import contextlib
import os
import re
import stat
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from rikigaku.core.errors import NoPlace

_TEMPORARY = re.compile(r"\.rikigaku-(\d{1,10})-[0-9a-f]{16}\.tmp")
_ABANDONED = 3600.0  # [s]: no save takes that long
# [s]: a process of another machine or container that shares the directory seems not to exist here; its
# temporary files are spared for this long.
_SPARED = 60.0

_KINDS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def kind_of_file(mode: int) -> str:
    """The kind of a file that is not regular, by its mode."""
    return _KINDS.get(stat.S_IFMT(mode), "no regular file")


def write_whole(path: Path, content: bytes) -> None:
    """Write the content to a file of that name atomically.

    A link is followed to the file it names. A file that is replaced keeps its permissions; those of a new one
    follow the umask.

    Raises:
        NoPlace: if there is no such directory, it may not be written, the file is read-only, or the name is
            that of something else than a regular file.
    """
    write_together({path: content})


def write_together(contents: Mapping[Path, bytes]) -> None:
    """Write several files as `write_whole` does; all are complete on disk before the first is renamed.

    The first file is renamed last. A process killed between two renames leaves it old and others new: files
    that must match carry a record of each other, which their reader compares.

    Raises:
        NoPlace: as `write_whole`; no file is changed unless a rename itself fails.
    """
    ready: list[tuple[Path, Path, Path]] = []
    try:
        for path, content in contents.items():
            with _named_errors(path):
                target, mode = _target(path)
                ready.append((path, _temporary(target.parent), target))
                _fill(ready[-1][1], content, mode)
        for path, temporary, target in reversed(ready):
            with _named_errors(path):
                os.replace(temporary, target)
    finally:
        for _, temporary, _ in ready:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
    for folder in {target.parent for _, _, target in ready}:
        _flush_directory(folder)
        remove_abandoned(folder)


def write_private(path: Path, content: bytes) -> None:
    """Replace a file by one that only the user can read (mode 0600): for the cache.

    Not flushed: the cache verifies a digest. Old temporary files are removed at one write in 64, because
    listing the cache is slow.

    Raises:
        OSError: of the system.
    """
    temporary = _temporary(path.parent)
    try:
        with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(content)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def remove_abandoned(folder: Path) -> None:
    """Remove the temporary files of processes that no longer exist; those of any process after an hour."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if (name := _TEMPORARY.fullmatch(entry.name)) is None:
                continue
            with contextlib.suppress(OSError):
                age = time.time() - entry.stat(follow_symlinks=False).st_mtime
                if age > _ABANDONED or (age > _SPARED and not _runs(int(name[1]))):
                    os.unlink(entry.path)


def no_place(path: Path, error: OSError) -> NoPlace:
    """The error for a file that the system does not let us write."""
    return NoPlace(f"{path} cannot be written: {error.strerror or error}. Choose another place or name.")


@contextlib.contextmanager
def _named_errors(path: Path) -> Iterator[None]:
    """Errors of the system as errors that name the path."""
    try:
        yield
    except NoPlace:
        raise
    except OSError as error:
        raise no_place(path, error) from error


def _target(path: Path) -> tuple[Path, int | None]:
    """The regular file that a path names, through links, and its permissions (None: it is new)."""
    try:
        target = path.resolve()
    except (RuntimeError, ValueError) as error:  # a ring of links; a character no name can have
        raise NoPlace(f"{str(path)!r} cannot be written: {error}. Choose another name.") from error
    try:
        status = target.stat()
    except FileNotFoundError:
        if target.parent.is_dir():
            return target, None
        advice = "Make it first."
        raise NoPlace(f"{path} cannot be written: there is no directory {target.parent}. {advice}") from None
    mode = status.st_mode
    if stat.S_ISDIR(mode):
        raise NoPlace(f"{path} is a directory. Add the name of a file: {path / 'name'}.")
    if not stat.S_ISREG(mode):
        raise NoPlace(f"{path} is {kind_of_file(mode)}, which a file would replace. Choose another name.")
    if not mode & 0o222 or not os.access(target, os.W_OK):
        raise NoPlace(f"{path} is read-only. Make it writable (chmod u+w), or choose another name.")
    return target, stat.S_IMODE(mode)


def _temporary(folder: Path) -> Path:
    return folder / f".rikigaku-{os.getpid()}-{os.urandom(8).hex()}.tmp"


def _fill(temporary: Path, content: bytes, mode: int | None) -> None:
    """Create the file with that content, on disk; the kernel applies the umask where no mode is given."""
    created = 0o666 if mode is None else mode & 0o700  # never readable by more than the file it replaces
    with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, created)) as file:
        if mode is not None:
            os.chmod(temporary, mode)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _flush_directory(folder: Path) -> None:
    """Make renames last through a power failure; some systems cannot, and the files are whole without."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _runs(process: int) -> bool:
    """Whether a process of that number exists; unknown, so True, where asking would send it a signal."""
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # it belongs to someone else
        return True
    return True
