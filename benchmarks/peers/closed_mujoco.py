"""MuJoCo's forward dynamics with equality constraints, in the loop of mujoco_closed.c; and its simulation."""

import ctypes
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from benchmarks.errors import Disagreement
from benchmarks.peers.build import shared_library
from benchmarks.states import Array, rotations
from rikigaku.formats.mjcf.mjcf_writer import mjcf_text
from rikigaku.robot import Robot

SOURCE = Path(__file__).with_name("mujoco_closed.c")


class ClosedMujoco:
    """One closed robot as MuJoCo reads the file we write; contacts and joint limits off.

    stiff: the constraints as stiff as a step of MuJoCo bears (time constant of two steps, impedance 0.9999);
        else MuJoCo's defaults.
    """

    name = "MuJoCo C"

    def __init__(self, robot: Robot, stiff: bool = False) -> None:
        self.robot = robot
        self.model: Any = mujoco.MjModel.from_xml_string(mjcf_text(robot))
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT | mujoco.mjtDisableBit.mjDSBL_CONTACT
        if stiff:
            self.model.eq_solref[:, 0] = 2 * self.model.opt.timestep
            self.model.eq_solimp[:, :2] = 0.9999
        self.data: Any = mujoco.MjData(self.model)
        folder = Path(mujoco.__file__).parent
        found = sorted(folder.glob("libmujoco.so.*"))[-1]
        command, libraries = ["gcc", "-O3", f"-I{folder / 'include'}"], [str(found), f"-Wl,-rpath,{folder}"]
        path = shared_library("mujoco_closed", SOURCE.read_text(), ".c", command, libraries)
        self._library = ctypes.CDLL(str(path))

    def states(self, q: Array, v: Array, tau: Array) -> list[Array]:
        """Our states in MuJoCo's order; its free joint has the velocity of the origin in world axes."""
        if self.robot.nq != self.robot.nv:
            v, tau = v.copy(), tau.copy()
            for joint in self.robot.joints:
                if joint.type == "free":
                    at, rate = self.robot.q_slices[joint.name].start, self.robot.v_slices[joint.name].start
                    R = rotations(q[:, at + 3 : at + 7])
                    for x in (v, tau):
                        x[:, rate : rate + 3] = np.einsum("kij,kj->ki", R, x[:, rate : rate + 3])
        return [np.ascontiguousarray(x) for x in (q, v, tau)]

    def run(self, arrays: list[Array], out: Array) -> None:
        """All states; fills out."""
        pointers = [x.ctypes.data_as(ctypes.c_void_p) for x in (*arrays, out)]
        model, data = (ctypes.c_void_p(x._address) for x in (self.model, self.data))
        self._library.forward_dynamics(model, data, ctypes.c_long(len(out)), *pointers)

    def opened(self, q: Array, duration: float) -> float:
        """Largest gap of a constraint [m] in a motion from rest."""
        model, data = self.model, self.data
        mujoco.mj_resetData(model, data)
        data.qpos[:] = q
        mujoco.mj_forward(model, data)
        if (largest := float(np.abs(data.efc_pos).max(initial=0.0))) > 1e-9:
            raise Disagreement("the loops", self.name, "closed at the start", largest, 1e-9)
        for _ in range(round(duration / model.opt.timestep)):
            mujoco.mj_step(model, data)
            largest = max(largest, float(np.abs(data.efc_pos).max(initial=0.0)))
        return largest
