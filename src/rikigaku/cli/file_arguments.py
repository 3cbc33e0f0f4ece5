"""Validation of file names on the command line: regular files only."""

import os
import stat
from pathlib import Path

from rikigaku.core.errors import NoPlace, WrongValue
from rikigaku.core.files import kind_of_file


def input_name(text: str) -> str:
    """The name of a file to read.

    Raises:
        WrongValue: if the name cannot be that of a file, or is that of a FIFO, device or directory.
    """
    if kind := _not_a_file(text):
        raise WrongValue(
            f"{_shown(text)} is {kind}, not a file. Give a path, or the name of a shipped robot."
        )
    return text


def output_path(text: str) -> Path:
    """The path of a file to write.

    Raises:
        NoPlace: if the name cannot be that of a file, is that of a FIFO, device or directory, or if its
            directory does not exist.
    """
    if kind := _not_a_file(text):
        raise NoPlace(f"{_shown(text)} is {kind}, not a file. Choose another place or name.")
    path = Path(text)
    if not path.parent.is_dir():  # known before the work is done
        raise NoPlace(f"{path} cannot be written: there is no directory {path.parent}. Make it first.")
    return path


def _not_a_file(text: str) -> str:
    """What is there instead of a regular file: "a directory"; "" for a file, or nothing yet."""
    if not text.strip():
        return "an empty name"
    try:
        mode = os.stat(text).st_mode
    except FileNotFoundError:
        return ""
    except ValueError:
        return "a name with a NUL character"
    except OSError as error:
        return f"a name that cannot be used ({error.strerror})"
    return "" if stat.S_ISREG(mode) else kind_of_file(mode)


def _shown(text: str) -> str:
    return repr(text if len(text) <= 120 else f"{text[:60]}...{text[-40:]}")
