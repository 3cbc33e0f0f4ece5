"""Configurations of an arm by one cut of its loop, in compiled batches.

The determinant of the eliminated system is a trigonometric polynomial of degree 8 in one joint. Its values at
17 angles on the circle determine it up to rounding; no half-angle tangent goes to infinity. The other joints
follow from the null vector and from least squares.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rikigaku.compiler.kernel import Kernel
from rikigaku.core.types import Array
from rikigaku.inverse_kinematics import elimination
from rikigaku.inverse_kinematics.cut_choice import Cut
from rikigaku.inverse_kinematics.loop_cut import numbers, pose
from rikigaku.inverse_kinematics.shared_kernels import Ports, general_kernel, run
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

_EQUATIONS = 162
_LINKS: Ports = [(f"T{k}", (12,)) for k in range(6)]


class CutSolver:
    """The compiled steps of one cut. Geometry is data: arms with the same types of joints share the code."""

    def __init__(self, revolute: Sequence[bool], chosen: Cut) -> None:
        self.cut, self.chosen = chosen.cut, chosen
        self.revolute = chosen.cut.reordered(revolute)
        self.types = "".join("R" if flag else "P" for flag in self.revolute)
        self._constant: tuple[Sequence[Array], list[Array]] | None = None

    def starts(self, links: Sequence[Array], H: Array) -> tuple[Zeros, Array]:
        """Zeros of the determinants at poses, and the configuration that belongs to each (m, 6).

        Args:
            links: L_0 ... L_6, each (4, 4) or (n, 4, 4). H: (n, 4, 4).
        """
        n = len(H)
        T = self._loop(links, H)
        E = self._equations(T, n)
        angles = sample_angles()
        (d,) = run(_determinant(), [E[:, None, :], np.cos(angles), np.sin(angles)], [(n, SAMPLES)])

        def direct(own: Indices, x: Array) -> Array:
            return run(_determinant(), [E[own], np.cos(x), np.sin(x)], [x.shape])[0]

        found = zeros(_coefficients(d), Functions(_values, _refined, direct, _products))
        return found, self._configurations(E, T, found)

    def _loop(self, links: Sequence[Array], H: Array) -> list[Array]:
        """Links of the cut loop as numbers of kernels; those of one arm are computed once."""
        if self._constant is None or self._constant[0] is not links:
            self._constant = links, [numbers(link) for link in self.cut.links(links, H)]
            return self._constant[1]
        T = list(self._constant[1])
        k, link = self.cut.closing_link(links, H)
        T[k] = numbers(link)
        return T

    def _equations(self, T: list[Array], n: int) -> Array:
        """The six equations in the kept joints at each pose (n, 162)."""
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
        return run(kernel, [*T, given], [(n, _EQUATIONS)])[0]

    def _configurations(self, E: Array, T: list[Array], found: Zeros) -> Array:
        """All joints from the sampled one."""
        own, m = found.polynomial, len(found.polynomial)

        def joints(*inputs: Any) -> dict[str, Any]:
            *links, equations, x = inputs
            poses = [pose(link) for link in links]
            c, s = cos(x), sin(x)
            y5, x5, y6, x6 = elimination.kept_joints(equations, self.revolute, c, s)
            kept = [(c, s), _pair(self.revolute[4], y5, x5), _pair(self.revolute[5], y6, x6)]
            y2, x2, y3, x3, y1, x1 = elimination.eliminated_joints(poses, self.revolute, kept)
            return {"y": [y1, y2, y3, y5, y6], "x": [x1, x2, x3, x5, x6]}

        kernel = general_kernel(
            f"inverse kinematics: joints {self.types}", [*_LINKS, ("E", (_EQUATIONS,)), ("x", ())], joints
        )
        links = [link if link.ndim == 1 else link[own] for link in T]
        y, x = run(kernel, [*links, E[own], found.x], [(m, 5), (m, 5)])
        order = self.cut.order
        q = np.empty((m, 6))
        q[:, order[3]] = found.x
        for k, place in enumerate((0, 1, 2, 4, 5)):
            is_angle = self.revolute[place]
            q[:, order[place]] = np.arctan2(y[:, k], x[:, k]) if is_angle else y[:, k] / x[:, k]
        return q


def _determinant() -> Kernel:
    return general_kernel(
        "inverse kinematics: determinant",
        [("E", (_EQUATIONS,)), ("c", ()), ("s", ())],
        lambda E, c, s: {"d": elimination.determinant(E, c, s)},
    )


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


def _pair(revolute: bool, y: Any, x: Any) -> tuple[Any, Any]:
    """(cos, sin) of an angle atan2(y, x), or (d^2, d) of a displacement y/x."""
    if revolute:
        norm = 1 / sqrt(x * x + y * y)
        return x * norm, y * norm
    d = y / x
    return d * d, d
