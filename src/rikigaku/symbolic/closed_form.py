"""Inverse kinematics as formulas: every joint from the pose of a frame, branch by branch.

The method is that of [Kawasaki1999]: polynomials in sines and cosines, split where axes meet or are parallel,
brought to triangular form, solved upward by square roots. Every branch is checked by substitution, exactly.
Reference: H. Kawasaki, T. Shimizu, Development of the robot symbolic analysis system ROSAM II, J. Robotics
Society of Japan 17(3), 1999; D. Pieper, The kinematics of manipulators under computer control, 1968 (three axes
that meet).
"""

from collections.abc import Sequence
from typing import Any

from rikigaku.errors import NotSolvable, UnknownName, WrongValue
from rikigaku.model.robot import Robot
from rikigaku.numbers.formula import RESERVED, Formula
from rikigaku.spatial.pose import Pose
from rikigaku.symbolic.closed_form_chain import (
    TARGET,
    Chain,
    canonical,
    chain_to,
    checked,
    exact_geometry,
    stripped,
)
from rikigaku.symbolic.closed_form_check import verified
from rikigaku.symbolic.closed_form_equations import as_pose, structured
from rikigaku.symbolic.closed_form_result import JointFormulas
from rikigaku.symbolic.closed_form_solver import Solver
from rikigaku.symbolic.closed_form_steps import Names, Translation, needed

POSITION = ("px", "py", "pz")
ROTATION = tuple(f"r{i}{j}" for i in "123" for j in "123")
TARGETS = ("pose", "position")


def inverse_kinematics_formulas(
    robot: Robot, frame: str = "hand", target: str | None = None, given: Sequence[str] = ()
) -> JointFormulas:
    """Joint positions that bring a frame to a pose, as formulas of the pose and the robot's symbols.

    Args:
        frame: a frame or link.
        target: "pose", or "position" of the frame's origin alone. Left out: the pose, or the position where the
            arm has too few joints for more.
        given: joints that are not solved for but known (an arm of seven joints: one of them).
    Returns:
        JointFormulas: `.branches`, `.solve(pose)`, `.sympy()`; LaTeX in a notebook.
    Raises:
        NotSolvable: where square roots are not enough, with the joints and the degree of what remains.
    """
    checked(robot, frame)
    if target not in (None, *TARGETS):
        raise UnknownName("target", target, TARGETS, "inverse kinematics")
    plain = stripped(robot)
    ring, mechanism = exact_geometry(plain)
    chain = canonical(chain_to(mechanism, ring, *mechanism.frames[frame]))
    if not chain.axes:
        raise WrongValue(f"Frame {frame!r} of robot {robot.name!r} moves with no joint.")
    names = Names([*robot.free_symbols, *RESERVED])
    pose_names = [names.new(x) for x in (*POSITION, *ROTATION)]
    coordinates = coordinate_names(robot, names)
    if target is None:
        target = "pose" if len(chain.axes) > 3 or (_is_planar(chain) and len(chain.axes) == 3) else "position"
    formula = Translation(ring, {f"q[{k}]": Formula.symbol(name) for k, name in coordinates.items()})
    turns = target == "pose"
    formula.meaning.update({g: Formula.symbol(name) for g, name in zip(TARGET, pose_names, strict=True)})
    elements, _ = structured(chain, turns)
    inner, wanted = _wanted(chain, turns, elements)
    solver = Solver(inner, turns, formula, names, coordinates)
    known = _given(robot, given, coordinates)
    solver.known |= {axis for axis in chain.axes if axis.place in known}
    conditions = [Formula.symbol(name) - formula(x) for name, x in zip(pose_names, elements, strict=False)]
    solver.begin({g: formula(x) for g, x in zip(TARGET, wanted, strict=True)})
    try:
        solver.solve()
    except NotSolvable as error:
        raise _unsolved(robot, frame, target, error) from None
    result = JointFormulas(
        robot=robot,
        frame=frame,
        target=target,
        pose_names=tuple(pose_names[: 12 if turns else 3]),
        coordinates=coordinates,
        given=tuple(known),
        steps=needed(solver.steps),
        conditions=tuple(x for x in conditions[: 12 if turns else 3] if x),
    )
    return verified(result, chain, turns)


def coordinate_names(robot: Robot, names: Names) -> dict[int, str]:
    """A name that a formula can hold for each element of q: the joint's own where it can be."""
    import re

    found = {}
    for joint in robot.joints:
        start = robot.q_slices[joint.name].start
        for k in range(joint.nq):
            own = joint.name if joint.nq == 1 else f"{joint.name}_{k + 1}"
            name = re.sub(r"\W", "_", own, flags=re.ASCII)
            found[start + k] = names.new(name if name.isidentifier() else f"q_{name}")
    return found


def _wanted(chain: Chain, turns: bool, elements: list[Any]) -> tuple[Chain, list[Any]]:
    """The chain without its outer constants, and the pose it has to reach instead."""
    T = as_pose(elements)
    first, *between, last = chain.constants
    if turns:
        T = first.inverse().compose(T).compose(last.inverse())
        constants = (Pose(), *between, Pose())
    else:
        T = Pose(T.R, first.inverse().compose(Pose(p=T.p)).p)
        constants = (Pose(), *between, Pose(p=last.p))
    inner = Chain(chain.ring, chain.axes, constants)
    return inner, [*T.p, *(x for row in T.R for x in row)]


def _is_planar(chain: Chain) -> bool:
    """All motion in one plane: the frame's rotation is about a fixed axis, and so on."""
    from rikigaku.numbers.exact import Exact

    pose = chain.pose()
    fixed = sum(not isinstance(x, Exact) for row in pose.R for x in row)
    return fixed >= 5 and any(not isinstance(x, Exact) for x in pose.p)


def _given(robot: Robot, given: Sequence[str], coordinates: dict[int, str]) -> dict[int, str]:
    places = {}
    for name in given:
        robot.joint(name)
        place = robot.q_slices[name].start
        places[place] = coordinates[place]
    return places


def _unsolved(robot: Robot, frame: str, target: str, error: NotSolvable) -> NotSolvable:
    return NotSolvable(
        f"Robot {robot.name!r}: the {target} of frame {frame!r} gives no formula for {', '.join(error.joints)}. "
        f"{error} Use robot.inverse_kinematics(...), which is numeric.",
        error.joints,
        error.degree,
    )
