"""Two robots with loops from files of other programs, left to swing: a four-bar (MJCF), Cassie (SDF).

Loops stay closed and the energy is accounted for; MuJoCo follows the same four-bar for comparison. Pictures
go into the folder given on the command line (or the current one). Cassie's file is example-robot-data's.
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
    """Ten seconds from rest: our motion, MuJoCo's largest gap [m], how far apart they are after a second."""
    path = folder / "four_bar.xml"
    path.write_text(FOUR_BAR)
    robot = rk.load(path)
    motion = rk.simulate(robot, robot.neutral(), duration=10.0, output=1e-3)
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.timestep = 1e-4
    model.eq_solref[:, 0], model.eq_solimp[:, :2] = 2e-4, 0.9999  # as stiff as that step bears
    data, gap, apart = mujoco.MjData(model), 0.0, 0.0
    for step in range(round(10.0 / model.opt.timestep)):
        mujoco.mj_step(model, data)
        gap = max(gap, float(np.abs(data.efc_pos).max()))
        if step + 1 == round(1.0 / model.opt.timestep):
            apart = float(np.abs(data.qpos - motion.at(1.0).q).max())
    return motion, gap, apart


def cassie() -> Any:
    """Two seconds of Cassie hung by its pelvis, motors limp: 34 joints, ten gearboxes, six cuts, springs."""
    found = distribution("example-robot-data").files or ()
    path = next(file for file in found if file.name == "cassie.sdf").locate()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # inertias of the file that no body can have
        robot = rk.load(path)
    return rk.simulate(robot, robot.neutral(), duration=2.0)


def told(name: str, motion: Any) -> None:
    audit, plan = motion.energy_audit(), motion.robot.closure()
    gap = np.abs(motion.robot.loop_residual(motion.q)[:, list(plan.places.rows)]).max()
    print(
        f"{name}: {motion.status}; mobility {plan.mobility}, loops open by {gap:.0e} at most, energy kept to "
        f"{audit.relative:.0e} of {motion.kinetic_energy.max():.3g} J, {audit.dissipated:.3g} J became heat"
    )
    if plan.slack:
        print(f"  equations too many open by {motion.residual.max():.0e}: its numbers are rounded")
    assert motion.done
    assert gap < 1e-10
    assert motion.residual.max() < max(1e-10, plan.slack)
    assert audit.relative < 1e-8


def draw(motion: Any, times: Any, path: Path) -> None:
    """Postures side by side; the joints that move most, and those with springs, over time."""
    figure, width = plt.figure(figsize=(11, 6.5)), 1 / len(times)
    boxes = [figure.add_axes((k * width, 0.38, width, 0.56), projection="3d") for k in range(len(times))]
    for ax, t in zip(boxes, times, strict=True):
        step = int(np.argmin(np.abs(motion.t - t)))
        plot(motion.robot, motion.q[step], ax=ax, frames=False, masses=False, legend=False)
        ax.set_title(f"{motion.t[step]:.2f} s")
    joints = {
        joint.name: motion.q[:, motion.robot.q_slices[joint.name].start] for joint in motion.robot.joints
    }
    most = sorted(joints, key=lambda name: -np.ptp(joints[name]))[:4]
    springs = [joint.name for joint in motion.robot.joints if joint.stiffness]
    for left, title, names in ((0.06, "most moved [rad]", most), (0.54, "springs [rad]", springs)):
        ax = figure.add_axes((left, 0.08, 0.28, 0.26))
        for k, name in enumerate(names):  # ever thinner: one leg moves like the other, and both shall be seen
            ax.plot(motion.t, joints[name], label=name, linewidth=4 / 1.6**k)
        ax.set(xlabel="t [s]", title=title, xlim=(motion.t[0], motion.t[-1]))
        beside = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.03)}  # where no curve runs
        ax.legend(**beside, frameon=False, fontsize=8)
    figure.savefig(path, dpi=90)
    plt.close(figure)


def main(folder: Path) -> None:
    swing, gap, apart = four_bar(folder)
    told("four-bar (MJCF)", swing)
    closer = gap / swing.residual.max()
    print(f"  MuJoCo's loop opens by {gap:.0e} m; after a second it is {apart:.0e} rad away from ours")
    assert closer > 1e9
    assert apart < 0.01
    draw(swing, (0.0, 0.3, 0.6), folder / "four_bar_in_time.png")
    legs = cassie()
    told("Cassie (SDF)", legs)
    draw(legs, (0.0, 0.4, 0.8), folder / "cassie_in_time.png")
    print("four_bar_in_time.png and cassie_in_time.png are in", folder)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
