"""Joint states of MCAP files: written by the package mcap, read as experiments."""

import json

import numpy as np
import pytest
from mcap.writer import CompressionType, Writer

import rikigaku as rk

JOINT_STATE = "sensor_msgs/msg/JointState"
NAMES = ["elbow", "q1", "wrist_3"]
# One message by the serialiser of rosbags 0.11: stamp 1700000000.25 s, frame_id "base", NAMES, positions 0.5,
# -1.25, 2, efforts 1, 0.1, -3.5; little-endian without velocities; big-endian with velocities 0.1, 0.2, 0.3.
LITTLE = bytes.fromhex(
    "0001000000f1536580b2e60e0500000062617365000000000300000006000000656c626f77000000030000007131000008000000"
    "77726973745f33000300000000000000000000000000e03f000000000000f4bf0000000000000040000000000300000000000000"
    "0000f03f9a9999999999b93f0000000000000cc0"
)
BIG = bytes.fromhex(
    "000000006553f1000ee6b2800000000562617365000000000000000300000006656c626f77000000000000037131000000000008"
    "77726973745f330000000003000000003fe0000000000000bff40000000000004000000000000000000000030000000"
    "03fb999999999999a3fc999999999999a3fd333333333333300000003000000003ff00000000000003fb999999999999ac00c0000"
    "00000000"
)


def record(path, messages, encoding="json", topic="/joint_states", kind=JOINT_STATE, compression=None):
    with open(path, "wb") as file:
        writer = Writer(file, compression=compression or CompressionType.ZSTD)
        writer.start()
        schema = writer.register_schema(kind, "jsonschema", b"{}")
        channel = writer.register_channel(topic, encoding, schema)
        other = writer.register_channel(
            "/clock", "json", writer.register_schema("Clock", "jsonschema", b"{}")
        )
        writer.add_message(other, 0, b"{}", 0)
        for log_time, data in messages:
            raw = data if isinstance(data, bytes) else json.dumps(data).encode()
            writer.add_message(channel, log_time, raw, log_time)
        writer.finish()
    return path


def state(time, names, q, tau, v=()):
    stamp = {"sec": int(time), "nanosec": round((time % 1) * 1e9)}
    fields = {"name": names, "position": list(q), "velocity": list(v), "effort": list(tau)}
    return {"header": {"stamp": stamp}, **fields}


@pytest.mark.parametrize("compression", list(CompressionType))
def test_recorded_motion_is_read_whatever_the_order_of_joints(tmp_path, compression):
    rng = np.random.default_rng(0)
    t, q, tau = 0.01 * np.arange(50), rng.normal(size=(50, 2)), rng.normal(size=(50, 2))
    messages = []
    for k in range(50):
        order = [0, 1] if k % 2 else [1, 0]
        names = [("shoulder", "elbow")[j] for j in order]
        messages.append((k + 1, state(100 + t[k], names, q[k, order], tau[k, order], q[k, order] + 1)))
    path = record(tmp_path / "run.mcap", messages, compression=compression)
    x = rk.read_experiment(path, joints=["shoulder", "elbow"], load="tool")
    assert x.t == pytest.approx(t, abs=1e-12)
    assert np.array_equal(x.q, q)
    assert np.array_equal(x.tau, tau)
    assert np.array_equal(x.v, q + 1)
    assert (x.name, x.load) == ("run.mcap", "tool")
    swapped = rk.read_experiment(path, topic="/joint_states")  # the order of the first message
    assert np.array_equal(swapped.q, q[:, ::-1])


def test_messages_of_ros_2_are_decoded(tmp_path):
    path = record(tmp_path / "run.mcap", [(1, LITTLE), (2, LITTLE)], "cdr")
    x = rk.read_experiment(path, joints=["q1", "elbow", "wrist_3"])
    assert x.q[1].tolist() == [-1.25, 0.5, 2.0]
    assert x.tau[0].tolist() == [0.1, 1.0, -3.5]
    assert x.v is None
    assert x.t.tolist() == [0.0, 0.0]
    x = rk.read_experiment(record(tmp_path / "big.mcap", [(1, BIG)], "cdr"))
    assert x.q[0].tolist() == [0.5, -1.25, 2.0]
    assert x.v is not None
    assert x.v[0].tolist() == [0.1, 0.2, 0.3]


def test_without_stamps_the_times_of_the_recorder_count(tmp_path):
    messages = [(k * 20_000_000, state(0, ["a"], [k], [k])) for k in range(1, 4)]
    x = rk.read_experiment(record(tmp_path / "run.mcap", messages))
    assert x.t == pytest.approx([0.0, 0.02, 0.04], abs=1e-15)


def test_files_that_hold_no_joint_states_are_named(tmp_path):
    good = state(1, ["a", "b"], [1, 2], [3, 4])
    errors = rk.errors
    path = record(tmp_path / "image.mcap", [(1, b"")], kind="sensor_msgs/msg/Image")
    with pytest.raises(
        errors.WrongValue, match=r"no topic .* JointState.*/joint_states \(sensor_msgs/msg/Image"
    ):
        rk.read_experiment(path)
    with pytest.raises(errors.WrongValue, match=r"'/clock' are Clock"):
        rk.read_experiment(path, topic="/clock")
    path = record(tmp_path / "run.mcap", [(1, good), (2, state(2, ["a"], [1], [2]))])
    with pytest.raises(errors.UnknownName, match=r"topic named '/joint_state'.*joint_states"):
        rk.read_experiment(path, topic="/joint_state")
    with pytest.raises(errors.UnknownName, match="Message 1"):
        rk.read_experiment(path)
    with pytest.raises(errors.UnknownName, match=r"joint named 'c'"):
        rk.read_experiment(path, joints=["c"])
    for data, encoding in ((LITTLE[:-3], "cdr"), (LITTLE[:60], "cdr"), (b"\0\7\0\0", "cdr"), (b"[1", "json")):
        with pytest.raises(errors.BadMeasurements, match="message 0 of '/joint_states' is no joint state"):
            rk.read_experiment(record(tmp_path / "cut.mcap", [(1, data)], encoding))
    with pytest.raises(errors.BadMeasurements, match="2 joints and 1 of effort"):
        rk.read_experiment(record(tmp_path / "few.mcap", [(1, state(1, ["a", "b"], [1, 2], [3]))]))
    with pytest.raises(errors.BadMeasurements, match="no message"):
        rk.read_experiment(record(tmp_path / "empty.mcap", []))
    with pytest.raises(errors.WrongValue, match="'ros1'; cdr and json"):
        rk.read_experiment(record(tmp_path / "old.mcap", [(1, b"")], "ros1"))
    with pytest.raises(errors.WrongValue, match=r"options of \.mcap files"):
        rk.read_experiment(tmp_path / "run.csv", topic="/joint_states")
    with pytest.raises(errors.WrongValue, match=r"topic and joints of \.mcap files"):
        rk.read_experiment(path, {"t": 0})
    whole = path.read_bytes()
    for name, content in (("half", whole[: len(whole) // 2]), ("text", b"t,q\n"), ("nothing", b"")):
        (tmp_path / f"{name}.mcap").write_bytes(content)
        with pytest.raises(errors.NoFile, match="cannot be read as MCAP"):
            rk.read_experiment(tmp_path / f"{name}.mcap")
    with pytest.raises(errors.NoFile, match=r"none\.mcap"):
        rk.read_experiment(tmp_path / "none.mcap")
