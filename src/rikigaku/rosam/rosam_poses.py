"""Joint variables and transforms of ROSAM II (Table 1): from link to link, within a branch, from the base.

Results are keyed by link and branch number, as the paper's names are: T[3, 1] is link 3 of branch 1,
T["H", 1] the hand of branch 1.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import UnknownName, WrongValue
from rikigaku.core.value_text import short
from rikigaku.laws.catalogue import LAWS
from rikigaku.laws.display_names import input_names
from rikigaku.laws.specialization import Specialization
from rikigaku.model.geometry import ModifiedDH
from rikigaku.model.mechanism import Mechanism
from rikigaku.model.robot_model import Frame, RobotModel
from rikigaku.robot import Robot
from rikigaku.rosam.data_reader import robot_from_data
from rikigaku.rosam.robot_data import RobotData
from rikigaku.spatial.pose import Pose
from rikigaku.symbolic.base_parameters.parameter_names import branches
from rikigaku.symbolic.formulas.exact_formula import ExactFormula
from rikigaku.symbolic.formulas.exact_state import ExactState, exact_state
from rikigaku.symbolic.formulas.formula_array import Formulas
from rikigaku.symbolic.formulas.formula_context import FormulaContext
from rikigaku.symbolic.formulas.law_formulas import law_formulas

Described = Robot | RobotData | Mapping[str, Any]
Key = tuple[int | str, int]


class Numbered(dict[Any, Formulas]):
    """Results by number of link and branch; a missing key raises UnknownName with the known ones."""

    def __missing__(self, key: object) -> Formulas:
        known = [str(x).replace("'", '"') for x in self]
        what = "entry" if isinstance(next(iter(self), None), int) else "entry (link, branch)"
        raise UnknownName(what, key, known, "the table of matrices")

    def __repr__(self) -> str:
        """One matrix after the other, each under its key: [2, 1] is link 2 of branch 1."""
        return "\n".join(f"[{_key_text(key)}]: {x}" for key, x in self.items())


def _key_text(key: object) -> str:
    parts = key if isinstance(key, tuple) else (key,)
    return ", ".join(f'"{x}"' if isinstance(x, str) else str(x) for x in parts)


@checked
def Make_q(robot: Described, /) -> Formulas:
    """Make_q: the joint variable vector q. Ours: `robot.joints`, in the order of q."""
    state, context = _exact_state_and_context(as_robot(robot))
    return _formulas("q", np.array(state.q, dtype=object), context)


@checked
def Make_T(robot: Described, /) -> dict[Key, Formulas]:
    """Make_T: homogeneous matrices from each link to the next, without B. Ours: `Body.placement`, `moved`."""
    return _relative(as_robot(robot), from_branch=False)


@checked
def Make_R(robot: Described, /) -> dict[Key, Formulas]:
    """Make_R: rotation matrices from each link to the next. Ours: the rotations of `Make_T`."""
    return _rotations(Make_T(robot))


@checked
def Make_p(robot: Described, /) -> dict[Key, Formulas]:
    """Make_p: position vectors from each link to the next. Ours: the positions of `Make_T`."""
    return _positions(Make_T(robot))


@checked
def Make_T0(robot: Described, /) -> dict[Key, Formulas]:
    """Make_T0: homogeneous matrices from the origin of the branch, behind B. Ours: products of `Make_T`."""
    return _relative(as_robot(robot), from_branch=True)


@checked
def Make_R0(robot: Described, /) -> dict[Key, Formulas]:
    """Make_R0: rotation matrices from the origin of the branch. Ours: the rotations of `Make_T0`."""
    return _rotations(Make_T0(robot))


@checked
def Make_p0(robot: Described, /) -> dict[Key, Formulas]:
    """Make_p0: position vectors from the origin of the branch. Ours: the positions of `Make_T0`."""
    return _positions(Make_T0(robot))


@checked
def Make_B(robot: Described, /) -> dict[int, Formulas]:
    """Make_B: sub-homogeneous matrices Rz(beta) Tz(b) (eq. 1). Ours: `ModifiedDH.beta`, `b`."""
    marked, origins = _with_origins(as_robot(robot))
    state, context = _exact_state_and_context(marked)
    made = Numbered()
    for (i, k), name in link_names(marked).items():
        if i == 1:
            parent = marked.link(name).parent
            made[k] = _matrix(f"B of branch {k}", _between(state, parent, origins[k]), context)
    return made


@checked
def Make_TBase(robot: Described, /) -> dict[Key, Formulas]:
    """Make_TBase: homogeneous matrices from the base to links and hands (eq. 2). Ours: `pose.symbolic`."""
    robot = as_robot(robot)
    return Numbered({key: pose(robot, name) for key, name in frame_names(robot).items()})


@checked
def Make_RBase(robot: Described, /) -> dict[Key, Formulas]:
    """Make_RBase: rotation matrices from the base. Ours: the rotations of `Make_TBase`."""
    return _rotations(Make_TBase(robot))


@checked
def Make_pBase(robot: Described, /) -> dict[Key, Formulas]:
    """Make_pBase: position vectors from the base. Ours: the positions of `Make_TBase`."""
    return _positions(Make_TBase(robot))


@checked
def Make_Serial(robot: Described, branch: int, /) -> Robot:
    """Make_Serial: branch k viewed as a serial robot connected to the base. Ours: a Robot of its links."""
    robot = as_robot(robot)
    name = hand_link(robot, branch)
    kept = {robot.base}
    while name != robot.base:
        kept.add(name)
        name = robot.link(name).parent
    for link in robot.links:  # links fixed on them belong to them
        if link.joint.type == "fixed" and link.parent in kept:
            kept.add(link.name)
    links = tuple(link for link in robot.links if link.name in kept)
    frames = tuple(frame for frame in robot.frames if frame.link in kept)
    title = f"{robot.name}_branch{branch}"
    return replace(robot, name=title, links=links, frames=frames, loops=(), couplings=(), independent=())


# -- used by the other modules of this package -----------------------------------------------------------
def as_robot(robot: Described) -> Robot:
    """The Robot of a Robot, RobotData or dictionary."""
    if isinstance(robot, Robot):
        return robot
    if not isinstance(robot, RobotData | Mapping):
        raise WrongValue(
            f"{short(robot)} describes no robot. Give a Robot (rk.load(...)), RobotData, or a dictionary "
            "with the fields of Table 2."
        )
    return robot_from_data(robot)


def link_names(robot: RobotModel) -> dict[tuple[int, int], str]:
    """Names of the moving links by link and branch number."""
    found = {number: name for name, number in branches(robot).items()}
    return {key: found[key] for key in sorted(found, key=lambda key: key[::-1])}


def pose(robot: Robot, frame: str) -> Formulas:
    """The pose of a frame in the base."""
    found: Formulas = law_formulas(robot, LAWS["tree.pose"], Specialization((("frame", frame),)))
    return Formulas(f"T, pose of {frame}", found.array, found.context)


def hand_link(robot: Robot, branch: int) -> str:
    """The last link of a branch."""
    names = link_names(robot)
    last = max((i for i, k in names if k == branch), default=0)
    if not last:
        known = sorted({str(k) for _, k in names})
        raise UnknownName("branch", branch, known, f"robot {robot.name!r}")
    return names[last, branch]


def hand(robot: Robot, branch: int) -> str:
    """The hand of a branch: the first frame on its last link, or that link itself."""
    link = hand_link(robot, branch)
    return next((frame.name for frame in robot.frames if frame.link == link), link)


def hands(robot: Robot, branch: int | None = None) -> list[str]:
    """The hand of a branch, or those of all (eq. 5)."""
    chosen = sorted({k for _, k in link_names(robot)}) if branch is None else [branch]
    return [hand(robot, k) for k in chosen]


def frame_names(robot: Robot) -> dict[Key, str]:
    """Links and hands by number: (3, 1), ("H", 1)."""
    names: dict[Key, str] = {(i, k): name for (i, k), name in link_names(robot).items()}
    for k in sorted({k for _, k in link_names(robot)}):
        if (name := hand(robot, k)) != hand_link(robot, k):
            names["H", k] = name
    return names


def _relative(robot: Robot, from_branch: bool) -> dict[Key, Formulas]:
    marked, origins = _with_origins(robot)
    state, context = _exact_state_and_context(marked)
    names, result = link_names(robot), Numbered()
    for (i, k), name in frame_names(robot).items():
        before = hand_link(robot, k) if i == "H" else names.get((int(i) - 1, k), "")
        start = origins[k] if from_branch or not before else before
        result[i, k] = _matrix(f"T, pose of {name}", _between(state, start, name), context)
    return result


def _with_origins(robot: Robot) -> tuple[Robot, dict[int, str]]:
    """The robot with a frame where each branch begins, behind B."""
    frames, origins = [], {}
    for (i, k), name in link_names(robot).items():
        if i == 1:
            link = robot.link(name)
            sub = link.geometry
            geometry = ModifiedDH(beta=sub.beta, b=sub.b) if isinstance(sub, ModifiedDH) else ModifiedDH()
            origins[k] = f"origin of branch {k}"
            frames.append(Frame(origins[k], link.parent, geometry))
    return replace(robot, frames=(*robot.frames, *frames)), origins


def _between(state: ExactState, start: str, end: str) -> Pose:
    """The pose of a frame in one nearer to the base."""
    mechanism: Mechanism = state.mechanism
    (first, on_first), (i, X) = mechanism.frames[start], mechanism.frames[end]
    while i != first:
        body = mechanism.bodies[i]
        X = body.placement.compose(body.moved(state.q)).compose(X)
        i = body.parent
    return on_first.inverse().compose(X)


def _exact_state_and_context(robot: Robot) -> tuple[ExactState, FormulaContext]:
    state = exact_state(robot)
    sizes = (("q", (robot.nq,)), ("v", (robot.nv,)), ("a", (robot.nv,)))
    return state, FormulaContext(robot, state.ring, input_names(robot, sizes))


def _matrix(title: str, pose: Pose, context: FormulaContext) -> Formulas:
    return _formulas(title, np.array(pose.matrix(), dtype=object), context)


def _formulas(title: str, numbers: Any, context: FormulaContext) -> Formulas:
    array = np.empty(numbers.shape, dtype=object)
    for index, x in np.ndenumerate(numbers):
        array[index] = ExactFormula(x, context)
    return Formulas(title, array, context)


def _rotations(poses: dict[Key, Formulas]) -> dict[Key, Formulas]:
    return Numbered({key: _part(T, "R", "rotation", np.s_[:3, :3]) for key, T in poses.items()})


def _positions(poses: dict[Key, Formulas]) -> dict[Key, Formulas]:
    return Numbered({key: _part(T, "p", "position", np.s_[:3, 3]) for key, T in poses.items()})


def _part(T: Formulas, letter: str, what: str, places: Any) -> Formulas:
    """A part of a pose under its own letter: "p, position of l11"."""
    return Formulas(T.title.replace("T, pose", f"{letter}, {what}"), T.array[places], T.context)
