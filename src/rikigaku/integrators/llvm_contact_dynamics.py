"""Dynamics of a robot in one contact mode as native code for all robots, as LLVM text.

    M a = force + [G; G_r]^T f,    J a + bias = 0        (J, G: active constraints, G_r: redundant ones)

G = J except that the normal force of a sliding contact brings its friction along: J_n - mu th.J_t.
"""

from rikigaku.integrators.llvm_contact_memory import SLIP_SIZE, BlockFunction, Slot
from rikigaku.integrators.llvm_writer import Array, Value

# Squared speed [m^2/s^2] below which the sliding direction is the initial one, not that of the velocity.
_AT_REST = 1e-24
# The direction of friction rotates at the rate mu g / speed, which is stiff where sliding begins slowly.
# A speed [m/s] along the initial direction is added; it decays as (time / this time [s])^-4.
_INITIAL_SPEED, _DECAY_TIME = 1e-5, 1e-3


def _configure() -> str:
    """Terms of positions and time, unless those in memory are of the same."""
    f = BlockFunction()
    w, key = f.w, f.reals(Slot.KEY)
    t, y = Array(w, "%t"), Array(w, "%y")
    same = w.cell(1, "i64")
    with w.when(~key[0].equals(t[0])):
        same.value = 0
    with w.loop(f[Slot.NQ]) as i, w.when(~key[i + 1].equals(y[i])):
        same.value = 0
    with w.when(same.value.equals(0)):
        key[0] = t[0]
        f.copy(y, key.at(1), f[Slot.NQ])
        w.call(f.program(Slot.CONFIGURATION), y, t, f.reals(Slot.CONFIGURATION_TERMS))
    return f.text("configure", ", ptr %t, ptr %y")


def _slip() -> str:
    """Sliding velocity, direction and friction coefficient of the contacts that slide."""
    f = BlockFunction()
    w = f.w
    t, v = Array(w, "%t"), Array(w, "%v")
    J, rate, rows = f.reals(Slot.J), f.reals(Slot.RATE), f.wholes(Slot.CONTACT_ROWS)
    with w.loop(f[Slot.CONTACTS]) as i:
        kind = f.reals(Slot.SLIDING).at(3 * i)
        with w.when(kind[0] > 0.0):
            slip = f.reals(Slot.SLIP).at(SLIP_SIZE * i)
            row = rows[i]
            tangents = rows[i + 1] - row - 1
            directions, rest = f.reals(Slot.DIRECTIONS).at(9 * i), f.reals(Slot.REST).at(3 * i)
            velocity = [w.cell(rest[k]) for k in range(3)]
            with w.loop(tangents) as k:
                own = row + 1 + k
                along = f.gathered(own, J, v, rate[own])
                tangent = directions.at(3 * k + 3)
                for d, cell in enumerate(velocity):
                    cell.value = cell.value + along * tangent[d]
                with w.when(k.equals(0)):
                    slip[13] = along
            u = [cell.value for cell in velocity]
            start = f.reals(Slot.START).at(4 * i)
            elapsed = (t[0] - start[3]) / _DECAY_TIME
            decay = 1.0 + elapsed * elapsed
            added = _INITIAL_SPEED / (decay * decay)
            opposed = [u[d] + added * start[d] for d in range(3)]
            square = opposed[0] * opposed[0] + opposed[1] * opposed[1] + opposed[2] * opposed[2]
            slow = square < _AT_REST
            speed = w.sqrt(w.select(slow, 1.0, square))
            slip[12] = w.sqrt(square)
            sign, side, first = kind[1], kind[2], directions.at(3)
            signed = ~sign.equals(0.0)
            th = [
                w.select(signed, sign * first[d], w.select(slow, start[d], opposed[d] / speed))
                for d in range(3)
            ]
            friction = f.reals(Slot.FRICTION).at(4 * i)
            full = u[0] * u[0] + u[1] * u[1] + u[2] * u[2]
            mu = side * (friction[0] + friction[1] / (1.0 + friction[2] * full))
            slip[3] = mu
            for d in range(3):
                slip[d] = th[d]
                slip[4 + d] = (0.0 - friction[3]) * u[d]
                slip[7 + d] = u[d]
            for c in range(2):  # a missing tangent is zero
                tangent = directions.at(3 * c + 3)
                slip[10 + c] = mu * (th[0] * tangent[0] + th[1] * tangent[1] + th[2] * tangent[2])
    return f.text("slip", ", ptr %t, ptr %v")


def _free_forces() -> str:
    """Terms at a state; HALF = L^-T of the forces without constraints, viscous and dry friction included."""
    f = BlockFunction()
    w = f.w
    t, y, u, p = (Array(w, f"%{name}") for name in "tyup")
    nv = f[Slot.NV]
    v = y.at(f[Slot.NQ])
    w.call("@configure", f.block, t, y)
    with w.when(~f[Slot.ACTUATION].equals(0)):
        w.call(f.program(Slot.ACTUATION), t, y, u, p.at(1), f.reals(Slot.TAU))
    w.call(f.program(Slot.MOTION), y, v, f.reals(Slot.TAU), t, f.reals(Slot.MOTION_TERMS))
    w.call("@slip", f.block, t, v)
    half, rows, J = f.reals(Slot.HALF), f.wholes(Slot.CONTACT_ROWS), f.reals(Slot.J)
    f.copy(f.reals(Slot.FORCE), half, nv)
    contacts, joints = f[Slot.CONTACTS], f[Slot.JOINTS]
    sliding, moving = f.reals(Slot.SLIDING), f.reals(Slot.MOVING)
    friction, coulomb = f.reals(Slot.FRICTION), f.reals(Slot.COULOMB)
    with w.loop(contacts) as i, w.when((sliding[3 * i] > 0.0) & (friction[4 * i + 3] > 0.0)):
        drag = f.reals(Slot.SLIP).at(SLIP_SIZE * i + 4)
        with w.loop(rows[i + 1] - rows[i] - 1) as k:
            tangent = f.reals(Slot.DIRECTIONS).at(9 * i + 3 * k + 3)
            along = drag[0] * tangent[0] + drag[1] * tangent[1] + drag[2] * tangent[2]
            f.scatter(rows[i] + 1 + k, J, half, along)
    coordinates = f.wholes(Slot.JOINT_COORDINATES)
    with w.loop(joints) as k:
        at = coordinates[k]
        half[at] = half[at] - moving[k] * coulomb[k]
    w.call("@half_force", f.block, half)
    return f.text("free_forces", ", ptr %t, ptr %y, ptr %u, ptr %p")


def _force_direction(f: BlockFunction, row: Value, contact: Value) -> None:
    """Z of a constraint: Y, less the sliding friction that a normal force brings along."""
    w = f.w
    first, count = f.pattern(row)
    Y, Z = f.reals(Slot.Y), f.reals(Slot.Z).at(first)
    f.copy(Y.at(first), Z, count)
    rows, owners, sliding = f.wholes(Slot.CONTACT_ROWS), f.wholes(Slot.OWNERS), f.reals(Slot.SLIDING)

    def friction(i: Value) -> None:
        """Friction of contact i, whose constraints have the pattern of the normal."""
        slip, start = f.reals(Slot.SLIP).at(SLIP_SIZE * i), f.pattern(rows[i])[0]
        with w.loop(rows[i + 1] - rows[i] - 1) as k:
            other, factor = Y.at(start + count * (k + 1)), slip[10 + k]
            with w.loop(count) as a:
                Z[a] = Z[a] - factor * other[a]

    with w.when(contact >= 0):
        with w.when(sliding[3 * contact] > 0.0):
            friction(contact)
        last, first_moment = f[Slot.CONTACTS], f[Slot.FIRST_MOMENT]
        with w.loop(last, first_moment) as i, w.when(owners[i].equals(contact) & (sliding[3 * i] > 0.0)):
            friction(i)


def _accelerations() -> str:
    """Constraint forces STEP and accelerations A."""
    f = BlockFunction()
    w, nv = f.w, f[Slot.NV]
    half, rows = f.reals(Slot.HALF), f.wholes(Slot.CONTACT_ROWS)
    n, length = f[Slot.INDEPENDENT], f[Slot.INDEPENDENT] + f[Slot.REDUNDANT]
    active, right, step = f.wholes(Slot.ACTIVE), f.reals(Slot.RIGHT_HAND_SIDE), f.reals(Slot.STEP)
    Y, Z, x = f.reals(Slot.Y), f.reals(Slot.Z), f.reals(Slot.X)
    general = f[Slot.GENERAL].equals(1) | (f[Slot.GENERAL].equals(2) & f[Slot.MOTION_ONLY].equals(0))
    with w.when(general):
        w.call("@constraints_in_Y", f.block, f.wholes(Slot.CONSTRAINTS_IN_Y), f[Slot.CONSTRAINTS_IN_Y_COUNT])
    with w.when(~general):
        w.call("@constraints_in_Y", f.block, active, n)
    inverse, bias = f.reals(Slot.INVERSE_D), f.reals(Slot.BIAS)
    with w.loop(nv) as k:
        x[k] = inverse[k] * half[k]
    with w.loop(n) as c:
        right[c] = 0.0 - f.gathered(active[c], Y, x, bias[active[c]])
    with w.when(general):
        coupled, unloaded = f.wholes(Slot.COUPLED), f[Slot.UNLOADED_COUNT]
        with w.loop(length) as j:
            _force_direction(f, active[j], coupled[j])
        with w.loop(unloaded) as k:
            i = f.wholes(Slot.UNLOADED)[k]
            _force_direction(f, rows[i], i)
        w.call("@reflections", f.block)
        with w.loop(length) as j:
            f.scatter(active[j], Z, half, step[j])
    with w.when(~general):
        w.call("@cholesky", f.block, active, n, right, w.value(0, "i64"))
        with w.loop(n) as j:
            step[j] = right[j]
            f.scatter(active[j], Y, half, right[j])
        with w.loop(length, n) as j:
            step[j] = 0.0
    a = f.reals(Slot.A)
    f.copy(half, a, nv)
    w.call("@substitute", f.block, a)
    with w.when(~f[Slot.IMMOBILE].equals(0)):
        f.fill(a, nv)
    return f.text("accelerations", "")


def _contact_forces() -> str:
    """Multipliers of all constraints, forces of contacts, joints and guides, and powers."""
    f = BlockFunction()
    w, v = f.w, Array(f.w, "%v")
    contacts, joints, rows = f[Slot.CONTACTS], f[Slot.JOINTS], f.wholes(Slot.CONTACT_ROWS)
    sliding, moving, coulomb = f.reals(Slot.SLIDING), f.reals(Slot.MOVING), f.reals(Slot.COULOMB)
    coordinates = f.wholes(Slot.JOINT_COORDINATES)
    active, step = f.wholes(Slot.ACTIVE), f.reals(Slot.STEP)
    length = f[Slot.INDEPENDENT] + f[Slot.REDUNDANT]
    multipliers, permanent = f.reals(Slot.MULTIPLIERS), f[Slot.PERMANENT]
    last = rows[contacts] + joints
    f.fill(multipliers, last)
    with w.loop(length) as j:
        multipliers[active[j]] = step[j]
    power, surface = w.cell(f.reals(Slot.VISCOUS)[0]), w.cell(0.0)
    forces = f.reals(Slot.FORCES)
    with w.loop(contacts) as i:
        normal = multipliers[rows[f.wholes(Slot.OWNERS)[i]]]
        f.fill(forces.at(4 * i), 3)
        forces[4 * i + 3] = normal
        size = w.cell(sliding[3 * i])
        with w.loop(rows[i + 1] - rows[i]) as k:
            size.value = size.value + w.abs(multipliers[rows[i] + k])
        with w.when(~size.value.equals(0.0)):  # an open contact may have no normal: NaN
            total = [w.cell(0.0) for _ in range(3)]
            with w.loop(rows[i + 1] - rows[i]) as k:
                direction = f.reals(Slot.DIRECTIONS).at(9 * i + 3 * k)
                for d, cell in enumerate(total):
                    cell.value = cell.value + multipliers[rows[i] + k] * direction[d]
            with w.when(sliding[3 * i] > 0.0):
                slip = f.reals(Slot.SLIP).at(SLIP_SIZE * i)
                for d, cell in enumerate(total):
                    own = slip[4 + d] - slip[3] * normal * slip[d]
                    cell.value = cell.value + own
                    power.value = power.value - own * slip[7 + d]
            material = f.reals(Slot.MATERIAL).at(3 * i)
            for d, cell in enumerate(total):
                surface.value = surface.value + cell.value * material[d]
                forces[4 * i + d] = cell.value
    with w.loop(joints) as k:
        dry = (0.0 - moving[k]) * coulomb[k]
        forces[4 * contacts + k] = dry + multipliers[rows[contacts] + k]
        power.value = power.value - dry * v[coordinates[k]]
    guides, loops, owners = forces.at(4 * contacts + joints), f[Slot.LOOPS], f.wholes(Slot.GUIDE_OWNERS)
    with w.loop(permanent - loops) as k:
        f.fill(guides.at(6 * owners[k]), 6)
    with w.loop(permanent - loops) as k:
        wrench, guide = f.reals(Slot.WRENCHES).at(7 * k), guides.at(6 * owners[k])
        multiplier = multipliers[loops + k]
        with w.loop(6) as c:
            guide[c] = guide[c] + multiplier * wrench[c]
        surface.value = surface.value + multiplier * wrench[6]
    f.copy(multipliers, f.reals(Slot.PERMANENT_FORCES), permanent)
    f.reals(Slot.DISSIPATED)[0] = power.value
    f.reals(Slot.SURFACE_POWER)[0] = surface.value
    return f.text("contact_forces", ", ptr %v")


def _evaluate() -> str:
    """Accelerations, multipliers and forces at a state."""
    f = BlockFunction()
    w, (t, y, u, p) = f.w, (Array(f.w, f"%{name}") for name in "tyup")
    w.call("@free_forces", f.block, t, y, u, p)
    w.call("@accelerations", f.block)
    w.call("@contact_forces", f.block, y.at(f[Slot.NQ]))
    return f.text("evaluate", ", ptr %t, ptr %y, ptr %u, ptr %p")


def dynamics_text() -> str:
    """@configure, @slip, @evaluate and its parts."""
    return "\n".join(
        [_configure(), _slip(), _free_forces(), _accelerations(), _contact_forces(), _evaluate()]
    )
