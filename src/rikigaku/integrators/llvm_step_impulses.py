"""Impulses and velocities of one fixed step in one world, as LLVM text.

The friction problem of the closed contacts is solved again where contacts begin to slide (kinetic friction),
where restitution would make energy (with less of it), and where its impulses close further contacts.
"""

from rikigaku.integrators.llvm_contact_memory import Slot
from rikigaku.integrators.llvm_step_memory import StepSlot, WorldStep
from rikigaku.integrators.llvm_writer import Array, Cell, Value

_TOUCHING = 1e-8  # [m]: smaller gaps are closed
_REST = 1e-9  # [m/s]: smaller sliding speeds are those of sticking
_ROUNDS = 4  # of contacts that close by the impulses of others
_TOLERANCE = 1e-11
_BISECTIONS = 30  # for the largest restitution that makes no energy
_ENERGY = 1e-9  # energy that is rounding, relative to the terms of its change; above the solver's tolerance
_SWEEPS = 10_000  # of block Gauss-Seidel, divided by the number of constraints


def _viscous() -> str:
    """Viscous friction of contacts, -c (w + w')/2: W and w0 with it eliminated, w' = W~ P + w0~.

    With G = diag(h c / 2): W~ = (1 + W G)^-1 W, w0~ = (1 + W G)^-1 (w0 - W G w).
    """
    f = WorldStep()
    w, n = f.w, Value(f.w, "i64", "%n")
    W, A, listed = f.reals(Slot.DELASSUS), f.reals(StepSlot.VISCOUS_MATRIX), f.wholes(StepSlot.LIST)
    G, column, pivots = A.at(n * n), A.at(n * n + n), Array(w, A.at(n * n + 2 * n).pointer, "i64")
    W0 = f.reals(StepSlot.W0)
    with w.loop(n) as a:
        G[a] = 0.0
    with w.loop(f.contacts) as i, w.loop(f.rows[i + 1], f.rows[i] + 1) as r:
        place = f.wholes(StepSlot.PLACE)[r]
        with w.when(place >= 0):
            G[place] = 0.5 * f.h * f.reals(Slot.FRICTION)[4 * i + 3]
    with w.loop(n) as a:
        total = w.cell(W0[a])
        with w.loop(n) as b:
            A[a * n + b] = W[a * n + b] * G[b] + w.select(a.equals(b), 1.0, 0.0)
            total.value = total.value - W[a * n + b] * G[b] * f.reals(StepSlot.BEFORE_RATES)[listed[b]]
        W0[a] = total.value
    tail = f"ptr {A.pointer}, ptr null, ptr {pivots.pointer}"
    w.line(f"call void @factor_real(i64 {n.name}, {tail})")
    w.line(f"call void @solve_real(i64 {n.name}, {tail}, ptr {W0.pointer}, ptr null)")
    with w.loop(n) as b:
        with w.loop(n) as a:
            column[a] = W[a * n + b]
        w.line(f"call void @solve_real(i64 {n.name}, {tail}, ptr {column.pointer}, ptr null)")
        with w.loop(n) as a:
            W[a * n + b] = column[a]
    return f.text("viscous_contacts", ", double %h, i64 %n")


def _solve() -> str:
    """Impulses of the blocks. What slides loses static friction; restitution makes no energy."""
    f = WorldStep()
    w, count = f.w, Array(f.w, "%count", "i64")
    n, blocks = count[0], count[1]
    F, response, place = f.reals(StepSlot.IMPULSES), f.reals(StepSlot.RESPONSE), f.wholes(StepSlot.PLACE)
    kinds, numbers = f.wholes(StepSlot.BLOCK_ROWS), f.reals(StepSlot.BLOCK_NUMBERS)
    viscous = f[StepSlot.HAS_VISCOUS] > 0
    with w.when(viscous):
        w.call("@viscous_contacts", f.block, f.h, n)

    def solve() -> None:
        w.call(
            "@friction_solve", n, n, f.reals(Slot.DELASSUS), f.reals(StepSlot.W0), blocks, kinds, numbers,
            F, response, f.reals(StepSlot.SOLVER_WORK), w.value(_TOLERANCE, "double"),
            w.value(_SWEEPS, "i64") / n, f.reals(StepSlot.SOLVER_RESULT),
        )  # fmt: skip

    solve()
    again = w.cell(0, "i64")
    at = w.cell(f.permanent, "i64")
    with w.loop(f.contacts) as i, w.when(f.closed(i)):
        own = numbers.at(3 * at.value)
        at.value = at.value + 1
        moving = w.cell(0.0)
        with w.loop(f.rows[i + 1], f.rows[i] + 1) as r, w.when(place[r] >= 0):
            moving.value = moving.value + response[place[r]] * response[place[r]]
        kinetic = f.mu(i)
        with w.when((moving.value > _REST * _REST) & (own[0] > kinetic)):
            own[0] = kinetic
            again.value = 1
    with w.loop(f.joints) as k:
        own = numbers.at(3 * (at.value + k))
        kinetic = f.h * f.reals(Slot.COULOMB)[k]
        with w.when((w.abs(response[place[f.joint_row + k]]) > _REST) & (own[2] > kinetic)):
            own[2] = kinetic
            again.value = 1
    with w.when(again.value > 0):
        solve()
    bounces = w.cell(0, "i64")
    with w.loop(blocks) as k, w.when(numbers[3 * k + 1] > 0.0):
        bounces.value = 1

    def gained() -> Value:
        """Whether the impulses make kinetic energy: F . (w before + w after) / 2, beyond rounding.

        The work of an impulse is that at the mean of the velocities before and after the step. Velocities
        without impulses would count the work of gravity within the step, so that an elastic bounce at a
        ceiling seemed to make energy.
        """
        total, size = w.cell(0.0), w.cell(0.0)
        with w.loop(n) as a:
            rate = f.reals(StepSlot.BEFORE_RATES)[f.wholes(StepSlot.LIST)[a]]
            total.value = total.value + F[a] * (rate + response[a])
            size.value = size.value + w.abs(F[a]) * (w.abs(rate) + w.abs(response[a]))
        return total.value > _ENERGY * size.value

    def scale(x: Value, now: Cell) -> None:
        """Solve with restitution times x."""
        with w.loop(blocks) as k:
            numbers[3 * k + 1] = numbers[3 * k + 1] * (x / now.value)
        now.value = x
        solve()

    with w.when((bounces.value > 0) & gained()):
        low, high, now = w.cell(0.0), w.cell(1.0), w.cell(1.0)
        with w.loop(_BISECTIONS) as _:
            middle = 0.5 * (low.value + high.value)
            scale(middle, now)
            makes = gained()
            low.value = w.select(makes, low.value, middle)
            high.value = w.select(makes, middle, high.value)
        scale(low.value, now)
    with w.when(viscous):  # the impulses of viscous friction as well, along the same constraints
        G = f.reals(StepSlot.VISCOUS_MATRIX).at(n * n)
        with w.loop(n) as a:
            mean = f.reals(StepSlot.BEFORE_RATES)[f.wholes(StepSlot.LIST)[a]] + response[a]
            F[a] = F[a] - G[a] * mean
    return f.text("solve_impulses", ", double %h, ptr %count")


def _advance_velocities() -> str:
    """AFTER = v' of the impulses; another round if these close further contacts."""
    f = WorldStep()
    w, count = f.w, Array(f.w, "%count", "i64")
    after, listed, J = f.reals(StepSlot.AFTER), f.wholes(StepSlot.LIST), f.reals(Slot.J)
    with w.loop(_ROUNDS) as k:
        w.call("@friction_blocks", f.block, f.h, count)
        with w.when(count[0] > 0):
            w.call("@solve_impulses", f.block, f.h, count)
        f.fill(after, f.nv)
        f.fill(f.reals(StepSlot.WARM), f.total)
        with w.loop(count[0]) as a:
            impulse = f.reals(StepSlot.IMPULSES)[a]
            f.scatter(listed[a], f.reals(Slot.Y), after, impulse)
            f.reals(StepSlot.WARM)[listed[a]] = impulse
        w.call("@substitute", f.block, after)
        with w.loop(f.nv) as i:
            after[i] = after[i] + f.reals(StepSlot.FREE)[i]
        more = w.cell(0, "i64")
        with w.loop(f[Slot.FIRST_MOMENT]) as i, w.when(f.wholes(StepSlot.CLOSED)[i].equals(0)):
            n = f.rows[i]
            rate = f.gathered(n, J, after, f.reals(Slot.RATE)[n])
            with w.when(f.reals(Slot.RESIDUAL)[n] + 0.5 * f.h * rate < -_TOUCHING):
                f.wholes(StepSlot.CLOSED)[i] = 1
                f.block[StepSlot.IMPACT] = 1
                more.value = 1
        with w.when(more.value.equals(0) | k.equals(_ROUNDS - 1)):
            w.leave_void()
    return f.text("advance_velocities", ", double %h, ptr %count")


def step_impulses_text() -> str:
    """@viscous_contacts, @solve_impulses, @advance_velocities."""
    return "\n".join([_viscous(), _solve(), _advance_velocities()])
