"""Steps a second of MJX on the processor: `python mjx_child.py robot.xml`. Needs mujoco-mjx alone."""

import json
import sys
import time

import jax
import mujoco
from mujoco import mjx

WORLDS, STEPS, DT = 4, 5, 1e-3  # a step of 64 worlds takes 16 times as long as one of 4


def main(path: str) -> None:
    """Time steps of all worlds, without their compilation."""
    spec = mujoco.MjSpec.from_file(path)
    for motor in list(spec.actuators):
        spec.delete(motor)
    model = spec.compile()
    off = mujoco.mjtDisableBit
    model.opt.timestep = DT
    model.opt.disableflags |= off.mjDSBL_CONTACT | off.mjDSBL_LIMIT | off.mjDSBL_EULERDAMP
    model.opt.disableflags |= off.mjDSBL_CONSTRAINT
    model.dof_frictionloss[:] = 0.0
    put, start = mjx.put_model(model), mjx.make_data(model)
    q = jax.random.uniform(jax.random.PRNGKey(0), (WORLDS, model.nq), minval=-0.5, maxval=0.5)

    data = jax.vmap(lambda q: start.replace(qpos=q))(q)
    begin = time.process_time()
    step = jax.jit(jax.vmap(lambda d: mjx.step(put, d))).lower(data).compile()
    compiled = time.process_time() - begin
    times = []
    for _ in range(1 + STEPS):  # the first one warms up
        begin = time.process_time()
        data = jax.block_until_ready(step(data))
        times.append(time.process_time() - begin)
    print(json.dumps({"steps a second": WORLDS / min(times), "compiled": compiled}))


if __name__ == "__main__":
    main(sys.argv[1])
