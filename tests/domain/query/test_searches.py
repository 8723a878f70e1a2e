"""Searches that a model asks for."""

from domain.query.budget import new_queries, usable_queries


def test_a_search_is_a_short_line_with_a_word() -> None:  # S2.3, S3.2
    assert usable_queries(["a  b\n c\x00", "?!", "", "a b c", "d"]) == ["a b c", "d"]
    assert [len(text) for text in usable_queries(["word " * 500])] == [300]
    assert usable_queries(["a", "b", "c"], 2) == ["a", "b"]


def test_no_search_is_made_twice() -> None:  # S3.6
    known = ["Who founded Acme?"]
    assert new_queries(["who founded ACME", "Acme's founder", "ACME'S FOUNDER?", "x", "y"], known, 2) == [
        "Acme's founder",
        "x",
    ]
    assert new_queries(["Who founded Acme"], known, 3) == []


def test_repeated_searches_do_not_use_up_the_room_of_new_ones() -> None:  # S3.6
    assert new_queries(["a", "A", "a?", "b"], [], 2) == ["a", "b"]
