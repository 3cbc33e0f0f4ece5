"""MuJoCo's C laws, in the loops of mujoco_loop.c.

What is called for each law: kinematics and centres of mass, then only what the law needs (velocities and
Newton-Euler; the composite-body matrix; its factorisation and one solve; the Jacobian of a point). No
actuators, passive forces, collisions or constraints. MuJoCo has no analytic derivatives of these laws and
no regressor.
"""

import ctypes
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray

from benchmarks.errors import CompilationFailed
from benchmarks.harness import Job
from benchmarks.laws import Law
from benchmarks.peers.build import shared_library
from benchmarks.peers.mujoco_model import MujocoModel, in_our_velocities
from benchmarks.states import Array, States, back_in_order

SOURCE = Path(__file__).with_name("mujoco_loop.c")
OFFERED = ("inverse_dynamics", "mass_matrix", "forward_dynamics", "jacobian")


def _library() -> ctypes.CDLL:
    folder = Path(mujoco.__file__).parent
    found = sorted(folder.glob("libmujoco.so.*"))
    if not found:
        raise CompilationFailed(
            "There is no libmujoco.so in the installed mujoco package. Reinstall 'mujoco'."
        )
    command = ["gcc", "-O3", f"-I{folder / 'include'}"]
    path = shared_library(
        "mujoco", SOURCE.read_text(), ".c", command, [str(found[-1]), f"-Wl,-rpath,{folder}"]
    )
    return ctypes.CDLL(str(path))


class MujocoC:
    """One robot in MuJoCo's C.

    Args:
        robot: MuJoCo's model.
        frame: the joint whose body carries the measured frame, and the frame's origin in that body [m].
    """

    name = "MuJoCo C"

    def __init__(self, robot: MujocoModel, frame: tuple[str, Array]) -> None:
        self._robot, self._library = robot, _library()
        joint, offset = frame
        self._body = int(robot.model.joint(joint).bodyid[0])
        self._offset = np.ascontiguousarray(offset, dtype=float)

    def jobs(self, law: Law, states: States, out: Array) -> Sequence[Job]:
        """One job, if MuJoCo has the law."""
        if law.name not in OFFERED:
            return []
        native = self._robot.native_states(states)
        return [Job(partial(self._run, law, native, out), partial(self._value, law, states, out))]

    def _run(self, law: Law, native: States, out: Array) -> None:
        function = self._library[law.name]
        function.restype = None
        arrays = [*native.inputs(law), out]
        extra = []
        if law.name == "jacobian":
            extra = [ctypes.c_int(self._body), ctypes.c_void_p(self._offset.ctypes.data)]
        function(
            ctypes.c_void_p(self._robot.model._address),
            ctypes.c_void_p(self._robot.data._address),
            ctypes.c_long(len(native.q)),
            *(ctypes.c_void_p(x.ctypes.data) for x in arrays),
            *extra,
        )

    def _value(self, law: Law, states: States, out: Array, rows: NDArray[np.intp]) -> Array:
        answer = out.reshape(-1, *law.shape(states.nv, states.bodies))[rows]
        if states.floating:
            answer = in_our_velocities(law.name, answer, states.q[rows], states.v[rows])
        return back_in_order(law, answer, self._robot.joints, states.joints, states.floating)
