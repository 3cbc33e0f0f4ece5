"""Robots of free bodies, for contacts of shapes."""

import rikigaku as rk


def free(name, m=1.0, inertia=(0.01, 0, 0, 0.01, 0, 0.01), com=(0, 0, 0)):
    """A body that moves freely; q = (position, quaternion), v in body axes."""
    joint = rk.Joint(f"{name}_fly", "free")
    return rk.Link(name, "base", joint, rk.Placement(), rk.Inertia("com", m, com, inertia))


def ball(name="ball", radius=0.1, m=2.0):
    """A homogeneous ball."""
    I = 0.4 * m * radius**2
    return free(name, m, (I, 0, 0, I, 0, I))


def pair():
    """Two free bodies of general inertia, each with a frame away from its origin."""
    inertia, com = (0.02, 0.001, 0, 0.03, 0, 0.04), (0.02, 0.01, -0.03)
    frames = (
        rk.Frame("fa", "a", rk.Placement((0.1, 0.05, -0.2), (0.3, 0.2, 0.5))),
        rk.Frame("fb", "b", rk.Placement((-0.1, 0.2, 0.1), (0.1, -0.7, 0.4))),
    )
    return rk.Robot("pair", (free("a", 1.3, inertia, com), free("b", 0.7, inertia, com)), frames)


def balance(solution):
    """Energy less work, relative to the largest kinetic energy: its range over the motion."""
    energy = solution.kinetic_energy + solution.potential_energy + solution.dissipated - solution.work
    return (energy.max() - energy.min()) / solution.kinetic_energy.max()
