"""Results of one fixed step in one world: positions, work and heat, forces, contact modes, as LLVM text."""

from rikigaku.integrators.llvm_contact_memory import Slot
from rikigaku.integrators.llvm_step_memory import StepSlot, WorldStep
from rikigaku.integrators.llvm_writer import Array, Value

_MOVING = 1e-9  # [m/s]: faster contacts slide
_UNSOLVED = 1e-2  # residual of the friction problem, relative to the velocities: there is no solution


def _correction() -> str:
    """INCREMENT = h v'/2 + dq: dq removes the residuals that the step would leave."""
    f = WorldStep()
    w, h, increment, after = f.w, f.h, f.reals(StepSlot.INCREMENT), f.reals(StepSlot.AFTER)
    corrected, right = f.wholes(StepSlot.CORRECTED), f.reals(Slot.RIGHT_HAND_SIDE)
    count = w.cell(0, "i64")

    def end(row: Value) -> Value:
        """The residual at the end of the step."""
        rate = f.gathered(row, f.reals(Slot.J), after, f.reals(Slot.RATE)[row])
        return f.reals(Slot.RESIDUAL)[row] + 0.5 * h * rate

    def add(row: Value, residual: Value) -> None:
        at = count.value
        corrected[at] = row
        right[at] = 0.0 - residual
        count.value = at + 1

    with w.loop(f.permanent) as r:
        add(r, end(r))
    with w.loop(f[Slot.FIRST_MOMENT]) as i, w.when(f.wholes(StepSlot.CLOSED)[i] > 0):
        residual = end(f.rows[i])
        loaded = (f.reals(StepSlot.WARM)[f.rows[i]] > 0.0) & f.reals(StepSlot.TARGET)[i].equals(0.0)
        inside = (residual < 0.0) & f.reals(StepSlot.RESTITUTION)[i].equals(0.0)
        with w.when(loaded | inside | (f.wholes(StepSlot.BILATERAL)[i] > 0)):
            add(f.rows[i], residual)
    f.block[StepSlot.CORRECTED_COUNT] = count.value
    w.call("@removed_residuals", f.block, increment)
    with w.loop(f.nv) as i:
        increment[i] = increment[i] + 0.5 * h * after[i]
    return f.text("position_increment", ", double %h")


def _removed() -> str:
    """out = M'^-1 J^T W^-1 right, of the corrected constraints, of which Y is in memory."""
    f = WorldStep()
    w, out, right = f.w, Array(f.w, "%out"), f.reals(Slot.RIGHT_HAND_SIDE)
    rows, count = f.wholes(StepSlot.CORRECTED), f[StepSlot.CORRECTED_COUNT]
    f.fill(out, f.nv)
    with w.when(count > 0):
        w.call("@cholesky", f.block, rows, count, right, w.value(1, "i64"))
        with w.loop(count) as k:
            f.scatter(rows[k], f.reals(Slot.Y), out, right[k])
        w.call("@substitute", f.block, out)
    return f.text("removed_residuals", ", ptr %out")


def _results() -> str:
    """Work, heat, accelerations, joint forces, contact forces and modes of the step; v becomes v'."""
    f = WorldStep()
    w, h, row, v, after = f.w, f.h, f.row, f.v, f.reals(StepSlot.AFTER)
    nq, nv = f[Slot.NQ], f.nv
    a, tau = row.at(f[StepSlot.A_AT]), row.at(f[StepSlot.TAU_AT])
    forces, warm = row.at(f[StepSlot.FORCES_AT]), f.reals(StepSlot.WARM)
    work, heat = w.cell(row[nq + nv]), w.cell(row[nq + nv + 1])
    with w.loop(nv) as i:
        change = after[i] - v[i]
        mean = 0.5 * (after[i] + v[i])
        a[i] = change / h
        smooth = f.reals(StepSlot.FREE_ACCELERATION)[i]
        f.reals(StepSlot.SMOOTH)[i] = w.select(f[StepSlot.IMPACT].equals(0), change / h, smooth)
        acting = f.reals(StepSlot.CONTROL)[i] - f.reals(StepSlot.CONTROL_INERTIA)[i] * (change / h)
        tau[i] = acting
        work.value = work.value + h * acting * mean
        drag = h * f.reals(StepSlot.VISCOUS_FORCE)[i] + f.reals(StepSlot.VISCOUS_INERTIA)[i] * change
        heat.value = heat.value + drag * mean
    before, rate, J = f.reals(StepSlot.BEFORE_RATES), f.reals(Slot.RATE), f.reals(Slot.J)
    rates = f.reals(StepSlot.FREE_RATES)  # from here on: at the end of the step
    with w.loop(f.total) as r:
        # Bilateral constraints hold at the end of the step, work is done at its middle, where J is taken.
        middle = f.gathered(r, J, after, rate[r])
        rates[r] = middle + (rates[r] - f.gathered(r, J, f.reals(StepSlot.FREE), rate[r]))
        impulse = warm[r]
        work.value = work.value - impulse * rate[r]
        heat.value = heat.value - 0.5 * impulse * (before[r] + middle)
    with w.loop(f.contacts) as i:
        first = f.rows[i]
        # The normal velocity of a contact that pushes and was closed is zero at the beginning of the step,
        # too. At the middle, where J is taken, it is not.
        pushes = f.wholes(StepSlot.BILATERAL)[i].equals(0)
        lasts = pushes & (f.modes[i] > 0.0) & f.reals(StepSlot.TARGET)[i].equals(0.0)
        with w.when(lasts):
            heat.value = heat.value + 0.5 * warm[first] * before[first]
        total = [w.cell(0.0) for _ in range(3)]
        with w.loop(f.rows[i + 1] - first) as k:
            direction = f.reals(Slot.DIRECTIONS).at(9 * i + 3 * k)
            for d, cell in enumerate(total):
                cell.value = cell.value + warm[first + k] / h * direction[d]
        for d, cell in enumerate(total):
            forces[4 * i + d] = cell.value
        normal = warm[f.rows[f.wholes(Slot.OWNERS)[i]]]
        forces[4 * i + 3] = normal / h
        moving = f.speed(i, rates) > _MOVING * _MOVING
        frictionless = ~(f.reals(StepSlot.MU)[i] > 0.0)
        open = normal.equals(0.0) & pushes
        f.modes[i] = w.select(open, 0.0, w.select(moving | frictionless, w.value(2.0, "double"), 1.0))
    with w.loop(f.joints) as k:
        r = f.joint_row + k
        forces[4 * f.contacts + k] = warm[r] / h
        f.modes[f.contacts + k] = w.select(w.abs(rates[r]) > _MOVING, w.value(2.0, "double"), 1.0)
    guides, owners = forces.at(4 * f.contacts + f.joints), f.wholes(Slot.GUIDE_OWNERS)
    loops, multipliers = f[Slot.LOOPS], row.at(f[StepSlot.PERMANENT_AT])
    with w.loop(f.permanent - loops) as k:
        f.fill(guides.at(6 * owners[k]), 6)
    with w.loop(f.permanent) as k:
        multipliers[k] = warm[k] / h
    with w.loop(f.permanent - loops) as k:
        wrench, guide = f.reals(Slot.WRENCHES).at(7 * k), guides.at(6 * owners[k])
        with w.loop(6) as c:
            guide[c] = guide[c] + multipliers[loops + k] * wrench[c]
    result = f.reals(StepSlot.SOLVER_RESULT)
    worst = f[StepSlot.RESIDUAL_AT]  # of all steps so far
    row[worst] = w.max(result[0] / result[1], row[worst])
    row[nq + nv], row[nq + nv + 1] = work.value, heat.value
    f.copy(after, v, nv)
    return f.text("step_results", ", double %h")


def _contact_step() -> str:
    """One world: impulses, velocities, increment of the positions, results."""
    f = WorldStep()
    w = f.w
    result, count = f.reals(StepSlot.SOLVER_RESULT), f.wholes(StepSlot.CORRECTED)
    result[0], result[1], result[4] = 0.0, 1.0, 1.0
    w.call("@close_contacts", f.block, f.h)
    w.call("@advance_velocities", f.block, f.h, count)
    with w.when(result[0] > _UNSOLVED * result[4]):  # the state becomes NaN, and the residual infinite
        f.fill(f.reals(StepSlot.AFTER), f.nv, float("nan"))
        result[0] = float("inf")
    w.call("@position_increment", f.block, f.h)
    w.call("@step_results", f.block, f.h)
    return f.text("contact_step", ", double %h")


def _projection() -> str:
    """out = step of the positions that removes the residuals at the terms in memory."""
    f = WorldStep()
    w, right, rows = f.w, f.reals(Slot.RIGHT_HAND_SIDE), f.wholes(StepSlot.CORRECTED)
    count = f[StepSlot.CORRECTED_COUNT]
    with w.loop(count) as k:
        right[k] = 0.0 - f.reals(Slot.RESIDUAL)[rows[k]]
    w.call("@removed_residuals", f.block, Array(w, "%out"))
    return f.text("projection_increment", ", ptr %out")


def step_results_text() -> str:
    """@removed_residuals, @position_increment, @step_results, @contact_step, @projection_increment."""
    return "\n".join([_removed(), _correction(), _results(), _contact_step(), _projection()])
