"""Commands for what is stored: documents, passages, questions, webhooks, by the beginnings of their ids."""

import json
import uuid
from pathlib import Path
from typing import Any

import httpx
import pytest

from citewell_client import CitewellClient
from citewell_verify.embeddings.wheel import default_embedder
from config.settings import IngestionSettings, settings
from db.models import Query
from db.queries.access.workspaces import get_or_add_workspace
from db.session import transaction
from services.documents.documents import NewDocument, accept_document
from services.documents.ingestion import ingest
from services.external.acceptance import submit_verification
from services.external.request import NewSource, NewVerification
from tests.cli.conftest import Citewell
from tests.cli.standing_in import read, workers
from tests.factories import make_query
from tests.leases import hold
from tests.stored import ANSWER, SPAN, store_answered_query
from tests.waiting import until
from tests.webhooks import register

RULES = "\n\n".join(
    f"# {name}\n\n{name} of products take {days} days from the day on which the parcel has arrived at the address. "
    f"Whoever asks for {name.lower()} sends the form that belongs to the order."
    for name, days in (("Returns", 30), ("Refunds", 14))
)
FILE = b"# Refunds\r\n\r\nReturns take 30 days.\xff"


@pytest.fixture
def document_id(api_url: str, database: str, tmp_path: Path) -> str:
    assert database
    path = tmp_path / "refund policy.md"
    path.write_bytes(FILE)
    with CitewellClient(api_url) as client:
        return client.upload(path, workspace="w", metadata={"year": 2026})["id"]


def asked(**over: Any) -> str:
    with transaction() as session:
        return str(make_query(session, **over).id)


def test_documents_are_read_again_by_a_filter(citewell: Citewell, document_id: str) -> None:
    with workers(document=read):
        until(lambda: "ready" in citewell("documents", "show", document_id).out)
        counted = citewell("documents", "reingest", "-w", "w", "--dry-run")
        assert (counted.code, counted.out) == (0, "1 document would be read again\n")
        none = citewell("documents", "reingest", "-w", "w", "--before", "2001-01-01", "--name-contains", "refund")
        assert (none.code, none.out, none.err) == (0, "0 changed, 0 unchanged, 0 failed\n", "")
        done = citewell("documents", "reingest", "-w", "w", "--kind", "md")
        assert (done.code, done.out, done.err) == (0, "1 changed, 0 unchanged, 0 failed\n", "")
    assert "exe is no file type that is read" in citewell("documents", "reingest", "-w", "w", "--kind", "exe").complaint


def test_documents_are_listed_and_shown_by_the_beginning_of_their_id(citewell: Citewell, document_id: str) -> None:
    listed = citewell("documents", "list", "-w", "w")
    assert document_id in listed.out
    assert "refund policy.md" in listed.out
    assert citewell("documents", "list", "--status", "failed").out == "no documents; `citewell ingest` adds some\n"
    assert json.loads(citewell("documents", "list", "--json").out)["id"] == document_id
    shown = citewell("documents", "show", document_id[:6].upper())
    assert (shown.code, shown.err) == (0, "")
    assert f"{document_id} · queued · workspace w" in shown.out
    assert "year: 2026" in shown.out
    (version,) = json.loads(citewell("documents", "show", document_id[:8], "--json").out)["versions"]
    assert version["id"] == document_id


def test_the_original_is_saved_and_overwrites_nothing(
    citewell: Citewell, document_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "saved"
    folder.mkdir()
    monkeypatch.chdir(folder)
    saved = citewell("documents", "original", document_id[:6])
    assert saved.err == f"wrote refund policy.md ({len(FILE)} bytes)\n"
    assert (folder / "refund policy.md").read_bytes() == FILE
    again = citewell("documents", "original", document_id[:6])
    assert (again.code, again.complaint) == (
        2,
        "citewell: refund policy.md exists already; name another file with --output",
    )
    assert citewell("documents", "original", document_id, "-o", "other.md").code == 0
    assert "cannot be written" in citewell("documents", "original", document_id, "-o", "no/such/folder").complaint


def test_a_document_is_deleted_only_when_that_is_said(citewell: Citewell, document_id: str) -> None:
    refused = citewell("documents", "delete", document_id[:6])
    assert refused.complaint == ("citewell: nobody can be asked here whether to delete refund policy.md; --yes does it")
    done = citewell("documents", "delete", document_id[:6], "--yes")
    assert done.err == f"deleted refund policy.md ({document_id})\n"
    assert citewell("documents", "list").out.startswith("no documents")


def test_an_ambiguous_beginning_names_what_begins_so(citewell: Citewell) -> None:
    same = ["abcdef00-0000-4000-8000-000000000001", "abcdef00-0000-4000-8000-000000000002"]
    for each in same:
        asked(query_id=uuid.UUID(each))
    complaint = citewell("history", "abcdef").complaint
    assert complaint.startswith("citewell: 2 ids begin with 'abcdef': ")
    assert all(each in complaint for each in same)
    assert "give more of it" in complaint
    assert citewell("history", same[0][:36]).code == 0
    # Of one kind, though another has it too.
    assert "no document whose id begins" in citewell("documents", "show", "abcdef").complaint


def test_questions_and_verifications_are_cancelled(citewell: Citewell) -> None:
    query_id = asked()
    assert citewell("cancel", query_id[:7]).err == f"cancelled {query_id}\n"
    new = NewVerification("It takes 30 days [1].", [NewSource(text="It takes 30 days.")])
    verification_id = str(submit_verification(new, settings())[0])
    assert citewell("cancel", verification_id[:7]).err == f"cancelled {verification_id}\n"
    with transaction() as session:
        assert {query.status for query in session.query(Query)} == {"cancelled"}
    done = finished()
    assert "has ended already" in citewell("cancel", done).complaint


def finished() -> str:
    with transaction() as session:
        return str(store_answered_query(session).id)


def test_an_answer_is_exported_to_a_file_and_to_standard_output(citewell: Citewell, tmp_path: Path) -> None:
    query_id = finished()
    path = tmp_path / "answer.html"
    saved = citewell("export", query_id[:6], "--format", "html", "-o", str(path))
    assert saved.code == 0
    assert path.read_text("utf-8").startswith("<!doctype html>")
    assert ANSWER.partition(" [1]")[0] in path.read_text("utf-8")
    printed = citewell("export", query_id[:6])
    assert (printed.code, printed.err) == (0, "")
    assert f"“{SPAN}”" in printed.out


def test_the_audit_takes_the_beginning_of_an_id(citewell: Citewell) -> None:
    query_id = finished()
    assert citewell("audit", "verify", query_id[:6]).code == 0
    assert citewell("audit", "replay", "abcdef12").complaint == (
        "citewell: there is no question whose id begins with 'abcdef12'"
    )


def test_passages_are_searched(citewell: Citewell) -> None:
    with transaction() as session:
        get_or_add_workspace(session, "w")
    nothing = citewell("search", "returns", "-w", "w")
    assert (nothing.code, nothing.out, nothing.err) == (0, "", "nothing was found\n")
    assert json.loads(citewell("search", "returns", "-w", "w", "--json").out)["passages"] == []
    assert "There is no workspace" in citewell("search", "returns", "-w", "none").complaint


def test_webhooks_are_listed_created_and_deleted(citewell: Citewell) -> None:
    assert citewell("webhooks", "list").err == "no webhooks yet; `citewell webhooks create URL` adds one\n"
    made = citewell("webhooks", "create", "https://hooks.example.com/a", "--event", "query.*")
    assert made.out.startswith("whsec_")
    (webhook_id,) = [word.rstrip(";") for word in made.err.split() if len(word.rstrip(";")) == 36]
    listed = citewell("webhooks", "list").out
    assert listed == f"{webhook_id}  https://hooks.example.com/a  query.*  active\n"
    assert citewell("webhooks", "delete", webhook_id[:6], "-y").err == f"deleted {webhook_id}\n"
    assert "not to loopback" in citewell("webhooks", "create", "https://127.0.0.1/a").complaint


def test_a_webhook_is_tried(citewell: Citewell) -> None:
    webhook_id = str(register("https://hooks.example.com/citewell")[0])
    late = citewell("webhooks", "test", webhook_id[:6], "--wait", "0.6")
    assert late.code == 1
    assert "no attempt within 0.6 s" in late.complaint


def test_judgements_are_given_listed_and_reviewed(citewell: Citewell) -> None:
    query_id = finished()
    assert citewell("feedback", "list").err == "no feedback; `citewell feedback give ID` adds some\n"
    said = ("--verdict", "unsupported", "--sentence", "1", "--reason", "It says 60.", "--by", "j.kim")
    given = citewell("feedback", "give", query_id[:6], *said)
    assert (given.code, given.err.split()[:2]) == (0, ["kept", "as"])
    feedback_id = given.err.split()[2]
    listed = " ".join(citewell("feedback", "list", "--status", "open").out.split())
    assert "sentence 1 unsupported · j.kim" in listed
    assert "It says 60." in listed
    assert citewell("feedback", "review", feedback_id[:6], "--by", "a.lee").err == f"reviewed {feedback_id}\n"
    assert citewell("feedback", "list", "--status", "open").out == ""
    assert json.loads(citewell("feedback", "list", "--json").out)["reviewed_by"] == "a.lee"
    assert "needs a rating" in citewell("feedback", "give", query_id).complaint
    misplaced = citewell("feedback", "give", query_id, "--sentence", "10", "--rating", "up")
    assert "none at this place" in misplaced.complaint


def test_an_answer_is_shared_by_a_link_that_can_be_revoked(citewell: Citewell) -> None:
    query_id = finished()
    assert citewell("share", query_id[:6], "--list").err == "no links\n"
    made = citewell("share", query_id[:6], "--hours", "2")
    link = made.out.strip()
    assert "/shared/" in link
    assert httpx.get(link).json()["answer"] == ANSWER
    share_id = made.err.split()[1].rstrip(",")
    assert citewell("share", query_id, "--list").out.startswith(f"{share_id}  until ")
    assert citewell("share", query_id, "--revoke", share_id[:6]).err == f"revoked {share_id}\n"
    assert httpx.get(link).status_code == 404
    assert citewell("share", query_id, "--list").out == f"{share_id}  revoked\n"
    assert "no link whose id begins" in citewell("share", query_id, "--revoke", "abcdef").complaint
    assert "720 hours at most" in citewell("share", query_id, "--hours", "1000").complaint


def test_a_search_is_explained(citewell: Citewell) -> None:  # S1.1
    document_id = accept_document(NewDocument("rules.md", RULES.encode(), "w"), settings()).document_id
    ingest(document_id, default_embedder(), IngestionSettings(), hold)
    told = citewell("search", "How long do refunds take?", "-w", "w", "--explain")
    assert told.code == 0
    assert "An answer would be written from 2 passages." in told.out
    assert "✓ shown  rules.md · # Refunds" in told.out or "✓ shown  rules.md · Refunds" in told.out
    assert "words #1" in told.out
    assert "reranked #1" in told.out
    found = json.loads(citewell("search", "refunds", "-w", "w", "-k", "1", "--explain", "--json").out)["passages"]
    assert [(each["lexical"]["rank"], each["shown"]) for each in found] == [(1, True)]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--run", "agentic"], "--run"),
        (["--multi-query", "0"], "--multi-query"),
        (["--run", "structured", "--multi-query", "2"], "--run and --multi-query"),
    ],
)
def test_options_of_an_explained_search_say_that_it_is_missing(
    citewell: Citewell, options: list[str], named: str
) -> None:
    refused = citewell("search", "refunds", *options)
    assert refused.code == 2
    assert refused.complaint == f"citewell: {named} without --explain would do nothing; add --explain"
