"""Pinocchio's C++ laws, in the loops of pinocchio_loop.cpp.

Two builds of one text. "wheel": the flags of the wheel (-O3, any x86-64), linked to the code inside it.
"native": the same templates compiled for this processor, header-only, as a user who cares would do.
Each build takes some minutes, once; the result is kept.
"""

import ctypes
import sysconfig
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from benchmarks.errors import CompilationFailed
from benchmarks.harness import Job
from benchmarks.laws import Law
from benchmarks.peers.build import shared_library
from benchmarks.peers.pinocchio_model import PARAMETERS, PinocchioModel
from benchmarks.states import Array, States, back_in_order

SOURCE = Path(__file__).with_name("pinocchio_loop.cpp")
# Pinocchio's default joint variant is longer than Boost's default limits.
COMMON = (
    "g++", "-std=c++17", "-O3", "-DNDEBUG",
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30", "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
)  # fmt: skip
# Laws Pinocchio offers in more than one way: the faster counts.
WAYS = {
    "mass_matrix": ("mass_matrix_world", "mass_matrix_local"),
    "forward_dynamics": ("forward_dynamics_world", "forward_dynamics_local"),
    "jacobian": ("jacobian_frame", "jacobian_all_joints"),
}


def compiler_line(build: str) -> tuple[list[str], list[str]]:
    """Compiler line before and after the source."""
    prefix = Path(sysconfig.get_path("purelib")) / "cmeel.prefix"
    if not (prefix / "include/eigen3").is_dir():
        raise CompilationFailed("Eigen's headers are missing beside Pinocchio's. Install 'cmeel-eigen'.")
    include = ["-isystem", str(prefix / "include"), "-isystem", str(prefix / "include/eigen3")]
    if build == "native":
        return [*COMMON, "-march=native", *include], []
    libraries = [f"-L{prefix / 'lib'}", "-lpinocchio_default", f"-Wl,-rpath,{prefix / 'lib'}"]
    return [*COMMON, "-DPINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION", *include], libraries


def loop_source() -> str:
    """The loops, marked with the version they are compiled against (a new version is a new library)."""
    return f"// Pinocchio {pin.__version__}\n{SOURCE.read_text()}"


class PinocchioCpp:
    """One robot in one build of Pinocchio's C++."""

    def __init__(self, robot: PinocchioModel, build: str = "wheel") -> None:
        self.name = "Pinocchio C++" if build == "wheel" else f"Pinocchio C++ {build}"
        command, libraries = compiler_line(build)
        path = shared_library(f"pinocchio_{build}", loop_source(), ".cpp", command, libraries)
        self._robot, self._library = robot, ctypes.CDLL(str(path))
        self._handle = native_robot(self._library, robot)

    def jobs(self, law: Law, states: States, out: Array) -> Sequence[Job]:
        """One job for each way Pinocchio computes the law."""
        native = self._robot.native_states(states)
        arrays = [*native.inputs(law), out]
        return [
            Job(
                partial(call, self._library[way], self._handle, arrays),
                partial(self._value, law, states, out),
            )
            for way in WAYS.get(law.name, (law.name,))
        ]

    def _value(self, law: Law, states: States, out: Array, rows: NDArray[np.intp]) -> Array:
        shape = law.shape(states.nv, states.bodies)
        answer = out.reshape(-1, *shape)[rows]
        return back_in_order(law, answer, self._robot.joints, states.joints, states.floating, PARAMETERS)


def call(function: "ctypes._NamedFuncPointer", handle: ctypes.c_void_p, arrays: Sequence[Array]) -> None:
    function.restype = None
    function(handle, ctypes.c_long(len(arrays[0])), *(ctypes.c_void_p(x.ctypes.data) for x in arrays))


def native_robot(library: ctypes.CDLL, robot: PinocchioModel) -> ctypes.c_void_p:
    """The model, passed to the C++ side joint by joint."""
    library.robot_new.restype = ctypes.c_void_p
    handle = ctypes.c_void_p(library.robot_new())
    model = robot.model
    for i in range(1, model.njoints):
        placement, body, kind = model.jointPlacements[i], model.inertias[i], model.joints[i].shortname()
        extracted = model.joints[i].extract() if hasattr(model.joints[i], "extract") else model.joints[i]
        axis = getattr(extracted, "axis", np.zeros(3))
        index = library.robot_add_joint(
            handle, ctypes.c_int(model.parents[i]), model.names[i].encode(), kind.encode(), _doubles(axis),
            _doubles(placement.rotation), _doubles(placement.translation), ctypes.c_double(body.mass),
            _doubles(body.lever), _doubles(body.inertia),
        )  # fmt: skip
        if index != i:
            raise CompilationFailed(f"pinocchio_loop.cpp does not know joints of type {kind}. Add it there.")
    frame = model.frames[robot.frame]
    placement = frame.placement
    library.robot_finish(
        handle, ctypes.c_int(frame.parentJoint), _doubles(placement.rotation), _doubles(placement.translation)
    )
    return handle


def _doubles(values: Array) -> "ctypes.Array[ctypes.c_double]":
    flat = np.asarray(values, dtype=float).ravel()
    return (ctypes.c_double * flat.size)(*flat)
