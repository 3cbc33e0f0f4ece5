"""Fixed steps of robots with contacts, many worlds at once: Moreau's midpoint scheme, as LLVM text.

    void advance(ptr tile)

takes steps of one length h in every world of a tile (`TileSlot`):

    q_m = q + h v / 2                              positions at the middle of the step
    M'(q_m) (v' - v) = h b(q_m, v) + J(q_m)^T P    damping implicit; P by `llvm_step_contacts`
    q' = q_m + h v' / 2 + dq                       dq removes residuals of closed contacts, loops and guides

Work and dissipated energy are those of the mean velocity (v + v') / 2, with which the step's balance of
energy is exact but for the change of M and of the potential along the step.
Reference: [Moreau1988], [Jean1999].
"""

from rikigaku.integrators.llvm_constraint_solve import solve_text
from rikigaku.integrators.llvm_contact_memory import Slot
from rikigaku.integrators.llvm_driver import piecewise_text
from rikigaku.integrators.llvm_friction_solve import friction_text
from rikigaku.integrators.llvm_step_contacts import _Step, step_contacts_text
from rikigaku.integrators.llvm_step_memory import StepSlot, StepStatus, TileSlot
from rikigaku.integrators.llvm_writer import DECLARED, Array, Value, Writer

_MOVING = 1e-9  # [m/s]: faster contacts slide


def _correction() -> str:
    """INCREMENT = h v'/2 + dq: dq removes the residuals that the step would leave."""
    f = _Step()
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
    with w.loop(f.contacts) as i, w.when(f.wholes(StepSlot.CLOSED)[i] > 0):
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
    f = _Step()
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
    f = _Step()
    w, h, row, v, after = f.w, f.h, f.row, f.v, f.reals(StepSlot.AFTER)
    nq, nv = f[Slot.NQ], f.nv
    a, tau = row.at(f[StepSlot.A_AT]), row.at(f[StepSlot.TAU_AT])
    forces, warm = row.at(f[StepSlot.FORCES_AT]), f.reals(StepSlot.WARM)
    work, heat = w.cell(row[nq + nv]), w.cell(row[nq + nv + 1])
    with w.loop(nv) as i:
        change = after[i] - v[i]
        mean = 0.5 * (after[i] + v[i])
        a[i] = change / h
        acting = f.reals(StepSlot.CONTROL)[i] - f.reals(StepSlot.CONTROL_INERTIA)[i] * (change / h)
        tau[i] = acting
        work.value = work.value + h * acting * mean
        drag = h * f.reals(StepSlot.VISCOUS_FORCE)[i] + f.reals(StepSlot.VISCOUS_INERTIA)[i] * change
        heat.value = heat.value + drag * mean
    before, rate, J = f.reals(StepSlot.BEFORE_RATES), f.reals(Slot.RATE), f.reals(Slot.J)
    rates = f.reals(StepSlot.FREE_RATES)  # from here on: at the end of the step
    with w.loop(f.total) as r:
        rates[r] = f.gathered(r, J, after, rate[r])
        impulse = warm[r]
        work.value = work.value - impulse * rate[r]
        heat.value = heat.value - 0.5 * impulse * (before[r] + rates[r])
    with w.loop(f.contacts) as i:
        first = f.rows[i]
        total = [w.cell(0.0) for _ in range(3)]
        with w.loop(f.rows[i + 1] - first) as k:
            direction = f.reals(Slot.DIRECTIONS).at(9 * i + 3 * k)
            for d, cell in enumerate(total):
                cell.value = cell.value + warm[first + k] / h * direction[d]
        for d, cell in enumerate(total):
            forces[4 * i + d] = cell.value
        forces[4 * i + 3] = warm[first] / h
        moving = f.speed(i, rates) > _MOVING * _MOVING
        frictionless = ~(f.reals(StepSlot.MU)[i] > 0.0)
        open = warm[first].equals(0.0) & f.wholes(StepSlot.BILATERAL)[i].equals(0)
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
    row[f[StepSlot.RESIDUAL_AT]] = result[0] / result[1]
    row[nq + nv], row[nq + nv + 1] = work.value, heat.value
    f.copy(after, v, nv)
    return f.text("step_results", ", double %h")


def _contact_step() -> str:
    """One world: impulses, velocities, increment of the positions, results."""
    f = _Step()
    w = f.w
    result, count = f.reals(StepSlot.SOLVER_RESULT), f.wholes(StepSlot.CORRECTED)
    result[0], result[1] = 0.0, 1.0
    w.call("@free_motion", f.block, f.h)
    w.call("@close_contacts", f.block, f.h)
    w.call("@advance_velocities", f.block, f.h, count)
    w.call("@position_increment", f.block, f.h)
    w.call("@step_results", f.block, f.h)
    return f.text("contact_step", ", double %h")


class _Tile:
    """The functions of a tile."""

    def __init__(self) -> None:
        self.w = w = Writer()
        self.tile = Array(w, "%tile", "i64")
        self.h = self.reals(TileSlot.STEP)[0]
        self.worlds, self.nq, self.nv = self[TileSlot.WORLDS], self[TileSlot.NQ], self[TileSlot.NV]
        self.size = self.nq + self.nv + 2

    def __getitem__(self, slot: TileSlot) -> Value:
        return self.tile[slot]

    def reals(self, slot: TileSlot) -> Array:
        return self.w.array(self.tile[slot])

    def program(self, slot: TileSlot) -> str:
        return self.w.result("ptr", f"inttoptr i64 {self.tile[slot].name} to ptr").name

    def of_world(self, slot: TileSlot, world: Value, size: Value) -> Array:
        return self.reals(slot).at(world * size)

    def run(
        self, batch: TileSlot, one: TileSlot, arguments: list[tuple[TileSlot, Value | int, Value | int]]
    ) -> None:
        """Run a program on all worlds: in vector registers, or world by world.

        arguments: array, size of a world's row in it, and offset in the row.
        """
        w = self.w
        batched = self[TileSlot.BATCHED] > 0
        with w.when(batched):
            call = w.array(self[batch], "i64")
            function, *pointers = (
                w.result("ptr", f"inttoptr i64 {call[k].name} to ptr").name for k in range(4)
            )
            w.line(f"call void {function}({', '.join(f'ptr {p}' for p in pointers)}, ptr null)")
        with w.when(~batched), w.loop(self.worlds) as b:
            own = [self.of_world(slot, b, w.value(size, "i64")).at(at) for slot, size, at in arguments]
            w.call(self.program(one), *own)


def _actuate(t: _Tile, batch: TileSlot, state: TileSlot, row: Value) -> None:
    """Inputs and joint forces of all worlds, at their states and times."""
    w = t.w
    inputs = t[TileSlot.INPUT_SIZE]
    table = t[TileSlot.TABLE]
    time = t.reals(TileSlot.TIME)[1]
    with w.when(~t[TileSlot.INPUT].equals(0)):
        with w.repeat() as done:  # the segment of the inputs
            segment = t[TileSlot.SEGMENT]
            with w.when(segment + 1 >= t[TileSlot.SEGMENTS]):
                w.jump(done)
            with w.when(time < t.reals(TileSlot.STARTS)[segment + 1]):
                w.jump(done)
            t.tile[TileSlot.SEGMENT] = segment + 1
        with w.loop(t.worlds) as b:
            w.call(
                t.program(TileSlot.INPUT), t.reals(TileSlot.INPUT_DATA), t.reals(TileSlot.TIME).at(1 + b),
                t.of_world(state, b, row), t.of_world(TileSlot.INPUTS, b, inputs), t[TileSlot.SEGMENT],
            )  # fmt: skip
    with w.when(~table.equals(0)):
        source = t.reals(TileSlot.TABLE).at(t[TileSlot.FIRST_STEP] * t.worlds * inputs)
        with w.loop(t.worlds * inputs) as k:
            t.reals(TileSlot.INPUTS)[k] = source[k]
    control = 3 * t.nv + 1
    t.run(
        batch,
        TileSlot.ACTUATION,
        [
            (TileSlot.TIME, 1, 1),
            (state, row, 0),
            (TileSlot.INPUTS, inputs, 0),
            (TileSlot.PARAMETERS, 0, 0),
            (TileSlot.CONTROLS, control, 0),
        ],
    )


def _set_times(t: _Tile, x: Value) -> None:
    with t.w.loop(t.worlds) as b:
        t.reals(TileSlot.TIME)[b + 1] = x


def _advance() -> str:
    t = _Tile()
    w, h, nv, control = t.w, t.h, t.nv, 3 * t.nv + 1
    start, period = t.reals(TileSlot.TIME)[0], t[TileSlot.PERIOD]
    first, last = t[TileSlot.FIRST_STEP], t[TileSlot.FIRST_STEP] + t[TileSlot.STEPS]
    with w.loop(last, first) as k:
        t.tile[TileSlot.FIRST_STEP] = k
        now = start + w.real(k) * h
        with w.when(~period.equals(0)):  # a sampled controller, at the beginning of a step
            held, length = t.reals(TileSlot.HELD), t.reals(TileSlot.PERIOD)[0]
            with w.when(held[0] + length <= now + 1e-9 * h):
                passed = w.result(
                    "double", f"call double @llvm.floor.f64(double {((now + 1e-9 * h) / length).name})"
                )
                held[0] = passed * length
                _set_times(t, now)
                _actuate(t, TileSlot.ACTUATION_START_CALL, TileSlot.ROWS, t[TileSlot.ROW_SIZE])
                with w.loop(t.worlds) as b, w.loop(2 * nv) as i:
                    t.of_world(TileSlot.CONTROLS, b, control)[nv + i] = 0.0
        _set_times(t, now + 0.5 * h)
        with w.loop(t.worlds) as b:
            row, middle = (
                t.of_world(TileSlot.ROWS, b, t[TileSlot.ROW_SIZE]),
                t.of_world(TileSlot.MIDDLE, b, t.size),
            )
            increment = t.of_world(TileSlot.INCREMENTS, b, nv)
            predicted, smooth = t.of_world(TileSlot.PREDICTED, b, nv), t.of_world(TileSlot.SMOOTH, b, nv)
            with w.loop(nv) as i:
                v = row[t.nq + i]
                increment[i] = 0.5 * h * v
                predicted[i] = v + 0.5 * h * smooth[i]
                middle[t.nq + i] = v
            middle[t.nq + nv], middle[t.nq + nv + 1] = row[t.nq + nv], row[t.nq + nv + 1]
        t.run(
            TileSlot.INTEGRATE_HALF_CALL,
            TileSlot.INTEGRATE,
            [
                (TileSlot.ROWS, t[TileSlot.ROW_SIZE], 0),
                (TileSlot.INCREMENTS, nv, 0),
                (TileSlot.MIDDLE, t.size, 0),
            ],
        )
        with w.when(period.equals(0)):
            _actuate(t, TileSlot.ACTUATION_CALL, TileSlot.MIDDLE, t.size)
        _check(t, TileSlot.CONTROLS, control, nv, StepStatus.TORQUE)
        t.run(
            TileSlot.STEPPING_CALL,
            TileSlot.STEPPING,
            [
                (TileSlot.MIDDLE, t.size, 0),
                (TileSlot.MIDDLE, t.size, t.nq),
                (TileSlot.PREDICTED, nv, 0),
                (TileSlot.CONTROLS, control, 0),
                (TileSlot.TIME, 1, 1),
                (TileSlot.CONTROLS, control, nv),
                (TileSlot.TERMS, _terms_size(t), 0),
            ],
        )
        with w.loop(t.worlds) as b:
            w.call("@contact_step", w.array(t[TileSlot.BLOCKS], "i64").at(b * t[TileSlot.BLOCK_SIZE]), h)
        t.run(
            TileSlot.INTEGRATE_CALL,
            TileSlot.INTEGRATE,
            [
                (TileSlot.MIDDLE, t.size, 0),
                (TileSlot.INCREMENTS, nv, 0),
                (TileSlot.ROWS, t[TileSlot.ROW_SIZE], 0),
            ],
        )
        _check(t, TileSlot.ROWS, t[TileSlot.ROW_SIZE], t.size, StepStatus.STATE)
        every = t[TileSlot.EVERY]
        with w.when(every > 0):
            passed = k + 1
            with w.when((passed / every * every).equals(passed)):
                _record(t, passed / every - 1, start + w.real(passed) * h)
    w.line("ret void")
    return w.function("define void @advance(ptr %tile)")


def _terms_size(t: _Tile) -> Value:
    """The distance between the terms of two worlds."""
    return t.tile[len(TileSlot)]


def _check(t: _Tile, slot: TileSlot, size: Value, count: Value, status: StepStatus) -> None:
    """Return if numbers are not finite."""
    w, worst, failed = t.w, t.w.cell(0.0), t.w.cell(0, "i64")
    with w.loop(t.worlds) as b, w.loop(count) as i:
        x = t.of_world(slot, b, size)[i]
        with w.when(~((x - x).equals(0.0))):
            worst.value, failed.value = 1.0, b
    with w.when(worst.value > 0.0):
        t.tile[TileSlot.STATUS] = int(status)
        t.tile[TileSlot.FAILED] = failed.value
        w.line("ret void")
        w._start(w._fresh("after"))


def _record(t: _Tile, number: Value, time: Value) -> None:
    """Copy all rows; if wanted, with positions projected onto the corrected constraints."""
    w, size = t.w, t[TileSlot.ROW_SIZE]
    records = t.reals(TileSlot.RECORDS).at(number * t.worlds * size)
    with w.loop(t.worlds * size) as i:
        records[i] = t.reals(TileSlot.ROWS)[i]
    with w.when(t[TileSlot.PROJECT] > 0):
        _set_times(t, time)
        with w.loop(t.worlds) as b:
            block = w.array(t[TileSlot.BLOCKS], "i64").at(b * t[TileSlot.BLOCK_SIZE])
            row = t.of_world(TileSlot.ROWS, b, size)
            control = t.of_world(TileSlot.CONTROLS, b, 3 * t.nv + 1)
            w.call(
                t.program(TileSlot.STEPPING), row, row.at(t.nq), row.at(t.nq), control,
                t.reals(TileSlot.TIME).at(1 + b), control.at(t.nv),
                t.of_world(TileSlot.TERMS, b, _terms_size(t)),
            )  # fmt: skip
            increment = t.of_world(TileSlot.INCREMENTS, b, t.nv)
            w.call("@projection_increment", block, increment)
            w.call(t.program(TileSlot.INTEGRATE), row, increment, records.at(b * size))


def _projection() -> str:
    """out = step of the positions that removes the residuals at the terms in memory."""
    f = _Step()
    w, right, rows = f.w, f.reals(Slot.RIGHT_HAND_SIDE), f.wholes(StepSlot.CORRECTED)
    count = f[StepSlot.CORRECTED_COUNT]
    with w.loop(count) as k:
        right[k] = 0.0 - f.reals(Slot.RESIDUAL)[rows[k]]
    w.call("@constraints_in_Y", f.block, rows, count)
    w.call("@removed_residuals", f.block, Array(w, "%out"))
    return f.text("projection_increment", ", ptr %out")


def time_stepping_text() -> str:
    """LLVM text of @advance and all it calls."""
    parts = [
        _removed(),
        _correction(),
        _results(),
        _contact_step(),
        _projection(),
        _advance(),
        piecewise_text(),
    ]
    return "\n".join([DECLARED, solve_text(), friction_text(), step_contacts_text(), *parts])
