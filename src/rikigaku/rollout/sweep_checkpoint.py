"""Results of a sweep on disk: parts that are written atomically, and the record of the sweep."""

import hashlib
import io
import json
import platform
import time
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rikigaku.core.errors import WrongValue
from rikigaku.core.files import no_place, write_whole
from rikigaku.core.types import Array
from rikigaku.rollout.rollout_result import Integers

Columns = dict[str, Array]

_EVERY = 1.0  # [s] between two parts
_RECORD = "sweep.json"


def sweep_record(function: Callable[..., Any], items: Sequence[Any], seed: int) -> dict[str, Any]:
    """What a sweep is made of; equal records have equal results."""
    from rikigaku import __version__

    digest = hashlib.sha256()
    for item in items:
        _digest(digest.update, item)
    inner = getattr(function, "func", function)  # of functools.partial
    name = f"{getattr(inner, '__module__', '')}.{getattr(inner, '__qualname__', type(inner).__qualname__)}"
    _digest(digest.update, [getattr(function, "args", ()), getattr(function, "keywords", {})])
    return {
        "function": name,
        "items": len(items),
        "digest": digest.hexdigest(),
        "seed": seed,
        "rikigaku": __version__,
        "numpy": np.__version__,
        "machine": platform.machine(),
    }


def _digest(update: Callable[[bytes], None], x: Any) -> None:
    """Digest of an item: numbers, text and containers by value, other objects by their type."""
    if isinstance(x, np.ndarray):
        update(f"array {x.dtype} {x.shape}".encode())
        update(np.ascontiguousarray(x).tobytes() if x.dtype.kind != "O" else b"")
    elif isinstance(x, Mapping):
        update(b"mapping")
        for key, value in x.items():
            _digest(update, key)
            _digest(update, value)
    elif isinstance(x, list | tuple):
        update(f"sequence {len(x)}".encode())
        for value in x:
            _digest(update, value)
    elif isinstance(x, str | bytes | bool | int | float | complex | np.generic) or x is None:
        update(f"{type(x).__name__} {x!r};".encode())
    else:
        update(type(x).__qualname__.encode())


class Checkpoint:
    """The results so far, in memory and, with a directory, on disk.

    Raises:
        WrongValue: for a directory with another sweep. NoPlace: if it cannot be written.
    """

    def __init__(self, folder: Path | None, record: Mapping[str, Any]) -> None:
        self.folder, self.results = folder, dict[int, Columns]()
        self._fresh: list[int] = []
        self._written, self._parts = time.monotonic(), 0
        if folder is None:
            return
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise no_place(folder, error) from error
        path = folder / _RECORD
        if not path.exists():
            write_whole(path, json.dumps(record, indent=1).encode())
        known = _read_record(path)
        if other := [name for name in record if known.get(name) != record[name]]:
            raise WrongValue(
                f"{folder} has another sweep: its {other[0]} is {known.get(other[0])!r}, here it is "
                f"{record[other[0]]!r}. Give another directory, or remove this one."
            )
        for part in sorted(folder.glob("part-*.npz")):
            self._parts += 1
            index, rows = _read_part(part)
            for i, k in enumerate(index):
                self.results[int(k)] = {name: x[i] for name, x in rows.items()}

    def add(self, k: int, row: Columns) -> None:
        """Keep the result of item k.

        Raises:
            WrongValue: if its names or shapes differ from those of the others.
        """
        if self.results:
            _check_alike(next(iter(self.results.items())), (k, row))
        self.results[k] = row
        self._fresh.append(k)
        if time.monotonic() - self._written > _EVERY:
            self.write()

    def write(self) -> None:
        """Write results that are not on disk yet."""
        self._written = time.monotonic()
        if self.folder is None or not self._fresh:
            return
        columns = columns_of([self.results[k] for k in self._fresh])
        content = _npz({"index": np.array(self._fresh), **{f"_{name}": x for name, x in columns.items()}})
        write_whole(self._next_part(), content)
        self._fresh = []

    def _next_part(self) -> Path:
        """A name that no part has; parts may have been removed."""
        assert self.folder is not None
        while (path := self.folder / f"part-{self._parts:08d}.npz").exists():
            self._parts += 1
        return path


def _read_record(path: Path) -> dict[str, Any]:
    try:
        known = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        known = None
    if not isinstance(known, dict):
        raise WrongValue(f"{path} is no record of a sweep. Remove it, or give another directory.")
    return known


def _read_part(path: Path) -> tuple[Integers, Columns]:
    """The places of the items in a part, and their results."""
    try:
        with np.load(path, allow_pickle=False) as data:
            rows = {name[1:]: data[name] for name in data.files if name != "index"}
            return data["index"], rows
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        raise WrongValue(f"{path} is damaged. Remove it: its items run again.") from None


def _check_alike(first: tuple[int, Columns], second: tuple[int, Columns]) -> None:
    (i, x), (k, y) = first, second
    shapes = [{name: np.shape(value) for name, value in row.items()} for row in (x, y)]
    if shapes[0] != shapes[1]:
        raise WrongValue(
            "The results of a sweep have the same names and shapes for all items: "
            f"item {i} has {shapes[0]}, item {k} has {shapes[1]}."
        )


def columns_of(rows: Sequence[Columns]) -> Columns:
    """Rows as columns."""
    return {name: np.stack([row[name] for row in rows]) for name in rows[0]} if rows else {}


def write_columns(
    path: Path, columns: Columns, index: Integers, record: Mapping[str, Any], failures: Mapping[int, str]
) -> None:
    """Columns under their names in an npz file, atomically; record and failures as JSON text."""
    about = {
        "index": index,
        "record": np.array(json.dumps(record)),
        "failures": np.array(json.dumps(failures)),
    }
    if clash := sorted(about.keys() & columns.keys()):
        raise WrongValue(f"A column of a saved sweep has another name than {clash[0]!r}.")
    write_whole(path, _npz({**about, **columns}))


def _npz(arrays: Mapping[str, Any]) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()
