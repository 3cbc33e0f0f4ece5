"""One first call in a fresh process: `python -m benchmarks.first_call_child robot law one|batch [loaded]`.

Prints seconds by the wall clock and by the processor for the import, the reading and the first call.
"loaded": another, tiny robot has been called before, so llvmlite is there.
Nothing of the benchmarks that imports the peers may be imported here: it would load what is to be timed.
"""

import json
import sys
import time
from collections.abc import Callable
from typing import Any


def spent(call: Callable[[], Any]) -> tuple[Any, list[float]]:
    """A call's result and its wall and processor time [s]."""
    wall, processor = time.perf_counter(), time.process_time()
    result = call()
    return result, [time.perf_counter() - wall, time.process_time() - processor]


def load_package() -> Any:
    """The package, imported for the first time."""
    import rikigaku

    return rikigaku


def main(name: str, law: str, shape: str, *flags: str) -> None:
    """Times and prints."""
    rk, importing = spent(load_package)
    sympy = "sympy" in sys.modules
    import numpy as np

    from benchmarks.robots import subject

    robot_file = subject(name)
    options = {"free_base": True} if robot_file.floating else {}
    robot, reading = spent(lambda: rk.load(robot_file.path, **options))
    if "loaded" in flags:
        small = rk.load("planar_2r")
        small.gravity_forces(np.zeros(2))
        small.gravity_forces(np.zeros((3, 2)))
    rng, rows = np.random.default_rng(1), () if shape == "one" else (8,)
    sizes = {"q": robot.nq, "v": robot.nv, "a": robot.nv, "tau": robot.nv}
    bound = getattr(robot, law.removesuffix("_derivative"))
    inputs = [rng.uniform(-1, 1, (*rows, sizes[x])) for x in bound.law.inputs]
    if law == "jacobian":
        bound = bound.fix(frame=robot_file.frame)
    _, first = spent(lambda: (bound.derivative if law.endswith("_derivative") else bound)(*inputs))
    print(json.dumps({"import": importing, "sympy": sympy, "read": reading, "first": first}))


if __name__ == "__main__":
    main(*sys.argv[1:])
