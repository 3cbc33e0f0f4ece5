"""Native solution of a general arm: memory, kernels and results of `llvm_arm_configurations`."""

import ctypes
import threading
from collections.abc import Sequence
from functools import cache as once
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rikigaku.compiler.kernel import Kernel
from rikigaku.core.types import Array
from rikigaku.integrators.native_library import native_library
from rikigaku.inverse_kinematics.cut_solver import (
    ROW,
    CutSolver,
    refined_kernel,
    triangular_kernel,
    values_kernel,
)
from rikigaku.inverse_kinematics.loop_cut import pose_numbers
from rikigaku.inverse_kinematics.native_arm_block import CONSTANTS, PLANE, WORK, Call, CallSlot, Slot
from rikigaku.inverse_kinematics.pose_newton import MOST, newton_kernel
from rikigaku.inverse_kinematics.shared_kernels import general_kernel
from rikigaku.inverse_kinematics.trigonometric_roots import SAMPLES, grid, interpolation, sample_angles

if TYPE_CHECKING:
    from rikigaku.compiler.native_code import Library

Whole = NDArray[np.int64]
# numbers of a pose in the results: q, residual, found, status, and where each result begins
_SIZES = (MOST * 6, MOST, MOST, 1)
_BEGINS = (0, MOST * 6, MOST * 7, MOST * 8)
_TILE = 128  # poses whose equations fit the second cache


class NativeResult(NamedTuple):
    """q (n, 16, 6), residual [reach, rad] and found (n, 16): 1 or 0; status (n,): not 0 where unresolved."""

    q: Array
    residual: Array
    found: Whole
    status: Whole


class NativeArm:
    """The most accurate cut of an arm, solved in native code."""

    def __init__(self, revolute: Sequence[bool], reach: float, solver: CutSolver) -> None:
        self.solver, self.reach = solver, reach
        self.revolute = np.array(revolute, dtype=bool)
        self.newton = newton_kernel(revolute)
        self.closing = _closing_kernel(solver.cut.reverse)
        self._local = threading.local()

    def solve(self, links: Sequence[Array], poses: Array) -> NativeResult:
        """Configurations at poses (n, 4, 4); links: L_0 ... L_6 (12,) or (n, 12), scaled by the reach."""
        n = len(poses)
        numbers = np.empty(n * sum(_SIZES))  # one allocation: native code writes every element
        # quicker than numbers.ctypes.data: one pose takes 60 microseconds in all
        memory, address = self._memory(), numbers.__array_interface__["data"][0]
        begins = [n * k for k in _BEGINS]
        one_arm = memory.knows(links)
        for start in range(0, n, _TILE):
            count = min(_TILE, n - start)
            tile = slice(start, start + count)
            own = links
            if not one_arm:
                own = [x[tile] if x.ndim == 2 else x for x in links]
                memory.links(own, links)
            H, last = memory.H[:count], memory.last[:count]
            flat = poses[tile].reshape(count, 16)
            self.closing.batch(flat, memory.scale, own[0], own[6], out=(H, last))
            memory.rows(own, count)
            memory.block[Slot.POSES] = count
            memory.block[Slot.Q : Slot.STATUS + 1] = [
                address + 8 * (begin + start * size) for begin, size in zip(begins, _SIZES, strict=True)
            ]
            _solve()(memory.address)
        q, residual, found, status = (
            numbers[begin : begin + n * size] for begin, size in zip(begins, _SIZES, strict=True)
        )
        whole = found.view(np.int64).reshape(n, MOST), status.view(np.int64)
        return NativeResult(q.reshape(n, MOST, 6), residual.reshape(n, MOST), *whole)

    def _memory(self) -> "_Memory":
        """Working memory of this thread."""
        if not hasattr(self._local, "memory"):
            self._local.memory = _Memory(self)
        memory: _Memory = self._local.memory
        return memory


class _Memory:
    """Working memory and the arguments of the calls."""

    def __init__(self, arm: NativeArm) -> None:
        sizes = {**CONSTANTS, **WORK}
        self.memory = np.zeros(sum(sizes.values()))
        starts = np.cumsum([0, *sizes.values()])
        self.start = self.memory.ctypes.data
        self.at = {name: int(self.start + 8 * k) for name, k in zip(sizes, starts, strict=False)}
        parts = {name: self.memory[k : k + sizes[name]] for name, k in zip(sizes, starts, strict=False)}
        parts["angles"][:] = sample_angles()
        parts["kept"][: arm.solver.points.size] = arm.solver.points.ravel()
        parts["inverse"][:] = interpolation().ravel()
        x, table = grid()
        planes = parts["monomials"].reshape(SAMPLES, 3, PLANE)
        planes[:, :, : len(x)] = np.moveaxis(table, (0, 1, 2), (2, 1, 0))
        planes[:, :, len(x)] = planes[:, :, 0]  # the last cell ends where the first begins
        parts["grid"][: len(x)] = x
        self.places = np.array(arm.solver.cut.order, dtype=np.int64)
        self.scales = np.concatenate([np.where(arm.revolute, 1.0, arm.reach), arm.revolute])
        self.block = np.zeros(Slot.CALLS + CallSlot.SIZE * len(Call), dtype=np.int64)
        self.moving: dict[Call, Whole] = {}
        self.keep: list[Any] = []
        self.H, self.last = np.empty((_TILE, 12)), np.empty((_TILE, 12))
        self.scale, self.arm = np.array(1 / arm.reach), arm
        self.address = self.block.ctypes.data
        self.block[Slot.MEMORY : Slot.Q] = [x.ctypes.data for x in (self.memory, self.places, self.scales)]
        triangular, values, cut = triangular_kernel(), values_kernel(), arm.solver
        self._fill(Call.FUNCTIONS, cut.functions_kernel(), 4, ["kept", "functions"])
        self._fill(Call.EQUATIONS, cut.equation_kernel(), 1, ["functions", "E"], shared=["functions"])
        self._fill(Call.SAMPLES, triangular, 0, ["E", "angles", "samples", "R"], shared=["E", "R"])
        self._fill(Call.DIVIDED, values, 0, ["a", "points", "f", "slope", "curvature"], shared=["a"])
        self._fill(Call.REFINED, refined_kernel(), 0, ["a", "low", "high", "x"], shared=["a"])
        zeros = ["a", "x", "zero_f", "zero_slope", "zero_curvature"]
        self._fill(Call.SLOPES, values, 0, zeros, shared=["a"])
        self._fill(Call.SMALL, triangular, 0, ["E", "small_x", "small_f", "R"], shared=["E", "R"])
        self._fill(Call.SECANT, triangular, 0, ["E", "secant", "secant_f", "R"], shared=["E", "R"])
        self._fill(Call.FACTORS, triangular, 0, ["E", "x", "zero_f", "R"], shared=["E"])
        self._fill(Call.JOINTS, cut.joints_kernel(), 6, ["R", "x", "others"])
        self._fill(Call.NEWTON, arm.newton, 8, ["q", "step", "errors"])
        self.constant_rows = cut.constant_rows
        if self.constant_rows is not None:
            self._begin(Call.EQUATIONS, [self.constant_rows], 2)
        self._links: Any = None

    def _fill(
        self, which: Call, kernel: Kernel, moving: int, names: Sequence[str], shared: Sequence[str] = ()
    ) -> None:
        """Arguments of a call: the first ones differ from pose to pose, the others are working memory.

        shared: names of memory that all states of a call read, or overwrite.
        """
        ports = [port for side in kernel.ports for port in side]
        pointers = np.zeros(len(ports), dtype=np.int64)
        pointers[moving:] = [self.at[name] for name in names]
        pairs = zip(names, ports[moving:], strict=True)
        strides = [0] * moving + [0 if name in shared else 8 * port.size for name, port in pairs]
        if which is Call.EQUATIONS:  # one row for each equation
            strides[0] = 8 * ROW
        core = [step for port in ports for step in _row_major(port.shape)]
        steps = np.array([*strides, *core], dtype=np.int64)
        dimensions = np.array([0, *(k for port in ports for k in port.shape)], dtype=np.int64)
        self.moving[which] = np.zeros((2, max(moving, 1)), dtype=np.int64)
        function = kernel.loop
        arrays = (pointers, dimensions, steps, *self.moving[which])
        self.keep += [function, arrays]
        at = Slot.CALLS + CallSlot.SIZE * which
        addresses = [x.ctypes.data for x in arrays]
        self.block[at : at + CallSlot.SIZE] = [function.address, *addresses, moving]

    def _begin(self, which: Call, arrays: Sequence[Array], single: int = 1) -> None:
        """The arguments of the first pose, and their strides; single: axes of those of all poses."""
        first, advance = self.moving[which]
        first[:] = [x.ctypes.data for x in arrays]
        advance[:] = [x.strides[0] if x.ndim > single else 0 for x in arrays]

    def rows(self, own: Sequence[Array], count: int) -> None:
        """The combinations of functions at the next poses; constant ones stay."""
        if self.constant_rows is not None:
            return
        self.keep_rows = self.arm.solver.rows(self.arm.solver.loop_numbers(own, self.last[:count]), count)
        self._begin(Call.EQUATIONS, [self.keep_rows], 2)

    def knows(self, links: Sequence[Array]) -> bool:
        """Whether these links of one arm are those of the last poses."""
        return self._links is links

    def links(self, own: Sequence[Array], whole: Sequence[Array]) -> None:
        """The links of the next poses; those of one arm stay."""
        T = self.arm.solver.loop_numbers(own, self.last)
        self.keep_links = own, T  # their memory is read by native code
        self._begin(Call.FUNCTIONS, T[2:])
        self._begin(Call.JOINTS, T)
        self._begin(Call.NEWTON, [*own, self.H])
        self._links = whole if all(x.ndim == 1 for x in own) else None


def _row_major(shape: tuple[int, ...]) -> list[int]:
    return [8 * int(np.prod(shape[k + 1 :], dtype=np.int64)) for k in range(len(shape))]


def _closing_kernel(reverse: bool) -> Kernel:
    """The given pose as numbers with the reach as unit of length, and the link that closes the loop."""

    def closing(T: Any, scale: Any, first: Any, last: Any) -> dict[str, Any]:
        return dict(zip(("H", "link"), pose_numbers(T, scale, first, last, reverse), strict=True))

    return general_kernel(
        f"inverse kinematics: closing link{', reversed' if reverse else ''}",
        [("T", (16,)), ("scale", ()), ("first", (12,)), ("last", (12,))],
        closing,
    )


@once
def _library() -> "Library":
    def text() -> str:
        from rikigaku.compiler.native_code import host
        from rikigaku.inverse_kinematics.llvm_arm_configurations import arm_configurations_text

        return arm_configurations_text(host().width)

    return native_library("inverse kinematics of general arms", text)


@once
def _solve() -> Any:
    """@solve; other threads run meanwhile."""
    return ctypes.CFUNCTYPE(None, ctypes.c_void_p)(_library().address("solve"))
