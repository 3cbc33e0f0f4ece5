"""A satellite catches a body of uncertain mass and inertia: how far does the satellite rotate?

`rk.sweep` runs the capture for random targets, each with a random generator of its own: any number of workers
gives the same bits. The momentum of both bodies is kept in every run.
"""

import numpy as np

import rikigaku as rk
from rikigaku import space


def target_of(mass: float, gyration: np.ndarray) -> rk.Robot:
    """A free body with that mass [kg] and these radii of gyration [m]; its grip is 0.4 m from its centre."""
    moments = mass * gyration**2
    inertia = rk.Inertia("com", mass, (0, 0, 0), (moments[0], 0, 0, moments[1], 0, moments[2]))
    body = rk.Link("body", "base", rk.Joint("float", "free"), rk.Placement(), inertia)
    frame = rk.Frame("grip", "body", rk.Placement((0.0, 0.0, 0.4)))
    return rk.Robot("target", (body,), frames=(frame,)).with_gravity((0, 0, 0))


def catch(mean_mass: float, random: np.random.Generator) -> dict[str, float]:
    """One capture: rotation of the satellite [deg] in 20 s, lost energy [J], error of the momentum."""
    sat = rk.load("space_arm_6")
    mass = mean_mass * random.uniform(0.8, 1.2)
    target = target_of(mass, random.uniform(0.3, 0.5, 3))
    q = sat.neutral()
    q[7:] = [0.2, 0.5, -0.3, 0.3, 0.9, 0.1]
    body = sat.pose(q, "hand") @ np.linalg.inv(target.pose(target.neutral(), "grip"))
    target_q, target_v = space.coordinates_of(body), random.normal(size=6) * [0.02] * 6
    before = target.momentum(target_q, target_v, about="world")
    caught = space.capture(sat, q, np.zeros(sat.nv), "hand", target, target_q, target_v, "grip")
    brake = np.array([400.0, 400.0, 300.0, 80.0, 80.0, 40.0])
    gain = np.zeros((6, caught.robot.nq + caught.robot.nv))
    gain[:, -6:] = -np.diag(brake)
    policy = rk.LinearPolicy(caught.robot, gain)
    held = caught.robot.rollout(caught.q, caught.v, policy, steps=2000, dt=0.01, method="implicit", every=0)
    after = caught.robot.momentum(held.q[0], held.v[0], about="world")
    turned = 2 * np.arccos(min(abs(held.q[0, 3]), 1.0))
    return {
        "mass": mass,
        "rotation": float(np.degrees(turned)),
        "lost": float(caught.energy_loss),
        "momentum": float(np.abs(after - before).max() / np.abs(before).max()),
    }


def main() -> None:
    study = rk.sweep(catch, [50.0, 200.0] * 12, seed=1)
    assert not study.failures, study.failures
    assert study["momentum"].max() < 1e-2  # of a method of first order
    assert (study["lost"] >= 0).all()
    for mean in (50.0, 200.0):
        rotation = study["rotation"][np.abs(study["mass"] - mean) < 0.25 * mean]
        low, middle, high = np.quantile(rotation, [0.05, 0.5, 0.95])
        print(f"{mean:.0f} kg: the satellite rotates by {middle:.1f} deg (90 %: {low:.1f} to {high:.1f})")


if __name__ == "__main__":
    main()
