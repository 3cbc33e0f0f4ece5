"""Descriptions of a law's inputs, for comments in exported code and for documents."""

from collections.abc import Sequence

from rikigaku.laws.law import Law
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.program import Port

_INPUTS = {
    "q": "joint positions [rad, m]",
    "v": "joint velocities [rad/s, m/s]",
    "a": "joint accelerations [rad/s^2, m/s^2]",
    "tau": "joint forces [N m, N]",
    "momentum": "linear [N s] and angular [N m s] momentum about the centre of mass, world axes: components",
    "twist": "velocity [m/s] and angular velocity [rad/s] of the frame, world axes: components",
    "acceleration": "linear [m/s^2] and angular [rad/s^2] acceleration of the frame, world axes: components",
    "target": "position [m] and unit quaternion of the frame in the world: components",
    "gains": "gains [1/s, 1/s^2] (of transposed_jacobian [N s/m, N/m])",
}


def input_descriptions(robot: RobotModel, law: Law, ports: Sequence[Port]) -> tuple[str, ...]:
    """A phrase for each input of a law's program: its own, gravity, wrenches, then the robot's symbols."""
    own, symbols = len(law.inputs), len(robot.free_symbols)
    texts = [_of_joints(robot, law, port.name) for port in ports[:own]]
    for port in ports[own : len(ports) - symbols]:
        texts.append(
            "acceleration of free fall, world axes [m/s^2]"
            if port.name == "gravity"
            else f"{port.name}: force [N], then moment [N m], at the origin of the frame, world axes"
        )
    return (*texts, *(_of_symbol(robot, port) for port in ports[len(ports) - symbols :]))


def _of_joints(robot: RobotModel, law: Law, name: str) -> str:
    if (chosen := law.coordinates.get(name)) is not None:
        return f"{_INPUTS[name]} of {', '.join(chosen)}"
    slices = robot.q_slices if name == "q" else robot.v_slices
    joints = []
    for joint in robot.joints:
        place = slices[joint.name]
        count = place.stop - place.start
        if count:
            joints.append((place.start, joint.name if count == 1 else f"{joint.name} ({count})"))
    order = ", ".join(text for _, text in sorted(joints))
    return f"{_INPUTS.get(name, name)} of {order}" if order else _INPUTS.get(name, name)


def _of_symbol(robot: RobotModel, port: Port) -> str:
    declared = {symbol.name: symbol for symbol in robot.symbols}.get(port.name)
    unit = f" [{declared.unit}]" if declared is not None and declared.unit else ""
    value = robot.declared_values.get(port.name)
    usual = f", {value:g} in the model" if value is not None else ""
    return f"the symbol {port.name}{unit}{usual}"
