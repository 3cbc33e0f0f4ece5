"""One server for the tests of the studio, whose workers import the package once; one browser a module."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser_page import browser as browser
from studio_client import Page, page_of, served

from rikigaku.studio.server import StudioServer


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudioServer]:
    with served(tmp_path_factory.mktemp("workspace")) as found:
        yield found


@pytest.fixture
def page(server: StudioServer) -> Iterator[Page]:
    with page_of(server) as found:
        yield found


@pytest.fixture
def folder(server: StudioServer) -> Path:
    return server.workspace.folder
