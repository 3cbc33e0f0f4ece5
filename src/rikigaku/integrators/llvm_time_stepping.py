"""Fixed steps of robots with contacts, many worlds at once: Moreau's midpoint scheme, as LLVM text.

    void advance(ptr tile)

takes steps of one length h in every world of a tile (`TileSlot`):

    q_m = q + h v / 2                              positions at the middle of the step
    M'(q_m) (v' - v) = h b(q_m, v) + J(q_m)^T P    damping implicit; P by `llvm_step_contacts`
    q' = q_m + h v' / 2 + dq                       dq removes residuals of closed contacts, loops and guides

A world whose stop condition holds at the beginning of a step keeps its state from there on.

Work and dissipated energy are those of the mean velocity (v + v') / 2, with which the step's balance of
energy is exact but for the change of M and of the potential along the step.
Reference: [Moreau1988], [Jean1999].
"""

from rikigaku.integrators.llvm_constraint_solve import solve_text
from rikigaku.integrators.llvm_driver import piecewise_text
from rikigaku.integrators.llvm_friction_solve import friction_text
from rikigaku.integrators.llvm_step_contacts import step_contacts_text
from rikigaku.integrators.llvm_step_impulses import step_impulses_text
from rikigaku.integrators.llvm_step_memory import StepStatus, TileSlot
from rikigaku.integrators.llvm_step_results import step_results_text
from rikigaku.integrators.llvm_writer import DECLARED, Array, Value, Writer


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
            self.run_batch(batch)
        with w.when(~batched), w.loop(self.worlds) as b:
            own = [self.of_world(slot, b, w.value(size, "i64")).at(at) for slot, size, at in arguments]
            w.call(self.program(one), *own)

    def run_batch(self, batch: TileSlot) -> None:
        """Run a program on all worlds in vector registers."""
        w = self.w
        call = w.array(self[batch], "i64")
        function, *pointers = (w.result("ptr", f"inttoptr i64 {call[k].name} to ptr").name for k in range(4))
        w.line(f"call void {function}({', '.join(f'ptr {p}' for p in pointers)}, ptr null)")


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


def _integrate_from_rows(t: _Tile) -> None:
    """MIDDLE = positions of the rows, moved by INCREMENTS."""
    arguments: list[tuple[TileSlot, Value | int, Value | int]] = [
        (TileSlot.ROWS, t[TileSlot.ROW_SIZE], 0),
        (TileSlot.INCREMENTS, t.nv, 0),
        (TileSlot.MIDDLE, t.size, 0),
    ]
    t.run(TileSlot.INTEGRATE_HALF_CALL, TileSlot.INTEGRATE, arguments)


def _evaluate_terms(t: _Tile) -> None:
    """TERMS at the states in MIDDLE."""
    nv, control = t.nv, 3 * t.nv + 1
    arguments: list[tuple[TileSlot, Value | int, Value | int]] = [
        (TileSlot.MIDDLE, t.size, 0),
        (TileSlot.MIDDLE, t.size, t.nq),
        (TileSlot.PREDICTED, nv, 0),
        (TileSlot.CONTROLS, control, 0),
        (TileSlot.TIME, 1, 1),
        (TileSlot.CONTROLS, control, nv),
        (TileSlot.TERMS, t[TileSlot.TERMS_SIZE], 0),
    ]
    t.run(TileSlot.STEPPING_CALL, TileSlot.STEPPING, arguments)


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
        with w.when(~t[TileSlot.STOP_CALL].equals(0)):
            _stop(t, k, now)
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
        _integrate_from_rows(t)
        with w.when(period.equals(0)):
            _actuate(t, TileSlot.ACTUATION_CALL, TileSlot.MIDDLE, t.size)
        _check(t, TileSlot.CONTROLS, control, nv, StepStatus.TORQUE)
        _evaluate_terms(t)
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
        with w.when(~t[TileSlot.STOP_CALL].equals(0)):
            _hold(t)
        _check(t, TileSlot.ROWS, t[TileSlot.ROW_SIZE], t.size, StepStatus.STATE)
        every, passed = t[TileSlot.EVERY], k + 1
        with w.when((passed / every * every).equals(passed) | passed.equals(t[TileSlot.LAST_STEP])):
            _record(t, k / every, start + w.real(passed) * h)
    w.line("ret void")
    return w.function("define void @advance(ptr %tile)")


def _stop(t: _Tile, step: Value, time: Value) -> None:
    """Note the step and the state of each world whose condition holds for the first time."""
    w, taken = t.w, t.w.array(t[TileSlot.TAKEN], "i64")
    t.run_batch(TileSlot.STOP_CALL)
    stops = w.cell(0, "i64")
    with w.loop(t.worlds) as b, w.when((t.reals(TileSlot.RUNNING)[b] <= 0.0) & (taken[b] < 0)):
        taken[b] = step
        _copy_row(t, b, TileSlot.ROWS, TileSlot.STOPPED_ROWS)
        stops.value = 1
    with w.when((t[TileSlot.PROJECT] > 0) & (stops.value > 0)):
        _project(t, time)
        with w.loop(t.worlds) as b, w.when(taken[b].equals(step)), w.loop(t.nq) as i:
            stopped = t.of_world(TileSlot.STOPPED_ROWS, b, t[TileSlot.ROW_SIZE])
            stopped[i] = t.of_world(TileSlot.MIDDLE, b, t.size)[i]


def _hold(t: _Tile) -> None:
    """Worlds that have stopped return to where they did."""
    w, taken = t.w, t.w.array(t[TileSlot.TAKEN], "i64")
    with w.loop(t.worlds) as b, w.when(taken[b] >= 0):
        _copy_row(t, b, TileSlot.STOPPED_ROWS, TileSlot.ROWS)


def _copy_row(t: _Tile, world: Value, source: TileSlot, target: TileSlot) -> None:
    size = t[TileSlot.ROW_SIZE]
    with t.w.loop(size) as i:
        t.of_world(target, world, size)[i] = t.of_world(source, world, size)[i]


def _check(t: _Tile, slot: TileSlot, size: Value, count: Value, status: StepStatus) -> None:
    """Return if numbers are not finite; in a batch the other worlds go on, and this one remains NaN."""
    w, worst, failed = t.w, t.w.cell(0.0), t.w.cell(0, "i64")
    steps, causes = w.array(t[TileSlot.FAILED_STEPS], "i64"), w.array(t[TileSlot.CAUSES], "i64")
    with w.loop(t.worlds) as b, w.loop(count) as i:
        x = t.of_world(slot, b, size)[i]
        with w.when(~((x - x).equals(0.0))):
            worst.value, failed.value = 1.0, b
            with w.when(steps[b] < 0):
                steps[b], causes[b] = t[TileSlot.FIRST_STEP], int(status)
                if status == StepStatus.TORQUE:  # the cause may be the state of the forces
                    middle = t.of_world(TileSlot.MIDDLE, b, t.size)
                    with w.loop(t.nq + t.nv) as j, w.when(~((middle[j] - middle[j]).equals(0.0))):
                        causes[b] = int(StepStatus.STATE)
    with w.when(worst.value > 0.0):
        t.tile[TileSlot.STATUS] = int(status)
        t.tile[TileSlot.FAILED] = failed.value
        with w.when(t[TileSlot.BATCHED].equals(0)):
            w.leave_void()


def _record(t: _Tile, number: Value, time: Value) -> None:
    """Copy all rows; if wanted, with positions projected onto the corrected constraints."""
    w, size, taken = t.w, t[TileSlot.ROW_SIZE], t.w.array(t[TileSlot.TAKEN], "i64")
    records = t.reals(TileSlot.RECORDS).at(number * t.worlds * size)
    with w.loop(t.worlds * size) as i:
        records[i] = t.reals(TileSlot.ROWS)[i]
    with w.when(t[TileSlot.PROJECT] > 0):
        _project(t, time)
        # worlds that have stopped were projected then
        with w.loop(t.worlds) as b, w.when(taken[b] < 0), w.loop(t.nq) as i:
            records[b * size + i] = t.of_world(TileSlot.MIDDLE, b, t.size)[i]


def _project(t: _Tile, time: Value) -> None:
    """MIDDLE = positions of the rows, projected onto the constraints that the last step corrected.

    By PROJECT steps of Newton's method, the sum of which is in PREDICTED. Each world takes all of them: the
    result does not depend on the others. The rows remain; the next step begins there.
    """
    w, nv = t.w, t.nv
    _set_times(t, time)
    with w.loop(t.worlds) as b:
        row, middle = (
            t.of_world(TileSlot.ROWS, b, t[TileSlot.ROW_SIZE]),
            t.of_world(TileSlot.MIDDLE, b, t.size),
        )
        with w.loop(t.nq + nv) as i:
            middle[i] = row[i]
        with w.loop(nv) as i:
            t.of_world(TileSlot.PREDICTED, b, nv)[i] = 0.0
    with w.loop(t[TileSlot.PROJECT]):
        _evaluate_terms(t)
        with w.loop(t.worlds) as b:
            increment, sum_ = (t.of_world(slot, b, nv) for slot in (TileSlot.INCREMENTS, TileSlot.PREDICTED))
            block = w.array(t[TileSlot.BLOCKS], "i64").at(b * t[TileSlot.BLOCK_SIZE])
            w.call("@projection_increment", block, increment)
            with w.loop(nv) as i:
                increment[i] = increment[i] + sum_[i]
                sum_[i] = increment[i]
        _integrate_from_rows(t)


def time_stepping_text() -> str:
    """LLVM text of @advance and all it calls."""
    world = [step_contacts_text(), step_impulses_text(), step_results_text()]
    return "\n".join([DECLARED, solve_text(), friction_text(), *world, _advance(), piecewise_text()])
