"""All configurations of an arm by continuation over complex poses, where eliminations are degenerate.

Pairs of a configuration q and its pose form an irreducible variety: the graph of the pose over all complex q.
Hence the configurations at one general complex pose are permuted transitively along closed loops of poses
(monodromy) [Duff2019], and every one of them is reached from random configurations and their own poses. From
there they are continued to each given pose. The way through complex poses meets no singular one before its
end, so every isolated configuration is the end of a path [Sommese2005]. Paths may end at complex
configurations, at infinity, or at singular ones.

Poses and links are parametrized by rotations about z, x, z and a position, which are interpolated linearly.
Neither axes that are parallel, meet or are perpendicular nor special poses need another treatment.
"""

import hashlib
import itertools
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rikigaku.core import disk_cache
from rikigaku.core.types import Array, Mask
from rikigaku.inverse_kinematics.complex_newton import Complex, complex_newton_kernel, complex_step
from rikigaku.inverse_kinematics.continuation_paths import HISTORY, SINGULAR_END, Paths, extrapolated
from rikigaku.inverse_kinematics.loop_cut import numbers

Indices = NDArray[np.int64]

_MOST = 16  # configurations of six joints at a general pose [Primrose1986]
_RANDOM = 48  # configurations of a round
_IMAGINARY = (0.4, 0.05, 1.5)  # sizes of imaginary parts [rad, reach]
_ROUNDS = 20  # most arms need three
_UNCHANGED = 3  # rounds that find nothing new: all configurations are known
_EQUAL = 1e-6  # configurations closer than this [rad, reach] are one
_CORRECTION = 0.02  # [rad, reach]: largest error of an extrapolated point
_USUAL = 0.003  # error that the length of steps aims at
_CONVERGED = 1e-5  # last correction [rad, reach] of an accepted point
_CORRECTIONS = 2  # steps of Newton's method at each point
_SMALLEST_STEP = 1e-7
_INFINITE_ANGLE, _INFINITE_DISPLACEMENT = 12.0, 1e5  # imaginary part [rad], size [reach]
_STEPS = 2000
_MAGIC = b"rikigaku complex configurations\n"
_LARGEST_TOTAL = 20_000_000  # bytes of all files


class PathEnds(NamedTuple):
    """Ends of all paths to poses (m paths): index of the pose, q (m, 6), whether it is singular.

    repeated: (m,) another path has the same end, which is a double one, or the path has jumped to the other.
    unclear: (n,) poses where a path ended on its way.
    """

    pose: Indices
    q: Complex
    singular: Mask
    repeated: Mask
    unclear: Mask


class PoseContinuation:
    """The configurations of an arm at one general complex pose, and their continuation to given poses.

    Args:
        links: L_0 ... L_6 (7, 4, 4) with the reach as unit of length. revolute: types of the six joints.
        varying: links that differ from pose to pose; they are general at the start.
    """

    def __init__(self, links: Array, revolute: Sequence[bool], varying: Sequence[int] = ()) -> None:
        self.revolute = np.array(revolute, dtype=bool)
        self.varying = tuple(varying)
        self.links = [np.asarray(link, dtype=np.float64) for link in links]
        self._real = [numbers(link) for link in self.links]
        self.kernel = complex_newton_kernel(revolute, self.varying)
        rng = np.random.default_rng(17)
        self._general = {k: _general(rng, parameters(links[k][None])[0]) for k in self.varying}
        q = self._random(rng, 1)
        H = parameters(self._pose(q, self._at(self._loop(np.zeros((1, 6))))[0]))
        self.start = self._loop(H)[0]
        self.q = self._saved(q[0], rng)

    def ends(self, poses: Array, links: Sequence[Array]) -> PathEnds:
        """Ends of the paths to poses (n, 4, 4); links (4, 4) or, if varying, (n, 4, 4)."""
        found = self._ends(poses, links, [])
        again = found.unclear.copy()
        again[found.pose[found.repeated]] = True
        rows = np.nonzero(again)[0]
        if not len(rows):
            return found
        # other ways to the poses: the first ones came too near to a singular complex pose
        detour = _general(np.random.default_rng(29), self.start.real)
        own = [x if x.ndim == 2 else x[rows] for x in links]
        more = self._ends(poses[rows], own, [detour])
        kept = ~np.isin(found.pose, rows[~more.unclear])
        unclear = found.unclear.copy()
        unclear[rows] = more.unclear
        return PathEnds(
            np.concatenate([found.pose[kept], rows[more.pose]]),
            np.concatenate([found.q[kept], more.q]),
            np.concatenate([found.singular[kept], more.singular]),
            np.concatenate([found.repeated[kept], more.repeated]),
            unclear,
        )

    def _ends(self, poses: Array, links: Sequence[Array], way: Sequence[Complex]) -> PathEnds:
        """Ends of the paths over some parameters on the way."""
        n, count = len(poses), len(self.q)
        target = np.repeat(self._loop(parameters(poses), links), count, axis=0)
        pose = np.repeat(np.arange(n), count)
        q, t = np.tile(self.q, (n, 1)), np.ones(n * count)
        points = [np.broadcast_to(x, target.shape) for x in (self.start, *way)]
        for a, b in zip(points, [*points[1:], target], strict=True):
            going = np.nonzero(t >= 1)[0]
            q[going], t[going] = self._tracked(q[going], a[going], b[going])
            if b is not target:
                t[t < 1] = 0.0  # ended on the way
        infinite = self._is_infinite(q)
        unclear = np.zeros(n, dtype=bool)
        unclear[pose[(t < 1 - SINGULAR_END) & ~infinite]] = True
        kept = ~infinite
        pose, q, singular = pose[kept], q[kept], t[kept] < 1
        return PathEnds(pose, q, singular, self._repeated(q, pose) & ~singular, unclear)

    # -- parameters of the loop of links and pose: 6 numbers for each varying link, then 6 of the pose -------
    def _loop(self, H: NDArray[Any], links: Sequence[Array] | None = None) -> Complex:
        """Parameters of the pose (n, 6), after those of the varying links: general ones if none are given."""
        if links is None:
            parts = [np.broadcast_to(self._general[k], H.shape) for k in self.varying]
        else:
            parts = [np.broadcast_to(parameters(links[k]), H.shape) for k in self.varying]
        return np.concatenate([*parts, H], axis=-1).astype(complex)

    def _at(self, x: Complex) -> tuple[list[NDArray[Any]], Complex]:
        """Links and poses at parameters (m, 6 k)."""
        links: list[NDArray[Any]] = list(self.links)
        for place, k in enumerate(self.varying):
            links[k] = displaced(x[:, 6 * place : 6 * place + 6])
        return links, displaced(x[:, -6:])

    def _numbers(self, x: Complex) -> tuple[list[Array], Array]:
        """The same as numbers for the kernel, real and imaginary parts in turn where they are complex."""
        links, H = self._at(x)
        known = list(self._real)
        for k in self.varying:
            known[k] = numbers(links[k]).view(np.float64)
        return known, numbers(H).view(np.float64)

    # -- start ----------------------------------------------------------------------------------------------
    def _saved(self, q: Complex, rng: np.random.Generator) -> Complex:
        """All configurations at the start's parameters, kept on disk."""
        if (saved := disk_cache.read(self._file, _MAGIC)) is not None:
            return np.frombuffer(saved, dtype=complex).reshape(-1, 6)
        found = self._at_start(q, rng)
        disk_cache.write(self._file, _MAGIC, found.tobytes(), _LARGEST_TOTAL)
        return found

    @cached_property
    def _file(self) -> str:
        content = [np.array(self.links).tobytes().hex(), str(self.revolute), str(self.varying)]
        text = "\n".join([*content, disk_cache.source_fingerprint()])
        return f"{hashlib.sha256(text.encode()).hexdigest()}.start"

    def extend(self, q: Array, poses: Array, links: Sequence[Array]) -> bool:
        """Continue known configurations (m, 6) from their poses to the start; whether some are new there."""
        start = np.broadcast_to(self.start, (len(q), len(self.start)))
        ends, t = self._tracked(q.astype(complex), self._loop(parameters(poses), links), start)
        known = self._with_new(self.q, ends[t >= 1])
        if len(known) == len(self.q):
            return False
        self.q = known
        disk_cache.write(self._file, _MAGIC, known.tobytes(), _LARGEST_TOTAL)
        return True

    def _at_start(self, q: Complex, rng: np.random.Generator) -> Complex:
        """All configurations at the start's parameters, from one of them.

        Random configurations are continued from their own poses to the start, and known ones along closed
        loops, until several rounds have found nothing new.
        """
        known, unchanged = q[None], 0
        for _ in range(_ROUNDS):
            before = len(known)
            random = self._random(rng, _RANDOM)
            poses = parameters(self._pose(random, self._at(self._loop(np.zeros((1, 6))))[0]))
            start = np.broadcast_to(self.start, (_RANDOM, len(self.start)))
            ends, t = self._tracked(random, self._loop(poses), start)
            known = self._with_new(known, ends[t >= 1])
            way = [self.start, *(_general(rng, self.start.real) for _ in range(2)), self.start]
            ends, good = known, np.ones(len(known), dtype=bool)
            for a, b in itertools.pairwise(way):
                shape = (len(known), len(a))
                ends, t = self._tracked(ends, np.broadcast_to(a, shape), np.broadcast_to(b, shape))
                good &= t >= 1
            known = self._with_new(known, ends[good])
            unchanged = unchanged + 1 if len(known) == before else 0
            if unchanged >= _UNCHANGED or len(known) >= _MOST:
                break
        return known

    def _random(self, rng: np.random.Generator, count: int) -> Complex:
        """Random configurations (count, 6).

        Imaginary parts of several sizes: arms that are nearly degenerate have configurations near infinity.
        """
        real = rng.uniform(-1, 1, (count, 6)) * np.where(self.revolute, np.pi, 0.7)
        sizes = np.resize(_IMAGINARY, count)[:, None]
        return np.asarray(real + 1j * sizes * rng.normal(size=real.shape))

    def _with_new(self, known: Complex, more: Complex) -> Complex:
        """Known configurations, then those of more that differ from them."""
        for q in more:
            if self._distance(known - q).min() > _EQUAL:
                known = np.concatenate([known, q[None]])
        return known

    # -- paths ----------------------------------------------------------------------------------------------
    def _tracked(self, q: Complex, start: Complex, target: Complex) -> tuple[Complex, Array]:
        """Configurations (m, 6) continued from parameters to others (m, k), and how far each came: 1 is all.

        Predictor: extrapolation of the last points; corrector: Newton's method.
        """
        ends, reached = q.copy(), np.zeros(len(q))
        paths = Paths.begun(q, start, target)
        for _ in range(_STEPS):
            if not len(paths.place):
                break
            t, x, good = self._next(paths)
            paths.advance(t, x, good)
            # a singular end is approached geometrically
            left = (paths.t < 1) & (paths.h > _SMALLEST_STEP) & ~self._is_infinite(paths.points[:, 0])
            if not left.all():
                paths.store(ends, reached, ~left)
                paths = paths.kept(left)
        paths.store(ends, reached, np.ones(len(paths.place), dtype=bool))
        return ends, reached

    def _next(self, paths: Paths) -> tuple[Array, Complex, Mask]:
        """The next points of all paths, and which are accepted; the lengths of the steps after them."""
        t = np.minimum(paths.t + paths.h, 1.0)
        x = predicted = extrapolated(paths.times, paths.points, t)
        # two paths that meet at their ends are smooth functions of the root of the remaining distance
        links, H = self._numbers(paths.target + ((1 - t) ** 2)[:, None] * paths.difference)
        for _ in range(_CORRECTIONS):
            step = complex_step(self.kernel, links, H, self.revolute, x)
            x = x + step
        size: Array | float = 1.0
        if not self.revolute.all():  # displacements may be long
            size = 1 + np.where(self.revolute, 0.0, np.abs(x)).max(axis=1)
        last = np.abs(step).max(axis=1) / size
        moved = np.abs(x - predicted).max(axis=1) / size
        good = (last < _CONVERGED) & (moved < _CORRECTION)
        with np.errstate(divide="ignore", invalid="ignore"):
            factor = np.clip(0.8 * (_USUAL / moved) ** (1 / HISTORY), 0.5, 2.0)
        paths.h = paths.h * np.where(good, factor, 0.4)
        return t, x, good

    def _pose(self, q: Complex, links: Sequence[NDArray[Any]]) -> Complex:
        """Poses (m, 4, 4) at complex configurations."""
        X = np.broadcast_to(links[0], (len(q), 4, 4)).astype(complex)
        for k, flag in enumerate(self.revolute):
            c, s = np.cos(q[:, k, None]), np.sin(q[:, k, None])
            M = X.copy()
            if flag:
                M[:, :, 0], M[:, :, 1] = c * X[:, :, 0] + s * X[:, :, 1], c * X[:, :, 1] - s * X[:, :, 0]
            else:
                M[:, :, 3] += q[:, k, None] * X[:, :, 2]
            X = M @ links[k + 1]
        return X

    def _is_infinite(self, q: Complex) -> Mask:
        """Paths (m,) on their way to infinity; NaN is there."""
        size = np.where(self.revolute, np.abs(q.imag) / _INFINITE_ANGLE, np.abs(q) / _INFINITE_DISPLACEMENT)
        return np.asarray(~(size.max(axis=1, initial=0.0) < 1))

    def _distance(self, gap: Complex) -> Array:
        """Largest difference of joints (m,), angles without full revolutions."""
        revolutions = np.where(self.revolute, 2 * np.pi * np.round(gap.real / (2 * np.pi)), 0.0)
        return np.asarray(np.abs(gap - revolutions).max(axis=-1))

    def _repeated(self, q: Complex, pose: Indices) -> Mask:
        """Ends (m,) that another path to the same pose has, too."""
        key = np.where(self.revolute, np.exp(1j * q), q) @ np.sin(np.arange(1, 7) * np.sqrt(3))
        order = np.lexsort((key.real, pose))
        a, b = order[:-1], order[1:]
        same = (pose[a] == pose[b]) & (self._distance(q[a] - q[b]) < _EQUAL)
        found = np.zeros(len(q), dtype=bool)
        found[a[same]] = found[b[same]] = True
        return found


def parameters(T: NDArray[Any]) -> NDArray[Any]:
    """Angles a, b, c and position (n, 6) of poses Rz(a) Rx(b) Rz(c) with that position; also complex ones."""
    b = np.arccos(T[:, 2, 2].astype(complex))
    sine = np.sin(b)
    regular = np.abs(sine) > 1e-9  # otherwise the third angle is zero, and the first holds both
    if np.isrealobj(T):  # to rounding, where the cosine is near 1
        size = np.hypot(T[:, 0, 2], T[:, 1, 2])
        b = np.arctan2(size, T[:, 2, 2]).astype(complex)
        sine, regular = size.astype(complex), size > 1e-12
    divisor = np.where(regular, sine, 1.0)
    i = 1j
    first = np.where(regular, (-T[:, 1, 2] + i * T[:, 0, 2]) / divisor, T[:, 0, 0] + i * T[:, 1, 0])
    third = np.where(regular, (T[:, 2, 1] + i * T[:, 2, 0]) / divisor, 1.0)
    out = np.concatenate([np.stack([-i * np.log(first), b, -i * np.log(third)], axis=1), T[:, :3, 3]], axis=1)
    return np.asarray(out.real if np.isrealobj(T) else out)


def displaced(x: Complex) -> Complex:
    """Poses (n, 4, 4) from parameters (n, 6)."""
    (ca, cb, cc), (sa, sb, sc) = np.cos(x[:, :3]).T, np.sin(x[:, :3]).T
    T = np.zeros((len(x), 4, 4), dtype=complex)
    T[:, 0, 0], T[:, 0, 1], T[:, 0, 2] = ca * cc - sa * cb * sc, -ca * sc - sa * cb * cc, sa * sb
    T[:, 1, 0], T[:, 1, 1], T[:, 1, 2] = sa * cc + ca * cb * sc, -sa * sc + ca * cb * cc, -ca * sb
    T[:, 2, 0], T[:, 2, 1], T[:, 2, 2] = sb * sc, sb * cc, cb
    T[:, :3, 3], T[:, 3, 3] = x[:, 3:], 1.0
    return T


def _general(rng: np.random.Generator, x: Array) -> Complex:
    """Complex parameters in general position, around real ones."""
    return np.asarray(x + rng.normal(size=x.shape) + 1j * rng.normal(size=x.shape) * 0.7)
