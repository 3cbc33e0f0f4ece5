"""Configurations of an arm by one cut of its loop, in compiled batches.

The determinant of the eliminated system is a trigonometric polynomial of degree 8 in one joint. Its values at
24 angles on the circle determine it and its rounding errors; no half-angle tangent goes to infinity. The
other joints follow from the null vector and from least squares.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rikigaku.compiler.kernel import Kernel
from rikigaku.core.types import Array
from rikigaku.inverse_kinematics import elimination
from rikigaku.inverse_kinematics.cut_choice import Cut
from rikigaku.inverse_kinematics.loop_cut import numbers, pose, reversed_numbers
from rikigaku.inverse_kinematics.shared_kernels import Ports, general_kernel, run
from rikigaku.inverse_kinematics.trigonometric_roots import (
    POINTS,
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
from rikigaku.numbers.elementary_functions import atan2, cos, sin, sqrt
from rikigaku.spatial.pose import Pose

KEPT = 27  # monomials of the kept joints
EQUATIONS = 6 * KEPT
ROWS, ROW = 8, elimination.EQUATIONS + 1  # combinations of functions: six, and two that fill vectors
_ZERO_ROWS = [[0.0] * ROW] * 2
_LAST = 5  # the joint before the closing link
_OTHERS = (0, 1, 2, 4, 5)  # places of a cut besides the sampled joint
_LINKS: Ports = [(f"T{k}", (12,)) for k in range(6)]


class CutSolver:
    """The compiled steps of one cut. Geometry is data: arms with the same types of joints share the code."""

    def __init__(self, revolute: Sequence[bool], chosen: Cut) -> None:
        self.cut, self.chosen = chosen.cut, chosen
        self.sampled = chosen.cut.order[3]
        self.revolute = chosen.cut.reordered(revolute)
        self.types = "".join("R" if flag else "P" for flag in self.revolute)
        self.points = np.array(elimination.points(self.revolute[3:]), dtype=np.float64)
        self.constant_rows: Array | None = None
        if chosen.rows is not None:
            self.constant_rows = np.concatenate([chosen.rows, _ZERO_ROWS])
        self._backward: dict[int, tuple[Array, Array]] = {}

    def starts(self, links: Sequence[Array], H: Array) -> tuple[Zeros, Array]:
        """Zeros of the determinants at poses, and the configuration that belongs to each (m, 6).

        Args:
            links: L_0 ... L_6, each (4, 4) or (n, 4, 4). H: (n, 4, 4).
        """
        n = len(H)
        T = [numbers(link) for link in self.cut.links(links, H)]
        E = self.equations(T, n)
        d = _triangular(E[:, None, :], np.broadcast_to(sample_angles(), (n, POINTS)))[0]

        def direct(own: Indices, x: Array) -> Array:
            return _triangular(E[own], x)[0]

        found = zeros(_coefficients(d), Functions(_values, _refined, direct, _products))
        return found, self._configurations(E, T, found)

    def loop_numbers(self, links: Sequence[Array], closing: Array) -> list[Array]:
        """Links of the cut loop as numbers, from L_0 ... L_6 (12,) or (n, 12) and the closing link."""
        cut = self.cut
        if not cut.reverse:
            return [closing if k == _LAST else links[k + 1] for k in cut.order]
        return [closing if k == 0 else self._reversed(links[k]) for k in cut.order]

    def _reversed(self, link: Array) -> Array:
        """A link run through backwards; those of one arm are computed once."""
        if link.ndim == 2:
            return reversed_numbers(link)
        found = self._backward.get(id(link))
        if found is None or found[0] is not link:
            found = self._backward[id(link)] = (link, reversed_numbers(link))
        return found[1]

    def equations(self, T: list[Array], n: int) -> Array:
        """The six equations in the kept joints at each pose (n, 162)."""
        kept = [x if x.ndim == 1 else x[:, None] for x in T[2:]]
        (values,) = run(self.functions_kernel(), [*kept, self.points], [(n, KEPT, elimination.EQUATIONS)])
        rows = self.rows(T, n)[..., :6, :]
        return run(self.equation_kernel(), [rows, values[:, None]], [(n, 6, KEPT)])[0].reshape(n, -1)

    def functions_kernel(self) -> Kernel:
        """The fourteen functions at six numbers of the kept joints."""

        def functions(*inputs: Any) -> dict[str, Any]:
            *links, x = inputs
            poses = [Pose(), Pose(), *(pose(link) for link in links)]
            return {"values": elimination.kept_functions(poses, self.revolute, x)}

        inputs = [*_LINKS[2:], ("x", (6,))]
        return general_kernel(f"inverse kinematics: functions {self.types[3:]}", inputs, functions)

    def equation_kernel(self) -> Kernel:
        """One equation in the kept joints, from a combination of the functions."""
        return general_kernel(
            f"inverse kinematics: equation {self.types[3:]}",
            [("row", (ROW,)), ("values", (KEPT, elimination.EQUATIONS))],
            lambda row, values: {"E": elimination.equation(values, row, self.revolute)},
        )

    def rows(self, T: Sequence[Array], n: int) -> Array:
        """Combinations of the functions without the eliminated joints: (8, 15), or (n, 8, 15) with the pose.

        Six rows, and two of zeros that fill vectors.
        """
        if self.constant_rows is not None:
            return self.constant_rows
        basis = self.chosen.basis

        def rows(*inputs: Any) -> dict[str, Any]:
            *links, own = inputs
            poses = [pose(link) for link in links]
            return {"rows": [*elimination.complement_rows(poses, self.revolute, own), *_ZERO_ROWS]}

        kernel = general_kernel(
            f"inverse kinematics: complement {self.types[1:3]}, {len(basis)} monomials",
            [*_LINKS[:2], ("basis", basis.shape)],
            rows,
        )
        with np.errstate(all="ignore"):  # poses whose elimination is degenerate are solved otherwise
            return run(kernel, [*T[:2], basis], [(n, ROWS, ROW)])[0]

    def joints_kernel(self) -> Kernel:
        """The other five joints, in the order of the cut, from the sampled one."""

        def joints(*inputs: Any) -> dict[str, Any]:
            *links, upper, x = inputs
            poses = [pose(link) for link in links]
            y5, x5, y6, x6 = elimination.kept_joints(upper, self.revolute)
            kept = [(cos(x), sin(x)), _pair(self.revolute[4], y5, x5), _pair(self.revolute[5], y6, x6)]
            y2, x2, y3, x3, y1, x1 = elimination.eliminated_joints(poses, self.revolute, kept)
            pairs = [(y1, x1), (y2, x2), (y3, x3), (y5, x5), (y6, x6)]
            return {"others": [self._number(k, *pair) for k, pair in zip(_OTHERS, pairs, strict=True)]}

        inputs = [*_LINKS, ("R", (elimination.UPPER,)), ("x", ())]
        return general_kernel(f"inverse kinematics: joints {self.types}", inputs, joints)

    def _number(self, k: int, y: Any, x: Any) -> Any:
        return atan2(y, x) if self.revolute[k] else y / x

    def _configurations(self, E: Array, T: list[Array], found: Zeros) -> Array:
        """All joints from the sampled one."""
        own, m = found.polynomial, len(found.polynomial)
        links = [link if link.ndim == 1 else link[own] for link in T]
        _, upper = _triangular(E[own], found.x)
        (others,) = run(self.joints_kernel(), [*links, upper, found.x], [(m, 5)])
        order = self.cut.order
        q = np.empty((m, 6))
        q[:, order[3]] = found.x
        q[:, [order[place] for place in _OTHERS]] = others
        return q


def triangular_kernel() -> Kernel:
    """The determinant at a value of the sampled joint, and the triangular factor of its matrix."""

    def factor(E: Any, x: Any) -> dict[str, Any]:
        R = elimination.triangular(elimination.matrix_at(E, cos(x), sin(x)))
        return {"d": elimination.determinant(R), "R": elimination.upper_elements(R)}

    return general_kernel("inverse kinematics: triangular factor", [("E", (EQUATIONS,)), ("x", ())], factor)


def _triangular(E: Array, x: Array) -> list[Array]:
    """Determinants, and triangular factors (..., 78)."""
    return run(triangular_kernel(), [E, x], [x.shape, (*x.shape, elimination.UPPER)])


def _coefficients(samples: Array) -> Array:
    kernel = general_kernel(
        "coefficients of a trigonometric polynomial",
        [("f", (POINTS,))],
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


def values_kernel() -> Kernel:
    """A trigonometric polynomial and its first two derivatives."""
    return general_kernel(
        "trigonometric polynomial",
        [("a", (SAMPLES,)), ("x", ())],
        lambda a, x: dict(zip(("f", "slope", "curvature"), value(a, x), strict=True)),
    )


def refined_kernel() -> Kernel:
    """The zero of a trigonometric polynomial within a bracket."""
    return general_kernel(
        "zero of a trigonometric polynomial",
        [("a", (SAMPLES,)), ("low", ()), ("high", ())],
        lambda a, low, high: {"x": refined(a, low, high)},
    )


def _values(a: Array, x: Array) -> list[Array]:
    return run(values_kernel(), [a, x], [x.shape] * 3)


def _refined(a: Array, low: Array, high: Array) -> Array:
    return run(refined_kernel(), [a, low, high], [low.shape])[0]


def _pair(revolute: bool, y: Any, x: Any) -> tuple[Any, Any]:
    """(cos, sin) of an angle atan2(y, x), or (d^2, d) of a displacement y/x."""
    if revolute:
        norm = 1 / sqrt(x * x + y * y)
        return x * norm, y * norm
    d = y / x
    return d * d, d
