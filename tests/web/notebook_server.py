"""JupyterLab on loopback for one test: started with a token, stopped with all its kernels."""

import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

import rikigaku


@contextmanager
def jupyter_lab(folder: Path) -> Iterator[str]:
    """The address of a JupyterLab that serves the folder, with its token: "http://127.0.0.1:8888/lab?..."."""
    token = secrets.token_hex(16)
    source = str(Path(rikigaku.__file__).parent.parent)
    places = {f"JUPYTER_{name}_DIR": str(folder / f".{name}") for name in ("CONFIG", "DATA", "RUNTIME")}
    settings = {**os.environ, **places, "PYTHONPATH": source, "JUPYTER_PREFER_ENV_PATH": "1"}
    options = {
        "ServerApp.ip": "127.0.0.1",
        "ServerApp.port": "0",
        "ServerApp.token": token,
        "ServerApp.open_browser": "False",
        "ServerApp.allow_root": "True",
        "ServerApp.root_dir": str(folder),
        "LabApp.expose_app_in_browser": "True",  # tests call its commands by name
        "LabApp.news_url": "None",
        "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
    }
    command = [sys.executable, "-m", "jupyterlab", *(f"--{name}={value}" for name, value in options.items())]
    with (folder / "lab.log").open("w") as log:
        process = subprocess.Popen(command, env=settings, stdout=log, stderr=log, start_new_session=True)
    try:
        yield f"{_address(process, folder)}lab/tree/{{}}?token={token}"
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _address(process: subprocess.Popen[bytes], folder: Path) -> str:
    """The server's address, once it answers."""
    for _ in range(600):
        time.sleep(0.2)
        found = list((folder / ".RUNTIME").glob("jpserver-*.json"))
        if process.poll() is not None:
            break
        if found and (text := found[0].read_text()):
            about = json.loads(text)
            try:
                with urlopen(f"{about['url']}api/status?token={about['token']}", timeout=30) as answer:
                    assert answer.status == 200
            except URLError:  # the file is written before the port listens
                continue
            return str(about["url"])
    pytest.fail(f"JupyterLab did not start: {(folder / 'lab.log').read_text()[-2000:]}")
