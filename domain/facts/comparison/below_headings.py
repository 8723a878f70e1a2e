"""A statement beside the section whose heading it names: another section's words are about another thing (V2)."""

from collections.abc import Sequence
from dataclasses import replace

from domain.facts.comparison.best_place import Compared, best_place
from domain.facts.comparison.source import ReadSource, read_source
from domain.facts.kinds import Difference
from domain.facts.reading.token_alignment import align
from domain.facts.reading.tokens import Token, read_tokens
from domain.facts.structure.antecedents import Rival, classes_in, classes_of, rival
from domain.facts.structure.classes import ARTEFACTS, CLASSES, has_class
from domain.facts.structure.sections import NamedSection, is_of, named_section

_ABOUT_OTHERS = ("order", "negation")  # differences that are none of the name


def in_section(tokens: Sequence[Token], source: str) -> Compared | None:
    """What the section says whose heading the statement names; another section's words are about another one (V2)."""
    section = named_section(tokens, source)
    if section is None:
        return None
    own = read_source(section.own)
    whole = best_place(tokens, own, whole=False)
    if section.in_part and _names_it(best_place(tokens, read_source(source), whole=False), section):
        return None
    if _names_it(whole, section) or (whole.near and any(each.kind in _ABOUT_OTHERS for each in whole.differences)):
        return replace(whole, section=section.heading)
    found = whole if whole.clean and not section.in_part else best_place(section.rest, own, whole=False)
    if not found.clean:
        if found.near and any(each.sure for each in found.differences):
            return replace(found, section=section.heading)
        return _in_others(section) if section.is_apart else None
    other = _rival(tokens, section, found.place, own)
    if other and other.token.kind == "name":
        return _in_others(section) if section.is_apart else None
    doubt = section.heading if section.in_part else other.token.text if other else _below_another(section, found.place)
    # In doubt, as another thing may be meant: neither proven nor contradicted.
    doubted = (Difference("wording", section.named, doubt),) if doubt else ()
    return replace(found, section=section.heading, differences=doubted)


def _names_it(found: Compared, section: NamedSection) -> bool:
    """Say whether a place says all of the statement and has the name itself."""
    return found.clean and any(is_of(each, section.names) for each in read_tokens(found.place))


def _rival(tokens: Sequence[Token], section: NamedSection, place: str, own: ReadSource) -> Rival | None:
    """What the place is about instead of what the heading names."""
    sentence, present = read_tokens(place), classes_in(own.tokens)
    said = {each.key for each in section.names} | classes_of(own.tokens, section.names)
    # Where the heading has a class of its own, or its section tells of things of several, not any class stands for it.
    known = said & CLASSES
    if has_class(section.heading) or (known and len(present) > 1):
        classes = said if known.isdisjoint(ARTEFACTS) else said | ARTEFACTS
    else:
        classes = said | ({present[0]} if len(present) > 1 else CLASSES)
    return rival(tokens, sentence, align(section.rest, sentence).met, section.names, classes)


def _below_another(section: NamedSection, place: str) -> str | None:
    """The heading between that of the section and the place, where it names a thing that the statement does not."""
    found = [each.path for each in section.below if place in read_source(each.text).sentences]
    return None if not found or () in found else found[0][-1]


def _in_others(section: NamedSection) -> Compared | None:
    for other in section.others:
        found = best_place(section.rest, read_source(other.text), whole=False)
        if found.clean and not (section.in_part and _names_it(found, section)):
            difference = Difference("subject", section.heading, other.path[-1])
            return replace(found, differences=(difference,), section=section.heading)
    return None
