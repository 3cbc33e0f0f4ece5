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
from typing import Any, ClassVar, TypeVar

from rikigaku.compiler.kernel import Kernel
from rikigaku.core.types import Array
from rikigaku.laws.tree.composite_body import mass_entries
from rikigaku.laws.tree.configuration_integration import integrate, position_rates
from rikigaku.laws.tree.forward_dynamics import forward_dynamics, net_forces
from rikigaku.laws.tree.ltdl_factorization import factorize
from rikigaku.model.mechanism import Mechanism, instantiate
from rikigaku.numbers.elementary_functions import sqrt, where
from rikigaku.numbers.number_kind import FLOATS, Number
from rikigaku.numbers.program import trace
from rikigaku.robot import Robot
from rikigaku.rollout.stop_condition import StopCondition
from rikigaku.simulation.actuation import Actuation
from rikigaku.simulation.actuation_program import kernel_of
from rikigaku.simulation.actuation_sum import force_terms, total_force
from rikigaku.simulation.kept_programs import kept
from rikigaku.simulation.stepping_control import resistance

Numbers = Sequence[Number]
X = TypeVar("X")  # where the numbers of an input are

METHODS = ("euler", "implicit", "rk4")
# Times of the stages in a step, in units of dt.
STAGE_TIMES = {"euler": (0.0,), "implicit": (0.0,), "rk4": (0.0, 0.5, 0.5, 1.0)}
# Coefficients c of each stage.
# euler, implicit: dt.
# rk4: dt of the next stage, weight, factor of the start, factor of the weighted sum.
_COEFFICIENTS = {
    "euler": ((1.0,),),
    "implicit": ((1.0,),),
    "rk4": ((1 / 2, 1 / 6, 1.0, 0.0), (1 / 2, 1 / 3, 1.0, 0.0),
            (1.0, 1 / 3, 1.0, 0.0), (1 / 6, 1 / 6, 0.0, 1.0)),
}  # fmt: skip
_SCALED = {"euler": 1, "implicit": 1, "rk4": 2}  # so many coefficients are multiplied by dt


def coefficients(method: str, dt: float) -> list[list[float]]:
    """Coefficients c of each stage of a step."""
    scaled = _SCALED[method]
    return [[x * dt if k < scaled else x for k, x in enumerate(row)] for row in _COEFFICIENTS[method]]


@dataclass(frozen=True, eq=False)
class StepProgram:
    """The program of a stage.

    Inputs: q, v of the stage; for rk4 "start q", "start v" and the weighted sums "sum q", "sum v"; t, c; u
    and p (parameters of the actuation, then symbols). Inputs without elements are left out. Outputs: q, v
    (for rk4 also the sums); with a condition to stop z, which is 1 if the world has stopped, else 0.
    """

    robot: Robot
    actuation: Actuation
    method: str
    stop: StopCondition | None = None

    kind: ClassVar[str] = "step"
    state_names: ClassVar[tuple[str, ...]] = ("q", "v")
    parameter_names: ClassVar[tuple[str, ...]] = ("p",)

    @property
    def sizes(self) -> dict[str, int]:
        """Numbers of elements of the inputs."""
        nq, nv = self.robot.nq, self.robot.nv
        stages = {
            rename(name): size
            for rename in ((start_of, sum_of) if self.method == "rk4" else ())
            for name, size in (("q", nq), ("v", nv))
        }
        parameters = len(self.actuation.parameters) + len(self.robot.free_symbols)
        sizes = {"q": nq, "v": nv, **stages, "t": 1, "c": len(_COEFFICIENTS[self.method][0]),
                 "u": self.actuation.size, "p": parameters}  # fmt: skip
        return {name: size for name, size in sizes.items() if size}

    @property
    def sum_names(self) -> tuple[str, ...]:
        """Weighted sums over the stages, one for each state."""
        return tuple(sum_of(name) for name in self.state_names) if self.method == "rk4" else ()

    @property
    def outputs(self) -> tuple[str, ...]:
        return (*self.state_names, *self.sum_names, *(() if self.stop is None else ("z",)))

    def starts_at(self, state: Mapping[str, X]) -> dict[str, X]:
        """The inputs that are the state at the start of the step."""
        return {start_of(name): state[name] for name in self.state_names} if self.sum_names else {}

    def sums_at(self, state: Mapping[str, X]) -> dict[str, X]:
        """The sums of the first stage: they begin at the start of the step."""
        return {sum_of(name): state[name] for name in self.state_names} if self.sum_names else {}

    @cached_property
    def kernel(self) -> Kernel:
        names = tuple(self.sizes)

        def function(*inputs: Any) -> Mapping[str, Any]:
            x = dict(zip(names, inputs, strict=True))
            found = self._results(x)
            return found if self.stop is None else {**found, "z": [1 - self._running(x)]}

        shapes = [(name, (size,)) for name, size in self.sizes.items()]
        return kernel_of(trace(f"{self.method} {self.kind} of {self.robot.name}", shapes, function))

    def _results(self, x: Mapping[str, Numbers]) -> dict[str, list[Number]]:
        """The outputs without z."""
        return self.stage(x)

    def stage(self, x: Mapping[str, Numbers]) -> dict[str, list[Number]]:
        """The state after the stage, and the weighted sums."""
        own, p = len(self.actuation.parameters), x.get("p", [])
        symbols = dict(zip(self.robot.free_symbols, p[own:], strict=True))
        mechanism = instantiate(self.robot, FLOATS, symbols)
        q, v = x["q"], x["v"]
        terms = force_terms(self.actuation, mechanism, x["t"][0], q, v, x.get("u", []), p[:own])
        if self.method == "implicit":
            a = _implicit_acceleration(mechanism, q, v, terms, x["c"][0])
        else:
            a = forward_dynamics(mechanism, q, v, total_force(mechanism, terms))
        after = (self._rk4 if self.method == "rk4" else self._euler)(mechanism, x, a)
        return after if self.stop is None else self._stopped(x, after)

    def _start(self, x: Mapping[str, Numbers]) -> dict[str, Numbers]:
        """The state at the start of the step."""
        return {name: x[start_of(name) if self.method == "rk4" else name] for name in ("q", "v")}

    def _running(self, x: Mapping[str, Numbers]) -> Number:
        assert self.stop is not None
        return self.stop.running(**self._start(x))

    def _stopped(self, x: Mapping[str, Numbers], after: dict[str, list[Number]]) -> dict[str, list[Number]]:
        """The state after the stage and the sums; the state before the step if the world has stopped."""
        running, start = self._running(x) > 0, self._start(x)
        return {
            name: [where(running, new, old) for new, old in zip(values, start[state_of(name)], strict=True)]
            for name, values in after.items()
        }

    def _euler(self, mechanism: Mechanism, x: Mapping[str, Numbers], a: Numbers) -> dict[str, list[Number]]:
        dt = x["c"][0]
        v = [v + dt * a for v, a in zip(x["v"], a, strict=True)]
        q = integrate(mechanism, x["q"], [dt * v for v in v])
        return {"q": q, "v": v}

    def _rk4(self, mechanism: Mechanism, x: Mapping[str, Numbers], a: Numbers) -> dict[str, list[Number]]:
        dt, weight, begin, end = x["c"]
        rates = {"q": position_rates(mechanism, x["q"], x["v"]), "v": list(a)}
        result: dict[str, list[Number]] = {}
        for name, own in rates.items():
            start, total = x[start_of(name)], x[sum_of(name)]
            result[sum_of(name)] = [s + weight * k for s, k in zip(total, own, strict=True)]
            result[name] = [begin * y + end * s + dt * k for y, s, k in zip(start, total, own, strict=True)]
        q = result["q"]
        for body in mechanism.bodies:
            if len(body.q) != len(body.v):  # normalised at the end of the step
                indices = list(body.q)[-4:]
                length = sqrt(sum((q[k] * q[k] for k in indices), start=0))
                factor = begin + end / length
                for k in indices:
                    q[k] = q[k] * factor
        return {name: result[name] for name in ("q", "v", sum_of("q"), sum_of("v"))}


def _implicit_acceleration(
    mechanism: Mechanism, q: Numbers, v: Numbers, terms: list[list[Number]], dt: Number
) -> list[Number]:
    """a of (M + dt D + dt^2 K) a = tau - h - g - friction - dt K v, tau the sum of the terms."""
    nv, tau = mechanism.nv, total_force(mechanism, terms)
    both = resistance(mechanism, terms, list(q), list(v))
    damping, stiffness = both[:nv], both[nv:]
    entries, forces = mass_entries(mechanism, q), net_forces(mechanism, q, v, tau)
    for body in mechanism.bodies:
        for k in body.v:
            D, K = damping[k] + body.viscous, stiffness[k] + body.stiffness
            entries[k, k] = entries[k, k] + dt * (D + dt * K)
            forces[k] = forces[k] - dt * K * v[k]
    return factorize(entries, mechanism.parent_dofs()).solve(forces)


def start_of(name: str) -> str:
    """The name of the value of a state at the start of the step."""
    return f"start {name}"


def sum_of(name: str) -> str:
    """The name of the weighted sum of the rates of a state."""
    return f"sum {name}"


def state_of(name: str) -> str:
    """The name of the state of a sum or of a state itself."""
    return name.removeprefix(sum_of(""))


def step_program(
    robot: Robot, actuation: Actuation, method: str, stop: StopCondition | None = None
) -> StepProgram:
    """The program of that actuation, method and condition, made once for a robot."""
    key = (StepProgram, actuation.identity, method, stop)
    return kept(robot, key, lambda: StepProgram(robot, actuation, method, stop))


def stage_times(method: str, start: float, dt: float, steps: Array) -> Array:
    """Times of the stages of steps, (steps, stages)."""
    return start + dt * (steps[:, None] + STAGE_TIMES[method])
