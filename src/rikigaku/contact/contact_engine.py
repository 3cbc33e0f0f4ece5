"""What all contact modes of a system share: compiled terms, sparsity, sizes.

A contact mode is data of the native code (`native_contact_mode`), nothing is compiled for it.
"""

import ctypes
import threading
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rikigaku.binding.bound_law import bound_law
from rikigaku.contact.constraint_terms import ConfigurationTerms, Terms
from rikigaku.contact.native_contact_mode import NativeContactMode, Outputs, Workspace
from rikigaku.core.types import Array
from rikigaku.integrators.constrained_motion import Slot
from rikigaku.laws.contact.active_constraints import ActiveConstraints
from rikigaku.laws.contact.contact_terms import ConstraintStructure
from rikigaku.laws.contact.guide_equations import guide_owners
from rikigaku.laws.tree.ltdl_factorization import ancestors
from rikigaku.model.mechanism import instantiate
from rikigaku.numbers.number_kind import FLOATS

if TYPE_CHECKING:
    from rikigaku.contact.contact_system import ContactSystem

IntegerTable = np.ndarray[Any, np.dtype[np.int64]]


class ActiveTables(NamedTuple):
    """Tables of the active constraints of a contact mode, see `llvm_contact_memory.Slot`."""

    active: list[int]
    coupled: list[int]
    in_Y: list[int]
    newton: list[int]
    moving: list[float]


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
    def workspace(self) -> Workspace:
        """Memory for single states, outside simulations: each thread has its own.

        Another thread may run between a call of the native code and the reading of its results.
        """
        found: Workspace | None = getattr(self._of_thread, "workspace", None)
        if found is None:
            found = self._of_thread.workspace = Workspace(self)
        return found

    @cached_property
    def joint_coordinates(self) -> tuple[IntegerTable, IntegerTable]:
        """Of each joint the first of its coordinates in q, and the number of its velocities."""
        robot = self.system.robot
        starts = [at.start for at in robot.q_slices.values()]
        return _integers(starts), _integers([joint.nv for joint in robot.joints])

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

    def _projection(self, plan: ActiveConstraints) -> NativeContactMode:
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

    def _configuration(self, workspace: Workspace, t: float, q: Array) -> ConfigurationTerms:
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


_INTEGRATE = ctypes.PYFUNCTYPE(None, *(ctypes.c_void_p,) * 3)


def _integers(values: Sequence[int] | range) -> IntegerTable:
    return np.array(values, dtype=np.int64)
