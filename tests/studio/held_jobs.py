"""Jobs that worker processes of the tests hold until they are stopped; each says when it has begun."""

import os
import time

from rikigaku.symbolic.algebra.child_process import progress


def asleep(seconds: float) -> None:
    """Sleeps where an interrupt reaches it."""
    progress("begun")
    time.sleep(seconds)


def in_a_program(file: str) -> None:
    """Waits for another program, in a call that ignores interrupts; the file is there once it runs."""
    os.system(f"touch '{file}'; sleep 600")
