"""A quadruped with random payload and random floor lands and stands under PD control.

Each item of the sweep is a robot of its own; they differ in numbers only, so that one compiled program serves
all of them. Contacts are computed by fixed steps with exact Coulomb friction.
"""

import numpy as np

import rikigaku as rk

HIPS = {"fl": (0.2, 0.12), "fr": (0.2, -0.12), "hl": (-0.2, 0.12), "hr": (-0.2, -0.12)}
STANCE = [0.7, -1.4]  # hip and knee [rad]


def quadruped(payload: float, ahead: float) -> rk.Robot:
    """A trunk of 8 kg on four legs of two joints; the payload [kg] lies `ahead` [m] of the trunk's centre."""
    mass = 8.0 + payload
    centre = payload * ahead / mass
    trunk = rk.Inertia("com", mass, (centre, 0, 0), (0.08, 0, 0, 0.16 + payload * ahead**2, 0, 0.2))
    links = [rk.Link("trunk", "base", rk.Joint("float", "free"), rk.Placement(), trunk)]
    frames = []
    for name, (x, y) in HIPS.items():
        thigh = rk.Inertia("com", 0.6, (0, 0, -0.1), (0.002, 0, 0, 0.002, 0, 0.0005))
        shank = rk.Inertia("com", 0.2, (0, 0, -0.1), (0.0007, 0, 0, 0.0007, 0, 0.0001))
        hip, knee = (rk.Joint(f"{name}_{part}", "revolute", axis=(0, 1, 0)) for part in ("hip", "knee"))
        links.append(rk.Link(f"{name}_thigh", "trunk", hip, rk.Placement((x, y, 0)), thigh))
        links.append(rk.Link(f"{name}_shank", f"{name}_thigh", knee, rk.Placement((0, 0, -0.2)), shank))
        frames.append(rk.Frame(f"{name}_foot", f"{name}_shank", rk.Placement((0, 0, -0.2))))
    return rk.Robot("quadruped", tuple(links), frames=tuple(frames))


def landing(item: int, random: np.random.Generator) -> dict[str, float]:
    """One landing: payload, friction, height [m] and tilt [rad] of the trunk, largest way of a foot [m]."""
    payload, ahead, friction = random.uniform([0, -0.1, 0.2], [4, 0.1, 0.9])
    robot = quadruped(payload, ahead)
    q = robot.neutral()
    q[7:] = STANCE * 4
    q[2] = 0.05 - robot.pose(q, "fl_foot")[2, 3]  # the feet are 5 cm above the floor
    floor = [rk.Contact(f"{name}_foot", rk.Plane(), friction) for name in HIPS]
    control = rk.PD(robot, q, np.r_[np.zeros(6), np.full(8, 40.0)], np.r_[np.zeros(6), np.full(8, 2.0)])
    motion = robot.rollout(q, None, control, steps=500, dt=2e-3, contacts=floor, every=50)
    feet = np.stack([robot.pose(motion.q[2:, 0], f"{name}_foot")[:, :2, 3] for name in HIPS])
    height = float(motion.q[-1, 0, 2])
    tilt = float(2 * np.arccos(min(abs(motion.q[-1, 0, 3]), 1.0)))
    slip = float(np.abs(feet - feet[:, -1:]).max())
    return {"payload": payload, "friction": friction, "height": height, "tilt": tilt, "slip": slip}


def main() -> None:
    study = rk.sweep(landing, range(12), seed=3)
    assert not study.failures, study.failures
    heavy = study["payload"] > np.median(study["payload"])
    low, high = study["height"][heavy].mean(), study["height"][~heavy].mean()
    print(f"12 landings: trunk at {100 * low:.1f} cm with heavy payloads, {100 * high:.1f} cm with light")
    tilt, slip = np.degrees(study["tilt"].max()), 1000 * study["slip"].max()
    print(f"tilt up to {tilt:.1f} deg, feet slip up to {slip:.0f} mm")
    assert low < high
    assert study["tilt"].max() < 0.3


if __name__ == "__main__":
    main()
