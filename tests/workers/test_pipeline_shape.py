"""The workflow as `str()` prints it, without a broker."""

from importlib import import_module
from pathlib import Path

import pytest
from celery import Task

from domain.query.conversation import last_turns
from tests.factories import make_options
from workers import pipeline, tasks
from workers.pipeline import Run

RUN = Run("q1", 1, 0, 7)


def test_answering_starts_with_retrieval() -> None:  # A2
    for options in (make_options(), make_options(multi_query=1)):
        assert str(pipeline.start_canvas(RUN, options)) == "query.retrieve('q1', 1, 0, 7)"


def test_several_searches_start_with_rewriting_the_question() -> None:  # A2, S3.2
    assert str(pipeline.start_canvas(RUN, make_options(multi_query=3))) == (
        "query.rewrite_question('q1', 1, 0, 7) | retrieve('q1', 1, 0, 7)"
    )


def test_a_question_of_a_conversation_is_restated_first() -> None:  # A2, N9
    said = last_turns([("user", "How long do returns take?")])
    assert str(pipeline.start_canvas(RUN, make_options(conversation=said, multi_query=3))) == (
        "query.restate_question('q1', 1, 0, 7) | rewrite_question('q1', 1, 0, 7) | retrieve('q1', 1, 0, 7)"
    )
    assert str(pipeline.start_canvas(RUN, make_options(conversation=said, run="agentic"))) == (
        "query.restate_question('q1', 1, 0, 7) | decide_search('q1', 1, 0, 7, ['1'])"
    )
    assert "restate" not in str(pipeline.start_canvas(RUN._replace(round=1), make_options(conversation=said)))


@pytest.mark.parametrize("kind", ["agentic", "multiagent"])
def test_a_research_starts_with_a_decision(kind: str) -> None:  # A2, S3.6
    options = make_options(run=kind, multi_query=3)
    assert str(pipeline.start_canvas(RUN, options)) == "query.decide_search('q1', 1, 0, 7, ['1'])"


def test_a_turn_is_one_step_and_says_its_number() -> None:  # A2, S3.6
    assert str(pipeline.single(RUN, "decide_search", ["3"])) == "query.decide_search('q1', 1, 0, 7, ['3'])"
    assert str(pipeline.single(RUN, "search", ["3"])) == "query.search('q1', 1, 0, 7, ['3'])"
    assert str(pipeline.single(RUN, "retrieve")) == "query.retrieve('q1', 1, 0, 7)"
    assert str(pipeline.single(RUN, "research_notes")) == "query.research_notes('q1', 1, 0, 7)"


def test_the_graph_is_planned_before_the_first_retrieval_only() -> None:  # A2, S5.1
    assert (
        str(pipeline.start_canvas(RUN, make_options(graph_mode="local")))
        == "query.plan_graph('q1', 1, 0, 7) | retrieve('q1', 1, 0, 7)"
    )
    later = RUN._replace(round=1)
    assert str(pipeline.start_canvas(later, make_options(graph_mode="local"))) == str(
        pipeline.start_canvas(later, make_options())
    )


def test_a_given_answer_starts_with_its_checks() -> None:  # N2
    assert str(pipeline.verification_canvas(RUN)) == "query.plan_checks('q1', 1, 0, 7)"


def test_a_corrective_round_plans_its_searches_first() -> None:  # A2, S2.3
    for options in (make_options(), make_options(run="agentic"), make_options(multi_query=3)):
        assert str(pipeline.start_canvas(RUN._replace(round=1), options)) == (
            "query.plan_queries('q1', 1, 1, 7) | retrieve('q1', 1, 1, 7)"
        )


def test_scoring_is_a_chord_of_batches_into_the_selection() -> None:  # A2, S3.1
    assert str(pipeline.scoring_canvas(RUN, [["1", "2"], ["3"]])) == (
        "%query.select([score_chunks('q1', 1, 0, 7, ['1', '2']), score_chunks('q1', 1, 0, 7, ['3'])], 'q1', 1, 0, 7)"
    )


def test_generation_and_extraction_run_side_by_side() -> None:  # A2, S4.1
    assert str(pipeline.drafting_canvas(RUN)) == (
        "%query.plan_checks([generate('q1', 1, 0, 7), extract_citations('q1', 1, 0, 7)], 'q1', 1, 0, 7)"
    )


def test_the_checks_of_a_draft_are_members_of_the_chord_that_it_is_written_in() -> None:  # A2, N1
    assert [str(each) for each in pipeline.checks(RUN, [["s0:c1"], ["s1:c1"]])] == [
        "query.check_answer('q1', 1, 0, 7)",
        "query.check_statements('q1', 1, 0, 7, ['s0:c1'])",
        "query.check_statements('q1', 1, 0, 7, ['s1:c1'])",
    ]
    assert str(pipeline.early_check(RUN, "b1")) == "query.check_early('q1', 1, 0, 7, ['b1'])"


def test_all_checks_are_one_chord_into_the_assessment() -> None:  # A2, S5.4, S2.1
    assert str(pipeline.checking_canvas(RUN, [["s0:c1"], ["s1:c1", "s1:c2"]])) == (
        "%query.assess([check_answer('q1', 1, 0, 7), check_statements('q1', 1, 0, 7, ['s0:c1']), "
        "check_statements('q1', 1, 0, 7, ['s1:c1', 's1:c2'])], 'q1', 1, 0, 7)"
    )


def test_repairs_are_a_chord_into_the_conclusion() -> None:  # A2, N5
    assert str(pipeline.single(RUN, "search_evidence")) == "query.search_evidence('q1', 1, 0, 7)"
    assert str(pipeline.repair_canvas(RUN, [["s0"], ["s3"]])) == (
        "%(query.recheck_answerability([repair_statements('q1', 1, 0, 7, ['s0']), "
        "repair_statements('q1', 1, 0, 7, ['s3'])], 'q1', 1, 0, 7) | conclude('q1', 1, 0, 7) | publish('q1', 1, 0, 7))"
    )


def test_what_is_alone_goes_before_what_follows_without_a_chord() -> None:  # A2
    assert (
        str(pipeline.scoring_canvas(RUN, [["1", "2"]]))
        == "query.score_chunks('q1', 1, 0, 7, ['1', '2']) | select('q1', 1, 0, 7)"
    )
    assert str(pipeline.checking_canvas(RUN, [])) == "query.check_answer('q1', 1, 0, 7) | assess('q1', 1, 0, 7)"


def test_without_candidates_the_selection_runs_alone() -> None:
    assert str(pipeline.scoring_canvas(RUN, [])) == "query.select('q1', 1, 0, 7)"


def test_the_pipeline_stays_short() -> None:
    """The edges and the shape of the workflow in one place, on two screens."""
    code = Path(pipeline.__file__).read_text(encoding="utf-8").split('"""', 2)[2]
    assert sum(bool(line.strip()) for line in code.splitlines()) <= 142


def test_every_step_that_workers_know_has_its_place_in_the_pipeline() -> None:  # A1
    of_older_programs = {
        "check_alignment",
        "check_coverage",
        "check_answerability",
        "check_facts",
        "check_claims",
        "fail",
    }
    modules = [import_module(f"workers.tasks.{name}") for name in tasks.__all__]
    names = {each.name for module in modules for each in vars(module).values() if isinstance(each, Task)}
    known = {name.removeprefix("query.") for name in names if name.startswith("query.")}
    assert known - of_older_programs == {*pipeline.STAGES}
