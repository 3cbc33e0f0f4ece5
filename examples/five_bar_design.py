"""Proportions of a five-bar whose hand moves well over a large area: a sweep over designs.

The legs of all designs have one length. The length of the inner links and the distance of the motors are
symbols of one robot: an item of the sweep is a length, and one call of a compiled law has all distances and
all points of a grid that both legs reach. The design wins whose velocity ellipse is round enough over the
largest area.
"""

from functools import cache

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import rikigaku as rk

LEG, LEAST = 0.6, 0.3  # length of a leg [m]; least ratio of the singular values
APART = np.linspace(0.02, 0.5, 13)
X, Y = np.meshgrid(np.linspace(-0.6, 0.6, 97), np.linspace(0.02, 0.7, 57))


@cache
def five_bar() -> rk.Robot:
    """All designs as one robot with its loop."""

    def link(name: str, parent: str, joint: str, at: str, length: str) -> rk.Link:
        rod = rk.Inertia("com", length, (f"({length})/2", 0, 0), (0, 0, 0, 0, 0, f"({length})^3/12"))
        hinge = rk.Joint(joint, "revolute", actuated=parent == "base")
        return rk.Link(name, parent, hinge, rk.Placement((at, 0, 0)), rod)

    outer = f"{LEG} - inner"
    links = (
        link("l1", "base", "left", "-apart/2", "inner"), link("l2", "l1", "left_elbow", "inner", outer),
        link("r1", "base", "right", "apart/2", "inner"), link("r2", "r1", "right_elbow", "inner", outer),
    )  # fmt: skip
    ends = [rk.LoopEnd(name, rk.Placement((outer, 0, 0))) for name in ("l2", "r2")]
    hand = rk.Frame("hand", "l2", rk.Placement((outer, 0, 0)))
    symbols = rk.Symbol("inner", 0.28, "m"), rk.Symbol("apart", 0.1, "m")
    pin = rk.Loop("pin", "revolute", *ends)
    return rk.Robot(
        "five-bar", links, frames=(hand,), loops=(pin,), symbols=symbols, independent=("left", "right")
    )


def joints_at(points: np.ndarray, inner: float, apart: np.ndarray) -> np.ndarray:
    """Joint angles with the elbows outward, (..., 4), from the circles of the legs; NaN out of reach."""
    q = []
    for side in (-1, 1):
        reach = points - np.stack([side * apart / 2, 0 * apart], axis=-1)
        distance = np.linalg.norm(reach, axis=-1)
        with np.errstate(invalid="ignore"):
            bend = np.arccos((inner**2 + distance**2 - (LEG - inner) ** 2) / (2 * inner * distance))
        motor = np.arctan2(reach[..., 1], reach[..., 0]) - side * bend
        elbow = reach - inner * np.stack([np.cos(motor), np.sin(motor)], axis=-1)
        q += [motor, np.arctan2(elbow[..., 1], elbow[..., 0]) - motor]
    return np.stack(q, axis=-1)


def designs(inner: float, random: np.random.Generator) -> dict[str, np.ndarray]:
    """Area [m^2] in which the velocity ellipse of the hand is round enough, by distance of the motors."""
    robot = five_bar()
    apart = np.broadcast_to(APART[:, None, None], (len(APART), *X.shape))
    q = joints_at(np.stack([X, Y], axis=-1), inner, apart)
    rods = q[..., 0] + q[..., 1] - q[..., 2] - q[..., 3]  # angle between the outer links
    good = np.isfinite(q).all(axis=-1) & (np.abs(np.sin(rods)) > 1e-6)
    design = {"inner": inner, "apart": apart[good]}
    assert np.abs(robot.loop_residual(q[good], **design)).max() < 1e-9  # the robot agrees with the circles
    motors = robot.reduced.jacobian(q[good], **design)  # joint velocities from those of the motors
    jacobian = (robot.jacobian(q[good], "hand", **design) @ motors)[:, :2]
    values = np.linalg.svd(jacobian, compute_uv=False)
    counts = np.zeros(apart.shape)
    counts[good] = values[:, 1] > LEAST * values[:, 0]
    cell = (X[0, 1] - X[0, 0]) * (Y[1, 0] - Y[0, 0])
    return {"inner": np.full(len(APART), inner), "apart": APART, "area": cell * counts.sum(axis=(1, 2))}


def main() -> None:
    study = rk.sweep(designs, np.linspace(0.12, 0.42, 16))
    assert not study.failures, study.failures
    inners, distances, areas = (study[name].ravel() for name in ("inner", "apart", "area"))
    best = int(np.argmax(areas))
    inner, apart, area = inners[best], distances[best], 1e4 * areas[best]
    print(f"{len(areas)} designs: inner links of {inner:.2f} m, motors {apart:.2f} m apart: {area:.0f} cm^2")
    figure, axes = plt.subplots(figsize=(5.2, 4), layout="constrained")
    shown = axes.tricontourf(distances, inners, 1e4 * areas, 14)
    axes.plot(apart, inner, "wo", markeredgecolor="k")
    axes.set(xlabel="distance of the motors [m]", ylabel="inner link [m]")
    figure.colorbar(shown, label="area with a round velocity ellipse [cm$^2$]")
    figure.savefig("five_bar_design.png", dpi=110)
    print("picture: five_bar_design.png")


if __name__ == "__main__":
    main()
