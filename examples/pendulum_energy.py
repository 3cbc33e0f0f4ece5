"""A double pendulum swings for five seconds, and its energy is conserved.

The classical Runge-Kutta method integrates the compiled forward dynamics; the energy error falls with the
fourth power of the step.
"""

import numpy as np

import rikigaku as rk


def energy_drift(step: float, duration: float = 5.0) -> float:
    """Largest change of the energy [J] along the swing."""
    arm = rk.load("planar_2r")  # its lengths and masses are symbols;
    arm = arm.bind(**{symbol.name: symbol.value for symbol in arm.symbols})  # bound to numbers: faster
    no_torque = np.zeros(arm.nv)

    def rate(x: np.ndarray) -> np.ndarray:
        q, v = x
        return np.array([v, arm.forward_dynamics(q, v, no_torque)])

    def energy(x: np.ndarray) -> float:
        return float(arm.kinetic_energy(*x) + arm.potential_energy(x[0]))

    x = np.array([[0.5, 0.3], [0.0, 0.0]])
    start, drift = energy(x), 0.0
    for _ in range(round(duration / step)):
        k1 = rate(x)
        k2 = rate(x + step / 2 * k1)
        k3 = rate(x + step / 2 * k2)
        k4 = rate(x + step * k3)
        x = x + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        drift = max(drift, abs(energy(x) - start))
    return drift


def main() -> None:
    coarse, fine = energy_drift(2e-3), energy_drift(1e-3)
    print(f"largest change of the energy: {coarse:.2e} J with 2 ms steps, {fine:.2e} J with 1 ms steps")
    assert fine < 1e-4
    assert coarse / fine > 10  # fourth order: the ratio is about 16


if __name__ == "__main__":
    main()
