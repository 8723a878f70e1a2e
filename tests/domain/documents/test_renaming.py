"""What a correction renames (N3)."""

from domain.documents.corrections import replacement
from domain.documents.renaming import renamed_heads, retitled


def titles(old: str, new: str, *headings: str) -> list[str]:
    """The new titles of the sections below these headings."""
    sections = [[each, old.index(each) - 2, len(old)] for each in headings]
    return [each.new for _, each in retitled(sections, old, new, replacement(0, old, new))]


def test_a_heading_is_renamed_also_if_what_stands_before_it_is_corrected_too() -> None:
    old = "Shiping is free.\n\n# Retruns\n\nWithin 14 days."
    assert titles(old, old.replace("Retruns", "Returns"), "Retruns") == ["Returns"]
    assert titles(old, old.replace("Shiping", "Shipping").replace("Retruns", "Returns"), "Retruns") == ["Returns"]


def test_two_headings_are_renamed_at_once() -> None:
    old = "# Shiping\n\nFree.\n\n# Retruns\n\nWithin 14 days."
    new = old.replace("Shiping", "Shipping").replace("Retruns", "Returns")
    assert titles(old, new, "Shiping", "Retruns") == ["Shipping", "Returns"]


def test_a_heading_whose_place_is_not_known_any_more_keeps_its_title() -> None:
    old = "Shiping is free.\n\n# Retruns\n\nWithin 14 days."
    assert titles(old, "Shipping is free, and returns, too.\n\nWithin 14 days.", "Retruns") == []


def test_the_unit_above_a_table_is_renamed() -> None:
    old = "Statements\n(단위 : 천원)\n\n과목\t제31기\n자산\t5"
    found = renamed_heads(old, old.replace("천원", "백만원"), replacement(0, old, old.replace("천원", "백만원")))
    assert found is not None
    assert (found.old, found.new) == ("(단위 : 천원)", "(단위 : 백만원)")
