"""Jobs of the studio in worker processes: warm ones wait, each can be killed, none blocks the server.

A worker is a process of `symbolic.algebra.worker` with limits of memory and time. It does one job after the
other. A cancelled job is interrupted, since a new process takes a second to import what jobs need. A worker
that does not stop soon, or whose job is too slow or too large, is killed, with the programs it has started.
"""

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from rikigaku.core.errors import JobFailed, RikigakuError, TooLarge
from rikigaku.studio.json_records import JsonText
from rikigaku.symbolic.algebra.child_process import DEFAULT_MEMORY, child_environment, too_long

_LONGEST_LINE = 256_000_000  # bytes of a reply
_WARM_UP = "rikigaku.studio.task_runner:warm_up"
_WARM_UP_SECONDS = 120.0
_MOST_JOBS = 200  # of one worker; the caches of algebra grow
_INTERRUPTED = 2.0  # s within which a cancelled job ends; a long call of a library does not
_CLOSED = 5.0  # s within which killed processes end
_TRIES = 3  # workers that may end before they begin
_ADVICE = "Try a smaller part of it, or give symbols values."
_RESULT, _END = b'{"result": {"result": ', b"}}\n"  # around what `run_task` returns
_LARGE = 1_000_000  # bytes: decoded within some 10 ms


class Worker:
    """One process. It imports the package as soon as it has started; `ready` ends then."""

    def __init__(self, process: asyncio.subprocess.Process, memory: int) -> None:
        self.process, self.memory, self.jobs = process, memory, 0
        self.ready = asyncio.ensure_future(self.call(_WARM_UP, None, _WARM_UP_SECONDS, _silent))

    @classmethod
    async def started(cls, memory: int) -> "Worker":
        """A new process."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "rikigaku.symbolic.algebra.worker"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=child_environment(),
            start_new_session=True,  # Ctrl-C reaches the server only
            limit=_LONGEST_LINE,
        )
        return cls(process, memory)

    async def call(
        self, function: str, data: Any, seconds: float, progress: Callable[[str], None]
    ) -> dict[str, Any]:
        """The reply to one task; {} if the process ended without one."""
        assert self.process.stdin is not None
        task = {
            "function": function,
            "data": data,
            "memory": self.memory,
            "seconds": seconds,
            "parent": os.getpid(),
            "path": sys.path,
        }
        with contextlib.suppress(ConnectionError):  # it was killed
            self.process.stdin.write(json.dumps(task).encode() + b"\n")
            await self.process.stdin.drain()
        return await self._reply(progress)

    async def interrupted(self) -> bool:
        """Interrupt the job; whether the worker has replied to it soon."""
        if self.process.returncode is not None or not hasattr(os, "killpg"):  # Windows has no such signal
            return False
        try:
            self.process.send_signal(signal.SIGINT)
            async with asyncio.timeout(_INTERRUPTED):
                return bool(await self._reply(_silent))
        except (TimeoutError, ProcessLookupError):
            return False

    async def _reply(self, progress: Callable[[str], None]) -> dict[str, Any]:
        assert self.process.stdout is not None
        while line := await self.process.stdout.readline():
            try:
                message = decoded_line(line)
            except json.JSONDecodeError:  # it ended while it wrote
                break
            if "progress" not in message:
                return message
            progress(message["progress"])
        return {}

    @property
    def serves(self) -> bool:
        """Whether it can do another job."""
        assert self.process.stdout is not None
        ended = self.process.returncode is not None or self.process.stdout.at_eof()
        return not ended and self.jobs < _MOST_JOBS

    async def kill(self) -> None:
        """End the process and the programs it has started."""
        self.ready.cancel()
        with contextlib.suppress(ProcessLookupError):
            if hasattr(os, "killpg"):
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()
        await self.process.wait()


class WorkerPool:
    """Workers that wait for jobs.

    idle: how many are started before they are needed. kept: how many wait at most: one for the check of an
    edit, one for its formulas, one in reserve; a new process would take processor time from these two.
    most: jobs that run at the same time. checks: checks that run beside them, so that long jobs do not stop
    the picture. memory: bytes of address space of a worker.
    """

    def __init__(
        self, idle: int = 2, kept: int = 3, most: int = 4, checks: int = 2, memory: int = DEFAULT_MEMORY
    ) -> None:
        self.idle, self.kept, self.memory = idle, kept, memory
        self.waiting: list[Worker] = []
        self.working: set[Worker] = set()
        self._places, self._checks = asyncio.Semaphore(most), asyncio.Semaphore(checks)
        self._filling: asyncio.Task[None] | None = None
        self._interrupting: set[asyncio.Task[None]] = set()
        self._returned = asyncio.Event()  # a worker has started, or has come back from its job
        self._wanted = 0  # jobs that wait for a worker
        self._no_start: OSError | None = None
        self._closed = False

    def fill(self) -> None:
        """Start workers in the background: `idle` in all, one that waits, and one for each waiting job."""
        if not self._closed and (self._filling is None or self._filling.done()):
            self._filling = asyncio.ensure_future(self._fill())

    async def _fill(self) -> None:
        while len(self.waiting) < max(1, self._wanted) or self._count < self.idle:
            try:
                worker = await Worker.started(self.memory)
            except OSError as error:
                self._no_start = error
                self._returned.set()
                return
            worker.ready.add_done_callback(lambda _: self._returned.set())
            self.waiting.append(worker)

    @property
    def _count(self) -> int:
        return len(self.waiting) + len(self.working)

    async def run(
        self,
        function: str,
        data: Any,
        *,
        what: str,
        seconds: float,
        progress: Callable[[str], None] | None = None,
        check: bool = False,
    ) -> Any:
        """function(data) in a worker. A cancelled call ends the job. check: takes a place of checks.

        Raises:
            TimeLimit: after `seconds`. TooLarge: beyond the memory. JobFailed: if the worker fails or ends.
        """
        latest = ""

        def note(text: str) -> None:
            nonlocal latest
            latest = text
            if progress is not None:
                progress(text)

        async with self._checks if check else self._places:
            worker = await self._taken()
            reply: dict[str, Any] = {}
            try:
                async with asyncio.timeout(seconds):
                    reply = await worker.call(function, data, seconds, note)
            except TimeoutError:
                await asyncio.shield(self._put_back(worker, False))
                raise too_long(what, seconds, latest, _ADVICE) from None
            except asyncio.CancelledError:
                self._interrupt(worker)
                raise
            except BaseException:  # a reply that is too long
                await asyncio.shield(self._put_back(worker, False))
                raise
            await asyncio.shield(self._put_back(worker, bool(reply)))
        if "result" in reply:
            return reply["result"]
        if "memory" in reply:
            raise TooLarge(f"{what} needs more than {self.memory:,} bytes of memory. {_ADVICE}")
        if "size" in reply:
            raise TooLarge(f"{what} was stopped: {reply['size']}. {_ADVICE}")
        raise JobFailed(
            f"{what} failed in its process: {reply.get('error', 'the process ended without a reply')}."
        )

    async def _taken(self) -> Worker:
        """The first worker that is ready: one that waits, has started, or comes back from its job.

        Raises:
            JobFailed: if processes do not start, or end before they are ready.
        """
        self.waiting = [worker for worker in self.waiting if worker.serves]  # others were killed
        ended = 0
        while ended < _TRIES and not self._closed:
            for worker in [one for one in self.waiting if one.ready.done()]:
                self.waiting.remove(worker)
                if worker.serves:
                    self.working.add(worker)
                    self.fill()
                    return worker
                ended += 1
            self._returned.clear()
            self._wanted += 1
            try:
                self.fill()
                await self._returned.wait()
            finally:
                self._wanted -= 1
            if self._no_start is not None:
                break
        reason = f": {self._no_start}" if self._no_start else ""
        self._no_start = None
        raise JobFailed(f"No process for the computation starts{reason}. Start the studio again.")

    def _interrupt(self, worker: Worker) -> None:
        """End the job of a worker in the background; who cancelled it does not wait."""

        async def end() -> None:
            await self._put_back(worker, await worker.interrupted())

        task = asyncio.ensure_future(end())
        self._interrupting.add(task)
        task.add_done_callback(self._interrupting.discard)

    async def _put_back(self, worker: Worker, replied: bool) -> None:
        self.working.discard(worker)
        worker.jobs += 1
        if replied and worker.serves and not self._closed:
            self.waiting.insert(0, worker)
            self._returned.set()
            worker = self.waiting.pop() if len(self.waiting) > self.kept else worker
        if worker not in self.waiting:
            await worker.kill()
            self.fill()

    async def close(self) -> None:
        """End all workers."""
        self._closed = True
        self._returned.set()
        if self._filling is not None:
            self._filling.cancel()
        for task in self._interrupting:
            task.cancel()
        workers = [*self.waiting, *self.working]
        with contextlib.suppress(TimeoutError):  # the processes are killed; nobody must wait for their end
            async with asyncio.timeout(_CLOSED):
                await asyncio.gather(*(worker.kill() for worker in workers))


def decoded_line(line: bytes) -> dict[str, Any]:
    """The message of a worker. A large result of a task stays JSON, which the page decodes.

    Decoding it here would stop the event loop, also from a thread: it holds the interpreter's lock.

    Raises:
        JSONDecodeError: for a line that is not whole.
    """
    if len(line) > _LARGE and line.startswith(_RESULT) and line.endswith(_END):
        return {"result": {"result": JsonText(line[len(_RESULT) : -len(_END)].decode("ascii"))}}
    message: dict[str, Any] = json.loads(line)
    return message


def failure(error: Exception) -> str:
    """The sentence of an error: its own if it is ours, else that it is a fault."""
    if isinstance(error, RikigakuError):
        return str(error)
    return f"Unexpected {type(error).__name__}: {error}. This is a fault of rikigaku; please report it."


def _silent(_: str) -> None:
    return None
