"""Replies as models write them, read as the judgements that they are, and those that say two things read as none."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citewell_verify.prompting.judgements import (
    Alignment,
    Answerability,
    ItemRelevance,
    Relevance,
    Relevances,
    Reply,
    StatementCheck,
)
from citewell_verify.prompting.lenient_json import Bare, Pairs, Value, parse_values
from citewell_verify.prompting.reply_reading import ReplyUnreadable, read_reply
from verify_material.rows import for_all_rows

CHECK = StatementCheck(
    evidence="within {30} days",
    differences=["a, b", "30 days"],
    explanation="It says so.",
    relation="partially_supports",
    is_accurate=True,
    confidence=0.9,
)
JSON = json.dumps(CHECK.model_dump())
LINES = json.dumps(CHECK.model_dump(), indent=2)

SAME: dict[str, str] = {
    "bare": JSON,
    "in lines": LINES.replace("\n", "\r\n"),
    "fence": f"```json\n{JSON}\n```",
    "fence without a name or an end": f"```\n{LINES}",
    "preface and fence": f"Sure! Here's the verdict [1]:\n```JSON\n{JSON}\n```\nLet me know.",
    "text behind": f"{JSON}\n\nNote: {{this}} is final.",
    "tag": f"<answer>{JSON}</answer>",
    "assignment": f"const reply = {JSON};",
    "list of one": f"[{JSON}]",
    "twice": f"{JSON}\n{LINES}",
    "wrapped": json.dumps({"thoughts": "hm", "result": CHECK.model_dump()}),
    "wrapped twice": json.dumps({"response": {"data": CHECK.model_dump()}}),
    "wrapped as a schema": json.dumps({"type": "object", "properties": CHECK.model_dump()}),
    "quoted": json.dumps(JSON),
    "a tool's arguments": json.dumps({"name": "reply", "arguments": JSON}),
    "an unknown key": JSON[:-1] + ', "details": {"pages": 0.1}}',
    "keys of another case": JSON.replace("is_accurate", "isAccurate").replace("relation", "Relation"),
    "a comma too many": JSON[:-1] + ",}",
    "a comma too few": LINES.replace('",\n', '"\n'),
    "Python": repr(CHECK.model_dump()),
    "keys without quotes": JSON.replace('"is_accurate"', "is_accurate"),
    "comments": JSON.replace('{"', '{ // mine\n"', 1).replace('"confidence"', '/* sure */ "confidence"'),
    "curly quotes": JSON.replace('"relation": "partially_supports"', "“relation”: “partially_supports”"),
    "full-width signs": JSON.replace('": ', '"：').replace(', "', '，"').replace('{"', '｛"', 1),
    "the relation in other spelling": JSON.replace("partially_supports", "Partially-Supports."),
    "a list of one relation": JSON.replace('"partially_supports"', '["partially supports"]'),
    "truth as a word": JSON.replace("true", '"Yes"'),
    "percent": JSON.replace("0.9", '"90 %"'),
    "percent without quotes": JSON.replace("0.9", "90%"),
    "a fraction": JSON.replace("0.9", '"9/10"'),
    "a decimal comma": JSON.replace("0.9", '"0,9"'),
    "the same key twice": JSON.replace('"is_accurate": true', '"is_accurate": true, "is_accurate": true'),
}


@for_all_rows("text", SAME.values())
def test_the_form_changes_nothing(text: str) -> None:
    assert read_reply(StatementCheck, text) == CHECK


WITH_OTHER_TEXT: dict[str, tuple[str, dict[str, Any]]] = {
    "a raw line break": (JSON.replace("It says", "It\nsays"), {"explanation": "It\nsays so."}),
    "quotation marks inside": (JSON.replace("It says so", 'It says "so"'), {"explanation": 'It says "so".'}),
    "an address": (JSON.replace("It says so", "https://a.b//c # d"), {"explanation": "https://a.b//c # d."}),
    "no list": (JSON.replace('["a, b", "30 days"]', "null"), {"differences": []}),
    "a text for a list": (JSON.replace('["a, b", "30 days"]', '"a, b"'), {"differences": ["a, b"]}),
    "no text": (JSON.replace('"It says so."', "null"), {"explanation": ""}),
    "a missing text": (JSON.replace('"explanation": "It says so.", ', ""), {"explanation": ""}),
    "a verdict in a quotation": (
        JSON.replace("It says so.", '{\\"is_accurate\\": false}'),
        {"explanation": '{"is_accurate": false}'},
    ),
}


@for_all_rows(("text", "change"), WITH_OTHER_TEXT.values())
def test_a_slip_in_a_text_leaves_the_verdict(text: str, change: dict[str, Any]) -> None:
    assert read_reply(StatementCheck, text) == CHECK.model_copy(update=change)


UNREADABLE: dict[str, str] = {
    "empty": "",
    "empty object": "{}",
    "prose": "It is supported.",
    "schema": json.dumps(StatementCheck.model_json_schema()),
    "two different": JSON + JSON.replace("true", "false"),
    "a list of two different": f"[{JSON}, {JSON.replace('0.9', '0.2')}]",
    "an example before it": f"The format is {JSON.replace('0.9', '0.1')}. Mine: {JSON}",
    "another one wrapped beside it": json.dumps({"draft": {**CHECK.model_dump(), "is_accurate": False}, "final": JSON}),
    "another one inside": JSON[:-1] + f', "alternative": {JSON.replace("true", "false")}}}',
    "a second verdict behind it": f'{JSON}, "is_accurate": false}}',
    "a key twice": JSON.replace('"is_accurate": true', '"is_accurate": false, "is_accurate": true'),
    "a key in two cases": JSON.replace('"is_accurate": true', '"Is_Accurate": false, "is_accurate": true'),
    "part of a wrapper": json.dumps({"result": {"relation": "supports", "is_accurate": True, "confidence": 1}}),
    "cut in a text": JSON[: JSON.index("says so")],
    "cut in a number": JSON[: JSON.index("0.9") + 2],
    "without its end": JSON[:-1],
    "quoted in a broken object": '{"is_accurate": false, "evidence": "the form {"x": ' + JSON + '} here"}',
    "NUL": JSON.replace("so.", "\\u0000"),
    "no verdict": JSON.replace('"is_accurate": true, ', ""),
    "a part of another one inside": JSON[:-1] + ', "details": {"confidence": 0.1}}',
    "another verdict in a list beside it": f"{JSON}\n\n- **relation**: contradicts\n- **is_accurate**: false",
    "another verdict in a table beside it": f"{JSON}\n| relation | contradicts |",
    "a later verdict of another name": JSON[:-1] + ', "final_relation": "contradicts"}',
    "no confidence": JSON.replace(', "confidence": 0.9', ""),
    "a verdict of null": JSON.replace("true", "null"),
    "a verdict of 1": JSON.replace("true", "1"),
    "both": JSON.replace("true", '"true/false"'),
    "another word": JSON.replace("true", '"not true"'),
    "a sign before it": JSON.replace("partially_supports", "!supports"),
    "a relation with not": JSON.replace("partially_supports", "not supports"),
    "a relation with more": JSON.replace("partially_supports", "supports (partially)"),
    "two relations": JSON.replace('"partially_supports"', '["supports", "contradicts"]'),
    "deep": "[" * 5_000 + JSON + "]" * 5_000,
    "many beginnings": "{" * 50_000,
    "strings without an end": '{"a": "' * 5_000,
}


@for_all_rows("text", UNREADABLE.values())
def test_what_says_two_things_or_not_all_is_unreadable(text: str) -> None:
    with pytest.raises(ReplyUnreadable):
        read_reply(StatementCheck, text)


@for_all_rows(
    "score",
    "9 90 1.5 -0.1 true null NaN Infinity 1e999 [0.9,0.2] {}".split()
    + [f'"{text}"' for text in ("0.9 or 0.2", "0.8-0.9", "0.9 (high)", "high", "11/10", "9/0", "1/2/3", "150%", "nan")],
)
def test_a_score_without_a_clear_scale_is_no_score(score: str) -> None:
    with pytest.raises(ReplyUnreadable):
        read_reply(Relevance, f'{{"score": {score}}}')


@for_all_rows(
    ("schema", "text"),
    [
        (Answerability, '{"claims": [{"claim": "a", "supported": true}]}'),
        (Answerability, '{"reason": "one", "parts": {"reason": "b", "supported": true}}'),
        (Answerability, 'It has "supported": false, as in {"supported": true}'),
        (Relevance, '{"chunks": [{"id": "a", "score": 0.9}]}'),
        (Relevance, '{"type": "object", "properties": {"score": {"type": "number"}}, "required": ["score"]}'),
        (Relevances, '{"scores": [{"id": "a", "score": 0.9}'),
        (Alignment, '{"answers": true, "score": 1, "open_parts": []}'),
    ],
)
def test_a_part_of_something_else_is_no_verdict(schema: type[Reply], text: str) -> None:
    with pytest.raises(ReplyUnreadable):
        read_reply(schema, text)


def test_a_list_is_the_reply_that_has_nothing_else() -> None:
    replied = Relevances(scores=[ItemRelevance(id="2345", score=0.9), ItemRelevance(id="abcd", score=0)])
    assert read_reply(Relevances, '[{"id": 2345, "score": "90%"}, {"id": "abcd", "score": 0}]') == replied


def test_the_fault_names_the_field() -> None:
    with pytest.raises(ReplyUnreadable, match="score: Value error, must be between 0 and 1"):
        read_reply(Relevance, '{"score": 90}')
    with pytest.raises(ReplyUnreadable, match="no complete JSON object"):
        read_reply(Relevance, '{"score": 0.9')


_JSON_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-999, 999) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def _plain(value: Value) -> Any:
    if isinstance(value, Pairs):
        return {key: _plain(member) for key, member in value}
    if isinstance(value, list):
        return [_plain(member) for member in value]
    return json.loads(value) if isinstance(value, Bare) else value


def _in_a_line(value: object) -> str:
    return json.dumps(value)


def _in_lines(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False)


@pytest.mark.parametrize("written", [_in_a_line, _in_lines])
@settings(max_examples=60)
@given(value=st.dictionaries(st.text(max_size=5), _JSON_VALUES, max_size=4))
def test_valid_json_is_read_like_by_any_other_parser(written: Callable[[Any], str], value: dict[str, Any]) -> None:
    parsed = parse_values(f"So: {written(value)}")
    assert list(map(_plain, parsed.values)) == [value]
    assert parsed.rest == ("So: ", "")
