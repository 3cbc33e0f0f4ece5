"""Motions in files and in the tables of other packages."""

import io
import json
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rikigaku.errors import RikigakuError, WrongValue
from rikigaku.files import write_whole
from rikigaku.model.robot import Robot
from rikigaku.simulation.fields import MORE
from rikigaku.simulation.modes import Event

if TYPE_CHECKING:
    from rikigaku.simulation.solution import Solution

_FORMAT = 1
_WORDS = ("robot", "digest", "modes", "status", "statistics", "events", "notes", "labels")
_ARRAYS = ("t", "q", "v", "work", "dissipated", "mode_index", "records", "record_modes")


def save(solution: "Solution", path: str | Path) -> None:
    """The motion as an .npz file: all arrays, the interpolant, events and forces; whole or not at all."""
    forces = solution.forces if solution.runs else solution.kept
    text = {
        "format": _FORMAT,
        "robot": solution.robot.name,
        "digest": solution.robot.digest,
        "modes": solution.modes,
        "status": solution.status,
        "statistics": solution.statistics,
        "notes": solution.notes,
        "labels": solution.labels,
        "events": [[e.name, e.t, list(e.q), list(e.v), e.mode, list(e.also)] for e in solution.events],
    }
    buffer = io.BytesIO()
    arrays = {name: getattr(solution, name) for name in _ARRAYS}
    arrays["residual"] = solution.residual
    arrays |= {f"force {name}": x for name, x in forces.items()}
    np.savez_compressed(buffer, about=np.array(json.dumps(text)), **arrays)
    write_whole(Path(path), buffer.getvalue())


def load_motion(path: str | Path, robot: Robot) -> "Solution":
    """A motion from a file that `solution.save` wrote, of that robot.

    Raises:
        WrongValue: for a file of another robot, one that is no such file, or a damaged one.
    """
    from rikigaku.simulation.solution import Solution

    about, arrays = _read(path)
    if about.get("format") != _FORMAT:
        raise WrongValue(f"{str(path)!r} has format {about.get('format')!r}; this version reads {_FORMAT}.")
    if about["digest"] != robot.digest:
        raise WrongValue(
            f"{str(path)!r} is a motion of robot {about['robot']!r} with other data than robot "
            f"{robot.name!r} has: load that one."
        )
    _check(path, arrays, robot)
    events = tuple(
        Event(name, t, np.array(q), np.array(v), mode, tuple(also))
        for name, t, q, v, mode, also in about["events"]
    )
    kept = {name.removeprefix("force "): x for name, x in arrays.items() if name.startswith("force ")}
    return Solution(
        robot,
        modes=tuple(about["modes"]),
        events=events,
        status=about["status"],
        statistics=about["statistics"],
        kept=kept,
        known_residual=arrays["residual"],
        labels={name: tuple(x) for name, x in about["labels"].items()},
        notes=tuple(about["notes"]),
        **{name: arrays[name] for name in _ARRAYS},
    )


def _read(path: str | Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the file says about the motion, and its arrays."""
    try:
        with np.load(Path(path), allow_pickle=False) as data:
            about = json.loads(str(data["about"]))
            arrays = {name: data[name] for name in data.files if name != "about"}
    except FileNotFoundError:
        raise
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise _damaged(path, "it cannot be read whole") from error
    if not isinstance(about, dict):
        raise _damaged(path, "it says nothing about itself")
    if about.get("format") == _FORMAT and (missing := [name for name in _WORDS if name not in about]):
        raise _damaged(path, f"it has no {', '.join(missing)}")
    return about, arrays


def _check(path: str | Path, arrays: dict[str, Any], robot: Robot) -> None:
    if missing := [name for name in (*_ARRAYS, "residual") if name not in arrays]:
        raise _damaged(path, f"it has no {', '.join(missing)}")
    m, steps = len(np.atleast_1d(arrays["t"])), len(np.atleast_1d(arrays["records"]))
    size = 3 + 8 * (robot.nq + robot.nv + MORE)
    shapes = [(m,), (m, robot.nq), (m, robot.nv), (m,), (m,), (m,), (steps, size), (steps,)]
    for name, shape in zip(_ARRAYS, shapes, strict=True):
        if arrays[name].shape != shape:
            raise _damaged(path, f"{name} has shape {arrays[name].shape}, not {shape}")


def _damaged(path: str | Path, why: str) -> WrongValue:
    return WrongValue(
        f"{str(path)!r} is no motion that solution.save wrote, or is damaged: {why}. Simulate it again."
    )


def columns(solution: "Solution") -> dict[str, Any]:
    """Named columns over time."""
    robot = solution.robot
    result: dict[str, Any] = {}
    for label, x, slices in (("q", solution.q, robot.q_slices), ("v", solution.v, robot.v_slices)):
        for joint, places in slices.items():
            count = places.stop - places.start
            for k in range(count):
                name = f"{label} {joint}" if count == 1 else f"{label} {joint} {k}"
                result[name] = x[:, places.start + k]
    result |= {"kinetic": solution.kinetic_energy, "potential": solution.potential_energy}
    result |= {"work": solution.work, "dissipated": solution.dissipated}
    result["mode"] = np.array(solution.modes)[solution.mode_index]
    return result


def to_pandas(solution: "Solution") -> Any:
    """A pandas DataFrame with time as its index."""
    try:
        import pandas
    except ImportError as error:
        raise RikigakuError("Tables need pandas. Install it: pip install pandas.") from error
    return pandas.DataFrame(columns(solution), index=pandas.Index(solution.t, name="t"))


def to_xarray(solution: "Solution") -> Any:
    """An xarray Dataset over time."""
    try:
        import xarray
    except ImportError as error:
        raise RikigakuError("Data sets need xarray. Install it: pip install xarray.") from error
    data = {name: ("t", x) for name, x in columns(solution).items()}
    return xarray.Dataset(data, coords={"t": solution.t})
