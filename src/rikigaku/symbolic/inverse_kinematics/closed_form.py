"""Closed-form inverse kinematics: every joint as a formula of a frame's pose, branch by branch.

After [Kawasaki1999]: the pose equations are polynomials in sines and cosines. They are split where axes
intersect or are parallel, brought to triangular form, and solved joint by joint with square roots. In the
paper a Groebner basis gives the triangular form; here it follows by moving transforms to the other side,
Cramer's rule and resultants, and a basis is computed only if these fail (`joint_elimination`). Every branch
is verified by exact substitution.
Reference: H. Kawasaki, T. Shimizu, Development of the robot symbolic analysis system ROSAM II, J. Robotics
Society of Japan 17(3), 1999; D. Pieper, The kinematics of manipulators under computer control, 1968 (three
axes that meet).
"""

import itertools
import re
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from rikigaku.core.errors import NotSolvable, TooLarge, WrongValue
from rikigaku.core.progress import Progress
from rikigaku.formats.toml.toml_file import parse_toml, to_toml
from rikigaku.laws.closed.loop_equations import loop_residual
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.formula import ONE, RESERVED, Formula
from rikigaku.numbers.number_kind import Number
from rikigaku.spatial.pose import Pose
from rikigaku.symbolic.algebra.child_process import JobOptions
from rikigaku.symbolic.algebra.job_dispatch import in_process_or_child
from rikigaku.symbolic.formulas.formula_writing import FormulaWriter
from rikigaku.symbolic.inverse_kinematics.branch_check import Requirements, verified
from rikigaku.symbolic.inverse_kinematics.closed_chains import loop_chain, loop_pose, loop_supports
from rikigaku.symbolic.inverse_kinematics.ik_branches import JointFormulas
from rikigaku.symbolic.inverse_kinematics.ik_problem import (
    NUMERIC,
    InverseKinematicsProblem,
    checked_problem,
)
from rikigaku.symbolic.inverse_kinematics.joint_formulas_json import formulas_from_json, formulas_to_json
from rikigaku.symbolic.inverse_kinematics.linear_loops import VIRTUAL, AngleSum, angle_sums
from rikigaku.symbolic.inverse_kinematics.pose_equations import Witness, as_pose, structured
from rikigaku.symbolic.inverse_kinematics.reachability import conditions
from rikigaku.symbolic.inverse_kinematics.serial_chain import TARGET, Axis, Chain
from rikigaku.symbolic.inverse_kinematics.solution_steps import (
    Angle,
    Definition,
    Displacement,
    Names,
    Step,
    direct,
    needed,
)
from rikigaku.symbolic.inverse_kinematics.triangular_solver import Solver

POSITION = ("px", "py", "pz")
ROTATION = tuple(f"r{i}{j}" for i in "123" for j in "123")

_MOST_KNOWN = 64
_KNOWN: dict[Any, JointFormulas] = {}
_ADVICE = "Give more time (time_limit=...), or values to some symbols (robot.bind(...))."


def inverse_kinematics_formulas(
    robot: RobotModel,
    frame: str = "hand",
    target: str | None = None,
    given: Sequence[str] = (),
    *,
    linear: bool = True,
    time_limit: float = 60.0,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> JointFormulas:
    """Joint positions that bring a frame to a pose, as formulas of the pose and the robot's symbols.

    Most arms take a second at most. Longer work is done in a child process and cached on disk.

    Args:
        frame: a frame or link.
        target: "pose"; "position" of the frame's origin alone; "planar": two coordinates and the angle phi,
            for arms that move in a coordinate plane. By default the number of joints decides.
        given: joints whose values will be given, not solved for (for an arm of seven joints: one).
        linear: of a robot whose loops have linear relations (parallelograms), the solutions in the assembly
            mode of these; False: those of all assembly modes.
        time_limit: seconds of the whole wait; with 0 only a result found earlier is read.
        progress: called with each progress message.
        cancel: set it from another thread to stop the work (Ctrl-C stops it, too).
    Returns:
        JointFormulas: `.branches`, `.solve(pose)`; text, LaTeX, SymPy. For a robot with loops, the joints
        that the loops determine are solved for, too.
    Raises:
        NotSolvable: if square roots do not suffice, with the joints and the degree of the remaining equation.
        TimeLimit, JobCancelled: where the work was stopped.
    """
    if isinstance(given, str):
        given = (given,)
    if not isinstance(given, Sequence) or not all(isinstance(name, str) for name in given):
        raise WrongValue(f"given is a list of names of joints, given=['q3'], not {given!r}.")
    key = robot, frame, target, tuple(given), linear
    work = JobOptions(time_limit, progress, cancel)
    if key not in _KNOWN:
        result = _found(*key, work)
        if len(_KNOWN) >= _MOST_KNOWN:
            del _KNOWN[next(iter(_KNOWN))]
        _KNOWN[key] = result
    return _KNOWN[key]


def _found(
    robot: RobotModel,
    frame: str,
    target: str | None,
    given: tuple[str, ...],
    linear: bool,
    work: JobOptions,
) -> JointFormulas:
    problem = checked_problem(robot, frame, target, given, linear)
    return in_process_or_child(
        lambda: formulas_of(problem),
        _job,
        {"robot": to_toml(robot), "frame": frame, "target": target, "given": list(given), "linear": linear},
        lambda result: _from_job(robot, result),
        what=f"Inverse kinematics of robot {robot.name!r}, {problem.target} of frame {frame!r},",
        work=work,
        advice=f"{_ADVICE} {NUMERIC}",
    )


def _job(data: dict[str, Any]) -> dict[str, Any]:
    robot = parse_toml(data["robot"])
    try:
        return formulas_to_json(
            formulas_of(checked_problem(robot, data["frame"], data["target"], data["given"], data["linear"]))
        )
    except NotSolvable as error:
        return {
            "unsolved": str(error),
            "joints": list(error.joints),
            "degree": error.degree,
            "equation": error.equation,
        }


def _from_job(robot: RobotModel, result: dict[str, Any]) -> JointFormulas:
    if "unsolved" in result:
        raise NotSolvable(result["unsolved"], result["joints"], result["degree"], result.get("equation", ""))
    return formulas_from_json(robot, result)


def formulas_of(problem: InverseKinematicsProblem, with_conditions: bool = True) -> JointFormulas:
    """The formulas of a problem; with_conditions: and the conditions on reachable poses."""
    robot = problem.robot
    names = Names([*robot.free_symbols, *RESERVED])
    pose_names = [names.new(x) for x in (*POSITION, *ROTATION)]
    virtual = 0 if problem.linear is None else VIRTUAL
    solution = _Solution(problem, names, _coordinate_names(robot, names, virtual))
    necessary, pose_names = solution.define_target(pose_names)
    try:
        solution.solve_frame(with_conditions)
        solution.solve_wrist()
        solution.solve_relations()
        solution.solve_loops()
    except NotSolvable as error:
        raise _unsolved(problem, error) from None
    except TooLarge:
        advice = "Where a file has rounded angles (1.5708 for pi/2), give them in full."
        left = [solution.coordinates[axis.place] for axis in problem.chain.axes]
        beyond = NotSolvable(f"The equations of this geometry become too long. {advice}", left)
        raise _unsolved(problem, beyond) from None
    result = JointFormulas(
        robot=robot,
        frame=problem.frame,
        target=problem.target,
        pose_names=tuple(pose_names),
        coordinates={k: name for k, name in solution.coordinates.items() if k < robot.nq},
        given=tuple(sorted(axis.place for axis in problem.known)),
        steps=direct(needed(solution.steps)),
        conditions=tuple(_different([*necessary, *solution.conditions])),
        more_conditions=solution.more,
        plane=problem.plane,
    )
    return verified(
        result, problem.chain.ring, problem.chain.axes, solution.requirements
    ).without_cut_joints()


class _Solution:
    """Solves the frame's own chain, then the loops connected to it."""

    def __init__(self, problem: InverseKinematicsProblem, names: Names, coordinates: dict[int, str]) -> None:
        self.problem, self.names, self.coordinates = problem, names, coordinates
        self.formula = FormulaWriter(problem.chain.ring, {f"q[{k}]": name for k, name in coordinates.items()})
        self.elements, self.reached = structured(problem.chain, problem.with_rotation)
        self.steps: list[Step] = []
        self.requirements: Requirements = [(x, None) for x in self._required()]
        self.done = set(problem.chain.axes)
        self.conditions: list[Formula] = []
        self.levels = self.roots = self.more = 0

    def _required(self) -> list[Number]:
        """The elements of the pose in the robot's own joints, which a solution must reach."""
        problem = self.problem
        if problem.wrist is None or problem.whole is None:
            return list(self.reached[: problem.size])
        ring, angle = problem.chain.ring, problem.wrist.angle
        T = problem.whole.constants[0]
        for axis, X in zip(problem.whole.axes, problem.whole.constants[1:], strict=True):
            s, c = angle.sin_cos(ring) if axis.place == angle.place else (0, 0)
            own = Pose(((c, -s, 0), (s, c, 0), (0, 0, 1)))
            T = T.compose(own if axis.place == angle.place else axis.moved(ring)).compose(X)
        return list(_elements(T))[: problem.size]

    def define_target(self, names: list[str]) -> tuple[list[Formula], list[str]]:
        """Define formulas of the target's generators; returns conditions of reachability, and its names."""
        plane, size = self.problem.plane, self.problem.size
        self.formula.substitute({g: Formula.symbol(name) for g, name in zip(TARGET, names, strict=True)})
        gaps = [Formula.symbol(names[k]) - self.formula(self.elements[k]) for k in range(size)]
        if plane is None:
            return [x for x in gaps if x], names[:size]
        phi = self.names.new("phi")
        self.formula.substitute(plane.rotation(Formula.symbol(phi)))
        return [gaps[plane.normal]], [*(names[k] for k in plane.across), phi]

    def solve_frame(self, with_conditions: bool) -> None:
        """The joints between ground and frame."""
        inner, wanted = _without_ends(self.problem, self.elements)
        outside = self.formula.copy()  # `begin` redefines the target for the inner chain
        solver = self._solver(inner, wanted, self.problem.with_rotation)
        if with_conditions:
            self._find_conditions(solver, wanted, outside)
        self._solve(solver)

    def _find_conditions(self, solver: Solver, wanted: list[Number], outside: FormulaWriter) -> None:
        """Conditions on the pose beyond those of `define_target`, if it has more freedoms than joints."""
        problem = self.problem
        count = (6 if problem.with_rotation else 3) - len(set(problem.chain.axes) - problem.known)
        if not count:
            return
        outer = dict(zip(TARGET, wanted, strict=False))
        inner, _ = structured(solver.chain, problem.with_rotation)
        variables = [problem.chain.ring.variable(name) for name in TARGET]
        gaps = [x - y for x, y in zip(variables[: problem.size], inner, strict=False)]
        stages = itertools.chain([gaps], solver.left_over())
        witness = Witness(problem.chain.ring, 1)
        witness.set({name: witness(x) for name, x in zip(TARGET, self.reached, strict=False)})
        found, self.more = conditions(count, self.elements[: problem.size], stages, outer, witness)
        self.conditions = [outside(x) for x in found]

    def solve_wrist(self) -> None:
        """The two angles that place a level wrist, and the third one, which keeps it level."""
        wrist = self.problem.wrist
        if wrist is None:
            return
        places = {axis.place for axis in wrist.displacements}
        self.steps = [
            Definition(x.name, x.value) if isinstance(x, Displacement) and x.place in places else x
            for x in self.steps
        ]
        self._solve(self._solver(wrist.arm, wrist.target, False, self.done))
        self.done |= set(wrist.arm.axes)
        self._add_sum(wrist.angle)

    def solve_relations(self) -> None:
        """The joints outside the chain that are sums of joints on it, and the loops that these close."""
        linear = self.problem.linear
        if linear is None:
            return
        size = self.problem.robot.nq
        known = {axis.place for axis in self.done}
        sums = angle_sums(linear, [k for k in range(size) if k not in known])
        for found in sums.values():
            if set(found.slopes) <= known:
                self._add_sum(found)
        mechanism, ring = self.problem.mechanism, self.problem.chain.ring
        q = [ring.variable(f"q[{k}]") for k in range(mechanism.nq)]
        known = {axis.place for axis in self.done}
        rows = zip(loop_residual(mechanism, q), loop_supports(mechanism), strict=True)
        self.requirements = [*self.requirements, *((x, 0) for x, places in rows if places <= known)]

    def _add_sum(self, found: AngleSum) -> None:
        s, c = map(self.formula, found.sin_cos(self.problem.chain.ring))
        total = found.formula(self.coordinates)
        self.steps.append(Angle(found.place, self.coordinates[found.place], s, c, ONE, total))
        self.done.add(Axis(found.place, True))

    def solve_loops(self) -> None:
        """The joints of the loops; around each loop the transforms must multiply to the identity."""
        mechanism, ring = self.problem.mechanism, self.problem.chain.ring
        done = self.done
        for closure in mechanism.loops:
            part = loop_chain(mechanism, ring, closure, done)
            if part is None:
                continue
            chain, outside = part
            self._solve(self._solver(chain, loop_pose(outside), True, done))
            done |= set(chain.axes)
            around = chain.pose().compose(outside)
            self.requirements = [*self.requirements, *zip(_elements(around), _elements(Pose()), strict=True)]

    def _solver(self, chain: Chain, wanted: list[Number], with_rotation: bool, done: Any = ()) -> Solver:
        solver = Solver(
            chain,
            with_rotation,
            self.formula,
            self.names,
            self.coordinates,
            cuts=self.problem.robot.nq,
            level=self.levels,
            roots=self.roots,
        )
        solver.known |= {*self.problem.known, *done}
        solver.begin({g: self.formula(x) for g, x in zip(TARGET, wanted, strict=True)})
        return solver

    def _solve(self, solver: Solver) -> None:
        solver.solve()
        self.steps += solver.written.steps
        self.levels, self.roots = solver.level, solver.written.roots


def _coordinate_names(robot: RobotModel, names: Names, virtual: int = 0) -> dict[int, str]:
    """A valid symbol name for each element of q: the joint's own name where possible."""
    found = {}
    for joint in robot.joints:
        start = robot.q_slices[joint.name].start
        for k in range(joint.nq):
            own = joint.name if joint.nq == 1 else f"{joint.name}_{k + 1}"
            name = re.sub(r"\W", "_", own, flags=re.ASCII)
            found[start + k] = names.new(name if name.isidentifier() else f"q_{name}")
    for k, name in enumerate(("level_x", "level_y")[:virtual]):
        found[robot.nq + k] = names.new(name)
    for k, _ in enumerate(robot.loops):
        found[robot.nq + virtual + k] = names.new(f"cut{k + 1}")
    return found


def _without_ends(problem: InverseKinematicsProblem, elements: list[Number]) -> tuple[Chain, list[Number]]:
    """The chain without its outer constants, and the pose it has to reach instead."""
    T, chain = as_pose(elements), problem.chain
    first, *between, last = chain.constants
    if problem.with_rotation:
        T = first.inverse().compose(T).compose(last.inverse())
        constants = (Pose(), *between, Pose())
    else:
        T = Pose(T.R, first.inverse().compose(Pose(p=T.p)).p)
        constants = (Pose(), *between, Pose(p=last.p))
    return Chain(chain.ring, chain.axes, constants), list(_elements(T))


def _different(formulas: list[Formula]) -> list[Formula]:
    """The formulas that differ in more than the sign."""
    found: dict[str, Formula] = {}
    for x in formulas:
        if str(-x) not in found:
            found.setdefault(str(x), x)
    return list(found.values())


def _elements(pose: Pose) -> Iterator[Number]:
    yield from pose.p
    for row in pose.R:
        yield from row


def _unsolved(problem: InverseKinematicsProblem, error: NotSolvable) -> NotSolvable:
    return NotSolvable(
        f"Robot {problem.robot.name!r}: the {problem.target} of frame {problem.frame!r} yields no formula "
        f"for {', '.join(error.joints)}. {error} {NUMERIC}",
        error.joints,
        error.degree,
        error.equation,
    )
