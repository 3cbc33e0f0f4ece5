"""Proportions of a five-bar whose hand moves well over a large area: a sweep over designs.

The legs of all designs have one length. For each share of the inner link and each distance of the motors, the
velocity map of the hand is computed at all points of a grid that both legs reach, from the circles of the
legs. The design wins whose velocity ellipse is round enough over the largest area.
"""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import rikigaku as rk

LEG, LEAST = 0.6, 0.3  # length of a leg [m]; least ratio of the singular values
X, Y = np.meshgrid(np.linspace(-0.6, 0.6, 97), np.linspace(0.02, 0.7, 57))


def legs_at(points: np.ndarray, inner: float, apart: float) -> tuple[np.ndarray, np.ndarray]:
    """Angles of the motors with the elbows outward, (..., 2), NaN out of reach; the elbows (..., 2, 2)."""
    motors = np.array([[-apart / 2, 0.0], [apart / 2, 0.0]])
    reach = points[..., None, :] - motors
    distance = np.linalg.norm(reach, axis=-1)
    with np.errstate(invalid="ignore"):
        bend = np.arccos((inner**2 + distance**2 - (LEG - inner) ** 2) / (2 * inner * distance))
    angles = np.arctan2(reach[..., 1], reach[..., 0]) + bend * [1, -1]
    return angles, motors + inner * np.stack([np.cos(angles), np.sin(angles)], axis=-1)


def design(proportions: tuple[float, float], random: np.random.Generator) -> dict[str, float]:
    """Area in which the velocity ellipse of the hand is round enough [m^2]."""
    inner, apart = proportions
    points = np.stack([X, Y], axis=-1)
    angles, elbows = legs_at(points, inner, apart)
    rods = points[..., None, :] - elbows  # rods keep their length: rods . xdot = rods . (elbow velocity)
    speeds = np.sum(rods * np.stack([-np.sin(angles), np.cos(angles)], axis=-1) * inner, axis=-1)
    parallel = np.abs(np.linalg.det(np.nan_to_num(rods))) < 1e-6
    good = np.isfinite(angles).all(axis=-1) & ~parallel
    jacobian = np.linalg.solve(rods[good], speeds[good][..., None] * np.eye(2))
    values = np.linalg.svd(jacobian, compute_uv=False)
    cell = (X[0, 1] - X[0, 0]) * (Y[1, 0] - Y[0, 0])
    return {"inner": inner, "apart": apart, "area": float(cell * np.sum(values[:, 1] > LEAST * values[:, 0]))}


def five_bar(inner: float, apart: float) -> rk.Robot:
    """The design as a robot with its loop."""

    def link(name: str, parent: str, joint: str, at: float, length: float) -> rk.Link:
        rod = rk.Inertia("com", length, (length / 2, 0, 0), (1e-4, 0, 0, length**3 / 12, 0, length**3 / 12))
        hinge = rk.Joint(joint, "revolute", actuated=parent == "base")
        return rk.Link(name, parent, hinge, rk.Placement((at, 0, 0)), rod)

    outer = LEG - inner
    links = (
        link("l1", "base", "left", -apart / 2, inner), link("l2", "l1", "left_elbow", inner, outer),
        link("r1", "base", "right", apart / 2, inner), link("r2", "r1", "right_elbow", inner, outer),
    )  # fmt: skip
    ends = [rk.LoopEnd(name, rk.Placement((outer, 0, 0))) for name in ("l2", "r2")]
    hand = rk.Frame("hand", "l2", rk.Placement((outer, 0, 0)))
    return rk.Robot("five-bar", links, frames=(hand,), loops=(rk.Loop("pin", "revolute", *ends),))


def main() -> None:
    grid = [(inner, apart) for inner in np.linspace(0.12, 0.42, 16) for apart in np.linspace(0.02, 0.5, 13)]
    study = rk.sweep(design, grid)
    best = int(np.argmax(study["area"]))
    inner, apart = float(study["inner"][best]), float(study["apart"][best])
    area = 1e4 * study["area"][best]
    print(f"{len(grid)} designs: inner links of {inner:.2f} m, motors {apart:.2f} m apart: {area:.0f} cm^2")
    robot, point = five_bar(inner, apart), np.array([0.02, 0.45])
    q = robot.assemble(legs_at(point, inner, apart)[0])
    assert np.abs(robot.pose(q, "hand")[:2, 3] - point).max() < 1e-9  # the robot agrees with the circles
    figure, axes = plt.subplots(figsize=(5.2, 4), layout="constrained")
    shown = axes.tricontourf(study["apart"], study["inner"], 1e4 * study["area"], 14)
    axes.plot(apart, inner, "wo", markeredgecolor="k")
    axes.set(xlabel="distance of the motors [m]", ylabel="inner link [m]")
    figure.colorbar(shown, label="area with a round velocity ellipse [cm$^2$]")
    figure.savefig("five_bar_design.png", dpi=110)
    print("picture: five_bar_design.png")


if __name__ == "__main__":
    main()
