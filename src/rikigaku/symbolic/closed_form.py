"""Inverse kinematics as formulas: every joint from the pose of a frame, branch by branch.

The method is that of [Kawasaki1999]: polynomials in sines and cosines, split where axes meet or are parallel,
brought to triangular form, solved upward by square roots. Every branch is checked by substitution, exactly.
Reference: H. Kawasaki, T. Shimizu, Development of the robot symbolic analysis system ROSAM II, J. Robotics
Society of Japan 17(3), 1999; D. Pieper, The kinematics of manipulators under computer control, 1968 (three
axes that meet).
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from rikigaku.errors import NotSolvable, TooLarge, UnknownName, WrongValue
from rikigaku.laws.kinematics import jacobian
from rikigaku.model.mechanism import instantiate
from rikigaku.model.robot import Robot
from rikigaku.numbers.exact import Exact
from rikigaku.numbers.formula import RESERVED, Formula
from rikigaku.numbers.kind import FLOATS
from rikigaku.spatial.pose import Pose
from rikigaku.symbolic.closed_form_chain import (
    TARGET,
    Axis,
    Chain,
    canonical,
    chain_to,
    checked,
    exact_geometry,
    stripped,
)
from rikigaku.symbolic.closed_form_check import verified
from rikigaku.symbolic.closed_form_equations import as_pose, structured
from rikigaku.symbolic.closed_form_lines import unknowns
from rikigaku.symbolic.closed_form_loops import loop_chain, loop_pose, with_cut_joints
from rikigaku.symbolic.closed_form_planar import Plane, plane_of
from rikigaku.symbolic.closed_form_result import JointFormulas
from rikigaku.symbolic.closed_form_solver import Solver
from rikigaku.symbolic.closed_form_steps import Names, Translation, needed

POSITION = ("px", "py", "pz")
ROTATION = tuple(f"r{i}{j}" for i in "123" for j in "123")
TARGETS = ("pose", "position", "planar")


def inverse_kinematics_formulas(
    robot: Robot, frame: str = "hand", target: str | None = None, given: Sequence[str] = ()
) -> JointFormulas:
    """Joint positions that bring a frame to a pose, as formulas of the pose and the robot's symbols.

    Args:
        frame: a frame or link.
        target: "pose"; "position" of the frame's origin alone; "planar": two coordinates and the angle phi,
            for arms that move in a coordinate plane. Left out, what the number of joints asks for.
        given: joints that are not solved for but known (an arm of seven joints: one of them).
    Returns:
        JointFormulas: `.branches`, `.solve(pose)`; text, LaTeX, SymPy. Of a robot with loops all joints are
        solved for that the loops determine.
    Raises:
        NotSolvable: where square roots are not enough, with the joints and the degree of what remains.
    """
    return _formulas(robot, frame, target, tuple([given] if isinstance(given, str) else given))


@lru_cache(maxsize=64)
def _formulas(robot: Robot, frame: str, target: str | None, given: tuple[str, ...]) -> JointFormulas:
    robot.frame(frame)  # an unknown name is an error here, with a suggestion
    if target not in (None, *TARGETS):
        raise UnknownName("target", target, TARGETS, "inverse kinematics")
    ring, mechanism = exact_geometry(with_cut_joints(stripped(robot)))
    chain = canonical(chain_to(mechanism, ring, *mechanism.frames[frame]))
    checked(robot, frame, chain)
    known = {axis for axis in chain.axes if axis.place in _places(robot, given)}
    plane = plane_of(chain)
    target = target or _usual_target(chain, plane, len(known))
    if target == "planar" and plane is None:
        raise WrongValue(
            f"Frame {frame!r} of robot {robot.name!r} does not move in a coordinate plane. "
            f"Use target='pose' or 'position'."
        )
    turns = target != "position"
    _enough(robot, frame, target, chain, [axis for axis in chain.axes if axis not in known])

    names = Names([*robot.free_symbols, *RESERVED])
    pose_names = [names.new(x) for x in (*POSITION, *ROTATION)]
    coordinates = _coordinate_names(robot, names)
    formula = Translation(ring, {f"q[{k}]": Formula.symbol(name) for k, name in coordinates.items()})
    formula.meaning.update({g: Formula.symbol(name) for g, name in zip(TARGET, pose_names, strict=True)})
    elements, reached = structured(chain, turns)
    conditions = [Formula.symbol(name) - formula(x) for name, x in zip(pose_names, elements, strict=False)]
    if target == "planar":
        assert plane is not None
        phi = names.new("phi")
        formula.meaning.update(plane.rotation(Formula.symbol(phi)))
        pose_names = [*(pose_names[k] for k in plane.across), phi]
        conditions = [x for k, x in enumerate(conditions[:3]) if k == plane.normal]
    inner, wanted = _wanted(chain, turns, elements)
    solver = Solver(inner, turns, formula, names, coordinates, robot.nq)
    solver.known |= known
    solver.begin({g: formula(x) for g, x in zip(TARGET, wanted, strict=True)})
    requirements: list[tuple[Any, Any]] = [(x, None) for x in reached[: 12 if turns else 3]]
    try:
        solver.solve()
        steps = [*solver.steps]
        done = set(chain.axes)
        for closure in mechanism.loops:
            part = loop_chain(mechanism, ring, closure, done)
            if part is not None:
                cycle, outside = part
                again = Solver(cycle, True, formula, names, coordinates, robot.nq, solver.level, solver.roots)
                again.known |= done
                again.begin({g: formula(x) for g, x in zip(TARGET, loop_pose(cycle, outside), strict=True)})
                again.solve()
                steps += again.steps
                solver = again
                done |= set(cycle.axes)
                whole = cycle.pose().compose(outside)
                constants = Pose().matrix()
                requirements += [
                    (x, y)
                    for row, one in zip(whole.matrix()[:3], constants, strict=False)
                    for x, y in zip(row, one, strict=True)
                ]
    except NotSolvable as error:
        raise _unsolved(robot, frame, target, error) from None
    except TooLarge:
        left = NotSolvable(
            "The equations of this geometry grow beyond bounds. Where the file has rounded angles (1.5708 for "
            "pi/2), give them in full.",
            [coordinates[axis.place] for axis in solver.chain.axes],
        )
        raise _unsolved(robot, frame, target, left) from None
    result = JointFormulas(
        robot=robot,
        frame=frame,
        target=target,
        pose_names=tuple(pose_names if target == "planar" else pose_names[: 12 if turns else 3]),
        coordinates={k: name for k, name in coordinates.items() if k < robot.nq},
        given=tuple(sorted(axis.place for axis in known)),
        steps=needed(steps),
        conditions=tuple(x for x in conditions[: 12 if turns else 3] if x),
        plane=plane if target == "planar" else None,
    )
    return verified(result, ring, [*chain.axes], requirements).without_cut_joints()


def _coordinate_names(robot: Robot, names: Names) -> dict[int, str]:
    """A name that a formula can hold for each element of q: the joint's own where it can be."""
    found = {}
    for joint in robot.joints:
        start = robot.q_slices[joint.name].start
        for k in range(joint.nq):
            own = joint.name if joint.nq == 1 else f"{joint.name}_{k + 1}"
            name = re.sub(r"\W", "_", own, flags=re.ASCII)
            found[start + k] = names.new(name if name.isidentifier() else f"q_{name}")
    for k, _ in enumerate(robot.loops):
        found[robot.nq + k] = names.new(f"cut{k + 1}")
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


def _usual_target(chain: Chain, plane: Plane | None, known: int) -> str:
    unknown = len(chain.axes) - known
    if plane is not None and unknown == 3:
        return "planar"
    return "pose" if unknown > 3 else "position"


def _enough(robot: Robot, frame: str, target: str, chain: Chain, unknown: list[Axis]) -> None:
    """Every joint must matter, and there must not be more than the target fixes."""
    pose = chain.pose()
    reached = [*pose.p] if target == "position" else [*pose.p, *(x for row in pose.R for x in row)]
    names = {robot.q_slices[joint.name].start: joint.name for joint in robot.joints}
    matter = {axis for x in reached if isinstance(x, Exact) for axis in unknowns(x, unknown)}
    if idle := [names[axis.place] for axis in unknown if axis not in matter]:
        raise NotSolvable(
            f"The {target} of frame {frame!r} of robot {robot.name!r} does not depend on {', '.join(idle)}. "
            "Choose a frame further out, or target='pose'.",
            idle,
        )
    most = {"pose": 6, "position": 3, "planar": 3}[target]
    if len(unknown) > most:
        raise NotSolvable(
            f"Robot {robot.name!r}: the {target} of frame {frame!r} fixes {most} joints and {len(unknown)} "
            f"move it. Name {len(unknown) - most} that you will give, like given=[{names[unknown[-1].place]!r}].",
            [names[axis.place] for axis in unknown],
        )
    if _rank(robot, frame, target, [axis.place for axis in unknown]) < len(unknown):
        moving = [names[axis.place] for axis in unknown]
        raise NotSolvable(
            f"Robot {robot.name!r}: {', '.join(moving)} do not move the {target} of frame {frame!r} "
            "independently of each other, in no posture. Name joints that you will give: given=[...].",
            moving,
        )


def _rank(robot: Robot, frame: str, target: str, places: list[int]) -> int:
    """How many independent motions the joints make, at a generic posture of a generic geometry."""
    rng = np.random.default_rng(0)
    plain = stripped(robot)
    mechanism = instantiate(plain, FLOATS, {name: rng.uniform(0.5, 1.5) for name in plain.free_symbols})
    J = np.array(jacobian(mechanism, list(rng.uniform(0.3, 1.3, robot.nq)), frame), dtype=float)
    columns = [k for body in mechanism.bodies for p, k in zip(body.q, body.v, strict=False) if p in places]
    return int(np.linalg.matrix_rank(J[: 3 if target == "position" else 6, columns], tol=1e-9))


def _places(robot: Robot, given: Sequence[str]) -> set[int]:
    for name in given:
        robot.joint(name)  # an unknown name is an error here, with a suggestion
    return {robot.q_slices[name].start for name in given}


def _unsolved(robot: Robot, frame: str, target: str, error: NotSolvable) -> NotSolvable:
    return NotSolvable(
        f"Robot {robot.name!r}: the {target} of frame {frame!r} gives no formula for "
        f"{', '.join(error.joints)}. {error} Use robot.inverse_kinematics(...), which is numeric.",
        error.joints,
        error.degree,
    )
