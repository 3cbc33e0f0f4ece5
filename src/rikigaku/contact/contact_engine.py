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

    inverse_L: L^-1 (nv, nv). J: (m, nv). rate: of the residuals at v = 0 (m,). directions: normal and
    tangents of each contact (k, 3, 3).
    """

    inverse_L: Array
    inverse_D: Array
    J: Array
    rate: Array
    residual: Array
    directions: Array

    def kinetic_energy(self, v: Array) -> float:
        """v^T M v / 2 [J], M = L^T D L."""
        x = np.linalg.solve(self.inverse_L, v)
        return float(0.5 * x @ (x / self.inverse_D))


@dataclass(frozen=True, eq=False)
class Terms(ConfigurationTerms):
    """Terms of a state: of its configuration, generalized forces (nv,), bias accelerations (m,)."""

    force: Array
    bias: Array


class ContactEngine:
    """The native code of one contact system."""

    def __init__(self, system: "ContactSystem") -> None:
        self.system, self.plan = system, system.constraints
        self._of_thread = threading.local()
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
            Slot.JOINT_COORDINATES: _integers(self.plan.joints),
            Slot.GUIDE_OWNERS: _integers([owners[i] for i in self.plan.guide_equations]),
            Slot.QUATERNION_INDICES: _integers([b.q.stop - 4 for b in bodies if len(b.q) != len(b.v)]),
        }
        self.sizes = {
            Slot.NQ: self.nq,
            Slot.NV: self.nv,
            Slot.CONTACTS: len(self.plan.points),
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
        if contact < 0:
            return self.structure.joint_rows[self.plan.joints.index(direction)]
        return self.structure.contact_rows[contact] + direction

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
        mode = NativeContactMode(self.workspace, plan, t)
        return mode.evaluate("newton_step", t, q, np.zeros(self.nv), self.nv)

    def projected_velocity(self, plan: ActiveConstraints, t: float, q: Array, v: Array) -> Array:
        """The velocities nearest to v, in the norm of the kinetic energy, that satisfy the constraints."""
        mode = NativeContactMode(self.workspace, plan, t)
        return np.asarray(v + mode.evaluate("velocity_step", t, q, v, self.nv))

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
        return Terms(*self._configuration(workspace), motion["force"].copy(), motion["bias"].copy())

    def configuration(self, t: float, q: Array) -> ConfigurationTerms:
        """The terms of positions and time, copied."""
        workspace = self.workspace
        workspace.plain.evaluate("configuration", t, q, np.zeros(self.nv), 0)
        return ConfigurationTerms(*self._configuration(workspace))

    def _configuration(self, workspace: "Workspace") -> tuple[Array, Array, Array, Array, Array, Array]:
        """The fields of `ConfigurationTerms`, of the configuration in memory."""
        one = workspace.configuration
        L = np.eye(self.nv)
        L[self.factor_indices] = one["L"]
        J = np.zeros((self.structure.count, self.nv))
        J[self.jacobian_indices] = one["J"]
        names = ("rate", "residual", "directions")
        rate, residual, directions = (one[name].copy() for name in names)
        inverse = np.asarray(np.linalg.inv(L), dtype=np.float64)
        return inverse, one["inverse_D"].copy(), J, rate, residual, directions.reshape(-1, 3, 3)


class Workspace:
    """Memory of the native code for one user, and the part of the block that all contact modes share."""

    def __init__(self, engine: ContactEngine) -> None:
        self.engine, s = engine, engine.structure
        nq, nv, m, count = engine.nq, engine.nv, s.count, len(engine.plan.points)
        self.block = np.zeros(len(Slot), dtype=np.int64)
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
        engine = workspace.engine
        self.block = workspace.block.copy()
        s, count = engine.structure, len(plan.points)
        constraints = [(i, d) for i, d in plan.contacts]
        constraints += [(-1, k) for k in plan.sticking_joints]
        constraints += plan.redundant
        active = [*range(plan.permanent), *(engine.row(*c) for c in constraints)]
        slides = {i: (sign, side) for i, sign, side in plan.sliding}
        coupled = [-1] * plan.permanent + [i if d == 0 and i in slides else -1 for i, d in constraints]
        in_Y = dict.fromkeys(active)
        for i in (*(i for i in coupled if i >= 0), *plan.unloaded):
            first, last = s.contact_rows[i], s.contact_rows[i + 1]
            in_Y |= dict.fromkeys(range(first, last if i in slides else first + 1))
        newton = [*range(plan.permanent), *(engine.row(i, 0) for i, d in plan.contacts if d == 0)]
        sliding, start = np.zeros((count, 3)), np.zeros((count, 4))
        for i, (sign, side) in slides.items():
            sliding[i] = 1.0, sign, side
        start[:, 3] = since
        for i, direction in (directions or {}).items():
            start[i, :3] = direction
        moving = dict(plan.moving_joints)
        self.reference = np.zeros(len(active))
        if reference is not None and len(reference):
            self.reference[:] = reference
        codes = [x for guard in guards for x in (guard.code, guard.at)]
        self._arrays: dict[Slot, Any] = {
            Slot.ACTIVE: _integers(active),
            Slot.COUPLED: _integers(coupled),
            Slot.CONSTRAINTS_IN_Y: _integers(list(in_Y)),
            Slot.NEWTON: _integers(newton),
            Slot.UNLOADED: _integers(plan.unloaded),
            Slot.GUARD_CODES: _integers(codes),
            Slot.GUARD_NUMBERS: np.array([x for guard in guards for x in (guard.x, guard.y)]),
            Slot.SLIDING: sliding,
            Slot.START: start,
            Slot.MOVING: np.array([float(moving.get(k, 0)) for k in plan.joints]),
            Slot.FRICTION: engine.friction,
            Slot.COULOMB: engine.coulomb,
            Slot.REFERENCE: self.reference,
        }
        for slot, array in self._arrays.items():
            self.block[slot] = array.ctypes.data
        needs_forces = any(guard.code not in _KINEMATIC for guard in guards)
        numbers = {
            Slot.INDEPENDENT: plan.independent,
            Slot.REDUNDANT: len(plan.redundant),
            Slot.CONSTRAINTS_IN_Y_COUNT: len(in_Y),
            Slot.NEWTON_COUNT: len(newton),
            Slot.UNLOADED_COUNT: len(plan.unloaded),
            Slot.GENERAL: 1 if plan.unloaded or max(coupled, default=-1) >= 0 else 2 * bool(plan.redundant),
            Slot.IMMOBILE: int(immobile),
            Slot.GUARDS: len(self.guards),
            Slot.NEEDS_FORCES: int(needs_forces),
        }
        for slot, number in numbers.items():
            self.block[slot] = number

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
        return own

    @property
    def parameter(self) -> float:
        """The first parameter of the native functions: the address of the block."""
        return address_bits(self.block.ctypes.data)

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
        y, out, p = np.concatenate([q, v, np.zeros(EXTRA_STATES)]), np.zeros(max(size, 1)), self.parameter
        time, u, parameters = np.array([t]), np.zeros(1), np.array([p])
        function(name)(*(x.ctypes.data for x in (time, y, u, parameters, out)))
        return out[:size]


_INTEGRATE = ctypes.PYFUNCTYPE(None, *(ctypes.c_void_p,) * 3)
_KINEMATIC = (Code.GAP, Code.SIGNED_SPEED, Code.SPEED, Code.JOINT_SPEED)


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
