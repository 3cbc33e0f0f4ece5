"""Compiles a peer's loop into a shared library, once for each text and set of flags."""

import hashlib
import subprocess
from collections.abc import Sequence
from pathlib import Path

from benchmarks.errors import CompilationFailed

FOLDER = Path(__file__).resolve().parent.parent / "build"


def library_path(stem: str, source: str, command: Sequence[str]) -> Path:
    """Where the library of this source and command is kept."""
    key = hashlib.sha256("\0".join([source, *command]).encode()).hexdigest()[:16]
    return FOLDER / f"{stem}-{key}.so"


def shared_library(
    stem: str, source: str, suffix: str, command: Sequence[str], libraries: Sequence[str] = ()
) -> Path:
    """The shared library compiled from a source text.

    Args:
        stem: a name for the file.
        suffix: ".c" or ".cpp".
        command: compiler and flags.
        libraries: what follows the source on the command line (-l..., -L...).
    Raises:
        CompilationFailed: with the compiler's own first words.
    """
    target = library_path(stem, source, [*command, *libraries])
    if target.exists():
        return target
    FOLDER.mkdir(exist_ok=True)
    text = target.with_suffix(suffix)
    text.write_text(source)
    partial = target.with_suffix(".partial")
    full = [*command, "-shared", "-fPIC", str(text), "-o", str(partial), *libraries]
    try:
        done = subprocess.run(full, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise CompilationFailed(
            f"There is no '{command[0]}' on this machine to compile {stem}. Install it."
        ) from None
    if done.returncode:
        first = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr[:300])
        raise CompilationFailed(f"{command[0]} refused {stem}: {first}")
    partial.rename(target)
    return target
