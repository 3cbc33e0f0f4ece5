"""Robots read from texts and files of each format, with their laws."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from rikigaku.formats.mjcf import mjcf_reader
from rikigaku.formats.sdf import sdf_reader
from rikigaku.formats.symoro import par_reader
from rikigaku.formats.toml import toml_file
from rikigaku.formats.urdf import urdf_reader
from rikigaku.robot import Robot


def _with_laws(reader: Callable[..., Any]) -> Callable[..., Robot]:
    @wraps(reader)
    def read(*args: Any, **options: Any) -> Robot:
        return Robot.of(reader(*args, **options))

    return read


parse_mjcf, read_mjcf = _with_laws(mjcf_reader.parse_mjcf), _with_laws(mjcf_reader.read_mjcf)
parse_par, read_par = _with_laws(par_reader.parse_par), _with_laws(par_reader.read_par)
parse_sdf, read_sdf = _with_laws(sdf_reader.parse_sdf), _with_laws(sdf_reader.read_sdf)
parse_toml, read_toml = _with_laws(toml_file.parse_toml), _with_laws(toml_file.read_toml)
parse_urdf, read_urdf = _with_laws(urdf_reader.parse_urdf), _with_laws(urdf_reader.read_urdf)
