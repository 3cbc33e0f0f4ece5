"""Impacts: velocities after contacts close, several at once, with friction.

Newton: each approaching contact leaves with v_n = -e v_n before, or faster without impulse. Poisson: impulses
of compression (v_n = 0), then e times these at least. Friction acts on impulses as on forces: it stops the
sliding within its cone, or goes against what sliding is left.
References: C. Glocker, F. Pfeiffer, Multiple impacts with friction, Nonlinear Dynamics 7 (1995); Newton's law
with friction may gain energy: the loss is reported, and Poisson's law offered.
"""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rikigaku.constraints.tree import tree
from rikigaku.contact.blocks import Answer, Block
from rikigaku.contact.choosing import CLOSED, REST
from rikigaku.contact.complementarity import answers
from rikigaku.contact.system import ContactSystem
from rikigaku.errors import NoConsistentMode

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Impact:
    """v: velocities after; impulses: on the robot at each contact, world axes [N s].

    lost: energy turned into heat [J]; work: done on the robot by surfaces that move [J].
    """

    v: Array
    impulses: Array
    lost: float
    words: tuple[str, ...]
    work: float = 0.0


def impact(system: ContactSystem, t: float, q: Array, v: Array, settling: float = 0.0) -> Impact:
    """What the contacts that touch do to the velocities at once; nothing where none approaches.

    settling: speed [m/s] of approach below which a contact does not bounce.

    Raises:
        NoConsistentMode: if no impulses within friction end the approach.
    """
    M = cast(Any, tree(system.robot)).mass_matrix(q)
    R, _, directions = system.rows(q, v, t)
    state = system.state(q, v, t)
    places, _ = system.places()
    first = system.plan.always
    R = R[: len(R) - len(system.joints)]  # dry friction of joints is finite: it has no part in an impact
    # Those that touch and move away too: impulses elsewhere may throw them back.
    touching = [i for i, c in enumerate(system.contacts) if c.bilateral or state.gap[i] <= CLOSED]
    words = tuple("free" for _ in system.contacts)
    across = [abs(x) if c.bilateral else -x for c, x in zip(system.contacts, state.approach, strict=True)]
    if all(across[i] <= REST for i in touching):
        return Impact(v, np.zeros((len(system.contacts), 3)), 0.0, words)
    W = R @ np.linalg.solve(M, R.T)
    w0 = np.zeros(len(R))
    w0[:first] = system.always_rates(R, v, t)
    for i, (normal, tangents) in enumerate(places):
        w0[normal] = state.approach[i]
        w0[list(tangents)] = state.sliding[i][: len(tangents)]
    loops = range(first)
    calm = [REST < -x < settling for x in state.approach]
    e = [0.0 if calm[i] else system.contacts[i].restitution for i in touching]
    bounce = [e[k] * max(-state.approach[i], 0.0) for k, i in enumerate(touching)]
    if system.restitution == "newton":
        answer = _first(system, W, w0, _blocks(system, touching, bounce), loops, t)
    else:
        answer = _first(system, W, w0, _blocks(system, touching, [0.0] * len(touching)), loops, t)
        kept = [e[k] * answer.F[places[i][0]] for k, i in enumerate(touching)]
        if any(kept):
            later = _first(
                system, W, answer.w, _blocks(system, touching, [0.0] * len(touching), kept), loops, t
            )
            answer = Answer(later.choices, answer.F + later.F, later.w, later.kept)
    after = v + np.linalg.solve(M, R.T @ answer.F)
    impulses = np.zeros((len(system.contacts), 3))
    for i, (normal, tangents) in enumerate(places):
        rows = [normal, *tangents]
        impulses[i] = answer.F[rows] @ directions[[row - first for row in rows]]
    named = list(words)
    for i, choice in zip(touching, answer.choices, strict=True):
        named[i] = choice.kind
    work = float(answer.F @ (R @ v - w0))  # w0 is relative to the surfaces: the rest is their own velocity
    lost = float(0.5 * v @ M @ v - 0.5 * after @ M @ after) + work
    return Impact(after, impulses, lost, tuple(named), work)


def _blocks(
    system: ContactSystem, touching: list[int], targets: list[float], base: list[float] | None = None
) -> list[Block]:
    places, _ = system.places()
    blocks = []
    for k, i in enumerate(touching):
        contact, (normal, tangents) = system.contacts[i], places[i]
        friction = contact.friction
        blocks.append(
            Block(
                normal,
                tangents if friction.limit else (),
                friction.limit,
                friction.kinetic,
                targets[k],
                None,
                contact.bilateral,
                0.0 if base is None else base[k],
            )
        )
    return blocks


def _first(system: ContactSystem, W: Array, w0: Array, blocks: list[Block], loops: range, t: float) -> Answer:
    for answer in answers(W, w0, blocks, loops):
        return answer
    names = ", ".join(contact.frame for contact in system.contacts)
    raise NoConsistentMode(
        f"No impulses within friction end the impact at t = {t:.9g} s (contacts {names}). "
        "Try less friction, or restitution='poisson'."
    )
