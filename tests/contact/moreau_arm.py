"""An arm of rods in the plane whose points touch the floor, by Moreau's time stepping, from nothing.

Absolute angles, rods along (-sin phi, cos phi), damping in the joints taken implicitly; points on the floor
z >= 0 with friction mu. Impulses by projected Gauss-Seidel sweeps. No code of ours is used.
"""

import numpy as np

G = 9.81


class MoreauArm:
    """links: how many; ends: links whose far ends may touch; m, l of each rod; D of each joint."""

    def __init__(self, links, ends, m=1.0, l=0.5, D=3.0, mu=0.2) -> None:
        self.n, self.ends, self.m, self.l, self.mu = links, ends, m, l, mu
        self.sum = np.tril(np.ones((links, links)))
        relative = np.linalg.inv(self.sum)
        self.damping = relative.T @ (D * np.eye(links)) @ relative

    def arm(self, i, end):
        """Lever of each link for the middle (or end) of link i."""
        return np.array([self.l] * i + [self.l if end else self.l / 2] + [0.0] * (self.n - i - 1))

    def dynamics(self, phi, w):
        s, c = np.sin(phi), np.cos(phi)
        M, b = np.eye(self.n) * self.m * self.l**2 / 12, self.damping @ w
        for i in range(self.n):
            a = self.arm(i, end=False)
            J = np.array([-a * c, -a * s])
            M = M + self.m * J.T @ J
            b = b + self.m * J.T @ np.array([(a * s * w**2).sum(), G - (a * c * w**2).sum()])
        return M, b

    def points(self, phi):
        """Heights and Jacobians (rows: along the floor, upward) of the points that may touch."""
        rows, heights = [], []
        for i in self.ends:
            a = self.arm(i, end=True)
            rows.append(np.array([-a * np.cos(phi), -a * np.sin(phi)]))
            heights.append(float((a * np.cos(phi)).sum()))
        return np.array(heights), np.array(rows)

    def motion(self, q, v, duration, h):
        """Relative angles and rates at the end, and the words of each step: points that carry."""
        phi, w, closed = self.sum @ q, self.sum @ v, []
        for _ in range(round(duration / h)):
            middle = phi + 0.5 * h * w
            M, b = self.dynamics(middle, w)
            inverse = np.linalg.inv(M + h * self.damping)
            w_free = w - h * inverse @ b
            heights, J = self.points(middle)
            near = [k for k in range(len(heights)) if heights[k] <= 1e-12 + 0.5 * h * 1e-3]
            w_new, P = self._impulses(inverse, w_free, J, near)
            phi, w = phi + 0.5 * h * (w + w_new), w_new
            closed.append(tuple(k for k in near if P[k, 1] > 0))
            heights, J = self.points(phi)
            touching = [k for k in near if P[k, 1] > 0]
            if touching:  # gaps of what carried are removed
                rows = J[touching, 1]
                phi = phi - np.linalg.pinv(rows) @ heights[touching]
        back = np.linalg.inv(self.sum)
        return back @ phi, back @ w, closed

    def _impulses(self, inverse, w, J, near):
        P = np.zeros((len(J), 2))
        for _ in range(2000):
            before = P.copy()
            for k in near:
                for row in (1, 0):
                    A = J[k, row] @ inverse @ J[k, row]
                    new = P[k, row] - (J[k, row] @ w) / A
                    most = self.mu * P[k, 1]
                    new = max(new, 0.0) if row else float(np.clip(new, -most, most))
                    w = w + inverse @ J[k, row] * (new - P[k, row])
                    P[k, row] = new
            if np.abs(P - before).max() < 1e-14:
                break
        return w, P
