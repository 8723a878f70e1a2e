"""The chain: each record is bound to all before it, and every difference is reported (N6)."""

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.audit.chain import Chain, audit, broken_links, canonical, chain, hashes_of, read_record
from verify_material.rows import for_all_rows

REQUEST = {"kind": "request", "query": "q", "question_sha256": "a"}
CALL = {"kind": "call", "call": 7, "reply_sha256": "b", "model": "m"}
SOURCE = {"kind": "source", "chunk_id": "doc_0::chunk_1", "document_id": "d", "version": 1, "sha256": "c"}
PROMPT = {"kind": "prompt", "name": "p", "version": "1", "sha256": "d"}
RESULT = {"kind": "result", "status": "succeeded"}
CONTENTS: list[dict[str, Any]] = [REQUEST, SOURCE, PROMPT, CALL, RESULT]
MADE = chain(CONTENTS)

texts = st.text(st.characters(exclude_categories=["Cs"]))
records = st.dictionaries(texts, st.none() | st.booleans() | st.integers() | texts, max_size=5)


def found(now: list[dict[str, Any]], stored: Chain = MADE, head: str = MADE.head) -> list[tuple[int | None, str, str]]:
    return [(difference.seq, difference.kind, difference.what) for difference in audit(stored, head, now).differences]


def test_a_record_has_one_form() -> None:  # N6
    assert canonical({"b": 1, "a": {"d": None, "c": "é\n"}}) == '{"a":{"c":"é\\n","d":null},"b":1}'
    for value in (0.5, {"deep": 1.0}, [1]):
        with pytest.raises(TypeError):
            canonical({"kind": "x", "value": value})


def test_anybody_can_compute_the_hashes_from_what_the_documentation_says() -> None:  # N6
    last = ""
    for record, told in zip(MADE.records, MADE.hashes, strict=True):
        last = hashlib.sha256((last + record).encode()).hexdigest()
        assert last == told
    assert last == MADE.head
    assert [json.loads(record)["seq"] for record in MADE.records] == [1, 2, 3, 4, 5]


@given(st.lists(records, min_size=1, max_size=6), st.data())
def test_no_record_can_be_changed_without_the_head(made: list[dict[str, Any]], data: st.DataObject) -> None:  # N6
    whole = chain(made)
    place = data.draw(st.integers(0, len(made) - 1))
    changed = [*whole.records]
    changed[place] = canonical({**json.loads(changed[place]), "seq": -1})
    assert hashes_of(changed)[-1] != whole.head
    assert broken_links(Chain(changed, whole.hashes)) == [place]


def test_what_was_changed_is_named() -> None:  # N6
    assert found(CONTENTS) == []
    changed = [{**record, "status": "failed"} if record is RESULT else record for record in CONTENTS]
    assert found(changed) == [(5, "result", "changed")]
    [difference] = audit(MADE, MADE.head, changed).differences
    assert difference.fields == ("status",)
    assert found([record for record in CONTENTS if record is not REQUEST]) == [(1, "request", "missing")]
    added = {"kind": "verdict", "verification": 1, "position": 9}
    assert found([*CONTENTS, added]) == [(None, "verdict", "added")]


def test_a_chain_that_was_written_anew_does_not_have_the_kept_head() -> None:  # N6
    forged = [{**record, "status": "failed"} if record is RESULT else record for record in CONTENTS]
    assert found(forged, chain(forged), chain(forged).head) == []
    assert found(forged, chain(forged)) == [(None, "head", "broken")]


def test_a_chain_that_was_cut_or_patched_is_broken() -> None:  # N6
    assert found(CONTENTS[:4], Chain(MADE.records[:4], MADE.hashes[:4])) == [(None, "head", "broken")]
    assert found(CONTENTS, Chain(MADE.records, MADE.hashes[:4])) == [(5, "result", "broken")]
    patched = [*MADE.hashes]
    patched[1] = "0" * 64
    assert found(CONTENTS, Chain(MADE.records, patched)) == [(2, "source", "broken"), (3, "prompt", "broken")]


def test_what_may_be_erased_is_counted_and_not_blamed() -> None:  # N6
    without_reply = {name: value for name, value in CALL.items() if name != "reply_sha256"}
    audited = audit(MADE, MADE.head, [REQUEST, PROMPT, without_reply, RESULT])
    assert (audited.differences, audited.erased) == ([], 2)
    assert found([REQUEST, SOURCE, PROMPT, {**without_reply, "model": "n"}, RESULT]) == [(4, "call", "changed")]


def test_a_text_that_came_with_a_request_may_not_be_taken_away() -> None:  # N6, N2
    given_source = {name: value for name, value in SOURCE.items() if name != "version"}
    made = chain([REQUEST, given_source, RESULT])
    assert found([REQUEST, RESULT], made, made.head) == [(2, "source", "missing")]


@for_all_rows(
    "text",
    [
        *("garbage", "", "[1]", "7", "{}", '{"seq":2}', '{"kind":["source"],"seq":2}', '{"kind":"source","seq":9}'),
        '{"chunk_id":[1],"kind":"source","seq":2}',
    ],
)
def test_what_is_no_record_is_broken_also_with_new_hashes(text: str) -> None:  # N6
    records = [*MADE.records]
    records[1] = text
    broken = (2, "unreadable", "broken")
    assert found(CONTENTS, Chain(records, MADE.hashes)) == [broken, (None, "source", "added")]
    anew = Chain(records, hashes_of(records))
    assert found(CONTENTS, anew, anew.head) == [broken, (None, "source", "added")]
    assert read_record(records, 1) == {"seq": 2, "kind": "unreadable", "text": text}


def test_a_chain_of_which_nothing_is_left_is_broken() -> None:  # N6
    kinds = [difference[1] for difference in found(CONTENTS, Chain([], []))]
    # A call may also be stored late.
    assert kinds == ["head", "request", "source", "result"]


def test_what_was_stored_after_the_end_and_other_prompts_are_no_differences() -> None:  # N6
    later = [{"kind": "call", "call": 8}, {"kind": "outcome", "round": 0, "step": "s", "item": ""}]
    audited = audit(MADE, MADE.head, [REQUEST, SOURCE, {**PROMPT, "sha256": None}, CALL, RESULT, *later])
    assert (audited.differences, audited.later, audited.unknown) == ([], 2, 1)
