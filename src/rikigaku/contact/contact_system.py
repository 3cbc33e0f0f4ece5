"""A robot with its contacts: gaps, constraint Jacobians, forces and accelerations in any contact mode."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.binding.bound_law import bound_law
from rikigaku.closure.closure_plan import closure
from rikigaku.closure.open_tree import tree
from rikigaku.contact.constraint_layout import ConstraintLayout
from rikigaku.contact.constraint_projection import allowed_velocity, placed
from rikigaku.contact.constraint_setup import contact_points, coulomb_joints, independent_guide_equations
from rikigaku.contact.contact_engine import ContactEngine
from rikigaku.contact.contact_labels import contact_labels, force_labels
from rikigaku.contact.contact_point import Contact
from rikigaku.contact.contact_results import ConstraintEquations, ContactForces, ContactState
from rikigaku.contact.force_distribution import ActiveBlocks, active_blocks, reference_forces
from rikigaku.contact.friction_law import JointFriction
from rikigaku.contact.friction_moment import with_friction_moments
from rikigaku.contact.guide import Guide
from rikigaku.contact.joint_stop import JointStop
from rikigaku.contact.linear_contact_problem import linear_problem
from rikigaku.contact.native_contact_mode import Outputs
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
from rikigaku.robot import Robot

Torque = Callable[[float, Array, Array], Any]

_KEPT = 4  # states whose constraint equations are kept


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
        return contact_points(self.robot, self.contacts)

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
        return contact_labels(self.contacts)

    @cached_property
    def moving_links(self) -> tuple[str, ...]:
        """Links that move relative to their parents, parents first: the order of `joint_wrenches`."""
        return tuple(moving_links(self.engine.structure.mechanism))

    @cached_property
    def force_labels(self) -> dict[str, tuple[str, ...]]:
        """Names of the columns of "forces" (contacts, joints, guides) and "joint wrenches"."""
        return force_labels(self.contacts, self.joints, self.guides, self.moving_links)

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
    def layout(self) -> ConstraintLayout:
        """Where the constraints of contacts and joints are among all, and their blocks."""
        return ConstraintLayout(self.contacts, self.joints, self.constraints, self.tangents)

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
        normals, tangents, exist = self.layout.contact_rows
        sliding = np.where(exist, rates[tangents], 0.0)
        return ContactState(residual[normals], rates[normals], sliding)

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
        return linear_problem(self.engine.terms(t, q, v, tau), v, self.layout.direction_rows, added_inertia)

    def active_blocks(self, plan: ActiveConstraints) -> ActiveBlocks:
        """Closed contacts and sticking joints of a contact mode; those of the last one are kept."""
        kept = self._blocks
        if kept is None or kept[0] is not plan:
            kept = self._blocks = plan, active_blocks(self, plan)
        return kept[1]

    def equation_indices(self) -> tuple[list[tuple[int, tuple[int, ...]]], list[int]]:
        """Indices in `constraint_equations` of each contact (normal, tangents) and of each joint.

        Friction moments have the normal of their contact.
        """
        return self.layout.equation_indices

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
