"""Joint states recorded in MCAP files: positions, velocities and efforts with their times.

Read are messages of type JointState, as ROS 2 records them (encoding CDR), or as JSON with the same fields:
name, position, velocity, effort, header.stamp.
"""

import json
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rikigaku.core.errors import (
    BadMeasurements,
    MissingEngine,
    NoFile,
    RikigakuError,
    UnknownName,
    WrongValue,
)
from rikigaku.core.input_files import open_input
from rikigaku.core.types import Array

_TYPES = ("sensor_msgs/msg/JointState", "sensor_msgs/JointState", "JointState")
_ENCODINGS = ("cdr", "json")
_RECORD_BYTES = 1 << 30  # of one record of the file
_NANO = 1e-9


class JointStates(NamedTuple):
    """Times [s] from the first message, and the values of the joints, (samples, joints)."""

    t: Array
    q: Array
    v: Array | None
    tau: Array


class _Message(NamedTuple):
    stamp: int  # [ns]
    names: list[str]
    values: tuple[list[float], list[float], list[float]]  # position, velocity, effort


def read_joint_states(path: Path, topic: str | None, joints: Sequence[str] | None) -> JointStates:
    """The joint states of one topic.

    Args:
        topic: None: the only one with joint states.
        joints: names in the robot's order; None: those of the first message.
    Raises:
        MissingEngine: without the package mcap. NoFile: for a file that it cannot read.
        UnknownName: for a topic or joint that is not there. BadMeasurements: for messages that are cut off.
    """
    found = list(_messages(path, topic))
    if not found:
        raise BadMeasurements([f"{path.name}: there is no message with joint states"])
    order = list(found[0].names if joints is None else joints)
    arrays: tuple[list[list[float]], ...] = ([], [], [])
    for k, message in enumerate(found):
        places = _places(message.names, order, path.name, k)
        for rows, values, what in zip(
            arrays, message.values, ("position", "velocity", "effort"), strict=True
        ):
            if not values and what == "velocity":
                continue
            if len(values) != len(message.names):
                raise BadMeasurements(
                    [f"{path.name}: message {k} has {len(message.names)} joints and {len(values)} of {what}"]
                )
            rows.append([values[j] for j in places])
    q, v, tau = (np.array(rows, dtype=np.float64) for rows in arrays)
    stamps = [message.stamp for message in found]
    t = np.array([_NANO * (stamp - stamps[0]) for stamp in stamps])
    return JointStates(t, q, v if len(v) == len(q) else None, tau)


def _places(names: list[str], order: list[str], file: str, k: int) -> list[int]:
    if names == order:
        return list(range(len(order)))
    for joint in order:
        if joint not in names:
            raise UnknownName("joint", joint, names, f"message {k} of {file!r}")
    return [names.index(joint) for joint in order]


def _messages(path: Path, topic: str | None) -> Iterator[_Message]:
    """The joint states in the order of the file's times."""
    try:
        from mcap.exceptions import McapError
        from mcap.reader import SeekingReader
    except ImportError:
        raise MissingEngine("MCAP files need the package mcap: pip install 'rikigaku[mcap]'.") from None
    with open_input(path) as file:
        try:
            encodings, types = _topics(SeekingReader(file, record_size_limit=_RECORD_BYTES))
            chosen = _topic(types, topic, path.name)
            encoding = encodings[chosen]
            if encoding not in _ENCODINGS:
                text = f"messages of {chosen!r} are encoded as {encoding!r}; cdr and json are read."
                raise WrongValue(f"{path.name!r}: {text}")
            decode = _from_json if encoding == "json" else _from_cdr
            file.seek(0)
            reader = SeekingReader(file, record_size_limit=_RECORD_BYTES)
            for k, (_, _, message) in enumerate(reader.iter_messages(topics=[chosen])):
                try:
                    found = decode(message.data)
                except (
                    struct.error,
                    ValueError,
                    KeyError,
                    TypeError,
                    AttributeError,
                    RecursionError,
                ) as error:
                    text = f"{path.name}: message {k} of {chosen!r} is no joint state: {error}"
                    raise BadMeasurements([text]) from error
                yield found if found.stamp else found._replace(stamp=message.log_time)
        except (McapError, struct.error, OSError, EOFError, UnicodeDecodeError) as error:
            if isinstance(error, RikigakuError):
                raise
            raise NoFile(f"{str(path)!r} cannot be read as MCAP: {error or type(error).__name__}.") from error


def _topics(reader: Any) -> tuple[dict[str, str], dict[str, str]]:
    """Encoding, and type of the messages, of each topic: from the summary, or from all messages."""
    summary = reader.get_summary()
    if summary is not None and summary.channels:
        pairs = [(x, summary.schemas.get(x.schema_id)) for x in summary.channels.values()]
    else:
        pairs = [(channel, schema) for schema, channel, _ in reader.iter_messages()]
    encodings = {channel.topic: channel.message_encoding for channel, _ in pairs}
    return encodings, {channel.topic: "" if schema is None else schema.name for channel, schema in pairs}


def _topic(types: dict[str, str], topic: str | None, file: str) -> str:
    """The topic that is read; types: of the messages of each topic."""
    if topic is not None and topic not in types:
        raise UnknownName("topic", topic, types, f"file {file!r}")
    states = [name for name, kind in types.items() if kind in _TYPES]
    if topic is None and len(states) == 1:
        return states[0]
    if topic in states and topic is not None:
        return topic
    if topic is not None:
        raise WrongValue(f"{file!r}: messages of {topic!r} are {types[topic]}; JointState is read.")
    if states:
        raise WrongValue(f"{file!r} has joint states on {', '.join(states)}: give topic=...")
    listed = ", ".join(f"{name} ({kind})" for name, kind in types.items()) or "none"
    raise WrongValue(f"{file!r} has no topic with messages of type JointState. Its topics: {listed}.")


def _from_json(data: bytes) -> _Message:
    message: Any = json.loads(data)
    stamp = message.get("header", {}).get("stamp", {})
    values = [[float(x) for x in message.get(key, ())] for key in ("position", "velocity", "effort")]
    time = int(stamp.get("sec", 0)) * 10**9 + int(stamp.get("nanosec", stamp.get("nsec", 0)))
    return _Message(time, [str(name) for name in message["name"]], (values[0], values[1], values[2]))


def _from_cdr(data: bytes) -> _Message:
    """A message of sensor_msgs/msg/JointState in plain CDR: elements at multiples of their size."""
    if len(data) < 4 or data[0] != 0 or data[1] not in (0, 1):
        raise ValueError("its encoding is not plain CDR")
    order = "<" if data[1] else ">"
    body, at = memoryview(data)[4:], 0

    def read(kind: str, count: int = 1) -> tuple[Any, ...]:
        nonlocal at
        size = struct.calcsize(kind)
        if count:
            at += -at % size
        if at + count * size > len(body):
            raise ValueError("it is cut off")
        values = struct.unpack_from(f"{order}{count}{kind}", body, at)
        at += count * size
        return values

    def text() -> str:
        (length,) = read("I")
        return b"".join(read("c", length)).rstrip(b"\0").decode()

    (seconds,), (nanoseconds,) = read("i"), read("I")
    text()  # frame_id
    names = [text() for _ in range(_count(read("I")[0], len(body)))]
    values = [list(read("d", _count(read("I")[0], len(body)))) for _ in range(3)]
    return _Message(seconds * 10**9 + nanoseconds, names, (values[0], values[1], values[2]))


def _count(n: int, available: int) -> int:
    if n > available:
        raise ValueError("it is cut off")
    return n
