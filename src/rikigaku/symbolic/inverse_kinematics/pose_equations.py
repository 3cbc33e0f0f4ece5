"""Loop-closure equations of a chain that reaches a pose, as polynomials in few unknowns each.

The chain is a loop closed by the target T. Cut at bodies i and j, the relative pose through the joints
between them equals that through the other joints and T. Besides the twelve elements of that pose, |p|^2 and
R^T p are compared: at an intersection of axes they do not depend on the joints that rotate about it.
"""

import random
from collections.abc import Iterator, Mapping
from copy import copy
from typing import Any

from flint import fmpz, nmod

from rikigaku.core.errors import NotSolvable
from rikigaku.numbers.algebra_budget import spend
from rikigaku.numbers.elementary_functions import is_constant, is_zero
from rikigaku.numbers.exact_number import Exact, Ring
from rikigaku.numbers.number_kind import Number
from rikigaku.spatial.pose import Pose
from rikigaku.spatial.vector import Vector, add, dot, multiply, sub, transform, transpose
from rikigaku.symbolic.inverse_kinematics.serial_chain import TARGET, Chain, unknowns

# A prime that is 23 modulo 24: sqrt(2) and sqrt(3) exist, and roots are powers.
_FIRST_PRIME = 2**61 - 2**61 % 24 + 23

# Longer equations, of geometry without parallel or intersecting axes, are discarded.
_LARGEST = 20_000


class Target:
    """The pose to reach as numbers of the ring; with_rotation: whether the rotation is part of it."""

    def __init__(self, pose: Pose, with_rotation: bool) -> None:
        self.pose, self.with_rotation = pose, with_rotation


def equations(chain: Chain, target: Target) -> Iterator[Number]:
    """Polynomials that vanish where the chain reaches the target. Its outer constants are identities.

    For a position target the last constant is the point to be placed.
    """
    n = len(chain.axes)
    steps = [
        axis.moved(chain.ring).compose(X) for axis, X in zip(chain.axes, chain.constants[1:], strict=True)
    ]
    before = [Pose()]  # A_i = M1 X1 ... Mi Xi
    for step in steps:
        before.append(before[-1].compose(step))
    after = [Pose()]  # inverse of B_j = M(j+1) X(j+1) ... Mn Xn, from the last backwards
    for step in reversed(steps):
        after.append(after[-1].compose(step.inverse()) if target.with_rotation else Pose())
    after.reverse()
    T = target.pose
    for i in range(n):
        A, inner = before[i], Pose()
        for j in range(i + 1, n + 1):
            spend()
            inner = inner.compose(steps[j - 1])
            if target.with_rotation:
                if _size(A) * _size(after[j]) < _LARGEST and _size(inner) ** 2 < _LARGEST:
                    yield from _compared(inner, A, T, after[j])
            elif j == n:
                yield from _position_compared(inner, A, T.p)


def _compared(inner: Pose, A: Pose, T: Pose, B: Pose) -> Iterator[Number]:
    """inner = A^-1 T B, written so that R never meets its own transpose."""
    left = transpose(A.R)
    outer = multiply(multiply(left, T.R), B.R)
    for mine, other in zip(inner.R, outer, strict=True):
        yield from sub(mine, other)
    g, Rb = sub(T.p, A.p), transform(T.R, B.p)
    yield from sub(inner.p, transform(left, add(g, Rb)))
    square = dot(inner.p, inner.p) - (dot(g, g) + 2 * dot(g, Rb) + dot(B.p, B.p))
    yield square
    if _is_plane(inner):  # the distance in the plane is independent of displacements along its normal
        z = dot(left[2], add(g, Rb))
        yield square - inner.p[2] * inner.p[2] + z * z
    seen = transform(transpose(B.R), add(transform(transpose(T.R), g), B.p))
    yield from sub(transform(transpose(inner.R), inner.p), seen)


def _position_compared(inner: Pose, A: Pose, p: Vector) -> Iterator[Number]:
    g = sub(p, A.p)
    yield from sub(inner.p, transform(transpose(A.R), g))
    square = dot(inner.p, inner.p) - dot(g, g)
    yield square
    if _is_plane(inner):
        z = dot(transpose(A.R)[2], g)
        yield square - inner.p[2] * inner.p[2] + z * z


def _size(pose: Pose) -> int:
    """Terms of its longest element."""
    elements = [*pose.p, *(x for row in pose.R for x in row)]
    return max(len(x.polynomial) if isinstance(x, Exact) else 1 for x in elements)


def _is_plane(pose: Pose) -> bool:
    """All joints of this part rotate about one direction (prismatic joints: along or across it)."""
    return is_constant(pose.R[2][2], 1) or is_constant(pose.R[2][2], -1)


def structured(chain: Chain, with_rotation: bool) -> tuple[list[Number], list[Number]]:
    """The twelve elements of a target that the chain can reach, and of the pose it reaches.

    Elements that are constant in all configurations are those constants; elements that always equal
    another one (or its opposite) are the generator of that one. The others are generators of their own.
    """
    pose = chain.pose()
    reached = [*pose.p, *(x for row in pose.R for x in row)]
    elements: list[Number] = []
    known: dict[str, Number] = {}
    for k, x in enumerate(reached):
        if not isinstance(x, Exact) or not unknowns(x, chain.axes):
            elements.append(x)
            continue
        text = str(x.polynomial)
        if text not in known:
            variable = chain.ring.variable(TARGET[k])
            known[text], known[str((-x).polynomial)] = variable, -variable
        elements.append(known[text])
    return elements, reached


def as_pose(elements: list[Any]) -> Pose:
    """Position and rotation from twelve elements."""
    px, py, pz, *R = elements
    return Pose(((R[0], R[1], R[2]), (R[3], R[4], R[5]), (R[6], R[7], R[8])), (px, py, pz))


# -- a random configuration modulo a prime, where all equations hold ---------------------------------------
class Witness:
    """Values of the generators of a ring modulo a prime, at a random configuration of a random geometry.

    A number that vanishes there vanishes identically, except with a probability of about 1e-17.
    """

    def __init__(self, ring: Ring, seed: int) -> None:
        rng = random.Random(seed)
        self.prime, roots = _prime_with_roots(ring)
        self.values: dict[str, nmod] = {}
        p = self.prime
        for name in ring.names:
            if name.startswith("cos("):
                t = nmod(rng.randrange(2, p), p)
                scale = 1 / (t * t + 1)
                self.values[name] = (1 - t * t) * scale
                self.values[f"sin({name[4:]}"] = 2 * t * scale
            elif not name.startswith("sin("):
                self.values[name] = nmod(rng.randrange(1, p), p)
        self.values |= roots

    def __call__(self, x: Number) -> nmod:
        """The value of a number of the ring."""
        if not isinstance(x, Exact):
            return nmod(x.numerator, self.prime) / nmod(x.denominator, self.prime)
        total = nmod(0, self.prime)
        for powers, coefficient in x.polynomial.to_dict().items():
            term = nmod(int(coefficient.p), self.prime) / nmod(int(coefficient.q), self.prime)
            for k, power in enumerate(powers):
                if power:
                    term = term * self.values[x.ring.names[k]] ** int(power)
            total += term
        return total

    def set(self, values: Mapping[str, nmod]) -> None:
        """Give generators other values."""
        self.values |= values

    def at(self, values: Mapping[str, nmod]) -> "Witness":
        """Another witness of the same prime, with only these values."""
        other = copy(self)
        other.values = dict(values)
        return other

    def vanishes(self, x: Number) -> bool:
        """Whether the number is zero here."""
        return (not isinstance(x, Exact) and is_zero(x)) or not self(x)


def square_root(x: nmod, prime: int) -> nmod | None:
    """A square root modulo a prime that is 3 modulo 4, if there is one."""
    root = x ** ((prime + 1) // 4)
    return root if root * root == x else None


def _prime_with_roots(ring: Ring) -> tuple[int, dict[str, nmod]]:
    p = _FIRST_PRIME
    for radicand in ring.radicands:
        if not isinstance(radicand, int):
            raise NotSolvable(
                f"The geometry has the square root of {radicand}: give axes along x, y, z in rotated frames."
            )
    for _ in range(10_000):
        p += 24
        if fmpz(p).is_prime():
            roots = [square_root(nmod(x, p), p) for x in ring.radicands]
            if all(root is not None for root in roots):
                return p, {f"root[{k}]": root for k, root in enumerate(roots) if root is not None}
    raise NotSolvable("The geometry holds too many different square roots.")
