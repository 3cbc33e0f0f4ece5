"""Laws as functions of JAX on native kernels: jit, vmap, jvp, grad and higher derivatives, on the CPU.

Needs JAX: `pip install rikigaku[jax]`. Kernels of laws are called through XLA's typed foreign-function
interface, on XLA's buffers and threads: arrays are not copied and no Python runs in a compiled function.
A rollout is one callback to Python for all worlds and steps, whose time loop is native.
"""

try:
    import jax  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "rikigaku.jax needs JAX: pip install 'rikigaku[jax]'.", name=error.name
    ) from error

from rikigaku.jax.jax_law import law as law
from rikigaku.jax.jax_rollout import RolloutStates as RolloutStates
from rikigaku.jax.jax_rollout import rollout as rollout

__all__ = ["RolloutStates", "law", "rollout"]
