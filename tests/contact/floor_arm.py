"""The three-link arm on a floor written down again from nothing: absolute angles, KKT equations, SciPy.

Uniform rods, mass m, length l, links along (-sin phi, cos phi); damping D in the joints; the tip on z = 0
with friction K abs(f_n), set-valued at rest. No code of ours is used: an oracle for its motion.
"""

import numpy as np
from scipy.integrate import solve_ivp

G, L = 9.81, 0.5
START = np.array([-np.pi / 6, -np.pi / 3, -np.pi / 3])
_SUM = np.tril(np.ones((3, 3)))  # absolute rates from relative ones


class FloorArm:
    def __init__(self, m=1.0, D=3.0, K=0.2, tau=lambda t: np.zeros(3)) -> None:
        self.m, self.D, self.K, self.tau = m, D, K, tau

    def terms(self, q, v):
        """M, forces of motion and weight, Jacobian of the tip (2 x 3), its drift, its place."""
        phi, w = np.cumsum(q), np.cumsum(v)
        s, c = np.sin(phi), np.cos(phi)
        M, b = np.eye(3) * self.m * L * L / 12, np.zeros(3)
        for i in range(3):
            arm = np.array([L] * i + [L / 2] + [0.0] * (2 - i))
            J = np.array([-arm * c, -arm * s])
            M = M + self.m * J.T @ J
            b = b + self.m * J.T @ np.array([(arm * s * w**2).sum(), G - (arm * c * w**2).sum()])
        J = np.array([-L * c, -L * s]) @ _SUM
        drift = np.array([(L * s * w**2).sum(), -(L * c * w**2).sum()])
        return _SUM.T @ M @ _SUM, _SUM.T @ b, J, drift, np.array([-L * s.sum(), L * c.sum()])

    def sliding(self, t, q, v, way, side):
        """Accelerations and normal force while the tip slides one way, pressing (+1) or pulling."""
        M, b, J, drift, _ = self.terms(q, v)
        force = J[1] - side * self.K * way * J[0]
        left = np.block([[M, -force[:, None]], [J[1][None], np.zeros((1, 1))]])
        return np.linalg.solve(left, np.r_[self.tau(t) - b - self.D * v, -drift[1]])

    def sticking(self, t, q, v):
        """Accelerations, tangential and normal force."""
        M, b, J, drift, _ = self.terms(q, v)
        left = np.block([[M, -J.T], [J, np.zeros((2, 2))]])
        return np.linalg.solve(left, np.r_[self.tau(t) - b - self.D * v, -drift])

    def motion(self, duration):
        """State at the end, and times and kinds of events."""
        t, y, events = 0.0, np.r_[START, np.zeros(3)], []
        mode = self._next(t, y, can_stick=True)
        while t < duration:
            rate, stop = self._mode(t, mode)
            stop.terminal, stop.direction = True, -1
            done = solve_ivp(rate, (t, duration), y, "LSODA", rtol=1e-10, atol=1e-12, events=[stop])
            t, y = float(done.t[-1]), done.y[:, -1]
            if done.status == 1:  # the tip is at rest at every change of mode
                J = self.terms(y[:3], y[3:])[2]
                y[3:] -= np.linalg.pinv(J) @ J @ y[3:]
                events.append((t, "stops" if mode[0] == "slide" else "slips"))
                mode = self._next(t, y, can_stick=mode[0] == "slide")
        return y[:3], events

    def _mode(self, began, mode):
        """Rates of the state, and what falls to zero where the mode ends."""
        if mode[0] == "stick":
            return lambda t, y: np.r_[y[3:], self.sticking(t, y[:3], y[3:])[:3]], lambda t, y: self._spare(
                t, y
            )
        _, way, side = mode

        def speed(t, y):
            return 1.0 if t < began + 1e-6 else way * (self.terms(y[:3], y[3:])[2] @ y[3:])[0]

        return lambda t, y: np.r_[y[3:], self.sliding(t, y[:3], y[3:], way, side)[:3]], speed

    def _spare(self, t, y):
        *_, f_t, f_n = self.sticking(t, y[:3], y[3:])
        return self.K * abs(f_n) - abs(f_t)

    def _next(self, t, y, can_stick):
        if can_stick and self._spare(t, y) >= 0:
            return ("stick",)
        _, _, J, drift, _ = self.terms(y[:3], y[3:])
        fits = []
        for way in (1, -1):
            for side in (1, -1):
                x = self.sliding(t, y[:3], y[3:], way, side)
                if side * x[3] >= 0:
                    fits.append((way * (J @ x[:3] + drift)[0], way, side))
        gain, way, side = max(fits)
        assert gain > -1e-6, "no mode fits"  # where sliding begins it does not accelerate yet
        return ("slide", way, side)
