"""Constrained motion in any contact mode as native code for all robots, as LLVM text.

    void field(t, y, u, p, out)     dy/dt of y = (q, v, work, heat)
    void guards(...)                the guards of the contact mode, then those of the user
    void project(...)               y projected onto the active constraints
    void newton_step(...), velocity_step(...)         the two parts of the projection
    void outputs(...)               a, tau, powers, forces, multipliers of loops and guides, viscous power
    void residual(...)              the largest residual of the active constraints

The first element of p holds the address of a block of 64-bit integers (`Slot`): sizes, tables, memory and
addresses of the robot's compiled terms. The contact mode is data in these tables, so nothing is compiled
when it changes. With M = L^T D L and Y = L^-T J^T the Delassus matrix is W = Y^T D^-1 Y, from the active
constraints only. Independent constraints whose forces act along J are solved by Cholesky factors of W.
Sliding friction (G = J_n - mu th.J_t) and redundant constraints are solved by Householder reflections of
(Z^T D^-1 Y), Z = L^-T G^T: the f nearest to reference forces.
"""

from rikigaku.integrators.llvm_constraint_solve import solve_text
from rikigaku.integrators.llvm_contact_dynamics import dynamics_text
from rikigaku.integrators.llvm_contact_memory import SLIP_SIZE, BlockFunction, Code, Slot
from rikigaku.integrators.llvm_writer import DECLARED, Array, Value


def _newton_step() -> str:
    """out (nv) = step of the positions that closes the residuals of loops, guides and closed contacts."""
    f = BlockFunction()
    w = f.w
    t, y, out = (Array(w, f"%{name}") for name in ("t", "y", "out"))
    rows, count, right = f.wholes(Slot.NEWTON), f[Slot.NEWTON_COUNT], f.reals(Slot.RIGHT_HAND_SIDE)
    w.call("@configure", f.block, t, y)
    with w.loop(count) as k:
        right[k] = 0.0 - f.reals(Slot.RESIDUAL)[rows[k]]
    _impulse(f, rows, count, right, out)
    return f.text("newton_increment", ", ptr %t, ptr %y, ptr %out")


def _velocity_step() -> str:
    """out (nv) = change of the velocities that makes them satisfy the active constraints."""
    f = BlockFunction()
    w = f.w
    t, y, out = (Array(w, f"%{name}") for name in ("t", "y", "out"))
    rows, count, right = f.wholes(Slot.ACTIVE), f[Slot.INDEPENDENT], f.reals(Slot.RIGHT_HAND_SIDE)
    v, J, rate = y.at(f[Slot.NQ]), f.reals(Slot.J), f.reals(Slot.RATE)
    w.call("@configure", f.block, t, y)
    with w.loop(count) as k:
        right[k] = 0.0 - f.gathered(rows[k], J, v, rate[rows[k]])
    _impulse(f, rows, count, right, out)
    return f.text("velocity_increment", ", ptr %t, ptr %y, ptr %out")


def _impulse(f: BlockFunction, rows: Array, count: Value, right: Array, out: Array) -> None:
    """out = M^-1 J^T W^-1 right."""
    w = f.w
    f.fill(out, f[Slot.NV])
    w.call("@constraints_in_Y", f.block, rows, count)
    w.call("@cholesky", f.block, rows, count, right, w.value(1, "i64"))
    with w.loop(count) as k:
        f.scatter(rows[k], f.reals(Slot.Y), out, right[k])
    w.call("@substitute", f.block, out)


class _Entry(BlockFunction):
    """A function (t, y, u, p, out) of the integrator; the block's address is the first of p."""

    def __init__(self) -> None:
        super().__init__()
        w = self.w
        self.t, self.y, self.u, self.p, self.out = (Array(w, f"%{x}") for x in ("t", "y", "u", "p", "out"))
        address = Array(w, "%p", "i64")[0]
        self.block = w.array(address, "i64")

    def evaluate(self) -> None:
        self.w.call("@evaluate", self.block, self.t, self.y, self.u, self.p)

    def entry(self, name: str) -> str:
        self.w.line("ret void")
        return self.w.function(f"define void @{name}(ptr %t, ptr %y, ptr %u, ptr %p, ptr %out)")


def _field() -> str:
    f = _Entry()
    f.block[Slot.MOTION_ONLY] = 1
    f.evaluate()
    f.block[Slot.MOTION_ONLY] = 0
    nq, nv = f[Slot.NQ], f[Slot.NV]
    f.copy(f.reals(Slot.QDOT), f.out, nq)
    f.copy(f.reals(Slot.A), f.out.at(nq), nv)
    power = f.dot(nv, f.reals(Slot.TAU), f.y.at(nq), f.reals(Slot.SURFACE_POWER)[0])
    f.out[nq + nv] = power
    f.out[nq + nv + 1] = f.reals(Slot.DISSIPATED)[0]
    return f.entry("field")


def _guards() -> str:
    f = _Entry()
    w, count = f.w, f[Slot.GUARDS]
    v = f.y.at(f[Slot.NQ])
    needed = ~f[Slot.NEEDS_FORCES].equals(0)
    with w.when(needed):
        f.evaluate()
    with w.when(~needed):
        w.call("@configure", f.block, f.t, f.y)
        w.call("@slip", f.block, f.t, v)
    codes, numbers = f.wholes(Slot.GUARD_CODES), f.reals(Slot.GUARD_NUMBERS)
    rows, multipliers = f.wholes(Slot.CONTACT_ROWS), f.reals(Slot.MULTIPLIERS)
    with w.loop(count) as g:
        code, i, x, y = codes[2 * g], codes[2 * g + 1], numbers[2 * g], numbers[2 * g + 1]
        out = f.out.at(g)
        with w.when(code.equals(Code.GAP)):
            out[0] = f.reals(Slot.RESIDUAL)[rows[i]]
        with w.when(code.equals(Code.KEPT_GAP)):
            out[0] = x - w.abs(f.reals(Slot.RESIDUAL)[rows[i]])
        with w.when(code.equals(Code.NORMAL)):
            out[0] = x * multipliers[rows[i]]
        with w.when(code.equals(Code.FRICTION)):
            largest = x * w.abs(multipliers[rows[f.wholes(Slot.OWNERS)[i]]]) + y
            square = w.cell(0.0)
            with w.loop(rows[i + 1] - rows[i], 1) as k:
                one = multipliers[rows[i] + k]
                square.value = square.value + one * one
            out[0] = largest * largest - square.value
        with w.when(code.equals(Code.CARRIED)):
            out[0] = f.reals(Slot.CARRIED)[i]
        with w.when(code.equals(Code.SIGNED_SPEED)):
            out[0] = x * f.reals(Slot.SLIP)[SLIP_SIZE * i + 13]
        with w.when(code.equals(Code.SPEED)):
            out[0] = f.reals(Slot.SLIP)[SLIP_SIZE * i + 12] - x
        with w.when(code.equals(Code.JOINT_FRICTION)):
            one = multipliers[rows[f[Slot.CONTACTS]] + i]
            out[0] = (x + y) * (x + y) - one * one
        with w.when(code.equals(Code.JOINT_SPEED)):
            out[0] = x * v[i]
    with w.when(f[Slot.USER_COUNT] > 0):
        flow = f.reals(Slot.A)
        w.call(f.program(Slot.USER_GUARDS), f.t, f.y, f.u, f.p.at(1), flow, f.out.at(count))
    return f.entry("guards")


def _project() -> str:
    f = _Entry()
    w, nq, nv = f.w, f[Slot.NQ], f[Slot.NV]
    state, step = f.reals(Slot.STATE), f.reals(Slot.A)
    f.copy(f.y, state, nq + nv)
    with w.loop(f[Slot.QUATERNIONS]) as k:
        own = state.at(f.wholes(Slot.QUATERNION_INDICES)[k])
        length = w.sqrt(f.dot(4, own, own))
        with w.loop(4) as i:
            own[i] = own[i] / length
    f.copy(f.y.at(nq), f.out.at(nq), nv + 2)
    moves = f[Slot.IMMOBILE].equals(0)
    with w.when(~moves):
        f.fill(f.out.at(nq), nv)
    with w.when(moves & (f[Slot.NEWTON_COUNT] > 0)):
        w.call("@newton_increment", f.block, f.t, state, step)
        w.call(f.program(Slot.INTEGRATE), state, step, f.out)
        f.copy(f.out, state, nq)
    with w.when(moves & (f[Slot.INDEPENDENT] > 0)):
        w.call("@velocity_increment", f.block, f.t, state, step)
        with w.loop(nv) as k:
            f.out[nq + k] = state[nq + k] + step[k]
    f.copy(state, f.out, nq)
    return f.entry("project")


def _part(name: str, inner: str) -> str:
    f = _Entry()
    f.w.call(f"@{inner}", f.block, f.t, f.y, f.out)
    return f.entry(name)


def _outputs() -> str:
    f = _Entry()
    f.evaluate()
    w, nv = f.w, f[Slot.NV]
    f.copy(f.reals(Slot.A), f.out, nv)
    f.copy(f.reals(Slot.TAU), f.out.at(nv), nv)
    # dissipated power, surface power, forces, permanent multipliers: one after the other in memory
    first, end = f[Slot.DISSIPATED], f[Slot.MULTIPLIERS]
    count = (end - first) / 8
    f.copy(w.array(first), f.out.at(2 * nv), count)
    f.out[2 * nv + count] = f.reals(Slot.VISCOUS)[0]
    return f.entry("outputs")


def _residual() -> str:
    f = _Entry()
    w = f.w
    w.call("@configure", f.block, f.t, f.y)
    rows, worst = f.wholes(Slot.NEWTON), w.cell(0.0)
    with w.loop(f[Slot.NEWTON_COUNT]) as k:
        worst.value = w.max(w.abs(f.reals(Slot.RESIDUAL)[rows[k]]), worst.value)
    f.out[0] = worst.value
    return f.entry("residual")


def _terms() -> str:
    """Fill the terms in memory without solving: for the linear contact problem of a state."""
    f = _Entry()
    w, v = f.w, f.y.at(f[Slot.NQ])
    w.call("@configure", f.block, f.t, f.y)
    w.call(f.program(Slot.MOTION), f.y, v, f.reals(Slot.TAU), f.t, f.reals(Slot.MOTION_TERMS))
    return f.entry("terms")


def _configuration() -> str:
    """Fill the terms of positions and time in memory."""
    f = _Entry()
    f.w.call("@configure", f.block, f.t, f.y)
    return f.entry("configuration")


def constrained_motion_text() -> str:
    """LLVM text of all functions."""
    parts = [_newton_step(), _velocity_step(), _field(), _guards(), _project(), _outputs(), _residual()]
    parts += [_part("newton_step", "newton_increment"), _part("velocity_step", "velocity_increment")]
    parts += [_terms(), _configuration()]
    return "\n".join([DECLARED, solve_text(), dynamics_text(), *parts])
