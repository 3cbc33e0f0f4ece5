"""Random friction problems: Delassus matrices of points on bodies, and a check of Coulomb's law."""

import numpy as np

from rikigaku.contact.constraint_blocks import ConstraintBlock


def contact_blocks(count, mu, **more):
    return [ConstraintBlock(3 * i, (3 * i + 1, 3 * i + 2), mu, mu, **more) for i in range(count)]


def well_posed(seed, contacts, mu):
    """A positive definite W; contacts mostly approach."""
    rng = np.random.default_rng(seed)
    R = rng.normal(size=(3 * contacts, 3 * contacts + 3))
    W = R @ R.T / len(R) + 0.1 * np.eye(3 * contacts)
    w0 = rng.normal(size=3 * contacts)
    w0[::3] -= 1.0
    return W, w0, contact_blocks(contacts, mu)


def on_one_body(seed, contacts, mu):
    """Points at the bottom of one rigid body that moves at random: W has rank 6 or less."""
    rng = np.random.default_rng(seed)
    points = np.column_stack([rng.normal(size=(contacts, 2)), -0.5 - 0.01 * rng.random(contacts)])
    J = []
    for x, y, z in points:  # normal z, tangents x and y; v + omega x p
        J += [[0, 0, 1, y, -x, 0], [1, 0, 0, 0, z, -y], [0, 1, 0, -z, 0, x]]
    J = np.array(J, dtype=float)
    inverse_mass = np.diag([1.0, 1.0, 1.0, *(1.0 / rng.uniform(0.1, 1.0, 3))])
    v = rng.normal(size=6) + np.array([0, 0, -1.0, 0, 0, 0])
    return J @ inverse_mass @ J.T, J @ v, contact_blocks(contacts, mu)


def violation(W, w0, blocks, F, permanent=()):
    """The largest violation of the laws, read off their definition: forces, and responses of w."""
    w = W @ F + w0
    worst = max((abs(w[i]) for i in permanent), default=0.0)
    for block in blocks:
        t = list(block.tangents)
        if block.normal is None:
            radius = block.kinetic
        else:
            f, u = F[block.normal], w[block.normal] - block.target
            radius = block.kinetic * abs(f)
            if block.bilateral:
                worst = max(worst, abs(u))
            else:
                worst = max(worst, block.base - f, -u, min(abs(f - block.base), abs(u)))
        if t:
            force, speed = np.linalg.norm(F[t]), np.linalg.norm(w[t])
            worst = max(worst, force - radius)
            # F_t . w_t = -R |w_t|: it opposes the motion with all it has, or there is no motion
            worst = max(worst, abs(F[t] @ w[t] + radius * speed))
    return worst
