"""The line of a TOML file on which a key stands; asked only when there is a mistake to report."""

import re

_HEADER = re.compile(r"\s*\[\[?([A-Za-z0-9_.\" -]+)\]\]?")


def line_of(text: str, path: tuple[str | int, ...]) -> int:
    """The line (from 1) of the innermost part of the path that can be found; 0 if none can.

    The path names arrays of tables by key and index: ("link", 2, "dh", "alpha").
    """
    best, depth = 0, 0
    table: tuple[str | int, ...] = ()
    counts: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            name = header[1].strip()
            if line.lstrip().startswith("[["):
                counts[name] = counts.get(name, -1) + 1
                table = (name, counts[name])
            else:
                first, *rest = name.split(".")
                table = (first, counts[first], *rest) if first in counts else (first, *rest)
            found = len(table) if path[: len(table)] == table else 0
        else:
            found = _key_depth(line, table, path)
        if found > depth:
            best, depth = number, found
    return best


def _key_depth(line: str, table: tuple[str | int, ...], path: tuple[str | int, ...]) -> int:
    """How much of the path a `key = ...` line in this table holds; 0 if it is not on the way."""
    n = len(table)
    if path[:n] != table or len(path) <= n:
        return 0
    for depth in range(len(path), n, -1):  # dotted keys too: dh.alpha = ...
        keys = [str(part).partition("[")[0] for part in path[n:depth]]
        if re.match(r"\s*" + r"\s*\.\s*".join(f'"?{re.escape(key)}"?' for key in keys) + r"\s*=", line):
            return depth
    return 0
