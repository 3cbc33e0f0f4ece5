"""The document of a robot: its types in TypeScript, its picture in the place of plot(), its module."""

import base64
import json
import warnings
from dataclasses import asdict, fields
from importlib.metadata import distribution
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
import web_types
from wasmtime import Engine, Instance, Module, Store

import rikigaku as rk
from rikigaku.core.errors import BadModel, MissingValue, WrongValue
from rikigaku.formats.mesh_files import found_mesh, read_mesh
from rikigaku.library import NAMES
from rikigaku.model.states import random_state
from rikigaku.plotting.skeleton import skeleton
from rikigaku.web.model_document import RobotDocument
from rikigaku.web.page_laws import BODY_POSES, CONFIGURATION_RATE, draggable_frames
from rikigaku.web.robot_document import robot_document
from rikigaku.web.visuals import file_visuals

SHARE = Path(
    str(distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots"))
)
UR5 = SHARE / "ur_description" / "urdf" / "ur5_robot.urdf"


def robot_named(name: str) -> rk.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rk.load(name)


def test_the_types_of_the_front_end_are_those_of_the_records() -> None:
    for path, text in web_types.texts().items():
        assert path.read_text("utf-8") == text, f"{path.name}: run python tools/web_types.py"
    for field in fields(RobotDocument):
        assert f"  {field.name}: " in web_types.model_text()


@pytest.mark.parametrize("name", NAMES)
def test_every_shipped_robot_has_a_document_that_json_can_hold(name: str) -> None:
    robot = robot_named(name)
    document = robot_document(robot, laws="none")
    assert json.loads(json.dumps(asdict(document), allow_nan=False))["name"] == robot.name
    assert len(document.coordinates) == robot.nq
    assert document.loops is None or document.loops.mobility == robot.closure().mobility


@pytest.mark.parametrize("name", ["puma560", "stewart", "cassie_leg", "humanoid_17"])
def test_parts_on_bodies_are_drawn_where_plot_draws_them(name: str) -> None:
    robot = robot_named(name)
    document = robot_document(robot, laws="none")
    q = random_state(robot, 3).q
    poses = np.asarray(robot.law(BODY_POSES)(q)).reshape(-1, 3, 4)
    drawn = skeleton(robot, q)

    def place(body: int, point: list[float]) -> np.ndarray:
        return np.array(point) if body < 0 else poses[body][:, :3] @ point + poses[body][:, 3]

    bars = [(place(bar.body, bar.start), place(bar.body, bar.end)) for bar in document.bars]
    np.testing.assert_allclose(bars, drawn.bars, atol=1e-12)
    centres = [place(mass.body, mass.centre) for mass in document.masses]
    np.testing.assert_allclose(centres, [centre for centre, _ in drawn.masses], atol=1e-12)
    seats = [place(seat.parent, [seat.pose[3], seat.pose[7], seat.pose[11]]) for seat in document.seats]
    np.testing.assert_allclose(seats, [joint.place for joint in drawn.joints], atol=1e-12)


def test_the_ellipsoid_of_inertia_has_the_moments_of_its_body() -> None:
    """A homogeneous ellipsoid of half axes a, b, c has I_x = m (b^2 + c^2) / 5; Pinocchio has the tensor."""
    robot, model = robot_named(str(UR5)), pin.buildModelFromUrdf(str(UR5))
    document = robot_document(robot, laws="none")
    for mass, body in zip(document.masses, model.inertias[1:], strict=True):
        assert mass.radii is not None
        squares = np.array(mass.radii) ** 2
        moments = mass.mass * (squares.sum() - squares) / 5
        np.testing.assert_allclose(np.sort(moments), np.linalg.eigvalsh(body.inertia), rtol=1e-9)


def test_the_rate_of_a_configuration_is_the_limit_of_its_integration() -> None:
    robot = robot_named("humanoid_17")
    q, v, _ = random_state(robot, 1)
    rate = robot.law(CONFIGURATION_RATE)(q, v)
    h = 1e-6
    np.testing.assert_allclose(
        rate, (robot.integrate(q, h * v) - robot.integrate(q, -h * v)) / (2 * h), atol=1e-8
    )


def test_the_module_holds_the_laws_that_the_page_evaluates() -> None:
    document = robot_document(robot_named("five_bar"))
    store = Store(Engine())
    module = Module(store.engine, base64.b64decode(document.wasm))
    names = {export.name for export in module.exports}
    needed = {"body_poses", "integrate", "loop_residual", "loop_jacobian", "forward_dynamics", "jacobian_0"}
    assert needed | {"memory", "heap_base", "mass_matrix", "kinetic_energy", "complete"} <= names
    assert Instance(store, module, []) is not None  # it imports nothing
    assert [frame.law for frame in document.frames] == ["", "jacobian_0"]


def test_symbols_without_a_value_leave_out_the_laws_that_need_them(tmp_path: Path) -> None:
    text = """
schema = 1
name = "rod"
[[link]]
name = "rod"
parent = "base"
joint = { name = "swing", type = "revolute" }
dh = { alpha = 0, a = 0, theta = "q", d = 0 }
inertia = { about = "origin", m = "m", ms = [0, 0, 0], I = [0, 0, 0, 0, 0, "J"] }
"""
    file = tmp_path / "rod.robot.toml"
    file.write_text(text, "utf-8")
    robot = rk.load(file)
    section = base64.b64decode(robot_document(robot).wasm)
    assert b"body_poses" in section
    assert b"mass_matrix" not in section
    file.write_text(text.replace("a = 0,", 'a = "L",'), "utf-8")
    with pytest.raises(MissingValue, match="'L'"):
        robot_document(rk.load(file))


def test_frames_of_the_base_and_of_cut_joints_are_not_dragged() -> None:
    assert draggable_frames(robot_named("five_bar")) == ["hand"]
    assert draggable_frames(robot_named("stewart")) == ["hand"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert draggable_frames(rk.load(UR5)) == ["ee_link", "tool0"]


def test_visuals_of_a_urdf_stand_where_pinocchio_has_them() -> None:
    robot, model = robot_named(str(UR5)), pin.buildModelFromUrdf(str(UR5))
    geometry = pin.buildGeomFromUrdf(
        model, str(UR5), pin.GeometryType.VISUAL, package_dirs=[str(SHARE.parent.parent)]
    )
    found, notes = file_visuals(robot, UR5, meshes=True)
    assert notes == []
    moving = [one for one in found if one.body >= 0]
    theirs = [one for one in geometry.geometryObjects if one.parentJoint > 0]
    assert len(moving) == len(theirs) > 4
    for ours, other in zip(moving, theirs, strict=True):
        np.testing.assert_allclose(
            np.array(ours.pose).reshape(3, 4)[:, 3], other.placement.translation, atol=1e-9
        )
    assert file_visuals(robot, UR5)[0] == []  # meshes only where asked for


def test_meshes_of_three_formats_hold_the_same_triangles(tmp_path: Path) -> None:
    corner = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 0, 0], [0, 1, 0], [0, 0, 1]]], dtype="<f4")
    record = np.zeros(2, dtype=np.dtype([("n", "<f4", 12), ("a", "<u2")]))
    record["n"][:, 3:] = corner.reshape(2, 9)
    (tmp_path / "a.stl").write_bytes(bytes(80) + np.uint32(2).tobytes() + record.tobytes())
    lines = "".join("facet\n" + "".join(f"vertex {x} {y} {z}\n" for x, y, z in face) for face in corner)
    (tmp_path / "b.stl").write_text(f"solid a\n{lines}endsolid\n", "utf-8")
    (tmp_path / "c.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1/1 3/2 -1\n", "utf-8")
    (tmp_path / "d.dae").write_text(
        '<COLLADA><asset><up_axis>Z_UP</up_axis></asset><geometry id="g"><mesh><source id="s"><float_array>'
        '0 0 0 1 0 0 0 1 0 0 0 1</float_array></source><vertices id="v"><input semantic="POSITION" source='
        '"#s"/></vertices><triangles><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2 0 2 3</p>'
        "</triangles></mesh></geometry></COLLADA>",
        "utf-8",
    )
    for name in ("a.stl", "b.stl", "c.obj", "d.dae"):
        np.testing.assert_array_equal(read_mesh(tmp_path / name), corner, err_msg=name)
    (tmp_path / "e.stl").write_text("vertex 1 2 nan\nvertex 1 2 3\nvertex 1 1 1", "utf-8")
    with pytest.raises(BadModel, match="not finite"):
        read_mesh(tmp_path / "e.stl")
    (tmp_path / "a.step").write_text("x", "utf-8")
    with pytest.raises(BadModel, match="meshes are read from"):
        read_mesh(tmp_path / "a.step")
    assert found_mesh("package://a.stl", tmp_path) == tmp_path / "a.stl"
    assert found_mesh("../../../../etc/passwd", tmp_path) is None
    assert found_mesh("file:///etc/passwd", tmp_path) is None


def test_a_configuration_of_another_size_is_refused() -> None:
    with pytest.raises((WrongValue, rk.RikigakuError)):
        robot_document(robot_named("planar_2r"), np.zeros(3))


MESHES = """<mujoco><compiler meshdir="parts" angle="radian"/>
<asset><mesh name="wedge" file="wedge.obj" scale="0.5 1 2"/>
<material name="red" rgba="0.9 0.1 0.1 1"/></asset>
<worldbody><body name="arm" pos="0.1 0.2 0.3" euler="0.3 0.2 0.1"><joint name="j" axis="0 1 0"/>
<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
<geom type="mesh" mesh="wedge" pos="0.4 0 0.1" euler="0.5 0 0.7" material="red"/>
</body></worldbody></mujoco>"""
WEDGE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0.7 0.6 0\nf 1 3 5 2\nf 1 2 4\nf 2 5 4\nf 5 3 4\nf 3 1 4\n"


def test_meshes_of_mjcf_are_where_mujoco_draws_them(tmp_path: Path) -> None:
    import mujoco

    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "wedge.obj").write_text(WEDGE)
    path = tmp_path / "arm.xml"
    path.write_text(MESHES)
    (visual,), notes = file_visuals(rk.load(path), path, meshes=True)
    assert notes == []
    assert visual.color == [0.9, 0.1, 0.1]
    assert visual.mesh is not None
    ours = np.frombuffer(base64.b64decode(visual.mesh), "<f4").reshape(-1, 3)
    pose = np.array(visual.pose).reshape(3, 4)
    body = np.asarray(rk.load(path).law(BODY_POSES)([0.4])).reshape(-1, 3, 4)[visual.body]
    ours = (ours @ pose[:, :3].T + pose[:, 3]) @ body[:, :3].T + body[:, 3]
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    data.qpos[0] = 0.4
    mujoco.mj_forward(model, data)
    theirs = model.mesh_vert @ data.geom_xmat[0].reshape(3, 3).T + data.geom_xpos[0]
    apart = np.linalg.norm(ours[:, None] - theirs[None], axis=-1)
    assert apart.min(axis=1).max() < 1e-6
    assert apart.min(axis=0).max() < 1e-6
