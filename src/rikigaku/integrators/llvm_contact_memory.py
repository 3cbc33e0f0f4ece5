"""Memory of the native code for contact modes: a block of 64-bit integers, and functions that read it.

The block holds sizes, addresses of tables and arrays, and addresses of the robot's compiled programs.
"""

from enum import IntEnum, auto

from rikigaku.integrators.llvm_writer import Array, Operand, Value, Writer


class Slot(IntEnum):
    """Indices of the block: numbers and addresses."""

    # the robot and its constraints
    NQ = 0
    NV = auto()
    CONTACTS = auto()
    FIRST_MOMENT = auto()  # contacts from here on are friction moments of others
    JOINTS = auto()
    PERMANENT = auto()  # constraints of loops and guides
    LOOPS = auto()  # of loops alone
    QUATERNIONS = auto()
    PARENTS = auto()
    ORDER = auto()
    FACTOR_STARTS = auto()
    ROW_STARTS = auto()
    COLUMNS = auto()
    CONTACT_ROWS = auto()
    OWNERS = auto()  # the contact whose normal force limits the friction of each contact: itself, or another
    JOINT_COORDINATES = auto()
    GUIDE_OWNERS = auto()
    QUATERNION_INDICES = auto()
    # compiled programs
    CONFIGURATION = auto()  # (q, time, out)
    MOTION = auto()  # (q, v, tau, time, out)
    INTEGRATE = auto()  # (q, dq, out)
    ACTUATION = auto()  # (t, y, u, p, tau); 0: tau is in memory
    USER_GUARDS = auto()  # (t, y, u, p, flow, out)
    # memory: terms
    CONFIGURATION_TERMS = auto()
    INVERSE_D = auto()
    L = auto()
    J = auto()
    RATE = auto()
    RESIDUAL = auto()
    DIRECTIONS = auto()
    MATERIAL = auto()
    REST = auto()
    WRENCHES = auto()
    MOTION_TERMS = auto()
    QDOT = auto()
    FORCE = auto()
    BIAS = auto()
    VISCOUS = auto()
    # memory: results
    KEY = auto()  # time and positions of the terms in memory
    TAU = auto()
    A = auto()
    DISSIPATED = auto()
    SURFACE_POWER = auto()
    FORCES = auto()
    PERMANENT_FORCES = auto()
    MULTIPLIERS = auto()
    SLIP = auto()
    CARRIED = auto()
    # memory: work
    X = auto()
    SPARSE = auto()  # zeros between uses
    HALF = auto()
    Y = auto()
    Z = auto()
    DELASSUS = auto()  # W, then its Cholesky factor; with reflections Z^T D^-1 Y
    DIAGONAL = auto()
    SCALES = auto()
    RIGHT_HAND_SIDE = auto()
    STEP = auto()
    STATE = auto()
    # the contact mode
    INDEPENDENT = auto()
    REDUNDANT = auto()
    ACTIVE = auto()
    COUPLED = auto()  # contact of each active normal constraint that brings friction along, or -1
    CONSTRAINTS_IN_Y_COUNT = auto()
    CONSTRAINTS_IN_Y = auto()  # those of which Y = L^-T J^T is computed
    NEWTON_COUNT = auto()
    NEWTON = auto()
    UNLOADED_COUNT = auto()
    UNLOADED = auto()
    # 1: Householder reflections are needed; 2: only where forces are wanted, since nothing slides
    GENERAL = auto()
    MOTION_ONLY = auto()  # whether accelerations are wanted and the distribution of forces is not
    IMMOBILE = auto()
    SLIDING = auto()  # for each contact: slides, sign, side
    MOVING = auto()  # sign of each joint with dry friction
    FRICTION = auto()
    START = auto()
    COULOMB = auto()
    REFERENCE = auto()
    GUARDS = auto()
    GUARD_CODES = auto()
    GUARD_NUMBERS = auto()
    NEEDS_FORCES = auto()
    USER_COUNT = auto()


class Code(IntEnum):
    """Guard functions, each of (index; x, y)."""

    GAP = 0  # of a contact
    NORMAL = auto()  # x times the normal force of a contact
    FRICTION = auto()  # (x |f_n| + y)^2 - |f_t|^2 of a sticking contact
    CARRIED = auto()  # force that an unloaded contact would carry
    SIGNED_SPEED = auto()  # x times the sliding velocity along the tangent
    SPEED = auto()  # sliding speed in space less x
    JOINT_FRICTION = auto()  # (x + y)^2 - f^2 of a sticking joint
    JOINT_SPEED = auto()  # x times the velocity of a joint
    KEPT_GAP = auto()  # x less |gap| of a closed contact


# th (3), mu, drag (3), velocity (3), mu th.t (2), |velocity opposed by friction|, t.velocity
SLIP_SIZE = 14


class BlockFunction:
    """One function of the block."""

    def __init__(self) -> None:
        self.w = Writer()
        self.block = Array(self.w, "%block", "i64")

    def __getitem__(self, slot: Slot) -> Value:
        """A number of the block."""
        return self.block[slot]

    def reals(self, slot: Slot) -> Array:
        return self.w.array(self.block[slot])

    def wholes(self, slot: Slot) -> Array:
        return self.w.array(self.block[slot], "i64")

    def program(self, slot: Slot) -> str:
        return self.w.result("ptr", f"inttoptr i64 {self.block[slot].name} to ptr").name

    def text(self, name: str, arguments: str) -> str:
        self.w.line("ret void")
        return self.w.function(f"define internal void @{name}(ptr %block{arguments})")

    def pattern(self, row: Value) -> tuple[Value, Value]:
        """First element of a constraint's pattern, and their number."""
        starts = self.wholes(Slot.ROW_STARTS)
        first = starts[row]
        return first, starts[row + 1] - first

    def ancestors(self, i: Value) -> "Ancestors":
        return Ancestors(self, i)

    def dot(self, count: Operand, x: Array, y: Array, start: Operand = 0.0) -> Value:
        return self.w.dot(count, x, y, start)

    def gathered(self, row: Value, packed: Array, dense: Array, start: Operand = 0.0) -> Value:
        """start + the sum of packed elements of a constraint times those of a dense vector."""
        first, count = self.pattern(row)
        columns, values = self.wholes(Slot.COLUMNS).at(first), packed.at(first)
        total = self.w.cell(start)
        with self.w.loop(count) as a:
            total.value = total.value + values[a] * dense[columns[a]]
        return total.value

    def scatter(self, row: Value, packed: Array, dense: Array, factor: Value) -> None:
        """dense += factor times the packed elements of a constraint."""
        first, count = self.pattern(row)
        columns, values = self.wholes(Slot.COLUMNS).at(first), packed.at(first)
        with self.w.loop(count) as a:
            k = columns[a]
            dense[k] = dense[k] + factor * values[a]

    def scaled(self, row: Value) -> Array:
        """D^-1 Y of a constraint in the dense vector SPARSE; `cleared` sets it to zero again."""
        first, count = self.pattern(row)
        columns, values = self.wholes(Slot.COLUMNS).at(first), self.reals(Slot.Y).at(first)
        inverse, dense = self.reals(Slot.INVERSE_D), self.reals(Slot.SPARSE)
        with self.w.loop(count) as a:
            k = columns[a]
            dense[k] = inverse[k] * values[a]
        return dense

    def cleared(self, row: Value) -> None:
        first, count = self.pattern(row)
        columns, dense = self.wholes(Slot.COLUMNS).at(first), self.reals(Slot.SPARSE)
        with self.w.loop(count) as a:
            dense[columns[a]] = 0.0

    def copy(self, source: Array, target: Array, count: Operand) -> None:
        with self.w.loop(count) as i:
            target[i] = source[i]

    def fill(self, target: Array, count: Operand, x: float = 0.0) -> None:
        with self.w.loop(count) as i:
            target[i] = x


class Ancestors:
    """`with f.ancestors(i) as (j, L_ij)`: a loop over the ancestors of coordinate i, nearest first."""

    def __init__(self, function: BlockFunction, i: Value) -> None:
        self.f, self.i = function, i

    def __enter__(self) -> tuple[Value, Value]:
        f, w = self.f, self.f.w
        self.parents, L = f.wholes(Slot.PARENTS), f.reals(Slot.L)
        self.at = w.cell(f.wholes(Slot.FACTOR_STARTS)[self.i], "i64")
        self.j = w.cell(self.parents[self.i], "i64")
        self.loop = w.repeat()
        done = self.loop.__enter__()
        now = self.j.value
        with w.when(now < 0):
            w.jump(done)
        return now, L[self.at.value]

    def __exit__(self, *_: object) -> None:
        self.at.value = self.at.value + 1
        self.j.value = self.parents[self.j.value]
        self.loop.__exit__(None, None, None)
