"""Steps of one length over stick, slip and impact: Moreau's scheme, damping taken at the middle of the step.

Each step solves for velocities at its end, impulses in their cones, on surfaces as they are at its middle:

    (M + h D/2)(v' - v) = h (tau - b) + R^T P,      q' = q + h (v + v')/2,

then closed gaps are removed. First order where modes change; no events are located. Joint damping D may be
as strong as it likes (an explicit step of 0.01 s lets the hand of a small arm with D = 3 N m s/rad leave the
floor by half a metre). `rk.simulate` locates events; this is for comparison with work at fixed steps, and for
contacts too many to follow one by one. Python runs at every step: about a millisecond each.
Reference: J. J. Moreau, Unilateral contact and dry friction in finite freedom dynamics (1988).
"""

from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rikigaku.constraints.tree import tree
from rikigaku.contact.blocks import Answer, Block, Choice, default_choices
from rikigaku.contact.choosing import CLOSED
from rikigaku.contact.combinations import Combination
from rikigaku.contact.complementarity import answers
from rikigaku.contact.system import ContactState, ContactSystem
from rikigaku.errors import NoConsistentMode, WrongSize, WrongValue
from rikigaku.model.robot import Robot
from rikigaku.numbers.kind import FLOATS
from rikigaku.simulation.drive_forces import DriveForces
from rikigaku.simulation.drives import drive_of
from rikigaku.simulation.simulate import driven_places
from rikigaku.states import as_position

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Stepped:
    """A motion in steps: times (n,), positions (n, nq), velocities (n, nv); forces on the robot at each
    contact over the step before, world axes (n, k, 3), and normal ones (n, k); what each contact did."""

    robot: Robot
    t: Array
    q: Array
    v: Array
    f: Array
    f_n: Array
    words: tuple[tuple[str, ...], ...]


def time_stepping(
    robot: Robot, q0: Any, v0: Any = None, torque: Any = None, *, duration: float, step: float, contacts: Any
) -> Stepped:
    """The motion of a robot with contacts in steps of one length.

    Args:
        q0, v0, torque, duration, contacts: as for `simulate`. step: [s].
    Raises:
        NoConsistentMode: if a step has no impulses within friction.
        WrongValue, WrongSize: for inputs that do not fit.
    """
    if not (np.isfinite(step) and 0 < step <= duration < np.inf):
        raise WrongValue(f"A step is above 0 s and at most the duration; {step} of {duration} was given.")
    system = contacts if isinstance(contacts, ContactSystem) else ContactSystem(robot, contacts)
    q, v = as_position(robot, q0), np.zeros(robot.nv) if v0 is None else np.array(v0, dtype=np.float64)
    if v.shape != (robot.nv,):
        raise WrongSize(f"v of robot {robot.name!r} has {robot.nv} numbers; shape {v.shape} was given.")
    tau = DriveForces(robot, drive_of(robot.nv, driven_places(robot), torque))
    stepper = _Stepper(system, step)
    count = round(duration / step)
    states, forces = [(q, v)], [np.zeros((len(system.contacts), 4))]
    words: list[tuple[str, ...]] = [()]
    for k in range(count):
        q, v, force, did = stepper(k * step, q, v, tau)
        states.append((q, v))
        forces.append(force)
        words.append(did)
    words[0] = words[1]
    all_forces = np.array(forces)
    all_forces[0] = all_forces[1]
    qs, vs = (np.array(x) for x in zip(*states, strict=True))
    t = np.arange(count + 1, dtype=np.float64) * step
    return Stepped(robot, t, qs, vs, all_forces[..., :3], all_forces[..., 3], tuple(words))


class _Stepper:
    """One step after another."""

    def __init__(self, system: ContactSystem, step: float) -> None:
        self.system, self.h, self.laws = system, step, cast(Any, tree(system.robot))
        values = system.robot.declared_values
        self.damping = np.array(
            [
                float(joint.viscous.evaluate(FLOATS, values))
                for joint in system.robot.joints
                for _ in range(joint.nv)
            ]
        )
        self.places, self.joints = system.places()
        self.before: dict[int, Choice] = {}

    def __call__(
        self, t: float, q: Array, v: Array, tau: DriveForces
    ) -> tuple[Array, Array, Array, tuple[str, ...]]:
        system, h = self.system, self.h
        middle, when = self.laws.integrate(q, 0.5 * h * v), t + 0.5 * h
        M = self.laws.mass_matrix(middle)
        a = self.laws.forward_dynamics(middle, v, tau(when, middle, v))
        R, _, directions = system.rows(middle, v, when)
        before = system.state(middle, v, when)
        rub, drag = self._viscous(R, before, v)
        effective = M + 0.5 * h * np.diag(self.damping) + 0.5 * h * rub
        free = v + h * np.linalg.solve(effective, M @ a - drag)
        W = R @ np.linalg.solve(effective, R.T)
        after = system.state(middle, free, when)
        w0 = R @ free
        w0[: system.plan.always] = system.always_rates(R, free, when)
        blocks, owners = [], []
        for i, (contact, (normal, tangents)) in enumerate(zip(system.contacts, self.places, strict=True)):
            w0[normal], w0[list(tangents)] = after.approach[i], after.sliding[i][: len(tangents)]
            if before.gap[i] > CLOSED and not contact.bilateral:
                continue
            friction = contact.friction
            mu = friction.coefficient(float(np.linalg.norm(before.sliding[i])))
            bounce = contact.restitution * max(-before.approach[i], 0.0)
            rubs = tangents if friction.limit else ()
            blocks.append(Block(normal, rubs, friction.limit, mu, bounce, None, contact.bilateral))
            owners.append(i)
        for joint, row in zip(system.joints, self.joints, strict=True):
            blocks.append(Block(None, (row,), h * joint.limit, h * joint.coulomb))
        answer = self._first(W, w0, blocks, owners, before.sliding, t)
        v = free + np.linalg.solve(effective, R.T @ answer.F)
        q = self._closed(self.laws.integrate(middle, 0.5 * h * v), t + h, owners, answer)
        force = np.zeros((len(system.contacts), 4))
        words = ["free"] * len(system.contacts)
        first = system.plan.always
        for choice, i in zip(answer.choices, owners, strict=False):
            rows = [self.places[i][0], *self.places[i][1]]
            force[i, :3] = answer.F[rows] @ directions[[row - first for row in rows]] / h
            force[i, 3] = answer.F[rows[0]] / h
            words[i] = choice.kind
        return q, v, force, tuple(words)

    def _viscous(self, R: Array, state: ContactState, v: Array) -> tuple[Array, Array]:
        """Viscous friction of contacts that touch: a matrix over v, and the force at v."""
        rub, drag = np.zeros((len(v), len(v))), np.zeros(len(v))
        for i, (contact, (_, tangents)) in enumerate(zip(self.system.contacts, self.places, strict=True)):
            if contact.friction.viscous and (contact.bilateral or state.gap[i] <= CLOSED):
                rows = R[list(tangents)]
                rub += contact.friction.viscous * rows.T @ rows
                drag += contact.friction.viscous * rows.T @ state.sliding[i][: len(tangents)]
        return rub, drag

    def _first(
        self, W: Array, w0: Array, blocks: list[Block], owners: list[int], sliding: Array, t: float
    ) -> Answer:
        """Impulses that fit; what contacts did in the step before is tried first."""
        numbers = [*owners, *range(-len(self.joints), 0)]
        likely = tuple(
            self.before.get(i, default_choices(block)[0]) for i, block in zip(numbers, blocks, strict=True)
        )
        slides = {k: sliding[i] / s for k, i in enumerate(owners) if (s := float(np.hypot(*sliding[i]))) > 0}
        first = Combination(likely, slides)
        for answer in answers(W, w0, blocks, range(self.system.plan.always), first):
            self.before = dict(zip(numbers, answer.choices, strict=True))
            return answer
        raise NoConsistentMode(
            f"No impulses within friction serve the step at t = {t:.9g} s. Try a shorter one."
        )

    def _closed(self, q: Array, t: float, owners: list[int], answer: Answer) -> Array:
        """Gaps of contacts that carried are removed: one step of Newton's method."""
        carrying = [i for i, c in zip(owners, answer.choices, strict=False) if c.kind != "free"]
        normals = {normal: i for i, (normal, _) in enumerate(self.places)}
        rows = tuple((normals[row], 0) for row in answer.kept if normals.get(row) in carrying)
        if not rows and not self.system.plan.always:
            return q
        step = self.system.law("closing_contacts", replace(self.system.plan, rows=rows))
        return np.asarray(self.laws.integrate(q, step(q, self.system.given(t))))
