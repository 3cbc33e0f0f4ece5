"""Solutions in .npz files, pandas tables and xarray datasets."""

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import RikigakuError, WrongValue
from rikigaku.core.files import write_whole
from rikigaku.core.input_limits import SOLUTION_BYTES
from rikigaku.core.npz_archive import BadArchive, read_npz
from rikigaku.core.validation import short, whole
from rikigaku.robot import Robot
from rikigaku.simulation.solution_check import ARRAYS, check_arrays, check_metadata, events_of, metadata

if TYPE_CHECKING:
    from rikigaku.simulation.solution import Solution

_FORMAT = 1


def save(solution: "Solution", path: str | Path) -> None:
    """Write the solution to an .npz file, atomically: arrays, interpolant, events and forces."""
    forces = solution.forces if solution.runs else solution.stored_forces
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
    arrays = {name: getattr(solution, name) for name in ARRAYS}
    arrays["residual"] = solution.residual
    arrays |= {f"force {name}": x for name, x in forces.items()}
    np.savez_compressed(buffer, about=np.array(json.dumps(text)), **arrays)
    write_whole(Path(path), buffer.getvalue())


@checked
def load_solution(path: str | Path, robot: Robot, *, largest: int = SOLUTION_BYTES) -> "Solution":
    """The solution of that robot in a file written by `solution.save`; the file need not be trusted.

    largest: bytes that the file may unpack to.

    Raises:
        WrongValue: for a file of another robot, of another kind, or a damaged one.
        TooLarge: beyond `largest`.
    """
    from rikigaku.simulation.solution import Solution

    limit = whole("largest, a number of bytes,", largest)
    try:
        arrays, texts = read_npz(Path(path), limit)
        about = metadata(texts)
        if about.get("format") != _FORMAT:
            raise WrongValue(
                f"{str(path)!r} has format {short(about.get('format'))}; this version reads {_FORMAT}."
            )
        check_metadata(about)
        if about["digest"] != robot.digest:
            raise WrongValue(
                f"{str(path)!r} is a solution of robot {short(about['robot'])} with other data than robot "
                f"{robot.name!r} has: load that one."
            )
        check_arrays(arrays, about, robot)
        events = events_of(about, robot)
    except BadArchive as error:
        raise WrongValue(
            f"{str(path)!r} is no file of solution.save, or is damaged: {error}. Simulate it again."
        ) from error
    forces = {name.removeprefix("force "): x for name, x in arrays.items() if name.startswith("force ")}
    return Solution(
        robot,
        modes=tuple(about["modes"]),
        events=events,
        status=about["status"],
        statistics=about["statistics"],
        stored_forces=forces,
        stored_residual=arrays["residual"],
        labels={name: tuple(x) for name, x in about["labels"].items()},
        notes=tuple(about["notes"]),
        **{name: arrays[name] for name in ARRAYS},
    )


def columns(solution: "Solution") -> dict[str, Any]:
    """Named columns over time."""
    robot = solution.robot
    result: dict[str, Any] = {}
    for label, x, slices in (("q", solution.q, robot.q_slices), ("v", solution.v, robot.v_slices)):
        for joint, indices in slices.items():
            count = indices.stop - indices.start
            for k in range(count):
                name = f"{label} {joint}" if count == 1 else f"{label} {joint} {k}"
                result[name] = x[:, indices.start + k]
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
