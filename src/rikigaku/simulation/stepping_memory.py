"""Memory of fixed steps: a tile of worlds with their states, terms and the blocks of the native code."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rikigaku.binding.bound_law import bound_law
from rikigaku.compiler.kernel import Function, Kernel
from rikigaku.contact.contact_system import ContactSystem
from rikigaku.core.types import Array
from rikigaku.hybrid.hybrid_system import EXTRA_STATES
from rikigaku.integrators.constrained_motion import Slot
from rikigaku.integrators.friction_solver import RESULT_SIZE, work_size
from rikigaku.integrators.llvm_writer import LANES
from rikigaku.integrators.time_stepping_driver import FIRST, StepSlot, TileSlot
from rikigaku.laws.contact.stepping_terms import has_whole_W, stepping_sizes
from rikigaku.simulation.actuation import Actuation
from rikigaku.simulation.actuation_program import actuation_parameters
from rikigaku.simulation.stepping_control import ControlProgram, control_program

Whole = np.ndarray[Any, np.dtype[np.int64]]


class RowParts:
    """Where the parts of a world's row are: state, then results of the last step."""

    def __init__(self, system: ContactSystem) -> None:
        nq, nv, engine = system.robot.nq, system.robot.nv, system.engine
        sizes = {
            "q": nq, "v": nv, "work": 1, "dissipated": 1, "a": nv, "tau": nv, "forces": engine.force_count,
            "permanent": system.constraints.permanent,
            "modes": len(system.contacts) + len(system.joints), "residual": 1,
        }  # fmt: skip
        self.slices: dict[str, slice] = {}
        at = 0
        for name, size in sizes.items():
            self.slices[name] = slice(at, at + size)
            at += size
        self.size = at

    def __getitem__(self, name: str) -> slice:
        return self.slices[name]


@dataclass(frozen=True, eq=False)
class SteppingPrograms:
    """What is compiled for a robot, its contacts and an actuation.

    varied: whether each world has values of the symbols of its own. stop: a program of a row of the state
    whose result is 0 where a world stops.
    """

    system: ContactSystem
    actuation: Actuation
    varied: bool = False
    stop: Kernel | None = None

    @cached_property
    def control(self) -> ControlProgram:
        return control_program(self.system.robot, self.actuation)

    def functions(self, batched: bool) -> dict[TileSlot, Function]:
        """Addresses: for one state, or for batches."""
        laws = {
            TileSlot.INTEGRATE: bound_law(self.system.tree, "tree.integrate"),
            TileSlot.STEPPING: self.system.law("stepping_terms"),
        }
        if self.varied:
            found = {slot: law.native_loop_of_symbols for slot, law in laws.items()}
        else:
            found = {slot: law.native_loop if batched else law.native for slot, law in laws.items()}
        kernel = self.control.kernel
        found[TileSlot.ACTUATION] = kernel.loop if batched else kernel.function
        return found


class Tile:
    """The memory of some worlds that are advanced together by one thread."""

    def __init__(self, programs: SteppingPrograms, step: float, worlds: int, batched: bool) -> None:
        system, engine = programs.system, programs.system.engine
        self.programs, self.worlds, self.batched, self.step = programs, worlds, batched, step
        nq, nv = system.robot.nq, system.robot.nv
        structure, self.parts = engine.structure, RowParts(system)
        m, contacts = structure.count, len(system.contacts)
        terms = stepping_sizes(structure)
        self.functions = programs.functions(batched)
        states = {
            TileSlot.ROWS: self.parts.size, TileSlot.STOPPED_ROWS: self.parts.size, TileSlot.RUNNING: 1,
            TileSlot.MIDDLE: nq + nv + EXTRA_STATES, TileSlot.INCREMENTS: nv,
            TileSlot.PREDICTED: nv, TileSlot.SMOOTH: nv, TileSlot.CONTROLS: 3 * nv + 1,
            TileSlot.TERMS: sum(terms.values()), TileSlot.INPUTS: programs.actuation.size,
        }  # fmt: skip
        self.arrays = {slot: np.zeros((worlds, size)) for slot, size in states.items()}
        self.rows, self.inputs = self.arrays[TileSlot.ROWS], self.arrays[TileSlot.INPUTS]
        self.arrays[TileSlot.CONTROLS][:, -1] = step
        self.warm = np.zeros((worlds, m))
        self.corrected = np.zeros((worlds, m + 2), dtype=np.int64)
        self.time, self.length, self.held = np.zeros(1 + worlds), np.array([step]), np.array([-np.inf])
        parameters = [] if programs.varied else actuation_parameters(system.robot, programs.actuation)
        self.parameters = np.array([*parameters, 0.0], dtype=np.float64)
        own_count = len(programs.actuation.parameters)
        self.symbols = np.zeros((worlds, own_count + len(system.robot.free_symbols)))  # of each world
        self.friction = np.tile(engine.friction.reshape(-1, 4), (worlds, 1, 1))
        self.static = np.tile([c.friction.limit for c in system.contacts], (worlds, 1))
        self.coulomb = np.tile(engine.coulomb, (worlds, 1))  # of joints
        self.joint_static = np.tile([joint.limit for joint in system.joints], (worlds, 1))
        self.taken, self.failed = np.full((2, worlds), -1, dtype=np.int64)
        self.causes = np.zeros(worlds, dtype=np.int64)
        self.blocks = np.zeros((worlds, FIRST + len(StepSlot)), dtype=np.int64)
        self._keep: list[Any] = []
        shared = self._shared(system, m, contacts)
        offsets = np.cumsum([0, *terms.values()])
        for b, block in enumerate(self.blocks):
            for slot, value in shared.items():
                block[slot] = value
            for name, at in zip(terms, offsets, strict=False):
                slot = StepSlot[name.upper()] if name.upper() in StepSlot.__members__ else Slot[name.upper()]
                block[slot] = self.arrays[TileSlot.TERMS][b].ctypes.data + 8 * int(at)
            x = self.arrays
            own: dict[Any, Any] = {
                StepSlot.ROW: self.rows, StepSlot.PREDICTED: x[TileSlot.PREDICTED],
                StepSlot.SMOOTH: x[TileSlot.SMOOTH], StepSlot.CONTROL: x[TileSlot.CONTROLS],
                StepSlot.INCREMENT: x[TileSlot.INCREMENTS], StepSlot.WARM: self.warm,
                Slot.FRICTION: self.friction, StepSlot.STATIC: self.static,
                StepSlot.CORRECTED: self.corrected, Slot.COULOMB: self.coulomb,
                StepSlot.JOINT_STATIC: self.joint_static,
            }  # fmt: skip
            for own_slot, array in own.items():
                block[own_slot] = array[b].ctypes.data
        self.block = np.zeros(len(TileSlot), dtype=np.int64)
        numbers = {
            TileSlot.WORLDS: worlds, TileSlot.BLOCKS: self.blocks.ctypes.data,
            TileSlot.BLOCK_SIZE: self.blocks.shape[1], TileSlot.BATCHED: int(batched),
            TileSlot.ROW_SIZE: self.parts.size, TileSlot.NQ: nq, TileSlot.NV: nv,
            TileSlot.STEP: self.length.ctypes.data, TileSlot.TIME: self.time.ctypes.data,
            TileSlot.PARAMETERS: self.parameters.ctypes.data,
            TileSlot.INPUT_SIZE: programs.actuation.size, TileSlot.TERMS_SIZE: sum(terms.values()),
        }  # fmt: skip
        for tile_slot, number in numbers.items():
            self.block[tile_slot] = number
        for tile_slot, array in self.arrays.items():
            self.block[tile_slot] = array.ctypes.data
        for tile_slot, function in self.functions.items():
            self.block[tile_slot] = function.address
        self.block[TileSlot.TAKEN] = self.taken.ctypes.data
        self.block[TileSlot.FAILED_STEPS] = self.failed.ctypes.data
        self.block[TileSlot.CAUSES] = self.causes.ctypes.data
        if batched:
            self._calls(nq, nv)
        if programs.stop is not None:
            row = (self.rows[:, : nq + nv + EXTRA_STATES], self.arrays[TileSlot.RUNNING])
            self.block[TileSlot.STOP_CALL] = self._call(programs.stop.loop, row)

    def _shared(self, system: ContactSystem, m: int, contacts: int) -> dict[Any, int]:
        """Numbers, tables and working memory that all worlds share."""
        engine, nv = system.engine, system.robot.nv
        viscous = any(c.friction.viscous for c in system.contacts)
        reals = {
            Slot.X: nv, Slot.SPARSE: nv + LANES, Slot.DELASSUS: m * m, Slot.DIAGONAL: m,
            Slot.RIGHT_HAND_SIDE: m, StepSlot.AFTER: nv, StepSlot.TARGET: contacts,
            StepSlot.MU: contacts, StepSlot.DENSE: m * (nv + LANES),
            StepSlot.BLOCK_NUMBERS: 3 * m, StepSlot.IMPULSES: m, StepSlot.W0: m, StepSlot.RESPONSE: m,
            StepSlot.SOLVER_WORK: work_size(m), StepSlot.SOLVER_RESULT: RESULT_SIZE,
            StepSlot.VISCOUS_MATRIX: m * m + 3 * m if viscous else 0,
        }  # fmt: skip
        wholes = {
            StepSlot.CLOSED: contacts, StepSlot.LIST: m, StepSlot.PLACE: m, StepSlot.BLOCK_ROWS: 4 * m,
        }  # fmt: skip
        given: dict[Any, Any] = {
            StepSlot.RESTITUTION: np.array([float(c.restitution) for c in system.contacts]),
            StepSlot.BILATERAL: np.array([int(c.bilateral) for c in system.contacts], dtype=np.int64),
            **engine.tables,
            **{slot: np.zeros(size) for slot, size in reals.items()},
            **{slot: np.zeros(size, dtype=np.int64) for slot, size in wholes.items()},
        }
        self._keep.append(given)
        at = {name: self.parts[name].start for name in self.parts.slices}
        places = {
            StepSlot.A_AT: at["a"], StepSlot.TAU_AT: at["tau"], StepSlot.FORCES_AT: at["forces"],
            StepSlot.PERMANENT_AT: at["permanent"], StepSlot.MODES_AT: at["modes"],
            StepSlot.RESIDUAL_AT: at["residual"], StepSlot.HAS_VISCOUS: int(viscous),
            StepSlot.HAS_WHOLE_W: int(has_whole_W(engine.structure)),
        }  # fmt: skip
        addresses = {slot: array.ctypes.data for slot, array in given.items()}
        return {**addresses, **engine.sizes, **places}

    def _calls(self, nq: int, nv: int) -> None:
        """Arguments of the batched programs."""
        x = self.arrays
        rows, middle, control = x[TileSlot.ROWS], x[TileSlot.MIDDLE], x[TileSlot.CONTROLS]
        times = self.time[1:, None]
        p = np.broadcast_to(self.parameters[:-1], (self.worlds, len(self.parameters) - 1))
        symbols: list[Array] = []
        of_tree: list[Array] = []  # which has no symbols of loops and gears alone
        if self.programs.varied:
            p, own, system = self.symbols, len(self.programs.actuation.parameters), self.programs.system
            symbols = [self.symbols[:, k : k + 1] for k in range(own, self.symbols.shape[1])]
            columns = dict(zip(system.robot.free_symbols, symbols, strict=True))
            of_tree = [columns[name] for name in system.tree.free_symbols]
        size = nq + nv + EXTRA_STATES
        increments, terms = x[TileSlot.INCREMENTS], x[TileSlot.TERMS]
        motion = (x[TileSlot.PREDICTED], control[:, :nv], times, control[:, nv:])
        calls = {
            TileSlot.INTEGRATE_HALF_CALL: (
                TileSlot.INTEGRATE, (rows[:, :nq], increments, *of_tree, middle[:, :nq]),
            ),
            TileSlot.INTEGRATE_CALL: (
                TileSlot.INTEGRATE, (middle[:, :nq], increments, *of_tree, rows[:, :nq]),
            ),
            TileSlot.STEPPING_CALL: (
                TileSlot.STEPPING, (middle[:, :nq], middle[:, nq : nq + nv], *motion, *symbols, terms),
            ),
            TileSlot.ACTUATION_CALL: (
                TileSlot.ACTUATION, (times, middle, self.inputs, p, control[:, : 3 * nv]),
            ),
            TileSlot.ACTUATION_START_CALL: (
                TileSlot.ACTUATION, (times, rows[:, :size], self.inputs, p, control[:, : 3 * nv]),
            ),
        }  # fmt: skip
        for slot, (program, arrays) in calls.items():
            self.block[slot] = self._call(self.functions[program], arrays)

    def _call(self, function: Function, arrays: Sequence[Array]) -> int:
        used = [a for a in arrays if a.shape[1]]
        pointers = np.array([a.ctypes.data for a in used], dtype=np.int64)
        dims = np.array([self.worlds, *(a.shape[1] for a in used)], dtype=np.int64)
        steps = np.array([*(a.strides[0] for a in used), *([8] * len(used))], dtype=np.int64)
        record = np.array([function.address, *(a.ctypes.data for a in (pointers, dims, steps))], np.int64)
        self._keep += [pointers, dims, steps, record, arrays]
        return int(record.ctypes.data)
