"""Which documents another one says that it replaces as a whole, so that what is in force goes first (issue 39)."""

from citewell_verify.evidence.conflicts.replacements import Excerpt, replaced_documents
from verify_material.rows import for_all_rows

OLD = "# Kennel rules\n\nVersion 1, in force from 2 May 2023.\n\nDogs are walked twice a day."
NEW = "# Kennel rules\n\nVersion 2, in force from 9 June 2025. It supersedes version 1.\n\nDogs are walked on a lead."


def replaced(question: str, **texts: str) -> dict[str, str]:
    return replaced_documents(question, [Excerpt(name, f"{name}.md", text) for name, text in texts.items()])


def test_a_version_is_replaced_but_for_a_question_about_it() -> None:  # 39
    assert replaced("How are dogs walked?", old=OLD, new=NEW) == {"old": "new.md"}
    assert replaced("How often were dogs walked under all previous rules?", old=OLD, new=NEW) == {}
    assert replaced("How were dogs walked in 2023?", old=OLD, new=NEW) == {}


def test_what_one_replaced_document_alone_says_does_not_keep_another() -> None:  # 39
    cats = {
        "cats": "# Cat rules\n\nVersion 1. Cats stay inside in the rain.",
        "cats2": "# Cat rules\n\nVersion 2. This replaces version 1. Cats go out.",
    }
    assert replaced("How often are dogs walked in the rain?", old=OLD, new=NEW, **cats) == {"old": "new.md"}


@for_all_rows(
    ("old", "other"),
    [
        (
            "# 휴가 안내\n\n시행일: 2024년 3월 4일\n\n연차 휴가는 15일이다.",
            "# 여비 규정\n\n제1조 목적. <개정 2024년 3월 4일>",
        ),
        (
            "# 주차 안내\n\n작성일: 2024. 3. 4.\n\n요금은 1,000원이다.",
            "# 출입 안내\n\n(2024. 3. 4. 개정) 담당자에게 문의한다.",
        ),
        ("# Training\n\nDate: 2 May 2025\n\nIt is in June.", "My booking of 2 May 2025 was cancelled."),
        ("# Budget May 2025\n\nIt is 9,000 euros.", "# Log\n\nThe pump was replaced in May 2025."),
        (OLD, "# Kennel rules, notes\n\nThis does not replace the kennel rules, which remain in force."),
        (OLD, "# Draft for discussion\n\nIf the board agrees, this will replace the kennel rules."),
        ("# 휴가 규정\n\n휴가는 15일이다.", "# 회의록\n\n휴가 규정은 변경되지 않았다."),
        (
            "# 회의록\n\n2026년 5월 2일\n\n500만원으로 정했다.",
            "# 회의록\n\n2026년 6월 6일\n\n기존 규정은 변경하지 않기로 했다.",
        ),
        ("# Minutes\n\n2 May 2026\n\nIt is 500.", "# Minutes\n\n6 June 2026\n\nThe old printer is replaced."),
        (
            "# 계약서\n\n2024년 3월 4일\n\n월 900만원이다.",
            "# 변경 합의서\n\n2024년 3월 4일 계약서 제7조를 다음과 같이 변경한다.",
        ),
        ("# The manual\n\nThe seal is red.", "# Log\n\nReplaced the seal as described in old.md."),
        ("# Offer\n\nIt is 9 euros.", "Please correct the address in old.md."),
        ("# Cancellation policy\n\nIt is free.", "# Prices\n\nFor cancelled bookings see the cancellation policy."),
        ("# Fees\n\nA book is 9 euros.", "# Loans\n\nLost books are replaced by the reader as in old.md."),
        ("# Travel policy\n\nIn force from 2 March 2024.", "# Leave policy\n\nAmended on 2 March 2024."),
        ("# Kennel rules\n\nVersion 1, in force from 2 May 2027.", NEW),
    ],
)
def test_a_document_that_nothing_replaces_stays(old: str, other: str) -> None:  # 39
    assert replaced("What is it?", old=old, other=other) == {}
