"""Impulses of one fixed step in one world: contacts, friction of joints, loops and guides, as LLVM text.

With M' = L^T D L of the terms at the middle of the step, b the forces, and P impulses along the constraints:

    M' (v' - v) = h b + J^T P,        w = J v' + rate

and (P, w) solve the friction problem of `llvm_friction_solve`. A contact takes part if it is closed at the
middle of the step or would be closed at its end. Then its normal velocity ends at zero, or, with restitution,
at that part of its speed of approach (Newton's law; without, if that would make energy).
"""

from rikigaku.integrators.llvm_contact_memory import Slot
from rikigaku.integrators.llvm_friction_blocks import Kind
from rikigaku.integrators.llvm_step_memory import StepFunction, StepSlot
from rikigaku.integrators.llvm_writer import LANES, Array, Value

_TOUCHING = 1e-8  # [m]: smaller gaps are closed
_REST = 1e-9  # [m/s]: smaller sliding speeds are those of sticking
_BOUNCE = 2.0  # an approach slower than this many free changes of speed in a step is inelastic
_ROUNDS = 4  # of contacts that close by the impulses of others
_TOLERANCE = 1e-11
_SWEEPS = 100_000  # of block Gauss-Seidel, divided by the number of constraints


class _Step(StepFunction):
    """Numbers and arrays that all parts use."""

    def __init__(self) -> None:
        super().__init__()
        self.h = Value(self.w, "double", "%h")
        self.nv, self.contacts, self.joints = self[Slot.NV], self[Slot.CONTACTS], self[Slot.JOINTS]
        self.permanent = self[Slot.PERMANENT]
        self.rows = self.wholes(Slot.CONTACT_ROWS)
        self.row = self.reals(StepSlot.ROW)
        self.v = self.row.at(self[Slot.NQ])

    def __getitem__(self, slot: Slot | StepSlot) -> Value:
        return self.block[slot]

    def reals(self, slot: Slot | StepSlot) -> Array:
        return self.w.array(self.block[slot])

    def wholes(self, slot: Slot | StepSlot) -> Array:
        return self.w.array(self.block[slot], "i64")

    @property
    def joint_row(self) -> Value:
        """Index of the first constraint of a joint."""
        return self.rows[self.contacts]

    @property
    def total(self) -> Value:
        """Number of all constraints."""
        return self.joint_row + self.joints

    @property
    def modes(self) -> Array:
        return self.row.at(self[StepSlot.MODES_AT])

    def mu(self, i: Value) -> Value:
        """Kinetic friction of contact i at the sliding speed before the step."""
        friction, rates = self.reals(Slot.FRICTION).at(4 * i), self.reals(StepSlot.BEFORE_RATES)
        return friction[0] + friction[1] / (1.0 + friction[2] * self.speed(i, rates))

    def speed(self, i: Value, rates: Array) -> Value:
        """Square of the sliding speed of contact i."""
        w, total = self.w, self.w.cell(0.0)
        with w.loop(self.rows[i + 1], self.rows[i] + 1) as r:
            total.value = total.value + rates[r] * rates[r]
        return total.value


def _free_motion() -> str:
    """Velocities without impulses, rates of all constraints before the step and without impulses."""
    f = _Step()
    w, free, smooth = f.w, f.reals(StepSlot.FREE), f.reals(StepSlot.SMOOTH)
    force, J, rate = f.reals(Slot.FORCE), f.reals(Slot.J), f.reals(Slot.RATE)
    with w.loop(f.nv) as i:
        free[i] = force[i]
    w.call("@half_force", f.block, free)
    w.call("@substitute", f.block, free)
    with w.loop(f.nv) as i:
        smooth[i] = free[i]
        free[i] = f.v[i] + f.h * free[i]
    with w.loop(f.total) as r:
        f.reals(StepSlot.BEFORE_RATES)[r] = f.gathered(r, J, f.v, rate[r])
        f.reals(StepSlot.FREE_RATES)[r] = f.gathered(r, J, free, rate[r])
    return f.text("free_motion", ", double %h")


def _close() -> str:
    """CLOSED, TARGET and MU of each contact."""
    f = _Step()
    w, closed, target = f.w, f.wholes(StepSlot.CLOSED), f.reals(StepSlot.TARGET)
    before, free = f.reals(StepSlot.BEFORE_RATES), f.reals(StepSlot.FREE_RATES)
    with w.loop(f.contacts) as i:
        n = f.rows[i]
        gap, speed = f.reals(Slot.RESIDUAL)[n], before[n]
        e = f.reals(StepSlot.RESTITUTION)[i]
        bounces = (e > 0.0) & (speed < (0.0 - _BOUNCE) * w.abs(free[n] - speed))
        closes = (gap <= _TOUCHING) | (gap + 0.5 * f.h * free[n] <= 0.0)
        held = f.wholes(StepSlot.BILATERAL)[i] > 0
        closed[i] = w.select(closes | held, w.value(1, "i64"), 0)
        target[i] = w.select(bounces, 0.0 - e * speed, 0.0)
        kinetic = f.mu(i)
        static = f.reals(StepSlot.STATIC)[i]
        sticks = f.modes[i].equals(1.0) | (f.speed(i, before) < _REST * _REST)
        f.reals(StepSlot.MU)[i] = w.select(sticks & (static > kinetic), static, kinetic)
    return f.text("close_contacts", ", double %h")


def _blocks() -> str:
    """The friction problem of the closed contacts: LIST, PLACE, blocks, W, right-hand side, first impulses.

    count: of active constraints, then of blocks.
    """
    f = _Step()
    w, listed, place = f.w, f.wholes(StepSlot.LIST), f.wholes(StepSlot.PLACE)
    kinds, numbers = f.wholes(StepSlot.BLOCK_ROWS), f.reals(StepSlot.BLOCK_NUMBERS)
    count, blocks = w.cell(0, "i64"), w.cell(0, "i64")
    with w.loop(f.total) as r:
        place[r] = -1

    def add(row: Value) -> Value:
        at = count.value
        listed[at] = row
        place[row] = at
        count.value = at + 1
        return at

    def block(kind: int | Value, rows: list[Value | int], values: list[Value | float]) -> None:
        at = blocks.value
        kinds[4 * at] = kind
        for place_in, x in enumerate(rows):
            kinds[4 * at + 1 + place_in] = x
        for place_in, y in enumerate(values):
            numbers[3 * at + place_in] = y
        blocks.value = at + 1

    with w.loop(f.permanent) as r:
        block(Kind.BILATERAL, [add(r), -1, -1], [0.0, 0.0, 0.0])
    with w.loop(f.contacts) as i, w.when(f.wholes(StepSlot.CLOSED)[i] > 0):
        mu, first = f.reals(StepSlot.MU)[i], f.rows[i]
        tangents = f.rows[i + 1] - first - 1
        normal = add(first)
        cells = [w.cell(-1, "i64"), w.cell(-1, "i64")]
        with w.when((mu > 0.0) | (f.reals(Slot.FRICTION)[4 * i + 3] > 0.0)):
            for place_in, cell in enumerate(cells):
                with w.when(tangents > place_in):
                    cell.value = add(first + 1 + place_in)
        kind = w.select(f.wholes(StepSlot.BILATERAL)[i] > 0, w.value(Kind.BILATERAL, "i64"), Kind.UNILATERAL)
        block(kind, [normal, cells[0].value, cells[1].value], [mu, f.reals(StepSlot.TARGET)[i], 0.0])
    with w.loop(f.joints) as k:
        limit = w.select(
            f.modes[f.contacts + k].equals(2.0), f.reals(Slot.COULOMB)[k], f.reals(StepSlot.JOINT_STATIC)[k]
        )
        block(Kind.LIMITED, [-1, add(f.joint_row + k), -1], [0.0, 0.0, f.h * limit])
    n = count.value
    w.call("@constraints_in_Y", f.block, listed, n)
    W, Y, dense = f.reals(Slot.DELASSUS), f.reals(Slot.Y), f.reals(StepSlot.DENSE)
    columns = f.wholes(Slot.COLUMNS)
    width = (f.nv + (LANES - 1)) / LANES * LANES  # rows are padded with zeros
    with w.loop(n) as a:
        own_row = dense.at(listed[a] * width)
        first, size = f.pattern(listed[a])
        with w.loop(size) as k:
            own_row[columns[first + k]] = Y[first + k]
        x = f.scaled(listed[a])
        with w.loop(a + 1) as b:
            own = w.dot(width, dense.at(listed[b] * width), x)
            W[a * n + b] = own
            W[b * n + a] = own
        f.cleared(listed[a])
        f.reals(StepSlot.W0)[a] = f.reals(StepSlot.FREE_RATES)[listed[a]]
        f.reals(StepSlot.IMPULSES)[a] = f.reals(StepSlot.WARM)[listed[a]]
    out = Array(w, "%count", "i64")
    out[0], out[1] = n, blocks.value
    return f.text("friction_blocks", ", double %h, ptr %count")


def _viscous() -> str:
    """Viscous friction of contacts, -c (w + w')/2: W and w0 with it eliminated, w' = W~ P + w0~.

    With G = diag(h c / 2): W~ = (1 + W G)^-1 W, w0~ = (1 + W G)^-1 (w0 - W G w).
    """
    f = _Step()
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
    f = _Step()
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
    with w.loop(f.contacts) as i, w.when(f.wholes(StepSlot.CLOSED)[i] > 0):
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
    gained, bounces = w.cell(0.0), w.cell(0, "i64")
    with w.loop(n) as a:
        gained.value = gained.value + F[a] * (f.reals(StepSlot.W0)[a] + response[a])
    with w.loop(blocks) as k, w.when(numbers[3 * k + 1] > 0.0):
        bounces.value = 1
    with w.when((bounces.value > 0) & (gained.value > 0.0)):
        with w.loop(blocks) as k:
            numbers[3 * k + 1] = 0.0
        solve()
    with w.when(viscous):  # the impulses of viscous friction as well, along the same constraints
        G = f.reals(StepSlot.VISCOUS_MATRIX).at(n * n)
        with w.loop(n) as a:
            mean = f.reals(StepSlot.BEFORE_RATES)[f.wholes(StepSlot.LIST)[a]] + response[a]
            F[a] = F[a] - G[a] * mean
    return f.text("solve_impulses", ", double %h, ptr %count")


def _advance_velocities() -> str:
    """AFTER = v' of the impulses; another round if these close further contacts."""
    f = _Step()
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
        with w.loop(f.contacts) as i, w.when(f.wholes(StepSlot.CLOSED)[i].equals(0)):
            n = f.rows[i]
            rate = f.gathered(n, J, after, f.reals(Slot.RATE)[n])
            with w.when(f.reals(Slot.RESIDUAL)[n] + 0.5 * f.h * rate < -_TOUCHING):
                f.wholes(StepSlot.CLOSED)[i] = 1
                more.value = 1
        with w.when(more.value.equals(0) | k.equals(_ROUNDS - 1)):
            w.line("ret void")
            w._start(w._fresh("after"))
    return f.text("advance_velocities", ", double %h, ptr %count")


def step_contacts_text() -> str:
    """@free_motion, @close_contacts, @advance_velocities and its parts."""
    return "\n".join([_free_motion(), _close(), _blocks(), _viscous(), _solve(), _advance_velocities()])
