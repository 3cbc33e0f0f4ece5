"""Memory of the native fixed step: further numbers and addresses of a world's block, and those of a tile.

A tile is a set of worlds that are advanced together: the robot's programs run on all of them at once, in
vector registers; contacts are solved world by world.
"""

from enum import IntEnum, auto

from rikigaku.integrators.llvm_contact_memory import BlockFunction, Slot
from rikigaku.integrators.llvm_writer import Array, Value

FIRST = len(Slot)


class StepSlot(IntEnum):
    """Indices of a world's block beyond `Slot`."""

    ROW = FIRST  # state q, v, work, heat, then results: see `RowPart`
    PREDICTED = auto()
    SMOOTH = auto()  # accelerations of the step before, without the impulses of impacts
    INCREMENT = auto()  # step of the positions
    CONTROL = auto()  # tau, damping, stiffness, step
    WARM = auto()  # impulses of the step before, of all constraints
    VISCOUS_FORCE = auto()
    VISCOUS_INERTIA = auto()
    CONTROL_INERTIA = auto()
    FREE_ACCELERATION = auto()  # without impulses
    FREE = auto()  # velocities without impulses
    BEFORE_RATES = auto()
    FREE_RATES = auto()
    WHOLE_W = auto()  # Delassus matrix of all constraints, lower triangle
    STICKING_IMPULSES = auto()  # that stop all constraints
    # shared by worlds: materials
    RESTITUTION = auto()
    BILATERAL = auto()
    STATIC = auto()
    JOINT_STATIC = auto()
    HAS_VISCOUS = auto()
    HAS_WHOLE_W = auto()
    # shared by worlds: work
    AFTER = auto()  # velocities at the end of the step
    CLOSED = auto()  # for each contact: 0 open, 1 closed
    TARGET = auto()
    MU = auto()
    DENSE = auto()  # Y of all constraints with its zeros, which are never written
    LIST = auto()  # active constraints
    PLACE = auto()  # of each constraint in the list, or -1
    BLOCK_ROWS = auto()
    BLOCK_NUMBERS = auto()
    IMPULSES = auto()
    W0 = auto()
    RESPONSE = auto()
    SOLVER_WORK = auto()
    SOLVER_RESULT = auto()
    VISCOUS_MATRIX = auto()
    CORRECTED = auto()  # of each world: constraints whose residual the step removes
    CORRECTED_COUNT = auto()
    IMPACT = auto()  # whether contacts closed in the step
    # places in ROW
    A_AT = auto()
    TAU_AT = auto()
    FORCES_AT = auto()
    PERMANENT_AT = auto()
    MODES_AT = auto()
    RESIDUAL_AT = auto()


class TileSlot(IntEnum):
    """Indices of a tile's block."""

    WORLDS = 0
    BLOCKS = auto()
    BLOCK_SIZE = auto()
    BATCHED = auto()
    ROW_SIZE = auto()
    NQ = auto()
    NV = auto()
    STEP = auto()  # address of h
    TIME = auto()  # address of start, then of the time in each world
    FIRST_STEP = auto()
    STEPS = auto()
    STATUS = auto()
    FAILED = auto()  # the world that failed
    EVERY = auto()  # steps between records
    LAST_STEP = auto()  # number of all steps: the last state is recorded, too
    RECORDS = auto()
    PROJECT = auto()  # steps of Newton's method that project recorded states onto the constraints
    # states
    ROWS = auto()
    MIDDLE = auto()
    INCREMENTS = auto()
    PREDICTED = auto()
    SMOOTH = auto()
    CONTROLS = auto()
    TERMS = auto()
    TERMS_SIZE = auto()
    INPUTS = auto()
    PARAMETERS = auto()
    # programs for one state
    INTEGRATE = auto()
    ACTUATION = auto()
    STEPPING = auto()
    # the same for batches: address, arguments, sizes, strides
    INTEGRATE_HALF_CALL = auto()
    ACTUATION_CALL = auto()
    ACTUATION_START_CALL = auto()
    STEPPING_CALL = auto()
    INTEGRATE_CALL = auto()
    # inputs of the actuation
    INPUT_SIZE = auto()
    INPUT = auto()  # a function, or 0
    INPUT_DATA = auto()
    STARTS = auto()  # of the input's segments
    SEGMENTS = auto()
    SEGMENT = auto()
    TABLE = auto()  # inputs of each step and world, or 0
    PERIOD = auto()  # address of the sampling period, 0: continuous
    HELD = auto()  # address of the time of the last sample
    # worlds that stop alone
    STOP_CALL = auto()  # a program for batches whose result is 0 where a world stops, or 0
    RUNNING = auto()  # its results
    TAKEN = auto()  # steps of each world that has stopped, -1 of the others
    STOPPED_ROWS = auto()  # where they stopped
    # worlds that fail alone
    FAILED_STEPS = auto()  # first step of each world whose numbers are not finite, -1 of the others
    CAUSES = auto()  # their `StepStatus`


class StepStatus(IntEnum):
    """How an advance ended."""

    DONE = 0
    TORQUE = 1  # joint forces are not finite
    STATE = 2  # positions, velocities or energies are not finite
    FRICTION = 3  # no impulses satisfy the contacts: surfaces squeeze the robot


class WorldStep(BlockFunction):
    """A function of a world's block and the step h."""

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

    def closed(self, i: Value) -> Value:
        """Whether contact i, or the contact of a friction moment, is closed."""
        return self.wholes(StepSlot.CLOSED)[self.wholes(Slot.OWNERS)[i]] > 0

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
