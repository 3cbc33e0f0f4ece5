"""A robot with its contacts: gaps, constraint Jacobians, forces and accelerations in any contact mode."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.binding.bound_law import bound_law
from rikigaku.closure.closure_plan import closure
from rikigaku.closure.open_tree import tree
from rikigaku.contact.constraint_blocks import ConstraintBlock
from rikigaku.contact.constraint_projection import allowed_velocity, placed
from rikigaku.contact.constraint_setup import coulomb_joints, independent_guide_equations, relative_jacobians
from rikigaku.contact.contact_engine import ContactEngine, Outputs, delassus
from rikigaku.contact.contact_point import Contact, plane_of_motion
from rikigaku.contact.force_distribution import ActiveBlocks, active_blocks, reference_forces
from rikigaku.contact.friction_law import JointFriction
from rikigaku.contact.friction_moment import FrictionMoment, with_friction_moments
from rikigaku.contact.guide import Guide
from rikigaku.contact.joint_stop import JointStop
from rikigaku.contact.static_balance import StaticBalance, static_balance
from rikigaku.contact.surfaces import Surface
from rikigaku.core.arrays import floats
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import WrongSize, WrongValue
from rikigaku.core.types import Array
from rikigaku.core.validation import number
from rikigaku.core.value_text import short
from rikigaku.laws.catalogue import LAWS
from rikigaku.laws.contact.active_constraints import ActiveConstraints
from rikigaku.laws.contact.contact_geometry import Limit
from rikigaku.laws.contact.contact_joint_wrenches import moving_links
from rikigaku.laws.contact.relative_motion import Point
from rikigaku.model.states import random_state
from rikigaku.robot import Robot

Torque = Callable[[float, Array, Array], Any]

_KEPT = 4  # states whose constraint equations are kept
_STOP = ("along its joint", "none", "none", "push [N, N m]")
_FORCE = tuple(f"force {axis} [N]" for axis in "xyz")
_MOMENT = tuple(f"moment {axis} [N m]" for axis in "xyz")
_WRENCH = (*_FORCE, *_MOMENT)


class ContactState(NamedTuple):
    """For each contact: gap [m], its rate [m/s] (k,), sliding velocity along the tangents [m/s] (k, 2).

    Torsional and rolling friction follow after all contacts: gap of the contact, angular velocity [rad/s].
    """

    gap: Array
    approach: Array
    sliding: Array


class ContactForces(NamedTuple):
    """Accelerations and forces in one contact mode.

    Attributes:
        a: accelerations (nv,). f: force on the robot at each contact, world axes [N] (k, 3).
        f_n: normal forces [N] (k,). joints: dry friction of joints [N m, N].
        power: dissipated by friction [W]. surface_power: of moving surfaces on the robot [W].
        guides: force and moment of each guide on the robot at its frame, world axes (k, 6).
    """

    a: Array
    f: Array
    f_n: Array
    joints: Array
    power: float
    guides: Array
    surface_power: float = 0.0


class ConstraintEquations(NamedTuple):
    """All constraints of a state (loops, guides, contacts, joints with dry friction) as J a + bias.

    Attributes:
        J: constraint Jacobian (m, nv). bias: bias accelerations (m,).
        directions: of the contact equations, world axes (contact equations, 3).
        response: M^-1 J^T, transposed (m, nv). W: Delassus matrix J M^-1 J^T (m, m).
        a: accelerations without constraint forces (nv,). free: J a + bias (m,).
        rates: of the residuals and of sliding (m,). residual: of loops, guides and gaps (m,).
        magnitude: sums of absolute terms of J a + bias (n,): its rounding errors are relative to these.
    """

    J: Array
    bias: Array
    directions: Array
    response: Array
    W: Array
    a: Array
    free: Array
    rates: Array
    residual: Array
    magnitude: Array


class ContactSystem:
    """`ContactSystem(robot, [Contact("hand", Plane(), 0.2)])`.

    Args:
        contacts: `Contact`, `Guide` and `JointFriction`.
        joints: dry friction of joints; by default the Coulomb friction of the robot's joints.
        torque: forces in all joints as a function (t, q, v), or an array; zero if left out. It is needed
            where a contact mode is selected outside `simulate`.
        restitution: "newton" (ratio of normal velocities), "poisson" (ratio of normal impulses) or "moreau"
            (ratio of velocities along normals and tangents): see `impacts`.
    """

    @checked
    def __init__(
        self,
        robot: Robot,
        contacts: Sequence[Contact | Guide | JointFriction] = (),
        joints: Iterable[JointFriction] | None = None,
        torque: Any = None,
        restitution: str = "newton",
    ) -> None:
        if restitution not in ("newton", "poisson", "moreau"):
            raise WrongValue(f"restitution is 'newton', 'poisson' or 'moreau', not {restitution!r}.")
        for x in contacts:
            if not isinstance(x, (Contact, Guide, JointFriction)):
                raise WrongValue(f"Contacts are Contact, Guide or JointFriction; {x!r} was given.")
        joints = None if joints is None else tuple(joints)
        for x in joints or ():
            if not isinstance(x, JointFriction):
                raise WrongValue(f"Joints with dry friction are JointFriction; {short(x)} was given.")
        self.robot, self.restitution = robot, restitution
        self.contacts = with_friction_moments([x for x in contacts if isinstance(x, Contact)])
        self.guides = tuple(x for x in contacts if isinstance(x, Guide))
        explicit = {x.joint: x for x in contacts if isinstance(x, JointFriction)}
        own = coulomb_joints(robot) if joints is None else joints
        self.joints = (*(x for x in own if x.joint not in explicit), *explicit.values())
        for joint in self.joints:
            if robot.joint(joint.joint).nv != 1:
                raise WrongValue(
                    f"Dry friction takes a joint of one degree of freedom; {joint.joint!r} has more."
                )
        self.torque = torque
        self.tree = tree(robot)
        self._laws: dict[tuple[str, ActiveConstraints], Any] = {}
        self._blocks: tuple[ActiveConstraints, ActiveBlocks] | None = None

    @cached_property
    def points(self) -> tuple[Point | Limit, ...]:
        """Contacts as data of the laws, with the plane of motion of each point that moves in a plane."""
        states = random_state(self.robot, 0, 8).q
        found: list[Point | Limit] = []
        for contact in self.contacts:
            if isinstance(contact, JointStop):
                found.append(contact.limit(self.robot))
                continue
            if isinstance(contact, FrictionMoment):
                own = found[contact.owner]
                assert isinstance(own, Point)
                if contact.about == "spin" and own.plane is not None:
                    raise WrongValue(
                        f"The contact at {contact.frame!r} moves in a plane, without rotation about its "
                        "normal: leave out torsional_friction."
                    )
                found.append(replace(own, about=contact.about, owner=contact.owner))
                continue
            plane = plane_of_motion(relative_jacobians(self.robot, states, contact))
            found.append(Point(contact.frame, contact.surface, plane, contact.shape))
        return tuple(found)

    @cached_property
    def constraints(self) -> ActiveConstraints:
        """The permanent constraints: loops and guides; no contact closed, no joint sticking."""
        coordinates = tuple(self.robot.v_slices[joint.joint].start for joint in self.joints)
        loops = self.robot.loops or self.robot.couplings
        equations = closure(self.robot).structure.equations if loops else ()
        plan = ActiveConstraints(self.points, coordinates, equations)
        if not self.guides:
            return plan
        plan = replace(plan, guides=tuple(guide.constraint for guide in self.guides))
        return replace(plan, guide_equations=independent_guide_equations(self, plan))

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """A name for each contact: its frame, with a number where a frame has several."""
        frames = [c.frame for c in self.contacts if not isinstance(c, FrictionMoment)]
        names = [
            frame if frames.count(frame) == 1 else f"{frame} ({frames[:i].count(frame) + 1})"
            for i, frame in enumerate(frames)
        ]
        moments = (c for c in self.contacts if isinstance(c, FrictionMoment))
        return (*names, *(f"{names[moment.owner]} {moment.about}" for moment in moments))

    @cached_property
    def moving_links(self) -> tuple[str, ...]:
        """Links that move relative to their parents, parents first: the order of `joint_wrenches`."""
        return tuple(moving_links(self.engine.structure.mechanism))

    @cached_property
    def force_labels(self) -> dict[str, tuple[str, ...]]:
        """Names of the columns of "forces" (contacts, joints, guides) and "joint wrenches"."""
        columns: list[str] = []
        for contact, label in zip(self.contacts, self.labels, strict=True):
            if isinstance(contact, JointStop):
                columns += [f"{label} ({part})" for part in _STOP]
            elif isinstance(contact, FrictionMoment):
                columns += [f"{label} {part}" for part in (*_MOMENT, "normal force [N]")]
            else:
                columns += [f"{label} {part}" for part in (*_FORCE, "normal force [N]")]
        columns += [f"{joint.joint} dry friction [N, N m]" for joint in self.joints]
        columns += [f"{guide.frame} guide {part}" for guide in self.guides for part in _WRENCH]
        wrenches = [f"{link} {part}" for link in self.moving_links for part in _WRENCH]
        return {"forces": tuple(columns), "joint wrenches": tuple(wrenches)}

    @cached_property
    def surfaces(self) -> tuple[Surface, ...]:
        """The surfaces of the ground, each once; joint limits have none."""
        found = (c.surface for c in self.contacts if not isinstance(c, JointStop))
        return tuple(dict.fromkeys(x for x in found if isinstance(x, Surface) and x.body is None))

    @cached_property
    def tangents(self) -> tuple[int, ...]:
        """Number of tangents of each contact: 1 in a plane, 2 in space, 0 at a joint limit."""
        return tuple(0 if isinstance(point, Limit) else point.tangents for point in self.points)

    def contact_inputs(
        self,
        t: float,
        directions: dict[int, Array] | None = None,
        since: float | None = None,
        plan: ActiveConstraints | None = None,
        reference: Any = None,
    ) -> Array:
        """The input `contact_inputs` of the contact laws (see `ActiveConstraints`).

        Args:
            directions: initial sliding directions by contact, world axes. since: when sliding started [s].
            reference: forces that undetermined constraint forces approach; zeros if left out.
        """
        starts = np.zeros((len(self.contacts), 4))
        starts[:, 3] = t if since is None else since
        for i, direction in (directions or {}).items():
            starts[i, :3] = direction
        friction = [x for contact in self.contacts for x in contact.friction.coefficients]
        if reference is None:
            reference = np.zeros(0 if plan is None else plan.undetermined)
        coulomb = [joint.coulomb for joint in self.joints]
        return np.array([t, *friction, *starts.ravel(), *coulomb, *reference])

    def law(self, name: str, plan: ActiveConstraints | None = None) -> Any:
        """A contact law of `laws.catalogue`, bound to this robot and these active constraints."""
        plan = self.constraints if plan is None else plan
        if (name, plan) not in self._laws:
            self._laws[name, plan] = self._bound(name, plan)
        return self._laws[name, plan]

    def _bound(self, name: str, plan: ActiveConstraints) -> Any:
        forces = 4 * len(plan.points) + len(plan.joints) + 6 * len(plan.guides) + len(plan.loop_equations)
        sizes = {"contact_inputs": plan.input_size, "time": 1, "contact_forces": forces}
        sizes |= {"predicted": self.robot.nv, "implicit": 2 * self.robot.nv + 1}
        coordinates = {name: tuple(f"{name} {i}" for i in range(size)) for name, size in sizes.items()}
        law = replace(LAWS[f"contact.{name}"], plan=plan, coordinates=coordinates)
        is_closed = self.robot.loops or self.robot.couplings
        return bound_law(self.robot if is_closed else self.tree, law)

    @cached_property
    def engine(self) -> ContactEngine:
        """The native code of all contact modes."""
        return ContactEngine(self)

    @checked
    def state(self, q: ArrayLike, v: ArrayLike, t: float = 0.0) -> ContactState:
        """Gaps, their rates and sliding velocities at a state."""
        if not self.contacts:
            return ContactState(np.zeros(0), np.zeros(0), np.zeros((0, 2)))
        terms = self.engine.configuration(number("t [s]", t), self._q(q))
        return self.contact_state(terms.residual, terms.J @ self._v("v", v) + terms.rate)

    def contact_state(self, residual: Array, rates: Array) -> ContactState:
        """Gaps, their rates and sliding velocities, from those of all constraints."""
        normals, tangents, exist = self._contact_rows
        sliding = np.where(exist, rates[tangents], 0.0)
        return ContactState(residual[normals], rates[normals], sliding)

    @cached_property
    def _contact_rows(self) -> tuple[Any, Any, Any]:
        """Indices of normals (k,), of two tangents (k, 2), and whether the latter exist."""
        contacts = self.equation_indices()[0]
        normals = np.array([normal for normal, _ in contacts], dtype=np.int64)
        pairs = [(*tangents, normal, normal)[:2] for normal, tangents in contacts]
        tangents = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        counts = np.array([len(tangents) for _, tangents in contacts], dtype=np.int64)
        return normals, tangents, np.arange(2) < counts[:, None]

    @checked
    def forces(
        self, plan: ActiveConstraints, q: Any, v: Any, tau: Any = None, t: float = 0.0, directions: Any = None
    ) -> ContactForces:
        """Accelerations and forces in the contact mode `plan`; undetermined forces have the minimum norm."""
        result = self._in_mode(plan, q, v, tau, t, directions)
        split = 4 * len(self.contacts)
        each = result.forces[:split].reshape(-1, 4)
        rest = split + len(self.joints)
        guides = result.forces[rest:].reshape(-1, 6)
        power = float(result.dissipated - result.viscous)
        powers = power, guides, float(result.surface_power)
        return ContactForces(result.a, each[:, :3], each[:, 3], result.forces[split:rest], *powers)

    @checked
    def joint_wrenches(
        self, plan: ActiveConstraints, q: Any, v: Any, tau: Any = None, t: float = 0.0, directions: Any = None
    ) -> Array:
        """Force and moment through the joint of each of `moving_links`, on the link at its origin, world axes
        (n, 6)."""
        result = self._in_mode(plan, q, v, tau, t, directions)
        motion = self._q(q), self._v("v", v), result.a
        return self.wrenches(number("t [s]", t), *motion, result.forces, result.permanent)

    def wrenches(self, t: Any, q: Array, v: Array, a: Array, forces: Array, permanent: Array) -> Array:
        """Joint wrenches (..., n, 6) from accelerations, forces and multipliers of loops and guides."""
        loops = permanent[..., : len(self.constraints.loop_equations)]
        loads, time = np.concatenate([forces, loops], axis=-1), np.asarray(t, dtype=np.float64)[..., None]
        return np.asarray(self.law("contact_joint_wrenches")(q, v, a, loads, time))

    def _in_mode(
        self, plan: ActiveConstraints, q: Any, v: Any, tau: Any, t: float, directions: Any
    ) -> Outputs:
        if not isinstance(plan, ActiveConstraints):
            raise WrongValue(
                f"plan is ActiveConstraints, as ContactSystem.constraints; {short(plan)} was given."
            )
        t, q, v = number("t [s]", t), self._q(q), self._v("v", v)
        tau = self._v("tau", self.force(t, q, v) if tau is None else tau)
        reference = reference_forces(self, plan, t, q, v, tau)
        return self.engine.outputs(plan, t, q, v, tau, directions, reference)

    @checked
    def extended_newton_euler(self, q: Any, v: Any, tau: Any, t: float = 0.0) -> Any:
        """Extended Newton-Euler method for one contact: M, b, j_c, j_t, d, A, a0, f_n, a, joint wrenches."""
        if len(self.contacts) != 1 or self.robot.loops:
            raise WrongValue(
                f"The extended Newton-Euler method is for one contact of a tree; {len(self.contacts)} "
                f"contacts and {len(self.robot.loops)} loops were given. `forces` takes any number."
            )
        if self.contacts[0].shape is not None or self.contacts[0].surface.body is not None:
            raise WrongValue(
                "The extended Newton-Euler method is for a point on a surface of the ground; "
                f"{self.contacts[0]!r} was given. `forces` takes any contact."
            )
        inputs = self.contact_inputs(number("t [s]", t))
        return self.law("extended_newton_euler")(self._q(q), self._v("v", v), self._v("tau", tau), inputs)

    def force(self, t: float, q: Any, v: Any) -> Array:
        """Forces of `torque` in all joints at a state."""
        if self.torque is None:
            return np.zeros(self.robot.nv)
        value = self.torque(t, q, v) if callable(self.torque) else self.torque
        return self._v("torque", value)

    @checked
    def placed(self, q: Any, closed: Iterable[str] | None = None, t: float = 0.0) -> Array:
        """The configuration near q with frames on their surfaces, guides and loops closed.

        closed: frames with contacts; those of all contacts except joint stops if left out. Contacts may be
        redundant (flat feet, corners of a box).
        """
        return placed(self, self._q(q), _names(closed), number("t [s]", t))

    @checked
    def balanced(self, q: Any, closed: Iterable[str] | None = None, t: float = 0.0) -> StaticBalance:
        """A closed, touching, statically balanced start near q: configuration, joint forces, contact forces.

        closed: as for `placed`. The contact forces have the minimum norm among those that push within static
        friction and balance gravity and springs; `rk.simulate(robot, start.q, torque=start.tau, ...)` stays
        there.
        """
        return static_balance(self, self._q(q), _names(closed), number("t [s]", t))

    @checked
    def allowed_velocity(self, q: Any, v: Any, t: float = 0.0) -> Array:
        """Projection of v onto bilateral contacts, guides and loops."""
        return allowed_velocity(self, self._q(q), self._v("v", v), number("t [s]", t))

    # -- the linear contact problem of a state --------------------------------------------------------------
    def constraint_equations(
        self, q: Array, v: Array, t: float, tau: Array | None = None, added_inertia: Array | None = None
    ) -> ConstraintEquations:
        """Jacobian, bias accelerations and Delassus matrix of all constraints.

        Args:
            tau: forces in all joints (nv,); zero if left out. added_inertia: added to the diagonal of M
                (nv,).
        """
        q, v = self._q(q), self._v("v", v)
        tau = np.zeros(self.robot.nv) if tau is None else self._v("tau", tau)
        found = self.equations_at(t, q, v, tau) if added_inertia is None else None
        found = self._equations(t, q, v, tau, added_inertia) if found is None else found
        return found._replace(W=found.W.copy())

    def equations_at(self, t: float, q: Array, v: Array, tau: Array) -> ConstraintEquations:
        """`constraint_equations` of arrays; those of the last states are kept. W is read only."""
        kept, key = self.engine.workspace.equations, (t, q.tobytes(), v.tobytes(), tau.tobytes())
        found: ConstraintEquations | None = kept.get(key)
        if found is None:
            if len(kept) >= _KEPT:
                kept.pop(next(iter(kept)))
            found = kept[key] = self._equations(t, q, v, tau, None)
        return found

    def _equations(
        self, t: float, q: Array, v: Array, tau: Array, added_inertia: Array | None
    ) -> ConstraintEquations:
        terms = self.engine.terms(t, q, v, tau)
        one = terms.configuration
        J, U, inverse_D = one.J, one.inverse_L, one.inverse_D
        with np.errstate(divide="ignore", invalid="ignore"):  # a sphere has no normal at its centre: NaN
            if added_inertia is None:
                response, W = one.delassus
            else:  # M = L^T D L with another diagonal, factored anew
                M = one.L.T @ (one.L / inverse_D[:, None]) + np.diag(added_inertia)
                U, inverse_D = np.linalg.inv(np.linalg.cholesky(M)).T, np.ones(len(M))
                response, W = delassus(J, U, inverse_D)
            a = U @ (inverse_D * (terms.force @ U))
            directions = one.directions.reshape(-1, 3)[self._direction_rows]
            sums = one.magnitudes @ np.abs(a) + np.abs(terms.bias)
            return ConstraintEquations(
                J, terms.bias, directions, response, W, a, J @ a + terms.bias, J @ v + one.rate,
                one.residual, np.where(np.isfinite(sums), sums, 0.0),
            )  # fmt: skip

    def active_blocks(self, plan: ActiveConstraints) -> ActiveBlocks:
        """Closed contacts and sticking joints of a contact mode; those of the last one are kept."""
        kept = self._blocks
        if kept is None or kept[0] is not plan:
            kept = self._blocks = plan, active_blocks(self, plan)
        return kept[1]

    @cached_property
    def _direction_rows(self) -> list[int]:
        """Indices of normals and tangents among the three axes of each contact."""
        return [3 * i + k for i, count in enumerate(self.tangents) for k in range(1 + count)]

    @cached_property
    def joint_blocks(self) -> tuple[dict[int, ConstraintBlock], ...]:
        """For each joint with dry friction its block at rest (0), and moving in either direction (1, -1)."""
        rows = self.equation_indices()[1]
        return tuple(
            {
                sign: ConstraintBlock(
                    None, (row,), joint.limit, joint.coulomb, 0.0, np.array([float(sign)]) if sign else None
                )
                for sign in (0, 1, -1)
            }
            for joint, row in zip(self.joints, rows, strict=True)
        )

    @cached_property
    def rest_blocks(self) -> tuple[ConstraintBlock, ...]:
        """The block of each contact at rest."""
        blocks = []
        for contact, (normal, tangents) in zip(self.contacts, self.equation_indices()[0], strict=True):
            friction = contact.friction
            if friction.limit or friction.viscous:
                limits = friction.limit, friction.coefficient(0.0), 0.0, None
                shared = isinstance(contact, FrictionMoment)
                blocks.append(ConstraintBlock(normal, tangents, *limits, contact.bilateral, shared=shared))
            else:  # frictionless: the normal equation only
                blocks.append(ConstraintBlock(normal, (), bilateral=contact.bilateral))
        return tuple(blocks)

    @cached_property
    def force_rows(self) -> tuple[Any, Any]:
        """Equations along which forces of the contacts act, contact by contact, and the first of each."""
        own = [not isinstance(contact, FrictionMoment) for contact in self.contacts]
        rows = [
            [*[normal][:ok], *tangents]
            for ok, (normal, tangents) in zip(own, self.equation_indices()[0], strict=True)
        ]
        starts = np.cumsum([0, *map(len, rows)])[:-1]
        return np.array([i for part in rows for i in part], dtype=np.int64), starts

    @cached_property
    def equation_names(self) -> dict[int, tuple[int, int]]:
        """(contact, direction) of each contact equation, (-1, coordinate) of each joint with dry friction."""
        contacts, joints = self.equation_indices()
        own = [not isinstance(contact, FrictionMoment) for contact in self.contacts]
        names = {normal: (i, 0) for i, (normal, _) in enumerate(contacts) if own[i]}
        names |= {row: (i, 1 + j) for i, (_, rows) in enumerate(contacts) for j, row in enumerate(rows)}
        return names | {row: (-1, k) for row, k in zip(joints, self.constraints.joints, strict=True)}

    def equation_indices(self) -> tuple[list[tuple[int, tuple[int, ...]]], list[int]]:
        """Indices in `constraint_equations` of each contact (normal, tangents) and of each joint.

        Friction moments have the normal of their contact.
        """
        return self._equation_indices

    @cached_property
    def _equation_indices(self) -> tuple[list[tuple[int, tuple[int, ...]]], list[int]]:
        contacts: list[tuple[int, tuple[int, ...]]] = []
        at = self.constraints.permanent
        for contact, count in zip(self.contacts, self.tangents, strict=True):
            normal = contacts[contact.owner][0] if isinstance(contact, FrictionMoment) else at
            contacts.append((normal, tuple(range(at + 1, at + 1 + count))))
            at += 1 + count
        return contacts, list(range(at, at + len(self.joints)))

    def __repr__(self) -> str:
        contacts = ", ".join(f"{c.frame} (friction {c.friction.limit:g})" for c in self.contacts[:8])
        more = f" and {len(self.contacts) - 8} more" if len(self.contacts) > 8 else ""
        parts = [f"{len(self.contacts)} contacts{': ' if contacts else ''}{contacts}{more}"]
        parts += [f"{len(self.guides)} guides"] if self.guides else []
        parts += [f"{len(self.joints)} joints with dry friction"] if self.joints else []
        return f"<ContactSystem of robot {self.robot.name!r}: {'; '.join(parts)}>"

    def _q(self, q: Any) -> Array:
        """q as native code reads it: float64, contiguous, of the robot's size."""
        return self._sized("q", q, self.robot.nq)

    def _v(self, name: str, v: Any) -> Array:
        """v or forces in all joints, of the robot's size."""
        return self._sized(name, v, self.robot.nv)

    def _sized(self, name: str, x: Any, size: int) -> Array:
        array = floats(f"{name} of robot {self.robot.name!r}", x)
        if array.shape != (size,):
            raise WrongSize(
                f"{name} of robot {self.robot.name!r} is one array of {size} numbers; shape {array.shape} "
                "was given."
            )
        return np.array(array)


def _names(closed: Iterable[str] | None) -> tuple[str, ...] | None:
    """Names of frames, or None."""
    frames = None if closed is None else (closed,) if isinstance(closed, str) else tuple(closed)
    if wrong := [x for x in frames or () if not isinstance(x, str)]:
        raise WrongValue(f"closed are names of frames; {short(wrong[0])} was given.")
    return frames
