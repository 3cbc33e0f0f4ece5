"""Impulses of one fixed step in one world: contacts, friction of joints, loops and guides, as LLVM text.

With M' = L^T D L of the terms at the middle of the step, b the forces, and P impulses along the constraints:

    M' (v' - v) = h b + J^T P,        w = J v' + rate

and (P, w) solve the friction problem of `llvm_friction_solve`. A contact takes part if it is closed at the
middle of the step or would be closed at its end. Then its normal velocity ends at zero, or, with restitution,
at that part of its speed of approach (Newton's law; reduced where that would make energy).
"""

from rikigaku.integrators.llvm_contact_memory import Slot
from rikigaku.integrators.llvm_friction_blocks import Kind
from rikigaku.integrators.llvm_step_memory import StepSlot, WorldStep
from rikigaku.integrators.llvm_writer import LANES, Array, Value

_TOUCHING = 1e-8  # [m]: smaller gaps are closed
_REST = 1e-9  # [m/s]: smaller sliding speeds are those of sticking
_BOUNCE = 2.0  # an approach slower than this many free changes of speed in a step is inelastic


def _close() -> str:
    """CLOSED, TARGET and MU of each contact; IMPACT."""
    f = WorldStep()
    w, closed, target = f.w, f.wholes(StepSlot.CLOSED), f.reals(StepSlot.TARGET)
    before, free = f.reals(StepSlot.BEFORE_RATES), f.reals(StepSlot.FREE_RATES)
    f.block[StepSlot.IMPACT] = 0
    with w.loop(f.contacts) as i:
        n = f.rows[i]
        gap, speed = f.reals(Slot.RESIDUAL)[n], before[n]
        e = f.reals(StepSlot.RESTITUTION)[i]
        bounces = (e > 0.0) & (speed < (0.0 - _BOUNCE) * w.abs(free[n] - speed))
        closes = (gap <= _TOUCHING) | (gap + 0.5 * f.h * free[n] <= 0.0)
        held = f.wholes(StepSlot.BILATERAL)[i] > 0
        closed[i] = w.select(closes | held, w.value(1, "i64"), 0)
        with w.when(closes & (f.modes[i] < 1.0)):  # it was open
            f.block[StepSlot.IMPACT] = 1
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
    f = WorldStep()
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
    with w.loop(f.contacts) as i, w.when(f.closed(i)):
        mu, first, owner = f.reals(StepSlot.MU)[i], f.rows[i], f.wholes(Slot.OWNERS)[i]
        tangents = f.rows[i + 1] - first - 1
        moment = ~owner.equals(i)
        with w.when(~moment):
            add(first)
        normal = place[f.rows[owner]]
        cells = [w.cell(-1, "i64"), w.cell(-1, "i64")]
        with w.when((mu > 0.0) | (f.reals(Slot.FRICTION)[4 * i + 3] > 0.0)):
            for place_in, cell in enumerate(cells):
                with w.when(tangents > place_in):
                    cell.value = add(first + 1 + place_in)
        kind = w.select(f.wholes(StepSlot.BILATERAL)[i] > 0, w.value(Kind.BILATERAL, "i64"), Kind.UNILATERAL)
        kind = w.select(moment, w.value(Kind.LIMITED, "i64"), kind)
        block(kind, [normal, cells[0].value, cells[1].value], [mu, f.reals(StepSlot.TARGET)[i], 0.0])
    with w.loop(f.joints) as k:
        limit = w.select(
            f.modes[f.contacts + k].equals(2.0), f.reals(Slot.COULOMB)[k], f.reals(StepSlot.JOINT_STATIC)[k]
        )
        block(Kind.LIMITED, [-1, add(f.joint_row + k), -1], [0.0, 0.0, f.h * limit])
    n = count.value
    whole = f[StepSlot.HAS_WHOLE_W] > 0
    with w.loop(n) as a:
        f.reals(StepSlot.W0)[a] = f.reals(StepSlot.FREE_RATES)[listed[a]]
        f.reals(StepSlot.IMPULSES)[a] = f.reals(StepSlot.WARM)[listed[a]]
    with w.when(whole):
        _selected(f, n)
        _stick(f, n)
    with w.when(~whole):
        _multiplied(f, n)
    out = Array(w, "%count", "i64")
    out[0], out[1] = n, blocks.value
    return f.text("friction_blocks", ", double %h, ptr %count")


def _selected(f: WorldStep, n: Value) -> None:
    """W of the listed constraints, in ascending order, out of that of all."""
    w, listed, W, whole = f.w, f.wholes(StepSlot.LIST), f.reals(Slot.DELASSUS), f.reals(StepSlot.WHOLE_W)
    with w.loop(n) as a:
        row = whole.at(listed[a] * (listed[a] + 1) / 2)
        with w.loop(a + 1) as b:
            own = row[listed[b]]
            W[a * n + b] = own
            W[b * n + a] = own


def _stick(f: WorldStep, n: Value) -> None:
    """First impulses, if all constraints were sticking: those that stop them, if friction allows that."""
    w, P, numbers = f.w, f.reals(StepSlot.STICKING_IMPULSES), f.reals(StepSlot.BLOCK_NUMBERS)
    good = w.cell(w.select(n.equals(f.total), w.value(1, "i64"), 0), "i64")
    with w.when(good.value > 0):
        with w.loop(f.contacts + f.joints) as i, w.when(~f.modes[i].equals(1.0)):
            good.value = 0
        with w.when(~P[n].equals(1.0)):  # redundant constraints
            good.value = 0
        with w.loop(f.contacts) as i:
            normal, mu = P[f.rows[i]], f.reals(StepSlot.MU)[i]
            pulls = (normal < 0.0) & f.wholes(StepSlot.BILATERAL)[i].equals(0)
            with w.when(pulls | (f.speed(i, P) > mu * mu * normal * normal)):
                good.value = 0
        with w.loop(f.joints) as k:
            limit = numbers[3 * (f.permanent + f.contacts + k) + 2]
            with w.when(w.abs(P[f.joint_row + k]) > limit):
                good.value = 0
    with w.when(good.value > 0), w.loop(n) as a:
        f.reals(StepSlot.IMPULSES)[a] = P[a]


def _multiplied(f: WorldStep, n: Value) -> None:
    """W = Y^T D^-1 Y of the listed constraints."""
    w, listed, W = f.w, f.wholes(StepSlot.LIST), f.reals(Slot.DELASSUS)
    Y, dense, columns = f.reals(Slot.Y), f.reals(StepSlot.DENSE), f.wholes(Slot.COLUMNS)
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


def step_contacts_text() -> str:
    """@close_contacts, @friction_blocks."""
    return "\n".join([_close(), _blocks()])
