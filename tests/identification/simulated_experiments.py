"""Experiments of simulated robots with friction, offsets and coloured noise; true parameters are known."""

import warnings
from dataclasses import replace
from functools import cache

import numpy as np
from scipy.signal import lfilter

import rikigaku as rk

OFFSET = 0.3


@cache
def robot(name):
    """A shipped robot with feasible inertias, friction and rotors."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = rk.load(name)
        body = rk.Inertia("com", 3.0, (0, 0, 0), (0.3, 0, 0, 0.3, 0, 0.35))  # the Puma's file has none here
        links = [replace(link, inertia=body) if link.name == "link1" else link for link in found.links]
        found = replace(found, links=tuple(links)).check_inertias(repair="nearest")
    links = []
    for k, link in enumerate(found.links):
        joint = replace(link.joint, viscous=2 / (k + 1), coulomb=1.5 / (k + 1), rotor=0.2 / (k + 1))
        links.append(link if link.joint.type == "fixed" else replace(link, joint=joint))
    return replace(found, links=tuple(links))


def motion(n, duration=20.0, rate=500.0, seed=1, speed=1.5):
    """t, q, v, a of Fourier series with five harmonics of 0.1 Hz."""
    rng = np.random.default_rng(seed)
    t = np.arange(0, duration, 1 / rate)
    w = 2 * np.pi * 0.1 * np.arange(1, 6)
    a, b = rng.normal(size=(2, n, 5))
    s, c = np.sin(t[:, None] * w), np.cos(t[:, None] * w)
    v = c @ a.T + s @ b.T
    scale = speed / np.abs(v).max(axis=0)
    q = rng.uniform(-0.5, 0.5, n) + scale * (s @ (a / w).T - c @ (b / w).T)
    return t, q, scale * v, scale * (-(s * w) @ a.T + (c * w) @ b.T)


def torques(found, q, v, a):
    return np.asarray(found.inverse_dynamics(q, v, a)) + OFFSET


def coloured(rng, shape, size=0.2, pole=0.9):
    return size * lfilter([1.0], [1.0, -pole], rng.normal(size=shape), axis=0)


def truth(result, found):
    """True parameters of the measurement model: base parameters, then offsets."""
    own = found.parameters(joint_parameters=True)
    base = result.base.regrouping @ [own[name] for name in result.base.parameters]
    return np.append(base, np.full(found.nv, OFFSET))
