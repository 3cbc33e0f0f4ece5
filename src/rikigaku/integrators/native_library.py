"""Native code for all robots, compiled once on a machine and kept in the cache."""

import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from rikigaku.compiler import object_cache
from rikigaku.compiler.compile_progress import compile_progress

if TYPE_CHECKING:
    from rikigaku.compiler.native_code import Library


_loaded: "dict[str, Library]" = {}  # by their keys in the cache; never released


def native_library(name: str, text: Callable[[], str]) -> "Library":
    """The code of an LLVM text, compiled or read from the cache under that name; loaded once."""
    from rikigaku.compiler import native_code

    parts = (name, object_cache.source_fingerprint(), native_code.host().fingerprint)
    key = hashlib.sha256("\n".join(parts).encode()).hexdigest()
    if key in _loaded:
        return _loaded[key]
    if (entry := object_cache.read_code(key)) is None:
        written = text()
        with compile_progress(name, written.count("\n"), "function"):
            entry = object_cache.Entry({}, native_code.object_code(written, optimise=True))
        object_cache.write_code(key, entry)
    code = entry.code
    return native_code.loaded_once(_loaded, key, lambda: native_code.Library(code))
