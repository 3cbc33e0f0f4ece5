"""Sessions and requests of pages with a pool of workers that is held: threads, order, what stays behind."""

import asyncio
import contextlib
import json
import os
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from studio_client import page_of, served

from rikigaku.studio.document_records import CheckedRobot
from rikigaku.studio.jobs import decoded_line
from rikigaku.studio.json_records import JsonText, encoded, finite
from rikigaku.studio.messages import (
    DocumentChecked,
    DocumentReply,
    Edit,
    JobDone,
    ListStart,
    NewRobot,
    OpenSession,
    Redo,
    Refused,
    RunJob,
    Save,
    Saved,
    SetValue,
    Undo,
)
from rikigaku.studio.page_requests import PageRequests
from rikigaku.studio.sessions import Sessions
from rikigaku.studio.workspace import UnsavedWork, Workspace

CELL = ["link", 0, "dh", "a"]


class HeldPool:
    """Runs nothing until it is let go; then replies with the check of a robot without links."""

    def __init__(self) -> None:
        self.begun: list[Any] = []
        self.go = asyncio.Event()

    async def run(self, function: str, data: Any, **_: Any) -> Any:
        self.begun.append(data)
        await self.go.wait()
        return encoded(CheckedRobot(data["revision"], [], [], [], [], 0, 0, None, None, None, "", True))


def test_a_check_of_the_document_before_is_not_shown(tmp_path: Path) -> None:
    async def run() -> None:
        pool, events = HeldPool(), []
        page = PageRequests(Sessions(Workspace(tmp_path), pool), events.append)  # type: ignore[arg-type]
        await page.answer(OpenSession(""))
        await page.answer(NewRobot("serial", "before"))
        while not pool.begun:
            await asyncio.sleep(0)
        opened = await page.answer(NewRobot("serial", "after"))
        assert isinstance(opened, DocumentReply)
        pool.go.set()
        await page.own.wait_for_check()
        checks = [event.checked.revision for event in events if isinstance(event, DocumentChecked)]
        assert checks == [opened.document.revision]

    asyncio.run(run())


def test_requests_of_a_page_that_has_gone_leave_nothing_behind(tmp_path: Path) -> None:
    async def run() -> None:
        pool = HeldPool()
        sessions = Sessions(Workspace(tmp_path), pool)  # type: ignore[arg-type]
        page = PageRequests(sessions, lambda _: None)
        opening = asyncio.ensure_future(page.answer(OpenSession("")))
        page.close()
        assert isinstance(await opening, Refused)
        assert [one.listeners for one in sessions.found.values()] in ([], [set()])
        page = PageRequests(sessions, lambda _: None)
        await page.answer(OpenSession(""))
        await page.answer(NewRobot("serial", "arm"))
        page.close()
        assert isinstance(await page.answer(RunJob("laws", {})), Refused)
        assert not page.running

    asyncio.run(run())


def test_a_start_file_that_cannot_be_read_leaves_the_page_usable(tmp_path: Path) -> None:
    (tmp_path / "bad.urdf").write_text("<robot")
    with served(tmp_path, start="bad.urdf") as server:
        with page_of(server) as page:
            assert page.opened["document"] is None  # type: ignore[attr-defined]
            start = page.opened["start"]  # type: ignore[attr-defined]
            assert start == {"type": "open_file", "path": "bad.urdf"}
            assert "bad" in page.ask("open_file", path=start["path"])["message"]
            assert page.ask("new_robot", kind="serial", name="arm")["type"] == "document"
        with page_of(server) as second:
            assert second.opened["start"] is None  # type: ignore[attr-defined]


def test_large_texts_are_read_outside_the_event_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening, edits, undo, redo, saving, listing and recovering parse and write in other threads."""
    from rikigaku.core import files
    from rikigaku.studio import session as session_module
    from rikigaku.studio import workspace as workspace_module

    loops: list[str] = []

    def watched(name: str, function: Any) -> Any:
        def call(*arguments: Any, **options: Any) -> Any:
            with contextlib.suppress(RuntimeError):
                asyncio.get_running_loop()
                loops.append(name)
            return function(*arguments, **options)

        return call

    monkeypatch.setattr(session_module, "robot_cells", watched("cells", session_module.robot_cells))
    monkeypatch.setattr(session_module, "edited", watched("edited", session_module.edited))
    monkeypatch.setattr(session_module, "merged", watched("merged", session_module.merged))
    monkeypatch.setattr(workspace_module, "write_whole", watched("write", files.write_whole))
    monkeypatch.setattr(workspace_module, "read_input", watched("read", workspace_module.read_input))

    async def run() -> None:
        pool = HeldPool()
        sessions = Sessions(Workspace(tmp_path), pool)  # type: ignore[arg-type]
        page = PageRequests(sessions, lambda _: None)
        await page.answer(OpenSession(""))
        await page.answer(NewRobot("serial", "arm"))
        for value in ("0.1", "0.2"):
            await page.answer(Edit(SetValue(list(CELL), value), page.own.revision))
        for request in (Undo(), Redo(), Save("arm", "ask"), ListStart()):
            reply = await page.answer(request)
            assert not isinstance(reply, Refused), reply
        await page.answer(Edit(SetValue(list(CELL), "0.3"), page.own.revision))
        (tmp_path / "arm.robot.toml").write_text(page.own.base.replace("9.81", "1.62"))
        assert isinstance(await page.answer(Save("", "merge")), Saved)
        assert "1.62" in page.own.text
        await page.own.stored()
        page.own.close()

    asyncio.run(run())
    assert loops == []


@pytest.mark.parametrize("change", [{"changed": "now"}, {"text": 1}, {"more": 1}, {"changed": float("nan")}])
def test_recovery_files_that_are_wrong_are_left_out(tmp_path: Path, change: dict[str, Any]) -> None:
    workspace = Workspace(tmp_path)
    workspace.keep(UnsavedWork("a" * 16, "name = 'good'", "", "", 5.0, "good"))
    wrong = asdict(UnsavedWork("b" * 16, "name = 'wrong'", "", "", 6.0)) | change
    (tmp_path / ".rikigaku-studio" / f"{'b' * 16}.json").write_text(json.dumps(wrong))
    assert [work.name for work in workspace.all_unsaved()] == ["good"]


def test_the_newest_unsaved_work_is_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rikigaku.studio.workspace._MOST_WORK", 2)
    workspace = Workspace(tmp_path)
    for k, name in enumerate("cab"):
        workspace.keep(UnsavedWork(name * 16, "", "", "", float(k), name))
        os.utime(tmp_path / ".rikigaku-studio" / f"{name * 16}.json", (k, k))
    assert [work.name for work in workspace.all_unsaved()] == ["b", "a"]


def test_unsaved_work_expires_after_half_a_year_and_beyond_the_newest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rikigaku.studio.workspace._MOST_WORK", 2)
    workspace, day = Workspace(tmp_path), 86_400.0
    workspace.expire(0.0)  # nothing is there yet
    other = tmp_path / ".rikigaku-studio" / "notes.json"
    for name, age in (("a", 1), ("b", 179), ("c", 100), ("d", 181)):
        workspace.keep(UnsavedWork(name * 16, "", "", "", 1.0, name))
        then = 1e9 - age * day
        os.utime(tmp_path / ".rikigaku-studio" / f"{name * 16}.json", (then, then))
    other.write_text("{}")  # no session's
    workspace.expire(1e9)
    assert sorted(work.name for work in workspace.all_unsaved()) == ["a", "c"]
    assert other.exists()


def test_large_results_are_passed_on_as_they_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small result is decoded, a large one is JSON inside the message; both reach the page alike."""
    from rikigaku.studio.server import message

    result = {"text": "null \u2713", "numbers": [1.5, None, 2.0]}
    line = json.dumps({"result": {"result": result}}).encode() + b"\n"
    assert decoded_line(line) == {"result": {"result": result}}
    monkeypatch.setattr("rikigaku.studio.jobs._LARGE", 10)
    large = decoded_line(line)["result"]["result"]
    assert isinstance(large, JsonText)
    end = JobDone(7, large, "", False, 1.0)
    assert json.loads(message(end)) == json.loads(message(replace(end, result=result)))
    progress = json.dumps({"progress": "half of it is done"}).encode() + b"\n"
    assert decoded_line(progress) == {"progress": "half of it is done"}
    with pytest.raises(json.JSONDecodeError):  # the process ended while it wrote
        decoded_line(line[:-4])


def test_numbers_that_are_not_finite_are_null() -> None:
    assert finite({"a": [float("nan"), 1.0, (float("inf"), "x")]}) == {"a": [None, 1.0, [None, "x"]]}


def test_a_reply_without_json_is_a_refusal() -> None:
    from rikigaku.studio.server import message

    end = json.loads(message(JobDone(7, {"x": object()}, "", False, 1.0)))
    assert (end["type"], end["job"], end["result"]) == ("job_done", 7, None)
    assert "TypeError" in end["error"]
    reply = json.loads(message(DocumentReply(None, [object()]), 3))  # type: ignore[arg-type, list-item]
    assert (reply["id"], reply["type"]) == (3, "refused")
