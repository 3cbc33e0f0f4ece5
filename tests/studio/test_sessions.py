"""Sessions: undo and redo of everything, saving, two tabs, recovery after a reload and after a kill, jobs."""

import asyncio
import base64
import contextlib
import json
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from studio_client import Page, page_of, served

import rikigaku as rk
from rikigaku import library
from rikigaku.core.errors import WrongValue
from rikigaku.formats.toml.toml_file import parse_toml, to_toml
from rikigaku.studio.messages import (
    JobDone,
    NewRobot,
    OpenSession,
    RepairInertias,
    RunJob,
    SetValue,
)
from rikigaku.studio.new_robots import new_robot
from rikigaku.studio.page_requests import PageRequests
from rikigaku.studio.server import StudioServer
from rikigaku.studio.session import Session
from rikigaku.studio.sessions import Sessions
from rikigaku.studio.tasks.visuals_task import VisualsRequest
from rikigaku.studio.tasks.visuals_task import visuals as visuals_task
from rikigaku.studio.workspace import Workspace
from rikigaku.web.visuals import file_visuals

CELL = ["link", 0, "dh", "a"]


def new(page: Page, name: str = "arm") -> dict:
    return page.ask("new_robot", kind="serial", name=name)["document"]


def cell(document: dict) -> str:
    return document["cells"]["links"][0]["geometry"]["a"]


def set_cell(page: Page, value: str) -> dict:
    return page.edit("set_value", path=CELL, value=value)["document"]


def until(holds: Callable[[], object]) -> None:
    """Wait until the condition holds, a minute at most."""
    begin = time.monotonic()
    while not holds():
        assert time.monotonic() - begin < 60
        time.sleep(0.01)


def until_quiet(server: StudioServer) -> None:
    """Until no check or job runs: sessions of earlier tests check closed robots in two parts."""

    def checks() -> list[asyncio.Task[None]]:
        sessions = list(server.sessions.found.values())
        return [one._checking for one in sessions if one._checking is not None]

    until(lambda: all(check.done() for check in checks()) and not server.pool.working)


def until_alone(server: StudioServer) -> None:
    """Until the server has seen the pages of earlier tests go: their unsaved work is listed then."""
    until(lambda: sum(bool(one.listeners) for one in list(server.sessions.found.values())) == 1)


def test_everything_is_undone_and_done_again(page: Page) -> None:
    texts = [new(page)["text"]]
    for edit in (
        {"type": "set_value", "path": CELL, "value": "0.3"},
        {"type": "add_link", "parent": "l1", "joint": "prismatic", "geometry": "dh", "place": 1, "name": ""},
        {"type": "rename", "part": "link", "old": "l1", "new": "first"},
        {"type": "set_inertia", "links": [], "choice": "symbols"},
        {"type": "delete_part", "part": "link", "place": 1},
        {"type": "replace_text", "text": library.path("five_bar").read_text("utf-8")},
    ):
        reply = page.ask("edit", revision=page.revision, edit=edit)
        texts.append(reply["document"]["text"])
        assert reply["document"]["undo"] == edit["type"]
    for text in reversed(texts[:-1]):
        assert page.ask("undo")["document"]["text"] == text
    assert page.ask("undo")["message"] == "There is nothing to undo."
    for text in texts[1:]:
        assert page.ask("redo")["document"]["text"] == text
    assert page.ask("redo")["type"] == "refused"
    page.ask("undo")
    last = set_cell(page, "0.9")  # a new edit forgets what was undone
    assert last["redo"] == ""


def test_a_chosen_configuration_is_shown_and_undone(page: Page) -> None:
    document = page.ask("open_shipped", name="five_bar")["document"]
    first = page.checked(document)["robot"]["q"]
    page.ask("run_job", task="assembly_modes", arguments={"q": first})
    modes = page.event("job_done")["result"]["positions"]
    assert len(modes) >= 2
    other = next(q for q in modes if max(abs(a - b) for a, b in zip(q, first, strict=True)) > 0.1)
    document = page.edit("choose_configuration", q=other)["document"]
    assert page.checked(document)["robot"]["q"] == pytest.approx(other)
    assert page.checked(page.ask("undo")["document"])["robot"]["q"] == pytest.approx(first)
    # it is a part of the file: unsaved work, then found again in it
    assert page.ask("save", path="modes", choice="ask")["document"]["saved"]
    document = page.ask("redo")["document"]
    assert not document["saved"]
    assert page.ask("save", path="", choice="ask")["document"]["saved"]
    page.ask("open_shipped", name="planar_2r")
    again = page.ask("open_file", path="modes.robot.toml")["document"]
    assert again["cells"]["configuration"] == other
    assert page.checked(again)["robot"]["q"] == pytest.approx(other)
    assert page.edit("choose_configuration", q=[])["document"]["cells"]["configuration"] == []


def test_the_second_tab_to_save_may_merge(server: StudioServer, folder: Path) -> None:
    with page_of(server) as first, page_of(server) as second:
        new(first)
        assert first.ask("save", path="shared", choice="ask")["document"]["file"] == "shared.robot.toml"
        second.ask("open_file", path="shared.robot.toml")
        set_cell(first, "0.25")
        second.edit("set_value", path=["gravity", 2], value="0")
        assert first.ask("save", path="", choice="ask")["type"] == "saved"
        assert second.event("file_changed")["file"] == "shared.robot.toml"
        reply = second.ask("save", path="", choice="ask")
        assert (reply["type"], reply["both"]) == ("save_conflict", [])
        merged = second.ask("save", path="", choice="merge")
        assert merged["merged"] is True
        robot = parse_toml((folder / "shared.robot.toml").read_text())
        assert (float(robot.links[0].geometry.a), float(robot.gravity[2])) == (0.25, 0)  # type: ignore[union-attr]
        assert merged["document"]["text"] == (folder / "shared.robot.toml").read_text()
        # both change one cell: no merge
        set_cell(first, "0.4")
        set_cell(second, "0.5")
        assert second.ask("save", path="", choice="ask")["type"] == "saved"
        reply = first.ask("save", path="", choice="merge")
        assert reply["type"] == "save_conflict"
        assert reply["both"] == [{"place": "link l1.dh.a", "own": "0.4", "other": "0.5"}]
        kept = first.ask("save", path="", choice="keep both")
        assert kept["document"]["file"] == reply["other"] == "shared-2.robot.toml"
        for name, value in (("shared.robot.toml", "0.5"), ("shared-2.robot.toml", "0.4")):
            assert str(float(parse_toml((folder / name).read_text()).links[0].geometry.a)) == value  # type: ignore[union-attr]


def test_another_file_is_not_replaced_without_asking(page: Page, folder: Path) -> None:
    (folder / "mine.robot.toml").write_text("# precious\n")
    new(page)
    assert page.ask("save", path="mine", choice="ask")["type"] == "save_conflict"
    assert page.ask("save", path="mine", choice="merge")["type"] == "save_conflict"
    assert (folder / "mine.robot.toml").read_text() == "# precious\n"
    assert page.ask("save", path="mine", choice="replace")["type"] == "saved"


def test_a_reloaded_page_finds_its_work_with_its_history(server: StudioServer) -> None:
    with page_of(server) as page:
        new(page)
        set_cell(page, "0.7")
        session = page.opened["session"]  # type: ignore[attr-defined]
    with page_of(server, session=session) as again:
        document = again.opened["document"]  # type: ignore[attr-defined]
        assert cell(document) == "0.7"
        assert cell(again.ask("undo")["document"]) == "0"


def test_work_survives_the_end_of_the_server(tmp_path: Path) -> None:
    with served(tmp_path) as server, page_of(server) as page:
        new(page, "lost")
        set_cell(page, "0.123")
        session = page.opened["session"]  # type: ignore[attr-defined]
    with served(tmp_path) as server:
        with page_of(server) as other:
            (work,) = other.ask("list_start")["recoverable"]
            assert (work["session"], work["name"]) == (session, "lost")
        with page_of(server, session=session) as page:
            assert cell(page.opened["document"]) == "0.123"  # type: ignore[attr-defined]
            page.ask("save", path="found", choice="ask")
        with page_of(server) as other:
            assert other.ask("list_start")["recoverable"] == []


def test_recovered_work_moves_into_the_session_that_takes_it(server: StudioServer) -> None:
    with page_of(server) as page:
        new(page, "taken")
        set_cell(page, "0.8")
        session = page.opened["session"]  # type: ignore[attr-defined]
        with page_of(server) as other:
            assert other.ask("recover", session=session, discard=False)["type"] == "refused"  # still open
    until(lambda: not server.sessions.found[session].listeners)
    with page_of(server) as other:
        assert cell(other.ask("recover", session=session, discard=False)["document"]) == "0.8"
        assert session not in [one["session"] for one in other.ask("list_start")["recoverable"]]


def test_two_pages_of_one_session_see_each_other(server: StudioServer) -> None:
    with page_of(server) as page:
        new(page)
        with page_of(server, session=page.opened["session"]) as twin:  # type: ignore[attr-defined]
            set_cell(page, "0.6")
            assert cell(twin.event("document_changed")["document"]) == "0.6"


def test_an_edit_of_a_stale_table_is_refused(server: StudioServer) -> None:
    with page_of(server) as page:
        new(page)
        page.edit("add_link", parent="l1", joint="revolute", geometry="dh", place=1, name="l2")
        with page_of(server, session=page.opened["session"]) as twin:  # type: ignore[attr-defined]
            seen = twin.revision
            text = page.edit("move_part", part="link", place=1, to=0)["document"]["text"]
            stale = [
                {"type": "set_value", "path": CELL, "value": "0.6"},
                {"type": "paste_block", "cells": [{"type": "set_value", "path": CELL, "value": "0.6"}]},
                {"type": "delete_part", "part": "link", "place": 1},
                {"type": "set_joint_type", "place": 0, "joint": "prismatic"},
                {"type": "replace_text", "text": "name = 'mine'"},
            ]
            for edit in stale:
                reply = twin.ask("edit", revision=seen, edit=edit)
                assert reply["type"] == "refused"
                assert "changed in another tab" in reply["message"]
                assert twin.event("document_changed")["document"]["text"] == text
            by_name = {"type": "rename", "part": "link", "old": "l1", "new": "first"}
            assert twin.ask("edit", revision=seen, edit=by_name)["type"] == "document"
            set_cell(twin, "0.6")  # on the newest


def test_stale_edits_of_the_same_part_and_fast_edits_are_done(server: StudioServer) -> None:
    with page_of(server) as page:
        document = new(page)
        for value in ("0.1", "0.2", "0.3"):  # typed faster than the replies come
            edit = {"type": "set_value", "path": CELL, "value": value}
            assert page.ask("edit", revision=document["revision"], edit=edit)["type"] == "document"
        for line in ("# 1\n", "# 2\n"):  # in the editor of the text
            edit = {"type": "replace_text", "text": document["text"] + line}
            assert page.ask("edit", revision=document["revision"], edit=edit)["type"] == "document"
        with page_of(server, session=page.opened["session"]) as twin:  # type: ignore[attr-defined]
            seen = twin.revision
            page.edit("set_value", path=["link", 0, "dh", "d"], value="0.9")
            edit = {"type": "set_value", "path": CELL, "value": "0.4"}
            both = twin.ask("edit", revision=seen, edit=edit)["document"]["cells"]["links"][0]["geometry"]
            assert (both["a"], both["d"]) == ("0.4", "0.9")


def test_files_of_other_formats_become_documents(page: Page, folder: Path) -> None:
    rk.load("ur5").save(folder / "ur5_copy.urdf")
    document = page.ask("open_file", path="ur5_copy.urdf")["document"]
    assert (document["file"], document["saved"]) == ("", False)
    assert len(parse_toml(document["text"]).joints) == len(rk.load("ur5").joints)
    assert page.checked(document)["robot"] is not None


SHAPED = """<robot name="shaped"><link name="base"/><link name="arm">
<visual><geometry><box size="1 1 1"/></geometry></visual>
<visual><origin xyz="0 0 2"/><geometry><mesh filename="corner.obj" scale="2 2 2"/></geometry></visual>
<visual><geometry><mesh filename="../secret.obj"/></geometry></visual>
<visual><geometry><mesh filename="linked.obj"/></geometry></visual></link>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""


def test_shapes_and_meshes_of_a_file_are_drawn(page: Page, folder: Path) -> None:
    corner = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
    (folder / "shaped.urdf").write_text(SHAPED)
    (folder / "corner.obj").write_text(corner)
    (folder.parent / "secret.obj").write_text(corner)  # outside the workspace
    (folder / "linked.obj").symlink_to(folder.parent / "secret.obj")
    reply = page.ask("open_file", path="shaped.urdf")
    assert reply["notes"] == []
    assert reply["document"]["source"] == "shaped.urdf"
    bodies = page.checked(reply["document"])["robot"]["bodies"]
    page.edit("set_value", path=["gravity", 0], value="1")  # the visuals stay those of the file
    job = page.ask("run_job", task="visuals", arguments={})
    found = page.event("job_done", job=job["job"])["result"]
    box, mesh = found["visuals"]
    assert [bodies[one["body"]] for one in (box, mesh)] == ["arm", "arm"]
    assert (box["shape"], box["size"]) == ("box", [1.0, 1.0, 1.0])
    triangles = np.frombuffer(base64.b64decode(mesh["mesh"]), "<f4")
    np.testing.assert_array_equal(triangles, [0, 0, 0, 2, 0, 0, 0, 2, 0])
    assert mesh["pose"][11] == 2.0
    assert ["secret" in note or "linked" in note for note in found["notes"]] == [True, True]
    # the saved file names the visuals: they are there when it is opened again, and in reports
    assert page.ask("save", path="shaped.robot.toml", choice="ask")["type"] == "saved"
    assert page.ask("open_shipped", name="planar_2r")["document"]["source"] == ""
    again = page.ask("open_file", path="shaped.robot.toml")["document"]
    assert again["source"] == "shaped.urdf"
    job = page.ask("run_job", task="visuals", arguments={})
    assert page.event("job_done", job=job["job"])["result"]["visuals"] == found["visuals"]
    saved = folder / "shaped.robot.toml"
    robot = rk.load(saved)
    assert [one.shape for one in file_visuals(robot, saved)[0]] == ["box"]
    robot.save(saved)
    assert 'visuals = "shaped.urdf"' in saved.read_text("utf-8")
    (folder / "shaped.urdf").unlink()
    assert "shaped.urdf" in file_visuals(robot, saved)[1][0]
    moved = page.ask("open_file", path="shaped.robot.toml")["document"]
    assert moved["source"] == ""
    assert page.checked(moved)["mistakes"] == []


def test_visuals_named_by_another_file_stay_in_the_workspace(tmp_path: Path) -> None:
    """a.robot.toml names b.robot.toml, whose visuals lie outside: these are not read."""
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (tmp_path / "secret.urdf").write_text(SHAPED)
    robot = rk.load("planar_2r")
    for name, visuals in (("a", "b.robot.toml"), ("b", "../secret.urdf")):
        (workspace / f"{name}.robot.toml").write_text(to_toml(robot, visuals))
    named = Path("b.robot.toml")  # as the session of a.robot.toml finds it
    found = visuals_task(robot, VisualsRequest(), named, workspace)
    assert found.visuals == []
    assert "outside" in found.notes[0]
    (workspace / "link.urdf").symlink_to(tmp_path / "secret.urdf")
    assert "outside" in visuals_task(robot, VisualsRequest(), Path("link.urdf"), workspace).notes[0]


def test_a_slow_request_does_not_hold_up_the_next(page: Page, server: StudioServer, monkeypatch) -> None:
    begun, go_on = threading.Event(), threading.Event()

    async def slow(*_: object) -> list[str]:
        begun.set()
        while not go_on.is_set():
            await asyncio.sleep(0.01)
        return ["read"]

    new(page)
    monkeypatch.setattr(server.sessions, "open_file", slow)
    page.socket.send(json.dumps({"id": 9001, "type": "open_file", "path": "large.urdf"}))
    assert begun.wait(20)
    assert cell(set_cell(page, "0.35")) == "0.35"
    assert page.ask("list_start")["type"] == "start_list"
    go_on.set()
    while (message := page.receive()).get("id") != 9001:
        pass
    assert message["notes"] == ["read"]


def test_edits_sent_without_waiting_are_made_in_their_order(page: Page) -> None:
    revision = new(page)["revision"]
    for k in range(20):
        edit = {"type": "set_value", "path": CELL, "value": f"0.{k + 1}"}
        page.socket.send(json.dumps({"id": 9100 + k, "type": "edit", "revision": revision, "edit": edit}))
    replies: list[tuple[int, str]] = []
    while len(replies) < 20:
        message = page.receive()
        if "id" in message:
            replies.append((message["id"], cell(message["document"])))
    assert replies == [(9100 + k, f"0.{k + 1}") for k in range(20)]


def test_the_picture_of_a_closed_robot_comes_before_its_dynamics(page: Page) -> None:
    document = page.ask("open_shipped", name="five_bar")["document"]
    first, second = page.checked(document), page.checked(document)
    assert [one["complete"] for one in (first, second)] == [False, True]
    assert first["mobility"] == second["mobility"] == 2
    laws = [base64.b64decode(one["robot"]["wasm"]) for one in (first, second)]
    assert [b"loop_jacobian" in one for one in laws] == [True, True]
    assert [b"forward_dynamics" in one for one in laws] == [False, True]
    small = page.ask("open_shipped", name="planar_2r")["document"]
    assert page.checked(small)["complete"]


def test_a_wrong_argument_of_a_job_is_named(page: Page) -> None:
    page.ask("open_shipped", name="five_bar")
    job = page.ask("run_job", task="assembly_modes", arguments={"q": [0.0] * 100})
    assert "q" in page.event("job_done", job=job["job"])["error"]
    assert page.ask("cancel_job", job=10_000)["type"] == "done"


def test_a_cancelled_job_is_interrupted_and_its_process_does_the_next(
    page: Page, server: StudioServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rikigaku.studio.jobs._INTERRUPTED", 60.0)  # on a busy machine too
    page.checked(page.ask("open_shipped", name="rx90")["document"])
    until_quiet(server)
    form = {"law": "coriolis_matrix", "form": "parameters", "frame": "", "time_limit": 300.0, "quick": False}
    job = page.ask("run_job", task="equations", arguments=form)
    until(lambda: server.pool.working)
    (worker,) = server.pool.working
    page.event("job_progress", job=job["job"])  # it has begun
    page.ask("cancel_job", job=job["job"])
    assert page.event("job_done", job=job["job"])["cancelled"]
    until(lambda: not server.pool.working)
    assert worker in server.pool.waiting
    assert worker.serves
    again = page.ask("run_job", task="laws", arguments={})
    assert page.event("job_done", job=again["job"])["result"]["laws"]


def test_a_killed_worker_is_replaced(page: Page, server: StudioServer) -> None:
    document = new(page)
    page.checked(document)
    for worker in [*server.pool.waiting, *server.pool.working]:
        with contextlib.suppress(ProcessLookupError):  # it has ended by itself
            os.kill(worker.process.pid, signal.SIGKILL)
        until(lambda worker=worker: not worker.serves)
    for value in ("0.1", "0.2", "0.3"):
        checked = page.checked(set_cell(page, value))
        assert checked["mistakes"] == []
        assert checked["robot"]


def test_long_jobs_do_not_stop_checks() -> None:
    from rikigaku.studio.jobs import WorkerPool

    async def run() -> None:
        pool = WorkerPool(idle=1, most=1, checks=1)
        long = asyncio.ensure_future(pool.run("time:sleep", 300, what="The sleep", seconds=300))
        try:
            await asyncio.sleep(0)  # it has its place
            async with asyncio.timeout(60):
                assert await pool.run("math:sqrt", 4.0, what="The root", seconds=60, check=True) == 2.0
            assert not long.done()
        finally:
            long.cancel()
            await asyncio.gather(long, return_exceptions=True)
            await pool.close()

    asyncio.run(run())


@pytest.mark.parametrize("error", [OSError("no room"), ValueError("odd"), MemoryError()])
def test_every_job_and_check_ends(tmp_path: Path, error: Exception) -> None:
    class BrokenPool:
        async def run(self, *_: Any, **__: Any) -> Any:
            raise error

    async def run() -> None:
        events: list[Any] = []
        page = PageRequests(Sessions(Workspace(tmp_path), BrokenPool()), events.append)  # type: ignore[arg-type]
        await page.answer(OpenSession(""))
        await page.answer(NewRobot("serial", "arm"))
        await page.own.wait_for_check()
        assert page.own.checked is not None
        assert type(error).__name__ in page.own.checked.mistakes[0].message
        await page.answer(RunJob("assembly_modes", {"q": []}))
        await asyncio.gather(*page.running.values())
        (end,) = [event for event in events if isinstance(event, JobDone)]
        assert type(error).__name__ in end.error
        assert not page.running

    asyncio.run(run())


def test_opening_another_robot_keeps_unsaved_work(server: StudioServer) -> None:
    with page_of(server) as page:
        until_alone(server)
        new(page, "kept")
        set_cell(page, "0.321")
        page.ask("open_shipped", name="five_bar")
        (work,) = [one for one in page.ask("list_start")["recoverable"] if one["name"] == "kept"]
        page.edit("set_value", path=["gravity", 2], value="0")
        back = page.ask("recover", session=work["session"], discard=False)["document"]
        assert cell(back) == "0.321"
        names = [one["name"] for one in page.ask("list_start")["recoverable"]]
        assert "kept" not in names  # it is open
        assert "five_bar" in names  # recovering is opening, too
        page.ask("save", path="kept", choice="ask")
        before = len(page.ask("list_start")["recoverable"])
        page.ask("open_shipped", name="ur5")  # what was saved, or not edited, needs no place
        page.ask("open_shipped", name="five_bar")
        assert len(page.ask("list_start")["recoverable"]) == before


def test_work_that_cannot_be_kept_stays_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError("the disk is full")

    with served(tmp_path) as server, page_of(server) as page:
        new(page)
        text = set_cell(page, "0.5")["text"]
        with monkeypatch.context() as patch:
            patch.setattr(Workspace, "keep", full)
            assert "the disk is full" in page.ask("open_shipped", name="ur5")["message"]
        assert set_cell(page, "0.5")["text"] == text


def test_a_repair_does_not_take_back_the_edit_of_a_twin(tmp_path: Path) -> None:
    class SlowPool:
        def __init__(self) -> None:
            self.go = asyncio.Event()

        async def run(self, function: str, data: Any, **_: Any) -> Any:
            await self.go.wait()
            return {"text": data["text"] + "# repaired\n"}

    async def run() -> None:
        pool = SlowPool()
        session = Session("a" * 16, Workspace(tmp_path), pool)  # type: ignore[arg-type]
        await session.open(new_robot("serial", "arm"))
        repair = asyncio.ensure_future(session.edit(RepairInertias([])))
        await asyncio.sleep(0)
        await session.edit(SetValue(list(CELL), "0.77"))
        pool.go.set()
        with pytest.raises(WrongValue, match="changed during the repair"):
            await repair
        assert "0.77" in session.text
        await session.edit(RepairInertias([]))
        assert session.text.endswith("# repaired\n")
        session.close()

    asyncio.run(run())


def test_a_job_beyond_its_time_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from rikigaku.core.errors import TimeLimit
    from rikigaku.studio.jobs import WorkerPool

    async def run() -> None:
        pool = WorkerPool(idle=1)
        try:
            assert await pool.run("math:sqrt", 4.0, what="The root", seconds=60) == 2.0
            with pytest.raises(TimeLimit, match=r"The sleep took longer than 0\.5 s"):
                await pool.run("time:sleep", 60, what="The sleep", seconds=0.5)
            monkeypatch.setattr("rikigaku.studio.jobs._INTERRUPTED", 60.0)  # on a busy machine too
            begun: list[str] = []
            worker = await cancelled(pool, "held_jobs:asleep", 600, lambda: bool(begun), begun.append)
            assert worker in pool.waiting
            # a call of a library that does not look for signals: its process is killed
            monkeypatch.setattr("rikigaku.studio.jobs._INTERRUPTED", 0.2)
            file = tmp_path / "begun"
            worker = await cancelled(pool, "held_jobs:in_a_program", str(file), file.exists)
            assert worker not in pool.waiting
            assert await worker.process.wait() == -signal.SIGKILL
        finally:
            await pool.close()

    asyncio.run(run())


async def cancelled(
    pool: Any, function: str, data: Any, begun: Callable[[], bool], progress: Any = None
) -> Any:
    """The worker of a job that is cancelled once it has begun, after the pool has stopped it."""
    job = asyncio.ensure_future(pool.run(function, data, what="The job", seconds=600, progress=progress))
    while not begun():
        assert not job.done()
        await asyncio.sleep(0.01)
    (worker,) = pool.working
    job.cancel()
    with pytest.raises(asyncio.CancelledError):
        await job
    while pool.working:
        await asyncio.sleep(0.01)
    return worker
