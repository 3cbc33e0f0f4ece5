"""Choice of the cuts of a loop whose elimination loses the fewest digits, at random configurations."""

import hashlib
import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rikigaku.core import disk_cache
from rikigaku.core.types import Array
from rikigaku.inverse_kinematics import elimination
from rikigaku.inverse_kinematics.loop_cut import LoopCut, loop_cuts, numbers, pose
from rikigaku.inverse_kinematics.serial_arm import SerialArm
from rikigaku.inverse_kinematics.trigonometric_roots import DEGREE
from rikigaku.spatial.pose import Pose

_TRIALS = 24
_ROUNDING = 1e-16
_MONOMIALS = 8  # of two eliminated joints
_ACCURATE = 5e-12  # error [rad] of starts that Newton's method corrects in one step
_MAGIC = b"rikigaku cuts of loops\n"
_LARGEST_TOTAL = 20_000_000  # bytes of all files


@dataclass(frozen=True)
class Cut:
    """A cut of the loop with the linear algebra that does not depend on the pose.

    Attributes:
        basis: (r, 8) independent combinations of the monomials of the eliminated joints.
        rows: (6, 15) combinations of the functions without them, and their values; None: they depend on the
            pose.
        error: expected error of the sampled joint [rad], from rounding.
    """

    cut: LoopCut
    basis: Array
    rows: Array | None
    error: float


def chosen_cuts(arm: SerialArm) -> list[Cut]:
    """Cuts that are not degenerate, the most accurate first, one for each sampled joint; kept on disk."""
    content = [arm.links.tobytes().hex(), str(arm.revolute), disk_cache.source_fingerprint()]
    name = hashlib.sha256("\n".join(content).encode()).hexdigest() + ".cuts"
    if (saved := disk_cache.read(name, _MAGIC)) is not None:
        return [_from_json(*record) for record in json.loads(saved)]
    found = _measured_cuts(arm)
    disk_cache.write(name, _MAGIC, json.dumps([_to_json(cut) for cut in found]).encode(), _LARGEST_TOTAL)
    return found


def with_varying_links(cut: Cut, varying: Collection[int]) -> Cut | None:
    """The cut for links that differ from pose to pose; None if its linear algebra holds for one of them only.

    The rows and the basis belong to the links of the eliminated joints.
    """
    if not cut.cut.eliminated_links() & set(varying):
        return cut
    return replace(cut, rows=None) if len(cut.basis) == _MONOMIALS else None


def _to_json(cut: Cut) -> list[Any]:
    rows = None if cut.rows is None else cut.rows.tolist()
    return [cut.cut.order, cut.cut.reverse, cut.basis.tolist(), rows, cut.error]


def _from_json(order: list[int], reverse: bool, basis: Any, rows: Any, error: float) -> Cut:
    cut = LoopCut(tuple(order), reverse)
    independent = np.array(basis, dtype=np.float64).reshape(-1, _MONOMIALS)
    return Cut(cut, independent, None if rows is None else np.array(rows), error)


def _measured_cuts(arm: SerialArm, largest_error: float = 1e-4) -> list[Cut]:
    rng = np.random.default_rng(5)
    q = rng.uniform(-1, 1, (_TRIALS, 6)) * [np.pi if flag else 0.5 for flag in arm.revolute]
    H = arm.pose(q)
    best: dict[int, Cut] = {}
    for cut in loop_cuts():
        revolute = cut.reordered(arm.revolute)
        if not (revolute[0] and revolute[3]):
            continue
        sampled = cut.order[3]
        found = _measured(arm, cut, H, q[:, sampled])
        if found is not None and (sampled not in best or _rank(found) < _rank(best[sampled])):
            best[sampled] = found
    return sorted((c for c in best.values() if c.error < largest_error), key=_rank)


def _rank(cut: Cut) -> tuple[float, bool, float]:
    """The most accurate cut first; of those that are accurate enough one with a constant complement.

    Equations with a constant complement take a third fewer operations.
    """
    return max(cut.error, _ACCURATE), cut.rows is None, cut.error


def _measured(arm: SerialArm, cut: LoopCut, H: Array, sampled: Array) -> Cut | None:
    """The linear algebra of a cut and its expected error; None if its determinant vanishes identically."""
    revolute = cut.reordered(arm.revolute)
    # elements of poses (trials or 1, 1), for all points of the joints at once
    links = [numbers(link)[..., None, :] for link in cut.links(list(arm.links), H)]
    T = [pose(list(np.moveaxis(x, -1, 0))) for x in links]
    gone = _expanded(elimination.eliminated_functions, T, revolute, revolute[1:3])
    gone = np.broadcast_to(gone, (_TRIALS, *gone.shape[-2:]))
    _, size, Vt = np.linalg.svd(gone[..., :_MONOMIALS].reshape(-1, _MONOMIALS), full_matrices=False)
    rank = int((size > 1e-9 * size[0]).sum())
    basis = Vt[:rank]
    rows: Array | None = None
    if np.abs(gone - gone[:1]).max() < 1e-12:
        U = np.linalg.svd(gone[0, :, :_MONOMIALS] @ basis.T)[0][:, rank:]
        # With more than six equations left take general combinations of them, so that none is left out.
        mix = np.linalg.qr(np.random.default_rng(7).normal(size=(U.shape[1],) * 2))[0]
        complement = (U @ (mix if U.shape[1] > 6 else np.eye(6)))[:, :6].T
        rows = np.column_stack([complement, complement @ gone[0, :, _MONOMIALS]])
    else:
        Q = np.linalg.qr(gone[..., :_MONOMIALS] @ basis.T, mode="complete")[0]
        complement = np.swapaxes(Q[..., rank : rank + 6], -1, -2)
    E = complement @ _expanded(elimination.kept_functions, T, revolute, revolute[3:])
    E[..., -1] -= (complement @ gone[..., _MONOMIALS:])[..., 0]
    half = np.array([elimination.half_angles(x.reshape(3, 3).tolist(), *revolute[4:]) for x in np.eye(9)])
    E = E.reshape(_TRIALS, 1, 6, 3, 9) @ half
    if not np.isfinite(E).all():
        return None
    largest = np.abs(E).max(axis=(2, 3, 4), keepdims=True)
    if not (largest > 0).all():
        return None
    E = E / largest
    count = 4 * DEGREE
    angles = 2 * np.pi * np.arange(count) / count
    own = sampled[:, None]
    samples = np.concatenate([np.broadcast_to(angles, (len(E), count)), own], axis=1)
    c, s = (f(samples)[..., None, None] for f in (np.cos, np.sin))
    A = np.zeros((*samples.shape, 12, 12))
    A[..., :6, :9] = A[..., 6:, 3:] = c * E[..., 0, :] + s * E[..., 1, :] + E[..., 2, :]
    A = A / np.linalg.norm(A, axis=(1, 3), keepdims=True)
    spectrum = np.fft.fft(np.linalg.det(A[:, :count]), axis=1)
    scale = np.abs(spectrum).max(axis=1)
    if not (scale > 1e-25).all():
        return None
    noise = np.abs(spectrum[:, DEGREE + 1 : count // 2 + 1]).max(axis=1) / scale + _ROUNDING
    k = np.fft.fftfreq(count, 1 / count)
    slope = np.abs((1j * k * spectrum * np.exp(1j * k * own)).sum(axis=1)) / scale
    # A second small singular value at a configuration makes the null vector ambiguous.
    second = np.linalg.svd(A[:, -1], compute_uv=False)[:, -2]
    errors = noise / np.maximum(slope, 1e-300) + _ROUNDING / np.maximum(second, 1e-300)
    return Cut(cut, basis, rows, float(np.quantile(errors, 0.75)))


def _expanded(
    functions: Callable[..., list[Any]], T: Sequence[Pose], revolute: Sequence[bool], own: Sequence[bool]
) -> Array:
    """Coefficients of the monomials of some joints in the fourteen functions (..., 14, 3^n)."""
    x = np.array(elimination.points(own), dtype=np.float64).T
    values = np.stack(np.broadcast_arrays(*functions(T, revolute, x)), axis=-2)
    table = np.array(elimination.coefficients(list(np.eye(x.shape[1])), own))
    return np.asarray(values @ table.T, dtype=np.float64)
