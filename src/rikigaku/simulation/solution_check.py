"""Checks of a saved solution: types, sizes and ranges of all that a file claims."""

import json
from typing import Any

import numpy as np

from rikigaku.core.input_limits import SOLUTION_TEXT, SOLUTION_VALUES
from rikigaku.core.npz_archive import BadArchive
from rikigaku.hybrid.hybrid_system import EXTRA_STATES, Event
from rikigaku.robot import Robot

ARRAYS = ("t", "q", "v", "work", "dissipated", "mode_index", "records", "record_modes")
METADATA = ("robot", "digest", "modes", "status", "statistics", "events", "notes", "labels")
_WHOLE = ("mode_index", "record_modes")


def metadata(texts: dict[str, str]) -> dict[str, Any]:
    """The metadata as JSON data; their format is not yet checked."""
    if list(texts) != ["about"]:
        raise BadArchive("it has no metadata")
    text = texts["about"]
    if len(text) > SOLUTION_TEXT or sum(map(text.count, ",[{")) > SOLUTION_VALUES:
        raise BadArchive("its metadata are too long")
    try:
        about = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadArchive("its metadata cannot be read") from error
    if not isinstance(about, dict):
        raise BadArchive("it has no metadata")
    return about


def check_metadata(about: dict[str, Any]) -> None:
    """Types of the metadata but the events."""
    if missing := [name for name in METADATA if name not in about]:
        raise BadArchive(f"it has no {', '.join(missing)}")
    statistics, labels = about["statistics"], about["labels"]
    right = {
        "robot": isinstance(about["robot"], str),
        "digest": isinstance(about["digest"], str),
        "status": isinstance(about["status"], str),
        "modes": _texts(about["modes"]) and bool(about["modes"]),
        "notes": _texts(about["notes"]),
        "statistics": isinstance(statistics, dict) and all(type(x) is int for x in statistics.values()),
        "labels": isinstance(labels, dict) and all(_texts(x) for x in labels.values()),
        "events": isinstance(about["events"], list),
    }
    for name, is_right in right.items():
        if not is_right:
            raise BadArchive(f"{name} is of another type")


def events_of(about: dict[str, Any], robot: Robot) -> tuple[Event, ...]:
    """The located events."""
    found = []
    for k, event in enumerate(about["events"]):
        try:
            name, t, q, v, mode, also = event
            right = isinstance(name, str) and isinstance(mode, str) and _texts(also)
            right = right and not any(isinstance(x, str) for x in (t, *q, *v))
            numbers = [np.array(x, dtype=np.float64) for x in (t, q, v)]
            shapes = [x.shape for x in numbers]
        except (TypeError, ValueError, OverflowError) as error:
            raise BadArchive(f"event {k} is of another type") from error
        if not right or shapes != [(), (robot.nq,), (robot.nv,)]:
            raise BadArchive(f"event {k} is of another type")
        if not all(np.isfinite(x).all() for x in numbers):
            raise BadArchive(f"event {k} is not finite")
        found.append(Event(name, float(t), numbers[1], numbers[2], mode, tuple(also)))
    return tuple(found)


def check_arrays(arrays: dict[str, Any], about: dict[str, Any], robot: Robot) -> None:
    """Shapes, types and ranges of the arrays, forces among them."""
    if missing := [name for name in (*ARRAYS, "residual", "force a", "force tau") if name not in arrays]:
        raise BadArchive(f"it has no {', '.join(missing)}")
    if unknown := [x for x in arrays if x not in (*ARRAYS, "residual") and not x.startswith("force ")]:
        raise BadArchive(f"it has an array {unknown[0][:80]!r}, which no solution has")
    m, steps = arrays["t"].size, len(np.atleast_1d(arrays["records"]))
    if not (m and steps):
        raise BadArchive("it has no times or no steps")
    n = robot.nq + robot.nv + EXTRA_STATES
    size = 3 + (2 if arrays["records"].shape[-1] == 3 + 2 * n else 8) * n  # linear between fixed steps
    shapes = [(m,), (m, robot.nq), (m, robot.nv), (m,), (m,), (m,), (steps, size), (steps,)]
    expected = dict(zip(ARRAYS, shapes, strict=True)) | {"residual": (m,)}
    expected |= {"force a": (m, robot.nv), "force tau": (m, robot.nv)}
    for name, x in arrays.items():
        shape = expected.get(name, (m, *x.shape[1:]))
        if x.shape != shape:
            raise BadArchive(f"{name} has shape {x.shape}, not {shape}")
        if (x.dtype.kind == "i") != (name in _WHOLE):
            raise BadArchive(f"{name} has numbers of type {x.dtype}")
        if name in ARRAYS and not np.isfinite(x).all():
            raise BadArchive(f"{name} is not finite")
    _check_ranges(arrays, len(about["modes"]))
    for name, names in about["labels"].items():
        columns = arrays.get(f"force {name}")
        if columns is None or columns[0].size != len(names):
            raise BadArchive(f"the labels of {name[:80]!r} do not fit")


def _check_ranges(arrays: dict[str, Any], modes: int) -> None:
    t, records = arrays["t"], arrays["records"]
    start, end, length = records[:, 0], records[:, 1], records[:, 2]
    slack = 1e-9 * max(abs(start[0]), abs(end[-1]), 1e-3)
    in_order = (np.diff(t) >= 0).all() and (np.diff(start) >= 0).all() and (np.diff(end) >= 0).all()
    if not (in_order and (start <= end).all() and (length > 0).all()):
        raise BadArchive("its times are not in order")
    if t[0] < start[0] - slack or t[-1] > end[-1] + slack:
        raise BadArchive("t is outside of its steps")
    for name, count in (("mode_index", modes), ("record_modes", len(records))):
        if arrays[name].min() < 0 or arrays[name].max() >= count:
            raise BadArchive(f"{name} has values outside of 0 to {count - 1}")


def _texts(x: Any) -> bool:
    return isinstance(x, list) and all(isinstance(text, str) for text in x)
