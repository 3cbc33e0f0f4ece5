"""Inverse kinematics as formulas: every joint from the pose of a frame, branch by branch.

After [Kawasaki1999]: polynomials in sines and cosines, split where axes meet or are parallel, brought to
triangular form, solved upward by square roots. There a Groebner basis makes the triangle; here its equations
are found by cutting the loop, Cramer's rule and resultants, and a basis is asked where these find nothing
(`basis`). Every branch is checked by substitution, exactly.
Reference: H. Kawasaki, T. Shimizu, Development of the robot symbolic analysis system ROSAM II, J. Robotics
Society of Japan 17(3), 1999; D. Pieper, The kinematics of manipulators under computer control, 1968 (three
axes that meet).
"""

import itertools
import re
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from rikigaku.errors import NotSolvable, TooLarge, WrongValue
from rikigaku.model.robot import Robot
from rikigaku.model.toml import parse_toml, to_toml
from rikigaku.numbers.formula import RESERVED, Formula
from rikigaku.numbers.kind import Number
from rikigaku.spatial.pose import Pose
from rikigaku.symbolic.algebra.here_or_there import here_or_there
from rikigaku.symbolic.algebra.jobs import Progress, Work
from rikigaku.symbolic.closed_form.advice import numeric_way
from rikigaku.symbolic.closed_form.chain import TARGET, Chain
from rikigaku.symbolic.closed_form.check import Requirements, verified
from rikigaku.symbolic.closed_form.conditions import conditions
from rikigaku.symbolic.closed_form.equations import Witness, as_pose, structured
from rikigaku.symbolic.closed_form.loops import loop_chain, loop_pose
from rikigaku.symbolic.closed_form.question import Question, question
from rikigaku.symbolic.closed_form.result import JointFormulas
from rikigaku.symbolic.closed_form.saved import restored, saved
from rikigaku.symbolic.closed_form.solver import Solver
from rikigaku.symbolic.closed_form.steps import Names, Step, direct, needed
from rikigaku.symbolic.writing import Writing

POSITION = ("px", "py", "pz")
ROTATION = tuple(f"r{i}{j}" for i in "123" for j in "123")

_MOST_KNOWN = 64
_KNOWN: dict[Any, JointFormulas] = {}
_ADVICE = "Give more time (time_limit=...), or values to some symbols (robot.bind(...))."


def inverse_kinematics_formulas(
    robot: Robot,
    frame: str = "hand",
    target: str | None = None,
    given: Sequence[str] = (),
    *,
    time_limit: float = 60.0,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> JointFormulas:
    """Joint positions that bring a frame to a pose, as formulas of the pose and the robot's symbols.

    Most arms take a second at most. What takes longer is done in a child process and kept on disk.

    Args:
        frame: a frame or link.
        target: "pose"; "position" of the frame's origin alone; "planar": two coordinates and the angle phi,
            for arms that move in a coordinate plane. Left out, what the number of joints asks for.
        given: joints that are not solved for but known (an arm of seven joints: one of them).
        time_limit: seconds in the child process.
        progress: called with each line told on the way.
        cancel: set it from another thread to stop the work (Ctrl-C stops it, too).
    Returns:
        JointFormulas: `.branches`, `.solve(pose)`; text, LaTeX, SymPy. Of a robot with loops all joints are
        solved for that the loops determine.
    Raises:
        NotSolvable: where square roots are not enough, with the joints and the degree of what remains.
        TimeLimit, JobCancelled: where the work was stopped.
    """
    if isinstance(given, str):
        given = (given,)
    if not isinstance(given, Sequence) or not all(isinstance(name, str) for name in given):
        raise WrongValue(f"given is a list of joints, given=['q3']; {given!r} was given.")
    key = robot, frame, target, tuple(given)
    work = Work(time_limit, progress, cancel)
    if key not in _KNOWN:
        result = _found(*key, work)
        if len(_KNOWN) >= _MOST_KNOWN:
            del _KNOWN[next(iter(_KNOWN))]
        _KNOWN[key] = result
    return _KNOWN[key]


def _found(robot: Robot, frame: str, target: str | None, given: tuple[str, ...], work: Work) -> JointFormulas:
    asked = question(robot, frame, target, given)
    return here_or_there(
        lambda: _formulas(asked),
        _job,
        {"robot": to_toml(robot), "frame": frame, "target": target, "given": list(given)},
        lambda answer: _from_job(robot, answer),
        what=f"Inverse kinematics of robot {robot.name!r}, {asked.target} of frame {frame!r},",
        work=work,
        advice=f"{_ADVICE} {numeric_way(robot, frame, asked.target)}",
    )


def _job(data: dict[str, Any]) -> dict[str, Any]:
    robot = parse_toml(data["robot"])
    try:
        return saved(_formulas(question(robot, data["frame"], data["target"], data["given"])))
    except NotSolvable as error:
        return {"unsolved": str(error), "joints": list(error.joints), "degree": error.degree}


def _from_job(robot: Robot, answer: dict[str, Any]) -> JointFormulas:
    if "unsolved" in answer:
        raise NotSolvable(answer["unsolved"], answer["joints"], answer["degree"])
    return restored(robot, answer)


def _formulas(asked: Question) -> JointFormulas:
    robot = asked.robot
    names = Names([*robot.free_symbols, *RESERVED])
    pose_names = [names.new(x) for x in (*POSITION, *ROTATION)]
    solution = _Solution(asked, names, _coordinate_names(robot, names))
    necessary, pose_names = solution.pose_meaning(pose_names)
    try:
        solution.solve_frame()
        solution.solve_loops()
    except NotSolvable as error:
        raise _unsolved(asked, error) from None
    except TooLarge:
        advice = "Where a file has rounded angles (1.5708 for pi/2), give them in full."
        left = [solution.coordinates[axis.place] for axis in asked.chain.axes]
        beyond = NotSolvable(f"The equations of this geometry grow beyond bounds. {advice}", left)
        raise _unsolved(asked, beyond) from None
    result = JointFormulas(
        robot=robot,
        frame=asked.frame,
        target=asked.target,
        pose_names=tuple(pose_names),
        coordinates={k: name for k, name in solution.coordinates.items() if k < robot.nq},
        given=tuple(sorted(axis.place for axis in asked.known)),
        steps=direct(needed(solution.steps)),
        conditions=tuple(_different([*necessary, *solution.conditions])),
        more_conditions=solution.more,
        plane=asked.plane,
    )
    return verified(result, asked.chain.ring, asked.chain.axes, solution.requirements).without_cut_joints()


class _Solution:
    """The frame's own chain solved, then the loops that hang on it."""

    def __init__(self, asked: Question, names: Names, coordinates: dict[int, str]) -> None:
        self.asked, self.names, self.coordinates = asked, names, coordinates
        self.formula = Writing(asked.chain.ring, {f"q[{k}]": name for k, name in coordinates.items()})
        self.elements, self.reached = structured(asked.chain, asked.turns)
        self.steps: list[Step] = []
        self.requirements: Requirements = [(x, None) for x in self.reached[: asked.size]]
        self.conditions: list[Formula] = []
        self.levels = self.roots = self.more = 0

    def pose_meaning(self, names: list[str]) -> tuple[list[Formula], list[str]]:
        """Tell what the target's generators are; what must vanish for it to be reachable, and its names."""
        plane, size = self.asked.plane, self.asked.size
        self.formula.mean({g: Formula.symbol(name) for g, name in zip(TARGET, names, strict=True)})
        gaps = [Formula.symbol(names[k]) - self.formula(self.elements[k]) for k in range(size)]
        if plane is None:
            return [x for x in gaps if x], names[:size]
        phi = self.names.new("phi")
        self.formula.mean(plane.rotation(Formula.symbol(phi)))
        return [gaps[plane.normal]], [*(names[k] for k in plane.across), phi]

    def solve_frame(self) -> None:
        """The joints between ground and frame."""
        inner, wanted = _without_ends(self.asked, self.elements)
        outside = self.formula.copy()  # soon the target is that of the inner chain
        solver = self._solver(inner, wanted, self.asked.turns)
        self._find_conditions(solver, wanted, outside)
        self._solve(solver)

    def _find_conditions(self, solver: Solver, wanted: list[Number], outside: Writing) -> None:
        """What the pose must satisfy beyond what `pose_meaning` says, where the joints are too few."""
        asked = self.asked
        count = (6 if asked.turns else 3) - len(set(asked.chain.axes) - asked.known)
        if not count:
            return
        outer = dict(zip(TARGET, wanted, strict=False))
        inner, _ = structured(solver.chain, asked.turns)
        variables = [asked.chain.ring.variable(name) for name in TARGET]
        gaps = [x - y for x, y in zip(variables[: asked.size], inner, strict=False)]
        stages = itertools.chain([gaps], solver.left_over())
        witness = Witness(asked.chain.ring, 1)
        witness.set({name: witness(x) for name, x in zip(TARGET, self.reached, strict=False)})
        found, self.more = conditions(count, self.elements[: asked.size], stages, outer, witness)
        self.conditions = [outside(x) for x in found]

    def solve_loops(self) -> None:
        """The joints of loops, those solved before known; around each loop all must come to the identity."""
        mechanism, ring = self.asked.mechanism, self.asked.chain.ring
        done = set(self.asked.chain.axes)
        for closure in mechanism.loops:
            part = loop_chain(mechanism, ring, closure, done)
            if part is None:
                continue
            chain, outside = part
            self._solve(self._solver(chain, loop_pose(outside), True, done))
            done |= set(chain.axes)
            around = chain.pose().compose(outside)
            self.requirements = [*self.requirements, *zip(_elements(around), _elements(Pose()), strict=True)]

    def _solver(self, chain: Chain, wanted: list[Number], turns: bool, done: Any = ()) -> Solver:
        solver = Solver(
            chain,
            turns,
            self.formula,
            self.names,
            self.coordinates,
            cuts=self.asked.robot.nq,
            level=self.levels,
            roots=self.roots,
        )
        solver.known |= {*self.asked.known, *done}
        solver.begin({g: self.formula(x) for g, x in zip(TARGET, wanted, strict=True)})
        return solver

    def _solve(self, solver: Solver) -> None:
        solver.solve()
        self.steps += solver.written.steps
        self.levels, self.roots = solver.level, solver.written.roots


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


def _without_ends(asked: Question, elements: list[Number]) -> tuple[Chain, list[Number]]:
    """The chain without its outer constants, and the pose it has to reach instead."""
    T, chain = as_pose(elements), asked.chain
    first, *between, last = chain.constants
    if asked.turns:
        T = first.inverse().compose(T).compose(last.inverse())
        constants = (Pose(), *between, Pose())
    else:
        T = Pose(T.R, first.inverse().compose(Pose(p=T.p)).p)
        constants = (Pose(), *between, Pose(p=last.p))
    return Chain(chain.ring, chain.axes, constants), list(_elements(T))


def _different(formulas: list[Formula]) -> list[Formula]:
    """Each once, whatever its sign."""
    found: dict[str, Formula] = {}
    for x in formulas:
        if str(-x) not in found:
            found.setdefault(str(x), x)
    return list(found.values())


def _elements(pose: Pose) -> Iterator[Number]:
    yield from pose.p
    for row in pose.R:
        yield from row


def _unsolved(asked: Question, error: NotSolvable) -> NotSolvable:
    return NotSolvable(
        f"Robot {asked.robot.name!r}: the {asked.target} of frame {asked.frame!r} gives no formula for "
        f"{', '.join(error.joints)}. {error} {numeric_way(asked.robot, asked.frame, asked.target)}",
        error.joints,
        error.degree,
    )
