"""Chunks that people exclude are found by no search; what they correct is a new version beside the old one."""

import hashlib
import threading
import uuid
from contextvars import copy_context
from typing import Any

import pytest
from sqlalchemy import select

from citewell_verify.embeddings.wheel import default_embedder
from config.settings import IngestionSettings, settings
from db.models import Chunk, Document, DocumentChange, Lexeme, Workspace
from db.queries.access.workspaces import get_workspace
from db.queries.documents.boxes import find_marks
from db.queries.documents.chunk_edits import ChunkFilter, Edit
from db.queries.documents.chunks import get_passage, list_excluded, list_passages, text_around
from db.queries.documents.documents import get_document_text
from db.queries.documents.reingestions import ReingestionFilter, count_corrected, count_matching
from db.queries.search.passages import recount, search_scored, search_vector
from db.session import reading, transaction
from document_material.pdf_files import Sheet
from domain.errors.missing import ChunkNotFound, DocumentNotFound
from domain.errors.requests import CorrectionInvalid
from domain.errors.service import EmbeddingUnavailable
from domain.errors.state import DocumentNotInForce
from services.documents.chunk_corrections import correct_chunk
from services.documents.chunks import read_chunks, read_edits, set_excluded
from services.documents.documents import (
    NewDocument,
    accept_document,
    read_document,
    read_document_layout,
    read_original,
    remove_document,
)
from services.documents.ingestion import ingest
from services.documents.originals import read_boxes
from tests.factories import make_query
from tests.leases import hold

pytestmark = pytest.mark.usefixtures("database")

RULES = "\n\n".join(
    f"# {name}\n\n{name} of products take {days} days from the day on which the parcel has arrived at the address. "
    f"Whoever asks for {name.lower()} sends the form that belongs to the order."
    for name, days in (("Returns", 30), ("Refunds", 14), ("Repairs", 60))
)
ME = Edit("key-1", "a misprint")


def send(text: str | bytes, name: str = "rules.md", **metadata: Any) -> uuid.UUID:
    content = text.encode() if isinstance(text, str) else text
    return accept_document(NewDocument(name, content, "w", metadata=metadata), settings()).document_id


def ingested(text: str | bytes, name: str = "rules.md", **metadata: Any) -> uuid.UUID:
    document_id = send(text, name, **metadata)
    ingest(document_id, default_embedder(), IngestionSettings(), hold)
    return document_id


def chunks_of(document_id: uuid.UUID) -> list[dict[str, Any]]:
    return read_chunks(document_id, ChunkFilter(), first=0, limit=1000)["chunks"]


def found(question: str, *, excluded: bool = False) -> tuple[set[str], set[str]]:
    """The texts that are found by words, and by vectors."""
    vector = default_embedder().encode_queries([question]).tolist()[0]
    with reading() as session:
        workspace = get_workspace(session, "w").id
        words = search_scored(session, workspace, question, 50, excluded=excluded)
        near = search_vector(session, workspace, vector, 50, excluded=excluded)
        texts = dict(session.execute(select(Chunk.id, Chunk.text)).all())
    return {texts[key] for key, _ in words}, {texts[key] for key, _ in near}


def correct(document_id: uuid.UUID, index: int, text: str, edit: Edit = ME) -> uuid.UUID:
    return correct_chunk(document_id, index, text, edit, default_embedder())


def workspace() -> int:
    with reading() as session:
        return get_workspace(session, "w").id


def check_sound(document_id: uuid.UUID) -> None:
    """Every chunk is a slice of the stored text, and everything of the text lies in one."""
    with reading() as session:
        text = get_document_text(session, document_id) or ""
        chunks = session.scalars(
            select(Chunk).where(Chunk.document_id == document_id).order_by(Chunk.chunk_index)
        ).all()
    assert [each.chunk_index for each in chunks] == list(range(len(chunks)))
    covered = set[int]()
    for each in chunks:
        assert each.text == text[each.start_index : each.end_index] == each.text.strip()
        assert each.sha256 == hashlib.sha256(each.text.encode()).hexdigest()
        covered |= set(range(each.start_index, each.end_index))
    assert all(text[place].isspace() for place in range(len(text)) if place not in covered)


def test_an_excluded_chunk_is_found_by_no_search_until_it_is_included_again() -> None:  # S1.1
    document_id = ingested(RULES)
    returns, *others = [chunk["text"] for chunk in chunks_of(document_id)]
    assert found("Returns of products")[0] >= {returns}
    assert found("Returns of products")[1] >= {returns}
    shown = set_excluded(document_id, 0, ME, excluded=True)
    assert (shown["excluded"], read_document(document_id)["chunks_excluded"]) == (True, 1)
    assert found("Returns of products") == (set(others), set(others))
    assert found("Returns of products", excluded=True) == ({returns}, {returns})
    set_excluded(document_id, 0, Edit(), excluded=True)  # once more changes nothing
    set_excluded(document_id, 0, Edit(), excluded=False)
    assert found("Returns of products") == ({returns, *others}, {returns, *others})
    assert read_document(document_id)["chunks_excluded"] == 0
    told = [(edit["kind"], edit["made_by"], edit["reason"], edit["before"]) for edit in read_edits(document_id)]
    assert told == [("included", None, None, returns), ("excluded", "key-1", "a misprint", returns)]


def test_what_is_excluded_is_no_evidence_for_an_older_answer_either() -> None:  # N7
    document_id = ingested(RULES)
    set_excluded(document_id, 1, ME, excluded=True)
    with reading() as session:
        first, last = list_passages(session, document_id, limit=10, searched=True)
        assert (first.chunk_index, last.chunk_index) == (0, 2)
        for each in (first, last):
            assert text_around(session, each) == each.text
        middle = get_passage(session, document_id, 1)
        assert list_excluded(session, [first.key, middle.key, last.key]) == {middle.key}


def test_an_exclusion_goes_over_to_a_new_version_where_the_text_is_the_same() -> None:  # A5
    old = ingested(RULES)
    for index in (0, 1):
        set_excluded(old, index, ME, excluded=True)
    new = ingested(
        RULES.replace("14 days", "15 days")
        + "\n\n# More\n\nWhat else there is to know of products stands here, in full, word by word, at length."
    )
    assert [chunk["excluded"] for chunk in chunks_of(new)] == [True, False, False, False]
    assert read_document(new)["chunks_excluded"] == 1
    texts = {chunk["text"] for chunk in chunks_of(new) if not chunk["excluded"]}
    assert found("products of what else") == (texts, texts)
    kept, ended = read_edits(new)[1], read_edits(new)[0]
    assert (kept["kind"], kept["chunk_index"], kept["from_document"]) == ("exclusion_kept", 0, str(old))
    assert (ended["kind"], ended["chunk_index"]) == ("exclusion_ended", 1)
    assert "14 days" in ended["before"]


def test_of_equal_texts_only_the_excluded_one_stays_excluded() -> None:  # A5
    twice = (
        "# Note\n\n" + "This very note stands in the text twice, at its beginning and at its end, word by word. " * 2
    )
    old = ingested(f"{twice}\n\n{RULES}\n\n{twice}")
    same = [chunk["chunk_index"] for chunk in chunks_of(old) if "very note" in chunk["text"]]
    assert len(same) == 2
    set_excluded(old, same[1], ME, excluded=True)
    new = ingested(f"{twice}\n\n{RULES.replace('60', '61')}\n\n{twice}")
    assert [chunk["chunk_index"] for chunk in chunks_of(new) if chunk["excluded"]] == [same[1]]


def test_a_correction_is_a_new_version_whose_offsets_hold() -> None:  # N3, A5
    old = ingested(RULES, title="The rules")
    before = chunks_of(old)
    set_excluded(old, 2, ME, excluded=True)
    right = before[1]["text"].replace("14 days", "fourteen working days 😀")
    new = correct(old, 1, f"  {right}\r\n")
    check_sound(new)
    with reading() as session:
        text = get_document_text(session, new) or ""
        assert text == (get_document_text(session, old) or "").replace("14 days", "fourteen working days 😀")
    assert read_original(new) == read_original(old) == ("rules.md", RULES.encode())
    after = chunks_of(new)
    assert [chunk["text"] for chunk in after] == [before[0]["text"], right, before[2]["text"]]
    assert [chunk["corrected"] for chunk in after] == [False, True, False]
    assert [chunk["excluded"] for chunk in after] == [False, False, True]
    assert [chunk["context"] for chunk in after] == [chunk["context"] for chunk in before]
    document = read_document(new)
    assert (document["status"], document["version"], document["corrected_from"]) == ("ready", 2, str(old))
    assert (document["progress"], document["metadata"]["title"]) == (read_document(old)["progress"], "The rules")
    ended = read_document(old)
    assert (ended["status"], ended["superseded_by"]) == ("superseded", str(new))
    assert ended["superseded_at"]
    layout = read_document_layout(new) or {}
    assert [text[each["start"] :].split("\n")[0] for each in layout["sections"]] == [
        "# Returns",
        "# Refunds",
        "# Repairs",
    ]
    edit = next(edit for edit in read_edits(new) if edit["kind"] == "corrected")
    assert (edit["before"], edit["after"], edit["version"]) == (before[1]["text"], right, 2)
    assert (edit["made_by"], edit["reason"], edit["from_document"]) == ("key-1", "a misprint", str(old))


def test_the_corrected_words_are_found_and_the_old_ones_are_not() -> None:  # S1.1
    old = ingested(RULES)
    set_excluded(old, 0, ME, excluded=True)
    right = chunks_of(old)[1]["text"].replace("14 days", "a fortnight")
    new = correct(old, 1, right)
    words, near = found("Refunds within a fortnight")
    assert right in words
    assert right in near
    assert not any("14 days" in text for text in words | near)
    assert len(near) == len(chunks_of(new)) - 1  # without the excluded one, and nothing of the old version
    with reading() as session:
        workspace = get_workspace(session, "w")
        kept = dict(
            session.execute(select(Lexeme.lexeme, Lexeme.chunks).where(Lexeme.workspace_id == workspace.id)).all()
        )
        counted = workspace.chunk_count, workspace.lexeme_count
    with transaction() as session:
        recount(session, workspace.id)
    with reading() as session:
        again = session.get_one(Workspace, workspace.id)
        assert counted == (again.chunk_count, again.lexeme_count)
        assert kept == dict(session.execute(select(Lexeme.lexeme, Lexeme.chunks)).all())


def test_neighbours_that_repeat_a_corrected_sentence_are_corrected_with_it() -> None:  # N3
    sentences = " ".join(
        f"Sentence {number} says that item {number} costs {number} euros in every shop." for number in range(60)
    )
    document_id = send(sentences)
    limits = IngestionSettings(chunk_tokens=60, overlap_tokens=20)
    ingest(document_id, default_embedder(), limits, hold)
    before = chunks_of(document_id)
    first, second = before[1], before[2]
    assert second["source_start"] < first["source_end"], "the chunks have to overlap"
    shared = first["text"][second["source_start"] - first["source_start"] :]
    new = correct(document_id, 1, first["text"].replace(shared, shared.replace("costs", "is sold for")))
    check_sound(new)
    after = chunks_of(new)
    assert after[2]["text"].startswith(shared.replace("costs", "is sold for"))
    # The words that differ from the file stand in both.
    assert [chunk["corrected"] for chunk in after[:4]] == [False, True, True, False]
    assert [chunk["text"] for chunk in after[3:]] == [chunk["text"] for chunk in before[3:]]


def test_a_corrected_heading_has_its_new_name_above_all_passages_below_it() -> None:  # N3
    body = " ".join(f"Rule {number} holds for parcels of {number} kilograms, wherever they go." for number in range(30))
    document_id = send(f"# Retruns\n\n{body}\n\n## Abroad\n\n{body}\n\n# Retruns\n\n{body}")
    ingest(document_id, default_embedder(), IngestionSettings(chunk_tokens=80, overlap_tokens=0), hold)
    before = chunks_of(document_id)
    other = max(chunk["chunk_index"] for chunk in before if chunk["text"].startswith("# Retruns"))
    new = correct(document_id, 0, before[0]["text"].replace("Retruns", "Returns").replace("Rule 0", "Rule nil"))
    check_sound(new)
    after = chunks_of(new)
    named = [(chunk["section"], chunk["context"]) for chunk in before]
    # One that has the same title further down is another section.
    assert [(chunk["section"], chunk["context"]) for chunk in after] == [
        tuple(each and each.replace("Retruns", "Returns") if index < other else each for each in place)
        for index, place in enumerate(named)
    ]
    assert {"Returns", "Returns › Abroad", "Retruns"} <= {chunk["context"] for chunk in after}
    titles = [each["title"] for each in (read_document_layout(new) or {})["sections"]]
    assert titles == ["Returns", "Abroad", "Retruns"]
    assert [chunk["corrected"] for chunk in after] == [True] + [False] * (len(after) - 1)


@pytest.mark.parametrize("put", ["", "The part list. "])
def test_a_removed_heading_leaves_its_passages_to_the_section_above(put: str) -> None:  # N3
    body = " ".join(f"The alpha part {number} is kept in a box of its own, in the hall." for number in range(40))
    document_id = send(f"# Top\n\nIntro text.\n\n## Alpha\n\n{body}\n\n### Inner\n\n{body}\n\n## Omega\n\nEnd.")
    ingest(document_id, default_embedder(), IngestionSettings(chunk_tokens=80, overlap_tokens=0), hold)
    before = chunks_of(document_id)
    first = next(chunk for chunk in before if "## Alpha" in chunk["text"])
    assert {"Alpha", "Inner"} <= {chunk["section"] for chunk in before}
    new = correct(document_id, first["chunk_index"], first["text"].replace("## Alpha\n\n", put))
    check_sound(new)
    after = chunks_of(new)
    assert [chunk["section"] for chunk in after] == [
        "Top" if chunk["section"] == "Alpha" else chunk["section"] for chunk in before
    ]
    assert {chunk["context"] for chunk in after if chunk["section"] == "Top"} == {None, "Top"}
    assert "Top › Inner" in {chunk["context"] for chunk in after}
    assert not any("Alpha" in (chunk["context"] or "") for chunk in after)
    layout = (read_document_layout(new) or {})["sections"]
    assert [each["title"] for each in layout] == ["Top", "Inner", "Omega"]
    with reading() as session:
        text = get_document_text(session, new) or ""
        cited = get_passage(session, new, next(c["chunk_index"] for c in after if "part 30" in c["text"]))
    assert [each["start"] for each in layout] == [text.index("# Top"), text.index("### Inner"), text.index("## Omega")]
    assert [each["end"] for each in layout] == [*(each["start"] for each in layout[1:]), len(text)]
    assert cited.section_at(cited.start_index) == "Top"


def test_a_heading_that_becomes_a_paragraph_spoils_no_later_one_of_the_same_name() -> None:  # N3
    body = " ".join(f"Rule {number} holds for parcels of {number} kilograms, wherever they go." for number in range(30))
    document_id = send(f"Notes\n-----\n\n{body}\n\nNotes\n-----\n\n{body}", "notes.txt")
    ingest(document_id, default_embedder(), IngestionSettings(chunk_tokens=80, overlap_tokens=0), hold)
    right = chunks_of(document_id)[0]["text"].replace("Notes\n-----", "These are notes about parcels.")
    new = correct(document_id, 0, right)
    check_sound(new)
    sections = [chunk["section"] for chunk in chunks_of(new)]
    assert sections == sorted(sections, key=lambda each: each is not None)
    assert set(sections) == {None, "Notes"}
    assert [each["title"] for each in (read_document_layout(new) or {})["sections"]] == ["Notes"]


def test_a_corrected_head_of_a_table_stands_above_its_rows_further_down() -> None:  # N3
    rows = "\n".join(f"| Shop number {number} in the town | {number} | {number * 7} |" for number in range(80))
    document_id = send(f"# Sales\n\n| Shop | Sals | Costs |\n|---|---|---|\n{rows}")
    ingest(document_id, default_embedder(), IngestionSettings(chunk_tokens=120, overlap_tokens=0), hold)
    before = chunks_of(document_id)
    assert sum("Sals" in (chunk["context"] or "") for chunk in before) > 2
    new = correct(document_id, 0, before[0]["text"].replace("Sals", "Sales"))
    check_sound(new)
    assert [chunk["context"] for chunk in chunks_of(new)] == [
        chunk["context"] and chunk["context"].replace("Sals", "Sales") for chunk in before
    ]


def test_a_correction_that_is_undone_leaves_no_mark_and_the_file_can_be_read_again() -> None:  # A5
    first = ingested(RULES)
    right, wanted = chunks_of(first)[1]["text"], ReingestionFilter(workspace())
    second = correct(first, 1, right.replace("14", "15"))
    layout = read_document_layout(second) or {}
    assert [(each["of_file"], each["end"] - each["start"]) for each in layout["corrections"]] == [("4", 1)]
    with reading() as session:
        assert (count_matching(session, wanted), count_corrected(session, wanted)) == (0, 1)
    third = correct(second, 1, right)
    assert (read_document_layout(third) or {})["corrections"] == []
    assert [chunk["corrected"] for chunk in chunks_of(third)] == [False] * 3
    assert [edit["after"] for edit in read_edits(third)] == [right, right.replace("14", "15")]
    with reading() as session:
        assert (count_matching(session, wanted), count_corrected(session, wanted)) == (1, 0)


def test_cited_words_that_were_corrected_say_so_and_their_neighbours_do_not() -> None:  # N3
    new = correct(first := ingested(RULES), 1, chunks_of(first)[1]["text"].replace("14 days", "three weeks"))
    with reading() as session:
        text, marks = get_document_text(session, new) or "", find_marks(session, [(new, None), (first, None)])
    at = text.index("three weeks")
    assert marks.of(new, None, at - 10, at + 11)["corrected"]
    assert not marks.of(new, None, at - 10, at)["corrected"]
    assert not marks.of(first, None, at, at + 5)["corrected"]


def test_a_correction_that_would_take_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    document_id = ingested(f"# All\n\n{RULES.replace('# ', '## ')}")
    chunk = chunks_of(document_id)[0]
    monkeypatch.setattr("services.documents.chunk_corrections._MOST_RENAMED", 1)
    with pytest.raises(CorrectionInvalid, match="“All” stands above more than 1 passages"):
        correct(document_id, 0, chunk["text"].replace("All", "Everything"))
    monkeypatch.setattr("services.documents.chunk_corrections._MOST_COPIED", 2)
    with pytest.raises(CorrectionInvalid, match="of up to 2 can be corrected"):
        correct(document_id, 0, chunk["text"].replace("30", "31"))
    assert read_document(document_id)["status"] == "ready"


def test_of_two_people_who_correct_at_once_the_second_is_told() -> None:  # A5
    first = ingested(RULES)
    text, told = chunks_of(first)[0]["text"], list[Exception | uuid.UUID]()
    both_computed = threading.Barrier(2, timeout=20)

    class Slow:
        name, dimension = default_embedder().name, default_embedder().dimension

        def encode_documents(self, texts: list[str]) -> object:
            vectors = default_embedder().encode_documents(texts)
            both_computed.wait()
            return vectors

    def one(days: str) -> None:
        try:
            told.append(correct_chunk(first, 0, text.replace("30", days), ME, Slow()))  # pyright: ignore[reportArgumentType]
        except DocumentNotInForce as error:
            told.append(error)

    people = [threading.Thread(target=copy_context().run, args=(one, days)) for days in ("31", "32")]
    for each in people:
        each.start()
    for each in people:
        each.join()
    (made,) = [each for each in told if isinstance(each, uuid.UUID)]
    (refused,) = [each for each in told if isinstance(each, DocumentNotInForce)]
    assert str(made) in refused.message
    assert [edit["version"] for edit in read_edits(made)] == [2]
    check_sound(made)
    with reading() as session:
        assert set(session.scalars(select(Chunk.document_id))) == {first, made}
        assert set(session.scalars(select(Document.id))) == {first, made}


def test_the_history_tells_that_another_file_ended_a_correction() -> None:  # A5
    first = ingested(RULES)
    texts = [chunk["text"] for chunk in chunks_of(first)]
    second = correct(first, 0, texts[0].replace("30", "31"))
    third = correct(second, 1, texts[1].replace("14", "15"))
    new = ingested(RULES.replace("30 days", "31 days").replace("60", "61"))
    ended = [edit for edit in read_edits(new) if edit["kind"] == "correction_ended"]
    # The first is in the new file, too.
    assert [(edit["chunk_index"], edit["from_document"]) for edit in ended] == [(1, str(third))]
    assert "15 days" in ended[0]["before"]


def test_chunks_are_sought_by_their_words_and_by_what_people_did() -> None:
    korean = "반품은 상품을 받은 날부터 30일 안에 신청해야 합니다. 신청서는 주문한 곳으로 보냅니다. " * 3
    first = ingested(f"{RULES}\n\n# 배송\n\n{korean}")
    new = correct(first, 1, chunks_of(first)[1]["text"].replace("14", "15%"))

    def sought(**wanted: Any) -> list[int]:
        page = read_chunks(new, ChunkFilter(**wanted), first=0, limit=50)
        assert page["matching"] == len(page["chunks"])
        return [chunk["chunk_index"] for chunk in page["chunks"]]

    assert sought(contains="REFUNDS of") == [1]
    assert sought(contains="상품을 받은 날") == [3]
    assert sought(contains="%") == [1]
    assert (sought(corrected=True), sought(corrected=False)) == ([1], [0, 2, 3])
    assert sought(contains="nothing of it") == []


def test_a_corrected_version_can_be_corrected_again_and_the_file_sent_again_changes_nothing() -> None:  # A5
    first = ingested(RULES)
    text = chunks_of(first)[0]["text"]
    second = correct(first, 0, text.replace("30", "31"))
    third = correct(second, 1, chunks_of(second)[1]["text"].replace("14", "15"))
    check_sound(third)
    assert [chunk["corrected"] for chunk in chunks_of(third)] == [True, True, False]
    again = accept_document(NewDocument("rules.md", RULES.encode(), "w"), settings())
    assert (again.document_id, again.created, again.needs_work) == (third, False, False)
    # The versions before are what they were.
    assert "30 days" in chunks_of(first)[0]["text"]
    assert [edit["version"] for edit in read_edits(first)] == [3, 2]


def test_the_words_of_a_page_are_marked_where_they_stand_after_a_correction() -> None:
    sheet = Sheet().block("Returns take 30 days in all shops.").block("Refunds take 14 days after that.")
    old = ingested(sheet.data(), "rules.pdf")
    before = chunks_of(old)
    new = correct(old, 0, before[0]["text"].replace("30 days", "thirty whole days"))
    check_sound(new)
    with reading() as session:
        texts = [get_document_text(session, each) or "" for each in (old, new)]
    places = [text.index("Refunds") for text in texts]
    boxes = [read_boxes(each, at, at + 7) for each, at in zip((old, new), places, strict=True)]
    assert [[(box["left"], box["top"]) for box in page["boxes"]] for page in boxes[0]] == [
        [(box["left"], box["top"]) for box in page["boxes"]] for page in boxes[1]
    ]
    at = texts[1].index("thirty")
    assert read_boxes(new, at, at + 6)[0]["boxes"]


def test_standing_verification_looks_at_what_was_corrected() -> None:  # N7
    old = ingested(RULES)
    with transaction() as session:
        make_query(session)  # it is being answered, perhaps from this document
    new = correct(old, 1, chunks_of(old)[1]["text"].replace("14 days", "15 days"))
    with reading() as session:
        change = session.scalars(select(DocumentChange)).one()
    assert (change.document_id, change.replaced_by) == (old, new)


def test_a_correction_that_cannot_be_made_stores_nothing() -> None:
    document_id = ingested(RULES)
    text = chunks_of(document_id)[0]["text"]

    class Away:
        name, dimension = default_embedder().name, default_embedder().dimension

        def encode_documents(self, texts: object) -> object:
            raise EmbeddingUnavailable

    with pytest.raises(EmbeddingUnavailable):
        correct_chunk(document_id, 0, text + " More.", ME, Away())  # pyright: ignore[reportArgumentType]
    for index, sent, error in ((0, text, CorrectionInvalid), (99, "x", ChunkNotFound)):
        with pytest.raises(error):
            correct(document_id, index, sent)
    assert read_document(document_id)["status"] == "ready"
    assert read_edits(document_id) == []
    with reading() as session:
        assert session.scalars(select(Chunk.document_id).distinct()).all() == [document_id]


def test_only_the_version_in_force_is_changed_and_not_while_a_newer_one_is_read() -> None:  # A5
    old = ingested(RULES)
    text = chunks_of(old)[0]["text"]
    waiting = send(RULES + "\n\nMore.")
    with pytest.raises(DocumentNotInForce, match="newer version"):
        correct(old, 0, text.replace("30", "31"))
    set_excluded(old, 0, ME, excluded=True)  # which goes over to the newer one
    with pytest.raises(DocumentNotInForce, match="queued"):
        set_excluded(waiting, 0, ME, excluded=True)
    ingest(waiting, default_embedder(), IngestionSettings(), hold)
    assert chunks_of(waiting)[0]["excluded"]
    for change in (lambda: correct(old, 0, "Other."), lambda: set_excluded(old, 0, ME, excluded=False)):
        with pytest.raises(DocumentNotInForce, match=str(waiting)):
            change()
    with pytest.raises(DocumentNotFound):
        set_excluded(uuid.uuid4(), 0, ME, excluded=True)


def test_a_document_that_was_changed_can_be_deleted() -> None:
    old = ingested(RULES)
    new = correct(old, 0, chunks_of(old)[0]["text"].replace("30", "31"))
    set_excluded(new, 1, ME, excluded=True)
    remove_document(new, all_versions=True)
    with reading() as session:
        workspace = get_workspace(session, "w")
        assert (workspace.chunk_count, workspace.lexeme_count) == (0, 0)


def test_chunks_are_listed_in_pages() -> None:
    document_id = ingested(RULES)
    set_excluded(document_id, 1, ME, excluded=True)
    page = read_chunks(document_id, ChunkFilter(), first=0, limit=2)
    assert ([chunk["chunk_index"] for chunk in page["chunks"]], page["next_first"]) == ([0, 1], 2)
    assert (page["total"], page["excluded"]) == (3, 1)
    last = read_chunks(document_id, ChunkFilter(excluded=False), first=1, limit=2)
    assert ([chunk["chunk_index"] for chunk in last["chunks"]], last["next_first"]) == ([2], None)
    assert page["chunks"][0]["context"] is None or "Returns" in page["chunks"][0]["context"]
    assert page["chunks"][0]["tokens"] > 20
