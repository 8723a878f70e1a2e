"""All numbers that the offline model decides by, and their origin."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tuning:
    """Weights and thresholds; shares, cosines and scores are 0..1.

    Chosen on half of each data set, split by a hash of the item's id, and measured on the other half: addressing and
    relations on eight labelled sets of statements (FEVER-symmetric, HAGRID, KLUE-NLI …), questions on SQuAD 2.
    """

    # The weights of a statement's support are in `packages/verify/citewell_verify/support/model.json`, those of a
    # question's answers in `packages/verify/citewell_verify/question/model.json`.
    same_matter: float = 0.5

    # Relevance of a chunk: words of the question in the chunk and in its best sentence, the likeness of a row's name,
    # cosine with its best sentence, mapped to 0..1 so that 0.2 (the default of `min_evidence_score`) lies above 95 % of
    # what is retrieved from unrelated documents. Chosen on halves of TAT-QA, SQuAD 2 and KLUE-NLI
    # (`benchmarks.search.table_recall`); that of further words on whole filings (`benchmarks.search.filings`).
    chunk_overlap: float = 0.5
    chunk_meaning: float = 0.4
    chunk_sentence: float = 0.1
    chunk_row: float = 0.1
    chunk_further: float = 0.1
    # Added to the cosine with a passage in another script, which shares no words; XQuAD, Chinese and Russian questions.
    chunk_foreign: float = 0.05
    unspaced_pairs: float = 0.4
    chunk_middle: float = 0.5
    chunk_slope: float = 12.0
    words_chunk_middle: float = 0.62
    words_chunk_slope: float = 10.0

    # Units of an answer: at most four, none much less likely than the best, no near-duplicates.
    most_sentences: int = 4
    close_to_best: float = 0.65
    duplicate: float = 0.9

    # An answer addresses its question if they share words or meaning to this degree: 97 % of the sentences with the
    # answer do, 6 % of other sentences.
    addressing: float = 0.2
    # Only the sentences with most of the words are encoded: the others are never the best, and encoding costs 5 ms.
    encoded: int = 2
    sources_judged: int = 3


TUNING = Tuning()
