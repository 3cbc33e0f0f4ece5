"""One task of the symbolic section, in a process that can be stopped."""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

from benchmarks.symbolic_robots import ARMS, SymbolicArm

Answer = dict[str, Any]


def ours(name: str, arm: SymbolicArm) -> Callable[[], Answer]:
    """M, C and g as formulas."""
    import rikigaku.symbolic.formulas.formula_array  # noqa: F401 - loaded before the clock starts

    robot = arm.robot(name)

    def work() -> Answer:
        laws = (robot.mass_matrix, robot.coriolis_matrix, robot.gravity_forces)
        return {"terms": sum(law.symbolic.terms for law in laws)}

    return work


def ours_base(name: str, arm: SymbolicArm) -> Callable[[], Answer]:
    """Base parameters with symbolic geometry."""
    import rikigaku.symbolic.base_parameters.regressor_relations  # noqa: F401

    robot = arm.robot(name)
    return lambda: {"count": robot.base_parameters().count}


def kane(name: str, arm: SymbolicArm) -> Callable[[], Answer]:
    """SymPy's KanesMethod: mass matrix and forcing vector."""
    from benchmarks.peers.sympy_kane import mass_matrix_and_forcing

    return lambda: {"operations": mass_matrix_and_forcing(arm)}


def sympybotics(name: str, arm: SymbolicArm) -> Callable[[], Answer]:
    """SymPyBotics: M, C, g as code with intermediate variables (and whatever else its one call makes)."""
    from benchmarks.peers.sympybotics_code import generated

    return lambda: {"operations": generated(arm)}


def sympybotics_base(name: str, arm: SymbolicArm) -> Callable[[], Answer]:
    """SymPyBotics: base parameters, from numeric ranks at random states."""
    from benchmarks.peers.sympybotics_code import base_parameters

    return lambda: {"count": base_parameters(arm)}


TASKS = {f.__name__: f for f in (ours, ours_base, kane, sympybotics, sympybotics_base)}


def main() -> None:
    task, name = sys.argv[1:]
    try:
        work = TASKS[task](name, ARMS[name])
    except ModuleNotFoundError as error:
        print(json.dumps({"missing": error.name}))
        return
    start, used = time.perf_counter(), time.process_time()
    answer = work()
    answer |= {"wall": time.perf_counter() - start, "processor": time.process_time() - used}
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
