"""Configurations of an arm by one cut of its loop, in compiled batches.

The determinant of the eliminated system is a trigonometric polynomial of degree 8 in one joint. Its values at
17 angles on the circle determine it up to rounding; no half-angle tangent goes to infinity. The other joints
follow from the null vector and from least squares.
"""

import hashlib
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from rikigaku.compiler.kernel import Kernel
from rikigaku.core.types import Array
from rikigaku.inverse_kinematics import elimination
from rikigaku.inverse_kinematics.cut_choice import Cut
from rikigaku.inverse_kinematics.serial_arm import SerialArm
from rikigaku.inverse_kinematics.trigonometric_roots import (
    SAMPLES,
    Functions,
    Indices,
    Zeros,
    coefficients,
    products,
    refined,
    sample_angles,
    value,
    zeros,
)
from rikigaku.numbers.elementary_functions import cos, sin, sqrt
from rikigaku.numbers.program import trace
from rikigaku.spatial.pose import Pose

Ports = Sequence[tuple[str, tuple[int, ...]]]
_EQUATIONS = 162
_shared: dict[str, Kernel] = {}


class CutSolver:
    """The compiled steps of one cut of one arm of six joints."""

    def __init__(self, arm: SerialArm, chosen: Cut) -> None:
        self.arm, self.chosen = arm, chosen
        self.revolute = chosen.cut.reordered(arm.revolute)
        self.identity = hashlib.sha256(f"{arm!r} {chosen.identity}".encode()).hexdigest()

    def starts(self, H: Array) -> tuple[Zeros, Array]:
        """Zeros of the determinants at poses (n, 12), and the configuration that belongs to each (m, 6)."""
        n = len(H)
        (E,) = run(self._equations, [H], [(n, _EQUATIONS)])
        angles = sample_angles()
        (d,) = run(self._determinant, [E[:, None, :], np.cos(angles), np.sin(angles)], [(n, SAMPLES)])

        def direct(own: Indices, x: Array) -> Array:
            return run(self._determinant, [E[own], np.cos(x), np.sin(x)], [x.shape])[0]

        found = zeros(_coefficients(d), Functions(_values, _refined, direct, _products))
        return found, self._configurations(E, H, found)

    def _configurations(self, E: Array, H: Array, found: Zeros) -> Array:
        own, m = found.polynomial, len(found.polynomial)
        y, x = run(self._joints, [E[own], H[own], found.x], [(m, 5), (m, 5)])
        order = self.chosen.cut.order
        q = np.empty((m, 6))
        q[:, order[3]] = found.x
        for k, place in enumerate((0, 1, 2, 4, 5)):
            is_angle = self.revolute[place]
            q[:, order[place]] = np.arctan2(y[:, k], x[:, k]) if is_angle else y[:, k] / x[:, k]
        return q

    @cached_property
    def _equations(self) -> Kernel:
        c = self.chosen
        return self._kernel(
            "inverse kinematics: elimination",
            [("H", (12,))],
            lambda H: {"E": elimination.remaining_equations(self.arm, c.cut, c.basis, c.complement, pose(H))},
        )

    @cached_property
    def _determinant(self) -> Kernel:
        inputs = [("E", (_EQUATIONS,)), ("c", ()), ("s", ())]
        return general_kernel(
            "inverse kinematics: determinant", inputs, lambda E, c, s: {"d": elimination.determinant(E, c, s)}
        )

    @cached_property
    def _joints(self) -> Kernel:
        """(y, x) of the five other joints, in the order of the cut."""

        def joints(E: Any, H: Any, x: Any) -> dict[str, Any]:
            c, s = cos(x), sin(x)
            y5, x5, y6, x6 = elimination.kept_joints(E, self.revolute, c, s)
            kept = [(c, s), _numbers(self.revolute[4], y5, x5), _numbers(self.revolute[5], y6, x6)]
            y2, x2, y3, x3, y1, x1 = elimination.eliminated_joints(self.arm, self.chosen.cut, pose(H), kept)
            return {"y": [y1, y2, y3, y5, y6], "x": [x1, x2, x3, x5, x6]}

        inputs = [("E", (_EQUATIONS,)), ("H", (12,)), ("x", ())]
        return self._kernel("inverse kinematics: joints", inputs, joints)

    def _kernel(self, name: str, inputs: Ports, function: Callable[..., Any]) -> Kernel:
        return Kernel(f"{name}\n{self.identity}", lambda: trace(name, inputs, function))


def pose(H: Sequence[Any]) -> Pose:
    """A pose from its 12 numbers: position, then the rotation matrix by rows."""
    return Pose((tuple(H[3:6]), tuple(H[6:9]), tuple(H[9:12])), (H[0], H[1], H[2]))


def general_kernel(name: str, inputs: Ports, function: Callable[..., Any]) -> Kernel:
    """A kernel that does not depend on the arm, by its name."""
    if name not in _shared:
        _shared[name] = Kernel(name, lambda: trace(name, inputs, function))
    return _shared[name]


def run(kernel: Kernel, inputs: list[Array], shapes: list[tuple[int, ...]]) -> list[Array]:
    """The outputs of a kernel, with these shapes. States whose results are not finite are left as NaN."""
    outputs = [np.empty(shape) for shape in shapes]
    with np.errstate(all="ignore"):
        kernel(inputs, outputs)
    return outputs


def _coefficients(samples: Array) -> Array:
    kernel = general_kernel(
        "coefficients of a trigonometric polynomial",
        [("f", (SAMPLES,))],
        lambda f: {"a": coefficients(f)},
    )
    return run(kernel, [samples], [samples.shape])[0]


def _products(a: Array, monomials: Array) -> list[Array]:
    kernel = general_kernel(
        "trigonometric polynomial at known monomials",
        [("a", (SAMPLES,)), ("m", (3, SAMPLES))],
        lambda a, m: dict(zip(("f", "slope", "curvature"), products(a, m), strict=True)),
    )
    return run(kernel, [a, monomials], [(len(a), len(monomials))] * 3)


def _values(a: Array, x: Array) -> list[Array]:
    kernel = general_kernel(
        "trigonometric polynomial",
        [("a", (SAMPLES,)), ("x", ())],
        lambda a, x: dict(zip(("f", "slope", "curvature"), value(a, x), strict=True)),
    )
    return run(kernel, [a, x], [x.shape] * 3)


def _refined(a: Array, low: Array, high: Array) -> Array:
    kernel = general_kernel(
        "zero of a trigonometric polynomial",
        [("a", (SAMPLES,)), ("low", ()), ("high", ())],
        lambda a, low, high: {"x": refined(a, low, high)},
    )
    return run(kernel, [a, low, high], [low.shape])[0]


def _numbers(revolute: bool, y: Any, x: Any) -> tuple[Any, Any]:
    """(cos, sin) of an angle atan2(y, x), or (d^2, d) of a displacement y/x."""
    if revolute:
        norm = 1 / sqrt(x * x + y * y)
        return x * norm, y * norm
    d = y / x
    return d * d, d
