"""First steps: load a robot, evaluate its laws, for one state and for a thousand."""

import numpy as np

import rikigaku as rk


def main() -> None:
    arm = rk.load("panda")
    q, v, a = np.random.default_rng(0).uniform(-1, 1, (3, arm.nv))

    tau = arm.inverse_dynamics(q, v, a)
    M, h, g = arm.mass_matrix(q), arm.velocity_forces(q, v), arm.gravity_forces(q)
    friction = arm.inverse_dynamics(q, v, a) - arm.inverse_dynamics(q, v, a, friction=False)
    assert np.allclose(tau, M @ a + h + g + friction)  # the equation of motion, part by part
    assert np.allclose(arm.forward_dynamics(q, v, tau), a)  # and back again

    J = arm.jacobian(q, "hand")  # linear rows first, world axes
    print("velocity of the hand [m/s, rad/s]:", np.round(J @ v, 3))

    slope = arm.inverse_dynamics.derivative(q, v, a)
    assert np.allclose(slope.a, M)  # the derivative with respect to a is the mass matrix

    many = np.random.default_rng(1).uniform(-1, 1, (3, 1000, arm.nv))
    print("torques of 1000 states:", arm.inverse_dynamics(*many).shape)
    print("one state takes", arm.inverse_dynamics.operations)


if __name__ == "__main__":
    main()
