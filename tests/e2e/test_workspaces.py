"""Workspaces on running workers: asked together, with settings of their own, deleted while work goes on."""

import time

import pytest

from citewell.cli.main import run
from tests.e2e.stack import PATIENCE_S, Stack

pytestmark = pytest.mark.slow

RETURNS = "Returns policy. Returns are accepted within 30 days of the purchase date."
REFUNDS = "Refunds policy. Refunds are paid to the original card within 14 days."
QUESTION = "Within how many days are returns accepted, and within how many days are refunds paid?"


def test_an_answer_cites_several_workspaces(offline: Stack, capsys: pytest.CaptureFixture[str]) -> None:
    offline.add_text("returns.md", RETURNS, workspace="shop")
    offline.add_text("refunds.md", REFUNDS, workspace="bank")
    query = offline.ask(QUESTION, workspaces=["shop", "bank"])
    assert query["status"] == "succeeded"
    assert query["workspaces"] == ["shop", "bank"]
    cited = {(each["document_name"], each["workspace"]) for each in query["citations"]}
    assert cited == {("returns.md", "shop"), ("refunds.md", "bank")}
    server = ["--url", offline.supervisor.url]
    assert run(["ask", QUESTION, "-w", "shop", "--workspace", "bank", "--brief", *server]) == 0
    printed = capsys.readouterr().out
    assert "returns.md" in printed
    assert "refunds.md" in printed


def test_a_refusal_is_in_the_words_of_the_workspace(offline: Stack) -> None:
    offline.add_text("returns.md", RETURNS, workspace="desk")
    words = {"settings": {"instructions": {"refusal": "Please ask the help desk."}}}
    assert offline.http.patch("/v1/workspaces/desk", json=words).status_code == 200
    query = offline.ask("Who discovered penicillin?", workspace="desk")
    assert (query["abstained"], query["answer"]) == (True, "Please ask the help desk.")
    said = {"model": "desk", "messages": [{"role": "user", "content": "Who discovered penicillin?"}]}
    completion = offline.http.post("/v1/chat/completions", json=said).json()
    assert completion["choices"][0]["message"]["content"] == "Please ask the help desk."


def test_a_workspace_is_deleted_while_it_is_worked_in(offline: Stack) -> None:
    names = [f"text-{number}.md" for number in range(12)]
    text = "\n\n".join(f"Paragraph {number}. {RETURNS} {REFUNDS}" for number in range(200))
    for name in names:
        new = {"filename": name, "text": text, "workspace": "gone"}
        assert offline.http.post("/v1/documents", json=new).status_code == 202
    asked = [offline.submit(QUESTION, workspace="gone") for _ in range(5)]
    assert offline.http.delete("/v1/workspaces/gone", params={"confirm": "gone"}).status_code == 202
    for query_id in asked:
        assert offline.http.get(f"/v1/queries/{query_id}").json()["status"] in {"cancelled", "succeeded", "failed"}
    deadline = time.monotonic() + PATIENCE_S
    while offline.http.get("/v1/workspaces/gone").status_code == 200:
        assert time.monotonic() < deadline
        time.sleep(0.5)
    # Nothing of it is left, and the others work.
    assert offline.http.get("/v1/documents", params={"workspace": "gone"}).json()["documents"] == []
    assert all(offline.http.get(f"/v1/queries/{query_id}").status_code == 404 for query_id in asked)
    offline.add_text("again.md", RETURNS, workspace="gone")
    assert offline.ask("How long are returns accepted?", workspace="gone")["citations"]
