"""Phrases are replaced however they are written: a pattern is tried wherever one of its words occurs."""

from citewell_verify.facts.reading.phrases import normalised
from verify_material.rows import for_all_rows

CASES = (
    ("It FAILED TO act", "It not act"),
    ("It AVOIDED paying", "It not paying"),
    ("They Prevented it FROM failing", "They Prevented it not failing"),
    ("It ALMOST won", "It not won"),
    ("The Motion TO close it", "planned close it"),
    ("The Idea OF selling", "planned selling"),
    ("It PRETENDED TO sleep", "It planned sleep"),
    ("They Debated closing it", "They planned closing it"),
    ("It is EXPECTED TO open", "It planned open"),
    ("Staff are allowed to leave", "Staff can  leave"),
    ("They had the RIGHT TO leave", "They can leave"),
    ("They have TEN DAYS TO appeal it", "They can appeal it within TEN DAYS"),
    ("They HAVE TO go", "They must go"),
    ("It is FORCED TO pay", "It must pay"),
    ("They RAN OUT OF money", "They had no money"),
    ("They plan to go", "They planned go"),
    ("They claim that it works", "They contends that it works"),
    ("They DENY THAT it works", "They not that it works"),
    ("It costs 3 % PER Year", "It costs 3 % per Year"),
    ("No MORE THAN ten", "maximum ten"),
    ("NOT FEWER THAN ten", "minimum ten"),
    ("MORE THAN ten", "over ten"),
    ("LESS THAN ten", "under ten"),
    ("MORE THAN JUST ten", "over ten"),
    ("NEARLY EVERY guest", "most guest"),
    ("IN NO CASE may it", "never may it"),
    ("İstanbul IS TO BE closed", "Istanbul planned closed"),
    ("AT MOST ten", "maximum ten"),
    ("TWO TIMES as said", "TWO TIMES as said"),
    ("TWO TIMES a week", "twice per week"),
    ("COVID-19 of F-16", "COVID19 of F16"),
    ("from 2 – 3", "from 2-3"),
    ("WELL-known", "WELL known"),
    ("Café no longer open", "Cafe not open"),
)


@for_all_rows(("written", "read"), CASES)
def test_a_phrase_is_found_in_capitals_too(written: str, read: str) -> None:
    assert normalised(written) == read
