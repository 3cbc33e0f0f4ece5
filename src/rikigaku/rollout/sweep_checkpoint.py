"""Results of a sweep on disk: parts that are written atomically, and the record of the sweep."""

import inspect
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
from rikigaku.formats.toml.toml_file import to_toml
from rikigaku.model.robot_model import RobotModel
from rikigaku.rollout.content_digest import content_digest
from rikigaku.rollout.rollout_result import Integers

Columns = dict[str, Array]

_EVERY = 1.0  # [s] between two parts
_RECORD = "sweep.json"
_CHANGED = " (the items, the function, or something that it reads has changed)"
_MOST_TEXT = 1_000_000  # characters of the arguments in a record


def sweep_record(
    function: Callable[..., Any], items: Sequence[Any], seed: int, compared: bool = False
) -> dict[str, Any]:
    """What a sweep is made of; equal records have equal results.

    arguments: the items and those of a `functools.partial`, if they are numbers, text, arrays and robots of
    at most a megabyte; else None. robots: TOML text by digest, of these and of robots that the function reads
    from its module. digest: of items and function, if the record is compared with that of a checkpoint; else
    None.

    Raises:
        WrongValue: for objects of unknown content, if it is compared.
    """
    from rikigaku import __version__

    digest = None
    if compared:
        try:
            digest = content_digest([list(items), function])
        except TypeError as unknown:
            raise WrongValue(
                "checkpoint= compares the items of a sweep, its function and what that reads by their "
                f"content; that of a {unknown} is not known. Give numbers, text, arrays, paths, robots, "
                "instances of classes or containers of these, make it within the function, or leave "
                "checkpoint out."
            ) from None
    inner = getattr(function, "func", function)  # of functools.partial
    own = [list(getattr(function, "args", ())), getattr(function, "keywords", {})]
    name = f"{getattr(inner, '__module__', '')}.{getattr(inner, '__qualname__', type(inner).__qualname__)}"
    robots = {robot.digest: to_toml(robot) for robot in _robots_read(inner)}
    try:
        known = _has_at_most(_MOST_TEXT // 2, [items, own])  # each takes two characters at least
        arguments = {"items": _plain(items, robots), "function": _plain(own, robots)} if known else None
        known = known and len(json.dumps(arguments)) <= _MOST_TEXT
    except (TypeError, RecursionError):
        known = False
    return {
        "function": name,
        "items": len(items),
        "arguments": arguments if known else None,
        "robots": robots,
        "digest": digest,
        "seed": seed,
        "rikigaku": __version__,
        "numpy": np.__version__,
        "machine": platform.machine(),
    }


def _has_at_most(most: int, x: Any) -> bool:
    """Whether containers, with all in them, have at most that many elements."""
    count, waiting = 0, [x]
    while waiting and count <= most:
        x = waiting.pop()
        if isinstance(x, np.ndarray):
            count += int(x.size)
        elif isinstance(x, Mapping | list | tuple | range):
            count += len(x) + 1
            if count <= most:
                waiting += x.values() if isinstance(x, Mapping) else x
    return count <= most


def _plain(x: Any, robots: dict[str, str]) -> Any:
    """Numbers, text, arrays and containers as JSON has them; a robot as its digest.

    Raises:
        TypeError: for other objects.
    """
    if isinstance(x, RobotModel):
        robots[x.digest] = to_toml(x)
        return {"robot": x.digest}
    if isinstance(x, np.ndarray | np.generic):
        return _plain(x.tolist(), robots)
    if isinstance(x, Mapping) and all(isinstance(key, str) for key in x):
        return {key: _plain(value, robots) for key, value in x.items()}
    if isinstance(x, list | tuple | range):
        return [_plain(value, robots) for value in x]
    if isinstance(x, str | int | float) or x is None:
        return x
    raise TypeError(type(x).__name__)


def _robots_read(function: Any) -> list[RobotModel]:
    """Robots that a function reads by names of its module or of the function around it."""
    try:
        names = inspect.getclosurevars(inspect.unwrap(function))
    except (TypeError, ValueError):  # an object that is called, or a name without value
        return []
    values = (*names.globals.values(), *names.nonlocals.values())
    return [x for x in values if isinstance(x, RobotModel)]


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
        compared = [name for name in record if name not in ("arguments", "robots")]  # those have digests
        if other := [name for name in compared if known.get(name) != record[name]]:
            raise WrongValue(
                f"{folder} has another sweep: its {other[0]} is {known.get(other[0])!r}, here it is "
                f"{record[other[0]]!r}{_CHANGED if other[0] == 'digest' else ''}. Give another directory, or "
                "remove this one."
            )
        for part in sorted(folder.glob("part-*.npz")):
            self._parts += 1
            index, rows = _read_part(part)
            for i, k in enumerate(index):
                self.results[int(k)] = {name: x[i] for name, x in rows.items()}

    def add(self, k: int, row: Columns) -> None:
        """Keep the result of item k."""
        self.results[k] = row
        self._fresh.append(k)
        if time.monotonic() - self._written > _EVERY:
            self.write()

    def write(self) -> None:
        """Write results that are not on disk yet."""
        self._written = time.monotonic()
        if self.folder is None or not self._fresh:
            return
        alike: dict[str, list[int]] = {}  # a part has rows of the same names and shapes
        for k in self._fresh:
            alike.setdefault(repr(sorted(_shapes(self.results[k]).items())), []).append(k)
        for places in alike.values():
            columns = columns_of([self.results[k] for k in places])
            content = _npz({"index": np.array(places), **{f"_{name}": x for name, x in columns.items()}})
            write_whole(self._next_part(), content)
        self._fresh = []

    def rows(self) -> tuple[dict[int, Columns], dict[int, str]]:
        """Results by item with the names and shapes of the first, and messages for the others.

        The first in the order of the items, not of their arrival: it does not depend on the workers.
        """
        found: dict[int, Columns] = {}
        unlike: dict[int, str] = {}
        first = min(self.results, default=0)
        for k in sorted(self.results):
            shapes = [_shapes(self.results[i]) for i in (first, k)]
            if shapes[0] == shapes[1]:
                found[k] = self.results[k]
            else:
                unlike[k] = (
                    "The results of a sweep have the same names, shapes and kinds for all items: "
                    f"item {first} has {shapes[0]}, item {k} has {shapes[1]}."
                )
        return found, unlike

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


def _kind(x: Array) -> str:
    """Text and numbers have no common column; numbers of several kinds have."""
    return "text" if np.asarray(x).dtype.kind == "U" else "numbers"


def _shapes(row: Columns) -> dict[str, tuple[tuple[int, ...], str]]:
    return {name: (np.shape(value), _kind(value)) for name, value in row.items()}


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
