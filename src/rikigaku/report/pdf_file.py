"""A report printed to PDF by Chromium without a window, where it is installed."""

import subprocess
import tempfile
from pathlib import Path

from rikigaku.core.errors import RikigakuError
from rikigaku.core.files import write_whole
from rikigaku.report.chromium import browser_arguments, browser_path

_SECONDS = 120.0


def write_pdf(page: Path, target: Path) -> None:
    """Print an HTML file to a PDF file.

    Raises:
        RikigakuError: if no browser is found, or it fails.
    """
    browser = browser_path()
    if browser is None:
        raise RikigakuError(
            "A PDF is printed by Chromium, which was not found. Install it (on Debian: apt install "
            f"chromium), or open {page} and print it from your browser."
        )
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "report.pdf"
        command = [
            browser,
            "--headless=new",
            *browser_arguments(),
            f"--user-data-dir={folder}/profile",
            "--no-pdf-header-footer",
            "--virtual-time-budget=15000",
            f"--print-to-pdf={made}",
            page.resolve().as_uri(),
        ]
        try:
            answer = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS)
        except subprocess.TimeoutExpired:
            raise RikigakuError(f"{browser} did not print {page} within {_SECONDS:g} s.") from None
        if not made.exists():
            last = (answer.stderr.strip().splitlines() or ["no message"])[-1]
            raise RikigakuError(f"{browser} did not print {page}: {last}")
        write_whole(target, made.read_bytes())
