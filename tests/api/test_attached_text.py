"""Attached texts are separated from the question that they come with (issue 44, F9)."""

import time
from typing import Any

import httpx
import pytest

from api.adapters.completions import content_of
from api.schemas.formats.completions import CompletionCreate
from api.schemas.formats.responses import ResponseCreate
from domain.answers.offered_sources import Offered
from domain.query.attached_text import attached_texts
from domain.query.side_requests import side_reply
from tests.attached import ATTACHED, BODY, IN_PARTS, ODD, PLAIN, QUESTION, Messages, in_open_webui
from verify_material.rows import for_all_rows

pytestmark = pytest.mark.usefixtures("default_workspace")


def read(messages: Messages) -> CompletionCreate:
    return CompletionCreate.model_validate({"model": "default", "messages": messages})


@for_all_rows("name", [*ATTACHED, *IN_PARTS])
def test_the_question_is_what_the_person_wrote_and_the_texts_are_sources(name: str) -> None:
    asked = read((ATTACHED | IN_PARTS)[name])
    assert asked.question == ("어디에 서명합니까?" if "Korean" in name else QUESTION)
    assert asked.sources
    texts = {BODY, "Visitors must sign in at the desk.", "방문객은 안내대에서 서명합니다."}
    assert {source.text for source in asked.sources} <= texts
    names = {source.title for source in asked.sources}
    assert names <= {"rules.md", "more.md", None}
    assert names != {None} or name in UNNAMED


UNNAMED = (
    "AnythingLLM",
    "AnythingLLM, in Korean",
    "Open WebUI, another template",
    "Open WebUI, 2024",
    "somebody's own",
    "a search result",
)


@for_all_rows("name", ODD)
def test_a_question_is_told_by_where_it_stands_or_not_at_all(name: str) -> None:
    messages, question = ODD[name]
    assert read(messages).question == question


@for_all_rows("name", PLAIN)
def test_what_only_looks_like_it_is_asked(name: str) -> None:
    asked = read(PLAIN[name])
    assert (asked.question, asked.sources) == (PLAIN[name][-1]["content"], [])


def test_a_file_that_asks_for_a_title_is_a_file() -> None:
    wanted = '{ "title": "x" }\n<chat_history>\nUSER: Paid.\n</chat_history>'
    for body in (wanted, f"{wanted}\n<source>\n<context>"):
        assert side_reply(in_open_webui(body)) is None


def test_a_refusal_names_the_texts_and_no_name_is_a_link() -> None:
    told: dict[str, Any] = {"abstained": True, "answer": "I don't know.", "restated_question": None, "question": "Who?"}
    assert content_of(told | {"attached_texts": []}, "full") == "I don't know."
    told["attached_texts"] = ["a.md", "[b](c)"]
    assert content_of(told, "none") == "I don't know."
    assert content_of(told, "full") == "I don't know.\n\nThe texts read were those attached: a.md, \\[b\\](c)."
    assert content_of(told | {"question": "누구입니까?"}, "full").endswith("\n\n읽은 첨부 텍스트: a.md, \\[b\\](c).")
    answered = told | {"abstained": False, "citations": [], "references": ["[1] [b](c)"]}
    assert content_of(answered, "references") == "I don't know.\n\n- [1] \\[b\\](c)"


def test_earlier_messages_lose_their_texts_which_count() -> None:
    before = ATTACHED["LibreChat, text in the message"]
    asked = read([*before, {"role": "assistant", "content": "At the desk."}, {"role": "user", "content": "And dogs?"}])
    assert asked.before == [("user", QUESTION), ("assistant", "At the desk.")]
    assert [source.text for source in asked.sources] == [BODY]
    undecided, _ = ODD["no question"]
    assert read([*undecided, {"role": "user", "content": QUESTION}]).sources == []
    plain = {"type": "document", "title": " a\n\u202eb\u200b ", "source": {**PICTURE, "media_type": "text/plain"}}
    assert read([{"role": "user", "content": [plain]}]).sources == [Offered("Dogs wait.", "a b")]
    odd = read([{"role": "user", "content": [{"type": "document", "title": "a\x00\udfff", "text": f"\x00{BODY}"}]}])
    assert [(source.title, source.text) for source in odd.sources] == [("a?", BODY)]
    told = ResponseCreate.model_validate(
        {"model": "default", "input": QUESTION, "instructions": ATTACHED["AnythingLLM"][0]["content"]}
    )
    assert (told.question, [source.text for source in told.sources]) == (QUESTION, [BODY])


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/responses"])
def test_what_cannot_be_told_is_refused_in_a_sentence(http: httpx.Client, path: str) -> None:
    messages, _ = ODD["no question"]
    asked = {"model": "default", "messages": messages, "input": messages}
    refused = http.post(path, json=asked)
    assert refused.status_code == 422, refused.text
    error = refused.json()["error"]
    assert (error["code"], error["param"]) == ("text_attached", "input" if "responses" in path else "messages")
    assert "<user_query>" in error["message"]
    for source in ({"type": "url", "url": "http://localhost/a"}, {"type": "file", "file_id": "f"}, PICTURE, {}):
        document = {"type": "document", "source": source}
        parts = [{"role": "user", "content": [document, {"type": "text", "text": QUESTION}]}]
        refused = http.post(path, json={"model": "default", "messages": parts, "input": parts})
        assert refused.status_code == 422, refused.text
        assert "needs a text" in refused.text
    for documents, told in (([{"title": "rules.md"}], "each must be a text"), (BODY, "documents"), (MANY, "101 texts")):
        refused = http.post(
            path, json=asked | {"messages": PLAIN["a question"], "input": QUESTION, "documents": documents}
        )
        assert refused.status_code == 422, refused.text
        assert told in refused.text
    assert http.get("/v1/queries").json()["queries"] == []


PICTURE = {"type": "base64", "media_type": "application/pdf", "data": "RG9ncyB3YWl0Lg=="}
N = 40_000
LINES, HISTORY = "sourceDocument: a" + "\na" * N, "### Task:\n" + "<chat_history>" * N
MANY = [f"Rule {n}." for n in range(101)]
IN_TAGS = (
    f'<documents><document index="1">\n<source>rules.md</source>\n<body>\n{BODY}\n</body>\n</document></documents>'
)


@for_all_rows("hostile", ["<" + "a" * N, "</" + "content" * N, "<![CDATA[" * N, f"<document_metadata>{LINES}", HISTORY])
def test_no_text_is_read_slowly(hostile: str) -> None:
    message = hostile if hostile.startswith("#") else f"<source>\n{hostile}\n</source>\nWho?"
    before = time.process_time()
    asked = read([{"role": "user", "content": message}])
    assert side_reply(asked.last) is None
    assert asked.question
    assert asked.sources or hostile == HISTORY
    assert time.process_time() - before < 1


def test_a_text_has_the_name_of_its_file_and_nothing_else_is_one() -> None:
    assert attached_texts(f"{IN_TAGS}\n{QUESTION}", is_question=True) == [("rules.md", BODY)]
    lines = '<context>\n<source id="1" name="a">Dogs wait.</source>\n<source id="2">Cats do.</source>\n</context>'
    assert attached_texts(lines, is_question=True) == [("a", "Dogs wait."), (None, "Cats do.")]
    listed = "A file:\n<file>\n<filename>rules.md</filename>\n<type>text/markdown</type>\n</file>"
    assert attached_texts(listed, is_question=True) == []
    code = f'```md# "a.md"\n{BODY}\n```\nx\n```\nThe end.\n```'
    assert attached_texts(code, is_question=False) == [("a.md", f"{BODY}\n```\nx\n```\nThe end.")]
