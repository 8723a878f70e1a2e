"""What every kind of file goes through on its way in holds for all of them, whatever their reader gives and omits."""

from pathlib import PurePath

import pytest

from citewell_documents.chunking import split_document
from citewell_documents.formats import SUFFIXES, media_type
from citewell_documents.metadata import completed, searched_name
from citewell_documents.parsing.sandbox.isolated import parse_isolated
from config.settings import IngestionSettings
from services.documents.reading_limits import limits_of
from tests.clients.every_kind import NAMES, SENTENCE, file_of, what_lacks

LIMITS = limits_of(IngestionSettings(ocr_languages="eng", parse_base_s=60))


def test_every_kind_has_a_sample() -> None:
    assert {PurePath(name).suffix for name in NAMES} == set(SUFFIXES)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_of_every_kind_is_read_described_and_cut_into_passages(name: str) -> None:  # S1.3, A8
    if lacking := what_lacks(name):
        pytest.skip(lacking)
    document = parse_isolated(file_of(name), name, LIMITS)
    metadata = completed(document, name)
    assert metadata.get("title") not in [section.title for section in document.sections if not section.path]
    chunks = split_document(document, chunk_tokens=350, overlap_tokens=60)
    assert SENTENCE in " ".join(" ".join(chunk.text for chunk in chunks).split())
    assert searched_name(name, metadata)
    assert media_type(name) != "application/octet-stream"
