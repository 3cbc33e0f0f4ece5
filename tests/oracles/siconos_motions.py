"""Motions by Siconos, stored in siconos_motions.json: `python3 tests/oracles/siconos_motions.py` writes them.

It needs Debian's python3-siconos and its interpreter. A bouncing ball (of Siconos's examples) by the
event-driven scheme; a block that a harmonic force moves against dry friction, and a disc that bounces and
slides until it rolls, by the Moreau-Jean scheme with several steps. `test_siconos.py` compares them.
"""

import json
import math
from pathlib import Path

import siconos.kernel as sk
from siconos.numerics import SICONOS_DPARAM_TOL

G = 9.81
IMPACT = 2  # type of a nonsmooth event


def simulation(ds, links, law, step, duration, dimension):
    """A Moreau-Jean simulation of one dynamical system."""
    model = sk.NonSmoothDynamicalSystem(0.0, duration)
    model.insertDynamicalSystem(ds)
    for relation in links:
        model.link(sk.Interaction(law, relation), ds)
    problem = sk.FrictionContact(dimension) if dimension else sk.LCP()
    problem.numericsSolverOptions().dparam[SICONOS_DPARAM_TOL] = 1e-14
    discretisation = sk.TimeDiscretisation(0.0, step)
    found = sk.TimeStepping(model, discretisation, sk.MoreauJeanOSI(0.5), problem)
    found.setNewtonTolerance(1e-12)
    found.setNewtonMaxIteration(20)
    return found, model  # the model must live as long as its simulation


def bouncing_ball(duration=2.0, step=1e-3):
    """Height of a ball of mass 1 dropped from 1 m, radius 0.1 m, restitution 0.9: event-driven."""
    ds = sk.LagrangianLinearTIDS([1.0], [0.0], [[1.0]])
    ds.setFExtPtr([-G])
    model = sk.NonSmoothDynamicalSystem(0.0, duration + step)
    model.insertDynamicalSystem(ds)
    model.link(sk.Interaction(sk.NewtonImpactNSL(0.9), sk.LagrangianLinearTIR([[1.0]], [-0.1])), ds)
    s = sk.EventDriven(model, sk.TimeDiscretisation(0.0, step))
    s.insertIntegrator(sk.LsodarOSI())
    s.insertNonSmoothProblem(sk.LCP(), sk.SICONOS_OSNSP_ED_IMPACT)
    s.insertNonSmoothProblem(sk.LCP(), sk.SICONOS_OSNSP_ED_SMOOTH_ACC)
    s.initialize()
    times, heights, impacts = [], [], []
    while s.hasNextEvent():
        s.advanceToEvent()
        if s.eventsManager().nextEvent().getType() == IMPACT:
            impacts.append(float(s.nextTime()))
        s.processEvents()
        times.append(float(s.startingTime()))
        heights.append(float(ds.q()[0]))
    kept = [k for k, t in enumerate(times) if abs(t * 10 - round(t * 10)) < 1e-9]
    return {"t": [times[k] for k in kept], "height": [heights[k] for k in kept], "impacts": impacts}


def driven_block(step, duration=3.0):
    """Position of a block, m = 1 kg, mu = 0.3, under the force 5 cos(2 t) N: it sticks and slides."""
    ds = sk.LagrangianLinearTIDS([0.0, 0.0], [0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]])
    relation = sk.LagrangianLinearTIR([[0.0, 1.0], [1.0, 0.0]], [0.0, 0.0])
    law = sk.NewtonImpactFrictionNSL(0.0, 0.0, 0.3, 2)
    pair = simulation(ds, [relation], law, step, duration, 2)
    for k in range(round(duration / step)):
        ds.setFExtPtr([5.0 * math.cos(2.0 * (k + 0.5) * step), -G])
        pair[0].computeOneStep()
        pair[0].nextStep()
    return [float(x) for x in ds.q()] + [float(x) for x in ds.velocity()]


def thrown_disc(step, duration=1.2):
    """x, y, angle and their rates: r = 0.1 m, m = 1 kg, mu = 0.3, e = 0.5, thrown at 2 m/s with backspin."""
    r, inertia = 0.1, 0.5 * 0.1**2
    ds = sk.LagrangianLinearTIDS(
        [0.0, 0.3, 0.0], [2.0, 0.0, 30.0], [[1.0, 0, 0], [0, 1.0, 0], [0, 0, inertia]]
    )
    ds.setFExtPtr([0.0, -G, 0.0])
    relation = sk.LagrangianLinearTIR([[0.0, 1.0, 0.0], [1.0, 0.0, r]], [-r, 0.0])
    law = sk.NewtonImpactFrictionNSL(0.5, 0.0, 0.3, 2)
    pair = simulation(ds, [relation], law, step, duration, 2)
    for _ in range(round(duration / step)):
        pair[0].computeOneStep()
        pair[0].nextStep()
    return [float(x) for x in ds.q()] + [float(x) for x in ds.velocity()]


if __name__ == "__main__":
    steps = (8e-4, 4e-4, 2e-4)
    table = {
        "bouncing ball": bouncing_ball(),
        "driven block": {str(h): driven_block(h) for h in steps},
        "thrown disc": {str(h): thrown_disc(h) for h in steps},
    }
    Path(__file__).with_suffix(".json").write_text(json.dumps(table, indent=1) + "\n")
