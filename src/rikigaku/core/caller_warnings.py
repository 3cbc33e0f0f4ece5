"""Warnings that name the line of the user's own code which led to them."""

import functools
import sys
import warnings
from pathlib import Path
from types import FrameType

_PACKAGE = str(Path(__file__).parents[1])
# `cached_property` and `lru_cache` of the package run between the caller and the package.
_SKIPPED = (_PACKAGE, functools.__file__)


def warn_caller(message: str, category: type[Warning]) -> None:
    """Issue a warning at the innermost line outside this package, whatever the depth of the call."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and _is_own(frame):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def _is_own(frame: FrameType) -> bool:
    """Whether code of the package runs in this frame; constructors of dataclasses have no file."""
    name = frame.f_code.co_filename
    generated = name == "<string>" and frame.f_globals.get("__name__", "").startswith("rikigaku.")
    return generated or name.startswith(_SKIPPED)
