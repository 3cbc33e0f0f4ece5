"""Pinocchio's C++ dynamics with loops, in the loop of pinocchio_closed.cpp."""

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

from benchmarks.errors import BenchmarkError
from benchmarks.peers.build import shared_library
from benchmarks.peers.pinocchio_cpp import compiler_line
from benchmarks.states import Array
from rikigaku.model.mechanism import WORLD, Mechanism, instantiate
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.robot import Robot
from rikigaku.spatial.pose import Pose

SOURCE = Path(__file__).with_name("pinocchio_closed.cpp")
# Loops with redundant equations need the regularised solution and its iteration.
ACCURACY, MU, ITERATIONS = 1e-10, 1e-8, 20
# Of lcaba, which rounds more with a smaller mu, and is hardly faster (Cassie: relative 7e-5 at 1e-8, 1e-6 at
# 1e-6, 1e-8 at 1e-4).
MU_OF_BODIES = 1e-4
# Functions of the library. The third of Pinocchio's, `pv` (Popov and Vereshchagin), holds bodies to the
# ground only: loops between two moving bodies it does not take.
ALGORITHMS = {"forward_dynamics": "Pinocchio C++", "articulated_bodies": "Pinocchio C++, lcaba"}


class ClosedPinocchio:
    """One closed robot; spherical loops, or revolute ones in a plane, as points that stay together.

    redundant: whether some equations follow from others. algorithm: constraintDynamics (a sparse
        factorisation) or lcaba (articulated bodies with loops, which always iterates).
    """

    def __init__(self, robot: Robot, redundant: bool, algorithm: str = "forward_dynamics") -> None:
        self.name, self.algorithm = ALGORITHMS[algorithm], algorithm
        command, libraries = compiler_line("wheel")
        source = f"// Pinocchio {pin.__version__}\n{SOURCE.read_text()}"
        path = shared_library("pinocchio_closed_wheel", source, ".cpp", command, libraries)
        self._library = ctypes.CDLL(str(path))
        self._library.robot_new.restype = ctypes.c_void_p
        self._handle = ctypes.c_void_p(self._library.robot_new())
        self.mechanism = instantiate(robot, FLOATS, robot.declared_values)
        self._joints: dict[int, int] = {WORLD: 0}
        self.order: list[int] = []  # of our bodies
        self._add(self.mechanism, WORLD)
        for loop in self.mechanism.loops:
            (i, X), (j, Y) = loop.start, loop.end
            ends = (self._joints[i], *_pose(X), self._joints[j], *_pose(Y))
            self._library.robot_add_loop(self._handle, *(_c(x) for x in ends))
        gravity = np.array(self.mechanism.gravity, dtype=float)
        settings = (ACCURACY, MU, ITERATIONS) if redundant else (ACCURACY, 0.0, 1)
        self._library.robot_finish(
            self._handle, _c(gravity), ctypes.c_double(settings[0]), ctypes.c_double(settings[1]), settings[2]
        )
        if algorithm == "articulated_bodies":
            self._library.robot_order(
                self._handle, ctypes.c_double(ACCURACY), ctypes.c_double(MU_OF_BODIES), ITERATIONS
            )

    def states(self, q: Array, v: Array, tau: Array) -> list[Array]:
        """Our states in Pinocchio's order; its quaternions have w last."""
        bodies = [self.mechanism.bodies[i] for i in self.order]
        places = []
        for body in bodies:
            own = list(body.q)
            places += [*own[:3], *own[4:], own[3]] if len(own) == 7 else own
        rates = [k for body in bodies for k in body.v]
        return [np.ascontiguousarray(x) for x in (q[:, places], v[:, rates], tau[:, rates])]

    def ours(self, a: Array) -> Array:
        """Accelerations in our order."""
        rates = [k for i in self.order for k in self.mechanism.bodies[i].v]
        result = np.empty_like(a)
        result[:, rates] = a
        return result

    def run(self, arrays: list[Array], out: Array) -> None:
        """All states; fills out."""
        getattr(self._library, self.algorithm)(
            self._handle, ctypes.c_long(len(out)), *(_c(x) for x in (*arrays, out))
        )

    def _add(self, mechanism: Mechanism, parent: int) -> None:
        """Bodies depth first, as Pinocchio wants them."""
        for i, body in enumerate(mechanism.bodies):
            if body.parent != parent:
                continue
            m = float(body.inertia.m)
            h, I = (np.array(x, dtype=float) for x in (body.inertia.h, body.inertia.I))
            com = h / m if m else np.zeros(3)
            about_com = I - m * (com @ com * np.eye(3) - np.outer(com, com))
            kind = type(body.joint).__name__
            R, p = _pose(body.placement)
            index = self._library.robot_add_joint(
                self._handle, self._joints[parent], f"j{i}".encode(), kind.encode(), _c(R), _c(p),
                ctypes.c_double(m), _c(com), _c(about_com),
            )  # fmt: skip
            if index < 0:
                raise BenchmarkError(f"The loop with Pinocchio has no joint of the kind {kind}.")
            self._joints[i] = index
            self.order.append(i)
            self._add(mechanism, i)


def _pose(X: Pose) -> tuple[Array, Array]:
    return np.array(X.R, dtype=float), np.array(X.p, dtype=float)


def _c(x: Any) -> Any:
    """An array as a pointer; it must live as long as the call."""
    return np.ascontiguousarray(x).ctypes.data_as(ctypes.c_void_p) if isinstance(x, np.ndarray) else x
