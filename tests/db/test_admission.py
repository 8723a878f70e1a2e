"""Admission: fair between tenants, people before files, never twice and never too many (A7)."""

import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import text

from db.models import DEFAULT_TENANT, Query, QueryKind, QueryStatus
from db.queries.access.keys import get_or_add_tenant
from db.queries.admission import admission
from db.queries.admission import documents as of_documents
from db.queries.admission.admission import Admitted
from db.queries.documents.ingestion import claim_document
from db.queries.documents.reingestions import MARK
from db.queries.runs import queries
from db.queries.verifications.batches import add_batch, mark_batch_cancelled
from db.session import acting_for, reading, system_transaction, transaction
from tests.factories import make_document, make_options, make_query
from tests.processes import living

pytestmark = pytest.mark.usefixtures("database")


def tenant(name: str, weight: float = 1) -> int:
    with system_transaction() as session:
        tenant_id = get_or_add_tenant(session, name, "whsec_")
        session.execute(text("UPDATE tenants SET weight = :w WHERE id = :t"), {"w": weight, "t": tenant_id})
    return tenant_id


def ask(count: int, of: int = DEFAULT_TENANT, **over: Any) -> list[uuid.UUID]:
    """Waiting questions of a tenant, oldest first."""
    ids: list[uuid.UUID] = []
    with acting_for(of):
        for _ in range(count):
            with transaction() as session:
                ids.append(make_query(session, **over).id)
    return ids


def script(count: int, of: int = DEFAULT_TENANT) -> list[uuid.UUID]:
    """The same, asked by scripts."""
    return ask(count, of, is_scripted=True)


def file(count: int, of: int = DEFAULT_TENANT) -> uuid.UUID:
    """A batch with `count` waiting items."""
    batch_id = uuid.uuid4()
    with acting_for(of), transaction() as session:
        add_batch(session, batch_id, count, None)
        for position in range(count):
            make_query(session, kind=QueryKind.VERIFICATION, batch_id=batch_id, position=position)
    return batch_id


def admit(per_process: int = 8, of_batch: int = 8) -> list[Admitted]:
    with system_transaction() as session:
        return admission.admit_queries(session, per_process=per_process, of_batch=of_batch)


def end(*query_ids: uuid.UUID) -> None:
    with system_transaction() as session:
        for query_id in query_ids:
            assert queries.mark_finished(session, query_id, QueryStatus.SUCCEEDED)


def tenants_of(admitted: list[Admitted]) -> Counter[int]:
    return Counter(each.tenant_id for each in admitted)


def items_among(admitted: list[Admitted]) -> int:
    return sum(each.kind == QueryKind.VERIFICATION for each in admitted)


def test_a_query_starts_once_and_the_oldest_first() -> None:  # A7
    ids = ask(5)
    first = admit(per_process=3)
    assert [each.query_id for each in first] == ids[:3]
    assert [(each.launch, each.round, each.kind) for each in first] == [(1, 0, "answer")] * 3
    assert admit(per_process=3) == []
    end(ids[1])
    assert [each.query_id for each in admit(per_process=3)] == [ids[3]]
    with reading() as session:
        assert session.get_one(Query, ids[3]).status == QueryStatus.RUNNING
        assert session.get_one(Query, ids[4]).status == QueryStatus.QUEUED


def test_places_grow_with_the_processes_that_verify_and_live() -> None:  # A1, A7
    ask(30)
    with living("verification"), living("verification", "citations") as second, living("retrieval"):
        assert len(admit(per_process=4)) == 8
        with system_transaction() as session:
            dying = text("UPDATE worker_processes SET seen_at = now() - interval '16 s' WHERE id = :id")
            session.execute(dying, {"id": second})
        assert admit(per_process=6) == []
        assert len(admit(per_process=9)) == 1
    assert len(admit(per_process=11)) == 2


def test_tenants_take_turns_however_much_one_of_them_asks() -> None:  # A7
    ask(20)
    quiet = tenant("quiet")
    theirs = ask(3, quiet)
    first = admit(per_process=4)
    assert tenants_of(first) == {DEFAULT_TENANT: 2, quiet: 2}
    # Whoever runs less comes first.
    end(*[each.query_id for each in first if each.tenant_id == quiet])
    assert next(iter(admit(per_process=4))).query_id == theirs[2]


def test_a_tenant_of_more_weight_has_more_running() -> None:  # A7
    ask(20)
    heavy = tenant("heavy", weight=3)
    ask(20, heavy)
    assert tenants_of(admit(per_process=8)) == {DEFAULT_TENANT: 2, heavy: 6}


def test_people_come_before_files_but_for_one_place_in_eight() -> None:  # A7, N2
    file(20)
    asked = ask(30)
    first = admit(per_process=16)
    assert items_among(first) == 2
    assert [each.query_id for each in first[:14]] == asked[:14]
    end(*asked[:14])
    assert items_among(admit(per_process=16)) == 0


def test_files_use_the_places_that_people_leave() -> None:  # N2
    file(20)
    file(20)
    ask(3)
    first = admit(per_process=12, of_batch=5)
    assert (len(first), items_among(first)) == (12, 9)
    assert items_among(admit(per_process=100, of_batch=5)) == 1


def test_a_file_has_few_items_running_in_their_order() -> None:  # N2
    batch_id = file(9)
    first = admit(per_process=32, of_batch=4)
    with reading() as session:
        assert [session.get_one(Query, each.query_id).position for each in first] == [0, 1, 2, 3]
    end(first[2].query_id)
    (following,) = admit(per_process=32, of_batch=4)
    with transaction() as session:
        assert session.get_one(Query, following.query_id).position == 4
        mark_batch_cancelled(session, batch_id)
    end(first[3].query_id)
    assert admit(per_process=32, of_batch=4) == []


def test_files_of_several_tenants_take_turns() -> None:  # A7, N2
    file(50)
    file(50)
    other = tenant("other")
    file(50, other)
    assert tenants_of(admit(per_process=12, of_batch=50)) == {DEFAULT_TENANT: 6, other: 6}


def test_a_persons_question_goes_before_the_scripted_ones_of_its_tenant() -> None:  # F11
    scripted = script(5)
    asked = ask(2)
    assert [each.query_id for each in admit(per_process=3)] == [*asked, scripted[0]]
    (later,) = ask(1)
    end(asked[0])
    assert next(iter(admit(per_process=3))).query_id == later


def test_a_person_is_first_in_one_tenant_only() -> None:  # A7, F11
    script(20)
    other = tenant("other")
    ask(20, other)
    assert tenants_of(admit(per_process=8)) == {DEFAULT_TENANT: 4, other: 4}


def test_two_people_start_at_once_beside_the_scripts_of_their_tenant_and_take_nobodys_place() -> None:  # F11
    script(20)
    other = tenant("other")
    theirs = script(20, other)
    started = admit(per_process=8)
    assert tenants_of(started) == {DEFAULT_TENANT: 4, other: 4}
    asked = ask(3)
    assert [each.query_id for each in admit(per_process=8)] == asked[:2]
    assert admit(per_process=8) == []
    end(theirs[0])
    assert [each.query_id for each in admit(per_process=8)] == [theirs[4]]


def of_model(model: str | None, choice: int | None = None) -> dict[str, Any]:
    return {"options": make_options(model=model, model_choice=choice).model_dump(mode="json")}


def test_a_slow_model_holds_up_only_its_own_questions() -> None:  # A7, issue 37
    slow = ask(9, **of_model("slow"))
    assert [query.query_id for query in admit(per_process=6)] == slow[:6]
    quick = ask(2, **of_model("quick"))
    chosen = ask(3, **of_model("slow", choice=7))
    started = {query.query_id for query in admit(per_process=6)}
    assert started == {*quick, *chosen[:2]}
    assert admit(per_process=6) == []
    # What runs beside takes no place from the others: two that end make room for two.
    end(slow[0], slow[1], quick[0])
    assert {query.query_id for query in admit(per_process=6)} == {slow[6], slow[7]}
    end(chosen[0])
    assert [query.query_id for query in admit(per_process=6)] == [chosen[2]]


def test_beside_the_busiest_model_no_more_run_than_there_are_places_for() -> None:  # A7, issue 37
    ask(9, **of_model("slow"))
    assert len(admit(per_process=3)) == 3
    for number in range(5):
        ask(3, **of_model(f"model {number}"))
    assert len(admit(per_process=3)) == 3
    assert admit(per_process=3) == []


def test_with_two_models_and_free_places_every_place_is_used() -> None:  # A7, issue 37
    ask(2, **of_model("first"))
    assert len(admit(per_process=8)) == 2
    ask(20, **of_model("second"))
    assert len(admit(per_process=8)) == 8


def test_who_calls_all_of_his_questions_a_persons_has_no_more_places_for_it() -> None:  # A7, F11
    ask(20)
    assert len(admit(per_process=8)) == 8
    assert admit(per_process=8) == []


def test_no_more_is_started_than_the_processes_say_that_they_can_take() -> None:  # F11
    script(30)
    with living("verification", room=3), living("verification", room=50), living("retrieval", room=9):
        assert len(admit(per_process=8)) == 11
        with system_transaction() as session:
            assert admission.is_at_capacity(session, per_process=8)
            assert not admission.is_at_capacity(session, per_process=20)


def test_on_a_busy_machine_one_script_runs_beside_a_person_and_other_tenants_go_on() -> None:  # F11
    scripted = script(20)
    other = tenant("other")
    with living("verification", room=4):
        started = admit(per_process=8)
        assert [each.query_id for each in started] == scripted[:4]
        asked = ask(1)
        assert [each.query_id for each in admit(per_process=8)] == asked
        end(*scripted[:4])
        theirs = script(20, other)
        following = [each.query_id for each in admit(per_process=8)]
        assert set(following) == {scripted[4], *theirs[:2]}
        end(*asked, scripted[4])
        assert tenants_of(admit(per_process=8)) == {DEFAULT_TENANT: 2}


def test_a_file_waits_for_the_person_of_its_own_tenant_too() -> None:  # F11, N2
    file(20)
    with living("verification", room=4):
        assert len(admit(per_process=8)) == 4
        asked = ask(1)
        assert [each.query_id for each in admit(per_process=8)] == asked


def have_taken_20_s() -> None:
    """Five queries that have just ended took this long."""
    ids = ask(5)
    assert len(admit(per_process=8)) == 5
    with system_transaction() as session:
        session.execute(text("UPDATE queries SET started_at = now() - interval '20 s'"))
    end(*ids)


def test_what_cannot_be_finished_in_time_any_more_is_not_started() -> None:  # F11
    have_taken_20_s()
    short = ask(1, options=make_options(deadline_s=10).model_dump(mode="json"))
    long = ask(1, options=make_options(deadline_s=60).model_dump(mode="json"))
    endless = ask(1, options=make_options(deadline_s=None).model_dump(mode="json"))
    with system_transaction() as session:
        session.execute(text("UPDATE queries SET created_at = now() - interval '2 s' WHERE status = 'queued'"))
        assert [each.query_id for each in admission.list_expired(session)] == short
    assert {each.query_id for each in admit(per_process=8)} == {*long, *endless}


def test_what_has_hardly_waited_is_tried_though_the_last_ones_took_longer() -> None:  # F4, F11
    """They may have waited for a model that was unreachable and now is not."""
    have_taken_20_s()
    short = ask(1, options=make_options(deadline_s=10).model_dump(mode="json"))
    with system_transaction() as session:
        assert admission.list_expired(session) == []
    assert [each.query_id for each in admit(per_process=8)] == short


def test_several_that_admit_at_once_start_nothing_twice_and_not_too_many() -> None:  # A5, A7
    ask(40)
    with ThreadPoolExecutor(6) as threads:
        found = [each for some in threads.map(admit, [25] * 12) for each in some]
    assert len({each.query_id for each in found}) == len(found) == 25


def test_a_query_that_somebody_is_cancelling_is_left_out() -> None:  # A3
    first, second = ask(2)
    with transaction() as session:
        queries.mark_finished(session, first, QueryStatus.CANCELLED)
        assert [each.query_id for each in admit()] == [second]


def documents(count: int, of: int = DEFAULT_TENANT, first: int = 0) -> list[uuid.UUID]:
    ids: list[uuid.UUID] = []
    with acting_for(of):
        for number in range(first, first + count):
            with transaction() as session:
                ids.append(make_document(session, "words", number=number, status="queued").id)
    return ids


def admit_documents() -> list[tuple[uuid.UUID, int]]:
    with system_transaction() as session:
        return of_documents.admit_documents(session, older_than_s=10)


def test_few_documents_start_and_every_tenant_has_its_turn() -> None:  # A7
    documents(10)
    other = tenant("other")
    theirs = documents(2, other)
    with living("ingestion", concurrency=3):
        assert Counter(tenant_id for _, tenant_id in admit_documents()) == {DEFAULT_TENANT: 2, other: 2}
        assert admit_documents() == []
        with acting_for(other), transaction() as session:
            for document_id in theirs:
                assert claim_document(session, document_id, lease_s=20)
        assert admit_documents() == []
        with system_transaction() as session:
            session.execute(text("UPDATE documents SET status = 'ready' WHERE status = 'processing'"))
        # The last place is kept for other tenants.
        assert admit_documents() == []
        ended(DEFAULT_TENANT)
        assert [tenant_id for _, tenant_id in admit_documents()] == [DEFAULT_TENANT] * 2


def ended(of: int) -> None:
    """All published documents of the tenant were read."""
    with acting_for(of), transaction() as session:
        session.execute(text("UPDATE documents SET status = 'ready' WHERE launched_at IS NOT NULL"))


@pytest.mark.parametrize(("concurrency", "most"), [(1, 1), (2, 1), (3, 2)])
def test_one_tenants_documents_leave_a_place_to_others(concurrency: int, most: int) -> None:  # A7
    documents(10)
    other = tenant("other")
    with living("ingestion", concurrency=concurrency):
        assert len(admit_documents()) == most
        theirs = documents(1, other)
        assert [document_id for document_id, _ in admit_documents()] == theirs
        assert admit_documents() == []


def test_the_only_tenant_has_all_places_and_one_document_waiting_behind_them() -> None:
    documents(10)
    with living("ingestion", concurrency=3):
        assert len(admit_documents()) == 4


def test_a_short_document_goes_before_long_ones_that_came_a_little_earlier_but_not_much() -> None:  # A7
    first, earlier, later, short = documents(4)
    sizes = {first: (3_000_000, 9_000), earlier: (3_000_000, 200), later: (3_000_000, 100), short: (700, 0)}
    with system_transaction() as session:
        for document_id, (size, age_s) in sizes.items():
            changes = "size_bytes = :size, created_at = now() - make_interval(secs => :age)"
            session.execute(
                text(f"UPDATE documents SET {changes} WHERE id = :id"), {"size": size, "age": age_s, "id": document_id}
            )
    assert {document_id for document_id, _ in admit_documents()} == {first, short}


def test_what_is_new_is_read_before_what_is_read_again_and_other_tenants_have_their_turns() -> None:  # A7
    again, other = documents(30), tenant("other")
    with system_transaction() as session:
        session.execute(text("UPDATE documents SET sha256 = sha256 || :mark"), {"mark": MARK})
    with living("ingestion", concurrency=2):
        # One that is published already stays before it.
        assert [document_id for document_id, _ in admit_documents()] == again[:1]
        uploads = documents(2, first=30)
        theirs = documents(1, other)
        assert [document_id for document_id, _ in admit_documents()] == theirs
        turns: list[uuid.UUID] = []
        for _ in range(4):
            ended(DEFAULT_TENANT)
            turns += [document_id for document_id, _ in admit_documents()]
    assert turns == [*uploads, *again[1:3]]


def test_a_new_tenants_document_is_not_behind_older_ones_of_several_archives() -> None:  # A7
    first, second, quiet = DEFAULT_TENANT, tenant("second"), tenant("quiet")
    documents(10, first)
    documents(10, second)
    with living("ingestion", concurrency=1):
        assert {tenant_id for _, tenant_id in admit_documents()} == {first, second}
        documents(1, quiet)
        turns: list[int] = []
        for of in (first, second, quiet):
            ended(of)
            turns += [tenant_id for _, tenant_id in admit_documents()]
    assert (turns[0], set(turns)) == (quiet, {first, second, quiet})


def test_an_archive_gives_way_to_a_published_document_of_another_tenant_only() -> None:  # A7
    documents(2)
    other = tenant("other")
    assert not others_wait(other)
    assert len(admit_documents()) == 1
    assert (others_wait(other), others_wait(DEFAULT_TENANT)) == (True, False)


def others_wait(tenant_id: int) -> bool:
    with system_transaction() as session:
        return of_documents.others_wait(session, tenant_id)


def test_documents_that_could_not_be_published_wait_again() -> None:  # A5
    ids = documents(2)
    started = [document_id for document_id, _ in admit_documents()]
    assert started == ids
    with system_transaction() as session:
        of_documents.unlaunch_documents(session, started[1:])
    assert [document_id for document_id, _ in admit_documents()] == ids[1:]
