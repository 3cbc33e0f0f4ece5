"""Conversion of a Robot to RobotData (Table 2): frames by modified DH, inertias about link origins."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import WrongValue
from rikigaku.model.geometry import Steps
from rikigaku.model.mechanism import instantiate
from rikigaku.model.robot_model import Link
from rikigaku.numbers.formula import PI, ZERO, Formula
from rikigaku.robot import Robot
from rikigaku.rosam.dh_parameters import Row, rotation_to_axis, row_of
from rikigaku.rosam.robot_data import BASE, BranchInfo, LinkInfo, RobotData
from rikigaku.spatial.pose import Pose, axis_rotation
from rikigaku.spatial.rigid_inertia import SpatialInertia
from rikigaku.symbolic.base_parameters.parameter_names import branches

_LETTERS = {"revolute": "R", "prismatic": "P"}


@checked
def robot_data(robot: Robot) -> RobotData:
    """The robot in the fields of ROSAM II; `robot_from_data` is the inverse.

    Links placed otherwise (standard DH, xyz and rpy) get modified DH rows and their inertias move with the
    frames: exactly where the steps from joint to joint allow it, else in rounded numbers. Links that do not
    move on their parent become part of it.
    Raises:
        WrongValue: for what ROSAM II does not know: other joints, gears, placements with symbols that have no
            DH row.
    """
    if not isinstance(robot, Robot):
        raise WrongValue(f"robot_data takes a Robot, rk.load(...); {robot!r} was given.")
    return _Writer(robot).data()


class _Writer:
    def __init__(self, robot: Robot) -> None:
        self.robot, self.numbers = robot, branches(robot)
        self.by_number = {number: robot.link(name) for name, number in self.numbers.items()}
        self._checked()
        for link in robot.links:
            rotation_to_axis(link.joint)  # raises for axes not along x, y or z
        symbols = {name: Formula.symbol(name) for name in robot.free_symbols}
        mechanism = instantiate(replace(robot, loops=()), _FormulaKind(), symbols)
        self.inertias = {body.name: body.inertia for body in mechanism.bodies}
        self.rows = {
            name: self.row(robot.link(name).parent, self.before(robot.link(name))) for name in self.numbers
        }
        # beta and b of a row along a branch are along the axis before it: they move to the frame before.
        self.moved = {
            self.by_number[i - 1, k].name: self.rows[name] for name, (i, k) in self.numbers.items() if i > 1
        }

    def data(self) -> RobotData:
        robot, count = self.robot, max((k for _, k in self.numbers.values()), default=0)
        hands = {k: self.hand(k) for k in range(1, count + 1)}
        own = {name for name, _ in hands.values()}
        frames = {
            f.name: (self.place(f.link), self.on(f.link, f.geometry))
            for f in robot.frames
            if f.name not in own
        }
        cuts = [(loop.start, loop.end) for loop in robot.loops]
        return RobotData(
            RobotType="closed" if robot.loops else "tree" if count > 1 else "serial",
            BranchNum=count,
            BranchInfo={k: self.branch(k, *hands[k]) for k in range(1, count + 1)},
            General=robot.independent or _independent(robot),
            ConCoor=_one(tuple(tuple(self.place(end.link) for end in pair) for pair in cuts)),
            ConDH=_one(tuple(tuple(self.on(end.link, end.geometry) for end in pair) for pair in cuts)),
            name=robot.name,
            base=robot.base,
            gravity=robot.gravity,
            symbols=robot.symbols,
            cut=tuple(loop.joint for loop in robot.loops),
            cut_names=tuple(loop.name for loop in robot.loops),
            frames=frames,
        )

    def branch(self, k: int, hand_name: str, hand: Any) -> BranchInfo:
        length = max(i for i, branch in self.numbers.values() if branch == k)
        first = self.by_number[1, k]
        beta, b = self.behind(first.parent, self.rows[first.name])[4:]
        links = tuple(self.link(self.by_number[i, k]) for i in range(1, length + 1))
        return BranchInfo(links, self.place(first.parent), (beta, b), hand, hand_name)

    def link(self, link: Link) -> LinkInfo:
        alpha, a, theta, d, _, _ = self.rows[link.name]
        *_, beta, b = self.moved.get(link.name, (ZERO,) * 6)
        q, joint = Formula.symbol(link.joint.name), link.joint
        theta, d = (theta + beta + q, d + b) if joint.type == "revolute" else (theta + beta, d + b + q)
        m, x, y, z, *tensor = (Formula.of(p) for p in self.inertia(link.name, beta, b).parameters())
        return LinkInfo(
            _LETTERS[joint.type],
            (alpha, a, theta, d),
            m,
            (x, y, z),
            tuple(tensor),
            joint.actuated,
            joint.name,
            link.name,
            joint.viscous,
            joint.coulomb,
            joint.rotor,
            joint.limits,
        )

    def inertia(self, name: str, beta: Formula, b: Formula) -> SpatialInertia:
        if not (beta or b):
            return self.inertias[name]
        s, c = (x if x.rational is None else x.rational for x in (beta.sin(), beta.cos()))
        return self.inertias[name].seen_from(Pose(axis_rotation(2, s, c), (0, 0, b)).inverse())

    # -- where things are -----------------------------------------------------------------------------------
    def moving_link(self, link: str) -> tuple[str | None, Steps]:
        """The moving link under a link (None: the base), and the steps from its joint's moving side."""
        if link == self.robot.base:
            return None, ()
        own = self.robot.link(link)
        if own.joint.type != "fixed":
            back = tuple(step._replace(amount=-step.amount) for step in reversed(rotation_to_axis(own.joint)))
            return link, (*back, *own.geometry.after())
        name, steps = self.moving_link(own.parent)
        return name, (*steps, *own.geometry.before(), *own.geometry.after())

    def before(self, link: Link) -> Steps:
        return (*link.geometry.before(), *rotation_to_axis(link.joint))

    def row(self, link: str, steps: Steps) -> Row:
        return row_of((*self.moving_link(link)[1], *steps), f"on link {link!r} of robot {self.robot.name!r}")

    def behind(self, link: str, row: Row) -> Row:
        """The row from the link's frame as RobotData has it."""
        name, _ = self.moving_link(link)
        *_, beta, b = self.moved.get(name or "", (ZERO,) * 6)
        return (*row[:4], row[4] - beta, row[5] - b)

    def on(self, link: str, geometry: Any) -> tuple[Formula, ...]:
        """A frame on a link: four columns where they are enough."""
        row = self.behind(link, self.row(link, (*geometry.before(), *geometry.after())))
        if not any(row[:2]):  # no x part: all is along z
            row = (ZERO, ZERO, row[2] + row[4], row[3] + row[5], ZERO, ZERO)
        return row if any(row[4:]) else row[:4]

    def place(self, link: str) -> tuple[int, int]:
        name, _ = self.moving_link(link)
        if name is None:
            return BASE
        i, k = self.numbers[name]
        return k, i

    def hand(self, k: int) -> tuple[str, Any]:
        """The first frame on the last link of a branch."""
        last = max(i for i, branch in self.numbers.values() if branch == k)
        for frame in self.robot.frames:
            if self.place(frame.link) == (k, last):
                return frame.name, self.on(frame.link, frame.geometry)
        return "", None

    def _checked(self) -> None:
        for link in self.robot.links:
            if link.joint.type not in (*_LETTERS, "fixed"):
                raise WrongValue(
                    f"Joint {link.joint.name!r} of robot {self.robot.name!r} is {link.joint.type}; RobotData "
                    "knows revolute and prismatic joints."
                )
        if self.robot.couplings:
            raise WrongValue(f"Robot {self.robot.name!r} has gears; RobotData has no field for them.")
        if springs := [joint.name for joint in self.robot.joints if joint.stiffness]:
            raise WrongValue(
                f"Robot {self.robot.name!r} has springs ({', '.join(springs)}); RobotData has no field for "
                "them."
            )


class _FormulaKind:
    """Numbers are formulas; rational ones are fractions, so that zeros are known."""

    def rational(self, value: Fraction) -> Any:
        return value

    def pi(self) -> Formula:
        return PI

    def sin_cos(self, angle: Formula) -> tuple[Any, Any]:
        s, c = angle.sin(), angle.cos()
        return s if s.rational is None else s.rational, c if c.rational is None else c.rational

    def sqrt(self, value: Formula) -> Formula:
        return value.sqrt()


def _one(pairs: tuple[Any, ...]) -> tuple[Any, ...]:
    """A single loop as the paper writes it."""
    result: tuple[Any, ...] = pairs[0] if len(pairs) == 1 else pairs
    return result


def _independent(robot: Robot) -> tuple[str, ...]:
    """Independent coordinates of a closed robot that names none."""
    if not robot.loops:
        return ()
    from rikigaku.symbolic.loops.loop_constraints import loop_constraints

    constraints = loop_constraints(robot)
    return tuple(constraints.coordinates[k] for k in constraints.independent)
