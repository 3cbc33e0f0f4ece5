"""Exported files run, read back, and hold the robot."""

import base64
import importlib.util
import io
import zipfile

import numpy as np
import pytest
from task_robots import shipped

import rikigaku as rk
from rikigaku.export.languages import LANGUAGES
from rikigaku.studio.tasks.export_task import (
    CodeExportRequest,
    ExportedFile,
    LawExportRequest,
    ReportExportRequest,
    RobotExportRequest,
    code_export,
    law_export,
    report_export,
    robot_export,
)


def content(file: ExportedFile) -> bytes:
    found = base64.b64decode(file.content)
    assert len(found) == file.size
    return found


def test_exported_python_computes_the_law(tmp_path):
    arm = shipped("planar_3r")
    found = law_export(arm.bind(**arm.declared_values), LawExportRequest("mass_matrix", "", "python"))
    path = tmp_path / found.files[0].name
    path.write_bytes(content(found.files[0]))
    spec = importlib.util.spec_from_file_location("exported", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    q = np.array([0.3, -0.2, 0.8])
    np.testing.assert_allclose(
        module.mass_matrix(q), arm.bind(**arm.declared_values).mass_matrix(q), rtol=1e-13
    )


@pytest.mark.parametrize(
    "language", [name for name, one in LANGUAGES.items() if one.is_text and name != "c header"]
)
def test_every_language_gives_a_file(language):
    found = law_export(shipped("planar_2r"), LawExportRequest("jacobian", "hand", language))
    assert found.files[0].size > 100
    assert bool(found.files[0].text) == (language != "wasm")
    assert len(found.files) == (2 if language == "c" else 1)  # with its header


def test_derivatives_of_a_law_are_exported(tmp_path):
    arm = shipped("planar_3r")
    arm = arm.bind(**arm.declared_values)
    found = law_export(arm, LawExportRequest("gravity_forces", "", "python", derivative=True))
    (file,) = found.files
    assert file.name == "gravity_forces_derivative.py"
    (tmp_path / file.name).write_bytes(base64.b64decode(file.content))
    spec = importlib.util.spec_from_file_location("exported_derivative", tmp_path / file.name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    q, step = np.array([0.3, -0.2, 0.8]), 1e-6
    steps = step * np.eye(3)
    wanted = [(arm.gravity_forces(q + one) - arm.gravity_forces(q - one)) / (2 * step) for one in steps]
    np.testing.assert_allclose(
        np.squeeze(module.gravity_forces_derivative(q)), np.transpose(wanted), atol=1e-7
    )


@pytest.mark.parametrize("language", ["sympy", "casadi"])
def test_expressions_are_exported_as_text(language):
    found = law_export(shipped("planar_2r"), LawExportRequest("gravity_forces", "", language))
    assert found.files[0].size > 50


@pytest.mark.parametrize(("format", "ending"), [("toml", ".robot.toml"), ("urdf", ".urdf"), ("mjcf", ".xml")])
def test_robot_files_read_back_as_the_same_mechanics(format, ending, tmp_path):
    arm = shipped("planar_2r")
    found = robot_export(arm, RobotExportRequest(format))
    for file in found.files:
        (tmp_path / file.name).write_bytes(content(file))
    again = rk.load(tmp_path / next(file.name for file in found.files if file.name.endswith(ending)))
    q = np.array([0.3, -0.2])
    bound, other = (one.bind(**one.declared_values) if one.declared_values else one for one in (arm, again))
    np.testing.assert_allclose(other.mass_matrix(q), bound.mass_matrix(q), rtol=1e-9)


def test_a_robot_with_a_name_like_a_path_stays_in_its_folder():
    from dataclasses import replace

    found = robot_export(replace(shipped("planar_2r"), name="../../evil"), RobotExportRequest("toml"))
    assert [file.name for file in found.files] == ["evil.robot.toml"]


def test_all_laws_come_in_one_archive():
    found = code_export(shipped("planar_2r"), CodeExportRequest())
    with zipfile.ZipFile(io.BytesIO(content(found.files[0]))) as archive:
        names = archive.namelist()
    assert {"mass_matrix.c", "mass_matrix.py", "laws.wasm"} <= set(names)
    assert found.notes == [f"{len(names)} files"]


def test_the_report_is_a_page_about_the_robot():
    found = report_export(shipped("planar_2r"), ReportExportRequest("tex", "en", 8.0))
    text = content(found.files[0]).decode()
    assert found.files[0].name == "report_planar_2r.tex"
    assert r"\documentclass" in text
