"""A robot with its contacts: distances, rows, forces and accelerations in any mode, all compiled."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from rikigaku.constraints.plan import closure
from rikigaku.constraints.tree import tree
from rikigaku.contact.contact import Contact, plane_of_motion
from rikigaku.contact.friction import JointFriction
from rikigaku.errors import WrongValue
from rikigaku.laws.contact import ModePlan
from rikigaku.laws.contact_geometry import Point
from rikigaku.laws.contact_records import CONTACT_LAWS
from rikigaku.model.robot import Robot
from rikigaku.numbers.kind import FLOATS
from rikigaku.states import random_state

Array = NDArray[np.float64]
Torque = Callable[[float, Array, Array], Any]


class ContactState(NamedTuple):
    """For each contact: gap [m], its rate [m/s], sliding velocity along the tangents [m/s] (k, 2)."""

    gap: Array
    approach: Array
    sliding: Array


class ContactForces(NamedTuple):
    """a: accelerations; f: force on the robot at each contact, world axes [N] (k, 3); f_n: normal forces;
    joints: dry friction of joints; power: what friction takes away [W]."""

    a: Array
    f: Array
    f_n: Array
    joints: Array
    power: float


class ContactSystem:
    """`ContactSystem(robot, [Contact("hand", Plane(), 0.2)])`.

    joints: dry friction of joints (`JointFriction`); by default the Coulomb friction the robot's joints have.
    torque: forces in all joints as a function of t, q, v, or an array; none if left out. It is needed where a
        mode is chosen.
    restitution: "newton" (ratio of normal velocities) or "poisson" (ratio of normal impulses).
    """

    def __init__(
        self,
        robot: Robot,
        contacts: Sequence[Contact] = (),
        joints: Iterable[JointFriction] | None = None,
        torque: Any = None,
        restitution: str = "newton",
    ) -> None:
        if restitution not in ("newton", "poisson"):
            raise WrongValue(f"restitution is 'newton' or 'poisson', not {restitution!r}.")
        self.robot, self.contacts, self.restitution = robot, tuple(contacts), restitution
        self.joints = _dry_joints(robot) if joints is None else tuple(joints)
        for joint in self.joints:
            if robot.joint(joint.joint).nv != 1:
                raise WrongValue(
                    f"Dry friction takes a joint of one degree of freedom; {joint.joint!r} has more."
                )
        self.torque = torque
        self._tree = cast(Any, tree(robot))

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """Contacts for the laws, with the plane a point moves in if it does."""
        states = random_state(self.robot, 0, 8).q
        found = []
        for contact in self.contacts:
            self.robot.frame(contact.frame)  # an unknown name is an error here, with a suggestion
            J = self._tree.jacobian(states, contact.frame)[:, :3]
            if not np.abs(J).max(initial=0.0):
                raise WrongValue(f"The frame {contact.frame!r} stands on the ground: nothing can touch.")
            found.append(Point(contact.frame, contact.surface, plane_of_motion(J)))
        return tuple(found)

    @cached_property
    def plan(self) -> ModePlan:
        """Nothing closed, nothing held, but the loops."""
        places = tuple(self.robot.v_slices[joint.joint].start for joint in self.joints)
        loops = self.robot.loops or self.robot.couplings
        return ModePlan(self.points, places, closure(self.robot).places.rows if loops else ())

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """A name for each contact: its frame, with a number where a frame has several."""
        frames = [contact.frame for contact in self.contacts]
        return tuple(
            frame if frames.count(frame) == 1 else f"{frame} ({frames[:i].count(frame) + 1})"
            for i, frame in enumerate(frames)
        )

    @cached_property
    def tangents(self) -> tuple[int, ...]:
        """How many tangents each contact has: 1 in a plane, 2 in space."""
        return tuple(2 if point.plane is None else 1 for point in self.points)

    def given(self, t: float, directions: dict[int, Array] | None = None) -> Array:
        """What the laws take with a state: time, friction, directions in which sliding starts, joints."""
        starts = np.zeros((len(self.contacts), 3))
        for i, direction in (directions or {}).items():
            starts[i] = direction
        numbers = [x for contact in self.contacts for x in contact.friction.numbers]
        return np.array([t, *numbers, *starts.ravel(), *(joint.coulomb for joint in self.joints)])

    def law(self, name: str, plan: ModePlan | None = None) -> Any:
        """A law of this robot with contacts, bound: see `laws.contact_records`."""
        plan = self.plan if plan is None else plan
        names = tuple(f"given {i}" for i in range(plan.size))
        law = replace(CONTACT_LAWS[name], plan=plan, coordinates={"given": names})
        return self._tree.bound_law(law) if not self.robot.loops else cast(Any, self.robot).bound_law(law)

    # -- what a user asks -----------------------------------------------------------------------------------
    def state(self, q: Any, v: Any, t: float = 0.0) -> ContactState:
        """Gaps, their rates and sliding velocities."""
        if not self.contacts:
            return ContactState(np.zeros(0), np.zeros(0), np.zeros((0, 2)))
        rows = self.law("contact_state")(_floats(q), _floats(v), self.given(t))
        return ContactState(rows[:, 0], rows[:, 1], rows[:, 2:])

    def forces(
        self, plan: ModePlan, q: Any, v: Any, tau: Any = None, t: float = 0.0, directions: Any = None
    ) -> ContactForces:
        """Accelerations and forces in one mode."""
        tau = self.force(t, q, v) if tau is None else tau
        law = self.law("contact_dynamics", plan)
        a, forces, power = law(_floats(q), _floats(v), _floats(tau), self.given(t, directions))
        split = 4 * len(self.contacts)
        each = forces[:split].reshape(-1, 4)
        return ContactForces(a, each[:, :3], each[:, 3], forces[split:], float(power))

    def extended_newton_euler(self, q: Any, v: Any, tau: Any, t: float = 0.0) -> Any:
        """The paper's quantities M, b, j_c, j_t, d, A, a0, f_n, a and all joint wrenches, for one contact."""
        if len(self.contacts) != 1 or self.robot.loops:
            raise WrongValue(
                f"The extended Newton-Euler method is for one contact of a tree; {len(self.contacts)} "
                f"contacts and {len(self.robot.loops)} loops were given. `forces` takes any number."
            )
        return self.law("extended_newton_euler")(_floats(q), _floats(v), _floats(tau), self.given(t))

    def force(self, t: float, q: Any, v: Any) -> Array:
        """Forces in all joints at a state."""
        if self.torque is None:
            return np.zeros(self.robot.nv)
        value = self.torque(t, q, v) if callable(self.torque) else self.torque
        return np.asarray(value, dtype=np.float64)

    def placed(self, q: Any, closed: Iterable[str], t: float = 0.0) -> Array:
        """q moved (the least, as kinetic energy measures) until the named frames lie on their surfaces."""
        wanted = set(closed)
        indices = [i for i, contact in enumerate(self.contacts) if contact.frame in wanted]
        plan = replace(self.plan, rows=tuple((i, 0) for i in indices))
        step, q = self.law("closing_contacts", plan), _floats(q)
        for _ in range(50):
            q = self._tree.integrate(q, step(q, self.given(t)))
            gap = np.abs(self.state(q, np.zeros(self.robot.nv), t).gap[indices]).max(initial=0.0)
            if gap < 1e-14:
                break
        if not gap < 1e-10:
            raise WrongValue(f"The contacts {', '.join(sorted(wanted))} do not close: {gap:.3g} m is left.")
        return q

    # -- the linear problem of a state ----------------------------------------------------------------------
    def rows(self, q: Array, v: Array, t: float) -> tuple[Array, Array, Array]:
        """All rows over v (loops, contacts, joints), their drifts, and directions in the world (contacts)."""
        nv = self.robot.nv
        parts: list[Array] = []
        drifts: list[Array] = []
        directions = np.zeros((0, 3))
        if self.plan.loops:
            loops = list(self.plan.loops)
            parts.append(cast(Any, self.robot).loop_jacobian(q)[loops])
            drifts.append(cast(Any, self.robot).loop_bias(q, v)[loops])
        if self.contacts:
            R, drift, directions = self.law("contact_rows")(q, v, self.given(t))
            parts.append(R)
            drifts.append(drift)
        parts.append(np.eye(nv)[list(self.plan.joints)])
        drifts.append(np.zeros(len(self.joints)))
        return np.concatenate(parts), np.concatenate(drifts), directions

    def places(self) -> tuple[list[tuple[int, tuple[int, ...]]], list[int]]:
        """Where the rows of each contact (normal, tangents) and of each joint stand in `rows`."""
        at, contacts = len(self.plan.loops), []
        for count in self.tangents:
            contacts.append((at, tuple(range(at + 1, at + 1 + count))))
            at += 1 + count
        return contacts, list(range(at, at + len(self.joints)))


def _dry_joints(robot: Robot) -> tuple[JointFriction, ...]:
    values = robot.declared_values
    found = []
    for joint in robot.joints:
        if joint.nv == 1 and joint.coulomb and joint.coulomb.symbols <= values.keys():
            force = float(joint.coulomb.evaluate(FLOATS, values))
            if force > 0:
                found.append(JointFriction(joint.name, force))
    return tuple(found)


def _floats(x: Any) -> Array:
    return np.array(x, dtype=np.float64)
