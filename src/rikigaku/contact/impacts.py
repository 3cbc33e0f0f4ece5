"""Impacts: velocities after several contacts close at once, with friction.

Newton's law: each approaching contact leaves with v_n = -e v_n before, or faster without impulse. Poisson's
law: impulses of compression (v_n = 0), then of expansion, at least e times these. Moreau's law: the mean
velocities (v' + e v) / (1 + e) satisfy contact and friction, along normals and tangents. Friction acts on
impulses as on forces: it ends sliding within its cone, or opposes the sliding that remains.

With friction, or with several coefficients, these laws may make energy. No impact does: all coefficients are
then reduced by the largest common factor at which no energy is made; so they are where no impulses lead to
the velocities they ask for (of a point with two freedoms that sticks). An inelastic impact makes none:
its energy falls by -F.w' + F.W F / 2, and friction and contact have F.w' <= 0.
References: C. Glocker, F. Pfeiffer, Multiple impacts with friction, Nonlinear Dynamics 7 (1995);
J. J. Moreau, Unilateral contact and dry friction in finite freedom dynamics (1988).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from rikigaku.contact.complementarity import consistent_solutions
from rikigaku.contact.constraint_blocks import BlockMode, ConstraintBlock
from rikigaku.contact.constraint_islands import Island, islands
from rikigaku.contact.contact_rounding import touching as touching_gap
from rikigaku.contact.contact_system import ContactSystem
from rikigaku.contact.contact_tolerances import REST
from rikigaku.contact.friction_moment import FrictionMoment
from rikigaku.contact.mode_enumeration import FEW, SolvedModes, solved_modes
from rikigaku.core.errors import NoConsistentMode
from rikigaku.core.types import Array

# Assignments of modes that are tried before the friction solver, and before its impulses are accepted that
# have rounding, or a small residual.
_MOST = (1, 2, 60)
_SOLVED = 1e-9  # residual of these impulses [m/s], relative to the velocities before
_EXACT = 1e-13  # the same at rounding, where no assignment is more accurate
_ENERGY = 1e-12  # energy that is rounding, relative to the terms of its change
_BISECTIONS = 30


@dataclass(frozen=True, eq=False)
class Impact:
    """v: velocities after the impact; impulses: contact impulses on the robot, world axes [N s] (k, 3).

    dissipated: energy [J]. contact_modes: "free", "stick" or "slip" of each contact. work: done on the robot
    by moving surfaces [J]. factor: of the coefficients of restitution, below 1 where energy would be made.
    approach: rates of the gaps before the impact [m/s] (k,).
    """

    v: Array
    impulses: Array
    dissipated: float
    contact_modes: tuple[str, ...]
    work: float = 0.0
    factor: float = 1.0
    approach: Array = field(default_factory=lambda: np.zeros(0))


def impact(
    system: ContactSystem,
    t: float,
    q: Array,
    v: Array,
    minimum_bounce_speed: float | Array = 0.0,
    gained: float = 0.0,
) -> Impact:
    """Velocities after the impact of all closed contacts; unchanged if none approaches.

    minimum_bounce_speed: slower approaches [m/s] are inelastic; one for all contacts, or one of each.
    gained: part of the approach [m/s] that is an error of the integration and has no restitution.

    Raises:
        NoConsistentMode: if no impulses within friction end the approach.
    """
    terms = system.engine.configuration(t, q)
    state = system.contact_state(terms.residual, terms.J @ v + terms.rate)
    first = system.constraints.permanent
    # Contacts that move away are included: impulses elsewhere may close them.
    closed = state.gap <= touching_gap(system, t, q)
    touching = [i for i, c in enumerate(system.contacts) if c.bilateral or closed[i]]
    modes = tuple("free" for _ in system.contacts)
    across = [abs(x) if c.bilateral else -x for c, x in zip(system.contacts, state.approach, strict=True)]
    if all(across[i] <= REST for i in touching):
        return Impact(v, np.zeros((len(system.contacts), 3)), 0.0, modes)
    equations = system.equations_at(t, q, v, np.zeros(len(v)))
    count = len(equations.J) - len(system.joints)  # finite joint friction has no impulse
    J, W, w0 = equations.J[:count], equations.W[:count, :count], equations.rates[:count]
    slow = (-state.approach > REST) & (-state.approach < minimum_bounce_speed)
    owners = system.engine.structure.owners
    e = np.array([0.0 if slow[i] else system.contacts[owners[i]].restitution for i in touching])
    approach = np.array([max(-state.approach[i], 0.0) for i in touching])
    e = e * np.maximum(1.0 - gained / np.maximum(approach, 1e-300), 0.0) if gained else e
    problem = _Impulses(system, W, w0, touching, approach, t)
    found, factor = problem.admissible(e), 1.0
    if found is None:
        low, found = 0.0, problem.solve(0 * e)
        for _ in range(_BISECTIONS):
            middle = 0.5 * (low + factor)
            tried = problem.admissible(middle * e)
            if tried is None:
                factor = middle
            else:
                low, found = middle, tried
        factor = low
    F = found.F
    after = v + F @ equations.response[:count]
    impulses = np.zeros((len(system.contacts), 3))
    for i, (normal, tangents) in enumerate(problem.indices):
        rows = [*tangents] if owners[i] != i else [normal, *tangents]
        impulses[i] = F[rows] @ equations.directions[[row - first for row in rows]]
    named = list(modes)
    for i, mode in zip(touching, found.modes, strict=True):
        named[i] = mode.kind
    work = float(F @ (J @ v - w0))  # w0 is relative to the surfaces
    # The kinetic energy falls by -(v + v') . M (v' - v) / 2, and M (v' - v) = J^T F.
    dissipated = work - float(0.5 * (v + after) @ (F @ J))
    return Impact(after, impulses, dissipated, tuple(named), work, factor, state.approach)


class _Found(NamedTuple):
    F: Array
    modes: Sequence[BlockMode]


class _Impulses:
    """Impulses of the touching contacts for coefficients of restitution e."""

    def __init__(
        self, system: ContactSystem, W: Array, w0: Array, touching: list[int], approach: Array, t: float
    ) -> None:
        self.system, self.W, self.w0, self.touching, self.t = system, W, w0, touching, t
        self.approach = approach
        self.indices, _ = system.equation_indices()
        self.permanent = range(system.constraints.permanent)

    def solve(self, e: Array) -> _Found:
        """Impulses F, and contact modes.

        Raises:
            NoConsistentMode: if there are none.
        """
        none, law = np.zeros(len(e)), self.system.restitution
        if law == "moreau" and e.any():
            scale = np.ones(len(self.W))
            # Of contacts that move away the law asks only that they do not come back.
            own_e = np.where(self.approach > 0, e, 0.0)
            for i, own in zip(self.touching, own_e, strict=True):
                scale[[self.indices[i][0], *self.indices[i][1]]] = 1 / (1 + own)
            return self._first(scale[:, None] * self.W, self.w0, self._blocks(none, none), False)
        if law == "newton":
            return self._first(self.W, self.w0, self._blocks(e * self.approach, none))
        compressed = self._first(self.W, self.w0, self._blocks(none, none))
        expansion = e * [compressed.F[self.indices[i][0]] for i in self.touching]
        if not expansion.any():
            return compressed
        w = self.W @ compressed.F + self.w0
        expanded = self._first(self.W, w, self._blocks(none, expansion))
        return _Found(compressed.F + expanded.F, expanded.modes)

    def admissible(self, e: Array) -> _Found | None:
        """Impulses that make no energy, if there are any for these coefficients; else None."""
        try:
            found = self.solve(e)
        except NoConsistentMode:
            return None
        return None if self.makes_energy(found.F) and e.any() else found

    def makes_energy(self, F: Array) -> bool:
        """Whether F.(w + w') / 2 is positive: kinetic energy, relative to the surfaces, that is made."""
        terms = F * (self.w0 + 0.5 * (self.W @ F))
        return bool(terms.sum() > _ENERGY * np.abs(terms).sum())

    def _blocks(self, targets: Array, base: Array) -> list[ConstraintBlock]:
        blocks = []
        for i, target, least in zip(self.touching, targets, base, strict=True):
            contact, (normal, tangents) = self.system.contacts[i], self.indices[i]
            mu = contact.friction
            blocks.append(
                ConstraintBlock(
                    normal,
                    tangents if mu.limit else (),
                    mu.limit,
                    mu.kinetic,
                    float(target),
                    None,
                    contact.bilateral,
                    float(least),
                    shared=isinstance(contact, FrictionMoment),
                )
            )
        return blocks

    def _first(self, W: Array, w0: Array, blocks: list[ConstraintBlock], symmetric: bool = True) -> _Found:
        """Impulses and modes, island by island."""
        F, modes = np.zeros(len(w0)), [BlockMode("free")] * len(blocks)
        for island in islands(W, blocks, self.permanent):
            found = self._impulses(island, island.part(w0), symmetric)
            F[list(island.rows)] = found.F
            for k, mode in zip(island.members, found.modes, strict=True):
                modes[k] = mode
        return _Found(F, modes)

    def _impulses(self, island: Island, w0: Array, symmetric: bool) -> _Found:
        """A consistent assignment of modes, or impulses of the friction solver.

        Redundant contacts that partly stick and partly slide have impulses of which few belong to an
        assignment with minimum-norm impulses.
        """
        tries = _MOST if symmetric else (0, 0, 0)
        blocks, problem = island.blocks, (island.W, w0, island.blocks, island.permanent)
        size = float(np.abs(w0).max(initial=0.0))
        if len(blocks) <= FEW:  # sticking is one linear system
            for solution in consistent_solutions(*problem, most=tries[0]):
                return _Found(solution.F, solution.modes)
        guess = _with_kinetic_friction(*problem, solved_modes(*problem))
        for most, accepted in zip(tries[1:], (_EXACT, _SOLVED), strict=True):
            if guess.solution.residual < accepted * size:
                return _Found(guess.solution.F, guess.assignment.modes)
            for solution in consistent_solutions(*problem, most=most, guess=guess):
                return _Found(solution.F, solution.modes)
        names = ", ".join(self.system.contacts[self.touching[k]].frame for k in island.members)
        raise NoConsistentMode(
            f"No impulses end the impact at t = {self.t:.9g} s (contacts {names}): moving or opposite "
            "surfaces squeeze the robot, or friction jams it between them. Check that surfaces leave room, "
            "or take less friction."
        )


def _with_kinetic_friction(
    W: Array, w0: Array, blocks: list[ConstraintBlock], permanent: Sequence[int], guess: SolvedModes
) -> SolvedModes:
    """The impulses again, if contacts slide whose static friction, which the solver takes, is larger."""
    sliding = [
        mode.kind == "slip" and block.static > block.kinetic
        for block, mode in zip(blocks, guess.assignment.modes, strict=True)
    ]
    if not any(sliding):
        return guess
    own = [replace(b, static=b.kinetic) if slides else b for b, slides in zip(blocks, sliding, strict=True)]
    return solved_modes(W, w0, own, permanent, guess.solution.F)
