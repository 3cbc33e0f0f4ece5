"""Terms of constrained motion that do not depend on the contact mode, for all constraints of a robot.

    M a = force + J^T f,    J a + bias = 0,    d(residual)/dt = J v + rate

`configuration_terms` depends on positions and time (factors of M, J, rate, residual), `motion_terms` on
velocities and joint forces as well (force, bias). The native code for contact modes (`integrators`) selects
the active constraints among them, so that one program serves all contact modes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from rikigaku.laws.closed.loop_equations import equation_labels, loop_bias, loop_jacobian, loop_residual
from rikigaku.laws.contact.active_constraints import ActiveConstraints
from rikigaku.laws.contact.closest_points import PointContact
from rikigaku.laws.contact.contact_geometry import Limit, Numbers
from rikigaku.laws.contact.guide_equations import (
    guide_bias,
    guide_jacobian,
    guide_owners,
    guide_rates,
    guide_residual,
    guide_wrenches,
)
from rikigaku.laws.contact.relative_motion import ContactSides, Point
from rikigaku.laws.tree.configuration_integration import position_rates
from rikigaku.laws.tree.forward_dynamics import mass_factors, net_forces
from rikigaku.laws.tree.kinematics import known_frame, world_poses
from rikigaku.laws.tree.ltdl_factorization import Factors, ancestors, outermost_first
from rikigaku.laws.tree.newton_euler import viscous_power
from rikigaku.laws.tree.simplified_mechanism import body_motions
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.number_kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.vector import Vector, dot

Terms = list[Number]


@dataclass(frozen=True, eq=False)
class ConstraintStructure:
    """Sizes and sparsity of the terms.

    Constraints in the order loops, guides, contacts (normal, tangents; contact after contact), joints with
    dry friction. Friction moments of a contact follow as a contact of their own, whose normal constraint is
    zero and never active. The pattern of a constraint contains the coordinates that move it and all their
    ancestors, each before its ancestors: L^-T J^T has the same pattern.
    """

    mechanism: Mechanism
    plan: ActiveConstraints

    @cached_property
    def parents(self) -> list[int]:
        return self.mechanism.parent_dofs()

    @cached_property
    def order(self) -> list[int]:
        """Coordinates, each before its ancestors."""
        return outermost_first(self.parents)

    @cached_property
    def tangents(self) -> list[int]:
        """Number of tangents of each contact: 1 in a plane, 2 in space, 0 at a joint limit."""
        return [0 if isinstance(point, Limit) else point.tangents for point in self.plan.points]

    @cached_property
    def contact_rows(self) -> list[int]:
        """Index of each contact's normal constraint; then the number of constraints before the joints."""
        return list(accumulate((1 + count for count in self.tangents), initial=self.plan.permanent))

    @cached_property
    def owners(self) -> list[int]:
        """The contact whose normal force limits the friction of each: itself, for moments another one."""
        points = self.plan.points
        return [p.owner if isinstance(p, Point) and p.about else i for i, p in enumerate(points)]

    @property
    def joint_rows(self) -> range:
        """Indices of the constraints of joints with dry friction."""
        first = self.contact_rows[-1]
        return range(first, first + len(self.plan.joints))

    @cached_property
    def patterns(self) -> list[tuple[int, ...]]:
        """Coordinates of each constraint."""
        mechanism, plan = self.mechanism, self.plan
        moved: list[set[int]] = []
        for loop in mechanism.loops if plan.loop_equations else ():
            ends = self._coordinates(loop.start[0]) | self._coordinates(loop.end[0])
            moved += [ends] * len(equation_labels(loop.joint))
        moved += [{gear.joint[1], gear.reference[1]} for gear in mechanism.gears if plan.loop_equations]
        moved = [moved[i] for i in plan.loop_equations]
        owners = guide_owners(plan.guides)
        moved += [self._moving(plan.guides[owners[i]].frame) for i in plan.guide_equations]
        for point, count in zip(plan.points, self.tangents, strict=True):
            own = {point.v} if isinstance(point, Limit) else self._moving(point.frame)
            if isinstance(point, Point) and point.surface.body is not None:
                own = own | self._moving(point.surface.body)
            moved += [own] * (1 + count)
        moved += [{k} for k in plan.joints]
        return [self._with_ancestors(own) for own in moved]

    def _coordinates(self, body: int) -> set[int]:
        return {k for i in self.mechanism.support(body) for k in self.mechanism.bodies[i].v}

    def _moving(self, frame: str) -> set[int]:
        return self._coordinates(known_frame(self.mechanism, frame)[0])

    def _with_ancestors(self, own: set[int]) -> tuple[int, ...]:
        whole = own.union(*(ancestors(self.parents, k) for k in own))
        return tuple(k for k in self.order if k in whole)

    @property
    def count(self) -> int:
        """Number of constraints."""
        return len(self.patterns)

    @cached_property
    def row_starts(self) -> list[int]:
        """Where each constraint's elements of J begin."""
        return list(accumulate((len(pattern) for pattern in self.patterns), initial=0))

    @cached_property
    def factor_starts(self) -> list[int]:
        """Where each row of L begins."""
        return list(
            accumulate((len(ancestors(self.parents, i)) for i in range(len(self.parents))), initial=0)
        )

    @cached_property
    def configuration_sizes(self) -> dict[str, int]:
        """Names and sizes of the parts of `configuration_terms`."""
        contacts, guides = len(self.plan.points), len(self.plan.guide_equations)
        return {
            "inverse_D": self.mechanism.nv,
            "L": self.factor_starts[-1],
            "J": self.row_starts[-1],
            "rate": self.count,
            "residual": self.count,
            "directions": 9 * contacts,
            "material": 3 * contacts,
            "rest": 3 * contacts,
            "wrenches": 7 * guides,
        }

    @cached_property
    def motion_sizes(self) -> dict[str, int]:
        """Names and sizes of the parts of `motion_terms`."""
        mechanism = self.mechanism
        return {"qdot": mechanism.nq, "force": mechanism.nv, "bias": self.count, "viscous": 1}


def configuration_terms(
    mechanism: Mechanism, q: Numbers, time: Numbers, plan: ActiveConstraints, mass: Factors | None = None
) -> Terms:
    """Terms of positions and time, one after the other.

    inverse_D, L: factors of M = L^T D L, row by row, nearest ancestor first. J: constraint Jacobian on its
    patterns. rate: part of d(residual)/dt that does not depend on v. residual: of loops, guides and normals
    [m, or sines of angles], zero for tangents and joints. For each contact: directions (normal, tangents;
    3 x 3), velocity of the surface's material (3), sliding velocity out of the plane of motion (3). For each
    guide equation: force, moment on the robot (6) and power of the guide's motion of a unit multiplier.
    mass: other factors than those of the mass matrix.
    """
    structure, t = ConstraintStructure(mechanism, plan), time[0]
    mass, poses = mass or mass_factors(mechanism, q), world_poses(mechanism, q)
    J: list[Sequence[Number]] = []
    row: list[Number]
    rate: Terms = []
    residual: Terms = []
    if plan.loop_equations:
        J_loops, gaps = loop_jacobian(mechanism, q), loop_residual(mechanism, q)
        J += [J_loops[i] for i in plan.loop_equations]
        residual += [gaps[i] for i in plan.loop_equations]
        rate += [0] * len(plan.loop_equations)
    wrenches: Terms = []
    if plan.guide_equations:
        J_guides, gaps = guide_jacobian(mechanism, q, time, plan), guide_residual(mechanism, q, time, plan)
        own, owners = guide_rates(plan.guides, t, 1), guide_owners(plan.guides)
        J += [J_guides[i] for i in plan.guide_equations]
        residual += [gaps[i] for i in plan.guide_equations]
        rate += [own[i] for i in plan.guide_equations]
        for i in plan.guide_equations:
            wrench = guide_wrenches(mechanism, q, plan.guides, {i: 1})[owners[i]]
            moved = plan.guides[owners[i]].moved(t, 1)
            wrenches += [*wrench, dot((wrench[0], wrench[1], wrench[2]), moved)]
    directions: Terms = []
    material: Terms = []
    rest: Terms = []
    for point in plan.points:
        if isinstance(point, Limit):
            J.append([point.side if k == point.v else 0 for k in range(mechanism.nv)])
            rate.append(0)
            residual.append(point.side * (q[point.q] - point.at))
            directions += [1, 0, 0, 0, 0, 0, 0, 0, 0]
            material += vector.ZERO
            rest += vector.ZERO
            continue
        sides = ContactSides(mechanism, poses, point, t)
        c = sides.contact
        if point.about:
            axes = [sides.to_world(axis) for axis in sides.moment_axes]
            J.append([0] * mechanism.nv)
            for axis in axes:
                row = [0] * mechanism.nv
                for k, column in sides.angular_columns.items():
                    row[k] = dot(axis, column)
                J.append(row)
            rate += [0] * (1 + len(axes))
            residual += [0] * (1 + len(axes))
            directions += [
                *sides.directions[0],
                *(x for axis in axes for x in axis),
                *[0] * (6 - 3 * len(axes)),
            ]
            material += vector.ZERO
            rest += vector.ZERO
            continue
        for direction in sides.directions:
            row = [0] * mechanism.nv
            for k, column in sides.columns.items():
                row[k] = dot(direction, column)
            J.append(row)
        rate += [c.gap_rate, *(-dot(tangent, c.material) for tangent in c.directions[1:])]
        residual += [c.gap, *[0] * (len(c.directions) - 1)]
        flat = [x for direction in sides.directions for x in direction]
        directions += [*flat, *[0] * (9 - len(flat))]
        material += sides.to_world(c.material)
        rest += sides.to_world(_out_of_plane(c))
    J += [[int(j == k) for j in range(mechanism.nv)] for k in plan.joints]
    rate += [0] * len(plan.joints)
    residual += [0] * len(plan.joints)
    packed = [row[k] for row, pattern in zip(J, structure.patterns, strict=True) for k in pattern]
    L = [mass.L[i, j] for i in range(mechanism.nv) for j in ancestors(mass.parents, i)]
    return [*mass.inverse_D, *L, *packed, *rate, *residual, *directions, *material, *rest, *wrenches]


def _out_of_plane(c: PointContact) -> Vector:
    """Sliding velocity across the plane of motion, of a belt alone; zero in space."""
    if c.plane is None:
        return vector.ZERO
    along = vector.ZERO
    for direction in c.directions:
        along = vector.add(along, vector.scale(dot(c.material, direction), direction))
    return vector.sub(along, c.material)


def permanent_bias(
    mechanism: Mechanism, q: Numbers, v: Numbers, time: Numbers, plan: ActiveConstraints
) -> Terms:
    """Bias accelerations of the loop closures and guides."""
    bias: Terms = []
    if plan.loop_equations:
        own = loop_bias(mechanism, q, v)
        bias += [own[i] for i in plan.loop_equations]
    if plan.guide_equations:
        own = guide_bias(mechanism, q, v, time, plan)
        bias += [own[i] for i in plan.guide_equations]
    return bias


def bilateral_bias(
    mechanism: Mechanism, q: Numbers, v: Numbers, time: Numbers, plan: ActiveConstraints
) -> Terms:
    """Bias accelerations of loop closures, guides and bilateral contacts; zeros for the others."""
    bias = permanent_bias(mechanism, q, v, time, plan)
    points = [point for point in plan.points if isinstance(point, Point) and point.bilateral]
    if points:
        poses = world_poses(mechanism, q)
        motions = list(body_motions(mechanism, q, v, [0] * mechanism.nv, vector.ZERO))
    for point in plan.points:
        if point not in points:
            bias += [0] * (1 if isinstance(point, Limit) else 1 + point.tangents)
            continue
        sides = ContactSides(mechanism, poses, point, time[0])
        bias += sides.contact.bias(sides.motion(motions))
    return [*bias, *[0] * len(plan.joints)]


def motion_terms(
    mechanism: Mechanism, q: Numbers, v: Numbers, tau: Numbers, time: Numbers, plan: ActiveConstraints
) -> Terms:
    """Terms of velocities and joint forces, one after the other.

    qdot: dq/dt, quaternions included (nq). force: tau - h - g - viscous friction - springs (nv). bias: bias
    accelerations of the constraints. viscous: power dissipated by viscous friction of the joints [W].
    """
    bias = permanent_bias(mechanism, q, v, time, plan)
    if any(isinstance(point, Point) for point in plan.points):
        poses = world_poses(mechanism, q)
        motions = list(body_motions(mechanism, q, v, [0] * mechanism.nv, vector.ZERO))
    for point in plan.points:
        if isinstance(point, Limit):
            bias.append(0)
            continue
        sides = ContactSides(mechanism, poses, point, time[0])
        if point.about:
            bias += [0, *sides.contact.angular_bias(sides.motion(motions), sides.moment_axes)]
        else:
            bias += sides.contact.bias(sides.motion(motions))
    bias += [0] * len(plan.joints)
    return [
        *position_rates(mechanism, q, v),
        *net_forces(mechanism, q, v, tau),
        *bias,
        viscous_power(mechanism, v),
    ]
