"""The list of sources at the end of an answer."""

from hypothesis import given

from citewell_verify.answers.translation import references, strip_references
from verify_material.answers import ANYTHING
from verify_material.rows import for_all_rows

BODY = "Refunds take 30 days [1]. Fees apply."


@for_all_rows(
    "section",
    [
        "\n\n### References\n- [†1] 파일명.pdf, p.10\n- [†2] 파일명.pdf, p.25",
        "\n\nReferences:\n1. policy.pdf\n2. another one\n",
        "\n\n**Sources:**\n[1] policy.pdf\n\n[2] guide",
        "\n\nSources:\npolicy.pdf\nguide.md, page 3",
        "\n\n참고문헌\n- 환불 규정",
        "\n출처: [1] policy.pdf, p.3",
        "\n\n---\n[1] policy.pdf, p.3\n[2] guide.md\n",
        "\n\n[1]: https://example.org\n[2]: https://example.org/b",
        "\n\n## Sources",
        "\n\n## 출처\n- [1] 보고서, 3쪽\n\n## References\n[2] guide.md\n---\n",
    ],
)
def test_a_list_of_references_is_taken_off(section: str) -> None:  # S5.5
    assert strip_references(BODY + section) == BODY


@for_all_rows(
    "text",
    [
        "\n\nSources:\n- Advertising [1]\n- Subscriptions [2]",
        "\n\nSources:\nIncome comes from page 3 of the annual report.",
        "\n\nReferences\nThat is all that is known about them.",
        "\n\nSource: [1]",
        "\nSources: [1], [2]",
        " (Source: 1)",
        "\n\n---\n",
    ],
)
def test_prose_and_citations_below_such_words_stay(text: str) -> None:  # S5.5
    assert strip_references(BODY + text) == BODY + text


def test_an_answer_of_references_only_stays() -> None:  # S5.5
    assert strip_references("References\n[1] a.pdf") == "References\n[1] a.pdf"


@given(ANYTHING)
def test_stripping_shortens_from_the_end_and_only_once(text: str) -> None:  # S5.5
    kept = strip_references(text)
    assert text.startswith(kept)
    assert strip_references(kept) == kept


def test_references_are_numbered_from_one() -> None:  # S5.5
    assert references(["file.pdf, p.10", "guide.md"]) == ["[1] file.pdf, p.10", "[2] guide.md"]
