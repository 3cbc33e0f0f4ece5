"""All poses of a platform from the lengths of its legs, by homotopy continuation in Study parameters.

A leg holds a point b of the platform at the distance l from a point a of the base. With x = (e, g) and
e . g = 0, the pose has the rotation of the quaternion e and the translation t = 2 g e*/|e|^2. Each leg is a
quadric

    (|a|^2 + |b|^2 - l^2) e.e + 4 g.g + 2 b.(R^T t) e.e - 2 a.t e.e - 2 a.(R b) e.e = 0.

Six general legs in space have 40 complex solutions, three in a plane 6. They are found once for random
complex legs by monodromy, and continued to the given legs: a path that ends at a finite, regular point is a
solution; real ones are poses. Reference: A. J. Sommese, C. W. Wampler, The numerical solution of systems
of polynomials arising in engineering and science, World Scientific 2005, chapters 6 and 7.
"""

import hashlib
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rikigaku.core import disk_cache
from rikigaku.core.types import Array, Mask

Complex = NDArray[np.complex128]
Forms = tuple[Complex, Complex, Complex]

_MAGIC = b"rikigaku platform homotopy\n"
_LARGEST_TOTAL = 4_000_000  # bytes
_LOOPS = 60  # of monodromy, at most
_STEPS = 3000  # of a path, at most
_SHORTEST = 1e-9  # step of the path parameter: a path that needs shorter ones ends at a singular point
_EQUAL = 1e-6  # distance of solutions, as directions of complex vectors
_REAL = 1e-6  # imaginary part of a real solution
_REGULAR = 1e-10  # least singular value of the Jacobian at a solution that counts


@dataclass(frozen=True)
class Motion:
    """Motions of a platform: coordinates of (e, g) that are not zero, legs, and the number of solutions."""

    name: str
    places: tuple[int, ...]
    legs: int
    count: int


SPATIAL = Motion("spatial", tuple(range(8)), 6, 40)
PLANAR = Motion("planar", (0, 3, 5, 6), 3, 6)  # rotations about z, translations along x and y


class PlatformPoses(NamedTuple):
    """Real poses (n, 4, 4) of a frame; the number of complex solutions that were reached, and of all paths.

    Where both numbers are equal, all poses are known. Fewer are reached where solutions of special legs
    coincide, go to infinity or form a family.
    """

    poses: Array
    reached: int
    paths: int
    frame: str = ""


def platform_poses(a: Array, b: Array, lengths: Array, motion: Motion) -> PlatformPoses:
    """Poses of a platform whose points b (n, 3) have given distances from points a (n, 3) of the base.

    Planar motions are in the plane of x and y.
    """
    unit = max(np.ptp(a, axis=0).max(), np.ptp(b, axis=0).max(), float(lengths.max()))
    origin, center = a.mean(axis=0), b.mean(axis=0)
    target = _Legs.of((a - origin) / unit, (b - center) / unit, lengths / unit)
    start, x = _general_solutions(motion)
    x, regular = _ends(motion, start, target, x)
    found = _real_poses(motion, x[regular])
    found[:, :3, 3] = unit * found[:, :3, 3] + origin - found[:, :3, :3] @ center
    return PlatformPoses(found, int(regular.sum()), len(x))


@dataclass(frozen=True)
class _Legs:
    """Points a, b (n, 3) and c = |a|^2 + |b|^2 - l^2 (n,), complex."""

    a: Complex
    b: Complex
    c: Complex

    @classmethod
    def of(cls, a: Array, b: Array, lengths: Array) -> "_Legs":
        c = (a * a).sum(axis=1) + (b * b).sum(axis=1) - lengths * lengths
        return cls(*(np.asarray(x, dtype=np.complex128) for x in (a, b, c)))

    @classmethod
    def random(cls, count: int, rng: np.random.Generator) -> "_Legs":
        return cls(_random(rng, count, 3), _random(rng, count, 3), _random(rng, count))


def _random(rng: np.random.Generator, *shape: int) -> Complex:
    return np.asarray(rng.normal(size=shape) + 1j * rng.normal(size=shape))


# -- equations ----------------------------------------------------------------------------------------------
@cache
def _basis() -> dict[str, Array]:
    """Symmetric matrices (8, 8) of the quadratic forms e.e, g.g, e.g, t e.e, R^T t e.e and R e.e."""
    e, g = np.eye(4, 8), np.eye(4, 8, 4)

    def form(u: Array, w: Array) -> Array:
        return np.asarray((np.outer(u, w) + np.outer(w, u)) / 2)

    ee, gg, eg = (sum(form(u[k], w[k]) for k in range(4)) for u, w in ((e, e), (g, g), (e, g)))
    cyclic = ((0, 1, 2), (1, 2, 0), (2, 0, 1))
    A, B = np.zeros((3, 8, 8)), np.zeros((3, 8, 8))
    for k, i, j in cyclic:
        turn = form(e[1 + i], g[1 + j]) - form(e[1 + j], g[1 + i])
        plain = form(e[0], g[1 + k]) - form(g[0], e[1 + k])
        A[k], B[k] = 2 * (plain + turn), 2 * (plain - turn)
    R = np.zeros((3, 3, 8, 8))
    for i in range(3):
        for j in range(3):
            R[i, j] = 2 * form(e[1 + i], e[1 + j])
        R[i, i] += form(e[0], e[0]) - sum(form(e[1 + k], e[1 + k]) for k in range(3))
    for k, i, j in cyclic:
        R[i, j] -= 2 * form(e[0], e[1 + k])
        R[j, i] += 2 * form(e[0], e[1 + k])
    return {"ee": np.asarray(ee), "gg": np.asarray(gg), "eg": np.asarray(eg), "A": A, "B": B, "R": R}


class _Path:
    """Equations F(x, s) = 0 from s = 0 to 1: quadrics Q_0 + s Q_1 + s^2 Q_2, and a patch."""

    def __init__(self, motion: Motion, start: _Legs, end: _Legs, patch: Complex) -> None:
        own = _basis()
        da, db, dc = end.a - start.a, end.b - start.b, end.c - start.c

        def product(a: Complex, b: Complex) -> Complex:
            return np.asarray(-2 * np.einsum("ni,nj,ijkl->nkl", a, b, own["R"]))

        def linear(a: Complex, b: Complex, c: Complex) -> Complex:
            first = np.einsum("n,kl->nkl", c, own["ee"])
            second = 2 * np.einsum("ni,ikl->nkl", b, own["B"]) - 2 * np.einsum("ni,ikl->nkl", a, own["A"])
            return np.asarray(first + second)

        forms = (
            linear(start.a, start.b, start.c) + product(start.a, start.b) + 4 * own["gg"],
            linear(da, db, dc) + product(da, start.b) + product(start.a, db),
            product(da, db),
        )
        at = np.ix_(range(motion.legs), motion.places, motion.places)
        self.forms = [np.ascontiguousarray(Q[at]) for Q in forms]
        self.size = len(motion.places)
        self.study = own["eg"][np.ix_(motion.places, motion.places)] if motion is SPATIAL else None
        self.patch = patch

    def _applied(self, x: Complex) -> list[Complex]:
        """Q_k x of each path (paths, legs, size)."""
        n = self.size
        return [np.asarray((x @ Q.reshape(-1, n).T).reshape(len(x), -1, n)) for Q in self.forms]

    def values(self, x: Complex, s: Array) -> tuple[Complex, Complex, Complex]:
        """F (paths, size), its Jacobian (paths, size, size), and dF/ds (paths, size)."""
        parts, t = self._applied(x), s[:, None, None]
        Qx = parts[0] + t * (parts[1] + t * parts[2])
        dQx = parts[1] + 2 * t * parts[2]
        F, J = np.zeros(x.shape, dtype=complex), np.zeros((*x.shape, self.size), dtype=complex)
        rate = np.zeros(x.shape, dtype=complex)
        legs = Qx.shape[1]
        F[:, :legs] = np.einsum("pli,pi->pl", Qx, x)
        rate[:, :legs] = np.einsum("pli,pi->pl", dQx, x)
        J[:, :legs] = 2 * Qx
        if self.study is not None:
            Sx = x @ self.study
            F[:, legs], J[:, legs] = (Sx * x).sum(axis=1), 2 * Sx
        F[:, -1], J[:, -1] = x @ self.patch - 1, self.patch
        return F, J, rate

    def tangent(self, x: Complex, s: Array) -> Complex:
        """dx/ds."""
        _, J, rate = self.values(x, s)
        return _solved(J, -rate)

    def corrected(self, x: Complex, s: Array, iterations: int) -> tuple[Complex, Array]:
        """Newton's method; the length of its last step relative to x."""
        size = np.full(len(x), np.inf)
        for _ in range(iterations):
            F, J, _ = self.values(x, s)
            step = _solved(J, -F)
            x = x + step
            size = np.linalg.norm(step, axis=1) / np.linalg.norm(x, axis=1)
        return x, size


def _solved(J: Complex, right: Complex) -> Complex:
    """J^-1 right; NaN where J is singular."""
    try:
        return np.asarray(np.linalg.solve(J, right[..., None])[..., 0])
    except np.linalg.LinAlgError:
        found = np.full(right.shape, np.nan + 0j)
        for k in range(len(J)):
            if np.linalg.matrix_rank(J[k]) == J.shape[-1]:
                found[k] = np.linalg.solve(J[k], right[k])
        return found


# -- paths --------------------------------------------------------------------------------------------------
def _tracked(path: _Path, x: Complex, tolerance: float) -> tuple[Complex, Array]:
    """All paths from s = 0; their last points and parameters: 1 where the end was reached.

    Runge-Kutta steps, corrected by Newton's method; each path has a step of its own.
    """
    x, s = np.array(x), np.zeros(len(x))
    h, active = np.full(len(x), 0.02), np.arange(len(x))
    with np.errstate(all="ignore"):
        for _ in range(_STEPS):
            if not len(active):
                break
            y, at = x[active], s[active]
            step = np.minimum(h[active], 1 - at)
            k1 = path.tangent(y, at)
            k2 = path.tangent(y + 0.5 * step[:, None] * k1, at + 0.5 * step)
            k3 = path.tangent(y + 0.5 * step[:, None] * k2, at + 0.5 * step)
            k4 = path.tangent(y + step[:, None] * k3, at + step)
            guess = y + step[:, None] / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            fixed, last = path.corrected(guess, at + step, 2)
            moved = np.linalg.norm(fixed - guess, axis=1) / np.linalg.norm(fixed, axis=1)
            good = (moved < tolerance) & (last < tolerance * 1e-2)
            own = active[good]
            x[own], s[own] = fixed[good], at[good] + step[good]
            grown = np.where(moved[good] < 0.05 * tolerance, 2.0, 1.0)
            h[own] = np.minimum(h[own] * grown, 0.1)
            h[active[~good]] = step[~good] / 3
            active = active[(s[active] < 1) & (h[active] > _SHORTEST)]
    return x, s


def _ends(motion: Motion, start: _Legs, end: _Legs, x: Complex) -> tuple[Complex, Any]:
    """Ends of all paths, and which are regular solutions."""
    rng = np.random.default_rng(3)
    best: tuple[Complex, Any] | None = None
    for attempt in range(4):  # paths that meet have jumped: shorter steps and another patch
        patch = _random(rng, len(motion.places))
        path = _Path(motion, start, end, patch)
        ends, s = _tracked(path, x / (x @ patch)[:, None], 1e-4 * 0.1**attempt)
        with np.errstate(all="ignore"):
            one = np.ones(len(ends))
            ends, size = path.corrected(ends, one, 3)
            J = path.values(ends, one)[1]
            finite: Mask = np.asarray(np.isfinite(J).all(axis=(1, 2)))
            J[~finite] = 0.0
            least = np.linalg.svd(J, compute_uv=False)[:, -1]
        e = [k for k, place in enumerate(motion.places) if place < 4]
        scale = np.linalg.norm(np.where(np.isfinite(ends), ends, 0), axis=1)
        proper = np.abs((ends[:, e] ** 2).sum(axis=1)) > 1e-10 * scale**2
        regular = (s >= 1) & finite & (size < 1e-8) & (least > _REGULAR) & proper
        distinct = len(_distinct(ends[regular])) == regular.sum()
        if best is None or regular.sum() > best[1].sum() or distinct:
            best = ends, regular
        if distinct and (regular.all() or attempt >= 1):
            break
    assert best is not None
    ends, regular = best
    kept = np.zeros(len(ends), dtype=bool)
    own = np.flatnonzero(regular)
    kept[own[_distinct(ends[own])]] = True
    return ends, kept


def _distinct(x: Complex) -> list[int]:
    """Indices of the vectors that are no multiples of others before them."""
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    kept: list[int] = []
    for k, row in enumerate(unit):
        cosine = np.abs(unit[kept].conj() @ row) if kept else np.zeros(0)
        if not (1 - cosine < 0.5 * _EQUAL**2).any():
            kept.append(k)
    return kept


def _general_solutions(motion: Motion) -> tuple[_Legs, Complex]:
    """Random complex legs and all their solutions, by monodromy; kept on disk."""
    rng = np.random.default_rng(29)
    start = _Legs.random(motion.legs, rng)
    x0 = _random(rng, len(motion.places))
    if motion is SPATIAL:  # onto e . g = 0
        x0[4] = -(x0[1:4] @ x0[5:8]) / x0[0]
    flat = _Path(motion, start, start, x0)
    Q = np.einsum("p,lpq,q->l", x0, flat.forms[0], x0)
    ee = _basis()["ee"][np.ix_(motion.places, motion.places)]
    start = _Legs(start.a, start.b, start.c - Q / (x0 @ ee @ x0))
    name = hashlib.sha256(f"{motion}{disk_cache.source_fingerprint()}".encode()).hexdigest() + ".platform"
    if motion in _known:
        return start, _known[motion]
    if (saved := disk_cache.read(name, _MAGIC)) is not None:
        x = np.frombuffer(saved, dtype=np.complex128).reshape(-1, len(motion.places))
    else:
        x = _monodromy(motion, start, x0[None], rng)
        if len(x) == motion.count:
            disk_cache.write(name, _MAGIC, x.tobytes(), _LARGEST_TOTAL)
    _known[motion] = x
    return start, x


_known: dict[Motion, Complex] = {}


def _monodromy(motion: Motion, start: _Legs, x: Complex, rng: np.random.Generator) -> Complex:
    """Solutions that loops of the legs lead to, until there are as many as there can be."""
    for _ in range(_LOOPS):
        if len(x) >= motion.count:
            break
        corners = [start, _Legs.random(motion.legs, rng), _Legs.random(motion.legs, rng), start]
        y = x
        for first, second in pairwise(corners):
            patch = _random(rng, len(motion.places))
            ends, s = _tracked(_Path(motion, first, second, patch), y / (y @ patch)[:, None], 1e-5)
            y = ends[s >= 1]
        both = np.concatenate(
            [x / np.linalg.norm(x, axis=1)[:, None], y / np.linalg.norm(y, axis=1)[:, None]]
        )
        x = both[_distinct(both)]
    return x


def _real_poses(motion: Motion, x: Complex) -> Array:
    """Poses of the solutions that are real up to a factor."""
    poses = []
    for row in x:
        whole = np.zeros(8, dtype=complex)
        whole[list(motion.places)] = row
        whole = whole / whole[np.argmax(np.abs(whole[:4]))]
        if np.abs(whole.imag).max() > _REAL * np.abs(whole).max():
            continue
        e, g = whole.real[:4], whole.real[4:]
        own, size = _basis(), e @ e
        full = np.concatenate([e, g])
        T = np.eye(4)
        T[:3, :3] = np.einsum("p,ijpq,q->ij", full, own["R"], full) / size
        T[:3, 3] = np.einsum("p,ipq,q->i", full, own["A"], full) / size
        poses.append(T)
    return np.array(poses).reshape(-1, 4, 4)
