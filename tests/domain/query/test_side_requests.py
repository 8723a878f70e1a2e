"""What chat programs ask about a conversation itself is told from questions about documents."""

import json
from typing import Any

from domain.query.side_requests import side_reply
from tests import open_webui
from verify_material.rows import for_all_rows

HISTORY = (
    "USER: Within how many days\nmust returns be made?\nASSISTANT: Within 30 days. [1]\nUSER: And refunds?\nASSISTANT: "
)


def prompt(sent: dict[str, Any]) -> str:
    return sent["messages"][0]["content"]


@for_all_rows(
    ("sent", "reply"),
    [
        (open_webui.title("w", HISTORY), {"title": "Within how many days must returns be made?"}),
        (open_webui.title("w", "USER: 펌프 4의 압력은?\nASSISTANT: "), {"title": "펌프 4의 압력은?"}),
        (open_webui.title("w", ""), {"title": ""}),
        (open_webui.queries("w", HISTORY), {"queries": ["And refunds?"]}),
        (open_webui.queries("w", ""), {"queries": []}),
        (open_webui.tags("w", HISTORY), {"tags": []}),
        (open_webui.follow_ups("w", HISTORY), {"follow_ups": []}),
        (open_webui.autocompletion("w", "Within how", HISTORY), {"text": ""}),
        # What was said does not decide what is wanted.
        (open_webui.tags("w", 'USER: What is { "title": "x" }?'), {"tags": []}),
    ],
)
def test_each_request_gets_the_form_that_it_asks_for(sent: dict[str, Any], reply: dict[str, Any]) -> None:  # N9
    said = side_reply(prompt(sent))
    assert said is not None
    assert json.loads(said) == reply


@for_all_rows(
    "question",
    [
        "Within how many days must returns be made?",
        "### Task:\nSummarize the refund policy.",
        'Which tag has { "title": "x" } in <chat_history>a</chat_history>?',
        "What does the task <type>a</type><text>b</text> say?",
        f"### Task: What is said here?\n<chat_history>{HISTORY}</chat_history>",
        "",
    ],
)
def test_a_question_stays_a_question(question: str) -> None:  # N9
    assert side_reply(question) is None


def test_much_text_is_read_in_linear_time() -> None:
    assert side_reply("### Task:" + '{ "' * 100_000) is None
    assert side_reply("### Task:\n" + "<type>" * 100_000) is None
    said = side_reply('### Task: { "title": <chat_history>' + "USER: a\n" * 50_000 + "</chat_history>")
    assert said == '{"title": "a"}'
