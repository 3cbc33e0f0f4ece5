"""Serial chains in a canonical form for inverse kinematics: T = X0 M1 X1 M2 ... Mn Xn, exact.

M_k is a rotation about z or a displacement along z; X_k are constant. Origins are moved along their axes to
intersections of axes (of parallel axes: to the same height), and offsets are moved through prismatic joints.
The intersection of three axes is then one origin, and its equations do not depend on these joints.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from rikigaku.core.errors import NotExact, NotSolvable, WrongValue
from rikigaku.model.elementary_motions import Prismatic, Revolute
from rikigaku.model.mechanism import Body, Mechanism, instantiate
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.elementary_functions import ROOTS, cos, is_zero, sin
from rikigaku.numbers.exact_number import Exact, ExactConstants, NoRootLeft, Ring
from rikigaku.numbers.number_kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.pose import Pose, axis_rotation
from rikigaku.spatial.vector import IDENTITY
from rikigaku.symbolic.formulas.exact_state import exact_ring

# The pose the chain is to reach: three generators of its position, then nine of its rotation, by rows.
TARGET = tuple(f"target[{k}]" for k in range(12))


@dataclass(frozen=True)
class Axis:
    """A joint with one coordinate: its index in q, and how it moves; indices from nq on are cut joints."""

    place: int
    revolute: bool

    @property
    def variable(self) -> str:
        """The ring's name of its coordinate."""
        return f"q[{self.place}]"

    @property
    def generators(self) -> tuple[str, ...]:
        """The ring's variables that move with it."""
        return (f"sin({self.variable})", f"cos({self.variable})") if self.revolute else (self.variable,)

    def moved(self, ring: Ring) -> Pose:
        """M: the motion as a pose."""
        x = ring.variable(self.variable)
        if self.revolute:
            return Pose(axis_rotation(2, sin(x), cos(x)))
        return Pose(IDENTITY, (0, 0, x))


def unknowns(x: Exact, axes: Iterable[Axis]) -> list[Axis]:
    """The axes whose generators occur."""
    degrees = dict(zip(x.ring.names, x.polynomial.degrees(), strict=True))
    return [axis for axis in axes if any(degrees[name] for name in axis.generators)]


@dataclass(frozen=True)
class Chain:
    """The axes from one body to another and the constants between them: one more than there are axes."""

    ring: Ring
    axes: tuple[Axis, ...]
    constants: tuple[Pose, ...]

    def pose(self) -> Pose:
        """T as polynomials."""
        T = self.constants[0]
        for axis, X in zip(self.axes, self.constants[1:], strict=True):
            T = T.compose(axis.moved(self.ring)).compose(X)
        return T


def exact_geometry(robot: RobotModel) -> tuple[Ring, Mechanism]:
    """A ring of coordinates, symbols of the geometry and the target; the robot over it."""
    for roots in (0, 8, 64):
        ring = exact_ring(robot, [("q", (robot.nq,)), ("target", (12,))], roots)
        token = ROOTS.set(ring.root)
        try:
            symbols = {name: ring.variable(name) for name in robot.free_symbols}
            return ring, instantiate(robot, ExactConstants(ring), symbols)
        except NoRootLeft:
            continue
        finally:
            ROOTS.reset(token)
    raise NotExact(f"Robot {robot.name!r} has too many square roots in its geometry: rotate frames instead.")


def axis_of(body: Body) -> Axis:
    """The axis of a body's joint.

    Raises:
        NotSolvable: where it has more than one coordinate, or a screw.
    """
    if not isinstance(body.joint, Revolute | Prismatic):
        raise NotSolvable(
            f"The joint of link {body.name!r} is {type(body.joint).__name__.lower()}: inverse kinematics as "
            "formulas is for revolute and prismatic joints. Use robot.inverse_kinematics(...), which is "
            "numeric.",
            [body.name],
        )
    return Axis(body.q.start, isinstance(body.joint, Revolute))


def chain_to(mechanism: Mechanism, ring: Ring, body: int, on_body: Pose) -> Chain:
    """The chain from the ground to a frame on a body."""
    path = [mechanism.bodies[k] for k in mechanism.support(body)][::-1]
    return Chain(ring, tuple(map(axis_of, path)), (*(b.placement for b in path), on_body))


def canonical(chain: Chain) -> Chain:
    """The same chain with its origins at intersections of axes."""
    X, axes = list(chain.constants), chain.axes
    meets = [
        axes[k].revolute and axes[k + 1].revolute and _intersection(X[k + 1]) is not None
        for k in range(len(axes) - 1)
    ]
    for k, axis in enumerate(axes):
        if not axis.revolute:
            continue
        if k < len(meets) and meets[k]:
            along = _intersection(X[k + 1])
            assert along is not None
            _move_origin(X, k, along[0])
        elif k and meets[k - 1]:
            along = _intersection(X[k])
            assert along is not None
            _move_origin(X, k, along[1])
        elif k and axes[k - 1].revolute and _is_parallel(X[k]):
            R, p = X[k]
            _move_origin(X, k, -p[2] * R[2][2])
    for k, axis in enumerate(axes):  # offsets before a prismatic joint are moved behind it
        if not axis.revolute:
            R, p = X[k]
            X[k] = Pose(R)
            X[k + 1] = Pose(IDENTITY, vector.transform(vector.transpose(R), p)).compose(X[k + 1])
    return replace(chain, constants=tuple(X))


def _move_origin(X: list[Pose], k: int, h: Number) -> None:
    """Move the origin of axis k by h along it."""
    X[k] = X[k].compose(Pose(IDENTITY, (0, 0, h)))
    X[k + 1] = Pose(IDENTITY, (0, 0, -h)).compose(X[k + 1])


def _is_parallel(X: Pose) -> bool:
    return is_zero(X.R[0][2]) and is_zero(X.R[1][2])


def _intersection(X: Pose) -> tuple[Number, Number] | None:
    """Intersection of the z axes before and after X: distance along each from its origin; None if none."""
    a, b, c = (row[2] for row in X.R)
    x, y, z = X.p
    if _is_parallel(X) or not is_zero(x * b - y * a):
        return None
    # x + u a = 0, y + u b = 0
    for length, slope in ((x, a), (y, b)):
        if not is_zero(slope) and (u := quotient(-length, slope)) is not None:
            return z + u * c, u
    return None


def quotient(x: Number, y: Number) -> Number | None:
    """x / y where that is a polynomial again."""
    if not isinstance(y, Exact):
        return x * (Fraction(1) / y)
    if is_zero(x):
        return 0
    if not isinstance(x, Exact):
        return None
    quotient = x / y
    return quotient if quotient.denominator == 1 else None


def checked(robot: RobotModel, frame: str, chain: Chain) -> None:
    """Raise if the chain has no joint, or a joint coupled to another.

    Raises:
        WrongValue, NotSolvable: with the joint it is about.
    """
    if not chain.axes:
        raise WrongValue(f"Frame {frame!r} of robot {robot.name!r} moves with no joint.")
    names = {robot.q_slices[joint.name].start: joint.name for joint in robot.joints}
    moving = {names[axis.place] for axis in chain.axes if axis.place in names}
    for coupling in robot.couplings:
        if {coupling.joint, coupling.reference} & moving:
            raise NotSolvable(
                f"Joint {coupling.joint!r} follows joint {coupling.reference!r} by a gear: formulas for "
                "inverse kinematics need independent joints. robot.inverse_kinematics(...) is numeric.",
                [coupling.joint],
            )
