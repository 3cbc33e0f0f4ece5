"""Configurations of an arm by one cut of its loop, in compiled batches.

The determinant of the eliminated system is a trigonometric polynomial of degree 8 in one joint. Its values at
24 angles on the circle determine it and its rounding errors; no half-angle tangent goes to infinity. The
other joints follow from the null vector and from least squares.
"""

from collections.abc import Sequence
from functools import cached_property
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

_EQUATIONS = 162
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
        self._backward: dict[int, tuple[Array, Array]] = {}

    def starts(self, links: Sequence[Array], H: Array) -> tuple[Zeros, Array]:
        """Zeros of the determinants at poses, and the configuration that belongs to each (m, 6).

        Args:
            links: L_0 ... L_6, each (4, 4) or (n, 4, 4). H: (n, 4, 4).
        """
        n = len(H)
        T = [numbers(link) for link in self.cut.links(links, H)]
        E = self.equations(T, n)
        (d,) = run(determinant_kernel(), [E[:, None, :], sample_angles()], [(n, POINTS)])

        def direct(own: Indices, x: Array) -> Array:
            return run(determinant_kernel(), [E[own], x], [x.shape])[0]

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
        E = np.empty((n, _EQUATIONS))
        self.fill_equations(T, E)
        return E

    def fill_equations(self, T: list[Array], E: Array) -> None:
        """Store the equations in E (n, 162)."""
        kernel, rows = self._equations_kernel
        kernel.batch(*T, rows, out=E)

    @cached_property
    def _equations_kernel(self) -> tuple[Kernel, Array]:
        basis, complement = self.chosen.basis, self.chosen.complement
        given = basis if complement is None else complement
        kind = f"{len(basis)} monomials" if complement is None else "constant"

        def equations(*inputs: Any) -> dict[str, Any]:
            *links, rows = inputs
            pair = (rows, None) if complement is None else ([], rows)
            found = elimination.remaining_equations([pose(x) for x in links], self.revolute, *pair)
            return {"E": found}

        kernel = general_kernel(
            f"inverse kinematics: elimination {self.types}, {kind}",
            [*_LINKS, ("rows", given.shape)],
            equations,
        )
        return kernel, given

    def joints_kernel(self) -> Kernel:
        """The other five joints, in the order of the cut, from the sampled one."""

        def joints(*inputs: Any) -> dict[str, Any]:
            *links, equations, x = inputs
            poses = [pose(link) for link in links]
            c, s = cos(x), sin(x)
            y5, x5, y6, x6 = elimination.kept_joints(equations, self.revolute, c, s)
            kept = [(c, s), _pair(self.revolute[4], y5, x5), _pair(self.revolute[5], y6, x6)]
            y2, x2, y3, x3, y1, x1 = elimination.eliminated_joints(poses, self.revolute, kept)
            pairs = [(y1, x1), (y2, x2), (y3, x3), (y5, x5), (y6, x6)]
            return {"others": [self._number(k, *pair) for k, pair in zip(_OTHERS, pairs, strict=True)]}

        return general_kernel(
            f"inverse kinematics: joints {self.types}", [*_LINKS, ("E", (_EQUATIONS,)), ("x", ())], joints
        )

    def _number(self, k: int, y: Any, x: Any) -> Any:
        return atan2(y, x) if self.revolute[k] else y / x

    def _configurations(self, E: Array, T: list[Array], found: Zeros) -> Array:
        """All joints from the sampled one."""
        own, m = found.polynomial, len(found.polynomial)
        links = [link if link.ndim == 1 else link[own] for link in T]
        (others,) = run(self.joints_kernel(), [*links, E[own], found.x], [(m, 5)])
        order = self.cut.order
        q = np.empty((m, 6))
        q[:, order[3]] = found.x
        q[:, [order[place] for place in _OTHERS]] = others
        return q


def determinant_kernel() -> Kernel:
    """The determinant at a value of the sampled joint."""
    return general_kernel(
        "inverse kinematics: determinant",
        [("E", (_EQUATIONS,)), ("x", ())],
        lambda E, x: {"d": elimination.determinant(E, cos(x), sin(x))},
    )


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
