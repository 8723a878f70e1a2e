"""A cited document counts as unchanged only if its file and its text are (N7)."""

import pytest

from db.queries.verifications.answer_validity import find_in_force
from db.session import reading, transaction
from tests.factories import make_document

pytestmark = pytest.mark.usefixtures("database")

OLD = "Refunds take 17 days."


@pytest.mark.parametrize(
    ("text", "sha256", "is_same"),
    [
        (OLD, "f" * 64, True),
        # Corrected by somebody, or read again with other settings.
        ("Refunds take 21 days.", "f" * 64, False),
        (OLD, "e" * 64, False),
    ],
)
def test_the_same_file_with_another_text_is_another_version(text: str, sha256: str, is_same: bool) -> None:  # N7
    with transaction() as session:
        old = make_document(session, OLD, filename="a.md", sha256="f" * 64, status="superseded", version=1).id
        new = make_document(session, text, filename="a.md", sha256=sha256, number=1, version=2).id
    with reading() as session:
        assert find_in_force(session, old) == (new, is_same)
