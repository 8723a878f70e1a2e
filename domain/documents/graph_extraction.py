"""Extracts entities and relations without a model (S5.1): names, and sentences that have two of them.

It resolves no pronouns and no synonyms: a relation is only the statement of one sentence that has both names.
"""

from itertools import pairwise

from citewell_verify.entities.names import FoundName, NameKind, find_names
from citewell_verify.prompting.judgements import ExtractedEntity, ExtractedGraph, ExtractedRelation, Keywords
from citewell_verify.text.sentences import split_sentences
from citewell_verify.text.words import meaningful, words
from domain.documents.graph import UNTYPED, entity_key

_TYPES: dict[NameKind, str] = {
    "latin": UNTYPED,
    "loanword": UNTYPED,
    "person": "person",
    "organisation": "organisation",
    "place": "place",
}
_MOST_NAMES = 8  # of one sentence: a longer list of names says little about any two of them
_MOST_ENTITIES = 40
_MOST_KEYWORDS = 4
_MOST_LOW_LEVEL = 8


def read_graph(text: str) -> ExtractedGraph:
    sentences = [" ".join(sentence.text.split()) for sentence in split_sentences(text)]
    named = [_names(sentence) for sentence in sentences]
    sure = {entity_key(name.text) for names in named for name in names if name.sure}
    entities: dict[str, ExtractedEntity] = {}
    relations: list[ExtractedRelation] = []
    for sentence, names in zip(sentences, named, strict=True):
        kept = [name for name in names if len(names) > 1 or entity_key(name.text) in sure]
        for name in kept:
            entity = ExtractedEntity(name=name.text, type=_TYPES[name.kind], description=sentence)
            entities.setdefault(entity_key(name.text), entity)
        pairs = dict.fromkeys([*((kept[0], name) for name in kept[1:]), *pairwise(kept)])
        relations += [_relation(sentence, first, second) for first, second in pairs]
    return ExtractedGraph(entities=list(entities.values())[:_MOST_ENTITIES], relations=relations)


def read_keywords(question: str) -> Keywords:
    names = [name.text for name in find_names(question) if name.sure]
    content = [word for word in words(question) if len(word) > 1 and meaningful([word])]
    low = dict.fromkeys([*names, *content])
    return Keywords(low_level=list(low)[:_MOST_LOW_LEVEL], high_level=[question])


def _names(sentence: str) -> list[FoundName]:
    names: dict[str, FoundName] = {}
    end = 0
    for name in find_names(sentence):
        if name.start >= end and entity_key(name.text):
            names.setdefault(entity_key(name.text), name)
            end = name.end
    return list(names.values())[:_MOST_NAMES]


def _relation(sentence: str, first: FoundName, second: FoundName) -> ExtractedRelation:
    between = words(sentence[first.end : second.start]) or words(sentence[second.end :])
    return ExtractedRelation(
        source=first.text,
        target=second.text,
        keywords=[word for word in between if meaningful([word])][:_MOST_KEYWORDS],
        description=sentence,
    )
