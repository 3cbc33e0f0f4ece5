"""Display names of coordinates, velocities, accelerations and inputs in formulas.

A joint "theta1" with one coordinate gives theta1, theta1_dot, theta1_ddot (LaTeX shows dots) and tau_theta1.
A joint "j" with several: universal j_1, j_2; planar j_x, j_y, j_theta; spherical j_qw .. j_qz with the
angular velocity j_wx, j_wy, j_wz; free j_x, j_y, j_z, j_qw .. j_qz with the body twist j_vx .. j_wz. Such
quasi-velocities have one dot less: their rate is j_wx_dot. A name that a symbol of the robot has already, or
that LaTeX would print like one, gets a "_" behind it.
"""

import keyword
import re
from collections.abc import Iterable, Sequence

from rikigaku.laws.law import Law
from rikigaku.model.coordinate_names import coordinate_names
from rikigaku.model.joint import Joint
from rikigaku.model.joints.joint_types import joint_type
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.formula import RESERVED
from rikigaku.numbers.latex_names import latex_name
from rikigaku.numbers.program import Shape

Inputs = Sequence[tuple[str, Shape]]

_WRENCH = ("_fx", "_fy", "_fz", "_nx", "_ny", "_nz")


def input_names(robot: RobotModel, inputs: Inputs = ()) -> dict[str, str]:
    """The name of every element of q, v, a, tau and other inputs ("q[0]": "theta1"), all different."""
    taken = {*robot.free_symbols, *map(latex_name, robot.free_symbols)}
    found: dict[str, str] = {}
    for joint in robot.joints:
        for k, wanted in zip(_places(robot, joint), _position_names(joint), strict=True):
            found[f"q[{k}]"] = _new(wanted, taken)
    for joint in robot.joints:
        places = range(*robot.v_slices[joint.name].indices(robot.nv))
        if quasi_velocities := joint_type(joint.type).velocity_suffixes:
            rates = [_new(joint.name + ending, taken) for ending in quasi_velocities]
            _name_all(found, "v", places, rates)
            _name_all(found, "a", places, [_new(f"{name}_dot", taken) for name in rates])
        else:
            rates = [found[f"q[{k}]"] for k in _places(robot, joint)]
            _name_all(found, "v", places, [_new(f"{name}_dot", taken) for name in rates])
            _name_all(found, "a", places, [_new(f"{name}_ddot", taken) for name in rates])
        _name_all(found, "tau", places, [_new(f"tau_{name}", taken) for name in rates])
    for name, shape in inputs:
        numbered = () if f"{name}[0]" in found else tuple(f"_{k + 1}" for k in range(*shape))
        endings = {"gravity": ("_x", "_y", "_z")}.get(
            name, _WRENCH if name.startswith("wrench on ") else numbered
        )
        stem = name.removeprefix("wrench on ")
        _name_all(found, name, range(len(endings)), [_new(stem + ending, taken) for ending in endings])
    return found


def law_names(robot: RobotModel, law: Law, inputs: Inputs) -> dict[str, str]:
    """`input_names`, where an input that takes only some coordinates has only their names, in its order."""
    names = input_names(robot, inputs)
    own = {name: generators(robot, law, name, shape) for name, shape in inputs if name in law.coordinates}
    found = {x: name for x, name in names.items() if x.partition("[")[0] not in own}
    return found | {x: names[x] for places in own.values() for x in places}


def port_names(robot: RobotModel, law: Law, inputs: Inputs) -> dict[str, str]:
    """The name of every number of a law's inputs by its place there: "v[0]" is the first that it takes."""
    names = input_names(robot, inputs)
    return {
        f"{name}[{k}]": names[x]
        for name, shape in inputs
        for k, x in enumerate(generators(robot, law, name, shape))
    }


def generators(robot: RobotModel, law: Law, name: str, shape: Shape) -> list[str]:
    """Generators of a law's input; v of chosen coordinates keeps their places in the whole v ("v[3]")."""
    own, known = law.coordinates.get(name, ()), coordinate_names(robot)
    if name in ("v", "a", "tau") and own and set(own) <= set(known):
        return [f"{name}[{known.index(x)}]" for x in own]
    return [f"{name}[{k}]" for k in range(shape[0])]


def _position_names(joint: Joint) -> list[str]:
    return [joint.name + ending for ending in joint_type(joint.type).coordinate_suffixes]


def _places(robot: RobotModel, joint: Joint) -> range:
    return range(*robot.q_slices[joint.name].indices(robot.nq))


def _name_all(found: dict[str, str], what: str, places: Iterable[int], names: Iterable[str]) -> None:
    found.update({f"{what}[{k}]": name for k, name in zip(places, names, strict=True)})


def _new(wanted: str, taken: set[str]) -> str:
    """An identifier like the requested one that was not taken, and is now."""
    name = re.sub(r"\W", "_", wanted, flags=re.ASCII)
    if not name.isidentifier():
        name = f"q_{name}"
    while name in taken or latex_name(name) in taken or name in RESERVED or keyword.iskeyword(name):
        name += "_"
    taken.add(name)
    return name
