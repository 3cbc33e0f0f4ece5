"""Passive motion of two robots with loops from files of other programs: a four-bar (MJCF) and Cassie (SDF).

The loops stay closed and the energy audit balances; MuJoCo simulates the same four-bar for comparison.
Pictures are written to the folder given on the command line (or the current one). Cassie's file is that of
example-robot-data.
"""

import sys
import warnings
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import matplotlib
import mujoco
import numpy as np

import rikigaku as rk
from rikigaku.plotting import plot

matplotlib.use("Agg")
import matplotlib.pyplot as plt

FOUR_BAR = """<mujoco model="four_bar"><compiler angle="radian"/><worldbody>
  <body name="crank"><joint name="crank" axis="0 1 0"/>
    <geom type="capsule" size=".02" fromto="0 0 0 0 0 .2" mass="0.5"/>
    <body name="coupler" pos="0 0 .2"><joint name="elbow" axis="0 1 0" damping="0.002"/>
      <geom type="capsule" size=".02" fromto="0 0 0 .5 0 .2" mass="1"/></body></body>
  <body name="rocker" pos=".5 0 0"><joint name="rocker" axis="0 1 0" stiffness="2" springref="0.5"/>
    <geom type="capsule" size=".02" fromto="0 0 0 0 0 .4" mass="0.8"/></body>
</worldbody>
<equality><connect body1="coupler" body2="rocker" anchor=".5 0 .2"/></equality>
<contact><exclude body1="crank" body2="rocker"/><exclude body1="coupler" body2="rocker"/></contact>
<actuator><motor joint="crank"/></actuator></mujoco>"""


def four_bar(folder: Path) -> tuple[Any, float, float]:
    """Ten seconds from rest: our solution, MuJoCo's largest gap [m], difference of q after a second [rad]."""
    path = folder / "four_bar.xml"
    path.write_text(FOUR_BAR)
    robot = rk.load(path)
    solution = rk.simulate(robot, robot.neutral(), duration=10.0, output=1e-3)
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.timestep = 1e-4
    model.eq_solref[:, 0], model.eq_solimp[:, :2] = 2e-4, 0.9999  # the stiffest that this step allows
    data, gap, apart = mujoco.MjData(model), 0.0, 0.0
    for step in range(round(10.0 / model.opt.timestep)):
        mujoco.mj_step(model, data)
        gap = max(gap, float(np.abs(data.efc_pos).max()))
        if step + 1 == round(1.0 / model.opt.timestep):
            apart = float(np.abs(data.qpos - solution.at(1.0).q).max())
    return solution, gap, apart


def cassie() -> Any:
    """Two seconds of Cassie hanging by its pelvis, no motor torques: 34 joints, ten gears, six cut joints."""
    found = distribution("example-robot-data").files or ()
    path = next(file for file in found if file.name == "cassie.sdf").locate()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # unphysical inertias in the file
        robot = rk.load(path)
    return rk.simulate(robot, robot.neutral(), duration=2.0)


def report(name: str, solution: Any) -> None:
    """Prints and checks closure residual and energy audit."""
    audit, plan = solution.energy_audit(), solution.robot.closure()
    gap = np.abs(solution.robot.loop_residual(solution.q)[:, list(plan.structure.equations)]).max()
    print(
        f"{name}: {solution.status}; mobility {plan.mobility}, closure residual {gap:.0e}, "
        f"energy error {audit.relative:.0e} of {solution.kinetic_energy.max():.3g} J, "
        f"{audit.dissipated:.3g} J dissipated"
    )
    if plan.slack:
        print(
            f"  redundant equations: residual {solution.residual.max():.0e}, as the file has rounded numbers"
        )
    assert solution.done
    assert gap < 1e-10
    assert solution.residual.max() < max(1e-10, plan.slack)
    assert audit.relative < 1e-8


def draw(solution: Any, times: Any, path: Path) -> None:
    """Configurations side by side; the joints that move most, and those with springs, over time."""
    figure, width = plt.figure(figsize=(11, 6.5)), 1 / len(times)
    boxes = [figure.add_axes((k * width, 0.38, width, 0.56), projection="3d") for k in range(len(times))]
    for ax, t in zip(boxes, times, strict=True):
        step = int(np.argmin(np.abs(solution.t - t)))
        plot(solution.robot, solution.q[step], ax=ax, frames=False, masses=False, legend=False)
        ax.set_title(f"{solution.t[step]:.2f} s")
    joints = {
        joint.name: solution.q[:, solution.robot.q_slices[joint.name].start]
        for joint in solution.robot.joints
    }
    most = sorted(joints, key=lambda name: -np.ptp(joints[name]))[:4]
    springs = [joint.name for joint in solution.robot.joints if joint.stiffness]
    for left, title, names in ((0.06, "largest motions [rad]", most), (0.54, "springs [rad]", springs)):
        ax = figure.add_axes((left, 0.08, 0.28, 0.26))
        for k, name in enumerate(names):  # thinner lines on top: both legs move alike
            ax.plot(solution.t, joints[name], label=name, linewidth=4 / 1.6**k)
        ax.set(xlabel="t [s]", title=title, xlim=(solution.t[0], solution.t[-1]))
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.03), frameon=False, fontsize=8)
    figure.savefig(path, dpi=90)
    plt.close(figure)


def main(folder: Path) -> None:
    swing, gap, apart = four_bar(folder)
    report("four-bar (MJCF)", swing)
    closer = gap / swing.residual.max()
    print(f"  MuJoCo: residual {gap:.0e} m; after a second q differs from ours by {apart:.0e} rad")
    assert closer > 1e9
    assert apart < 0.01
    draw(swing, (0.0, 0.3, 0.6), folder / "four_bar_in_time.png")
    legs = cassie()
    report("Cassie (SDF)", legs)
    draw(legs, (0.0, 0.4, 0.8), folder / "cassie_in_time.png")
    print("four_bar_in_time.png and cassie_in_time.png are in", folder)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
