"""JSON, JSON Lines and XML: every value stands below its path, and hostile ones are refused in words (A8)."""

import json
import re
import time

import pytest

from citewell_documents.errors import DocumentEmpty, DocumentTooLarge, DocumentUnreadable
from citewell_documents.parsing import ParseLimits, parse
from citewell_verify.errors import CitewellError
from verify_material.rows import for_all_rows

LIMITS = ParseLimits(max_pages=3, max_chars=100_000)


def section_of(name: str, data: bytes, words: str) -> str | None:
    """The title of the section in which the words stand."""
    document = parse(data, name, LIMITS)
    at = document.text.index(words)
    return next((section.title for section in document.sections if section.start <= at < section.end), None)


def test_a_value_of_json_stands_below_its_path_as_it_is_written() -> None:  # N3
    data = b'{"name": "ACME", "ceo": {"name": "Ann", "since": {"year": 2020}}, "rate": 1.50, "m": [[1, 2], [3]]}'
    text = parse(data, "a.json", LIMITS).text
    assert text.startswith("name: ACME\nrate: 1.50")
    assert section_of("a.json", data, "year: 2020") == "ceo.since"
    assert text.endswith("m[0]\n\n1\n2\n\nm[1]\n\n3")


def test_records_become_a_table_whose_rows_say_their_place() -> None:  # N3
    data = b'{"orders": [{"id": 1, "price": 30.50}, {"id": 2, "paid": null}]}'
    document = parse(data, "a.json", LIMITS)
    assert "#\tid\tprice\tpaid\n[0]\t1\t30.50\n[1]\t2\t\tnull" in document.text
    assert len(document.tables) == 1
    assert section_of("a.json", data, "30.50") == "orders"


def test_records_with_names_of_their_own_are_no_table_of_empty_cells() -> None:  # N3, A8
    document = parse(json.dumps([{f"name {n}": n} for n in range(3_000)]).encode(), "a.json", LIMITS)
    assert not document.tables
    assert "[2999]\n\nname 2999: 2999" in document.text


def test_json_lines_are_one_table_and_a_broken_line_is_named() -> None:  # A8
    assert "[1]\t2\tred" in parse(b'{"id": 1}\n\n{"id": 2, "colour": "red"}\n', "a.jsonl", LIMITS).text
    with pytest.raises(DocumentUnreadable, match=re.escape("not valid JSON: Expecting value (line 3, column 1)")):
        parse(b'{"id": 1}\n\nnone', "a.jsonl", LIMITS)


def test_xml_has_paths_attributes_and_prose() -> None:  # N3
    data = (
        b'<shop xmlns="urn:x"><order id="1"><price cur="EUR">30</price></order><order id="2"><price>40</price></order>'
        b"<note>Some <b>bold</b> words</note></shop>"
    )
    assert section_of("a.xml", data, "@cur: EUR") == "shop.order[0].price"
    assert section_of("a.xml", data, "Some bold words") == "shop"


ODD: dict[str, tuple[bytes, type[CitewellError], str]] = {
    "cut.json": (b'{"a":', DocumentUnreadable, "cut.json is not valid JSON: Expecting value (line 1, column 6)"),
    "page.json": (b"<!DOCTYPE html><p>Hi", DocumentUnreadable, "seems to be an HTML page; rename it to .html"),
    "page.jsonl": (b"\n<html><p>Hi", DocumentUnreadable, "is named .jsonl but seems to be an HTML page"),
    "policy.json": (b"%PDF-1.7\n%\xe2\xe3", DocumentUnreadable, "seems to be a PDF; rename it to .pdf"),
    "deep.json": (b"[" * 100_000, DocumentTooLarge, "nested too deeply"),
    "deeper.json": (b'{"a":' * 150 + b"1" + b"}" * 150, DocumentTooLarge, "nested more than 100 levels deep"),
    "empty.json": (b"[]", DocumentEmpty, "contains no text"),
    "long.json": (b'"' + b"x" * 200_000 + b'"', DocumentTooLarge, "the limit is 100,000"),
    "digits.json": (b"[" + b"9" * 90_000 + b", 1", DocumentUnreadable, "not valid JSON"),
    "cut.xml": (b"<a><b></a>", DocumentUnreadable, "not well-formed XML (line 1)"),
    "deep.xml": (b"<a>" * 5_000 + b"</a>" * 5_000, DocumentUnreadable, "not well-formed XML"),
    "laugh.xml": (
        b'<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><l>&b;</l>',
        DocumentUnreadable,
        "uses entities of its own, which are not expanded",
    ),
    "stolen.xml": (
        b'<!DOCTYPE l [<!ENTITY x SYSTEM "file:///etc/passwd">]><l>&x;</l>',
        DocumentUnreadable,
        "uses entities of its own",
    ),
}


@for_all_rows("name", ODD)
def test_a_broken_or_hostile_file_is_refused_at_once(name: str) -> None:  # A8
    data, error, message = ODD[name]
    began = time.process_time()
    with pytest.raises(error, match=re.escape(message)) as raised:
        parse(data, name, LIMITS)
    assert raised.value.message.startswith(name)
    assert time.process_time() - began < 1


def test_entities_in_an_attribute_do_not_grow_without_bound() -> None:  # A8
    levels = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    bomb = f'<!DOCTYPE l [<!ENTITY e0 "ha">{levels}]><l a="&e11;"/>'.encode()
    began = time.process_time()
    with pytest.raises((DocumentUnreadable, DocumentTooLarge)):
        parse(bomb, "bomb.xml", LIMITS)
    assert time.process_time() - began < 5
