"""SymPy's KanesMethod on an arm of modified DH rows: what a user of SymPy would write."""

import sympy
from sympy.physics.mechanics import KanesMethod, Point, ReferenceFrame, RigidBody, dynamicsymbols, inertia

from benchmarks.symbolic_robots import SymbolicArm


def mass_matrix_and_forcing(arm: SymbolicArm) -> int:
    """Forms the equations of motion; returns the operations of mass matrix and forcing vector."""
    method = equations(arm)
    return int(sympy.count_ops(method.mass_matrix) + sympy.count_ops(method.forcing))


def equations(arm: SymbolicArm) -> KanesMethod:
    """M(q) du/dt = forcing, over q1, u1, ... and m1, cx1, Ixx1 (about the centre of mass), ..."""
    n = len(arm.rows)
    q, u = dynamicsymbols(f"q1:{n + 1}"), dynamicsymbols(f"u1:{n + 1}")
    world, origin = ReferenceFrame("W"), Point("O")
    origin.set_vel(world, 0)
    gravity = -sympy.Symbol("g") * world.z
    parent, at = world, origin
    bodies, loads = [], []
    for k, (row, angle, rate) in enumerate(zip(arm.rows, q, u, strict=True), 1):
        alpha, a, d = (sympy.pi / 2 * {"pi/2": 1, "-pi/2": -1}.get(row[0], 0), *map(_length, row[1:]))
        tilted = parent.orientnew(f"T{k}", "Axis", (alpha, parent.x))
        frame = tilted.orientnew(f"L{k}", "Axis", (angle, tilted.z))
        frame.set_ang_vel(parent, rate * frame.z)
        here = at.locatenew(f"P{k}", a * tilted.x + d * tilted.z)
        here.v2pt_theory(at, world, parent)
        x, y, z = sympy.symbols(f"cx{k} cy{k} cz{k}")
        centre = here.locatenew(f"C{k}", x * frame.x + y * frame.y + z * frame.z)
        centre.v2pt_theory(here, world, frame)
        m = sympy.Symbol(f"m{k}")
        xx, xy, xz, yy, yz, zz = sympy.symbols(
            " ".join(f"I{s}{k}" for s in ("xx", "xy", "xz", "yy", "yz", "zz"))
        )
        tensor = inertia(frame, xx, yy, zz, xy, yz, xz)
        bodies.append(RigidBody(f"B{k}", centre, frame, m, (tensor, centre)))
        loads.append((centre, m * gravity))
        parent, at = frame, here
    rates = [rate - angle.diff() for angle, rate in zip(q, u, strict=True)]
    method = KanesMethod(world, q_ind=q, u_ind=u, kd_eqs=rates)
    method.kanes_equations(bodies, loads)
    return method


def _length(text: str) -> sympy.Expr:
    return sympy.Integer(0) if text == "0" else sympy.Symbol(text)
