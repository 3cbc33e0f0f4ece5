"""Random scenes with contact, each simulated and checked; a summary at the end.

    python tools/random_scenes.py [count] [first] [points, shapes, others or all] [--limit S] [--duration S]

The scenes are those of `scene_kinds` and `moving_scene_kinds`; "all" (if left out) takes the three groups in
turns. Scenes of several bodies take fixed steps (`method="time_stepping"`) as well.
Scenes whose audit is above its limit at rtol 1e-9 (chaotic motions) are repeated at 1e-10; the verdict says
so. Gaps are those of all steps, and of 300 times between them. Of a scene beyond the limit of processor time,
half of the motion it reached is simulated again, and its gap and audit are given.
Every scene must end with status "done" or with a status that says why, without an exception, within the limit
of processor time; no gap may be below -1e-9 m, no energy be made, and the energy audit must be below 1e-8 of
the largest kinetic energy.
"""

import argparse
import re
import signal
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from moving_scene_kinds import OTHERS
from scene_kinds import POINTS, SHAPES, Kinds, Scene

import rikigaku as rk
from rikigaku.contact.contact_system import ContactSystem

GROUPS: dict[str, Kinds] = {"points": POINTS, "shapes": SHAPES, "others": OTHERS}
GAP, AUDIT = -1e-9, 1e-8
SECONDS = 20.0  # of processor time for a scene: more is a fault
REASONS = (
    "No contact mode is consistent",
    "No impulses end the impact",
    "the limit of",
    "more than",
    "changes of mode follow one another without end",
)


@dataclass(frozen=True)
class Verdict:
    """What a scene showed; faults is empty if all is well."""

    seed: int
    kind: str
    status: str
    seconds: float
    steps: int
    changes: int
    gap: float
    audit: float
    faults: tuple[str, ...]
    repeated: bool = False  # with smaller tolerances

    def __str__(self) -> str:
        again = "; repeated at rtol 1e-10" if self.repeated else ""
        return (
            f"{self.seed} {self.kind}: {', '.join(self.faults) or 'ended'}; {self.status}; "
            f"{self.seconds:.1f} s, {self.steps} steps, {self.changes} changes, gap {self.gap:.1e} m, "
            f"audit {self.audit:.1e}{again}"
        )


class OutOfTime(Exception):
    """A scene takes more processor time than its limit."""


@contextmanager
def processor_time(limit: float) -> Iterator[None]:
    """Raise OutOfTime in the block after so many seconds of processor time, again and again until it ends."""

    def stop(*_: Any) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, limit, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def judged(seed: int, duration: float = 5.0, kinds: Kinds = POINTS, limit: float = SECONDS) -> Verdict:
    """Simulate the scene of a seed and check it."""
    rng = np.random.default_rng(seed)
    scene = kinds[seed % len(kinds)](rng)
    begin, last = time.process_time(), ["its first steps"]

    def ended(status: str, fault: str) -> Verdict:
        seconds = time.process_time() - begin
        gap, audit = _reached(scene, last[-1], limit) if fault == "slow" else (np.nan, np.nan)
        return Verdict(seed, scene.kind, status, seconds, 0, 0, gap, audit, (fault,))

    try:
        with warnings.catch_warnings(), processor_time(limit):
            warnings.simplefilter("ignore")
            motion = _simulated(scene, duration, 1e-9, last.append)
            repeated = motion.energy_audit().relative > AUDIT
            if repeated:  # chaotic: is it the error of integration?
                motion = _simulated(scene, duration, 1e-10, last.append)
            seconds = time.process_time() - begin
            faults = _stepped_faults(scene)
    except OutOfTime:
        return ended(f"more than {limit:g} s of processor time: {last[-1]}", "slow")
    except Exception as error:
        return ended(repr(error), "exception")
    if not motion.done and not motion.status.startswith(REASONS):
        faults.append("unexplained end")
    gap = _lowest_gap(scene, motion)
    if gap < GAP:
        faults.append("gap")
    audit = motion.energy_audit()
    largest = float(motion.kinetic_energy.max(initial=0.0))
    if audit.relative > AUDIT:
        faults.append("audit")
    if np.diff(motion.dissipated).min(initial=0.0) < -1e-9 * max(1.0, largest):
        faults.append("energy made")
    statistics = motion.statistics
    return Verdict(
        seed, scene.kind, motion.status, seconds, statistics["steps"], statistics["changes of mode"], gap,
        audit.relative, tuple(faults), repeated,
    )  # fmt: skip


def _reached(scene: Scene, line: str, limit: float) -> tuple[float, float]:
    """Gap and audit of half of the motion that a line of progress reports; NaN if that is slow as well."""
    found = re.search(r"simulated t = (\S+) s", line)
    if found is None or not (duration := 0.5 * float(found[1])) > 0:
        return np.nan, np.nan
    try:
        with warnings.catch_warnings(), processor_time(limit):
            warnings.simplefilter("ignore")
            motion = _simulated(scene, duration, 1e-9, list[str]().append)
            return _lowest_gap(scene, motion), motion.energy_audit().relative
    except OutOfTime:
        return np.nan, np.nan


def _simulated(scene: Scene, duration: float, rtol: float, progress: Callable[[str], object]) -> rk.Solution:
    return rk.simulate(
        scene.robot, scene.q, scene.v, scene.torque, duration=duration, contacts=scene.contacts,
        rtol=rtol, atol=0.01 * rtol, most_steps=200_000, most_changes=4_000, progress=progress,
    )  # fmt: skip


def _stepped_faults(scene: Scene) -> list[str]:
    """Faults of one second of fixed steps of the same scene."""
    if scene.kind not in ("pile", "capsules"):
        return []
    try:
        motion = rk.simulate(
            scene.robot, scene.q, scene.v, scene.torque, duration=1.0, contacts=scene.contacts,
            method="time_stepping", step=1e-3, output=0.01,
        )  # fmt: skip
    except OutOfTime:
        raise
    except Exception as error:
        return [f"fixed steps: {error!r}"]
    faults = [] if motion.done else [f"fixed steps: {motion.status}"]
    energy = motion.kinetic_energy + motion.potential_energy
    if energy.max() > energy[0] + 0.01 * max(1.0, motion.kinetic_energy.max()):
        faults.append("fixed steps make energy")
    return faults


def _lowest_gap(scene: Scene, motion: rk.Solution) -> float:
    """The lowest gap at all steps, and at 300 times between them."""
    system = ContactSystem(scene.robot, scene.contacts)
    between = np.linspace(motion.t[0], motion.t[-1], 300)
    states = [*zip(motion.t, motion.q, strict=True), *zip(between, motion.at(between).q, strict=True)]
    zero = np.zeros(scene.robot.nv)
    return min(float(system.state(q, zero, float(t)).gap.min()) for t, q in states)


def summary(verdicts: Sequence[Verdict]) -> str:
    """Scenes, violations, worst gap and audit, early ends with their statuses, the slowest scenes."""
    if not verdicts:
        return "no scenes"
    faults = Counter(fault for verdict in verdicts for fault in verdict.faults)
    early = [verdict for verdict in verdicts if verdict.status != "done"]
    known = [verdict for verdict in verdicts if np.isfinite(verdict.gap)] or verdicts
    gap, audit = min(known, key=lambda x: x.gap), max(known, key=lambda x: x.audit)
    repeated = [str(verdict.seed) for verdict in verdicts if verdict.repeated]
    slowest = sorted(verdicts, key=lambda x: -x.seconds)[:5]
    seconds = sum(verdict.seconds for verdict in verdicts)
    lines = [
        f"{len(verdicts)} scenes, {len(verdicts) - len(early)} done, {seconds:.0f} s of processor time",
        f"violations: {sum(faults.values())} {dict(faults) if faults else ''}".rstrip(),
        f"worst gap {gap.gap:.1e} m (scene {gap.seed}), worst audit {audit.audit:.1e} (scene {audit.seed})",
        f"repeated at rtol 1e-10: {', '.join(repeated) or 'none'}",
        f"early ends: {len(early)}",
        *(f"  {verdict.seed} {verdict.kind}: {verdict.status}" for verdict in early),
        "slowest: " + ", ".join(f"{x.seed} {x.kind} {x.seconds:.1f} s" for x in slowest),
    ]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Random scenes with contact, simulated and checked.")
    parser.add_argument("count", nargs="?", type=int, default=500)
    parser.add_argument("first", nargs="?", type=int, default=0, help="the first seed")
    parser.add_argument("kinds", nargs="?", choices=(*GROUPS, "all"), default="all")
    parser.add_argument("--limit", type=float, default=SECONDS, help="processor time of a scene [s]")
    parser.add_argument("--duration", type=float, default=5.0, help="of each motion [s]")
    given = parser.parse_args(arguments)
    verdicts = []
    for n, seed in enumerate(range(given.first, given.first + given.count)):
        kinds = GROUPS[given.kinds] if given.kinds in GROUPS else list(GROUPS.values())[n % len(GROUPS)]
        verdict = judged(seed, given.duration, kinds, given.limit)
        verdicts.append(verdict)
        if len(verdicts) % 25 == 0:
            print(f"{len(verdicts)} of {given.count} scenes", file=sys.stderr, flush=True)
        if verdict.faults or verdict.status != "done":
            print(verdict, flush=True)
    print(summary(verdicts))
    return any(verdict.faults for verdict in verdicts)


if __name__ == "__main__":
    raise SystemExit(main())
