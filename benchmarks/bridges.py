"""Section: laws under JAX and PyTorch on batches, beside frax, adam and XLA on our exported source.

Processor time on one core, in one process; values are compared before they are timed. frax and adam-robotics
are not among the pinned packages: where they are missing, their columns are empty.
"""

import tempfile
import time
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import rikigaku as rk
from benchmarks.errors import Disagreement
from benchmarks.harness import one_core
from benchmarks.options import Options
from benchmarks.report import figure, table

ROBOT = "panda"
STATES = 4096
ROUNDS = 7
COLUMNS = {"jax": ("rikigaku", "exported", "frax", "adam"), "torch": ("rikigaku", "exported", "adam")}
LAWS = {
    "mass_matrix": ("q",),
    "inverse_dynamics": ("q", "v", "a"),
    "forward_dynamics": ("q", "v", "a"),
}


def run(options: Options) -> dict[str, Any]:
    """Prints and returns nanoseconds a state."""
    with one_core(), tempfile.TemporaryDirectory() as folder:  # before JAX starts its threads
        urdf = Path(folder) / "robot.urdf"
        rk.load(ROBOT).save(urdf)
        record = {"jax": _jax(urdf, options.quick)}
        if find_spec("torch") is not None:
            record["torch"] = _torch(urdf)
    for name, rows in record.items():
        columns = COLUMNS[name]
        lines = [
            [law, *(figure(times.get(column)) for column in columns)]
            + [figure(times[c] / times["rikigaku"], 1) if c in times else "-" for c in columns[1:]]
            for law, times in rows.items()
        ]
        header = ["law", *columns, *(f"{c} / ours" for c in columns[1:])]
        print(table(f"{ROBOT} under {name}: ns a state, batch of {STATES}, one core", header, lines))
    return record


def _jax(urdf: Path, quick: bool) -> dict[str, dict[str, float]]:
    import jax
    import jax.numpy as jnp

    import rikigaku.jax

    jax.config.update("jax_enable_x64", True)
    robot, floating = rk.load(urdf), rk.load(urdf, free_base=True)
    rng = np.random.default_rng(0)
    state = {name: jnp.asarray(rng.uniform(-1, 1, (STATES, 7))) for name in ("q", "v", "a")}
    weights = jnp.asarray(rng.normal(size=7))
    names = [joint.name for joint in robot.joints]
    found: dict[str, dict[str, float]] = {}

    def scalar(law: Callable[..., Any]) -> Callable[..., Any]:
        return jax.vmap(jax.grad(lambda *x: law(*x) @ weights, argnums=(0, 1, 2)))

    frax = adam = None
    if find_spec("frax") is not None:
        from frax import Robot

        frax = Robot(str(urdf))
    if find_spec("adam") is not None:
        from adam.jax import KinDynComputations

        adam = KinDynComputations(str(urdf), names, gravity=jnp.array([0, 0, -9.81, 0, 0, 0]))
        adam.rbdalgos.math.factory._device = None  # it fails under jit with JAX 0.10.2 otherwise
    g = jnp.array([0.0, 0, 9.81, 0, 0, 0])
    for name, inputs in LAWS.items():
        bound = getattr(robot, name)
        bound = bound if name == "mass_matrix" else bound.fix(friction=False)  # frax has none
        args = [state[x] for x in inputs]
        # XLA repeats work for every element of a stack: it is given the elements one by one
        jobs = {"rikigaku": rikigaku.jax.law(bound), "exported": _exported(bound, elements=True)}
        if frax is not None:
            jobs["frax"] = jax.vmap(_frax(frax, name, g))
        _timed(found, name, {key: jax.jit(f) for key, f in jobs.items()}, args, jax.block_until_ready)
    bound, args = robot.inverse_dynamics.fix(friction=False), [state[x] for x in ("q", "v", "a")]
    jobs = {"rikigaku": scalar(rikigaku.jax.law(bound))}
    if not quick:  # XLA compiles it for half a minute
        own = _exported(bound, elements=True)
        jobs["exported"] = scalar(lambda *x: jnp.asarray(own(*x)))
    if frax is not None:
        jobs["frax"] = scalar(_frax(frax, "inverse_dynamics", g))
    compiled = {key: jax.jit(f) for key, f in jobs.items()}
    _timed(found, "gradient of inverse_dynamics", compiled, args, jax.block_until_ready)
    if adam is not None:  # it has free bases only: the joints' part of M, and all accelerations
        base, zero = jnp.eye(4), jnp.zeros(6)
        whole = jnp.concatenate(
            [jnp.tile(jnp.array([0.0, 0, 0, 1, 0, 0, 0]), (STATES, 1)), state["q"]], axis=1
        )
        rates = [jnp.concatenate([jnp.zeros((STATES, 6)), state[x]], axis=1) for x in ("v", "a")]
        jobs = {
            "rikigaku": lambda q: rikigaku.jax.law(floating.mass_matrix)(q)[:, 6:, 6:],
            "adam": jax.vmap(lambda q: adam.mass_matrix(base, q[7:])[6:, 6:]),
        }
        label = "mass_matrix, free base"
        _timed(found, label, {k: jax.jit(f) for k, f in jobs.items()}, [whole], jax.block_until_ready)
        jobs = {
            "rikigaku": lambda q, v, tau: rikigaku.jax.law(floating.forward_dynamics)(
                q, v, tau, friction=False
            )[:, 6:],
            "adam": jax.vmap(lambda q, v, tau: adam.aba(base, q[7:], zero, v[6:], tau[6:])[6:]),
        }
        label = "forward_dynamics, free base"
        inputs = [whole, *rates]
        _timed(found, label, {k: jax.jit(f) for k, f in jobs.items()}, inputs, jax.block_until_ready)
    return found


def _torch(urdf: Path) -> dict[str, dict[str, float]]:
    import torch

    import rikigaku.torch

    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)
    robot, floating = rk.load(urdf), rk.load(urdf, free_base=True)
    rng = np.random.default_rng(0)
    state = {name: torch.tensor(rng.uniform(-1, 1, (STATES, 7))) for name in ("q", "v", "a")}
    found: dict[str, dict[str, float]] = {}
    for name, inputs in LAWS.items():
        bound = getattr(robot, name)
        jobs = {"rikigaku": rikigaku.torch.law(bound), "exported": _exported(bound)}
        _timed(found, name, jobs, [state[x] for x in inputs], lambda x: x)
    if find_spec("adam") is not None:
        from adam.pytorch import KinDynComputationsBatch

        names = [joint.name for joint in robot.joints]
        gravity = torch.tensor([0, 0, -9.81, 0, 0, 0])
        adam = KinDynComputationsBatch(str(urdf), names, dtype=torch.float64, gravity=gravity)
        base = torch.eye(4).expand(STATES, 4, 4)
        fixed = torch.tensor([0.0, 0, 0, 1, 0, 0, 0]).expand(STATES, 7)
        whole = torch.cat([fixed, state["q"]], dim=1)
        law = rikigaku.torch.law(floating.mass_matrix)
        jobs = {
            "rikigaku": lambda q: law(q)[:, 6:, 6:],
            "adam": lambda q: adam.mass_matrix(base, q[:, 7:])[:, 6:, 6:],
        }
        _timed(found, "mass_matrix, free base", jobs, [whole], lambda x: x)
    return found


def _frax(robot: Any, name: str, g: Any) -> Callable[..., Any]:
    if name == "mass_matrix":
        return lambda q: robot.mass_matrix(q)
    if name == "forward_dynamics":
        return lambda q, v, tau: robot.forward_dynamics(q, v, tau, None)
    return lambda q, v, a: robot.rnea(q, v, a, g, None)


def _exported(law: Any, elements: bool = False) -> Callable[..., Any]:
    """The law's exported Python source as a function; elements: it returns them one by one, not stacked."""
    module = ModuleType("exported_law")
    exec(compile(law.export("python", name="law"), "exported_law", "exec"), module.__dict__)
    if elements:
        module.__dict__["stacked"] = lambda np, like, found, batch, shape: tuple(found)
    function: Callable[..., Any] = module.__dict__["law"]
    return function


def _timed(
    found: dict[str, dict[str, float]], name: str, jobs: Mapping[str, Callable[..., Any]], args: list[Any],
    wait: Callable[[Any], Any],
) -> None:  # fmt: skip
    """Best processor time of each job [ns a state], the rounds interleaved."""
    reference = _flat(wait(jobs["rikigaku"](*args)))
    for key, job in jobs.items():
        error = np.abs(_flat(wait(job(*args))) - reference).max() / np.abs(reference).max()
        if not error < 1e-8:
            raise Disagreement(name, key, "rikigaku", error, 1e-8)
    times: dict[str, list[float]] = {key: [] for key in jobs}
    for _ in range(ROUNDS):
        for key, job in jobs.items():
            calls, start = 0, time.process_time()
            while calls < 3 or time.process_time() - start < 0.05:
                wait(job(*args))
                calls += 1
            times[key].append((time.process_time() - start) / calls / STATES * 1e9)
    found[name] = {key: min(x) for key, x in times.items()}


def _flat(x: Any) -> Any:
    """All numbers; elements that are arrays of the batch are those of a stack."""
    if isinstance(x, tuple) and not any(np.ndim(y) > 1 for y in x):
        return np.ravel(np.stack([np.broadcast_to(np.asarray(y), (STATES,)) for y in x], axis=-1))
    parts = x if isinstance(x, tuple) else (x,)
    return np.concatenate([np.ravel(np.asarray(y)) for y in parts])
