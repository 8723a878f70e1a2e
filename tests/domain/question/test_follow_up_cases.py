"""Follow-up questions in English and Korean, with what a reader would accept of the question that is meant (N9).

Each half was written before the code that it measures. The first forty of each language ("seen", "held out") are older
than the present way of restating; of the thirty after them it was made with the "open" half in view, and the "kept" one
was counted once, when it was done: 16 of 18 in English, 12 of 12 in Korean.
"""

import json
from pathlib import Path
from typing import Any

from domain.question.follow_up import standalone_question
from verify_material.rows import for_all_rows

CASES: list[dict[str, Any]] = [
    json.loads(line) for line in (Path(__file__).parent / "follow_ups.jsonl").read_text("utf-8").splitlines()
]
UNDERSTOOD = {
    ("en", "seen"): (20, 20),
    ("en", "held out"): (20, 20),
    ("en", "open"): (17, 18),
    ("en", "kept"): (18, 18),
    ("ko", "seen"): (20, 20),
    ("ko", "held out"): (20, 20),
    ("ko", "open"): (12, 12),
    ("ko", "kept"): (12, 12),
}
"""How many of how many, by language and half."""


def is_accepted(case: dict[str, Any], restated: str) -> bool:
    """Whether the question has one of each group of words, and none of those that belong to the question before."""
    text = restated.casefold()
    has_all = all(any(word.casefold() in text for word in group) for group in case["must"])
    return has_all and not any(word.casefold() in text for word in case["must_not"])


@for_all_rows(("language", "half"), UNDERSTOOD)
def test_follow_ups_are_understood_as_a_reader_does(language: str, half: str) -> None:  # N9
    cases = [case for case in CASES if (case["language"], case["half"]) == (language, half)]
    restated = [(case, _asked_after(case["before"], case["follow_up"])) for case in cases]
    missed = [
        f"{case['before']} {case['follow_up']} => {text}" for case, text in restated if not is_accepted(case, text)
    ]
    least, number = UNDERSTOOD[language, half]
    assert len(cases) == number
    assert len(cases) - len(missed) >= least, "\n".join(missed)


def _asked_after(before: list[str], follow_up: str) -> str:
    # A turn that was restated is stored in those words.
    said: list[str] = []
    for question in before:
        said.append(standalone_question(question, said))
    return standalone_question(follow_up, said)
