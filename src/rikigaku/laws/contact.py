"""Motion of a robot with contacts and dry friction in one mode: the general route.

    M a = tau - b + sum over rows of G^T f,   R a + drift = 0,   R M^-1 G^T f = -(drift + R M^-1 (tau - b))

Rows R: loops, guides, normals of closed contacts, tangents of sticking ones, joints that stick. G = R except
that the normal force of a sliding contact brings its friction along: (n - side mu(u) th) . J. Where further
rows hold that follow from these, f is what of all solutions comes nearest to a given one (least, if zero).
Reference: J. Nishiguchi, G. Lee, M. Minami, A. Yanou, extended Newton-Euler method; several contacts at once.
"""

from dataclasses import dataclass
from typing import NamedTuple

from rikigaku.laws.closed import dot
from rikigaku.laws.contact_geometry import Limit, Numbers, Point, Touch, touch
from rikigaku.laws.contact_guides import Hold, guide_gaps, guide_rows, guide_shifts, guide_wrenches
from rikigaku.laws.contact_slip import slip_of
from rikigaku.laws.contact_solving import rows_solved
from rikigaku.laws.forward import net_forces
from rikigaku.laws.loops import loop_bias, loop_jacobian, loop_residual
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.vector import Vector


@dataclass(frozen=True)
class ModePlan:
    """What is closed, sticks and slides.

    rows: (contact, direction) that hold: direction 0 is the normal, 1 and 2 the tangents.
    slips: (contact, sign, side): sign +-1 along the one tangent, 0 along the velocity (3-D); side: the sign
        of the normal force, -1 under a bilateral constraint that pulls.
    held, moving: joints (places in v) that stick, and (place, sign) that move against dry friction.
    loops: rows of the loop residual that count. guides: frames held in part of their pose; guided: those of
        their rows that count.
    more: (contact, direction), or (-1, joint), that hold because the rows do, and carry as well. idle:
        contacts that slide on, held by the others, and carry nothing.
    Numbers given with each state: t; kinetic, fall, bend, viscous of each contact; a direction (3) of each
    contact for the start of sliding, and when that was; Coulomb's force of each of `joints`; forces to come
    near to where rows share.
    """

    points: tuple[Point | Limit, ...]
    joints: tuple[int, ...] = ()
    loops: tuple[int, ...] = ()
    rows: tuple[tuple[int, int], ...] = ()
    slips: tuple[tuple[int, int, int], ...] = ()
    held: tuple[int, ...] = ()
    moving: tuple[tuple[int, int], ...] = ()
    guides: tuple[Hold, ...] = ()
    guided: tuple[int, ...] = ()
    more: tuple[tuple[int, int], ...] = ()
    idle: tuple[int, ...] = ()

    @property
    def always(self) -> int:
        """How many rows hold in every mode: loops and guides."""
        return len(self.loops) + len(self.guided)

    @property
    def size(self) -> int:
        """How many numbers are given with a state."""
        return 1 + 8 * len(self.points) + len(self.joints) + self.sharing

    @property
    def sharing(self) -> int:
        """How many forces share what the rows hold; 0 where they are decided."""
        if not self.more:
            return 0
        return self.always + len(self.rows) + len(self.held) + len(self.more)

    def friction(self, given: Numbers, i: int) -> Numbers:
        return given[1 + 4 * i : 5 + 4 * i]

    def start(self, given: Numbers, i: int) -> tuple[Vector, Number]:
        at = 1 + 4 * len(self.points) + 4 * i
        return (given[at], given[at + 1], given[at + 2]), given[at + 3]

    def coulomb(self, given: Numbers, joint: int) -> Number:
        return given[1 + 8 * len(self.points) + self.joints.index(joint)]

    def near(self, given: Numbers) -> Numbers:
        """Forces (of loops, guides, rows, held, more) that those which share come nearest to."""
        return given[self.size - self.sharing : self.size]


class Moved(NamedTuple):
    """Accelerations; forces, power, driven (see `contact_dynamics`); forces on rows of loops and guides; what
    contacts that carry nothing would have to carry for the least forces."""

    a: list[Number]
    forces: list[Number]
    power: Number
    driven: Number
    always: list[Number]
    idle: list[Number]


def contact_dynamics(
    mechanism: Mechanism, q: Numbers, v: Numbers, tau: Numbers, given: Numbers, plan: ModePlan
) -> tuple[list[Number], list[Number], Number, Number]:
    """Accelerations; forces; the power friction takes away; and that of moving surfaces on the robot [W].

    forces: for each contact the force on the robot in the world (3), then normal force (1); then the friction
    of each of plan.joints; then force and moment (6) of each guide at its frame, world axes. With w the
    velocity of a surface's material, a contact's power f . r' is f . w, which moves the robot, and
    f . (r' - w), which sliding turns into heat.
    """
    moved = contact_motion(mechanism, q, v, tau, given, plan)
    return moved.a, moved.forces, moved.power, moved.driven


def contact_motion(
    mechanism: Mechanism, q: Numbers, v: Numbers, tau: Numbers, given: Numbers, plan: ModePlan
) -> Moved:
    """How the robot moves in that mode."""
    nv = mechanism.nv
    touches = [touch(mechanism, q, v, point, given[0]) for point in plan.points]
    slips = {i: slip_of(plan, given, touches[i], i, sign, side) for i, sign, side in plan.slips}
    force = list(net_forces(mechanism, q, v, tau))
    for i, slip in slips.items():
        force = [f + x for f, x in zip(force, touches[i].row(slip.drag), strict=True)]
    dry = {k: -sign * plan.coulomb(given, k) for k, sign in plan.moving}
    for k, f in dry.items():
        force[k] = force[k] + f

    def pulled(i: int, direction: int) -> list[Number]:
        """Where a force along that row pulls, with the friction it brings."""
        c = touches[i]
        rubs = slips.get(i) if direction == 0 else None
        n = c.directions[direction]
        return c.row(n) if rubs is None else c.row(vector.sub(n, vector.scale(rubs.mu, rubs.th)))

    R, G, drift = _always_rows(mechanism, q, v, given, plan)
    for i, direction in plan.rows:
        sliding = direction == 0 and i in slips
        R.append(touches[i].row(touches[i].directions[direction]))
        G.append(pulled(i, direction) if sliding else R[-1])
        drift.append(touches[i].drifts[direction])
    for k in plan.held:
        R.append([int(j == k) for j in range(nv)])
        G.append(R[-1])
        drift.append(0)
    more = [[int(j == k) for j in range(nv)] if i < 0 else pulled(i, k) for i, k in plan.more]
    idle = [pulled(i, 0) for i in plan.idle]
    a, f, would = rows_solved(mechanism, q, force, R, G, drift, more, idle, plan.near(given))

    names = (*plan.rows, *((-1, k) for k in plan.held), *plan.more)
    on_rows = dict(zip(names, f[plan.always :], strict=True))
    forces: list[Number] = []
    power: Number = 0
    driven: Number = 0
    for i, c in enumerate(touches):
        total: Vector = vector.ZERO
        for direction, along in enumerate(c.directions):
            if (i, direction) in on_rows:
                total = vector.add(total, vector.scale(on_rows[i, direction], along))
        normal = on_rows.get((i, 0), 0)
        if i in slips:
            rub = vector.sub(slips[i].drag, vector.scale(slips[i].mu * normal, slips[i].th))
            total = vector.add(total, rub)
            power = power - vector.dot(rub, slips[i].sliding)
        driven = driven + vector.dot(total, c.material)
        forces += [*total, normal]
    for k in plan.joints:
        forces.append(on_rows.get((-1, k), dry.get(k, 0)))
        power = power - dry.get(k, 0) * v[k]
    if plan.guides:
        on_guides = dict(zip(plan.guided, f[len(plan.loops) : plan.always], strict=True))
        for hold, wrench in zip(
            plan.guides, guide_wrenches(mechanism, q, plan.guides, on_guides), strict=True
        ):
            forces += wrench
            driven = driven + dot(wrench[:3], hold.moved(given[0], 1))
    return Moved(a, forces, power, driven, f[: plan.always], would)


def held_velocity(
    mechanism: Mechanism, q: Numbers, v: Numbers, given: Numbers, plan: ModePlan
) -> list[Number]:
    """The velocities nearest to v, as kinetic energy measures, that keep every row of the mode."""
    R, _, _ = _always_rows(mechanism, q, v, given, plan)
    opening = [dot(row, v) for row in R]
    shifts = guide_shifts(plan.guides, given[0], 1)
    for k, i in enumerate(plan.guided, len(plan.loops)):
        opening[k] = opening[k] + shifts[i]
    touches = {i: touch(mechanism, q, v, plan.points[i], given[0]) for i, _ in plan.rows}
    for i, direction in plan.rows:
        c = touches[i]
        R.append(c.row(c.directions[direction]))
        opening.append(c.approach if direction == 0 else vector.dot(c.sliding, c.directions[direction]))
    for k in plan.held:
        R.append([int(j == k) for j in range(mechanism.nv)])
        opening.append(v[k])
    step, _, _ = rows_solved(mechanism, q, [0] * mechanism.nv, R, R, opening)
    return [x + dx for x, dx in zip(v, step, strict=True)]


def closing_contacts(mechanism: Mechanism, q: Numbers, given: Numbers, plan: ModePlan) -> list[Number]:
    """Newton's step of q (in the tangent) that puts closed contacts and loops back where they belong."""
    rest = [0] * mechanism.nv
    R, _, _ = _always_rows(mechanism, q, rest, given, plan)
    for c in _closed(mechanism, q, given, plan):
        R.append(c.row(c.directions[0]))
    step, _, _ = rows_solved(mechanism, q, rest, R, R, gaps_of_mode(mechanism, q, given, plan))
    return step


def gaps_of_mode(mechanism: Mechanism, q: Numbers, given: Numbers, plan: ModePlan) -> list[Number]:
    """How far loops, guides and closed contacts are open [m, or sines of angles]."""
    loops = loop_residual(mechanism, q) if plan.loops else []
    guides = guide_gaps(mechanism, q, given, plan) if plan.guided else []
    held = [*(loops[i] for i in plan.loops), *(guides[i] for i in plan.guided)]
    return [*held, *(c.gap for c in _closed(mechanism, q, given, plan))]


def _closed(mechanism: Mechanism, q: Numbers, given: Numbers, plan: ModePlan) -> list[Touch]:
    rest = [0] * mechanism.nv
    closed = [i for i, direction in plan.rows if direction == 0]
    return [touch(mechanism, q, rest, plan.points[i], given[0]) for i in closed]


def _always_rows(
    mechanism: Mechanism, q: Numbers, v: Numbers, given: Numbers, plan: ModePlan
) -> tuple[list[list[Number]], list[list[Number]], list[Number]]:
    R: list[list[Number]] = []
    drift: list[Number] = []
    if plan.loops:
        J, b = loop_jacobian(mechanism, q), loop_bias(mechanism, q, v)
        R, drift = [J[i] for i in plan.loops], [b[i] for i in plan.loops]
    if plan.guided:
        J, b = guide_rows(mechanism, q, v, given, plan)
        R, drift = [*R, *(J[i] for i in plan.guided)], [*drift, *(b[i] for i in plan.guided)]
    return R, list(R), drift
