"""Types of `Robot`, its laws and its methods. Written by tools/robot_stub.py: do not edit."""

import numpy as np
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from numpy.typing import ArrayLike, DTypeLike, NDArray
from os import PathLike
from pathlib import Path
from rikigaku.closure.actuation_sharing import ActuationForces
from rikigaku.closure.closure_plan import ClosurePlan
from rikigaku.closure.platform_legs import PlatformPoses
from rikigaku.closure.singularity import AssemblyMode, Singularity
from rikigaku.contact.surfaces import Surface
from rikigaku.core.progress import Progress
from rikigaku.core.types import Array
from rikigaku.fem.mesh import Mesh
from rikigaku.inverse_kinematics.ik_solution import IkSolution
from rikigaku.inverse_kinematics.self_motion import SelfMotion
from rikigaku.inverse_kinematics.target_kinds import Target
from rikigaku.laws.law import Law
from rikigaku.model.formula_fields import FormulaTriple
from rikigaku.model.geometry import Geometry
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.robot_model import RobotModel
from rikigaku.model.states import State
from rikigaku.numbers.formula import Formula
from rikigaku.robot.robot_law import RobotLaw
from rikigaku.rollout.rollout_result import Rollout
from rikigaku.symbolic.base_parameters.base_parameter_set import BaseParameters
from rikigaku.symbolic.formulas.exact_formula import ExactFormula
from rikigaku.symbolic.formulas.formula_array import Formulas
from rikigaku.symbolic.inverse_kinematics.ik_branches import JointFormulas
from rikigaku.symbolic.loops.loop_constraints import LoopConstraints
from rikigaku.web.notebook_widget import RobotView
from typing import Any, Literal, NamedTuple, Self, overload


class FormulaVector(Formulas):
    """A vector of formulas."""
    @overload
    def __getitem__(self, index: int) -> ExactFormula: ...
    @overload
    def __getitem__(self, index: slice) -> FormulaVector: ...
    @overload
    def __getitem__(self, index: Any) -> Any: ...
    def __iter__(self) -> Iterator[ExactFormula]: ...

class FormulaMatrix(Formulas):
    """A matrix of formulas."""
    @overload
    def __getitem__(self, index: tuple[int, int]) -> ExactFormula: ...
    @overload
    def __getitem__(self, index: int | tuple[int, slice] | tuple[slice, int]) -> FormulaVector: ...
    @overload
    def __getitem__(self, index: slice | tuple[slice, slice]) -> FormulaMatrix: ...
    @overload
    def __getitem__(self, index: Any) -> Any: ...
    def __iter__(self) -> Iterator[FormulaVector]: ...

class PoseDerivative(NamedTuple):
    q: Array

class Pose(RobotLaw):
    """Pose of a frame in the world frame: the homogeneous matrix [R p; 0 1].

    Args:
        frame: name of a frame or link.
    Returns: 4 x 4 matrix; R has the frame's axes as columns, p is its origin [m].

    Call:
        q: joint positions [rad, m], (..., nq).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, frame: str, *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload
    def fix(self, *, frame: str, **options: Any) -> FixedPose: ...
    @overload
    def fix(self, **options: Any) -> Self: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, frame: str, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> PoseDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, frame: str, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> FormulaMatrix: ...

class FixedPose(Pose):
    """`pose` with frame fixed."""
    def __call__(self, q: ArrayLike, frame: str = ..., *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, frame: str = ..., *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> PoseDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, frame: str = ..., *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...

class PosesDerivative(NamedTuple):
    q: Array

class Poses(RobotLaw):
    """Poses of all frames in the world frame: homogeneous matrices [R p; 0 1].

    Returns: (frames, 4, 4), in the order of `robot.frame_names`; positions in m.

    Call:
        q: joint positions [rad, m], (..., nq).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> PosesDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> Formulas: ...

class JacobianDerivative(NamedTuple):
    q: Array

class Jacobian(RobotLaw):
    """Jacobian of a frame: [velocity; angular velocity] = J(q) v.

    Args:
        frame: name of a frame or link.
        axes: "world": velocity of the frame's origin, world axes; "local": the same in the frame's own axes;
            "spatial": velocity of the body's point that coincides with the world's origin, world axes.
    Returns: 6 x nv matrix, linear rows [m] first.

    Call:
        q: joint positions [rad, m], (..., nq).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, frame: str, axes: str = "world", *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload
    def fix(self, *, frame: str, **options: Any) -> FixedJacobian: ...
    @overload
    def fix(self, **options: Any) -> Self: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, frame: str, axes: str = "world", *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> JacobianDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, frame: str, axes: str = "world", *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> FormulaMatrix: ...

class FixedJacobian(Jacobian):
    """`jacobian` with frame fixed."""
    def __call__(self, q: ArrayLike, frame: str = ..., axes: str = "world", *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, frame: str = ..., axes: str = "world", *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> JacobianDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, frame: str = ..., axes: str = "world", *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...

class EulerJacobianDerivative(NamedTuple):
    q: Array

class EulerJacobian(RobotLaw):
    """Jacobian of a frame's position and Euler angles: [velocity; d(angles)/dt] = J(q) v.

    Args:
        frame: name of a frame or link.
        angles: "zyx": R = Rz Ry Rx; "zyz": R = Rz Ry Rz.
    Returns: 6 x nv matrix: velocity of the frame's origin in world axes, then the time derivatives of the
        angles in the order of their names. NaN where the angles are singular to rounding: the cosine (for
        "zyz" the sine) of the middle angle is below 6e-14.

    Call:
        q: joint positions [rad, m], (..., nq).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, frame: str, angles: str = "zyx", *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload
    def fix(self, *, frame: str, **options: Any) -> FixedEulerJacobian: ...
    @overload
    def fix(self, **options: Any) -> Self: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, frame: str, angles: str = "zyx", *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> EulerJacobianDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, frame: str, angles: str = "zyx", *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> FormulaMatrix: ...

class FixedEulerJacobian(EulerJacobian):
    """`euler_jacobian` with frame fixed."""
    def __call__(self, q: ArrayLike, frame: str = ..., angles: str = "zyx", *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, frame: str = ..., angles: str = "zyx", *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> EulerJacobianDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, frame: str = ..., angles: str = "zyx", *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...

class VelocityDerivative(NamedTuple):
    q: Array
    v: Array

class Velocity(RobotLaw):
    """Velocity of a frame: [velocity of its origin; angular velocity] = J(q) v.

    Args:
        frame: name of a frame or link.
        axes: "world", "local" or "spatial", as in `jacobian`.
    Returns: (6), linear [m/s] first, then angular [rad/s].

    Call:
        q: joint positions [rad, m], (..., nq).
        v: joint velocities [rad/s, m/s], (..., nv).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, v: ArrayLike, frame: str, axes: str = "world", *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload
    def fix(self, *, frame: str, **options: Any) -> FixedVelocity: ...
    @overload
    def fix(self, **options: Any) -> Self: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, v: ArrayLike, frame: str, axes: str = "world", *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> VelocityDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, v: ArrayLike, frame: str, axes: str = "world", *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> FormulaVector: ...

class FixedVelocity(Velocity):
    """`velocity` with frame fixed."""
    def __call__(self, q: ArrayLike, v: ArrayLike, frame: str = ..., axes: str = "world", *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, v: ArrayLike, frame: str = ..., axes: str = "world", *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> VelocityDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, v: ArrayLike, frame: str = ..., axes: str = "world", *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...

class AccelerationDerivative(NamedTuple):
    q: Array
    v: Array
    a: Array

class Acceleration(RobotLaw):
    """Acceleration of a frame, the time derivative of `velocity`: J(q) a + (dJ/dt) v.

    Args:
        frame: name of a frame or link.
        axes: "world", "local" or "spatial", as in `jacobian`.
    Returns: (6), linear [m/s^2] first, then angular [rad/s^2]; gravity is not included.

    Call:
        q: joint positions [rad, m], (..., nq).
        v: joint velocities [rad/s, m/s], (..., nv).
        a: joint accelerations [rad/s^2, m/s^2], (..., nv).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, frame: str, axes: str = "world", *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload
    def fix(self, *, frame: str, **options: Any) -> FixedAcceleration: ...
    @overload
    def fix(self, **options: Any) -> Self: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, frame: str, axes: str = "world", *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> AccelerationDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, frame: str, axes: str = "world", *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> FormulaVector: ...

class FixedAcceleration(Acceleration):
    """`acceleration` with frame fixed."""
    def __call__(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, frame: str = ..., axes: str = "world", *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, frame: str = ..., axes: str = "world", *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> AccelerationDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, frame: str = ..., axes: str = "world", *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...

class JacobianRateDerivative(NamedTuple):
    q: Array
    v: Array

class JacobianRate(RobotLaw):
    """Bias acceleration of a frame, its acceleration at zero joint acceleration: (dJ/dt) v.

    Args:
        frame: name of a frame or link.
        axes: "world", "local" or "spatial", as in `jacobian`.
    Returns: (6), linear [m/s^2] first, then angular [rad/s^2].

    Call:
        q: joint positions [rad, m], (..., nq).
        v: joint velocities [rad/s, m/s], (..., nv).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, v: ArrayLike, frame: str, axes: str = "world", *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload
    def fix(self, *, frame: str, **options: Any) -> FixedJacobianRate: ...
    @overload
    def fix(self, **options: Any) -> Self: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, v: ArrayLike, frame: str, axes: str = "world", *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> JacobianRateDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, v: ArrayLike, frame: str, axes: str = "world", *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> FormulaVector: ...

class FixedJacobianRate(JacobianRate):
    """`jacobian_rate` with frame fixed."""
    def __call__(self, q: ArrayLike, v: ArrayLike, frame: str = ..., axes: str = "world", *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, v: ArrayLike, frame: str = ..., axes: str = "world", *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> JacobianRateDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, v: ArrayLike, frame: str = ..., axes: str = "world", *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...

class IntegrateDerivative(NamedTuple):
    q: Array
    v: Array

class Integrate(RobotLaw):
    """Configuration after one unit of time at constant joint velocities v: q exp(v), q + v without rotations.

    For a time step dt pass v dt. Velocities of spherical and free joints are constant in body axes.
    Returns: joint positions [rad, m], (nq); quaternions are normalised.

    Call:
        q: joint positions [rad, m], (..., nq).
        v: joint velocities [rad/s, m/s], (..., nv).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, v: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, v: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> IntegrateDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, v: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> FormulaVector: ...

class InverseDynamicsDerivative(NamedTuple):
    q: Array
    v: Array
    a: Array

class InverseDynamics(RobotLaw):
    """Joint forces that produce the accelerations: tau = M(q) a + h(q, v) + g(q) + friction - J^T wrenches.

    Args:
        gravity: acceleration of free fall in the world frame [m/s^2], (3); None: the robot's own.
        wrenches: force and moment on the robot at the origin of each named frame [N, N m], world axes.
        friction: include viscous and Coulomb friction and springs of the joints.
    Returns: joint forces [N m, N], (nv); reflected rotor inertia is included.
    Reference: [Luh1980], in body axes with first moments about body origins as in [Khalil1987].

    Call:
        q: joint positions [rad, m], (..., nq).
        v: joint velocities [rad/s, m/s], (..., nv).
        a: joint accelerations [rad/s^2, m/s^2], (..., nv).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, gravity: ArrayLike | None = None, wrenches: Mapping[str, ArrayLike] | None = None, friction: bool = True, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, gravity: ArrayLike | None = None, wrenches: Mapping[str, ArrayLike] | None = None, friction: bool = True, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> InverseDynamicsDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, gravity: ArrayLike | None = None, wrenches: Mapping[str, ArrayLike] | None = None, friction: bool = True, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...

class ForwardDynamicsDerivative(NamedTuple):
    q: Array
    v: Array
    tau: Array

class ForwardDynamics(RobotLaw):
    """Joint accelerations under the joint forces: a = M^-1 (tau - h - g - friction + J^T wrenches).

    Args:
        gravity: acceleration of free fall in the world frame [m/s^2], (3); None: the robot's own.
        wrenches: force and moment on the robot at the origin of each named frame [N, N m], world axes.
        friction: include viscous friction and springs of the joints. Coulomb friction, which has no value at
            rest, acts in `simulate` only.
        method: "factors" (mass matrix), "articulated" (articulated bodies), or "auto": the one with fewer
            operations.
    Returns: joint accelerations [rad/s^2, m/s^2], (nv).
    Reference: [Featherstone2005], [Featherstone1983].

    Call:
        q: joint positions [rad, m], (..., nq).
        v: joint velocities [rad/s, m/s], (..., nv).
        tau: joint forces [N m, N], (..., nv).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, gravity: ArrayLike | None = None, wrenches: Mapping[str, ArrayLike] | None = None, friction: bool = True, method: str = "auto", **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, gravity: ArrayLike | None = None, wrenches: Mapping[str, ArrayLike] | None = None, friction: bool = True, method: str = "auto", **symbols: ArrayLike | Mapping[str, ArrayLike]) -> ForwardDynamicsDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, gravity: ArrayLike | None = None, wrenches: Mapping[str, ArrayLike] | None = None, friction: bool = True, method: str = "auto", **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...

class MassMatrixDerivative(NamedTuple):
    q: Array

class MassMatrix(RobotLaw):
    """Mass matrix: M(q) of tau = M(q) a + h(q, v) + g(q); kinetic energy is v^T M v / 2.

    Args:
        packed: return only the entries of the lower triangle that are no structural zeros, in the order of
            `robot.mass_pattern()`.
    Returns: symmetric nv x nv matrix [kg m^2, kg m, kg], reflected rotor inertia included; or packed entries.
    Reference: [Walker1982].

    Call:
        q: joint positions [rad, m], (..., nq).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, packed: bool = False, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> MassMatrixDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> FormulaMatrix: ...

class InverseMassMatrixDerivative(NamedTuple):
    q: Array

class InverseMassMatrix(RobotLaw):
    """Inverse mass matrix: M(q)^-1, reflected rotor inertia included.

    Returns: symmetric nv x nv matrix.
    Reference: [Featherstone2005].

    Call:
        q: joint positions [rad, m], (..., nq).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> InverseMassMatrixDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> FormulaMatrix: ...

class VelocityForcesDerivative(NamedTuple):
    q: Array
    v: Array

class VelocityForces(RobotLaw):
    """Centrifugal, Coriolis and gyroscopic joint forces: h(q, v) of tau = M(q) a + h(q, v) + g(q).

    Returns: joint forces [N m, N], (nv), without gravity and friction.
    Reference: [Luh1980], at zero acceleration.

    Call:
        q: joint positions [rad, m], (..., nq).
        v: joint velocities [rad/s, m/s], (..., nv).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, v: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, v: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> VelocityForcesDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, v: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> FormulaVector: ...

class GravityForcesDerivative(NamedTuple):
    q: Array

class GravityForces(RobotLaw):
    """Joint forces that hold the robot at rest against gravity: g(q) of tau = M(q) a + h(q, v) + g(q).

    Args:
        gravity: acceleration of free fall in the world frame [m/s^2], (3); None: the robot's own.
    Returns: joint forces [N m, N], (nv), without springs.
    Reference: [Luh1980], at rest.

    Call:
        q: joint positions [rad, m], (..., nq).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, gravity: ArrayLike | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, gravity: ArrayLike | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> GravityForcesDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, gravity: ArrayLike | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> FormulaVector: ...

class CoriolisMatrixDerivative(NamedTuple):
    q: Array
    v: Array

class CoriolisMatrix(RobotLaw):
    """Coriolis matrix: C(q, v) v = h(q, v), with dM/dt - 2 C skew-symmetric.

    Where v = dq/dt (no spherical or free joints) it is the matrix of Christoffel symbols.
    Returns: nv x nv matrix.
    Reference: [Echeandia2021].

    Call:
        q: joint positions [rad, m], (..., nq).
        v: joint velocities [rad/s, m/s], (..., nv).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, v: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, v: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> CoriolisMatrixDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, v: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> FormulaMatrix: ...

class RegressorDerivative(NamedTuple):
    q: Array
    v: Array
    a: Array

class Regressor(RobotLaw):
    """Regressor of inverse dynamics: tau = Y(q, v, a) pi, with pi = `robot.parameters()`.

    Args:
        gravity: acceleration of free fall in the world frame [m/s^2], (3); None: the robot's own.
        joint_parameters: append columns for rotor inertia, viscous and Coulomb friction of each coordinate.
    Returns: nv x columns matrix; ten columns for each moving body: m, msx, msy, msz, Ixx, Ixy, Ixz, Iyy, Iyz,
        Izz about the link's origin in link axes.

    Call:
        q: joint positions [rad, m], (..., nq).
        v: joint velocities [rad/s, m/s], (..., nv).
        a: joint accelerations [rad/s^2, m/s^2], (..., nv).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, gravity: ArrayLike | None = None, joint_parameters: bool = False, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, gravity: ArrayLike | None = None, joint_parameters: bool = False, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> RegressorDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, gravity: ArrayLike | None = None, joint_parameters: bool = False, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> FormulaMatrix: ...

class KineticEnergyDerivative(NamedTuple):
    q: Array
    v: Array

class KineticEnergy(RobotLaw):
    """Kinetic energy: T = v^T M(q) v / 2, reflected rotor inertia included.

    Returns: energy [J].

    Call:
        q: joint positions [rad, m], (..., nq).
        v: joint velocities [rad/s, m/s], (..., nv).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, v: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, v: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> KineticEnergyDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, v: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> ExactFormula: ...

class PotentialEnergyDerivative(NamedTuple):
    q: Array

class PotentialEnergy(RobotLaw):
    """Potential energy of gravity and of joint springs: U = -m g . c + k (q - q_rest)^2 / 2.

    Zero where the centre of mass is at the world's origin and the springs are relaxed.

    Args:
        gravity: acceleration of free fall in the world frame [m/s^2], (3); None: the robot's own.
    Returns: energy [J].

    Call:
        q: joint positions [rad, m], (..., nq).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, gravity: ArrayLike | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, gravity: ArrayLike | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> PotentialEnergyDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, gravity: ArrayLike | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> ExactFormula: ...

class CenterOfMassDerivative(NamedTuple):
    q: Array

class CenterOfMass(RobotLaw):
    """Centre of mass of the moving bodies in the world frame: c = sum(m_i c_i) / sum(m_i).

    Returns: position [m], (3).

    Call:
        q: joint positions [rad, m], (..., nq).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> CenterOfMassDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> FormulaVector: ...

class MomentumDerivative(NamedTuple):
    q: Array
    v: Array

class Momentum(RobotLaw):
    """Momentum of the moving bodies: [linear; angular] = A(q) v, world axes.

    Args:
        about: "com": angular momentum about the centre of mass; "world": about the world's origin.
    Returns: (6), linear [N s] first, then angular [N m s]; reflected rotor inertia is not included.

    Call:
        q: joint positions [rad, m], (..., nq).
        v: joint velocities [rad/s, m/s], (..., nv).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, v: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, about: str = "com", **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, v: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, about: str = "com", **symbols: ArrayLike | Mapping[str, ArrayLike]) -> MomentumDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, v: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, about: str = "com", **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> FormulaVector: ...

class MomentumMatrixDerivative(NamedTuple):
    q: Array

class MomentumMatrix(RobotLaw):
    """Centroidal momentum matrix: [linear; angular momentum] = A(q) v, world axes.

    Args:
        about: "com": angular momentum about the centre of mass; "world": about the world's origin.
    Returns: 6 x nv matrix, linear rows first; reflected rotor inertia is not included.

    Call:
        q: joint positions [rad, m], (..., nq).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, about: str = "com", **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, about: str = "com", **symbols: ArrayLike | Mapping[str, ArrayLike]) -> MomentumMatrixDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, about: str = "com", **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> FormulaMatrix: ...

class LoopResidualDerivative(NamedTuple):
    q: Array

class LoopResidual(RobotLaw):
    """Closure residual r(q) [m, or sines of angles; gears: rad or m]; zero where the loops are closed.

    Call:
        q: joint positions [rad, m], (..., nq).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> LoopResidualDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> FormulaVector: ...

class LoopJacobianDerivative(NamedTuple):
    q: Array

class LoopJacobian(RobotLaw):
    """Loop Jacobian J, d(residual)/dt = J v: one row for each equation of `loop_residual`, nv columns.

    Call:
        q: joint positions [rad, m], (..., nq).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> LoopJacobianDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> FormulaMatrix: ...

class LoopBiasDerivative(NamedTuple):
    q: Array
    v: Array

class LoopBias(RobotLaw):
    """Bias acceleration (dJ/dt) v: the second derivative of the residual at zero joint acceleration.

    Call:
        q: joint positions [rad, m], (..., nq).
        v: joint velocities [rad/s, m/s], (..., nv).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, v: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, v: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> LoopBiasDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, v: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> FormulaVector: ...

class LoopAlignmentDerivative(NamedTuple):
    q: Array

class LoopAlignment(RobotLaw):
    """Cosines between axes of the two ends that must be parallel, one for each of the joints' aligned axes.

    Where all residuals vanish each is 1 or -1; -1 means that the joint is closed in the wrong assembly mode,
    with the axes antiparallel.

    Call:
        q: joint positions [rad, m], (..., nq).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> LoopAlignmentDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> FormulaVector: ...

class CompleteResults(NamedTuple):
    v: Array
    a: Array

class Complete(RobotLaw):
    """Velocities and accelerations of all joints from those of the independent coordinates.

    v = P v_independent, a = P a_independent + dP/dt v_independent (both nv).

    Call:
        q: joint positions [rad, m], (..., nq).
        v: joint velocities [rad/s, m/s], (..., nv).
        a: joint accelerations [rad/s^2, m/s^2], (..., nv).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> CompleteResults: ...

class LoopForcesDerivative(NamedTuple):
    q: Array
    v: Array
    a: Array
    tau: Array

class LoopForces(RobotLaw):
    """Forces f in the cut joints, one for each equation of the loop residual, in a motion under tau.

    M a + h + g + friction = S^T tau + J^T f. The motion does not determine the forces along redundant
    equations: equations that are redundant everywhere get zero, the others the minimum-norm forces.

    Call:
        q: joint positions [rad, m], (..., nq).
        v: joint velocities [rad/s, m/s], (..., nv).
        a: joint accelerations [rad/s^2, m/s^2], (..., nv).
        tau: joint forces [N m, N], (..., nv).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, tau: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, gravity: ArrayLike | None = None, wrenches: Mapping[str, ArrayLike] | None = None, friction: bool = True, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, tau: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, gravity: ArrayLike | None = None, wrenches: Mapping[str, ArrayLike] | None = None, friction: bool = True, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> LoopForcesDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, tau: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, gravity: ArrayLike | None = None, wrenches: Mapping[str, ArrayLike] | None = None, friction: bool = True, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...

class LoopDynamicsDerivative(NamedTuple):
    q: Array
    v: Array
    tau: Array

class LoopDynamics(RobotLaw):
    """Accelerations of all joints under forces tau in all of them, loop-closure constraints satisfied.

    J M^-1 J^T f = -(b + J M^-1 (tau - h - g - friction)), a = M^-1 (tau - h - g - friction + J^T f). The
    result does not depend on the choice of independent coordinates, and is finite where these are singular.
    Where links without mass make M singular, the equations are projected onto these coordinates instead.

    Call:
        q: joint positions [rad, m], (..., nq).
        v: joint velocities [rad/s, m/s], (..., nv).
        tau: joint forces [N m, N], (..., nv).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, gravity: ArrayLike | None = None, wrenches: Mapping[str, ArrayLike] | None = None, friction: bool = True, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, gravity: ArrayLike | None = None, wrenches: Mapping[str, ArrayLike] | None = None, friction: bool = True, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> LoopDynamicsDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, gravity: ArrayLike | None = None, wrenches: Mapping[str, ArrayLike] | None = None, friction: bool = True, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...

class StateRateDerivative(NamedTuple):
    q: Array
    v: Array
    tau: Array

class StateRate(RobotLaw):
    """dq/dt (quaternions included), then dv/dt, under forces in all joints: the right side of the ODE.

    Call:
        q: joint positions [rad, m], (..., nq).
        v: joint velocities [rad/s, m/s], (..., nv).
        tau: joint forces [N m, N], (..., nv).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, gravity: ArrayLike | None = None, friction: bool = True, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, gravity: ArrayLike | None = None, friction: bool = True, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> StateRateDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, gravity: ArrayLike | None = None, friction: bool = True, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...

class LoopProjectionStepDerivative(NamedTuple):
    q: Array

class LoopProjectionStep(RobotLaw):
    """Newton step dq (in the tangent space, nv) that closes small gaps: J dq = -r, |dq| in M minimal.

    Call:
        q: joint positions [rad, m], (..., nq).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> LoopProjectionStepDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...

class LoopProjectedVelocityDerivative(NamedTuple):
    q: Array
    v: Array

class LoopProjectedVelocity(RobotLaw):
    """Projection of v onto J v = 0: the nearest such velocities in the norm of the kinetic energy.

    Call:
        q: joint positions [rad, m], (..., nq).
        v: joint velocities [rad/s, m/s], (..., nv).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, v: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, v: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> LoopProjectedVelocityDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, v: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...

class ReducedJacobianDerivative(NamedTuple):
    q: Array

class ReducedJacobian(RobotLaw):
    """P with v = P v_independent, nv x mobility.

    Call:
        q: joint positions [rad, m], (..., nq).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> ReducedJacobianDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...

class ReducedActuationDerivative(NamedTuple):
    q: Array

class ReducedActuation(RobotLaw):
    """A with A tau the actuator forces along the independent coordinates, mobility x actuators.

    Call:
        q: joint positions [rad, m], (..., nq).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> ReducedActuationDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...

class ReducedMassMatrixDerivative(NamedTuple):
    q: Array

class ReducedMassMatrix(RobotLaw):
    """P^T M P, mobility x mobility: kinetic energy is v^T M v / 2 with v of the independent coordinates.

    Call:
        q: joint positions [rad, m], (..., nq).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> ReducedMassMatrixDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...

class ReducedVelocityForcesDerivative(NamedTuple):
    q: Array
    v: Array

class ReducedVelocityForces(RobotLaw):
    """h(q, v) over the independent coordinates: P^T (h + M dP/dt v).

    Call:
        q: joint positions [rad, m], (..., nq).
        v: velocities of the independent coordinates, (..., mobility).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, v: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, v: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> ReducedVelocityForcesDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, v: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...

class ReducedCoriolisMatrixDerivative(NamedTuple):
    q: Array
    v: Array

class ReducedCoriolisMatrix(RobotLaw):
    """C(q, v) over the independent coordinates: C v = h, dM/dt - 2 C skew.

    C = P^T (C_tree P + M dP/dt); dP/dt follows from J P = 0 by J dP/dt = -dJ/dt P.

    Call:
        q: joint positions [rad, m], (..., nq).
        v: velocities of the independent coordinates, (..., mobility).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, v: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, v: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> ReducedCoriolisMatrixDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, v: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...

class ReducedGravityForcesDerivative(NamedTuple):
    q: Array

class ReducedGravityForces(RobotLaw):
    """g(q) over the independent coordinates.

    Call:
        q: joint positions [rad, m], (..., nq).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, gravity: ArrayLike | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, gravity: ArrayLike | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> ReducedGravityForcesDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, gravity: ArrayLike | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...

class ReducedInverseDynamicsDerivative(NamedTuple):
    q: Array
    v: Array
    a: Array

class ReducedInverseDynamics(RobotLaw):
    """Forces along the independent coordinates for their accelerations: P^T (M a + h + g + friction).

    Call:
        q: joint positions [rad, m], (..., nq).
        v: velocities of the independent coordinates, (..., mobility).
        a: accelerations of the independent coordinates, (..., mobility).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, gravity: ArrayLike | None = None, wrenches: Mapping[str, ArrayLike] | None = None, friction: bool = True, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, gravity: ArrayLike | None = None, wrenches: Mapping[str, ArrayLike] | None = None, friction: bool = True, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> ReducedInverseDynamicsDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, gravity: ArrayLike | None = None, wrenches: Mapping[str, ArrayLike] | None = None, friction: bool = True, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...

class ReducedForwardDynamicsDerivative(NamedTuple):
    q: Array
    v: Array
    tau: Array

class ReducedForwardDynamics(RobotLaw):
    """Accelerations of the independent coordinates under forces along them.

    P^T M P a = tau - P^T (h + g + friction + M dP/dt v): links of the tree may be massless.

    Call:
        q: joint positions [rad, m], (..., nq).
        v: velocities of the independent coordinates, (..., mobility).
        tau: forces along the independent coordinates, (..., mobility).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, gravity: ArrayLike | None = None, wrenches: Mapping[str, ArrayLike] | None = None, friction: bool = True, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, gravity: ArrayLike | None = None, wrenches: Mapping[str, ArrayLike] | None = None, friction: bool = True, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> ReducedForwardDynamicsDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, gravity: ArrayLike | None = None, wrenches: Mapping[str, ArrayLike] | None = None, friction: bool = True, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...

class ReducedLaws:
    """Laws over the independent coordinates of a closed robot."""
    jacobian: ReducedJacobian
    actuation: ReducedActuation
    mass_matrix: ReducedMassMatrix
    velocity_forces: ReducedVelocityForces
    coriolis_matrix: ReducedCoriolisMatrix
    gravity_forces: ReducedGravityForces
    inverse_dynamics: ReducedInverseDynamics
    forward_dynamics: ReducedForwardDynamics

class GeneralizedJacobianDerivative(NamedTuple):
    q: Array

class GeneralizedJacobian(RobotLaw):
    """J* with twist = J* v at zero momentum, v of the arm; 6 x n, linear rows first (eq 7).

    axes: "world"; "base" or "local" (the frame's own): there J* depends on the arm's configuration alone.

    Call:
        q: joint positions [rad, m], (..., nq).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, frame: str, axes: str = "world", *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload
    def fix(self, *, frame: str, **options: Any) -> FixedGeneralizedJacobian: ...
    @overload
    def fix(self, **options: Any) -> Self: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, frame: str, axes: str = "world", *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> GeneralizedJacobianDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, frame: str, axes: str = "world", *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> FormulaMatrix: ...

class FixedGeneralizedJacobian(GeneralizedJacobian):
    """`generalized_jacobian` with frame fixed."""
    def __call__(self, q: ArrayLike, frame: str = ..., axes: str = "world", *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, frame: str = ..., axes: str = "world", *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> GeneralizedJacobianDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, frame: str = ..., axes: str = "world", *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...

class GeneralizedJacobianRateDerivative(NamedTuple):
    q: Array
    v: Array

class GeneralizedJacobianRate(RobotLaw):
    """Acceleration of a frame at zero accelerations of the arm, world axes: (dJ*/dt) v of the arm.

    v is that of all coordinates, (nv,). The terms of its momentum and of external wrenches (thrusters) are
    included. Uniform gravity is not: all bodies fall alike.

    Call:
        q: joint positions [rad, m], (..., nq).
        v: joint velocities [rad/s, m/s], (..., nv).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, v: ArrayLike, frame: str, *, out: Array | tuple[Array, ...] | None = None, wrenches: Mapping[str, ArrayLike] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload
    def fix(self, *, frame: str, **options: Any) -> FixedGeneralizedJacobianRate: ...
    @overload
    def fix(self, **options: Any) -> Self: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, v: ArrayLike, frame: str, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, wrenches: Mapping[str, ArrayLike] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> GeneralizedJacobianRateDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, v: ArrayLike, frame: str, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, wrenches: Mapping[str, ArrayLike] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> FormulaVector: ...

class FixedGeneralizedJacobianRate(GeneralizedJacobianRate):
    """`generalized_jacobian_rate` with frame fixed."""
    def __call__(self, q: ArrayLike, v: ArrayLike, frame: str = ..., *, out: Array | tuple[Array, ...] | None = None, wrenches: Mapping[str, ArrayLike] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, v: ArrayLike, frame: str = ..., *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, wrenches: Mapping[str, ArrayLike] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> GeneralizedJacobianRateDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, v: ArrayLike, frame: str = ..., *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, wrenches: Mapping[str, ArrayLike] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...

class BaseMotionDerivative(NamedTuple):
    q: Array
    v: Array
    momentum: Array

class BaseMotion(RobotLaw):
    """The base's part of v, from the velocities v of the arm and the momentum of the whole (eq 4).

    momentum: linear, then angular about the centre of mass, world axes, as `momentum` returns it. A planar
        base uses its components in the plane only.

    Call:
        q: joint positions [rad, m], (..., nq).
        v: joint velocities of the arm, (..., n).
        momentum: linear [N s] and angular [N m s] momentum about the centre of mass, world axes, (..., 6).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, v: ArrayLike, momentum: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, v: ArrayLike, momentum: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> BaseMotionDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, v: ArrayLike, momentum: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> FormulaVector: ...

class FloatingVelocityDerivative(NamedTuple):
    q: Array
    v: Array
    momentum: Array

class FloatingVelocity(RobotLaw):
    """Velocities of all coordinates, (nv,), from those of the arm and the momentum; see `base_motion`.

    Call:
        q: joint positions [rad, m], (..., nq).
        v: joint velocities of the arm, (..., n).
        momentum: linear [N s] and angular [N m s] momentum about the centre of mass, world axes, (..., 6).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, v: ArrayLike, momentum: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, v: ArrayLike, momentum: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> FloatingVelocityDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, v: ArrayLike, momentum: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> FormulaVector: ...

class LockedInertiaDerivative(NamedTuple):
    q: Array

class LockedInertia(RobotLaw):
    """I_s: inertia of the whole, all joints locked, about its centre of mass, 3 x 3 (eq 5).

    Call:
        q: joint positions [rad, m], (..., nq).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, axes: str = "world", *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, axes: str = "world", *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> LockedInertiaDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, axes: str = "world", *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> FormulaMatrix: ...

class CouplingInertiaDerivative(NamedTuple):
    q: Array

class CouplingInertia(RobotLaw):
    """I_m: angular momentum about the centre of mass per unit velocity of the arm, 3 x n (eq 5).

    The base is at rest.

    Call:
        q: joint positions [rad, m], (..., nq).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, axes: str = "world", *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, axes: str = "world", *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> CouplingInertiaDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, axes: str = "world", *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> FormulaMatrix: ...

class ReactionProjectorDerivative(NamedTuple):
    q: Array

class ReactionProjector(RobotLaw):
    """Orthogonal projector P onto the reaction null space, n x n: P v does not rotate the base.

    It needs more coordinates of the arm than the base has rotations, and I_m of full rank.
    `space.reaction_null_space` determines the rank and holds for all arms and configurations.

    Reference: D. N. Nenchev, K. Yoshida, P. Vichitkulsawat, M. Uchiyama, Reaction null-space control of
    flexible structure mounted manipulator systems (1999).

    Call:
        q: joint positions [rad, m], (..., nq).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> ReactionProjectorDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> FormulaMatrix: ...

class GeneralizedManipulabilityDerivative(NamedTuple):
    q: Array

class GeneralizedManipulability(RobotLaw):
    """sqrt(det(J* J*^T)) over the selected rows; zero at a dynamic singularity.

    Reference: T. Yoshikawa, Manipulability of robotic mechanisms (1985), with J* for J.

    Call:
        q: joint positions [rad, m], (..., nq).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, frame: str, rows: str = "all", *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload
    def fix(self, *, frame: str, **options: Any) -> FixedGeneralizedManipulability: ...
    @overload
    def fix(self, **options: Any) -> Self: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, frame: str, rows: str = "all", *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> GeneralizedManipulabilityDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, frame: str, rows: str = "all", *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> ExactFormula: ...

class FixedGeneralizedManipulability(GeneralizedManipulability):
    """`generalized_manipulability` with frame fixed."""
    def __call__(self, q: ArrayLike, frame: str = ..., rows: str = "all", *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, frame: str = ..., rows: str = "all", *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> GeneralizedManipulabilityDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, frame: str = ..., rows: str = "all", *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...

class GeneralizedInertiaDerivative(NamedTuple):
    q: Array

class GeneralizedInertia(RobotLaw):
    """H* with kinetic energy v^T H* v / 2 at zero momentum, v of the arm; n x n (eq 42).

    Rotor inertias are included.

    Call:
        q: joint positions [rad, m], (..., nq).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> GeneralizedInertiaDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> FormulaMatrix: ...

class GeneralizedCoriolisDerivative(NamedTuple):
    q: Array
    v: Array

class GeneralizedCoriolis(RobotLaw):
    """C* with C* v the velocity forces at zero momentum, v of the arm: the Christoffel matrix of H*, n x n.

    C* = N^T C N, where N gives the velocities of all coordinates per unit velocity of the arm and C is the
    Christoffel matrix of the whole robot. The term N^T M dN/dt vanishes: dN/dt is a motion of the base, and
    N^T M is zero along these.

    Call:
        q: joint positions [rad, m], (..., nq).
        v: joint velocities of the arm, (..., n).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, v: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, v: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> GeneralizedCoriolisDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, v: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> FormulaMatrix: ...

class FloatingInverseDynamicsDerivative(NamedTuple):
    q: Array
    v: Array
    a: Array

class FloatingInverseDynamics(RobotLaw):
    """Joint forces tau of the arm that produce its accelerations a while the base floats (eqs 28-41).

    Args:
        v: velocities of all coordinates, (nv,); they determine the momentum. a: of the arm, (n,).
        wrenches: external wrenches by frame (thrusters, contact), as for `inverse_dynamics`. Uniform gravity
            changes no joint force: all bodies fall alike.

    Call:
        q: joint positions [rad, m], (..., nq).
        v: joint velocities [rad/s, m/s], (..., nv).
        a: joint accelerations of the arm, (..., n).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, wrenches: Mapping[str, ArrayLike] | None = None, friction: bool = True, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, wrenches: Mapping[str, ArrayLike] | None = None, friction: bool = True, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> FloatingInverseDynamicsDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, wrenches: Mapping[str, ArrayLike] | None = None, friction: bool = True, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> FormulaVector: ...

class InertialTorquesDerivative(NamedTuple):
    q: Array
    a: Array

class InertialTorques(RobotLaw):
    """H* a: joint forces of the arm without the velocity terms (eq 44); a: of the arm, (n,).

    Call:
        q: joint positions [rad, m], (..., nq).
        a: joint accelerations of the arm, (..., n).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, a: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, a: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> InertialTorquesDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, a: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> FormulaVector: ...

class FloatingForwardDynamicsDerivative(NamedTuple):
    q: Array
    v: Array
    tau: Array

class FloatingForwardDynamics(RobotLaw):
    """Accelerations of all coordinates, (nv,), under joint forces tau of the arm, (n,); the base is free.

    Call:
        q: joint positions [rad, m], (..., nq).
        v: joint velocities [rad/s, m/s], (..., nv).
        tau: joint forces of the arm, (..., n).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *, out: Array | tuple[Array, ...] | None = None, gravity: ArrayLike | None = None, wrenches: Mapping[str, ArrayLike] | None = None, friction: bool = True, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, gravity: ArrayLike | None = None, wrenches: Mapping[str, ArrayLike] | None = None, friction: bool = True, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> FloatingForwardDynamicsDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, gravity: ArrayLike | None = None, wrenches: Mapping[str, ArrayLike] | None = None, friction: bool = True, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> FormulaVector: ...

class ResolvedRateDerivative(NamedTuple):
    q: Array
    twist: Array
    momentum: Array

class ResolvedRate(RobotLaw):
    """Velocities of the arm that give a frame a twist, (n,): v = J*^+ (twist - twist due to momentum).

    Of an arm with more coordinates than selected rows, the solution of minimum norm.

    Call:
        q: joint positions [rad, m], (..., nq).
        twist: velocity [m/s] and angular velocity [rad/s] of the frame, world axes, (..., 6).
        momentum: linear [N s] and angular [N m s] momentum about the centre of mass, world axes, (..., 6).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, twist: ArrayLike, momentum: ArrayLike, frame: str, rows: str = "all", *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload
    def fix(self, *, frame: str, **options: Any) -> FixedResolvedRate: ...
    @overload
    def fix(self, **options: Any) -> Self: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, twist: ArrayLike, momentum: ArrayLike, frame: str, rows: str = "all", *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> ResolvedRateDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, twist: ArrayLike, momentum: ArrayLike, frame: str, rows: str = "all", *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> FormulaVector: ...

class FixedResolvedRate(ResolvedRate):
    """`resolved_rate` with frame fixed."""
    def __call__(self, q: ArrayLike, twist: ArrayLike, momentum: ArrayLike, frame: str = ..., rows: str = "all", *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, twist: ArrayLike, momentum: ArrayLike, frame: str = ..., rows: str = "all", *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> ResolvedRateDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, twist: ArrayLike, momentum: ArrayLike, frame: str = ..., rows: str = "all", *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...

class ResolvedAccelerationResults(NamedTuple):
    a: Array
    tau: Array

class ResolvedAcceleration(RobotLaw):
    """Accelerations a of the arm that bring a frame to a moving target (eq 27), and their joint forces tau.

    a = J*^+ (acceleration + K1 velocity error + K2 pose error - (dJ*/dt) v), the solution of minimum norm.

    wrenches: external wrenches by frame (thrusters, contact), as feedforward.

    Call:
        q: joint positions [rad, m], (..., nq).
        v: joint velocities [rad/s, m/s], (..., nv).
        target: position [m] and unit quaternion w x y z of the frame in the world, (..., 7).
        twist: velocity [m/s] and angular velocity [rad/s] of the frame, world axes, (..., 6).
        acceleration: linear [m/s^2] and angular [rad/s^2] acceleration of the frame, world axes, (..., 6).
        gains: of velocity and position [1/s, 1/s^2] (transposed_jacobian: [N s/m, N/m]), (..., 2).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, v: ArrayLike, target: ArrayLike, twist: ArrayLike, acceleration: ArrayLike, gains: ArrayLike, frame: str, rows: str = "all", *, out: Array | tuple[Array, ...] | None = None, wrenches: Mapping[str, ArrayLike] | None = None, friction: bool = True, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> ResolvedAccelerationResults: ...
    @overload
    def fix(self, *, frame: str, **options: Any) -> FixedResolvedAcceleration: ...
    @overload
    def fix(self, **options: Any) -> Self: ...

class FixedResolvedAcceleration(ResolvedAcceleration):
    """`resolved_acceleration` with frame fixed."""
    def __call__(self, q: ArrayLike, v: ArrayLike, target: ArrayLike, twist: ArrayLike, acceleration: ArrayLike, gains: ArrayLike, frame: str = ..., rows: str = "all", *, out: Array | tuple[Array, ...] | None = None, wrenches: Mapping[str, ArrayLike] | None = None, friction: bool = True, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> ResolvedAccelerationResults: ...

class TransposedJacobianDerivative(NamedTuple):
    q: Array
    v: Array
    target: Array
    twist: Array
    gains: Array

class TransposedJacobian(RobotLaw):
    """Joint forces tau = J*^T (K1 (twist - velocity) + K2 (target - pose)) of the arm, (n,).

    J* is not inverted: there are no singularities, and the arm may have fewer coordinates than selected rows.

    Reference: Y. Masutani, F. Miyazaki, S. Arimoto, Sensory feedback control for space manipulators (1989).

    Call:
        q: joint positions [rad, m], (..., nq).
        v: joint velocities [rad/s, m/s], (..., nv).
        target: position [m] and unit quaternion w x y z of the frame in the world, (..., 7).
        twist: velocity [m/s] and angular velocity [rad/s] of the frame, world axes, (..., 6).
        gains: of velocity and position [1/s, 1/s^2] (transposed_jacobian: [N s/m, N/m]), (..., 2).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, v: ArrayLike, target: ArrayLike, twist: ArrayLike, gains: ArrayLike, frame: str, rows: str = "all", *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload
    def fix(self, *, frame: str, **options: Any) -> FixedTransposedJacobian: ...
    @overload
    def fix(self, **options: Any) -> Self: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, v: ArrayLike, target: ArrayLike, twist: ArrayLike, gains: ArrayLike, frame: str, rows: str = "all", *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> TransposedJacobianDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, v: ArrayLike, target: ArrayLike, twist: ArrayLike, gains: ArrayLike, frame: str, rows: str = "all", *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...
    @property
    def symbolic(self) -> FormulaVector: ...

class FixedTransposedJacobian(TransposedJacobian):
    """`transposed_jacobian` with frame fixed."""
    def __call__(self, q: ArrayLike, v: ArrayLike, target: ArrayLike, twist: ArrayLike, gains: ArrayLike, frame: str = ..., rows: str = "all", *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Array: ...
    @overload  # type: ignore[override]
    def derivative(self, q: ArrayLike, v: ArrayLike, target: ArrayLike, twist: ArrayLike, gains: ArrayLike, frame: str = ..., rows: str = "all", *, wrt: None = None, packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> TransposedJacobianDerivative: ...
    @overload
    def derivative(self, q: ArrayLike, v: ArrayLike, target: ArrayLike, twist: ArrayLike, gains: ArrayLike, frame: str = ..., rows: str = "all", *, wrt: str | Sequence[str], packed: bool = False, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> Any: ...

class UnifiedComputationResults(NamedTuple):
    pose: Array
    J: Array
    demand: Array
    tau: Array

class UnifiedComputation(RobotLaw):
    """Pose, J*, right-hand side of J* a = demand (eq 27), and joint forces tau of accelerations a.

    It is `resolved_acceleration` without the solution of J* a = demand: the caller solves for the input a. So
    it holds for any number of joints, and its operations are counted as in the paper.

    Call:
        q: joint positions [rad, m], (..., nq).
        v: joint velocities [rad/s, m/s], (..., nv).
        target: position [m] and unit quaternion w x y z of the frame in the world, (..., 7).
        twist: velocity [m/s] and angular velocity [rad/s] of the frame, world axes, (..., 6).
        acceleration: linear [m/s^2] and angular [rad/s^2] acceleration of the frame, world axes, (..., 6).
        gains: of velocity and position [1/s, 1/s^2] (transposed_jacobian: [N s/m, N/m]), (..., 2).
        a: joint accelerations of the arm, (..., n).
        out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.
        One state or any batch: inputs broadcast against each other.
    """
    def __call__(self, q: ArrayLike, v: ArrayLike, target: ArrayLike, twist: ArrayLike, acceleration: ArrayLike, gains: ArrayLike, a: ArrayLike, frame: str, *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> UnifiedComputationResults: ...
    @overload
    def fix(self, *, frame: str, **options: Any) -> FixedUnifiedComputation: ...
    @overload
    def fix(self, **options: Any) -> Self: ...

class FixedUnifiedComputation(UnifiedComputation):
    """`unified_computation` with frame fixed."""
    def __call__(self, q: ArrayLike, v: ArrayLike, target: ArrayLike, twist: ArrayLike, acceleration: ArrayLike, gains: ArrayLike, a: ArrayLike, frame: str = ..., *, out: Array | tuple[Array, ...] | None = None, **symbols: ArrayLike | Mapping[str, ArrayLike]) -> UnifiedComputationResults: ...

class SpaceLaws:
    """Laws of a robot whose base floats freely in space."""
    generalized_jacobian: GeneralizedJacobian
    generalized_jacobian_rate: GeneralizedJacobianRate
    base_motion: BaseMotion
    floating_velocity: FloatingVelocity
    locked_inertia: LockedInertia
    coupling_inertia: CouplingInertia
    reaction_projector: ReactionProjector
    generalized_manipulability: GeneralizedManipulability
    generalized_inertia: GeneralizedInertia
    generalized_coriolis: GeneralizedCoriolis
    floating_inverse_dynamics: FloatingInverseDynamics
    inertial_torques: InertialTorques
    floating_forward_dynamics: FloatingForwardDynamics
    resolved_rate: ResolvedRate
    resolved_acceleration: ResolvedAcceleration
    transposed_jacobian: TransposedJacobian
    unified_computation: UnifiedComputation

class Robot(RobotModel):
    """A robot: links and joints in a spanning tree, loops, frames and symbols, with its laws and methods.

        Laws take arrays (..., n), broadcast, and run as native code; `.derivative`, `.symbolic`, `.operations`,
        `.export`, `.status` and `.fix` belong to each law. Editing methods return a new robot. SI units, radians.
    """
    pose: Pose
    poses: Poses
    jacobian: Jacobian
    euler_jacobian: EulerJacobian
    velocity: Velocity
    acceleration: Acceleration
    jacobian_rate: JacobianRate
    integrate: Integrate
    inverse_dynamics: InverseDynamics
    forward_dynamics: ForwardDynamics
    mass_matrix: MassMatrix
    inverse_mass_matrix: InverseMassMatrix
    velocity_forces: VelocityForces
    gravity_forces: GravityForces
    coriolis_matrix: CoriolisMatrix
    regressor: Regressor
    kinetic_energy: KineticEnergy
    potential_energy: PotentialEnergy
    center_of_mass: CenterOfMass
    momentum: Momentum
    momentum_matrix: MomentumMatrix
    loop_residual: LoopResidual
    loop_jacobian: LoopJacobian
    loop_bias: LoopBias
    loop_alignment: LoopAlignment
    complete: Complete
    loop_forces: LoopForces
    loop_dynamics: LoopDynamics
    state_rate: StateRate
    loop_projection_step: LoopProjectionStep
    loop_projected_velocity: LoopProjectedVelocity
    reduced: ReducedLaws
    space: SpaceLaws
    def neutral(self) -> Array:
        """q with every coordinate zero, unit quaternions, and coupled joints as coupled (limits aside)."""
    def random_state(self, rng: Any=None, size: int | tuple[int, ...]=()) -> State:
        """Random q, v, a, uniform within the joint limits; quaternions uniform over all rotations.

        Args:
            rng: a NumPy generator, a seed, or None for a new state each time.
            size: shape of a batch of states, before the axis of the joints.

        Joints without limits: +-pi rad, +-0.5 m, +-1 rad/s or m/s. Accelerations within +-1 rad/s^2 or m/s^2.
        """
    def difference(self, start: ArrayLike, end: ArrayLike) -> Array:
        """v with `integrate(start, v) == end`, (..., nv): the shortest path on the manifold of q.

        Angles and lengths are subtracted (whole revolutions are not removed); rotations of quaternions are at
        most half a revolution. Quaternions are normalised; a zero quaternion gives NaN.
        """
    def parameters(self, joint_parameters: bool=False, **symbols: float) -> dict[str, float]:
        """Names and values of the parameters pi of tau = Y pi, in the order of the regressor's columns.

        Args:
            joint_parameters: append rotor inertia, viscous and Coulomb friction of each coordinate.
            symbols: values of the robot's symbols.
        """
    def mass_pattern(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Rows and columns of the entries of `mass_matrix(q, packed=True)`; M is symmetric."""
    def recognised_angles(self) -> dict[str, str]:
        """Constant angles that are rounded in the file and taken as multiples of pi/2, by their place."""
    def check_inertias(self, strict: bool=False, repair: Literal['nearest'] | None=None) -> Robot:
        """The robot, with a warning that lists its impossible inertias.

        Args:
            strict: raise instead of warning.
            repair: "nearest" returns a robot with `nearest_physical` inertias and warns what was changed.
        Raises:
            UnphysicalInertia: if strict, or if an inertia cannot be repaired.
        """
    def lock(self, joint: str, value: object=0) -> Robot:
        """The robot with a joint fixed at a position; joints coupled to it are fixed at their coupled positions.

        value: [rad or m], a number, formula or text ("30*deg"); a sequence for a joint of several coordinates
            (quaternions w x y z of any length).
        A position beyond the joint's limits is used, with a LimitWarning.

        Raises:
            WrongValue: if the joint is fixed already, or follows another.
        """
    def free(self, joint: str, type: str='revolute', axis: FormulaTriple | None=None, pitch: object=None) -> Robot:
        """The robot with a fixed joint made to move; q = 0 is where it was fixed.

        axis: in joint-frame coordinates; the joint's own if left out (z unless it had another).
        pitch: of a helical joint [m/rad]; the joint's own if left out and it had one.
        """
    def on_free_base(self, type: str='free', *, name: str | None=None, ground: str='world', joint: str='free_base') -> Robot:
        """The robot with its base carried by a free (or planar) joint: a satellite, a walking machine.

        The base becomes the first link, with the base's inertia, under its own name (or `name`); `ground` is the
        new base. The joint is not actuated and its coordinates come first in q.
        """
    def attach(self, to: str, inertia: Inertia | None=None, name: str='payload', geometry: Geometry | None=None, frame: str | None=None) -> Robot:
        """The robot with a tool or payload fixed on a link or frame.

        inertia: rk.Inertia("com", 1.5, (0, 0, 0.05)) is 1.5 kg, 5 cm along z of the new link; one that no rigid
            body can have gives an UnphysicalInertiaWarning.
        geometry: pose of the new link on `to`; frame: a name for a frame at the new link's origin, if wanted.
        """
    def join(self, second: RobotModel, at: str, prefix: str='', name: str | None=None) -> Robot:
        """Two robots as one: the base of the second is fixed on a link or frame of the first.

        Its names get the prefix; its base becomes a link fixed by the joint `<prefix><base>_mount`. Symbols of
        the same name are one symbol. The gravity is the first robot's (IgnoredWarning if they differ).
        Raises:
            WrongValue: if a symbol has two values or units. BadModel: if names collide; give a prefix.
        """
    def bind(self, /, **symbols: object) -> Robot:
        """The robot with symbols replaced by numbers, formulas or text: robot.bind(L=0.4, m2="2*m1").

        Raises:
            UnknownName: for a symbol the robot does not have.
        """
    def with_gravity(self, gravity: FormulaTriple) -> Robot:
        """The robot under another gravity: acceleration of free fall in the world [m/s^2], three numbers."""
    def with_actuated(self, joints: Iterable[str]) -> Robot:
        """The robot with exactly these joints actuated."""
    def regrouped(self, parameters: str='numbers', any_gravity: bool=False, loops: bool=False, near: ArrayLike | None=None, **symbols: float) -> Robot:
        """A robot that moves as this one under the same joint forces, with base parameters for its inertias.

        Args:
            parameters: "numbers": the regrouped values are constants that fold into the programs. "symbols": each
                base parameter is a symbol (Izz_link2, ...) with the robot's value, an input of every program:
                for identified values, given with each call or by `bind`.
            any_gravity: hold for gravity of every direction, where calls will give it. Else the regrouped robot
                holds for the direction of the robot's own gravity, which takes fewer parameters.
            loops: use the base parameters of the closed robot, which are fewer than those of its tree and are all
                that can be identified. Then forces along the motions of its loops are kept
                (`inverse_dynamics`, `robot.reduced`, but no forward dynamics), not those in its cut joints, and
                only on the component of its configurations that `near` (or the reference) lies on.
            symbols: values that replace those of the robot's symbols ("numbers").

        Sums over the links (`center_of_mass`, `momentum`) and the constant of `potential_energy` are not kept,
        nor is the motion of a robot that gets more freedoms afterwards.

        Raises:
            WrongValue: for loops=True if the robot has none.
            MissingValue: if a symbol has no value ("numbers").
            NotVerified: if joint forces at random states are not those of the full robot.
        """
    def inverse_kinematics(self, target: ArrayLike | Sequence[Target], frame: str | None=None, q0: ArrayLike | None=None, *, all: bool=False, along: bool=False, largest_step: float=0.5, times: ArrayLike | None=None, given: Mapping[str, ArrayLike] | None=None, limits: bool=True, method: str='auto', tolerance: float | None=None, iterations: int=100, restarts: int=40, rng: Any=0, dtype: DTypeLike=np.float64, **symbols: float) -> IkSolution:
        """q that brings a frame to a pose (4x4) or its origin to a position (3,), within the joint limits.

        Chains of up to six revolute and prismatic joints are solved exactly, by formulas or by elimination; the
        configuration nearest to q0 is returned, or all of them. Everything else is searched for.

        Args:
            target: (4, 4), (3,), or a batch (..., 4, 4), (..., 3); poses in the world. Or a list of targets
                (rk.PoseTarget, rk.PositionTarget, rk.LookAtTarget, ...), which name their frames themselves.
            frame: a frame or link.
            q0: where the search starts (nq,), the middle of the limits if left out; of several configurations the
                nearest to it is returned. Joints that do not move the frame keep its values. One for each
                target of a batch is (..., nq).
            all: return every configuration, also at positions. A redundant arm has a family of them, given by
                samples at values of the redundant joints, and its `dimension`; `self_motion` gives the curves of
                dimension 1. A closed robot has branches of each leg (`legs`); up to 16 combinations of them are
                listed in q.
            along: the targets (n, 4, 4) are consecutive poses of a path. One branch is followed, from q0 if
                given; `changes` lists the poses before which the arm must change its branch, or needs a full
                revolution. A pose without configuration has NaN.
            largest_step: of a joint between consecutive poses of a path [rad, m]; more is a change of branch.
            times: of the poses of a path [s], increasing: the velocity limits of the joints are kept. Poses that
                an exact method reaches only by exceeding them are listed in `too_fast`. A search stays within
                them: where the arm cannot arrive in time, q is the nearest it can, and `success` is False.
            given: values of joints that are not solved for, by name; numbers, or one for each target.
            limits: configurations beyond the joint limits are no success. Angles differ by full revolutions
                where that brings them within the limits.
            method: "auto", or one of "formulas", "elimination", "continuation", "search".
            tolerance: largest error [m] and [rad] of a success; 1e-8, in single precision 1e-5.
            iterations, restarts: of the search: steps of one attempt, attempts from random configurations.
            rng: NumPy generator or seed of the random configurations; the same seed gives the same result.
            dtype: np.float32 for results of float32. Formulas and searches then run in single precision, twice as
                many poses in a register; elimination, families and paths in double precision.
            symbols: values of the robot's symbols, instead of its own.
        Returns:
            An IkSolution, with the method that was used. A pose out of reach is no error: `success` is False, and
            without all=True q is the best configuration found.
        Raises:
            WrongValue: if the target is not a pose, or options do not fit it.
            NotSolvable: if all configurations were asked for, and there is no method that gives them.
        """
    def self_motion(self, target: ArrayLike, frame: str, parameter: str | None=None, *, limits: bool=True, **symbols: float) -> SelfMotion:
        """The curves of configurations that hold a frame of an arm with one redundant joint at a pose (4, 4).

        Args:
            parameter: the redundancy parameter that is reported along the curves: a joint, or "arm angle" for an
                arm with spherical shoulder and wrist. By default the arm angle where there is one, else a joint
                that moves much along the curves.
            limits: report which parts of the curves the joint limits leave; samples are added at their ends.
            symbols: values of the robot's symbols, instead of its own.
        Raises:
            NotSolvable: if the configurations at a pose are not curves.
        """
    def inverse_kinematics_formulas(self, frame: str='hand', target: str | None=None, given: Sequence[str]=(), *, linear: bool=True, time_limit: float=60.0, progress: Progress | None=None, cancel: threading.Event | None=None) -> JointFormulas:
        """Joint positions that bring a frame to a pose, as formulas of the pose and the robot's symbols.

        Most arms take a second at most. Longer work is done in a child process and cached on disk.

        Args:
            frame: a frame or link.
            target: "pose"; "position" of the frame's origin alone; "planar": two coordinates and the angle phi,
                for arms that move in a coordinate plane. By default the number of joints decides.
            given: joints whose values will be given, not solved for (for an arm of seven joints: one).
            linear: of a robot whose loops have linear relations (parallelograms), the solutions in the assembly
                mode of these; False: those of all assembly modes.
            time_limit: seconds of the whole wait; with 0 only a result found earlier is read.
            progress: called with each progress message.
            cancel: set it from another thread to stop the work (Ctrl-C stops it, too).
        Returns:
            JointFormulas: `.branches`, `.solve(pose)`; text, LaTeX, SymPy. For a robot with loops, the joints
            that the loops determine are solved for, too.
        Raises:
            NotSolvable: if square roots do not suffice, with the joints and the degree of the remaining equation.
            TimeLimit, JobCancelled: where the work was stopped.
        """
    def base_parameters(self, gravity: Any=None, joint_parameters: bool | str | Sequence[str]=False, method: str='regressor', tree: bool=False, near: ArrayLike | None=None, time_limit: float=600.0, **symbols: Any) -> BaseParameters:
        """The smallest set of parameters that determines the joint forces, with exact regrouping formulas.

        Args:
            gravity: three numbers or formulas; "any" for a direction that may change; None for the robot's own.
            joint_parameters: True to include rotor inertia, viscous and Coulomb friction, or the names of some.
            method: "regressor" (rank and relations of the regressor) or "rules" (geometric rules; trees only).
            tree: of a robot with loops, the set of its spanning tree.
            near: of a robot with loops, a closed configuration (nq,), as `assemble` returns it: the result holds
                on its component of the configuration space (a parallelogram, or its crossed form). By default
                that of the configuration `assemble` finds from the neutral one.
            time_limit: seconds. A tree whose regressor takes longer gets its parameters by geometric rules, and
                `verified` says so; for loops TimeLimit is raised.
            symbols: values of symbols of the robot; the others stay symbols of the formulas.
        """
    @property
    def tree(self) -> Robot:
        """The robot without its loops and gears; itself if it has none."""
    def closure(self, near: ArrayLike | None=None) -> ClosurePlan:
        """Mobility, independent equations and independent coordinates of a closed robot; found once.

        Loops may close with different mobilities (a linkage that also folds flat). Then the mobility is used that
        equals the number of the robot's `independent` joints; else that of the neutral configuration, if it is
        closed; else one equal to the number of actuated coordinates; else that of the closed configuration
        nearest to the neutral one. All laws of the closed robot use this plan.

        Args:
            near: a configuration (nq,): the plan at the closed configuration nearest to it, for inspection; laws
                do not use it.
        Raises:
            WrongValue: if the robot has neither loops nor gears. CannotClose: if its loops do not close.
            WrongSize: if `robot.independent` are not as many as its mobility.
        """
    def assemble(self, q_independent: ArrayLike | Mapping[str, ArrayLike], near: ArrayLike | None=None, *, path: bool=False, all: bool=False, strict: bool=True, **symbols: float) -> Array:
        """q of all joints with the loops closed, (..., nq), from the positions of the independent joints.

        Args:
            q_independent: (..., n) in the order of `robot.closure().independent` (a free joint has 7 numbers), or
                {joint: positions} for any joints that determine the others.
            near: a configuration (..., nq) to continue from in small steps: the assembly mode stays. Without it,
                Newton's method starts from the neutral configuration and from random ones, and the closed
                configuration nearest to the neutral one is taken; a batch continues from its first one.
            path: the first axis of q_independent is a path; each configuration continues the one before.
            all: all assembly modes of one set of positions within the joint limits, (modes, nq), nearest first:
                from the exact equations where these can be solved; for a platform on six legs in space or three
                in a plane, one configuration at each of its poses (`robot.platform_poses`); else as many as
                random starts find.
            strict: raise where the loops cannot be closed; else the row is NaN.
            symbols: values of the robot's symbols, instead of its own.
        Raises:
            CannotClose: with reason "unreachable" if no configuration closes there, "singular" if the assembly
                mode ends at a singular configuration before. WrongSize, WrongValue: if the coordinates do not
                determine the others.
        `robot.assembly_mode(q)` returns residual, rank and assembly mode of a configuration.
        """
    def platform_poses(self, q_independent: ArrayLike | Mapping[str, ArrayLike], **symbols: float) -> PlatformPoses:
        """All poses of the platform of a parallel robot at given positions of its actuated joints.

        Six legs that hold points of the platform at distances from the base (UPS, PUS, RUS) have up to 40 poses,
        three in a plane (RRR, RPR) up to 6. All complex solutions are followed by homotopy continuation.

        Args:
            q_independent: as `robot.assemble` takes them, one set of positions.
        Returns:
            PlatformPoses: `poses` (n, 4, 4) of the link or frame `frame` in the world, joint limits ignored.
            All are known if `reached` equals `paths`; special geometries have fewer solutions than paths.
        Raises:
            NotSolvable: if the robot is no platform on such legs.
        """
    def assembly_mode(self, q: ArrayLike, **symbols: float) -> AssemblyMode:
        """Whether configurations (..., nq) are closed; their residual, rank and assembly mode."""
    def singularity(self, q: ArrayLike, frame: str | None=None, output: str='pose', **symbols: float) -> Singularity:
        """Distance of closed configurations (..., nq) from singularity: loops, actuation, output frame.

        output: the frame's whole "pose", or the "position" of its origin alone.
        """
    def actuation_forces(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, weights: Any=None, ratios: Mapping[str, float] | None=None, limits: Any=None, forces: Any=None, **options: Any) -> ActuationForces:
        """Forces of the actuated joints that produce a motion, with the least sum of weights * tau^2.

        At singular states, where the actuated joints cannot produce every motion, the state's row is NaN.

        Args:
            q, v, a: of all joints, (..., nq), (..., nv); v and a as `complete` returns them.
            weights: one for each actuated coordinate (`robot.closure().actuated`); all 1 if None.
            ratios: {joint: number}: the forces of these joints have the ratios of these numbers.
            limits: True for the joints' own effort limits, or one bound on abs(tau) for each actuated coordinate.
            forces: other forces in the joints (springs), (..., nv).
            options: those of inverse_dynamics: gravity, wrenches, friction, symbols.
        Raises:
            NoValue: if the actuated joints do not determine all freedoms.
            WrongValue: if no forces within the limits, or with these ratios, produce the motion.
        """
    def loop_rows(self) -> tuple[str, ...]:
        """Names of the elements of `loop_residual`: the loop or gear, and the distance or angle it constrains."""
    def loop_constraints(self, explicit: bool=False, independent: Sequence[str] | None=None, *, linear: bool=True, time_limit: float=20.0, progress: Progress | None=None, cancel: threading.Event | None=None) -> LoopConstraints:
        """The constraints of a closed robot as exact formulas, an independent set of them.

        Args:
            explicit: solve for the dependent coordinates too (`.explicit`), or raise NoFormula.
            independent: names of joints to take as independent; if None the robot's own choice, else
                actuated joints as far as possible.
            linear: substitute the linear relations of the default assembly mode (parallelograms, gears), so that
                the result holds in this mode; False: equations that hold in all assembly modes.
            time_limit, progress, cancel: with explicit, as for `LoopConstraints.eliminated`.
        Raises:
            CannotClose: if the loops do not close. WrongSize, WrongValue: if the coordinates chosen are not as
                many as the mobility, or do not determine the others. NoFormula, TimeLimit: with explicit, if
                there is none, or none is found in time.
        """
    def rollout(self, q0: ArrayLike | None, v0: ArrayLike | None=None, torque: Any=None, *, steps: int, dt: float, method: str | None=None, parameters: Mapping[str, ArrayLike] | None=None, contacts: Any=None, friction: ArrayLike | None=None, stop: str | Formula | Sequence[str | Formula] | None=None, every: int=1, start: float=0.0, out: tuple[Array, Array] | None=None, threads: int | None=None, dtype: Any=np.float64) -> Rollout:
        """The motions of many worlds over fixed steps, in native code.

        The same bits come out for any division of the worlds into calls and for any number of threads.

        Args:
            q0, v0: initial positions (nq,) or (worlds, nq) (None: neutral), velocities (nv,) or (worlds, nv) (at
                rest if left out).
            torque: an array (steps, worlds, n), constant in each step, in which steps or worlds may be 1 where
                all are equal; or what `rk.simulate` compiles: None, constant forces (n,), formulas of t,
                `rk.Data`, `rk.PD`, `rk.ComputedTorque`, `rk.GravityCompensation`, `rk.LinearPolicy`,
                `rk.NetworkPolicy`, sums.
            steps, dt: number of steps, and their length [s].
            method: "euler" (semi-implicit, order 1; the default), "implicit" (order 1, damping and
                stiffness of joints and controllers implicit: for stiff ones), "rk4" (order 4), or
                "time_stepping": order 1 with contacts and loops; the default if there are some.
            parameters: values of the robot's symbols, each a number or (worlds,): other values compile nothing.
            contacts: as in `rk.simulate`.
            friction: Coulomb coefficients instead of those of the contacts: one, (worlds,) or (worlds, contacts).
            stop: a formula of positions and velocities by their names, as "q2^2 - 0.04", or several: a world
                stops alone before the first step at whose beginning one of them is above zero, and keeps its
                state from there on.
            every: steps between recorded states; 0: only the final states.
            start: time of the initial state [s].
            out: two arrays that q and v are written to.
            threads: number of threads; those of `rk.set_threads` if left out.
            dtype: np.float32 for single precision, with twice as many worlds in a register; time too has 24 bits.
        Returns:
            The rollout. A world whose state is not finite stops alone: its states are NaN from there on, and
            `steps` and `status` say so.
        Raises:
            WrongSize, WrongValue, UnknownName, MissingValue: for arguments that do not fit the robot or each
                other.
        """
    def law(self, record: Law) -> RobotLaw:
        """A law of your own, bound to the robot: compiled, differentiated and exported like any other.

        Args:
            record: name, recursion, inputs and outputs; see docs/extending.md.
        """
    def fem(self, masses: Mapping[str, float] | None=None, *, spatial: bool=False) -> Mesh:
        """Finite-element mesh of the robot, for rigid and elastic analysis; see `rikigaku.fem.Mesh`.

        masses: extra point masses [kg] at loops, frames or joints, by name.
        spatial: whether the beams of a planar robot bend out of its plane, too.
        """
    def plot(self, q: ArrayLike | None=None, ax: Any=None, frames: bool=True, masses: bool=True, legend: bool=True, **symbols: float) -> Any:
        """A picture of the robot at q; returns matplotlib's axes.

        Args:
            q: joint positions (nq,); a configuration within the limits, loops closed, if left out.
            ax: three-dimensional axes to draw into; new ones if left out.
            frames: draw the base and the named frames as triads (x red, y green, z blue), with their names.
            masses: mark the centres of mass, by size; legend: explain the colours.
            symbols: values of the robot's symbols, in place of its own.
        """
    def view(self, q: ArrayLike | None=None, *, names: Sequence[str]=(), surfaces: Sequence[Surface]=(), visuals: str | Path | None=None, height: int=420, language: str='en') -> RobotView:
        """The robot in a notebook's cell, live: sliders, frames that can be dragged, layers.

        Args:
            q: joint positions (nq,), the default configuration if left out; or several (k, nq), as
                `inverse_kinematics(..., all=True).q` and `assemble(..., all=True)` return them: one is the
                robot's, the others are ghosts, and buttons choose. Of more than 64, evenly chosen ones are shown.
            names: of several configurations, shown on the buttons; their numbers if left out.
            surfaces: `rk.Plane()`, `rk.Sphere(...)`, `rk.Surface(...)`, drawn around the robot.
            visuals: the URDF or MJCF file whose boxes, cylinders, spheres and meshes are shown.
            height: of the picture [pixels]. language: "en" or "ja".
        Returns:
            A handle: `view.q = ...` moves the picture, `view.q` follows it.
        Raises:
            RikigakuError: if anywidget is not installed; the message names the extra. WrongSize: if q does not
                fit the robot.
        """
    def save(self, path: str | PathLike[str]) -> None:
        """Write the robot to a .robot.toml, .urdf, .xml (MJCF) or .par (SYMORO) file.

        A .toml file of the same robot keeps its comments. A URDF gets a .loops.toml beside it for what it cannot
        hold; symbols must be bound first for it and for MJCF. A .par file takes rows of modified DH.
        """
    def _repr_html_(self) -> str:
        """Picture and table of links, for notebooks without live views."""
    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        """Rich display in notebooks: the live view where anywidget is installed, and picture and table."""
