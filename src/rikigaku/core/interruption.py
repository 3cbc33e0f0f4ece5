"""Ctrl-C while the command `rikigaku` is still importing: one line and exit code 130, as later."""

import os
import sys
from contextlib import suppress
from pathlib import PurePath
from types import TracebackType

INTERRUPTED = 130  # as shells report a program that SIGINT ended


def _is_command() -> bool:
    """Whether this process is `rikigaku ...`, as a script without an ending, or `python -m rikigaku`."""
    program = PurePath(sys.argv[0] if sys.argv else "").name
    # While Python looks for the module of its own option -m, sys.argv[0] is "-m".
    as_module = program == "-m" and "rikigaku" in sys.orig_argv
    return program in ("rikigaku", "rikigaku.exe") or as_module


def _report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if not issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
        return
    with suppress(OSError, ValueError, AttributeError):  # the stream may be closed, or none
        print("\nrikigaku: interrupted.", file=sys.stderr, flush=True)
    os._exit(INTERRUPTED)


if _is_command():  # and not a user's own program
    sys.excepthook = _report
