"""A new embedding model for a workspace in use."""

import json
import threading
import time
from collections.abc import Generator, Sequence

import numpy as np
import pytest
from sqlalchemy import func, select, text

from citewell.cli.installation import checks
from citewell_verify.embeddings.protocol import Embedder, Vectors
from citewell_verify.embeddings.wheel import UseEmbedder, default_embedder
from clients.embeddings.openai_compatible import ATTEMPTS, EndpointEmbedder
from config.settings import IngestionSettings, settings
from db.models import DEFAULT_TENANT, Chunk, ChunkVector
from db.queries.access.keys import get_or_add_tenant
from db.queries.documents.spaces import add_vectors, get_or_add_space, space_of
from db.session import acting_for, reading, system_transaction, transaction
from domain.errors.missing import WorkspaceNotFound
from domain.errors.service import EmbeddingUnavailable
from domain.errors.state import EmbeddingMismatch, ReembeddingRuns
from services.core.model_choice import unserved_spaces
from services.documents.documents import NewDocument, accept_document, read_document
from services.documents.ingestion import ingest
from services.documents.reembedding import Target, list_targets, reembed
from services.retrieval.candidates import Search, find_candidates
from tests.leases import hold
from tests.simulators.embeddings import KEY, EmbeddingServer
from tests.waiting import until

pytestmark = pytest.mark.usefixtures("database")

LIMITS = IngestionSettings(chunk_tokens=30, overlap_tokens=0)
RULES = [f"Rule {n}: goods of kind {n} may be returned within {n + 10} days of their purchase." for n in range(12)]


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction] - pytest finds it
    monkeypatch.setattr("services.documents.ingestion.BATCH", 4)


@pytest.fixture
def server() -> Generator[EmbeddingServer]:
    with EmbeddingServer() as running:
        yield running


def add(rules: list[str], filename: str = "a.txt", embedder: Embedder | None = None) -> Target:
    new = NewDocument(filename, "\n\n".join(rules).encode(), "w")
    ingest(accept_document(new, settings()).document_id, embedder or default_embedder(), LIMITS, hold)
    [target] = list_targets("default", "w")
    return target


def tiny(server: EmbeddingServer, name: str = "tiny-64") -> EndpointEmbedder:
    return EndpointEmbedder(server.model(name, dimension=int(name.rpartition("-")[2])), backoff_s=0.001)


def model_of(target: Target) -> str:
    with reading() as session:
        space = space_of(session, target.workspace_id)
    return space.model if space else ""


def best(target: Target, question: str, embedder: Embedder) -> str:
    [(key, _)] = find_candidates([question], Search(target.workspace_id, "vector", 1), embedder)[:1]
    with reading() as session:
        return session.get_one(Chunk, key).text


def vectors(target: Target) -> dict[str, int]:
    """The number of vectors by model."""
    counted = text(
        "SELECT s.model, count(*) FROM chunk_vectors v JOIN embedding_spaces s ON s.id = v.space_id "
        "WHERE v.workspace_id = :id GROUP BY s.model"
    )
    with reading() as session:
        rows = session.execute(counted, {"id": target.workspace_id})
        return {str(model): int(count) for model, count in rows}


def nothing(_: int, __: int) -> None:
    """Ignores progress."""


def test_a_workspace_changes_its_model_and_keeps_nothing_of_the_old_one(server: EmbeddingServer) -> None:  # S1.1
    target, seen = add(RULES), list[tuple[int, int]]()
    done = reembed(target, tiny(server), batch=5, on_progress=lambda done, total: seen.append((done, total)))
    assert (done.model, done.embedded, done.switched) == ("tiny-64", 12, True)
    assert seen[:4] == [(0, 12), (5, 12), (10, 12), (12, 12)]
    assert vectors(target) == {"tiny-64": 12}
    assert best(target, RULES[7], tiny(server)) == RULES[7]
    again = reembed(target, tiny(server), batch=5, on_progress=nothing)
    assert (again.embedded, again.switched) == (0, False)
    back = reembed(target, default_embedder(), batch=5, on_progress=nothing)
    assert (back.embedded, vectors(target)) == (12, {"use-multilingual-v3": 12})
    assert best(target, RULES[7], default_embedder()) == RULES[7]


class Upgraded(UseEmbedder):
    """The built-in model after an upgrade that changed its vectors."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        return np.roll(default_embedder().encode(texts), 1, axis=1)


def test_an_upgrade_of_the_built_in_model_mixes_no_vectors_and_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    target, upgraded = add(RULES), Upgraded()
    assert unserved_spaces(default_embedder()) == []
    monkeypatch.setattr("clients.embeddings.factory.default_embedder", lambda: upgraded)
    assert [(space.model, count) for space, count in unserved_spaces(upgraded)] == [("use-multilingual-v3", 1)]
    [check] = checks.vectors()
    assert (check.name, check.state) == ("vectors", "error")
    assert check.found.endswith("makes those of use-multilingual-v3 (512); workspaces that hold them: 1")
    assert "citewell reembed --all" in check.advice
    with pytest.raises(EmbeddingMismatch, match=r"holds vectors of use-multilingual-v3 \(512 components\)"):
        best(target, RULES[7], upgraded)
    refused = accept_document(NewDocument("b.txt", b"One more rule.", "w"), settings()).document_id
    ingest(refused, upgraded, LIMITS, hold)
    assert read_document(refused)["error"]["code"] == "embedding_mismatch"
    assert vectors(target) == {"use-multilingual-v3": 12}


def test_reembedding_moves_documents_to_the_vectors_of_the_upgrade(monkeypatch: pytest.MonkeyPatch) -> None:
    target, upgraded = add(RULES), Upgraded()
    monkeypatch.setattr("clients.embeddings.factory.default_embedder", lambda: upgraded)
    done = reembed(target, upgraded, batch=5, on_progress=nothing)
    assert (done.model, done.embedded, done.switched) == (upgraded.name, 12, True)
    assert vectors(target) == {upgraded.name: 12}
    assert best(target, RULES[7], upgraded) == RULES[7]
    add(["Late news: the depot closes at noon."], "late.txt", upgraded)
    assert vectors(target) == {upgraded.name: 13}
    assert unserved_spaces(upgraded) == list(checks.vectors()) == []


@pytest.mark.slow
def test_a_home_from_before_is_not_embedded_again_for_equal_vectors() -> None:
    target = add(RULES)
    again = reembed(target, UseEmbedder(), batch=5, on_progress=nothing)
    assert (again.embedded, again.switched) == (0, False)


def test_what_was_done_before_an_interruption_is_not_done_again(server: EmbeddingServer) -> None:  # A5
    target = add(RULES)
    for_once: list[bool] = []

    def fail_then(done: int, _: int) -> None:
        if done == 8 and not for_once:
            for_once.append(True)
            # And once for another text.
            for _each in range(ATTEMPTS + 1):
                server.fail(503)

    with pytest.raises(EmbeddingUnavailable):
        reembed(target, tiny(server), batch=4, on_progress=fail_then)
    assert model_of(target) == "use-multilingual-v3"
    assert best(target, RULES[2], tiny(server)) == RULES[2]
    assert vectors(target) == {"use-multilingual-v3": 12, "tiny-64": 8}
    assert reembed(target, tiny(server), batch=4, on_progress=nothing).embedded == 4
    assert sorted(server.texts) == sorted(RULES)
    assert vectors(target) == {"tiny-64": 12}


def test_old_vectors_that_an_interruption_left_are_removed_later(server: EmbeddingServer) -> None:  # A5
    target = add(RULES)
    reembed(target, tiny(server), batch=20, on_progress=nothing)
    with transaction() as session:
        old = get_or_add_space(session, default_embedder().name, 512)
        [key] = session.scalars(select(Chunk.id).limit(1))
        add_vectors(session, old, [(key, RULES[0], [1.0] * 512)])
    assert len(vectors(target)) == 2
    assert not reembed(target, tiny(server), batch=20, on_progress=nothing).switched
    assert vectors(target) == {"tiny-64": 12}


def test_questions_and_new_documents_go_on_meanwhile(server: EmbeddingServer) -> None:  # S1.1, A5
    target, new_model = add(RULES), tiny(server)
    over, failures, asked = threading.Event(), list[BaseException](), list[str]()

    def ask() -> None:
        with acting_for(DEFAULT_TENANT):
            number = 0
            while not over.is_set() or number < 3:
                number += 1
                question = RULES[number % 12]
                try:
                    assert best(target, question, new_model) == question
                    asked.append(model_of(target))
                except BaseException as error:  # noqa: BLE001 - whatever it is, the test shows it
                    failures.append(error)
                    return

    def slowly(done: int, _: int) -> None:
        until(lambda: bool(asked or failures))  # once at least before the switch
        if done in (4, 12):
            add([f"Late news {done}: the depot of bay {done} closes at noon."], f"{done}.txt", new_model)
        time.sleep(0.05)

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        reembed(target, new_model, batch=4, on_progress=slowly)
    finally:
        until(lambda: "tiny-64" in asked or bool(failures))
        over.set()
        thread.join()
    assert failures == []
    assert {"use-multilingual-v3", "tiny-64"} <= set(asked)
    with reading() as session:
        chunks = session.scalar(select(func.count()).select_from(Chunk))
        assert chunks == session.scalar(select(func.count()).select_from(ChunkVector)) == 14
    assert vectors(target) == {"tiny-64": 14}
    assert best(target, "Late news 12: the depot of bay 12 closes at noon.", new_model).startswith("Late news 12")


def test_a_document_that_is_being_embedded_at_the_switch_ends_in_the_new_space(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:  # A5
    target, new_model = add(RULES[:2]), tiny(server)
    document_id = accept_document(NewDocument("b.txt", "\n\n".join(RULES[2:]).encode(), "w"), settings()).document_id

    class SwitchedUnderneath:
        """The program's own model; before it returns its second batch, the workspace changes to the other one."""

        name, dimension, batches = default_embedder().name, 512, 0

        def encode_queries(self, texts: Sequence[str]) -> Vectors:
            return default_embedder().encode(texts)

        def encode_documents(self, texts: Sequence[str]) -> Vectors:
            self.batches += 1
            if self.batches == 2:
                reembed(target, new_model, batch=20, on_progress=nothing)
            return default_embedder().encode(texts)

    earlier = {**server.model("tiny-64", dimension=64).model_dump(), "api_key": KEY}
    monkeypatch.setenv("CITEWELL_EMBEDDINGS__EARLIER", json.dumps([earlier]))
    settings.cache_clear()
    ingest(document_id, SwitchedUnderneath(), LIMITS, hold)
    assert vectors(target) == {"tiny-64": 12}


def test_two_of_them_do_not_meet_in_one_workspace(server: EmbeddingServer) -> None:  # A5
    target = add(RULES)

    def another(done: int, _: int) -> None:
        if done == 0:
            with pytest.raises(ReembeddingRuns):
                reembed(target, tiny(server, "other-8"), batch=4, on_progress=nothing)

    assert reembed(target, tiny(server), batch=4, on_progress=another).switched


def test_workspaces_of_all_tenants_are_found_each_for_its_own(server: EmbeddingServer) -> None:  # A8
    add(RULES[:1])
    with system_transaction() as session:
        stranger = get_or_add_tenant(session, "stranger", "whsec_")
    with acting_for(stranger):
        new = NewDocument("s.txt", RULES[3].encode(), "w")
        ingest(accept_document(new, settings()).document_id, default_embedder(), LIMITS, hold)
    targets = list_targets()
    assert [(each.tenant_id, each.name) for each in targets] == [(DEFAULT_TENANT, "w"), (stranger, "w")]
    for target in targets:
        reembed(target, tiny(server), batch=4, on_progress=nothing)
    with acting_for(stranger):
        assert best(targets[1], RULES[3], tiny(server)) == RULES[3]
    with pytest.raises(WorkspaceNotFound, match="'default' has no workspace 'x'"):
        list_targets("default", "x")
