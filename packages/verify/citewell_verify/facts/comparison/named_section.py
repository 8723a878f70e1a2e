"""Compares a statement with the section whose heading it names; other sections are about other things (V2)."""

from collections.abc import Sequence
from dataclasses import replace

from citewell_verify.facts.comparison.best_place import SourceMatch, best_place
from citewell_verify.facts.comparison.source import ParsedSource, parse_source
from citewell_verify.facts.kinds import Difference
from citewell_verify.facts.reading.token_alignment import align
from citewell_verify.facts.reading.tokens import Token, tokenize
from citewell_verify.facts.structure.antecedents import competing_subject, stated_classes, subject_classes
from citewell_verify.facts.structure.sections import NamedSection, is_in_name, named_section
from citewell_verify.facts.structure.terms import ARTEFACTS, CLASSES, has_class

_ABOUT_OTHERS = ("order", "negation")  # differences that a missing name does not explain


def compare_with_section(tokens: Sequence[Token], source: str) -> SourceMatch | None:
    section = named_section(tokens, source)
    if section is None:
        return None
    own = parse_source(section.text)
    whole = best_place(tokens, own, by_sentence=False)
    if section.is_partial and _matches_by_name(best_place(tokens, parse_source(source), by_sentence=False), section):
        return None
    if _matches_by_name(whole, section) or (
        whole.is_close and any(difference.kind in _ABOUT_OTHERS for difference in whole.differences)
    ):
        return replace(whole, section=section.heading)
    match = (
        whole
        if whole.is_full_match and not section.is_partial
        else best_place(section.remainder, own, by_sentence=False)
    )
    if not match.is_full_match:
        if match.is_close and any(difference.sure for difference in match.differences):
            return replace(match, section=section.heading)
        return _compare_with_others(section) if section.is_exclusive else None
    subject = _competing_subject(tokens, section, match.place, own)
    if subject and subject.kind == "name":
        return _compare_with_others(section) if section.is_exclusive else None
    doubt = (
        section.heading if section.is_partial else subject.text if subject else _other_subheading(section, match.place)
    )
    # Another thing may be meant: neither proven nor contradicted.
    doubted = (Difference("wording", section.mention, doubt),) if doubt else ()
    return replace(match, section=section.heading, differences=doubted)


def _matches_by_name(match: SourceMatch, section: NamedSection) -> bool:
    return match.is_full_match and any(is_in_name(token, section.name_terms) for token in tokenize(match.place))


def _competing_subject(tokens: Sequence[Token], section: NamedSection, place: str, own: ParsedSource) -> Token | None:
    sentence, present = tokenize(place), subject_classes(own.clause_tokens)
    said = {term.key for term in section.name_terms} | stated_classes(own.clause_tokens, section.name_terms)
    # If the heading has a class of its own, or its section is about several classes, not every class refers to it.
    known = said & CLASSES
    if has_class(section.heading) or (known and len(present) > 1):
        classes = said if known.isdisjoint(ARTEFACTS) else said | ARTEFACTS
    else:
        classes = said | ({present[0]} if len(present) > 1 else CLASSES)
    return competing_subject(
        tokens, sentence, align(section.remainder, sentence).matched_source, section.name_terms, classes
    )


def _other_subheading(section: NamedSection, place: str) -> str | None:
    """Return the heading between that of the section and the place, if it names a thing that the statement does not
    name."""
    paths = [subsection.path for subsection in section.subsections if place in parse_source(subsection.text).clauses]
    return None if not paths or () in paths else paths[0][-1]


def _compare_with_others(section: NamedSection) -> SourceMatch | None:
    for elsewhere in section.other_sections:
        match = best_place(section.remainder, parse_source(elsewhere.text), by_sentence=False)
        if match.is_full_match and not (section.is_partial and _matches_by_name(match, section)):
            difference = Difference("subject", section.heading, elsewhere.path[-1])
            return replace(match, differences=(difference,), section=section.heading)
    return None
