"""A contact mode is data: after the first step of a motion nothing is compiled, whatever modes come."""

import os
import subprocess
import sys
from importlib import import_module
from importlib.metadata import distribution
from pathlib import Path

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.compiler import native_code
from rikigaku.compiler.kernel import Kernel

ROBOTS = Path(
    str(distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots"))
)


@pytest.fixture
def programs(monkeypatch):
    """Programs that are loaded or compiled from now on, each with the number of modes begun before."""
    found, modes = [], []
    simulation = import_module("rikigaku.simulation.simulate")  # the package has a function of that name
    code, run, compiled = Kernel._code, simulation.run, native_code.object_code

    def counted(kernel, kind):
        found.append((kernel._name, kind, len(modes)))
        return code(kernel, kind)

    def counted_run(*arguments):
        modes.append(arguments[1].name)
        return run(*arguments)

    def counted_code(text, optimise=False):
        found.append(("LLVM text", "", len(modes)))
        return compiled(text, optimise)

    monkeypatch.setattr(Kernel, "_code", counted)
    monkeypatch.setattr(simulation, "run", counted_run)
    monkeypatch.setattr(native_code, "object_code", counted_code)
    return found, modes


def solo(tilt=(0.05, 0.03)):
    robot = rk.load(ROBOTS / "solo_description/robots/solo12.urdf", free_base=True)
    feet = ("FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT")
    q = np.array(robot.neutral())
    q[7:] = [0.0, 0.8, -1.6] * 4
    half = np.array([*tilt, 0.0]) / 2
    q[3], q[4:7] = np.sqrt(1 - half @ half), half
    q[2] += 0.02 - min(robot.pose(q, foot)[2, 3] for foot in feet)
    controller = rk.PD(robot, q[7:], 20.0, 0.5, gravity=False)
    return robot, q, controller, [rk.Contact(foot, rk.Plane(), friction=0.6) for foot in feet]


@pytest.mark.parametrize("rtol", [1e-6, 1e-9])
def test_a_quadruped_dropped_tilted_compiles_nothing_after_its_first_step(programs, rtol):
    """At a loose tolerance sliding feet come to rest too: the motion took over 100 000 steps."""
    found, modes = programs
    robot, q, controller, contacts = solo()
    motion = rk.simulate(
        robot, q, torque=controller, duration=0.4, contacts=contacts, rtol=rtol, atol=1e-2 * rtol
    )
    assert motion.done
    assert len(set(modes)) > 12
    assert {name for name, _, before in found if before >= 2} == set()
    assert motion.statistics["steps"] < 4000
    assert motion.residual.max() < 1e-14
    assert motion.energy_audit().relative < 10 * rtol
    assert motion.forces["forces"].shape == (len(motion.t), 16)


@pytest.mark.filterwarnings("ignore::rikigaku.core.errors.PullingWarning")
@pytest.mark.parametrize("bilateral", [True, False])
def test_three_links_on_a_floor_compile_nothing_after_their_first_step(programs, bilateral):
    found, modes = programs
    robot, floor = rk.load("planar_3r"), rk.Plane()
    q = [-np.pi / 6, -np.pi / 3, -np.pi / 3] if bilateral else [-0.4, -0.9, -0.9]
    contacts = [
        rk.Contact("hand", floor, friction=0.2, bilateral=bilateral, restitution=0 if bilateral else 0.4)
    ]
    contacts.append(rk.JointFriction(robot.joints[0].name, 0.2))
    torque = ["-3*cos(2*pi*t)", "-3*sin(2*pi*t)", "3*cos(2*pi*t)"]
    events = {"straight": lambda t, q, v: q[1] + 0.9}
    motion = rk.simulate(robot, q, torque=torque, duration=3, contacts=contacts, events=events)
    assert motion.done
    assert len(set(modes)) > 3
    assert {name for name, _, before in found if before >= 2} == set()


FRESH = """
from importlib import import_module
import rikigaku as rk
from rikigaku.compiler import native_code
simulation = import_module("rikigaku.simulation.simulate")
run, compiled, late, modes = simulation.run, native_code.object_code, [], []
def counted_run(*arguments):
    modes.append(arguments[1].name)
    return run(*arguments)
def counted_code(text, optimise=False):
    if len(modes) > 1:
        late.append(text[:200])
    return compiled(text, optimise)
simulation.run, native_code.object_code = counted_run, counted_code
arm, floor = rk.load("planar_3r"), rk.Plane()
hand = rk.Contact("hand", floor, friction=0.2, restitution=0.4)
contacts = [hand, rk.JointFriction(arm.joints[0].name, 0.2)]
torque = ["-3*cos(2*pi*t)", "-3*sin(2*pi*t)", "3*cos(2*pi*t)"]
rk.simulate(arm, [-0.4, -0.9, -0.9], torque=torque, duration=1.5, contacts=contacts)
first = len(set(modes))
modes.clear()
shape = rk.Box(0.4, 0.3, 0.2)
box = rk.free_body("box", shape, mass=3.0)
contacts = rk.shape_contacts("box", shape, floor, friction=0.3)
rk.simulate(box, [0, 0, 0.3, 0.96, 0.2, 0.1, 0.15], [1, 0, 0, 2, 3, 1], duration=1, contacts=contacts)
print(first, len(set(modes)), len(late))
"""


def test_with_an_empty_cache_everything_is_compiled_before_the_second_mode(tmp_path):
    """Generic code among it, which other motions of this process, or the cache, have loaded elsewhere."""
    environment = {**os.environ, "RIKIGAKU_CACHE": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", FRESH], env=environment, capture_output=True, text=True, check=True
    )
    arm_modes, box_modes, late = map(int, done.stdout.split())
    assert min(arm_modes, box_modes) > 3
    assert late == 0
