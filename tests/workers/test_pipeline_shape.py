"""The workflow, as `str()` prints it: without a broker."""

from pathlib import Path
from typing import Any

from workers import pipeline
from workers.pipeline import Run

RUN = Run("q1", 1, 0)


def test_answering_starts_with_retrieval() -> None:  # A2
    assert str(pipeline.answering(RUN)) == "query.retrieve('q1', 1, 0)"


def test_scoring_is_a_chord_of_batches_into_the_selection() -> None:  # A2, S3.1
    assert str(pipeline.scoring(RUN, [["1", "2"], ["3"]])) == (
        "%query.select([score_chunks('q1', 1, 0, ['1', '2']), score_chunks('q1', 1, 0, ['3'])], 'q1', 1, 0)"
    )


def test_generation_and_extraction_run_side_by_side() -> None:  # A2, S4.1
    assert str(pipeline.drafting(RUN)) == (
        "%query.plan_checks([generate('q1', 1, 0), extract_citations('q1', 1, 0)], 'q1', 1, 0)"
    )


def test_all_checks_are_one_chord_into_the_conclusion() -> None:  # A2, S5.4
    assert str(pipeline.checking(RUN, [["s0:c1"], ["s1:c1", "s1:c2"]])) == (
        "%(query.conclude([check_alignment('q1', 1, 0), check_coverage('q1', 1, 0), check_facts('q1', 1, 0), "
        "check_answerability('q1', 1, 0), check_statements('q1', 1, 0, ['s0:c1']), "
        "check_statements('q1', 1, 0, ['s1:c1', 's1:c2'])], 'q1', 1, 0) | publish('q1', 1, 0))"
    )


def test_every_canvas_ends_with_one_errback() -> None:
    canvases: list[Any] = [pipeline.answering(RUN), pipeline.concluding(RUN)]
    chords: list[Any] = [pipeline.scoring(RUN, [["1"]]), pipeline.drafting(RUN), pipeline.checking(RUN, [])]
    canvases += [chord.body for chord in chords]
    assert [[errback.task for errback in canvas.options["link_error"]] for canvas in canvases] == [["query.fail"]] * 5


def test_without_candidates_the_selection_runs_alone() -> None:
    assert str(pipeline.scoring(RUN, [])) == "query.select('q1', 1, 0)"


def test_the_pipeline_fits_one_screen() -> None:
    code = Path(pipeline.__file__).read_text(encoding="utf-8").split('"""', 2)[2]
    assert len(code.strip().splitlines()) <= 60
