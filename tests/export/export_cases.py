"""What the tests of exported code share: laws with inputs and the native answer, and compilers."""

import importlib.util
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from random_robots import random_robot, random_state

import rikigaku as rk
from rikigaku.binding.bound_law import BoundLaw
from rikigaku.laws.catalogue import laws_of
from rikigaku.laws.law import REQUIRED
from rikigaku.laws.specialization import input_size
from rikigaku.model.robot_model import Symbol
from rikigaku.numbers import repeated_function
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.program import Port, Program

LAWS = laws_of("tree")

Array = np.ndarray

# Words of many languages, names the exporters use themselves, and names of inputs: all may be symbols.
HOSTILE_SYMBOLS = {"double": 0.7, "virtual": 1.1, "end": 0.9, "q0": 0.4, "t1": 1.3, "np": 0.6, "match": 0.8}


@dataclass(frozen=True)
class Case:
    """A law of a robot, how it is exported, and a state with the native answer."""

    law: BoundLaw
    inputs: list[Array]
    wanted: list[Array]
    options: Mapping[str, Any] = field(default_factory=dict)

    def export(self, language: str, *args: Any, **keywords: Any) -> Any:
        return self.law.export(language, *args, **self.options, **keywords)

    @property
    def ports(self) -> tuple[tuple[Port, ...], tuple[Port, ...]]:
        program = self.law.program(**self.options)
        return read_ports(program), program.outputs


def read_ports(program: Program) -> tuple[Port, ...]:
    """Arrays, and the symbols that the program reads."""
    read = {x.value for x in program.nodes if x.op == "input"}
    pairs = zip(program.inputs, program.arguments, strict=True)
    return tuple(port for port, nodes in pairs if port.shape or nodes[0].value in read)


@cache
def puma() -> rk.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # published inertias no rigid body can have
        return rk.load("puma560")


@cache
def five_bar() -> rk.Robot:
    return rk.load("five_bar")


@cache
def floating(symbols: tuple[str, ...] = tuple(HOSTILE_SYMBOLS)) -> rk.Robot:
    """A free base that carries every type of joint, with friction; masses are symbols."""
    robot = random_robot(4, 8, drives=True, base="free")
    links = list(robot.links)
    for k, name in enumerate(symbols):
        inertia = links[k + 1].inertia
        assert inertia is not None
        links[k + 1] = replace(links[k + 1], inertia=replace(inertia, m=inertia.m + Formula.of(name)))
    return replace(robot, links=tuple(links), symbols=(Symbol(symbols[0], Formula.of("0.5"), "kg"),))


@cache
def every_law(robot: rk.Robot) -> list[Case]:
    """All laws of the robot at a random state; where a law needs a frame, the last one."""
    rng = np.random.default_rng(8)
    q, v, a = random_state(robot, rng)
    symbols = {name: HOSTILE_SYMBOLS.get(name, 0.5) for name in robot.free_symbols}
    frame = robot.frame_names[-1]
    result = []
    for name, law in LAWS.items():
        options = {key: frame for key, value in law.options.items() if value is REQUIRED}
        bound = getattr(robot if name in dir(robot) else robot.tree, name)
        bound = bound.fix(**options)
        tau = rng.uniform(-9, 9, input_size(robot, bound.law, "tau"))
        state = [{"q": q, "v": v, "a": a, "tau": tau}[x] for x in bound.law.inputs]
        result.append(case(bound, state, symbols))
    return result


def case(bound: BoundLaw, state: Sequence[Array], symbols: Mapping[str, float], **options: Any) -> Case:
    """The law at a state, with the native answer."""
    if (derivative := options.get("derivative")) is not None:
        wrt = None if derivative is True else derivative
        answer = bound.derivative(*state, wrt=wrt, symbols=symbols)
    else:
        answer = bound(*state, symbols=symbols)
    wanted = list(answer) if isinstance(answer, tuple) else [answer]
    program = bound.program(**options)
    inputs = [*state, *(np.float64(symbols[x.name]) for x in read_ports(program)[len(state) :])]
    return Case(bound, inputs, [np.asarray(x) for x in wanted], options)


@cache
def difficult_cases() -> list[Case]:
    """Derivatives, symbols, several outputs, signs and choices, structural zeros."""
    robot = floating()
    q, v, a = random_state(robot, np.random.default_rng(5))
    symbols = {name: HOSTILE_SYMBOLS[name] for name in robot.free_symbols}
    arm = puma()
    return [
        case(robot.inverse_dynamics, [q, v, a], symbols),
        case(robot.integrate, [q, v], symbols),
        case(robot.integrate, [q, 1e-9 * v], symbols),
        case(robot.poses, [q], symbols),
        case(robot.kinetic_energy, [q, v], symbols),
        case(robot.mass_matrix, [q], symbols, derivative="double"),
        case(arm.inverse_dynamics, [q[:6], 0 * v[:6], a[:6]], {}, derivative=True),
        case(arm.inverse_dynamics, [q[:6], v[:6], a[:6]], {}, derivative="parameters"),
        case(arm.gravity_forces, [1e5 * q[:6]], {}),
    ]


def compiler(*names: str) -> list[str]:
    """A C or C++ compiler: one of the machine's, or that of the package ziglang."""
    for name in names:
        if found := shutil.which(name):
            return [found]
    kind = "c++" if "g++" in names else "cc"
    assert importlib.util.find_spec("ziglang"), f"no compiler: install one of {names}, or pip install ziglang"
    return [sys.executable, "-m", "ziglang", kind]


def program_on_path(name: str, package: str) -> str:
    """A program the tests run. Without it they fail: exported code nobody ran is worth nothing."""
    found = shutil.which(name) or shutil.which(name, path=str(Path.home() / ".cargo" / "bin"))
    assert found, f"this test runs {name}: install it (Debian, Ubuntu: apt-get install {package})"
    return found


def run(command: Sequence[str], **keywords: Any) -> str:
    """What a command prints; its complaints are shown where it fails."""
    answer = subprocess.run(list(command), capture_output=True, text=True, timeout=120, **keywords)
    assert answer.returncode == 0, f"{' '.join(map(str, command))}\n{answer.stdout}\n{answer.stderr}"
    return answer.stdout


def same_bits(ours: Sequence[Array], case: Case, signed_zeros: bool = True) -> bool:
    """Every bit; without `signed_zeros`, -0 is 0."""
    offset = -0.0 if signed_zeros else 0.0
    return [(x + offset).tobytes() for x in ours] == [(x + offset).tobytes() for x in case.wanted]


def close(ours: Sequence[Any], wanted: Sequence[Array], tolerance: float = 1e-12) -> bool:
    """Equal up to rounding, relative to the largest element of each output."""
    for x, y in zip(ours, wanted, strict=True):
        x = np.asarray(x)
        assert x.shape == y.shape, (x.shape, y.shape)
        assert np.abs(x - y).max(initial=0) <= tolerance * max(1.0, np.abs(y).max(initial=0))
    return True


def arrays_of(function: Callable[..., None], case: Case) -> list[Array]:
    """What a function with pointers as arguments leaves in its outputs (numbers are passed as such)."""
    import ctypes

    ports = case.ports
    out = [np.full(port.shape, 7.0) for port in ports[1]]
    arguments = [
        ctypes.c_void_p(np.ascontiguousarray(x).ctypes.data) if port.shape else ctypes.c_double(float(x))
        for port, x in zip(ports[0], case.inputs, strict=True)
    ]
    function(*arguments, *(ctypes.c_void_p(x.ctypes.data) for x in out))
    return out


def looped_case(monkeypatch: Any) -> Case:
    """Derivatives whose program holds a loop, as those of large robots do."""
    monkeypatch.setattr(repeated_function, "WORTH_A_LOOP", 0)
    robot = replace(puma(), name="looped")  # another robot: nothing recorded before is used
    rng = np.random.default_rng(3)
    result = case(robot.forward_dynamics, list(rng.uniform(-1, 1, (3, 6))), {}, derivative=True)
    assert any(node.op == "call" for node in result.law.program(derivative=True).nodes)
    return result
