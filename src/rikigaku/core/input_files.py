"""Reading of files that others wrote: regular files only, up to a limit of bytes."""

import os
import stat
from pathlib import Path
from typing import BinaryIO

from rikigaku.core.errors import NoFile, TooLarge
from rikigaku.core.files import kind_of_file
from rikigaku.core.input_limits import FILE_BYTES


def open_input(path: Path) -> BinaryIO:
    """A regular file, opened for reading.

    Raises:
        NoFile: if there is none, it may not be read, or it is a directory, a device, a FIFO or a socket.
    """
    try:
        # A FIFO without a writer would make open() wait; what was opened is checked, not what the name was.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    except (OSError, ValueError) as error:  # ValueError: a name that no file system has (NUL, surrogates)
        reason = error.strerror if isinstance(error, OSError) else "no file can have this name"
        raise NoFile(f"{str(path)!r} cannot be read: {reason or error}. Give the path of a file.") from error
    mode = os.fstat(handle).st_mode
    if not stat.S_ISREG(mode):
        os.close(handle)
        raise NoFile(f"{str(path)!r} is {kind_of_file(mode)}. Give the path of a regular file.")
    return os.fdopen(handle, "rb")


def read_input(path: Path, limit: int = FILE_BYTES) -> bytes:
    """The content of a regular file.

    Raises:
        NoFile: as `open_input`.
        TooLarge: beyond the limit of bytes.
    """
    with open_input(path) as file:
        try:
            content = file.read(limit + 1)
        except OSError as error:
            raise NoFile(f"{str(path)!r} cannot be read: {error.strerror or error}.") from error
    if len(content) > limit:
        raise TooLarge(
            f"{path.name!r} is larger than {limit // 10**6} MB, the limit of a file. "
            "Keep meshes and what is not read in files of their own."
        )
    return content
