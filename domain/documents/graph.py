"""Builds the knowledge graph of passages (S5.1): decides which names are one entity, and what the graph may contain.

Nothing is invented: an entity counts only if its name occurs in the passage that it was found in, and a relation only
if both of its entities do.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from citewell_verify.prompting.judgements import ExtractedGraph, ExtractedRelation
from citewell_verify.safety.prompt_injection import without_hidden, without_orders

UNTYPED = "name"
"""The type of an entity of which only the name is known."""

_LONGEST_NAME = 100
_LONGEST_TYPE = 40
_LONGEST_KEYWORDS = 120
_LONGEST_SAID = 400
_LONGEST_DESCRIPTION = 1000
_ARTICLE = re.compile(r"^(?:the|an?) (?=\S)")
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class EntityMention:
    """The statement of one passage about one entity."""

    key: str
    name: str
    type: str
    description: str


@dataclass(frozen=True, slots=True)
class RelationMention:
    """The statement of one passage about two entities together; the pair has no direction: `one` < `other` are their
    keys."""

    one: str
    other: str
    keywords: str
    description: str


@dataclass(frozen=True, slots=True)
class PassageGraph:
    """The part of the graph in one passage; `dropped` counts the parts of a reply that the passage does not contain."""

    entities: tuple[EntityMention, ...]
    relations: tuple[RelationMention, ...]
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class Merged:
    """The statements of all passages about one entity or relation. `label` is the name, or a relation's keywords."""

    label: str
    type: str
    description: str

    @property
    def embedded(self) -> str:
        return f"{self.label}\n{self.description}"


def entity_key(name: str) -> str:
    """Return the key that all spellings of a name share: NFKC, case, spaces, outer signs and an article do not
    matter.
    """
    folded = _SPACE.sub(" ", unicodedata.normalize("NFKC", without_hidden(name)).casefold()).strip()
    return _EDGES.sub("", _ARTICLE.sub("", _EDGES.sub("", folded)))[:_LONGEST_NAME]


def grounded(extracted: ExtractedGraph, text: str) -> PassageGraph:
    """Return the part of `extracted` that occurs in `text`: the names, in any case and spacing, and the relations
    between them.
    """
    known = _squeezed(text)
    entities: dict[str, EntityMention] = {}
    dropped = 0
    for entity in extracted.entities:
        key = entity_key(entity.name)
        if not any(map(str.isalpha, key)) or _squeezed(key) not in known:
            dropped += 1
            continue
        mention = EntityMention(
            key,
            _clean(entity.name, _LONGEST_NAME),
            _clean(entity.type, _LONGEST_TYPE).casefold() or UNTYPED,
            _clean(entity.description, _LONGEST_SAID),
        )
        entities.setdefault(key, mention)
    relations = dict[tuple[str, str], RelationMention]()
    for relation in extracted.relations:
        mention = _relation(relation)
        pair = mention.one, mention.other
        if mention.one == mention.other or not mention.description or not entities.keys() >= set(pair):
            dropped += 1
        else:
            relations.setdefault(pair, mention)
    return PassageGraph(tuple(entities.values()), tuple(relations.values()), dropped)


def merged_entity(mentions: Sequence[EntityMention]) -> Merged:
    """Return the commonest spelling, the commonest type, and all descriptions, each once.

    Raises IndexError without mentions.
    """
    types = [mention.type for mention in mentions if mention.type != UNTYPED] or [UNTYPED]
    return Merged(_commonest(mention.name for mention in mentions), _commonest(types), _joined(mentions))


def merged_relation(mentions: Sequence[RelationMention]) -> Merged:
    words = dict.fromkeys(word for mention in mentions for word in mention.keywords.split(", ") if word)
    return Merged(_cut(", ".join(words), _LONGEST_KEYWORDS), "", _joined(mentions))


def _relation(relation: ExtractedRelation) -> RelationMention:
    first, second = sorted((entity_key(relation.source), entity_key(relation.target)))
    words = dict.fromkeys(_clean(word.replace(",", " "), _LONGEST_KEYWORDS) for word in relation.keywords)
    keywords = _cut(", ".join(word for word in words if word), _LONGEST_KEYWORDS)
    return RelationMention(first, second, keywords, _clean(relation.description, _LONGEST_SAID))


def _squeezed(text: str) -> str:
    return _SPACE.sub("", unicodedata.normalize("NFKC", without_hidden(text)).casefold())


def _clean(text: str, longest: int) -> str:
    """The text on one line, of at most `longest` characters, without instructions to a model, because a model sees it
    when passages are scored.
    """
    plain = without_orders(text.replace("\x00", ""))
    return _cut(_SPACE.sub(" ", without_hidden(plain)).strip(), longest)


def _cut(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    return text[:longest].rsplit(" ", 1)[0]


def _commonest(values: Iterable[str]) -> str:
    """The most frequent value; among equally frequent values the first, so that the result does not depend on
    chance.
    """
    return Counter(values).most_common(1)[0][0]


def _joined(mentions: Sequence[EntityMention] | Sequence[RelationMention]) -> str:
    said = dict.fromkeys(mention.description for mention in mentions if mention.description)
    return _cut(" ".join(said), _LONGEST_DESCRIPTION)
