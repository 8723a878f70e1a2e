"""Pages, sections and sentences of generated PDFs compared with their known truth."""

from collections import Counter

import pytest

from citewell_documents.chunking import split_document
from citewell_documents.parsing import ParseLimits, parse
from document_material.pdf_kinds import KINDS
from document_material.pdf_truth import TOKEN, Truth
from verify_material.rows import for_all_rows

LIMITS = ParseLimits(max_pages=50, max_chars=400_000)


def judged(kind: str) -> Counter[str]:
    """Count the correct places and sentences of one document, and all of them."""
    data, truth = KINDS[kind](Truth(1))
    document = parse(data, "truth.pdf", LIMITS)
    count: Counter[str] = Counter()
    for chunk in split_document(document, chunk_tokens=600, overlap_tokens=100, tokens=len):
        for token in TOKEN.finditer(chunk.text):
            count["places"] += 1
            count["right pages"] += chunk.page == truth.pages.get(token[0], int(token[1]))
            count["right sections"] += chunk.section == truth.titles[int(token[2])]
    text = " ".join(document.text.split())
    count["sentences"] = len(truth.sentences)
    count["whole"] = sum(" ".join(sentence.split()) in text for sentence in truth.sentences.values())
    return count


@for_all_rows("kind", KINDS)
@pytest.mark.slow
def test_pages_sections_and_sentences_are_right(kind: str) -> None:  # N3
    count = judged(kind)
    assert count["places"] >= count["sentences"] > 24
    assert count["right pages"] >= 0.99 * count["places"]
    assert count["right sections"] >= 0.99 * count["places"]
    assert count["whole"] >= 0.97 * count["sentences"]
