"""Measured motion of a robot as data: times, positions, torques; from arrays and files."""

import csv
import gzip
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rikigaku.core.arrays import floats
from rikigaku.core.checked_calls import check_fields, checked, checked_data
from rikigaku.core.errors import BadMeasurements, NoFile, UnknownName, WrongSize, WrongValue
from rikigaku.core.input_files import open_input
from rikigaku.core.npz_archive import BadArchive, read_npz
from rikigaku.core.types import Array
from rikigaku.core.validation import is_whole, number
from rikigaku.identification.mcap_recording import read_joint_states
from rikigaku.model.inertial_parameters import Inertia

LARGEST = 1 << 32  # bytes of an .npz file when unpacked
_CHANNELS = ("t", "q", "tau", "v", "reference")


class DataFrame(Protocol):
    """What is used of a pandas DataFrame."""

    @property
    def columns(self) -> Any: ...

    def to_numpy(self) -> Any: ...


@checked_data
@dataclass(frozen=True, eq=False)
class Experiment:
    """One recorded motion: sampled times [s], positions and torques of the joints, in the robot's order.

    Attributes:
        t: times (samples,), increasing; unequal sampling is allowed.
        q: joint positions [rad, m], (samples, joints). Of a closed robot those of its independent joints, in
            the order of `closure().independent`; of a free base with position and quaternion (w, x, y, z).
        tau: joint torques [N m, N], or motor currents [A] if gains are identified, (samples, joints): of
            closed robots and free bases those of the actuated joints. Of a free base None: none is measured.
        v: measured joint velocities, if there are any; else they are differences of the positions.
        load: a body that the robot carries only in this experiment: {link: Inertia} in the axes of the
            link if it is known; the name of the link if it is to be identified; {link: mass} [kg] if only
            its mass is known and the rest is to be identified.
        name: for messages.
        forces: measured forces (samples, 3) or wrenches (samples, 6) on the robot at frames, in world axes.
        contacts: frames that touch fixed ground with unknown forces: names, or {frame: 0 or 1 (samples,)}.
        reference: commanded positions, like q; instruments for `Identification.instrumental`.
    """

    t: NDArray[np.float64]
    q: NDArray[np.float64]
    tau: NDArray[np.float64]
    v: NDArray[np.float64] | None = None
    load: Mapping[str, Inertia | float] | str | None = None
    name: str = "experiment"
    forces: Mapping[str, ArrayLike] = field(default_factory=dict)
    contacts: Mapping[str, ArrayLike] | Sequence[str] = field(default_factory=dict)
    reference: NDArray[np.float64] | None = None

    if TYPE_CHECKING:  # lists become arrays in __post_init__

        def __init__(
            self,
            t: ArrayLike,
            q: ArrayLike,
            tau: ArrayLike | None,
            v: ArrayLike | None = None,
            load: Mapping[str, Inertia | float] | str | None = None,
            name: str = "experiment",
            forces: Mapping[str, ArrayLike] = ...,
            contacts: Mapping[str, ArrayLike] | Sequence[str] = ...,
            reference: ArrayLike | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        given: Any = self.tau
        if given is None:
            object.__setattr__(self, "tau", np.zeros((len(self.t), 0)))
        for key in _CHANNELS:
            if getattr(self, key) is not None:
                object.__setattr__(self, key, floats(f"{key} of an Experiment", getattr(self, key)))
        check_fields(self)
        if self.t.ndim != 1 or self.q.ndim != 2:
            raise WrongSize(
                "An Experiment takes t of shape (samples,) and q of shape (samples, joints); "
                f"t {self.t.shape} and q {self.q.shape} were given."
            )
        for key in ("q", "tau", "v", "reference"):
            x = getattr(self, key)
            if x is not None and (x.ndim != 2 or len(x) != len(self.t)):
                raise WrongSize(
                    f"{key} of an Experiment has a row for each of {len(self.t)} times and a column for each "
                    f"joint; shape {x.shape} was given."
                )
        if self.reference is not None and self.reference.shape != self.q.shape:
            raise WrongSize(f"reference has shape {self.reference.shape}; that of q is {self.q.shape}.")
        self._check_contacts()
        if isinstance(self.load, Mapping):
            for link, x in self.load.items():
                if not isinstance(x, Inertia):
                    number(f"The load on {link!r}, an Inertia or its mass [kg],", x, above=0)
            if len(self.load) > 1 and self.unknown_load is not None:
                raise WrongValue("Of several loads all are known: give an Inertia for each link.")

    def _check_contacts(self) -> None:
        n = len(self.t)
        forces = {frame: floats(f"force at {frame!r}", f) for frame, f in self.forces.items()}
        for frame, f in forces.items():
            if f.shape not in ((n, 3), (n, 6)):
                raise WrongSize(
                    f"The force at {frame!r} has shape ({n}, 3) or ({n}, 6); {f.shape} was given."
                )
        given = self.contacts
        named = given if isinstance(given, Mapping) else {frame: np.ones(n) for frame in given}
        contacts = {frame: floats(f"contact of {frame!r}", x) for frame, x in named.items()}
        for frame, x in contacts.items():
            if x.shape != (n,) or not np.isin(x, (0.0, 1.0)).all():
                raise WrongValue(f"The contact of {frame!r} is {n} numbers 0 or 1, one for each sample.")
            if frame in forces:
                raise WrongValue(
                    f"The force at {frame!r} is measured: it needs no contact that is projected out."
                )
        object.__setattr__(self, "forces", forces)
        object.__setattr__(self, "contacts", contacts)

    @property
    def unknown_load(self) -> str | None:
        """The link with a load whose parameters, or all but its mass, are to be identified."""
        if isinstance(self.load, Mapping):
            return next((link for link, x in self.load.items() if not isinstance(x, Inertia)), None)
        return self.load

    @property
    def samples(self) -> int:
        """Number of rows."""
        return len(self.t)


@checked
def read_experiment(
    source: "str | PathLike[str] | DataFrame",
    columns: Mapping[str, Sequence[str | int] | str | int] | None = None,
    load: Mapping[str, Inertia | float] | str | None = None,
    *,
    topic: str | None = None,
    joints: Sequence[str] | None = None,
) -> Experiment:
    """An experiment from a file (.csv, .csv.gz, .npz with t, q, tau, .mcap), or from a pandas DataFrame.

    Args:
        source: name of the file, or the DataFrame.
        columns: of a CSV file or a DataFrame, the columns of "t", "q", "tau" and perhaps "v": names of its
            header, or indices from 0. By default those whose names are "t", or begin with "q", "tau" and
            "v", in the file's order.
        load: as `Experiment` takes it.
        topic: of an MCAP file, that of the messages JointState; None: there is only one.
        joints: of an MCAP file, their names in the robot's order; None: the order of the first message.
    Raises:
        NoFile: if it cannot be read. UnknownName: for a column, topic or joint that is not there.
        MissingEngine: for an MCAP file without the extra `mcap`.
        BadMeasurements: for a cell that is no number, named with its row.
    """
    mcap = isinstance(source, str | PathLike) and Path(source).suffix == ".mcap"
    if not mcap and (topic is not None or joints is not None):
        raise WrongValue("topic and joints are options of .mcap files: columns chooses those of others.")
    if mcap and columns is not None:
        raise WrongValue("columns is an option of CSV files and DataFrames: topic and joints of .mcap files.")
    if not isinstance(source, str | PathLike):
        return _from_table(source, columns, load)
    place = Path(source)
    if mcap:
        states = read_joint_states(place, topic, joints)
        return Experiment(states.t, states.q, states.tau, states.v, load, place.name)
    if place.suffix == ".npz":
        try:
            arrays, _ = read_npz(place, LARGEST)
        except BadArchive as error:
            raise NoFile(f"{str(place)!r} holds no experiment: {error}.") from error
        for key in ("t", "q", "tau"):
            if key not in arrays:
                raise UnknownName("array", key, arrays, f"file {place.name!r}")
        return Experiment(arrays["t"], arrays["q"], arrays["tau"], arrays.get("v"), load, place.name)
    with open_input(place) as file:
        try:
            raw = gzip.GzipFile(fileobj=file) if place.suffix == ".gz" else file
            rows = list(csv.reader(io.TextIOWrapper(raw, "utf-8")))
        except (OSError, UnicodeDecodeError, csv.Error, EOFError) as error:
            raise NoFile(f"{str(place)!r} cannot be read as CSV: {error}.") from error
    header, values = _cells(rows, place.name)
    return _experiment(header, values, columns, load, place.name)


def _from_table(
    table: "DataFrame",
    columns: Mapping[str, Sequence[str | int] | str | int] | None,
    load: Mapping[str, Inertia | float] | str | None,
) -> Experiment:
    if not (hasattr(table, "columns") and hasattr(table, "to_numpy")):
        raise WrongValue(
            f"read_experiment takes the name of a file, or a pandas DataFrame, no {type(table).__name__}."
        )
    values = floats("a DataFrame", table.to_numpy())
    return _experiment([str(name) for name in table.columns], values, columns, load, "DataFrame")


def _experiment(
    header: list[str],
    values: Array,
    columns: Mapping[str, Sequence[str | int] | str | int] | None,
    load: Mapping[str, Inertia | float] | str | None,
    name: str,
) -> Experiment:
    chosen = _columns(header, values.shape[1], columns, name)
    t = values[:, chosen["t"]][:, 0]
    v = values[:, chosen["v"]] if chosen.get("v") else None
    return Experiment(t, values[:, chosen["q"]], values[:, chosen["tau"]], v, load, name)


def _cells(rows: list[list[str]], name: str) -> tuple[list[str], Array]:
    """The header (empty if the first row holds numbers), and the numbers."""
    rows = [row for row in rows if row]
    if not rows:
        raise BadMeasurements([f"{name}: the file has no rows"])
    header = [] if _is_numeric(rows[0]) else [cell.strip() for cell in rows[0]]
    body = rows[1:] if header else rows
    width = len(rows[0])
    for k, row in enumerate(body):
        if len(row) != width:
            raise BadMeasurements([f"{name}: data row {k} has {len(row)} cells; the first row has {width}"])
    try:
        return header, np.array(body, dtype=np.float64).reshape(len(body), width)
    except ValueError:
        for k, row in enumerate(body):
            for j, cell in enumerate(row):
                if not _is_numeric([cell]):
                    column = header[j] if header else j
                    raise BadMeasurements(
                        [f"{name}: data row {k}, column {column}: {cell[:40]!r} is no number"]
                    ) from None
        raise


def _is_numeric(row: Sequence[str]) -> bool:
    try:
        [float(cell) for cell in row]
    except ValueError:
        return False
    return True


def _columns(
    header: list[str], width: int, columns: Mapping[str, Sequence[str | int] | str | int] | None, name: str
) -> dict[str, list[int]]:
    if columns is None:
        if not header:
            raise WrongValue(
                f"{name!r} has no header: give columns={{'t': 0, 'q': range(1, 7), 'tau': range(7, 13)}}."
            )
        columns = {"t": [h for h in header if h in ("t", "time")][:1]}
        begins = {"q": "q", "tau": "tau", "v": "v"}
        columns |= {key: [h for h in header if h.startswith(start)] for key, start in begins.items()}
    for key in columns:
        if key not in _CHANNELS:
            raise UnknownName("channel", key, _CHANNELS, "columns")
    found = {}
    for key, given in columns.items():
        listed = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given]
        found[key] = [_index(x, header, width, name) for x in listed]
    for key in ("t", "q", "tau"):
        if not found.get(key):
            raise WrongValue(f"{name!r}: no column of {key!r} is known. Its header: {', '.join(header)}.")
    return found


def _index(x: Any, header: list[str], width: int, name: str) -> int:
    if isinstance(x, str):
        if x not in header:
            raise UnknownName("column", x, header, f"file {name!r}")
        return header.index(x)
    if not is_whole(x) or not 0 <= x < width:
        raise WrongValue(f"{name!r} has {width} columns, 0 to {width - 1}; column {x!r} was given.")
    return int(x)


def as_experiments(data: Experiment | Sequence[Experiment] | Mapping[str, ArrayLike]) -> list[Experiment]:
    """Experiments from one, several, or a mapping of arrays t, q, tau (and v)."""
    if isinstance(data, Experiment):
        return [data]
    if isinstance(data, Mapping):
        for key in ("t", "q", "tau"):
            if key not in data:
                raise UnknownName("array", key, data, "the data")
        v = floats("v", data["v"]) if "v" in data else None
        return [Experiment(floats("t", data["t"]), floats("q", data["q"]), floats("tau", data["tau"]), v)]
    if not isinstance(data, Sequence) or not data or not all(isinstance(x, Experiment) for x in data):
        raise WrongValue("data is an Experiment, a list of them, or a mapping with the arrays t, q and tau.")
    return list(data)
