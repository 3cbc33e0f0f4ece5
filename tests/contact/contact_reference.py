"""Points on surfaces by Pinocchio, SymPy and NumPy alone: KKT equations of contacts that slide or stick."""

from typing import NamedTuple

import numpy as np
import pinocchio as pin
import pose_reference as reference
import sympy
from pinocchio_tree import Tree, pose

Array = np.ndarray
_X = (*sympy.symbols("x y z"), sympy.Symbol("t"))


class Kinematics(NamedTuple):
    """Place, velocity, dJ/dt v and Jacobian of a point, in our order of coordinates."""

    r: Array
    rate: Array
    bend: Array
    J: Array


class OnSurface:
    """The surface C(x, y, z, t) = 0 with its derivatives by SymPy."""

    def __init__(self, C) -> None:
        C = sympy.sympify(C) if isinstance(C, (int, float)) else C
        places, t = _X[:3], _X[3]
        self.C = sympy.lambdify(_X, C, "numpy")
        self.gradient = sympy.lambdify(_X, [C.diff(a) for a in places], "numpy")
        self.hessian = sympy.lambdify(_X, [[C.diff(a, b) for b in places] for a in places], "numpy")
        self.rates = sympy.lambdify(_X, [C.diff(t), C.diff(t, t), *[C.diff(a, t) for a in places]], "numpy")

    def rows(self, k: Kinematics, t: float) -> tuple[Array, Array, float, float]:
        """Unit normal, row over v, what v must make of it, and the drift."""
        at = (*k.r, t)
        C_r, C_rr = np.array(self.gradient(*at), float), np.array(self.hessian(*at), float)
        C_t, C_tt, *C_rt = (float(x) for x in self.rates(*at))
        size = np.linalg.norm(C_r)
        sigma = k.rate @ C_rr @ k.rate + C_r @ k.bend + 2 * np.array(C_rt) @ k.rate + C_tt
        return C_r / size, C_r @ k.J / size, -C_t / size, sigma / size


class Contacts:
    """A robot whose frames touch surfaces, in Pinocchio: points is a list of (frame, SymPy expression)."""

    def __init__(self, robot, points) -> None:
        self.robot, self.tree = robot, Tree(robot)
        self.surfaces = [OnSurface(C) for _, C in points]
        self.ids = [self._frame(frame) for frame, _ in points]
        self.tree.data = self.tree.model.createData()

    def _frame(self, name: str) -> int:
        place = self.robot.frame(name)
        joint, X = self.tree.places[place.link]
        on_link = pose(reference.steps_pose((*place.geometry.before(), *place.geometry.after())))
        return self.tree.model.addFrame(pin.Frame(f"p {name}", joint, 0, X * on_link, pin.FrameType.OP_FRAME))

    def kinematics(self, i: int, q: Array, v: Array) -> Kinematics:
        tree, L, frame = self.tree, self.tree.layout, self.ids[i]
        model, data = tree.model, tree.data
        pin.forwardKinematics(model, data, L.q(q), L.v(q, v), L.a(q, v, np.zeros(self.robot.nv)))
        pin.updateFramePlacements(model, data)
        axes = pin.LOCAL_WORLD_ALIGNED
        bend = pin.getFrameClassicalAcceleration(model, data, frame, axes).linear.copy()
        rate = pin.getFrameVelocity(model, data, frame, axes).linear.copy()
        J = pin.computeFrameJacobian(model, data, L.q(q), frame, axes)[:3]
        pin.updateFramePlacements(model, data)
        return Kinematics(data.oMf[frame].translation.copy(), rate, bend, tree.ours(J.T).T)

    def loop_rows(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Rows of the loops and their drifts: differences of sixth order along v."""
        if not self.robot.loops:
            return np.zeros((0, self.robot.nv)), np.zeros(0)
        h = 2e-3
        weights = {1: 45, 2: -9, 3: 1}
        moved = {
            k: self.tree.loop_jacobian(self.robot.tree.integrate(q, k * h * v)) @ v for k in range(-3, 4)
        }
        drift = sum(w * (moved[k] - moved[-k]) for k, w in weights.items()) / (60 * h)
        return self.tree.loop_jacobian(q), drift

    def allowed(self, q: Array, v: Array, t: float, stuck: tuple[int, ...] = ()) -> Array:
        """v made to keep contacts and loops; points named in stuck stand still."""
        rows, _ = self.loop_rows(q, v)
        right = [0.0] * len(rows)
        for i, surface in enumerate(self.surfaces):
            k = self.kinematics(i, q, v)
            _, row, goal, _ = surface.rows(k, t)
            rows = np.vstack([rows, k.J if i in stuck else row[None]])
            right += [0.0] * 3 if i in stuck else [goal]
        return v + np.linalg.lstsq(rows, np.array(right) - rows @ v, rcond=1e-10)[0]

    def solve(
        self, q: Array, v: Array, tau: Array, mu: list[float], viscous: Array, t: float = 0.0, stuck=()
    ):
        """a and the force on the robot at each point; friction mu abs(f_n) against sliding, by its side."""
        sides = [1.0] * len(mu)
        for _ in range(2 ** len(mu) + 1):
            a, forces, normal = self._solve(q, v, tau, np.array(mu) * sides, viscous, t, stuck)
            turned = [1.0 if f >= 0 else -1.0 for f in normal]
            if turned == sides:
                return a, forces, normal
            sides = turned
        raise AssertionError("no side of the bilateral contacts fits")

    def _solve(self, q, v, tau, K, viscous, t, stuck):
        nv = self.robot.nv
        R, drift = self.loop_rows(q, v)
        G = R.copy()
        columns = []
        for i, surface in enumerate(self.surfaces):
            k = self.kinematics(i, q, v)
            n, row, _, bend = surface.rows(k, t)
            if i in stuck:
                columns.append((i, k.J, np.eye(3), k.J.copy(), k.bend))
                continue
            slide = k.rate - n * (n @ k.rate)
            th = slide / np.linalg.norm(slide)
            force = n - K[i] * th
            columns.append((i, row[None], force[:, None], (force @ k.J)[None], np.array([bend])))
        for _, row, _, g, bend in columns:
            R, G, drift = np.vstack([R, row]), np.vstack([G, g]), np.r_[drift, bend]
        M = self.tree.mass_matrix(q)
        b = self.tree.forces(q, v, np.zeros(nv)) + viscous * v
        left = np.block([[M, -G.T], [R, np.zeros((len(R), len(R)))]])
        x = np.linalg.lstsq(left, np.r_[tau - b, -drift], rcond=1e-11)[0]
        forces, normal, at = [], [], nv + len(R) - sum(len(c[1]) for c in columns)
        for i, row, axes, _, _ in columns:
            f = axes @ x[at : at + len(row)]
            n = self.surfaces[i].rows(self.kinematics(i, q, v), t)[0]
            forces.append(f)
            normal.append(float(f @ n))
            at += len(row)
        return x[:nv], np.array(forces), np.array(normal)
