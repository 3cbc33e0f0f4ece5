"""The vector field of contact modes: native code for all modes of a contact system, nothing compiled for one.

Compiled for the robot are the terms of its constraints (`contact.contact_engine`), its actuation and the
user's guards. Implicit methods take finite differences of the field.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from rikigaku.compiler.kernel import Kernel
from rikigaku.contact.force_distribution import reference_forces, statically_indeterminate
from rikigaku.contact.native_contact_mode import NativeContactMode
from rikigaku.core.types import Array
from rikigaku.hybrid.hybrid_system import EXTRA_STATES, Flow, Mode, Now, Numbers
from rikigaku.integrators.constrained_motion import address, each_state
from rikigaku.laws.contact.contact_joint_wrenches import contact_joint_wrenches
from rikigaku.model.mechanism import instantiate
from rikigaku.numbers.number_kind import FLOATS, Number
from rikigaku.numbers.program import trace
from rikigaku.simulation.actuation import Actuation, joint_forces
from rikigaku.simulation.actuation_program import actuation_parameters, kernel_of
from rikigaku.simulation.external_wrenches import with_external
from rikigaku.simulation.vector_fields import ModeField, guard_value


@dataclass(frozen=True, eq=False)
class ContactField(ModeField):
    """The native functions of all contact modes of a system."""

    def parameters(self, mode: Mode, actuation: Actuation) -> Array:
        """p: the address of the contact mode's data, parameters of the actuation, and the robot's symbols."""
        native, guards = _native(mode), self._user_guards
        program = self.actuation_program.kernel.function.address
        native.connect(program, 0 if guards is None else guards.function.address, len(self.user_guards))
        return np.array([native.parameter, *actuation_parameters(self.robot, actuation)], dtype=np.float64)

    def functions(self, mode: Mode, implicit: bool) -> list[int]:
        """Addresses of field, guards, projection and Jacobian; 0 for those that do not exist."""
        has = (True, bool(self.guards(mode)), _native(mode).has_projection)
        names = ("field", "guards", "project")
        return [*(address(name) if exists else 0 for name, exists in zip(names, has, strict=True)), 0]

    def projected_states(self, mode: Mode, actuation: Actuation, t: Array, y: Array) -> Array | None:
        """States at times t projected onto the active constraints; None if there are none."""
        if not _native(mode).has_projection:
            return None
        return self._each("project", mode, actuation, t, y, None, self.size)

    def results_at(self, mode: Mode, actuation: Actuation, t: Array, y: Array, u: Array) -> dict[str, Array]:
        """Accelerations, joint forces, contact forces and joint wrenches at states, by name."""
        native, nq = _native(mode), self.robot.nq
        system = native.workspace.engine.system
        if statically_indeterminate(native.plan):
            rows = self._with_reference_forces(mode, actuation, t, y, u)
        else:
            rows = self._each("outputs", mode, actuation, t, y, u, native.output_size)
        found, q, v = native.split(rows), y[:, :nq], y[:, nq:-EXTRA_STATES]
        wrenches = system.wrenches(t, q, v, found.a, found.forces, found.permanent)
        results = {"a": found.a, "tau": found.tau, "forces": found.forces, "joint wrenches": wrenches}
        return results if found.forces.shape[1] else {k: x for k, x in results.items() if k != "forces"}

    def residual(self, mode: Mode, actuation: Actuation, t: Array, y: Array) -> Array | None:
        """The largest residual of the active constraints at each state."""
        return self._each("residual", mode, actuation, t, y, None, 1)[:, 0]

    def _each(
        self, name: str, mode: Mode, actuation: Actuation, t: Array, y: Array, u: Array | None, size: int
    ) -> Array:
        out, p = np.zeros((len(t), size)), self.parameters(mode, actuation)
        inputs = np.zeros((len(t), 0)) if u is None else u
        each_state(address(name), (t, y, inputs), p, out)
        return out

    def _with_reference_forces(self, mode: Mode, actuation: Actuation, t: Array, y: Array, u: Array) -> Array:
        """Outputs with the minimum-norm forces within friction, where forces are not unique."""
        native, nq = _native(mode).with_own_reference(), self.robot.nq
        mode = replace(mode, native=native)
        system, tau = native.workspace.engine.system, self.forces(actuation, t, y, u)
        rows = []
        for k in range(len(t)):
            q, v = y[k, :nq], y[k, nq:-EXTRA_STATES]
            native.reference[:] = reference_forces(system, native.plan, float(t[k]), q, v, tau[k])
            at = slice(k, k + 1)
            rows.append(self._each("outputs", mode, actuation, t[at], y[at], u[at], native.output_size)[0])
        return np.array(rows).reshape(len(t), native.output_size)

    @cached_property
    def _user_guards(self) -> Kernel | None:
        """The user's guards, which read the flow the native code has computed."""
        if not self.user_guards:
            return None
        robot, actuation, engine = self.robot, self.actuation, _native(self.mode).workspace.engine
        nq, nv, own_count, count = robot.nq, robot.nv, len(actuation.parameters), engine.force_count

        def function(
            t: list[Number], y: list[Number], u: list[Number], p: list[Number], flow: list[Number]
        ) -> dict[str, Any]:
            mechanism = instantiate(robot, FLOATS, dict(zip(robot.free_symbols, p[own_count:], strict=True)))
            q, v = y[:nq], y[nq : nq + nv]
            tau = joint_forces(actuation, mechanism, t[0], q, v, u, p[:own_count])
            a, forces, multipliers = flow[:nv], flow[nv + 2 : nv + 2 + count], flow[nv + 2 + count :]
            loops = multipliers[: len(engine.plan.loop_equations)]

            def wrenches() -> Any:
                own = contact_joint_wrenches(mechanism, q, v, a, [*forces, *loops], t, engine.plan)
                return with_external(actuation, mechanism, t[0], q, v, u, p[:own_count], own)

            motion = Flow(a, flow[nv], _Outputs(forces, wrenches), flow[nv + 1])
            now = Now(t[0], q, v, tau, (), u, p[:own_count])
            return {"g": [guard_value(guard, mechanism, now, motion) for guard in self.user_guards]}

        sizes = {"t": 1, "y": self.size, "u": actuation.size, "p": own_count + len(robot.free_symbols)}
        sizes["flow"] = nv + 2 + count + engine.plan.permanent
        shapes = [(name, (size,)) for name, size in sizes.items()]
        return kernel_of(trace(f"events of {robot.name}", shapes, function))


class _Outputs(Mapping[str, Any]):
    """Contact forces, and joint wrenches, which are traced only if they are read."""

    def __init__(self, forces: Numbers, inner: Callable[[], Any]) -> None:
        self.forces, self.inner = list(forces), inner

    def __getitem__(self, name: str) -> Any:
        return {"forces": lambda: self.forces, "joint wrenches": self.inner}[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(("forces", "joint wrenches") if self.forces else ("joint wrenches",))

    def __len__(self) -> int:
        return 1 + bool(self.forces)


def _native(mode: Mode) -> NativeContactMode:
    native = mode.native
    assert isinstance(native, NativeContactMode)
    return native
