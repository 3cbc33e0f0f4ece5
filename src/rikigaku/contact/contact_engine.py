"""Tables and memory of the native code for contact modes: a contact mode is data, nothing is compiled.

`ContactEngine` holds what all contact modes of a system share: compiled terms, sparsity, sizes. `Workspace`
is the memory of one user (a simulation, or a thread). `NativeContactMode` is one contact mode in that memory.
"""

import ctypes
import threading
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rikigaku.binding.bound_law import bound_law
from rikigaku.core.types import Array
from rikigaku.hybrid.hybrid_system import EXTRA_STATES
from rikigaku.integrators.constrained_motion import SLIP_SIZE, Code, Slot, address_bits, function
from rikigaku.laws.contact.active_constraints import ActiveConstraints
from rikigaku.laws.contact.contact_terms import ConstraintStructure
from rikigaku.laws.contact.guide_equations import guide_owners
from rikigaku.laws.tree.ltdl_factorization import ancestors
from rikigaku.model.mechanism import instantiate
from rikigaku.numbers.number_kind import FLOATS

if TYPE_CHECKING:
    from rikigaku.contact.contact_system import ContactSystem

IntegerTable = np.ndarray[Any, np.dtype[np.int64]]


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


@dataclass(frozen=True, eq=False)
class ConfigurationTerms:
    """The terms of positions and time (see `laws.contact.contact_terms`).

    M = L^T D L, L (nv, nv). J: (m, nv). rate: of the residuals at v = 0 (m,). directions: normal and
    tangents of each contact (k, 3, 3).
    """

    L: Array
    inverse_D: Array
    J: Array
    rate: Array
    residual: Array
    directions: Array

    def kinetic_energy(self, v: Array) -> float:
        """v^T M v / 2 [J]."""
        x = self.L @ v
        return float(0.5 * x @ (x / self.inverse_D))

    @cached_property
    def inverse_L(self) -> Array:
        """L^-1 (nv, nv)."""
        return np.asarray(np.linalg.inv(self.L), dtype=np.float64)

    @cached_property
    def magnitudes(self) -> Array:
        """The absolute values of J."""
        return np.abs(self.J)

    @cached_property
    def undefined(self) -> list[int]:
        """Constraints without a direction, as at the centre of a sphere."""
        return np.flatnonzero(~np.isfinite(self.J).all(axis=1)).tolist()

    @cached_property
    def delassus(self) -> tuple[Array, Array]:
        """M^-1 J^T, transposed (m, nv), and the Delassus matrix W = J M^-1 J^T (m, m)."""
        with np.errstate(divide="ignore", invalid="ignore"):  # a sphere has no normal at its centre: NaN
            response, W = delassus(self.J, self.inverse_L, self.inverse_D)
        W.flags.writeable = False
        return response, W


class Terms(NamedTuple):
    """Terms of a state: of its configuration, generalized forces (nv,), bias accelerations (m,)."""

    configuration: ConfigurationTerms
    force: Array
    bias: Array


class ActiveTables(NamedTuple):
    """Tables of the active constraints of a contact mode, see `llvm_contact_memory.Slot`."""

    active: list[int]
    coupled: list[int]
    in_Y: list[int]
    newton: list[int]
    moving: list[float]


def delassus(J: Array, U: Array, inverse_D: Array) -> tuple[Array, Array]:
    """M^-1 J^T, transposed, and J M^-1 J^T, with M^-1 = U D^-1 U^T."""
    Y = J @ U
    scaled = Y * inverse_D
    W = scaled @ Y.T
    return scaled @ U.T, 0.5 * (W + W.T)


class ContactEngine:
    """The native code of one contact system."""

    def __init__(self, system: "ContactSystem") -> None:
        self.system, self.plan = system, system.constraints
        self._of_thread = threading.local()
        self._tables: tuple[ActiveConstraints, ActiveTables] | None = None
        robot = system.robot
        symbols = {**dict.fromkeys(robot.free_symbols, 1.0), **robot.declared_values}
        self.structure = s = ConstraintStructure(instantiate(robot, FLOATS, symbols), self.plan)
        self.nq, self.nv = robot.nq, robot.nv
        bodies = s.mechanism.bodies
        owners = guide_owners(self.plan.guides)
        self.tables: dict[Slot, IntegerTable] = {
            Slot.PARENTS: _integers(s.parents),
            Slot.ORDER: _integers(s.order),
            Slot.FACTOR_STARTS: _integers(s.factor_starts),
            Slot.ROW_STARTS: _integers(s.row_starts),
            Slot.COLUMNS: _integers([k for pattern in s.patterns for k in pattern]),
            Slot.CONTACT_ROWS: _integers(s.contact_rows),
            Slot.OWNERS: _integers(s.owners),
            Slot.JOINT_COORDINATES: _integers(self.plan.joints),
            Slot.GUIDE_OWNERS: _integers([owners[i] for i in self.plan.guide_equations]),
            Slot.QUATERNION_INDICES: _integers([b.q.stop - 4 for b in bodies if len(b.q) != len(b.v)]),
        }
        self.sizes = {
            Slot.NQ: self.nq,
            Slot.NV: self.nv,
            Slot.CONTACTS: len(self.plan.points),
            Slot.FIRST_MOMENT: sum(owner == i for i, owner in enumerate(s.owners)),
            Slot.JOINTS: len(self.plan.joints),
            Slot.PERMANENT: self.plan.permanent,
            Slot.LOOPS: len(self.plan.loop_equations),
            Slot.QUATERNIONS: len(self.tables[Slot.QUATERNION_INDICES]),
        }
        self.friction = np.array([x for c in system.contacts for x in c.friction.coefficients])
        self.coulomb = np.array([joint.coulomb for joint in system.joints])
        self.force_count = 4 * len(system.contacts) + len(system.joints) + 6 * len(system.guides)

    @cached_property
    def identity(self) -> str:
        """A text that determines the structure of the constraints."""
        return repr(self.plan)

    @cached_property
    def programs(self) -> dict[Slot, Any]:
        """The robot's compiled programs; these are all that a contact system compiles."""
        laws = {
            Slot.CONFIGURATION: self.system.law("configuration_terms"),
            Slot.MOTION: self.system.law("motion_terms"),
            Slot.INTEGRATE: bound_law(self.system.tree, "tree.integrate"),
        }
        return {slot: law.native for slot, law in laws.items()}

    @property
    def workspace(self) -> "Workspace":
        """Memory for single states, outside simulations: each thread has its own.

        Another thread may run between a call of the native code and the reading of its results.
        """
        found: Workspace | None = getattr(self._of_thread, "workspace", None)
        if found is None:
            found = self._of_thread.workspace = Workspace(self)
        return found

    @cached_property
    def factor_indices(self) -> tuple[IntegerTable, IntegerTable]:
        """Rows and columns of the elements of L."""
        parents = self.structure.parents
        indices = [(i, j) for i in range(self.nv) for j in ancestors(parents, i)]
        return _integers([i for i, _ in indices]), _integers([j for _, j in indices])

    @cached_property
    def jacobian_indices(self) -> tuple[IntegerTable, IntegerTable]:
        """Rows and columns of the elements of J."""
        patterns = self.structure.patterns
        return (
            _integers([i for i, pattern in enumerate(patterns) for _ in pattern]),
            self.tables[Slot.COLUMNS],
        )

    def row(self, contact: int, direction: int) -> int:
        """Index of a constraint (contact, direction), or (-1, coordinate of a joint)."""
        return self._joint_rows[direction] if contact < 0 else self._contact_rows[contact] + direction

    @cached_property
    def _joint_rows(self) -> dict[int, int]:
        """Constraints of joints with dry friction, by coordinate."""
        return dict(zip(self.plan.joints, self.structure.joint_rows, strict=True))

    @cached_property
    def _contact_rows(self) -> tuple[int, ...]:
        return tuple(self.structure.contact_rows)

    def active_tables(self, plan: ActiveConstraints) -> "ActiveTables":
        """The tables of a contact mode; those of the last one are kept."""
        kept = self._tables  # read once: threads may replace it
        if kept is None or kept[0] is not plan:
            kept = self._tables = plan, self._active_tables(plan)
        return kept[1]

    def _active_tables(self, plan: ActiveConstraints) -> "ActiveTables":
        s, row = self.structure, self.row
        constraints = [*plan.contacts, *((-1, k) for k in plan.sticking_joints), *plan.redundant]
        active = [*range(plan.permanent), *(row(i, d) for i, d in constraints)]
        slides = [i for i, _, _ in plan.sliding]
        pulled_along = {s.owners[i] for i in slides}  # contacts whose normal force brings friction along
        coupled = [-1] * plan.permanent + [i if d == 0 and i in pulled_along else -1 for i, d in constraints]
        in_Y = dict.fromkeys(active)
        for i in (*(i for i in coupled if i >= 0), *plan.unloaded):
            in_Y[s.contact_rows[i]] = None
            for j in (j for j in slides if s.owners[j] == i):
                in_Y |= dict.fromkeys(range(s.contact_rows[j] + 1, s.contact_rows[j + 1]))
        newton = [*range(plan.permanent), *(row(i, 0) for i, d in plan.contacts if d == 0)]
        signs = dict(plan.moving_joints)
        return ActiveTables(
            active, coupled, list(in_Y), newton, [float(signs.get(k, 0)) for k in plan.joints]
        )

    def outputs(
        self,
        plan: ActiveConstraints,
        t: float,
        q: Array,
        v: Array,
        tau: Array,
        directions: Mapping[int, Array] | None = None,
        reference: Any = None,
    ) -> Outputs:
        """Accelerations and forces in the contact mode `plan` under given joint forces."""
        workspace = self.workspace
        mode = NativeContactMode(workspace, plan, t, directions, reference)
        workspace.tau[:] = tau
        return mode.split(mode.evaluate("outputs", t, q, v, mode.output_size))

    def newton_step(self, plan: ActiveConstraints, t: float, q: Array) -> Array:
        """Step dq (nv) that closes small residuals of loops, guides and closed contacts.

        The smallest one in the norm of the kinetic energy. Dependent constraints are left out.
        """
        return self._projection(plan).evaluate("newton_step", t, q, np.zeros(self.nv), self.nv)

    def projected_velocity(self, plan: ActiveConstraints, t: float, q: Array, v: Array) -> Array:
        """The velocities nearest to v, in the norm of the kinetic energy, that satisfy the constraints."""
        return np.asarray(v + self._projection(plan).evaluate("velocity_step", t, q, v, self.nv))

    def _projection(self, plan: ActiveConstraints) -> "NativeContactMode":
        """The contact mode for projections; the last one is kept."""
        workspace = self.workspace
        if workspace.projection is None or workspace.projection.plan is not plan:
            workspace.projection = NativeContactMode(workspace, plan)
        return workspace.projection

    def integrate(self, q: Array, step: Array) -> Array:
        """The configuration q moved by a step in its tangent space (nv)."""
        moved = np.empty(self.nq)
        call = _INTEGRATE(self.programs[Slot.INTEGRATE].address)
        call(*(np.ascontiguousarray(x).ctypes.data for x in (q, step)), moved.ctypes.data)
        return moved

    def terms(self, t: float, q: Array, v: Array, tau: Array) -> Terms:
        """The linear terms of a state, copied."""
        workspace = self.workspace
        workspace.tau[:] = tau
        workspace.plain.evaluate("terms", t, q, v, 0)
        motion = workspace.motion
        return Terms(self._configuration(workspace, t, q), motion["force"].copy(), motion["bias"].copy())

    def configuration(self, t: float, q: Array) -> ConfigurationTerms:
        """The terms of positions and time, copied. Those of the last ones are kept."""
        workspace = self.workspace
        if workspace.kept is None or workspace.kept[0] != (t, q.tobytes()):
            workspace.plain.evaluate("configuration", t, q, np.zeros(self.nv), 0)
        return self._configuration(workspace, t, q)

    def _configuration(self, workspace: "Workspace", t: float, q: Array) -> ConfigurationTerms:
        """The terms of positions and time, of the configuration in memory."""
        key = t, q.tobytes()
        if workspace.kept is not None and workspace.kept[0] == key:
            return workspace.kept[1]
        one = workspace.configuration
        L = np.eye(self.nv)
        L[self.factor_indices] = one["L"]
        J = np.zeros((self.structure.count, self.nv))
        J[self.jacobian_indices] = one["J"]
        names = ("rate", "residual", "directions")
        rate, residual, directions = (one[name].copy() for name in names)
        arrays = L, one["inverse_D"].copy(), J, rate, residual, directions.reshape(-1, 3, 3)
        for array in arrays:
            array.flags.writeable = False
        terms = ConfigurationTerms(*arrays)
        workspace.kept = key, terms
        return terms


class Workspace:
    """Memory of the native code for one user, and the part of the block that all contact modes share."""

    def __init__(self, engine: ContactEngine) -> None:
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
        named = {name.upper(): x for name, x in (*self.configuration.items(), *self.motion.items())}
        for name, x in {**named, **flow_parts, **work_parts}.items():
            self.block[Slot[name]] = x.ctypes.data
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


_INTEGRATE = ctypes.PYFUNCTYPE(None, *(ctypes.c_void_p,) * 3)
_KINEMATIC = (Code.GAP, Code.KEPT_GAP, Code.SIGNED_SPEED, Code.SPEED, Code.JOINT_SPEED)


def _integers(values: Sequence[int] | range) -> IntegerTable:
    return np.array(values, dtype=np.int64)


def _parts(sizes: Mapping[str, int]) -> tuple[Array, dict[str, Array]]:
    """Zeros, and views of named parts of them."""
    numbers = np.zeros(sum(sizes.values()) + 1)
    parts, at = {}, 0
    for name, size in sizes.items():
        parts[name] = numbers[at : at + size]
        at += size
    return numbers, parts


def _addresses(array: np.ndarray[Any, Any], parts: Mapping[Slot, Sequence[Any]]) -> dict[Slot, int]:
    """Addresses of consecutive parts of an array."""
    at, found = array.ctypes.data, {}
    for slot, part in parts.items():
        found[slot] = at
        at += len(part) * array.itemsize
    return found
