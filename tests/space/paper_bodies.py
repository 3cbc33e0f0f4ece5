"""The paper's symbols at a configuration: r_i, p_i from the satellite's centre of mass, Z_i, m_i, I_i."""

import numpy as np
from pose_reference import about_center

import rikigaku as rk

Array = np.ndarray


class Bodies:
    """An arm of n revolute joints on a satellite (body 0), inertial axes, from poses and inertias."""

    def __init__(self, robot: rk.Robot, q: Array) -> None:
        inertias = [about_center(link.inertia) for link in robot.links]
        found = dict(zip(robot.frame_names, robot.poses(q), strict=True))
        poses = [found[link.name] for link in robot.links]
        centers = [X[:3, 3] + X[:3, :3] @ c for X, (_, c, _) in zip(poses, inertias, strict=True)]
        origin = centers[0]
        self.n = len(poses) - 1
        self.arm = range(1, self.n + 1)
        self.m = [x[0] for x in inertias]
        self.w = sum(self.m)
        self.I = [X[:3, :3] @ tensor @ X[:3, :3].T for X, (_, _, tensor) in zip(poses, inertias, strict=True)]
        self.r = [c - origin for c in centers]
        self.p = [X[:3, 3] - origin for X in poses]  # a joint is at its link's origin
        self.p[0] = 0 * origin
        self.Z = [X[:3, 2] for X in poses]
        self.p_E = found["hand"][:3, 3] - origin
        self.r_G = sum(m * r for m, r in zip(self.m, self.r, strict=True)) / self.w
        self.R = poses[0][:3, :3]
