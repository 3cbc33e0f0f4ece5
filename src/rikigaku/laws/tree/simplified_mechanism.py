"""Bodies as the recursions in body axes use them: joint transform, motion, Newton-Euler wrench.

`simplified` is the pass before the recursions: it evaluates the joint transforms at q and recognises runs of
parallel axes and plane bodies, so that the recursions themselves read as in the textbooks. Gravity enters as
an upward acceleration of the ground [Luh1980], so weights need no terms of their own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rikigaku.laws.tree.joint_transform import JointTransform, joint_transform
from rikigaku.laws.tree.parallel_axes import ParallelRun, SubtreeWrench, parallel_runs
from rikigaku.model.mechanism import WORLD, Body, Mechanism
from rikigaku.numbers.elementary_functions import is_zero
from rikigaku.numbers.number_kind import Numbers
from rikigaku.spatial import vector
from rikigaku.spatial.rigid_inertia import SpatialInertia
from rikigaku.spatial.twist import NO_TWIST, Twist, Wrench
from rikigaku.spatial.vector import ZERO, Matrix, Vector, cross, transform


@dataclass(frozen=True)
class BodyMotion:
    """Velocity and acceleration of one body, in its own axes.

    Attributes:
        velocity: twist of its origin [m/s, rad/s].
        alpha: angular acceleration [rad/s^2].
        acceleration: of its origin, minus the acceleration of free fall [m/s^2].
        U: [alpha x] + [omega x][omega x]; a point at r has the acceleration `acceleration` + U r.
    """

    velocity: Twist
    alpha: Vector
    acceleration: Vector
    U: Matrix


@dataclass(frozen=True)
class SimplifiedBody:
    """A body of the mechanism at one configuration.

    Attributes:
        body: its parent, joint, coordinates and inertia.
        transform: between its axes and its parent's.
        run: its place in a run of parallel axes, where that saves operations.
        is_plane: whether all its mass lies in the plane z = 0 (Izz = Ixx + Iyy), as after regrouping.
    """

    body: Body
    transform: JointTransform
    run: ParallelRun | None
    is_plane: bool

    @property
    def parent(self) -> int:
        """Index of its parent, or WORLD."""
        return self.body.parent

    @property
    def inertia(self) -> SpatialInertia:
        """Inertia about its origin, in its axes."""
        return self.body.inertia

    @property
    def directions(self) -> list[tuple[int, Twist]]:
        """Coordinates of its joint, each with its free direction S in body axes."""
        return list(zip(self.body.v, self.body.joint.directions(), strict=True))

    def motion(self, known: "dict[int, BodyMotion]", v: Numbers, a: Numbers) -> BodyMotion:
        """Velocity and acceleration from those of its parent (and of the base of its run)."""
        parent, joint = known[self.parent], self.transform
        v_joint, a_joint = self._joint_twist(v), self._joint_twist(a)
        V = joint.twist_to_child(parent.velocity)  # of the point fixed to the parent
        omega = V.angular
        alpha = vector.add(joint.to_child(parent.alpha), cross(omega, v_joint.angular))
        if self.run is not None:
            base = known[self.run.base]
            w, dw = self.run.perpendicular_motion(base.velocity.angular, base.alpha)
            omega, alpha = (w[0], w[1], omega[2]), (dw[0], dw[1], alpha[2])
        linear = joint.to_child(vector.add(parent.acceleration, transform(parent.U, joint.p)))
        w = vector.add(omega, v_joint.angular)
        alpha = vector.add(alpha, a_joint.angular)
        coriolis = cross(vector.add(omega, w), v_joint.linear)
        linear = vector.add(linear, vector.add(coriolis, a_joint.linear))
        return BodyMotion(Twist(vector.add(V.linear, v_joint.linear), w), alpha, linear, _spin(w, alpha))

    def wrench(self, m: BodyMotion) -> Wrench:
        """Force m a + U h and moment I alpha + omega x I omega + h x a of a motion, in body axes.

        The moment is the sum of r x U r over mass points, arranged so that the inertia tensor multiplies
        elements of U: 15 multiplications instead of 24.
        """
        U, alpha, (x, y, z), I = m.U, m.alpha, m.velocity.angular, self.inertia
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = I.I
        force = vector.add(vector.scale(I.m, m.acceleration), transform(U, I.h))
        squares = (x * x, y * y, z * z)
        if self.is_plane:
            about_x, about_y = xx * U[2][1], -yy * U[2][0]
        else:
            about_x = xx * alpha[0] + (zz - yy) * (y * z)
            about_y = yy * alpha[1] + (xx - zz) * (x * z)
        moment = (
            about_x + xz * U[1][0] - xy * U[2][0] + yz * (squares[1] - squares[2]),
            about_y + xy * U[2][1] - yz * U[0][1] + xz * (squares[2] - squares[0]),
            zz * alpha[2]
            + (yy - xx) * (x * y)
            + yz * U[0][2]
            - xz * U[1][2]
            + xy * (squares[0] - squares[1]),
        )
        return Wrench(force, vector.add(moment, cross(I.h, m.acceleration)))

    def to_parent(self, F: SubtreeWrench) -> SubtreeWrench:
        """The subtree wrench about the parent's origin, in the parent's axes."""
        K, joint = self.body.placement.R, self.transform
        force, run_moment = joint.to_parent(F.force), ZERO
        if self.run is not None:
            run_moment = transform(K, vector.add(self.run.to_run(F.moment), F.run_moment))
            moment = transform(K, (0, 0, F.moment[2]))
        else:
            moment = vector.add(joint.to_parent(F.moment), transform(K, F.run_moment))
        return SubtreeWrench(force, vector.add(moment, cross(joint.p, force)), run_moment)

    def _joint_twist(self, rates: Numbers) -> Twist:
        """S rates: velocity (or acceleration) of the joint, in body axes."""
        total = NO_TWIST
        for k, direction in self.directions:
            total = total.plus(direction.times(rates[k]))
        return total


def simplified(mechanism: Mechanism, q: Numbers, v: Numbers, a: Numbers) -> list[SimplifiedBody]:
    """All bodies at the configuration q, parents first.

    Velocities and accelerations v, a decide only by their structural zeros which runs save operations.
    """
    result = []
    for body, run in zip(mechanism.bodies, parallel_runs(mechanism, q, v, a), strict=True):
        (xx, _, _), (_, yy, _), (_, _, zz) = body.inertia.I
        saving = run if run is not None and run.saves else None
        result.append(SimplifiedBody(body, joint_transform(body, q), saving, is_zero(xx + yy - zz)))
    return result


def outward_motion(
    bodies: Sequence[SimplifiedBody], v: Numbers, a: Numbers, gravity: Vector
) -> Iterator[BodyMotion]:
    """Motion of every body, parents first, one at a time: few live values if each is used at once.

    gravity: acceleration of free fall in the world frame [m/s^2].
    """
    known = {WORLD: BodyMotion(NO_TWIST, ZERO, vector.neg(gravity), (ZERO, ZERO, ZERO))}
    for i, body in enumerate(bodies):
        known[i] = body.motion(known, v, a)
        yield known[i]


def body_motions(
    mechanism: Mechanism, q: Numbers, v: Numbers, a: Numbers, gravity: Vector
) -> Iterator[BodyMotion]:
    """Motion of every body of the mechanism, as `outward_motion`."""
    return outward_motion(simplified(mechanism, q, v, a), v, a, gravity)


def _spin(w: Vector, alpha: Vector) -> Matrix:
    """U = [alpha x] + [w x][w x]."""
    xx, yy, zz = w[0] * w[0], w[1] * w[1], w[2] * w[2]
    xy, xz, yz = w[0] * w[1], w[0] * w[2], w[1] * w[2]
    return (
        (-(yy + zz), xy - alpha[2], xz + alpha[1]),
        (xy + alpha[2], -(xx + zz), yz - alpha[0]),
        (xz - alpha[1], yz + alpha[0], -(xx + yy)),
    )
