"""One step, or one stage of a step, of a robot under an actuation as a traced program.

Semi-implicit Euler: v' = v + dt a(q, v), q' = integrate(q, dt v').

Implicit in the velocity: the same with (M + dt D + dt^2 K) a = tau - h - g - friction - dt K v, where D and K
are the diagonal damping and stiffness of the joints and of the actuation: stiff PD control, friction and
springs are stable.

RK4, the classical method of Runge and Kutta on (q, v), quaternions as four numbers that are normalised after
each step: one program is called for each of the four stages, with the coefficients of the stage as inputs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rikigaku.compiler.kernel import Kernel
from rikigaku.core.types import Array
from rikigaku.laws.tree.composite_body import mass_entries
from rikigaku.laws.tree.configuration_integration import integrate, position_rates
from rikigaku.laws.tree.forward_dynamics import forward_dynamics, net_forces
from rikigaku.laws.tree.ltdl_factorization import factorize
from rikigaku.model.mechanism import Mechanism, instantiate
from rikigaku.numbers.elementary_functions import sqrt
from rikigaku.numbers.number_kind import FLOATS, Number
from rikigaku.numbers.program import trace
from rikigaku.robot import Robot
from rikigaku.simulation.actuation import Actuation, joint_forces
from rikigaku.simulation.actuation_program import kernel_of
from rikigaku.simulation.kept_programs import kept
from rikigaku.simulation.stepping_control import resistance

Numbers = Sequence[Number]

METHODS = ("euler", "implicit", "rk4")
# Times of the stages in a step, in units of dt.
STAGE_TIMES = {"euler": (0.0,), "implicit": (0.0,), "rk4": (0.0, 0.5, 0.5, 1.0)}
# Coefficients c of each stage. The first number is 0: its product with a finite number is 0, else NaN.
# euler, implicit: (0, dt).
# rk4: (0, dt of the next stage, weight, factor of the start, factor of the weighted sum).
_COEFFICIENTS = {
    "euler": ((0.0, 1.0),),
    "implicit": ((0.0, 1.0),),
    "rk4": ((0.0, 1 / 2, 1 / 6, 1.0, 0.0), (0.0, 1 / 2, 1 / 3, 1.0, 0.0),
            (0.0, 1.0, 1 / 3, 1.0, 0.0), (0.0, 1 / 6, 1 / 6, 0.0, 1.0)),
}  # fmt: skip
_TIMES = {"euler": 2, "implicit": 2, "rk4": 3}  # the coefficients before these are multiplied by dt


def coefficients(method: str, dt: float) -> list[list[float]]:
    """Coefficients c of each stage of a step."""
    scaled = _TIMES[method]
    return [[x * dt if k < scaled else x for k, x in enumerate(row)] for row in _COEFFICIENTS[method]]


@dataclass(frozen=True, eq=False)
class StepProgram:
    """The program of a stage.

    Inputs: q, v of the stage; for rk4 the start q0, v0 and the weighted sums sq, sv; t, c; u and p
    (parameters of the actuation, then symbols). Inputs without elements are left out. Outputs: q, v (for rk4
    also sq, sv) and z, which is 0, or NaN if the state is not finite.
    """

    robot: Robot
    actuation: Actuation
    method: str

    @property
    def sizes(self) -> dict[str, int]:
        """Numbers of elements of the inputs."""
        nq, nv = self.robot.nq, self.robot.nv
        stages = {"q0": nq, "v0": nv, "sq": nq, "sv": nv} if self.method == "rk4" else {}
        parameters = len(self.actuation.parameters) + len(self.robot.free_symbols)
        sizes = {"q": nq, "v": nv, **stages, "t": 1, "c": len(_COEFFICIENTS[self.method][0]),
                 "u": self.actuation.size, "p": parameters}  # fmt: skip
        return {name: size for name, size in sizes.items() if size}

    @property
    def outputs(self) -> tuple[str, ...]:
        return ("q", "v", "sq", "sv", "z") if self.method == "rk4" else ("q", "v", "z")

    @cached_property
    def kernel(self) -> Kernel:
        names = tuple(self.sizes)

        def function(*inputs: Any) -> Mapping[str, Any]:
            return self._stage(dict(zip(names, inputs, strict=True)))

        shapes = [(name, (size,)) for name, size in self.sizes.items()]
        return kernel_of(trace(f"{self.method} step of {self.robot.name}", shapes, function))

    def _stage(self, x: Mapping[str, Numbers]) -> dict[str, list[Number]]:
        own, p = len(self.actuation.parameters), x.get("p", [])
        symbols = dict(zip(self.robot.free_symbols, p[own:], strict=True))
        mechanism = instantiate(self.robot, FLOATS, symbols)
        q, v = x["q"], x["v"]
        tau = joint_forces(self.actuation, mechanism, x["t"][0], q, v, x.get("u", []), p[:own])
        if self.method == "implicit":
            a = _implicit_acceleration(mechanism, q, v, tau, x["c"][1])
        else:
            a = forward_dynamics(mechanism, q, v, tau)
        return (self._rk4 if self.method == "rk4" else self._euler)(mechanism, x, a)

    def _euler(self, mechanism: Mechanism, x: Mapping[str, Numbers], a: Numbers) -> dict[str, list[Number]]:
        zero, dt = x["c"]
        v = [v + dt * a for v, a in zip(x["v"], a, strict=True)]
        q = integrate(mechanism, x["q"], [dt * v for v in v])
        return _checked(zero, {"q": q, "v": v})

    def _rk4(self, mechanism: Mechanism, x: Mapping[str, Numbers], a: Numbers) -> dict[str, list[Number]]:
        zero, dt, weight, begin, end = x["c"]
        rates = {"q": position_rates(mechanism, x["q"], x["v"]), "v": list(a)}
        result: dict[str, list[Number]] = {}
        for name, own in rates.items():
            start, total = x[f"{name}0"], x[f"s{name}"]
            result[f"s{name}"] = [s + weight * k for s, k in zip(total, own, strict=True)]
            result[name] = [begin * y + end * s + dt * k for y, s, k in zip(start, total, own, strict=True)]
        q = result["q"]
        for body in mechanism.bodies:
            if len(body.q) != len(body.v):  # normalised at the end of the step
                indices = list(body.q)[-4:]
                length = sqrt(sum((q[k] * q[k] for k in indices), start=0))
                factor = begin + end / length
                for k in indices:
                    q[k] = q[k] * factor
        return _checked(zero, {name: result[name] for name in self.outputs if name != "z"})


def _implicit_acceleration(
    mechanism: Mechanism, q: Numbers, v: Numbers, tau: list[Number], dt: Number
) -> list[Number]:
    """a of (M + dt D + dt^2 K) a = tau - h - g - friction - dt K v."""
    nv = mechanism.nv
    both = resistance(mechanism, tau, list(q), list(v))
    damping, stiffness = both[:nv], both[nv:]
    entries, forces = mass_entries(mechanism, q), net_forces(mechanism, q, v, tau)
    for body in mechanism.bodies:
        for k in body.v:
            D, K = damping[k] + body.viscous, stiffness[k] + body.stiffness
            entries[k, k] = entries[k, k] + dt * (D + dt * K)
            forces[k] = forces[k] - dt * K * v[k]
    return factorize(entries, mechanism.parent_dofs()).solve(forces)


def _checked(zero: Number, x: dict[str, list[Number]]) -> dict[str, list[Number]]:
    """The state, NaN if any number of it is not finite, and z. A kernel fills all its outputs with NaN if an
    input is not finite: a world that stopped stays so."""
    z: Number = 0
    for value in (*x["q"], *x["v"]):
        z = z + zero * value
    return {**x, "q": [y + z for y in x["q"]], "v": [y + z for y in x["v"]], "z": [z]}


def step_program(robot: Robot, actuation: Actuation, method: str) -> StepProgram:
    """The program of that actuation and method, made once for a robot."""
    key = (StepProgram, actuation.identity, method)
    return kept(robot, key, lambda: StepProgram(robot, actuation, method))


def stage_times(method: str, start: float, dt: float, steps: Array) -> Array:
    """Times of the stages of steps, (steps, stages)."""
    return start + dt * (steps[:, None] + STAGE_TIMES[method])
