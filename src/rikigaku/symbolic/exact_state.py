"""A robot and its state as exact numbers, ready for any law that does not divide."""

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from rikigaku.model.mechanism import Mechanism, instantiate
from rikigaku.model.robot import Robot
from rikigaku.numbers.exact import ExactConstants, ExactNumber, Ring
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.kind import FLOATS, quarter_turns


class ExactState(NamedTuple):
    """A mechanism and generic q, v, a over one ring; variables are named q0, v0, a0, ..."""

    ring: Ring
    mechanism: Mechanism
    q: list[ExactNumber]
    v: list[ExactNumber]
    a: list[ExactNumber]


def exact_state(robot: Robot) -> ExactState:
    """The robot with exact parameters, at a generic state."""
    angles, plain, quaternions = [], [], []
    for joint in robot.joints:
        names = [f"q{k}" for k in range(*robot.q_slices[joint.name].indices(robot.nq))]
        match joint.type:
            case "revolute" | "helical" | "universal":
                angles += names
            case "planar":
                plain += names[:2]
                angles.append(names[2])
            case "spherical":
                quaternions.append(names)
            case "free":
                plain += names[:3]
                quaternions.append(names[3:])
            case _:
                plain += names
    rates = [f"{letter}{k}" for letter in "va" for k in range(robot.nv)]
    # A symbol may stand in an angle; its sine and cosine cost nothing if it does not.
    ring = Ring([*angles, *robot.free_symbols], [*plain, *rates], quaternions, _constant_angles(robot))
    symbols = {name: ring.variable(name) for name in robot.free_symbols}
    return ExactState(
        ring,
        instantiate(robot, ExactConstants(ring), symbols),
        [ring.variable(f"q{k}") for k in range(robot.nq)],
        [ring.variable(f"v{k}") for k in range(robot.nv)],
        [ring.variable(f"a{k}") for k in range(robot.nv)],
    )


class _AngleRecorder:
    """Floats that remember the constant angles they were asked for."""

    def __init__(self) -> None:
        self.seen: dict[Formula, None] = {}

    def sin_cos(self, angle: Formula) -> tuple[float, float]:
        if quarter_turns(float(angle)) is None:
            self.seen[angle] = None
        return FLOATS.sin_cos(angle)

    def rational(self, value: Fraction) -> float:
        return FLOATS.rational(value)

    def pi(self) -> float:
        return FLOATS.pi()

    def sqrt(self, value: Formula) -> float:
        return FLOATS.sqrt(value)


def _constant_angles(robot: Robot) -> tuple[Formula, ...]:
    recorder = _AngleRecorder()
    values: Mapping[str, float] = dict.fromkeys(robot.free_symbols, 0.5)
    instantiate(robot, recorder, values)
    return tuple(recorder.seen)
