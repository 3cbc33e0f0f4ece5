"""One browser a module; reports that all modules share."""

import pytest
from browser_page import browser as browser
from written_reports import Reports


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Reports:
    return Reports(tmp_path_factory.mktemp("reports"))
