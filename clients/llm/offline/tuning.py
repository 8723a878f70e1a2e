"""All numbers that the offline model decides by, and their origin."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tuning:
    """Weights and thresholds; shares, cosines and scores are 0..1.

    Chosen on half of each data set, split by a hash of the item's id, and measured on the other half: addressing and
    relations on eight labelled sets of statements (FEVER-symmetric, HAGRID, KLUE-NLI …), questions on SQuAD 2.
    """

    # The weights of a statement's support, and how they were fitted, are in `domain/support/model.json`. A whole
    # statement found verbatim counts as such from this many content words on.
    verbatim_stems: int = 5
    same_matter: float = 0.5

    # Relevance of a chunk: words of the question in the chunk and in its best sentence, the likeness of a row's name,
    # cosine with its best sentence, mapped to 0..1 so that 0.2 (the default of `min_evidence_score`) lies above 95 % of
    # what is retrieved from unrelated documents. Chosen on halves of TAT-QA, SQuAD 2 and KLUE-NLI
    # (`benchmarks.search.table_recall`); that of further words on whole filings (`benchmarks.search.filings`).
    chunk_overlap: float = 0.5
    chunk_meaning: float = 0.4
    chunk_sentence: float = 0.1
    chunk_row: float = 0.1
    chunk_further: float = 0.25
    unspaced_pairs: float = 0.4
    chunk_middle: float = 0.5
    chunk_slope: float = 12.0
    words_chunk_middle: float = 0.62
    words_chunk_slope: float = 10.0

    # Relevance of a sentence to the question: its own words (weighted by rarity) and, with less weight, those of its
    # heading and of the document's name; its meaning; the words of its whole source; a number, date or name where the
    # question asks for one; and the order of the sources, which is the reranker's.
    sentence_overlap: float = 0.4
    sentence_meaning: float = 0.4
    sentence_context: float = 0.2
    heading: float = 0.6
    sentence_kind: float = 0.04
    sentence_order: float = 0.04
    # Below this the answer is "I don't know": 93 % of the questions about other documents, 6 % of the answerable ones.
    # It also applies to the sum with `relevance` below, where the next threshold decides more often.
    answerable: float = 0.37
    words_answerable: float = 0.45
    # The probability that a sentence answers (domain/question/model.json) is added with this weight for this many of
    # the best sentences, and must reach this value for the best one, and the lower value for each.
    relevance: float = 0.7
    weighed: int = 12
    relevant: float = 0.12
    least_relevant: float = 0.08
    # Sentences of an answer: at most four, none much worse or much less to the point than the best, no
    # near-duplicates.
    most_sentences: int = 4
    close_to_best: float = 0.65
    as_relevant: float = 0.7
    duplicate: float = 0.9

    # An answer addresses its question if they share words or meaning to this degree: 97 % of the sentences with the
    # answer do, 6 % of other sentences.
    addressing: float = 0.2
    # Only the sentences with most of the words are encoded: the others are never the best, and encoding costs 5 ms.
    encoded: int = 2
    encoded_for_answer: int = 4
    sources_judged: int = 3


TUNING = Tuning()
