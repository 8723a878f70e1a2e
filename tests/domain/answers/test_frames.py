"""Answers whose text is packed into something."""

import pytest

from domain.answers.drafts import without_frames
from verify_material.rows import for_all_rows

SAID = "Tickets are valid for 90 minutes[†1]. Dogs ride free[†2]."


@for_all_rows(
    "packed",
    [
        f"```markdown\n{SAID}\n```",
        f"```\n{SAID}\n```",
        f"~~~text\n{SAID}\n~~~",
        f"<answer>\n{SAID}\n</answer>",
        f"<final_response lang='en'>{SAID}</final_response>",
        f"<답변>\n{SAID}\n</답변>",
        f"<div><p>{SAID}</p></div>",
        f"\\boxed{{{SAID}}}",
        f'{{"answer": "{SAID}"}}',
        f'```json\n{{"reply": {{"text": "{SAID}", "sources": [1, 2]}}}}\n```',
        f'{{"question": "How long?", "answer": "{SAID}", "citations": ["[†1]"]}}',
        f"<result>\n```md\n{SAID}\n```\n</result>",
    ],
)
def test_a_frame_around_an_answer_is_taken_off(packed: str) -> None:
    assert without_frames(packed) == SAID


@for_all_rows(
    "answer",
    [
        SAID,
        "",
        "A line with <p> in it [†1].",
        "```python\nprint(1)\n```",
        "Set it so:\n```\nport: 8080\n```\nThen restart [†1].",
        "First:\n```\na[†1]\n```\nThen:\n```\nb[†1]\n```",
        "The result is \\boxed{x^2 + 1}.",
        "A Vec<T> holds values; write </T> nowhere [†1].",
        "<config>\n<port>8080</port>\n</config>",
        '{"host": "a", "port": "b"}',
        "{x | x > 0} is a set [†1].",
        "[†1]",
        "<answer></answer>",
    ],
)
def test_what_is_no_frame_stays_byte_for_byte(answer: str) -> None:
    assert without_frames(answer) == answer


@pytest.mark.parametrize(
    "packed",
    [
        f"<answer>\n{SAID}\n</answer>\nCats ride in first class.",
        f"Cats ride in first class.\n\n```\n{SAID}\n```",
        f"Cats ride in first class.\n\\boxed{{{SAID}}}",
    ],
)
def test_a_sentence_beside_a_frame_stays_in_the_answer(packed: str) -> None:
    opened = without_frames(packed)
    assert SAID in opened
    assert "Cats ride in first class." in opened


def test_paragraphs_of_html_become_lines() -> None:
    packed = "<div>\n<p>Tickets are valid[†1].</p>\n<p>Dogs ride free[†2].</p>\n</div>"
    assert without_frames(packed).split() == "Tickets are valid[†1]. Dogs ride free[†2].".split()
