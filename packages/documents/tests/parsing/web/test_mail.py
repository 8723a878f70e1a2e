"""E-mail messages: header, text, and text attachments."""

import pytest

from citewell_documents.document import ParsedDocument
from citewell_documents.errors import DocumentEncrypted, DocumentUnreadable
from citewell_documents.parsing import ParseLimits, parse
from verify_material.rows import for_all_rows

LIMITS = ParseLimits(max_pages=10, max_chars=100_000)

MIXED = """From: =?utf-8?b?6rmA7LKg7IiY?= <kim@example.com>
To: bob@example.com
Date: Tue, 05 Mar 2024 23:00:00 +0900
Subject: =?utf-8?q?Q1_r=C3=A9sum=C3=A9?=
Content-Type: multipart/mixed; boundary=m

--m
Content-Type: multipart/alternative; boundary=a

--a
Content-Type: text/plain; charset=utf-8

안녕하세요.

On Monday Bob wrote:
> old text

--a
Content-Type: text/html; charset=utf-8

<p>the same</p>
--a--
--m
Content-Type: application/pdf; name="report.pdf"
Content-Disposition: attachment; filename="report.pdf"
Content-Transfer-Encoding: base64

JVBERi0=
--m
Content-Type: text/html
Content-Disposition: attachment; filename="p.html"

<h1>Fees</h1><p>Five<i hidden>ORDER</i></p>
--m
Content-Type: message/rfc822

From: carl@example.com
Subject: Inner

Inner text.
--m--
"""


def read(message: str | bytes) -> ParsedDocument:
    return parse(message.encode() if isinstance(message, str) else message, "a.eml", LIMITS)


def test_a_message_is_its_header_its_text_and_its_attached_texts() -> None:  # N3
    document = read(MIXED)
    assert document.text == (
        "Q1 résumé\n\nFrom: 김철수 <kim@example.com>\nTo: bob@example.com\nDate: Tue, 05 Mar 2024 23:00:00 +0900\n"
        "Subject: Q1 résumé\n\n안녕하세요.\n\nOn Monday Bob wrote:\n> old text\n\nAttachment: report.pdf\n\n"
        "Attachment: p.html\n\nFees\n\nFive\n\nAttachment: Inner\n\n"
        "From: carl@example.com\nSubject: Inner\n\nInner text."
    )
    assert [section.path[1:] for section in document.sections] == [
        (),
        ("Attachment: p.html",),
        ("Attachment: p.html", "Fees"),
        ("Attachment: Inner",),
    ]
    assert all(document.text[s.start :].startswith(s.title) for s in document.sections)
    said = {"title": "Q1 résumé", "author": "김철수", "date": "2024-03-05"}
    assert document.found == {**said, "hidden_text": "1 word: marked as hidden"}


def test_html_is_read_where_there_is_no_plain_text() -> None:
    assert read("Subject: Hi\nContent-Type: text/html\n\n<h2>Head</h2><ul><li>one</ul>").text.endswith("Head\n\n- one")


@pytest.mark.parametrize(
    "message",
    [
        "Subject: 환불 안내 메일\n\n본문은 여기 있습니다".encode("euc-kr"),
        "Subject: 환불 안내 메일\nContent-Type: text/plain; charset=no-such\n\n본문은 여기 있습니다".encode(),
    ],
)
def test_wrong_encodings_are_mended(message: bytes) -> None:
    assert read(message).text == "환불 안내 메일\n\nSubject: 환불 안내 메일\n\n본문은 여기 있습니다"


def test_a_text_without_a_header_is_no_message() -> None:  # A8
    with pytest.raises(DocumentUnreadable, match="does not begin with the header"):
        read("hello there\nthis is text")


_PGP = (
    "Content-Type: multipart/encrypted; boundary=e\n\n--e\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n"
    "--e\nContent-Type: application/octet-stream\n\nhQEMA\n--e--\n"
)
_SMIME = (
    "Content-Type: application/{}pkcs7-mime; smime-type={}; name=smime.p7m\nContent-Disposition: attachment\n\nQF5C\n"
)


@for_all_rows(
    "content",
    [
        _PGP,
        f"Content-Type: multipart/mixed; boundary=m\n\n--m\n{_PGP}--m\n\nThe footer of a list.\n--m--",
        _SMIME.format("", "enveloped-data"),
        _SMIME.format("x-", "Enveloped-Data"),
        "Content-Type: application/pkcs7-mime\n\nQF5C\n",
        f"Content-Type: multipart/signed; boundary=m\n\n--m\n{_SMIME.format('', 'enveloped-data')}--m--",
        "\n-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----\n",
    ],
)
def test_an_encrypted_message_is_refused_with_what_to_do(content: str) -> None:  # A8
    with pytest.raises(
        DocumentEncrypted, match=r"a\.eml is encrypted; decrypt it in your mail program and save it again"
    ):
        read(f"From: a@example.com\nSubject: secret\nMIME-Version: 1.0\n{content}")


def test_a_message_inside_of_its_signature_is_refused() -> None:  # A8
    with pytest.raises(DocumentUnreadable, match="save it unsigned in your mail program"):
        read(f"Subject: x\n{_SMIME.format('', 'signed-data')}")


@pytest.mark.parametrize("attached", [_SMIME.format("", "enveloped-data"), f"Content-Type: message/rfc822\n\n{_PGP}"])
def test_encrypted_attachments_leave_a_message_readable(attached: str) -> None:  # N3
    head = "Subject: x\nContent-Type: multipart/mixed; boundary=m\n\n--m\n\nSee the attachment.\n--m\n"
    assert "See the attachment.\n\nAttachment: " in read(f"{head}{attached}--m--").text


def test_a_date_of_no_calendar_is_none() -> None:  # A8
    assert "date" not in read("Subject: x\nDate: Tue, 1 Apr 99999999999 10:00:00 +0900\n\nwords").found


@pytest.mark.slow
def test_parts_nested_without_end_are_refused() -> None:  # A8
    parts = "".join(f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(1500))
    with pytest.raises(DocumentUnreadable, match="damaged"):
        read(f"Subject: x\n{parts}\n\nend")
