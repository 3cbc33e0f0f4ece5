"""A point on a surface by Pinocchio and NumPy alone: KKT equations of a bilateral contact that slides."""

import numpy as np
import pinocchio as pin
import sympy
from pinocchio_tree import pinocchio_tree

Array = np.ndarray
_X = sympy.symbols("x y z")


class PointOnSurface:
    """C is a SymPy expression of x, y, z; the point is the frame's place on Pinocchio's joint."""

    def __init__(self, robot, frame: str, C) -> None:
        self.robot, self.tree = robot, pinocchio_tree(robot)
        place = robot.frame(frame)
        joint, X = self.tree.places[place.link]
        import pose_reference as reference
        from pinocchio_tree import pose

        geometry = place.geometry
        on_link = pose(reference.steps_pose((*geometry.before(), *geometry.after())))
        self.id = self.tree.model.addFrame(
            pin.Frame(f"p {frame}", joint, 0, X * on_link, pin.FrameType.OP_FRAME)
        )
        self.tree.data = self.tree.model.createData()
        self.C = sympy.lambdify(_X, C, "numpy")
        self.gradient = sympy.lambdify(_X, [C.diff(a) for a in _X], "numpy")
        self.hessian = sympy.lambdify(_X, [[C.diff(a, b) for b in _X] for a in _X], "numpy")

    def kinematics(self, q: Array, v: Array):
        """r, r', dJ/dt v, J in our order."""
        tree, L = self.tree, self.tree.layout
        model, data = tree.model, tree.data
        zero = np.zeros(model.nv)
        pin.forwardKinematics(model, data, L.q(q), L.v(q, v), L.a(q, v, zero[: self.robot.nv]))
        pin.updateFramePlacements(model, data)
        axes = pin.LOCAL_WORLD_ALIGNED
        bend = pin.getFrameClassicalAcceleration(model, data, self.id, axes).linear.copy()
        rate = pin.getFrameVelocity(model, data, self.id, axes).linear.copy()
        J = pin.computeFrameJacobian(model, data, L.q(q), self.id, axes)[:3]
        pin.updateFramePlacements(model, data)
        return data.oMf[self.id].translation.copy(), rate, bend, tree.ours(J.T).T

    def solve(self, q: Array, v: Array, tau: Array, K: float, viscous: Array):
        """a and f_n with friction K f_n against the sliding direction."""
        tree = self.tree
        r, rate, bend, J = self.kinematics(q, v)
        C_r, C_rr = np.array(self.gradient(*r), float), np.array(self.hessian(*r), float)
        n = C_r / np.linalg.norm(C_r)
        slide = rate - n * (n @ rate)
        th = slide / np.linalg.norm(slide)
        sigma = rate @ C_rr @ rate + C_r @ bend
        M = tree.mass_matrix(q)
        b = tree.forces(q, v, np.zeros(self.robot.nv)) + viscous * v
        nv = self.robot.nv
        left = np.block([[M, -(J.T @ (n - K * th))[:, None]], [(C_r @ J)[None], np.zeros((1, 1))]])
        x = np.linalg.solve(left, np.r_[tau - b, -sigma])
        return x[:nv], x[nv], n, th
