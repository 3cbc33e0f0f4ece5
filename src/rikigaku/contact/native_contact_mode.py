"""Memory of the native code for contact modes: a contact mode is data, nothing is compiled.

`Workspace` is the memory of one user (a simulation, or a thread). `NativeContactMode` is one contact mode in
that memory.
"""

from collections.abc import Mapping, Sequence
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rikigaku.contact.constraint_terms import ConfigurationTerms
from rikigaku.core.types import Array
from rikigaku.hybrid.hybrid_system import EXTRA_STATES
from rikigaku.integrators.constrained_motion import SLIP_SIZE, Code, Slot, address_bits, function
from rikigaku.laws.contact.active_constraints import ActiveConstraints

if TYPE_CHECKING:
    from rikigaku.contact.contact_engine import ContactEngine

_KINEMATIC = (Code.GAP, Code.KEPT_GAP, Code.SIGNED_SPEED, Code.SPEED, Code.JOINT_SPEED)


class NativeGuard(NamedTuple):
    """A guard function of the native code: its code, an index (of a contact, a joint), and two numbers."""

    code: Code
    at: int
    x: float = 0.0
    y: float = 0.0


class Outputs(NamedTuple):
    """Results at a state: accelerations, joint forces, powers [W], forces, permanent multipliers.

    dissipated: by friction and damping. viscous: the part of it that the joints' viscous friction dissipates.
    """

    a: Array
    tau: Array
    dissipated: Array
    surface_power: Array
    forces: Array
    permanent: Array
    viscous: Array


class Workspace:
    """Memory of the native code for one user, and the part of the block that all contact modes share."""

    def __init__(self, engine: "ContactEngine") -> None:
        self.engine, s = engine, engine.structure
        nq, nv, m, count = engine.nq, engine.nv, s.count, len(engine.plan.points)
        self.block = np.zeros(len(Slot), dtype=np.int64)
        self.kept: tuple[tuple[float, bytes], ConfigurationTerms] | None = None
        self.projection: NativeContactMode | None = None
        self.equations: dict[tuple[float, bytes, bytes, bytes], Any] = {}  # of the last states
        self._terms, self.configuration = _parts(s.configuration_sizes)
        self._motion, self.motion = _parts(s.motion_sizes)
        flow = {"A": nv, "DISSIPATED": 1, "SURFACE_POWER": 1, "FORCES": engine.force_count}
        flow |= {"PERMANENT_FORCES": engine.plan.permanent, "MULTIPLIERS": m}
        work = {
            "KEY": 1 + nq, "TAU": nv, "SLIP": SLIP_SIZE * count, "CARRIED": m, "X": nv, "SPARSE": nv,
            "HALF": nv, "Y": s.row_starts[-1], "Z": s.row_starts[-1], "DELASSUS": m * m, "DIAGONAL": m,
            "SCALES": m, "RIGHT_HAND_SIDE": m, "STEP": m, "STATE": nq + nv + EXTRA_STATES,
        }  # fmt: skip
        self._flow, flow_parts = _parts(flow)
        self._work, work_parts = _parts(work)
        self.tau = work_parts["TAU"]
        work_parts["KEY"][:] = np.nan
        for memory, parts in (
            (self._terms, self.configuration), (self._motion, self.motion),
            (self._flow, flow_parts), (self._work, work_parts),
        ):  # fmt: skip
            for slot, address in _addresses(memory, {Slot[k.upper()]: x for k, x in parts.items()}).items():
                self.block[slot] = address
        self.block[Slot.CONFIGURATION_TERMS] = self._terms.ctypes.data
        self.block[Slot.MOTION_TERMS] = self._motion.ctypes.data
        for slot, size in engine.sizes.items():
            self.block[slot] = size
        for slot, table in engine.tables.items():
            self.block[slot] = table.ctypes.data
        for slot, program in engine.programs.items():
            self.block[slot] = program.address
        self.block[Slot.FRICTION] = engine.friction.ctypes.data
        self.block[Slot.COULOMB] = engine.coulomb.ctypes.data
        # Arguments of single calls: t, u, p, y, and the results.
        self.y = slice(3, 3 + nq + nv)
        self.out = self.y.stop + EXTRA_STATES
        self.call = np.zeros(self.out + 2 * nv + 3 + engine.force_count + engine.plan.permanent)
        first, size = self.call.ctypes.data, self.call.itemsize
        t, u, p, y, out = (first + size * k for k in (0, 1, 2, self.y.start, self.out))
        self.addresses = t, y, u, p, out

    @cached_property
    def plain(self) -> "NativeContactMode":
        """The mode with permanent constraints only, in which terms are computed."""
        return NativeContactMode(self, self.engine.plan)


class NativeContactMode:
    """One contact mode as data of the native code.

    Args:
        since: when sliding started [s]. directions: initial sliding directions by contact, world axes.
        reference: forces that undetermined constraint forces approach; zeros if left out.
        guards: guard functions. immobile: accelerations and velocities are zero.
    """

    def __init__(
        self,
        workspace: Workspace,
        plan: ActiveConstraints,
        since: float = 0.0,
        directions: Mapping[int, Array] | None = None,
        reference: Any = None,
        guards: Sequence[NativeGuard] = (),
        immobile: bool = False,
    ) -> None:
        self.workspace, self.plan, self.guards, self.immobile = workspace, plan, tuple(guards), immobile
        count = len(plan.points)
        active, coupled, in_Y, newton, moving = workspace.engine.active_tables(plan)
        sliding, start = [0.0] * (3 * count), [0.0, 0.0, 0.0, since] * count
        for i, sign, side in plan.sliding:
            sliding[3 * i : 3 * i + 3] = 1.0, sign, side
        for i, direction in (directions or {}).items():
            start[4 * i : 4 * i + 3] = direction
        codes = [x for guard in guards for x in (guard.code, guard.at)]
        integers: dict[Slot, Sequence[int]] = {
            Slot.ACTIVE: active,
            Slot.COUPLED: coupled,
            Slot.CONSTRAINTS_IN_Y: in_Y,
            Slot.NEWTON: newton,
            Slot.UNLOADED: plan.unloaded,
            Slot.GUARD_CODES: codes,
        }
        numbers: dict[Slot, Sequence[float]] = {
            Slot.GUARD_NUMBERS: [x for guard in guards for x in (guard.x, guard.y)],
            Slot.SLIDING: sliding,
            Slot.START: start,
            Slot.MOVING: moving,
            Slot.REFERENCE: [0.0] * len(active),
        }
        self._integers = np.array([x for part in integers.values() for x in part], dtype=np.int64)
        self._numbers = np.array([x for part in numbers.values() for x in part], dtype=np.float64)
        self.reference = self._numbers[len(self._numbers) - len(active) :]
        if reference is not None and len(reference):
            self.reference[:] = reference
        values = {
            **_addresses(self._integers, integers),
            **_addresses(self._numbers, numbers),
            Slot.INDEPENDENT: plan.independent,
            Slot.REDUNDANT: len(plan.redundant),
            Slot.CONSTRAINTS_IN_Y_COUNT: len(in_Y),
            Slot.NEWTON_COUNT: len(newton),
            Slot.UNLOADED_COUNT: len(plan.unloaded),
            Slot.GENERAL: 1 if plan.unloaded or max(coupled, default=-1) >= 0 else 2 * bool(plan.redundant),
            Slot.IMMOBILE: int(immobile),
            Slot.GUARDS: len(self.guards),
            Slot.NEEDS_FORCES: int(any(guard.code not in _KINEMATIC for guard in guards)),
        }
        self.block = workspace.block.copy()
        self.block[list(values)] = list(values.values())
        self.parameter = address_bits(self.block.ctypes.data)  # of the native functions: the block's address

    def connect(self, actuation: int, user_guards: int = 0, count: int = 0) -> None:
        """Set the addresses of the compiled actuation and of the user's guards, which read the flow."""
        self.block[Slot.ACTUATION], self.block[Slot.USER_GUARDS] = actuation, user_guards
        self.block[Slot.USER_COUNT] = count
        self.block[Slot.NEEDS_FORCES] |= int(count > 0)

    def with_own_reference(self) -> "NativeContactMode":
        """The same contact mode with reference forces of its own, which its user may change."""
        own = copy(self)
        own.block, own.reference = self.block.copy(), self.reference.copy()
        own.block[Slot.REFERENCE] = own.reference.ctypes.data
        own.parameter = address_bits(own.block.ctypes.data)
        return own

    @property
    def has_projection(self) -> bool:
        return bool(self.plan.independent or self.block[Slot.QUATERNIONS])

    @property
    def output_size(self) -> int:
        engine = self.workspace.engine
        return 2 * engine.nv + 3 + engine.force_count + engine.plan.permanent

    def split(self, values: Array) -> Outputs:
        """Parts of the native function "outputs" at one state or many."""
        nv, count = self.workspace.engine.nv, self.workspace.engine.force_count
        a, tau, forces = values[..., :nv], values[..., nv : 2 * nv], values[..., 2 * nv + 2 : -1]
        powers = values[..., 2 * nv], values[..., 2 * nv + 1]
        return Outputs(a, tau, *powers, forces[..., :count], forces[..., count:], values[..., -1])

    def evaluate(self, name: str, t: float, q: Array, v: Array, size: int) -> Array:
        """A native function at one state; joint forces are those in memory."""
        workspace, nq = self.workspace, len(q)
        call, y = workspace.call, workspace.y
        call[0], call[2] = t, self.parameter
        call[y.start : y.start + nq], call[y.start + nq : y.stop] = q, v
        call[workspace.out : workspace.out + size] = 0.0
        function(name)(*workspace.addresses)
        return call[workspace.out : workspace.out + size].copy()


def _parts(sizes: Mapping[str, int]) -> tuple[Array, dict[str, Array]]:
    """Zeros, and views of named parts of them."""
    numbers = np.zeros(sum(sizes.values()) + 1)
    parts, at = {}, 0
    for name, size in sizes.items():
        parts[name] = numbers[at : at + size]
        at += size
    return numbers, parts


def _addresses(array: np.ndarray[Any, Any], parts: Mapping[Slot, Sequence[Any] | Array]) -> dict[Slot, int]:
    """Addresses of consecutive parts of an array.

    An empty part has the address of the next one; NumPy's empty slices have that of the whole array.
    """
    at, found = array.ctypes.data, {}
    for slot, part in parts.items():
        found[slot] = at
        at += len(part) * array.itemsize
    return found
