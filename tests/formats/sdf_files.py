"""SDF texts made of parts, and what every joint of a file says, read from it by other means than ours."""

import warnings
from importlib.metadata import distribution
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
from mujoco_reference import tree_law

import rikigaku as rk
from rikigaku.core.errors import IgnoredWarning, UnphysicalInertiaWarning
from rikigaku.robot import Robot

CASSIES = Path(
    str(
        distribution("example-robot-data").locate_file(
            "cmeel.prefix/share/example-robot-data/robots/cassie_description/robots"
        )
    )
)
INERTIAL = (
    "<inertial><pose>0.1 0 0 0.1 0.2 0.3</pose><mass>2</mass><inertia><ixx>0.1</ixx><iyy>0.2</iyy>"
    "<izz>0.25</izz><ixy>0.01</ixy></inertia></inertial>"
)


def quietly(path: Path, **options: object) -> Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IgnoredWarning)
        warnings.simplefilter("ignore", UnphysicalInertiaWarning)
        return rk.load(path, **options)  # type: ignore[arg-type]


def link(name: str, pose: str = "0 0 0 0 0 0", inside: str = INERTIAL) -> str:
    return f"<link name='{name}'><pose>{pose}</pose>{inside}</link>"


def joint(name: str, kind: str, parent: str, child: str, inside: str = "", axis: str = "0 0 1") -> str:
    way = "" if kind in ("fixed", "ball") else f"<axis><xyz>{axis}</xyz></axis>"
    if kind == "universal":
        way += "<axis2><xyz>1 0 0</xyz></axis2>"
    head = f"<joint name='{name}' type='{kind}'><parent>{parent}</parent><child>{child}</child>"
    return f"{head}{way}{inside}</joint>"


def model(*parts: str, version: str = "1.7", attributes: str = "") -> str:
    return f"<sdf version='{version}'><model name='m' {attributes}>{''.join(parts)}</model></sdf>"


def pose_of(element: ElementTree.Element | None) -> np.ndarray:
    X = np.eye(4)
    if element is not None and element.text:
        x = [float(part) for part in element.text.split()]
        R = pin.rpy.rpyToMatrix(*x[3:])
        # the reader takes angles within 1e-11 of a quarter turn as one; 1.5708 is none
        X[:3, :3], X[:3, 3] = R, x[:3]
    return X


def motion(kind: str, axis: np.ndarray, q: np.ndarray, second: np.ndarray) -> np.ndarray:
    X, unit = np.eye(4), axis / np.linalg.norm(axis)
    if kind in ("revolute", "continuous"):
        X[:3, :3] = pin.exp3(unit * q[0])
    elif kind == "prismatic":
        X[:3, 3] = unit * q[0]
    elif kind == "universal":
        X[:3, :3] = pin.exp3(unit * q[0]) @ pin.exp3(second / np.linalg.norm(second) * q[1])
    elif kind == "ball":
        X[:3, :3] = pin.Quaternion(q[0], q[1], q[2], q[3]).matrix()
    else:
        assert kind == "fixed"
    return X


def broken_joints(text: str, robot: Robot, q: np.ndarray, backwards: tuple[str, ...] = ()) -> list[str]:
    """Joints of the file that are not as the file says at our q: X_parent_child = X_pJ motion X_Jc."""
    root = ElementTree.fromstring(text).find("model")
    assert root is not None
    places = {one.get("name"): pose_of(one.find("pose")) for one in root.findall("link")}
    places["world"] = np.eye(4)
    wrong = []
    for element in root.findall("joint"):
        name, kind = str(element.get("name")), str(element.get("type"))
        if name not in robot.q_slices and kind != "fixed":
            continue
        parent, child = str(element.findtext("parent")), str(element.findtext("child"))
        at = places[child] @ pose_of(element.find("pose"))
        axis = np.fromstring(element.findtext("axis/xyz") or "0 0 1", sep=" ")
        if element.findtext("axis/use_parent_model_frame") == "1":
            axis = at[:3, :3].T @ axis
        second = np.fromstring(element.findtext("axis2/xyz") or "1 0 0", sep=" ")
        own = q[robot.q_slices.get(name, slice(0, 0))]
        if name in backwards and kind == "universal":
            own = own[::-1]
        if name in backwards and kind == "ball":
            own = own * [1, -1, -1, -1]
        said = np.linalg.inv(places[parent]) @ at @ motion(kind, axis, own, second) @ np.linalg.inv(at)
        said = said @ places[child]
        ours = [tree_law(robot, "pose", q, frame=one) for one in (parent, child)]
        if np.abs(np.linalg.inv(ours[0]) @ ours[1] - said).max() > 1e-12:
            wrong.append(name)
    return wrong
