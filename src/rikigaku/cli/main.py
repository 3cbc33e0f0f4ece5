"""The command line. Errors are one sentence on stderr, never a traceback.

Exit codes: 0 success, 1 problems found by `check`, 2 an error, 130 interrupted (Ctrl-C), 141 the reader of
the output has gone (`rikigaku list | head`).
"""

import argparse
import errno
import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, TextIO

import rikigaku
from rikigaku.cli import analyze, cache, check, convert, plot_robot, show, studio
from rikigaku.core.errors import RikigakuError
from rikigaku.core.interruption import INTERRUPTED

FAILED, READER_GONE = 2, 141  # exit codes
_OUTPUT_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
COMMANDS = (analyze, show, plot_robot, check, convert, cache, studio)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    _prepare_streams()
    try:
        try:
            options = _parser().parse_args(arguments)
            code: int = options.run(options)
        finally:  # also after --help: a stream that is full or closed shows itself here, not at the end
            _finish_output()
        return code
    except RikigakuError as error:
        return _failed(str(error))
    except BrokenPipeError:  # the reader has seen enough
        _discard(sys.stdout)
        return READER_GONE
    except KeyboardInterrupt:
        _say("\nrikigaku: interrupted.")
        return INTERRUPTED
    except OSError as error:
        return _failed(_of_system(error))
    except MemoryError:
        return _failed("There is not enough memory for this robot.")
    except Exception as error:
        if os.environ.get("RIKIGAKU_TRACEBACK"):
            raise
        return _failed(
            f"Unexpected {type(error).__name__}: {error}. This is a fault of rikigaku; please report it with "
            "the file. RIKIGAKU_TRACEBACK=1 shows where it arose."
        )


class _Parser(argparse.ArgumentParser):
    """A parser whose help is not lost silently where the output cannot be written."""

    def _print_message(self, message: str, file: Any = None) -> None:
        (file or sys.stderr).write(message)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="rikigaku",
        description="Robot mechanics: one description of a robot, exact formulas, native speed.",
        epilog="ROBOT is a shipped robot (rikigaku list) or a .robot.toml, .urdf, .xml (MJCF), .sdf or .par "
        "file. Exit codes: 0 success, 1 problems found by check, 2 an error, 130 interrupted, 141 the reader "
        "of the output has gone.",
    )
    parser.add_argument("--version", action="version", version=f"rikigaku {rikigaku.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for module in COMMANDS:
        module.add_to(commands)
    return parser


class _Closed(io.StringIO):
    """Stands for an output that was closed before the command began."""


def _prepare_streams() -> None:
    """Let every stream take every character, and give the numbers of closed streams to no other file."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, _Closed())
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace" if name == "stdout" else "backslashreplace")


def _finish_output() -> None:
    sys.stdout.flush()
    if isinstance(sys.stdout, _Closed) and sys.stdout.getvalue():
        sys.stdout.truncate(0)
        raise RikigakuError("The standard output is closed: what was printed is lost.")


def _of_system(error: OSError) -> str:
    why = error.strerror or str(error)
    if error.filename is None:
        if error.errno not in _OUTPUT_ERRORS:
            return f"The system refuses: {why}."
        _discard(sys.stdout)
        return f"The output could not be written: {why}."
    return f"{os.fsdecode(error.filename)!r} cannot be used: {why}."


def _failed(message: str) -> int:
    _say(f"rikigaku: {message}")
    return FAILED


def _say(line: str) -> None:
    try:
        print(line, file=sys.stderr, flush=True)
    except (OSError, ValueError):  # stderr cannot be written
        _discard(sys.stderr)


def _discard(stream: TextIO) -> None:
    """Send what a stream still holds to nowhere: the interpreter would fail to write it at its end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
