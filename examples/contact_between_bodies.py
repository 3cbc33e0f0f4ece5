"""Bodies that roll, push and carry each other: a coin, a ball on a height grid, a hand, a box and a ball.

The coin rolls without slip on the lowest point of its rim; its energy is constant. The ball rolls over a grid
of heights, interpolated by a spline. A hand on a rail pushes a box on which a ball lies: the box slides on
its four corners, the ball stays behind and rolls off. Writes contact_between_bodies.png.
"""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import rikigaku as rk

TIGHT = {"rtol": 1e-12, "atol": 1e-14}


def balance(solution: rk.Solution) -> float:
    """Error of the energy balance, relative to the largest kinetic energy."""
    total = solution.energy + solution.dissipated - solution.work
    return float(np.ptp(total) / solution.kinetic_energy.max())


def report(name: str, solution: rk.Solution) -> None:
    print(
        f"{name}: {solution.status}, {len(solution.events)} events, energy balance to {balance(solution):.0e}"
    )
    assert solution.done
    assert balance(solution) < 1e-9


figure, (left, middle, right) = plt.subplots(1, 3, figsize=(15, 4.8))

# A coin that starts upright but for 0.25 rad, rolling and turning.
shape = rk.SolidCylinder(0.1, axis="y")
coin = rk.free_body("coin", shape, mass=0.2)
lean, spin = 0.25, 12.0
start = np.array([0, 0, 0.1 * np.cos(lean), np.cos(lean / 2), np.sin(lean / 2), 0, 0])
contact = rk.Contact("coin", rk.Plane(), friction=0.9, shape=rk.Rim(0.1, "y"))
system = rk.ContactSystem(coin, [contact])
R = coin.pose(start, "coin")[:3, :3]
omega = R @ [0, spin, 0] + [0, 0, 1.0]
lowest = R @ [0, 0, -0.1]
v = np.concatenate([R.T @ -np.cross(omega, lowest), R.T @ omega])  # the lowest point of the rim is at rest
rolled = rk.simulate(coin, start, v, duration=6, contacts=[contact], output=0.005, **TIGHT)
report("coin", rolled)
X = coin.pose(rolled.q, "coin")
axis = X[:, :3, 1]
up = np.array([0, 0, 1.0]) - axis[:, 2:] * axis
touch = X[:, :3, 3] - 0.1 * up / np.linalg.norm(up, axis=1)[:, None]
assert np.abs(touch[:, 2]).max() < 1e-9
left.plot(*X[:, :2, 3].T, color="tab:blue", linewidth=0.8, label="centre")
left.plot(*touch[:, :2].T, color="tab:red", linewidth=0.8, label="contact point")
angles = np.linspace(0, 2 * np.pi, 60)
rim = 0.1 * np.stack([np.cos(angles), 0 * angles, np.sin(angles)], axis=1)
for k in range(0, len(X), 60):
    left.plot(*(rim @ X[k, :3, :3].T + X[k, :3, 3])[:, :2].T, color="0.7", linewidth=0.6)
left.set(aspect="equal", xlabel="x [m]", ylabel="y [m]", title="A coin rolls (seen from above)")
left.legend(loc="center")

# A ball on a grid of heights.
n = np.arange(24)
hills = 0.06 * np.sin(0.9 * n)[:, None] * np.cos(0.7 * n)[None, :] + 0.012 * ((n - 11.5) ** 2)[:, None] * 0.25
hills = hills + 0.012 * 0.25 * ((n - 11.5) ** 2)[None, :]
ground = rk.HeightGrid(hills, spacing=0.25, origin=(-2.875, -2.875))
ball = rk.free_body("ball", rk.Ball(0.1), mass=1.0)
contact = rk.Contact("ball", ground, friction=0.8, shape=rk.Ball(0.1))
start = rk.ContactSystem(ball, [contact]).placed([1.6, -0.9, 0.5, 1, 0, 0, 0], ["ball"])
rolling = rk.simulate(ball, start, duration=8, contacts=[contact], output=0.01, **TIGHT)
report("ball on a grid", rolling)
x = np.linspace(-2.2, 2.2, 90)
height = ground.grid.values(*np.meshgrid(x, x))["h"]
lines = middle.contourf(x, x, height, 24, cmap="YlGn")
figure.colorbar(lines, ax=middle, label="height [m]")
middle.plot(*rolling.q[:, :2].T, color="tab:red", linewidth=0.9)
middle.plot(*start[:2], "ko", markersize=4)
middle.set(aspect="equal", xlabel="x [m]", ylabel="y [m]", title="A ball rolls over a grid of heights")

# A hand pushes a box on which a ball lies.
rail = rk.Joint("rail", "prismatic", (1, 0, 0))
hand = rk.Robot("hand", (rk.Link("hand", "base", rail, rk.Placement((0, 0, 0.1)), rk.Inertia("com", 1.0)),))
box = rk.Box(0.6, 0.3, 0.2)
world = rk.world([hand, rk.free_body("box", box, mass=3.0), ball])
contacts = [
    rk.Contact("hand", rk.Plane((-1, 0, 0), (-0.3, 0, 0)).on("box")),
    *rk.shape_contacts("box", box, rk.Plane(), friction=0.2),
    rk.Contact("ball", box.on("box"), friction=0.5, shape=rk.Ball(0.1)),
    rk.Contact("ball", rk.Plane(), friction=0.5, shape=rk.Ball(0.1)),
]
start = [0, 0.3, 0, 0.1, 1, 0, 0, 0, 0.3, 0, 0.3, 1, 0, 0, 0]
pushed = rk.simulate(
    world, start, torque=["20", *"0" * 12], duration=1.2, contacts=contacts, output=0.005, **TIGHT
)
report("pushed box", pushed)
forces = pushed.forces["forces"].reshape(len(pushed.t), -1, 4)
on_hand, on_ball = forces[:, 0, 0], forces[:, 9, 0]
on_floor = forces[:, 1:9, 0].sum(axis=1)
steps = np.diff(pushed.t) > 1e-3  # without the events
rate = (np.diff(pushed.v[:, 1])[steps] / np.diff(pushed.t)[steps])[2:-2]
acting = (on_floor - on_hand - on_ball)[:-1][steps][2:-2]  # hand and ball act on the box with opposite forces
assert np.median(np.abs(3.0 * rate - acting)) < 1e-8
right.plot(pushed.t, -on_hand, label="hand on box")
right.plot(pushed.t, -on_ball, label="ball on box")
right.plot(pushed.t, on_floor, label="floor on box")
right.plot(pushed.t[:-1][steps][2:-2], 3.0 * rate, "k:", label="m a of the box")
right.set(xlabel="t [s]", ylabel="force along x [N]", title="A hand pushes a box that carries a ball")
right.legend(loc="center right")
for event in pushed.events:
    print(f"t = {event.t:.6f} s: {', '.join((event.name, *event.also))}")

figure.tight_layout()
figure.savefig("contact_between_bodies.png", dpi=100)
