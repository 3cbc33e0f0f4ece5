"""A quadruped with random payload on a random floor lands and stands under PD control, many at once.

Payload and its place are symbols of one robot, and each world has values of them and a friction of its own:
one call steps all worlds by one compiled program. Contacts are computed by fixed steps with exact Coulomb
friction.
"""

import numpy as np

import rikigaku as rk

WORLDS = 100
HIPS = {"fl": (0.2, 0.12), "fr": (0.2, -0.12), "hl": (-0.2, 0.12), "hr": (-0.2, -0.12)}
STANCE = [0.7, -1.4]  # hip and knee [rad]


def quadruped() -> rk.Robot:
    """A trunk of 8 kg on four legs of two joints; the payload [kg] lies `ahead` [m] of the trunk's centre."""
    mass, centre = "8 + payload", "payload*ahead/(8 + payload)"
    pitch = "0.16 + 8*payload*ahead^2/(8 + payload)"  # about the centre of mass of both
    trunk = rk.Inertia("com", mass, (centre, 0, 0), (0.08, 0, 0, pitch, 0, 0.2))
    links = [rk.Link("trunk", "base", rk.Joint("float", "free"), rk.Placement(), trunk)]
    frames = []
    for name, (x, y) in HIPS.items():
        thigh = rk.Inertia("com", 0.6, (0, 0, -0.1), (0.002, 0, 0, 0.002, 0, 0.0005))
        shank = rk.Inertia("com", 0.2, (0, 0, -0.1), (0.0007, 0, 0, 0.0007, 0, 0.0001))
        hip, knee = (rk.Joint(f"{name}_{part}", "revolute", axis=(0, 1, 0)) for part in ("hip", "knee"))
        links.append(rk.Link(f"{name}_thigh", "trunk", hip, rk.Placement((x, y, 0)), thigh))
        links.append(rk.Link(f"{name}_shank", f"{name}_thigh", knee, rk.Placement((0, 0, -0.2)), shank))
        frames.append(rk.Frame(f"{name}_foot", f"{name}_shank", rk.Placement((0, 0, -0.2))))
    symbols = rk.Symbol("payload", 0, "kg"), rk.Symbol("ahead", 0, "m")
    return rk.Robot("quadruped", tuple(links), frames=tuple(frames), symbols=symbols)


def main() -> None:
    robot, random = quadruped(), np.random.default_rng(3)
    payload, ahead, friction = random.uniform([0, -0.1, 0.2], [4, 0.1, 0.9], (WORLDS, 3)).T
    q = robot.neutral()
    q[7:] = STANCE * 4
    q[2] = 0.05 - robot.pose(q, "fl_foot")[2, 3]  # the feet are 5 cm above the floor
    floor = [rk.Contact(f"{name}_foot", rk.Plane(), 0.5) for name in HIPS]
    control = rk.PD(robot, q, np.r_[np.zeros(6), np.full(8, 40.0)], np.r_[np.zeros(6), np.full(8, 2.0)])
    motion = robot.rollout(
        q, None, control, steps=500, dt=2e-3, contacts=floor, friction=friction, every=50,
        parameters={"payload": payload, "ahead": ahead},
    )  # fmt: skip
    assert motion.status == "done", motion.status
    height = motion.q[-1, :, 2]
    tilt = 2 * np.arccos(np.minimum(np.abs(motion.q[-1, :, 3]), 1.0))
    feet = np.stack([robot.pose(motion.q[2:], f"{name}_foot")[..., :2, 3] for name in HIPS])
    slip = np.abs(feet - feet[:, -1:]).max(axis=(0, 1, 3))
    heavy = payload > np.median(payload)
    low, high = height[heavy].mean(), height[~heavy].mean()
    print(
        f"{WORLDS} landings: trunk at {100 * low:.1f} cm with heavy payloads, {100 * high:.1f} cm with light"
    )
    print(f"tilt up to {np.degrees(tilt.max()):.1f} deg, feet slip up to {1000 * slip.max():.0f} mm")
    assert low < high
    assert tilt.max() < 0.3


if __name__ == "__main__":
    main()
