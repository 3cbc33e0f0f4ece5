"""Long algebra in a child process."""

import math
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import job_functions
import pytest
from ended_processes import ends_within, gone

import rikigaku as rk
from rikigaku.core.errors import JobCancelled, JobFailed, TimeLimit, TooLarge, WrongValue
from rikigaku.symbolic.algebra import child_process as jobs


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("RIKIGAKU_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def waited_for(path):
    end = time.monotonic() + 30
    while not (path.exists() and path.read_text()):
        assert time.monotonic() < end
        time.sleep(0.01)
    return int(path.read_text())


def test_the_result_of_a_child_process_comes_back():
    assert jobs.run(job_functions.doubled, [1, "a"]) == [1, "a", 1, "a"]


def test_the_start_of_the_child_counts_toward_the_limit(monkeypatch):
    popen, clock, waited = subprocess.Popen, time.monotonic, [0.0]

    def slow(*arguments, **options):
        waited[0] += 1000.0
        return popen(*arguments, **options)

    monkeypatch.setattr(subprocess, "Popen", slow)
    monkeypatch.setattr(time, "monotonic", lambda: clock() + waited[0])
    with pytest.raises(TimeLimit, match="longer than 900 s"):
        jobs.run(job_functions.doubled, [1], time_limit=900.0)


def test_a_result_is_worked_out_once_and_then_read_from_disk(tmp_path):
    mark = tmp_path / "mark"
    mark.write_text("")
    answers = [jobs.run(job_functions.counted, {"file": str(mark)}) for _ in range(3)]
    assert answers == [{"polynomial": "x^2 + y", "n": 10**30}] * 3
    assert mark.read_text() == "x"
    jobs.run(job_functions.counted, {"file": str(mark)}, keep=False)
    assert mark.read_text() == "xx"


def test_a_cached_result_that_was_changed_or_is_open_to_others_is_not_used(tmp_path, folder):
    mark = tmp_path / "mark"
    mark.write_text("")
    jobs.run(job_functions.counted, {"file": str(mark)})
    (kept,) = folder.glob("*.rka")
    kept.write_bytes(kept.read_bytes().replace(b"x^2", b"x^3"))
    assert jobs.run(job_functions.counted, {"file": str(mark)})["polynomial"] == "x^2 + y"
    assert mark.read_text() == "xx"
    kept.chmod(0o666)
    jobs.run(job_functions.counted, {"file": str(mark)})
    assert mark.read_text() == "xxx"


def test_a_child_beyond_its_time_is_killed_and_the_error_says_what_to_do(tmp_path):
    start = time.monotonic()
    with pytest.raises(
        TimeLimit, match=r"The basis took longer than 4 s.*come to: the first step\. Give more time"
    ) as caught:
        jobs.run(job_functions.endless, {"pid": str(tmp_path / "pid")}, what="The basis", time_limit=4)
    assert time.monotonic() - start < 20
    assert gone(waited_for(tmp_path / "pid"))
    assert isinstance(caught.value, rk.RikigakuError)
    assert isinstance(caught.value, TimeoutError)


def test_another_thread_can_cancel(tmp_path):
    cancel = threading.Event()

    def once_it_runs():
        waited_for(tmp_path / "pid")
        cancel.set()

    other = threading.Thread(target=once_it_runs)
    other.start()
    with pytest.raises(JobCancelled, match="cancelled"):
        jobs.run(job_functions.endless, {"pid": str(tmp_path / "pid")}, cancel=cancel)
    other.join()
    assert gone(waited_for(tmp_path / "pid"))


def started(tmp_path, job):
    """A process that runs a job, once the job runs."""
    script = tmp_path / "script.py"
    files = {name: str(tmp_path / name) for name in ("pid", "program")}
    script.write_text(
        "import signal, job_functions\nfrom rikigaku.symbolic.algebra import child_process as jobs\n"
        # a shell has its background jobs ignore Ctrl-C, and they hand that on
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"jobs.run(job_functions.{job}, {files!r})\n"
    )
    places = os.pathsep.join([str(Path(rk.__file__).parents[1]), str(Path(__file__).parent)])
    return subprocess.Popen(
        [sys.executable, script], env={**os.environ, "PYTHONPATH": places}, stderr=subprocess.PIPE
    )


def test_ctrl_c_ends_the_child_too(tmp_path):
    caller = started(tmp_path, "endless")
    child = waited_for(tmp_path / "pid")
    caller.send_signal(signal.SIGINT)
    _, said = caller.communicate(timeout=10)
    assert b"KeyboardInterrupt" in said
    assert gone(child)


def test_a_child_ends_itself_and_its_programs_soon_after_its_caller_was_killed(tmp_path):
    caller = started(tmp_path, "endless_with_a_program")
    child, program = waited_for(tmp_path / "pid"), waited_for(tmp_path / "program")
    caller.kill()
    caller.communicate(timeout=10)
    assert ends_within(child, 20)
    assert ends_within(program, 20)


def test_a_child_has_little_more_processor_time_than_its_time_limit():
    # It ends also where no thread of it can run: a library may hold the interpreter's lock for hours.
    assert jobs.run(job_functions.seconds_of_processor_time, None, time_limit=30.5, keep=False) == 36
    own = job_functions.seconds_of_processor_time(None)
    assert jobs.run(job_functions.seconds_of_processor_time, None, time_limit=math.inf, keep=False) == own


def test_progress_reaches_the_caller_in_order():
    seen = []
    assert jobs.run(job_functions.stepping, 3, progress=seen.append) == "done"
    assert seen == ["step 0", "step 1", "step 2"]


def test_an_error_in_the_callback_ends_the_child(tmp_path):
    def refuse(text):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        jobs.run(job_functions.endless, {"pid": str(tmp_path / "pid")}, progress=refuse)


def test_what_a_function_prints_is_no_result():
    assert jobs.run(job_functions.talkative, None) == "this"


def test_what_a_library_writes_to_the_standard_output_is_no_result():
    assert jobs.run(job_functions.talkative_library, None) == "this"


def test_a_library_that_gives_up_for_memory_is_reported_as_such():
    """FLINT writes its reason to the standard output and aborts."""
    with pytest.raises(TooLarge, match="The basis needs more than 4,000,000,000 bytes of memory"):
        jobs.run(job_functions.aborting_library, None, what="The basis")


def test_a_reply_that_is_cut_off_is_no_reply():
    with pytest.raises(JobFailed, match="ended with code 3 and no reply"):
        jobs.run(job_functions.cut_off, None)


def test_an_error_of_the_function_is_reported():
    with pytest.raises(JobFailed, match="ValueError: seven is not a basis"):
        jobs.run(job_functions.failing, None)


def test_a_child_that_dies_is_reported():
    with pytest.raises(JobFailed, match="ended with code 3 and no reply"):
        jobs.run(job_functions.dying, None)


def test_memory_is_limited():
    with pytest.raises(TooLarge, match="more than 1,000,000,000 bytes"):
        jobs.run(job_functions.hungry, None, memory_limit=1_000_000_000)


def test_without_a_memory_limit_what_the_machine_refuses_is_reported():
    with pytest.raises(TooLarge, match=r"The basis needs more memory than there is\. Give more time"):
        jobs.run(job_functions.refused, None, what="The basis", memory_limit=None)


def test_what_outgrows_a_limit_of_its_own_says_which_one():
    with pytest.raises(
        TooLarge, match=r"The basis was stopped: the basis had more than 7 poly.*Give"
    ) as caught:
        jobs.run(job_functions.outgrowing, None, what="The basis")
    assert "bytes" not in str(caught.value)


def test_what_cannot_travel_is_refused():
    with pytest.raises(WrongValue, match="top level of a module"):
        jobs.run(lambda x: x, 1)
    with pytest.raises(WrongValue, match="JSON data"):
        jobs.run(job_functions.doubled, {1, 2})
