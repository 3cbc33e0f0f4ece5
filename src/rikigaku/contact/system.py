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
from rikigaku.contact.findings import dry_joints, guided_rows, moving_jacobian
from rikigaku.contact.friction import JointFriction
from rikigaku.contact.guide import Guide
from rikigaku.contact.placing import allowed_velocity, placed
from rikigaku.contact.sharing import near
from rikigaku.contact.stops import JointStop
from rikigaku.errors import WrongValue
from rikigaku.laws.contact import ModePlan
from rikigaku.laws.contact_geometry import Limit, Point
from rikigaku.laws.contact_guides import guide_shifts
from rikigaku.laws.contact_inner import moving_links
from rikigaku.laws.contact_records import CONTACT_LAWS
from rikigaku.model.mechanism import instantiate
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
    joints: dry friction of joints; power: what friction takes away [W]; guides: force and moment of each
    guide on the robot at its frame, world axes (k, 6); driven: power of moving surfaces on the robot [W]."""

    a: Array
    f: Array
    f_n: Array
    joints: Array
    power: float
    guides: Array
    driven: float = 0.0


class ContactSystem:
    """`ContactSystem(robot, [Contact("hand", Plane(), 0.2)])`.

    Args:
        contacts: what touches and holds: `Contact`, `Guide`, and `JointFriction` as well.
        joints: dry friction of joints; by default the Coulomb friction the robot's joints have.
        torque: forces in all joints as a function of t, q, v, or an array; none if left out. It is needed
            where a mode is chosen outside `simulate`.
        restitution: "newton" (ratio of normal velocities) or "poisson" (ratio of normal impulses).
    """

    def __init__(
        self,
        robot: Robot,
        contacts: Sequence[Contact | Guide | JointFriction] = (),
        joints: Iterable[JointFriction] | None = None,
        torque: Any = None,
        restitution: str = "newton",
    ) -> None:
        if restitution not in ("newton", "poisson"):
            raise WrongValue(f"restitution is 'newton' or 'poisson', not {restitution!r}.")
        for x in contacts:
            if not isinstance(x, (Contact, Guide, JointFriction)):
                raise WrongValue(f"Contacts are Contact, Guide or JointFriction; {x!r} was given.")
        self.robot, self.restitution = robot, restitution
        self.contacts = tuple(x for x in contacts if isinstance(x, Contact))
        self.guides = tuple(x for x in contacts if isinstance(x, Guide))
        rubbing = {x.joint: x for x in contacts if isinstance(x, JointFriction)}
        own = dry_joints(robot) if joints is None else tuple(joints)
        self.joints = (*(x for x in own if x.joint not in rubbing), *rubbing.values())
        for joint in self.joints:
            if robot.joint(joint.joint).nv != 1:
                raise WrongValue(
                    f"Dry friction takes a joint of one degree of freedom; {joint.joint!r} has more."
                )
        self.torque = torque
        self._tree = cast(Any, tree(robot))
        self._laws: dict[tuple[str, ModePlan], Any] = {}

    @cached_property
    def points(self) -> tuple[Point | Limit, ...]:
        """Contacts for the laws, with the plane a point moves in if it does."""
        states = random_state(self.robot, 0, 8).q
        found: list[Point | Limit] = []
        for contact in self.contacts:
            if isinstance(contact, JointStop):
                found.append(contact.limit(self.robot))
                continue
            J = moving_jacobian(self.robot, states, contact.frame)[:, :3]
            found.append(Point(contact.frame, contact.surface, plane_of_motion(J)))
        return tuple(found)

    @cached_property
    def plan(self) -> ModePlan:
        """Nothing closed, nothing held, but the loops."""
        places = tuple(self.robot.v_slices[joint.joint].start for joint in self.joints)
        loops = self.robot.loops or self.robot.couplings
        rows = closure(self.robot).places.rows if loops else ()
        plan = ModePlan(self.points, places, rows)
        if not self.guides:
            return plan
        plan = replace(plan, guides=tuple(guide.hold for guide in self.guides))
        return replace(plan, guided=guided_rows(self, plan))

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """A name for each contact: its frame, with a number where a frame has several."""
        frames = [contact.frame for contact in self.contacts]
        return tuple(
            frame if frames.count(frame) == 1 else f"{frame} ({frames[:i].count(frame) + 1})"
            for i, frame in enumerate(frames)
        )

    @property
    def moving_links(self) -> tuple[str, ...]:
        """Links that move on their parents, parents first: the order of `joint_wrenches`."""
        symbols = dict.fromkeys(self.robot.free_symbols, 1.0)
        return tuple(moving_links(instantiate(self.robot, FLOATS, symbols)))

    @cached_property
    def tangents(self) -> tuple[int, ...]:
        """How many tangents each contact has: 1 in a plane, 2 in space, none at the end of a joint."""
        return tuple(
            0 if isinstance(point, Limit) else 2 if point.plane is None else 1 for point in self.points
        )

    def given(
        self,
        t: float,
        directions: dict[int, Array] | None = None,
        since: float | None = None,
        plan: ModePlan | None = None,
        near: Any = None,
    ) -> Array:
        """What the laws take with a state: time, friction, directions in which sliding starts and when,
        joints, and forces that those which share in a plan come near to (none if left out)."""
        starts = np.zeros((len(self.contacts), 4))
        starts[:, 3] = t if since is None else since
        for i, direction in (directions or {}).items():
            starts[i, :3] = direction
        numbers = [x for contact in self.contacts for x in contact.friction.numbers]
        shared = np.zeros(0 if plan is None else plan.sharing) if near is None else near
        return np.array([t, *numbers, *starts.ravel(), *(joint.coulomb for joint in self.joints), *shared])

    def law(self, name: str, plan: ModePlan | None = None) -> Any:
        """A law of this robot with contacts, bound: see `laws.contact_records`."""
        plan = self.plan if plan is None else plan
        if (name, plan) not in self._laws:
            self._laws[name, plan] = self._bound(name, plan)
        return self._laws[name, plan]

    def _bound(self, name: str, plan: ModePlan) -> Any:
        names = tuple(f"given {i}" for i in range(plan.size))
        law = replace(CONTACT_LAWS[name], plan=plan, coordinates={"given": names})
        tied = self.robot.loops or self.robot.couplings
        return cast(Any, self.robot).bound_law(law) if tied else self._tree.bound_law(law)

    # -- what a user asks -----------------------------------------------------------------------------------
    def state(self, q: Any, v: Any, t: float = 0.0) -> ContactState:
        """Gaps, their rates and sliding velocities."""
        if not self.contacts:
            return ContactState(np.zeros(0), np.zeros(0), np.zeros((0, 2)))
        with np.errstate(divide="ignore", invalid="ignore"):  # a surface has no normal at its centre: NaN
            rows = self.law("contact_state")(_floats(q), _floats(v), self.given(t))
        return ContactState(rows[:, 0], rows[:, 1], rows[:, 2:])

    def forces(
        self, plan: ModePlan, q: Any, v: Any, tau: Any = None, t: float = 0.0, directions: Any = None
    ) -> ContactForces:
        """Accelerations and forces in one mode; of forces that share the least within friction."""
        a, forces, power, driven = self._in_mode("contact_dynamics", plan, q, v, tau, t, directions)
        split = 4 * len(self.contacts)
        each = forces[:split].reshape(-1, 4)
        rest = split + len(self.joints)
        guides = forces[rest:].reshape(-1, 6)
        powers = float(power), guides, float(driven)
        return ContactForces(a, each[:, :3], each[:, 3], forces[split:rest], *powers)

    def joint_wrenches(
        self, plan: ModePlan, q: Any, v: Any, tau: Any = None, t: float = 0.0, directions: Any = None
    ) -> Array:
        """Force and moment through the joint of every one of `moving_links`, on the link at its origin, world
        axes (n, 6)."""
        return np.asarray(self._in_mode("contact_joint_wrenches", plan, q, v, tau, t, directions))

    def _in_mode(self, name: str, plan: ModePlan, q: Any, v: Any, tau: Any, t: float, directions: Any) -> Any:
        q, v = _floats(q), _floats(v)
        tau = _floats(self.force(t, q, v) if tau is None else tau)
        given = self.given(t, directions, None, plan, near(self, plan, t, q, v, tau))
        return self.law(name, plan)(q, v, tau, given)

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

    def placed(self, q: Any, closed: Iterable[str] | None = None, t: float = 0.0) -> Array:
        """q moved until frames lie on their surfaces: see `contact.placing.placed`."""
        return placed(self, _floats(q), closed, t)

    def allowed_velocity(self, q: Any, v: Any, t: float = 0.0) -> Array:
        """The velocities nearest to v that bilateral contacts, guides and loops allow."""
        return allowed_velocity(self, _floats(q), _floats(v), t)

    # -- the linear problem of a state ----------------------------------------------------------------------
    def rows(self, q: Array, v: Array, t: float) -> tuple[Array, Array, Array]:
        """All rows over v (loops, guides, contacts, joints), drifts, and the contacts' world directions."""
        nv = self.robot.nv
        parts: list[Array] = []
        drifts: list[Array] = []
        directions = np.zeros((0, 3))
        if self.plan.loops:
            loops = list(self.plan.loops)
            parts.append(cast(Any, self.robot).loop_jacobian(q)[loops])
            drifts.append(cast(Any, self.robot).loop_bias(q, v)[loops])
        if self.plan.guided:
            R, drift = self.law("guide_rows")(q, v, self.given(t))
            parts.append(R[list(self.plan.guided)])
            drifts.append(drift[list(self.plan.guided)])
        if self.contacts:
            with np.errstate(divide="ignore", invalid="ignore"):
                R, drift, directions = self.law("contact_rows")(q, v, self.given(t))
            parts.append(R)
            drifts.append(drift)
        parts.append(np.eye(nv)[list(self.plan.joints)])
        drifts.append(np.zeros(len(self.joints)))
        return np.concatenate(parts), np.concatenate(drifts), directions

    def always_rates(self, R: Array, v: Array, t: float) -> Array:
        """How fast loops and guides come open: the first of `rows`, and how the places of guides move."""
        rates = R[: self.plan.always] @ v
        shifts = guide_shifts(self.plan.guides, t, 1)
        rates[len(self.plan.loops) :] += [float(shifts[i]) for i in self.plan.guided]
        return np.asarray(rates)

    def places(self) -> tuple[list[tuple[int, tuple[int, ...]]], list[int]]:
        """Where the rows of each contact (normal, tangents) and of each joint stand in `rows`."""
        at, contacts = self.plan.always, []
        for count in self.tangents:
            contacts.append((at, tuple(range(at + 1, at + 1 + count))))
            at += 1 + count
        return contacts, list(range(at, at + len(self.joints)))


def _floats(x: Any) -> Array:
    return np.array(x, dtype=np.float64)
