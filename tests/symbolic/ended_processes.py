"""Whether a process has ended, for tests of child processes that are killed."""

import os
import time
from pathlib import Path


def gone(pid):
    """True if no process has this number: it has ended and its parent has reaped it."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def ended(pid):
    """True if the process is gone, or dead and not yet reaped by its parent."""
    try:
        return gone(pid) or Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return gone(pid)


def ends_within(pid, seconds):
    """SIGKILL takes effect when the process is next scheduled, which a busy machine may delay."""
    end = time.monotonic() + seconds
    while not ended(pid) and time.monotonic() < end:
        time.sleep(0.01)
    return ended(pid)
