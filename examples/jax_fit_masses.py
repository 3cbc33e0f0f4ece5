"""Masses of an arm from its recorded motion: gradients of rollouts by JAX, minimised by SciPy.

The motion of a two-link arm under known torques is recorded with noise. The masses of both links are those
for which a rollout, a function of JAX with its time loop in native code, comes closest to it. The unknowns
are their logarithms: masses are positive.
"""

import jax
import jax.numpy as jnp
import numpy as np
from scipy.optimize import minimize

import rikigaku as rk

jax.config.update("jax_enable_x64", True)
STEPS, DT = 60, 0.01

arm = rk.load("planar_2r")
random = np.random.default_rng(0)
starts = jnp.asarray(random.uniform(-1, 1, (8, 2)))  # eight motions
times = DT * np.arange(STEPS)[:, None]
torque = jnp.asarray(2.0 * np.sin(times * [3.0, 5.0]))


def motion(masses: jax.Array, start: jax.Array) -> jax.Array:
    parameters = {"m1": masses[0], "m2": masses[1]}
    return rk.jax.rollout(arm, start, None, torque, steps=STEPS, dt=DT, parameters=parameters).q


motions = jax.vmap(motion, (None, 0))
true = jnp.array([1.3, 0.7])
recorded = motions(true, starts) + 1e-3 * random.normal(size=(8, STEPS, 2))


@jax.jit
@jax.value_and_grad
def misfit(logarithms: jax.Array) -> jax.Array:
    return jnp.mean((motions(jnp.exp(logarithms), starts) - recorded) ** 2)


found = minimize(lambda x: tuple(map(np.asarray, misfit(x))), [0.0, 0.0], jac=True, method="BFGS")
m1, m2 = np.exp(found.x)
assert np.abs(np.exp(found.x) - true).max() < 1e-3
print(f"m1 = {m1:.3f} kg, m2 = {m2:.3f} kg after {found.nfev} rollouts of {len(starts)} motions")
