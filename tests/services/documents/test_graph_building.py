"""Building the knowledge graph of a document: paid for once, nothing invented, deleted with its documents (S5.1)."""

from dataclasses import replace

import pytest
from sqlalchemy import select, text, update

from db.models import Document, DocumentGraph, Entity, EntityChunk, GraphChunk, Relation, RelationChunk
from db.queries.access.keys import get_or_add_tenant
from db.queries.documents.graph_jobs import GraphClaim, claim_graph, list_waiting_graphs
from db.queries.search.graph_search import Space, entities_with_keys, has_graph, near_connections
from db.session import acting_for, reading, system_transaction, transaction
from domain.errors.service import SecretUnreadable
from services.documents.documents import read_document, remove_document
from services.documents.graph_building import MAX_IDLE, Builder, build_graph
from services.graph.merging import reembed
from tests.clients.groq_stage import GroqStage
from tests.factories import make_chunk, make_document
from tests.leases import hold, lose
from tests.services.graph_story import ACME, ask_for_graph, build, groq_builder, local_builder
from tests.services.story import Story
from tests.simulators.groq.faults import Fault, FaultKind
from tests.simulators.groq.ledger import totals

pytestmark = pytest.mark.usefixtures("database")

GRAPH_TABLES = (DocumentGraph, GraphChunk, Entity, Relation, EntityChunk, RelationChunk)
BETA = "Beta AG is led by Maria Keller."


def names() -> dict[str, str]:
    with reading() as session:
        return {entity.name: entity.description for entity in session.scalars(select(Entity).order_by(Entity.id))}


def relations() -> set[str]:
    with reading() as session:
        return set(session.scalars(select(Relation.description)))


def let_pass(seconds: int = 4000) -> None:
    """Let time pass, so that leases expire."""
    with system_transaction() as session:
        session.execute(text(f"UPDATE document_graphs SET lease_until = lease_until - interval '{seconds} s'"))


def test_documents_share_their_entities_and_each_is_made_of_all_that_is_said() -> None:  # S5.1
    story = Story()
    acme, beta = story.add("a.md", ACME), story.add("b.md", BETA)
    shown = build(story, acme, local_builder())
    assert (shown["status"], shown["chunks_done"], shown["entities"], shown["relations"]) == ("ready", 1, 2, 1)
    assert (shown["llm_calls"], shown["cost_usd"], shown["reason"]) == (0, 0.0, None)
    build(story, beta, local_builder())
    assert names() == {
        "Acme Corp": "Acme Corp makes industrial robots.",
        "Beta AG": f"Acme Corp is owned by Beta AG. {BETA}",
        "Maria Keller": BETA,
    }
    assert relations() == {"Acme Corp is owned by Beta AG.", BETA}
    with reading() as session:
        assert {entity.mentions for entity in session.scalars(select(Entity)) if entity.name == "Beta AG"} == {2}
        assert set(session.scalars(select(Entity.embedding_model))) == {"use-multilingual-v3/512"}


def test_a_document_that_nobody_asked_a_graph_for_has_none() -> None:
    story = Story()
    key = story.add("a.md", ACME)
    assert not build_graph(story.documents[key], local_builder(), hold)
    assert read_document(story.documents[key])["graph"]["status"] == "off"


def test_what_is_finished_is_not_built_again() -> None:  # S5.1, A5
    story = Story()
    key = story.add("a.md", ACME)
    build(story, key, local_builder())
    assert not build_graph(ask_for_graph(story, key), local_builder(), hold)


def test_what_a_deleted_document_said_is_gone() -> None:  # S5.1
    story = Story()
    acme, beta = story.add("a.md", ACME), story.add("b.md", BETA)
    for key in (acme, beta):
        build(story, key, local_builder())
    remove_document(story.documents[acme])
    assert names() == {"Beta AG": BETA, "Maria Keller": BETA}
    assert relations() == {BETA}
    remove_document(story.documents[beta])
    assert (names(), relations()) == ({}, set())


def test_another_tenant_sees_none_of_it() -> None:  # S5.1, A8
    story = Story()
    build(story, story.add("a.md", ACME), local_builder())
    with system_transaction() as session:
        stranger = get_or_add_tenant(session, "stranger", "whsec_")
    with acting_for(stranger), reading() as session:
        space = Space(story.workspace_id, "use-multilingual-v3/512")
        assert not has_graph(session, story.workspace_id)
        assert entities_with_keys(session, story.workspace_id, ["acme corp"]) == []
        assert near_connections(session, space, [1.0] * 512, 5) == []
        assert [session.scalars(select(table)).all() for table in GRAPH_TABLES] == [[]] * len(GRAPH_TABLES)


# With the fast model


@pytest.fixture
def story() -> Story:
    """A document of three chunks."""
    story = Story()
    with transaction() as session:
        said = f"{ACME}\n\n{BETA}\n\nNothing is named here."
        document = make_document(session, said, workspace=story.workspace)
        cuts = [0, len(ACME), len(ACME) + 2 + len(BETA), len(said)]
        keys = [make_chunk(session, document, cuts[n], cuts[n + 1], index=n).id for n in range(3)]
        story.documents.update(dict.fromkeys(keys, document.id))
    return story


def key_of(story: Story) -> int:
    return next(iter(story.documents))


def test_the_model_reads_each_chunk_once_and_the_ledger_agrees(story: Story, stage: GroqStage) -> None:  # S5.1, A4
    shown = build(story, key_of(story), groq_builder(stage))
    assert (shown["status"], shown["chunks_done"], shown["chunks_failed"]) == ("ready", 3, 0)
    prompt, completion, _ = totals(stage.sim.ledger.of("extract_graph"))
    assert (shown["llm_calls"], shown["prompt_tokens"], shown["completion_tokens"]) == (3, prompt, completion)
    assert shown["cost_usd"] > 0
    assert set(names()) == {"Acme Corp", "Beta AG", "Maria Keller"}


def test_a_reply_that_cannot_be_read_is_counted_and_stops_nothing(story: Story, stage: GroqStage) -> None:  # S5.1
    stage.sim.fail(Fault(kind=FaultKind.WRONG_SCHEMA, match="Acme Corp makes"))
    shown = build(story, key_of(story), groq_builder(stage))
    assert (shown["status"], shown["chunks_done"], shown["chunks_failed"]) == ("ready", 3, 1)
    assert "gave no usable reply" in shown["reason"]
    assert set(names()) == {"Beta AG", "Maria Keller"}


def test_a_graph_of_nothing_but_failures_has_failed_and_can_be_asked_for_again(
    story: Story, stage: GroqStage
) -> None:  # S5.1
    stage.sim.fail(Fault(kind=FaultKind.FORBIDDEN, match="\nextract_graph\n", times=3))
    shown = build(story, key_of(story), groq_builder(stage))
    assert (shown["status"], shown["chunks_failed"]) == ("failed", 3)
    ask_for_graph(story, key_of(story))
    assert read_document(story.documents[key_of(story)])["graph"]["status"] == "queued"


def test_a_provider_that_is_away_postpones_the_rest_and_nothing_is_bought_twice(
    story: Story, stage: GroqStage
) -> None:  # S5.1, A5
    stage.sim.fail(Fault(kind=FaultKind.UNAVAILABLE, match="led by Maria Keller"))
    builder = groq_builder(stage)
    shown = build(story, key_of(story), builder)
    assert (shown["status"], shown["chunks_done"], shown["chunks_failed"]) == ("queued", 1, 0)
    assert not build_graph(story.documents[key_of(story)], builder, hold)
    let_pass()
    assert build_graph(story.documents[key_of(story)], builder, hold)
    shown = read_document(story.documents[key_of(story)])["graph"]
    assert (shown["status"], shown["chunks_done"], shown["llm_calls"]) == ("ready", 3, 4)
    assert len([entry for entry in stage.sim.ledger.of("extract_graph") if entry.billed]) == 3


def claim(story: Story) -> GraphClaim:
    with transaction() as session:
        found = claim_graph(session, story.documents[key_of(story)], 10)
    assert found is not None
    return found


def test_a_worker_that_was_taken_over_stores_nothing_more(story: Story, stage: GroqStage) -> None:  # A5
    ask_for_graph(story, key_of(story))

    def lose(builder: Builder) -> Builder:
        def run(coroutine: object) -> None:
            let_pass()
            claim(story)
            builder.run(coroutine)  # pyright: ignore[reportArgumentType]

        return replace(builder, run=run)

    assert build_graph(story.documents[key_of(story)], lose(groq_builder(stage)), hold)
    shown = read_document(story.documents[key_of(story)])["graph"]
    # Its one call was paid for, so it is counted.
    assert (shown["status"], shown["chunks_done"], shown["llm_calls"]) == ("building", 0, 1)
    assert names() == {}


def test_after_too_many_attempts_without_a_chunk_it_fails(story: Story) -> None:  # A5
    ask_for_graph(story, key_of(story))
    for _ in range(MAX_IDLE):
        claim(story)
        let_pass()
    assert build_graph(story.documents[key_of(story)], local_builder(), hold)
    shown = read_document(story.documents[key_of(story)])["graph"]
    assert (shown["status"], shown["reason"]) == ("failed", f"{MAX_IDLE} workers ended while they read it.")


def test_no_more_than_the_first_chunks_are_read(story: Story) -> None:  # S5.1
    shown = build(story, key_of(story), local_builder(max_chunks=1))
    assert (shown["status"], shown["chunks_done"]) == ("ready", 1)
    assert set(names()) == {"Acme Corp", "Beta AG"}


def test_a_few_documents_at_a_time_are_built_and_postponed_ones_do_not_hold_others_up() -> None:  # A1
    story = Story()
    documents = [ask_for_graph(story, story.add(f"{n}.md", ACME)) for n in range(4)]

    def waiting(older_than_s: float | None = None) -> list[object]:
        with system_transaction() as session:
            return [document for document, _ in list_waiting_graphs(session, 2, older_than_s)]

    assert waiting() == waiting() == documents[:2]
    with transaction() as session:
        assert claim_graph(session, documents[0], 10)
    assert waiting() == documents[1:2]
    assert waiting(older_than_s=3600) == []
    with transaction() as session:
        session.execute(update(DocumentGraph).values(status="queued"))
    assert waiting() == documents[1:3]


def test_vectors_can_be_made_anew() -> None:  # S5.1
    story = Story()
    key = story.add("a.md", ACME)
    build(story, key, local_builder())
    with transaction() as session:
        session.execute(update(Entity).values(embedding=[1.0, 0.0], embedding_model="other"))
    reembed(story.workspace_id, local_builder().embedder)
    with reading() as session:
        rows = session.execute(select(Entity.embedding_model, Entity.embedding)).all()
    assert {(model, len(vector or ())) for model, vector in rows} == {("use-multilingual-v3/512", 512)}


def test_a_graph_waits_for_a_key_that_can_be_read(story: Story) -> None:  # 43
    """It says what to do, and no worker fails."""
    document_id = ask_for_graph(story, key_of(story))
    assert build_graph(document_id, SecretUnreadable(), hold)
    shown = read_document(document_id)["graph"]
    assert (shown["status"], "CITEWELL_MODELS__ENCRYPTION_KEY" in shown["reason"]) == ("queued", True)
    let_pass()
    assert build_graph(document_id, local_builder(), hold)
    assert read_document(document_id)["graph"]["status"] == "ready"


def test_the_graph_of_a_document_that_is_not_ready_waits(story: Story) -> None:
    with transaction() as session:
        session.execute(update(Document).values(status="processing"))
    assert not build_graph(ask_for_graph(story, key_of(story)), local_builder(), hold)
    with reading() as session:
        assert session.scalars(select(EntityChunk)).all() == []


def test_a_renewal_that_finds_itself_taken_over_buys_no_more_calls(story: Story, stage: GroqStage) -> None:
    document_id, builder = ask_for_graph(story, key_of(story)), groq_builder(stage)
    build_graph(document_id, builder, lose("document_graphs"))
    assert stage.sim.ledger.of("extract_graph") == []
    let_pass()
    assert build_graph(document_id, builder, hold)
    assert read_document(document_id)["graph"]["status"] == "ready"
