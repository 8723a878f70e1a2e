"""The modes and options of a question, and the name and settings of its workspace."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    StrictBool,
    StrictFloat,
    StrictInt,
    model_validator,
)

from citewell_verify.answers.refusals import IDK, IDK_KOREAN, RefusalLanguage, is_idk, refusal_for
from citewell_verify.text.languages import KOREAN, language_of
from domain.errors.requests import ModeUnknown, WorkspaceNameInvalid
from domain.query.conversation import Turn
from domain.query.workspace_rules import Instructions, ReviewRules, storable

__all__ = [
    "IDK",
    "IDK_KOREAN",
    "GateDecision",
    "Mode",
    "ModeRules",
    "evidence_gate",
    "idk_for",
    "is_idk",
    "is_korean",
    "parse_mode",
    "rules_of",
]


_Text = Annotated[str, Field(max_length=1000), AfterValidator(storable)]
_Key = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(storable)]
MetadataValue = _Text | StrictBool | int | float
Preset = Literal["standard", "cheap"]
"""One model call per chunk and per cited statement, or shared calls."""
RunKind = Literal["structured", "agentic", "multiagent"]
"""S3.6: one search for the question, a model that decides which searches to make, or one that searches and takes
notes for another that writes."""
GraphMode = Literal["naive", "local", "global", "hybrid", "mix"]
"""S5.1: passages by their own words (`naive`), from what the question names (`local`), from the connections that it
is about (`global`), from both (`hybrid`), from all three (`mix`)."""
MAX_NAME = 100
_NAME = re.compile(rf"[^\W_][\w.-]{{0,{MAX_NAME - 1}}}")
_NESTED = frozenset({"models", "instructions", "review"})


class Mode(StrEnum):
    """Values of `mode` and `inference_mode` in requests."""

    LOW = "low"
    BALANCED = "balanced"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class ModeRules:
    """Row S3.5: the number of chunks that are enough evidence, whether answerability is checked, and the `k` of a
    second retrieval.

    `gates`: with fewer than `min_chunks` the mode refuses before anything is generated.
    """

    min_chunks: int
    verify_answer: bool
    second_pass_k: int
    gates: bool


_RULES = {
    Mode.LOW: ModeRules(min_chunks=1, verify_answer=False, second_pass_k=5, gates=False),
    Mode.BALANCED: ModeRules(min_chunks=2, verify_answer=True, second_pass_k=8, gates=False),
    Mode.HIGH: ModeRules(min_chunks=3, verify_answer=True, second_pass_k=10, gates=True),
}


@dataclass(frozen=True, slots=True)
class GateDecision:
    """The decision of the evidence gate. `refuse`: answer `IDK` without generating. `reason` is for users; it is empty
    if there is enough evidence, but not if thin evidence is accepted.
    """

    refuse: bool
    reason: str


def parse_mode(value: str | None) -> Mode:
    """Return the mode named `value`, in any case; balanced for None. Raises ModeUnknown."""
    if value is None:
        return Mode.BALANCED
    try:
        return Mode(value.strip().lower())
    except ValueError:
        raise ModeUnknown from None


def rules_of(mode: Mode) -> ModeRules:
    return _RULES[mode]


def evidence_gate(mode: Mode, evidence_count: int, available: int | None = None) -> GateDecision:
    """Decide whether `evidence_count` chunks are enough to answer from; `available` is the number of all chunks if
    there are few.

    Mode `high` refuses below its minimum (S3.5), unless all available chunks are evidence. No mode answers from no
    evidence (S2.6).
    """
    rules = rules_of(mode)
    if evidence_count == 0:
        return GateDecision(refuse=True, reason="No passage was found that is close enough to the question.")
    if evidence_count >= min(rules.min_chunks, available or rules.min_chunks):
        return GateDecision(refuse=False, reason="")
    counted = f"Only {evidence_count} relevant passage{'s' if evidence_count > 1 else ''} found"
    return GateDecision(refuse=rules.gates, reason=f"{counted}; mode {mode} asks for {rules.min_chunks}.")


def is_korean(question: str) -> bool:
    return language_of(question) == KOREAN


def idk_for(question: str, beside: Sequence[str] = ()) -> str:
    """Return the refusal that a model is told to answer with, in the question's language (S5.3)."""
    return refusal_for(question, beside=beside)


class Bounds(BaseModel):
    """From `gte` to `lte`, both included; one of them may be omitted. Dates are in ISO 8601: `2024-01-31` includes
    the whole day."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    gte: _Text | StrictInt | StrictFloat | None = None
    lte: _Text | StrictInt | StrictFloat | None = None

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        if self.gte is None and self.lte is None:
            raise ValueError("give gte, lte or both")
        return self


class DocumentFilter(BaseModel):
    """The documents to search; all given conditions must hold. `metadata` is what a document was stored with or
    states about itself: a value, a list of accepted values, or bounds; case does not matter."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    document_ids: list[UUID] | None = Field(default=None, max_length=1000)
    filenames: list[_Text] | None = Field(default=None, max_length=1000)
    metadata: dict[_Key, MetadataValue | Annotated[list[MetadataValue], Field(max_length=500)] | Bounds] = Field(
        default={}, max_length=20
    )


class QueryOptions(BaseModel):
    """Resolved once, at submission: request beats environment beats file beats default (S1.7, S2.4).

    Additional options stored by a newer program are ignored: both run during a rolling upgrade.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    preset: Preset = "standard"
    model: str | None = None
    """The main model asked for by the request (S2.5), or None for the configured one."""
    judge_model: str | None = None
    """The fast model of this query: the judge of a re-verification (N6), or the workspace's; None for the configured
    one."""
    model_choice: int | None = None
    """The choice of models on the page that all of its calls follow; None for the configuration."""
    retrieval_method: Literal["vector", "hybrid"]
    k: int
    filter: DocumentFilter | None = None
    """The documents to search; None means all documents of the workspace."""
    workspaces: tuple[int, ...] = ()
    """The ids of all workspaces to search, if there are several; the query belongs to the first."""
    dense_weight: float | None = None
    """The weight of similarity in `hybrid` search, relative to words (1); None means the embedder's own."""
    top_k: int
    context_tokens: int | None = None
    """S4.5: the passages to write from have at most about this many tokens; the best one is always included."""
    rerank_batch: int
    min_evidence_score: float
    verify_answer: bool
    """Answerability check (S3.4); False in mode `low`."""
    verification: bool
    check_batch: int
    weight_alignment: float
    weight_coverage: float
    weight_facts: float
    alignment_threshold: float
    coverage_threshold: float
    facts_threshold: float
    citation_confidence: float
    span_min_chars: int
    span_max_chars: int
    show_claims: bool
    confidence_threshold: float = 0.7
    """S2.3: an answer with less confidence gets another round, of which there are at most `max_crag_attempts`."""
    max_crag_attempts: int = 2
    repair: Literal["full", "citations", "off"] = "full"
    """N5: repair failing statements, only remove wrong citations (S5.5), or leave the text alone (N2)."""
    second_pass_k: int = 8
    """S3.5: passages per search of a corrective round or a repair."""
    source_scoring: bool = False
    """S5.2: its formula chooses the sources, at most `max_sources` rather than `top_k`."""
    max_sources: int = 5
    min_relevance: float = 0.4
    min_excerpt_length: int = 20
    merged_top_k: int = 5
    """S3.1: passages to write from when several searches are merged."""
    run: RunKind = "structured"
    multi_query: int = 0
    """S3.2: rewritten questions that a structured run searches for in addition; 0 and 1 mean none."""
    max_searches: int = 4
    """S3.6: the most searches of an agentic or multi-agent run, and so of its decisions."""
    graph_mode: GraphMode = "naive"
    """S5.1: how the knowledge graph is used; the numbers bound what one search follows in it."""
    graph_entities: int = 10
    graph_relations: int = 20
    refusal_language: RefusalLanguage = "en"
    """V8: "I don't know" is said in the question's language, or in English as in the seeds."""
    refusal: str | None = None
    """The refusal in the words of the workspace, or in its language; None leaves that to `refusal_language`."""
    instructions: Instructions = Instructions()
    """How the answer is to be written. Prompts that judge never contain it."""
    answer_schema: dict[str, Any] | None = None
    """The JSON Schema of the object that is filled from the verified sentences of the answer; None asks for none."""
    given_sources: tuple[str, ...] = ()
    """N9: the names of the texts that came with the question; if there are any, it is answered from them alone."""
    conversation: tuple[Turn, ...] = ()
    """N9: the conversation before the question, from which it is restated so that it can be understood alone."""
    review: ReviewRules = ReviewRules()
    """Whether a person has to see the answer, and before anybody else."""
    request: dict[str, Any] = {}
    """What the request asked for, in its own words: the other options hold what was made of it."""
    deadline_s: float | None = None
    """Seconds from acceptance (for a batch item, from its start) after which no model is asked."""
    max_cost_usd: float | None = None
    """US dollars after which no model is asked."""

    @property
    def shares_calls(self) -> bool:
        return self.preset == "cheap"

    @property
    def preparations(self) -> list[str]:
        is_structured = self.run == "structured"
        wanted = {
            "restate_question": bool(self.conversation),
            "rewrite_question": is_structured and self.multi_query > 1,
            "plan_graph": is_structured and self.graph_mode != "naive",
        }
        return [step for step, is_wanted in wanted.items() if is_wanted]


def workspace_name(text: str) -> str:
    """The name of a new workspace as it is stored. Raises WorkspaceNameInvalid, which states the rule.

    Letters and digits of all scripts are allowed.
    """
    name = unicodedata.normalize("NFC", text).strip()
    if not _NAME.fullmatch(name):
        raise WorkspaceNameInvalid(
            f"{name[:MAX_NAME]!r} cannot be the name of a workspace. {WorkspaceNameInvalid.RULE}"
        )
    return name


class WorkspaceModels(BaseModel):
    """Models of the catalogue (`models.catalogue`), by name; null: the configured one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    main: str | None = Field(default=None, max_length=200, description="Writes answers.")
    fast: str | None = Field(default=None, max_length=200, description="Scores passages and judges statements.")


class WorkspaceSettings(BaseModel):
    """Defaults of the questions of a workspace: a request overrides them, they override the configuration."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    models: WorkspaceModels = Field(default=WorkspaceModels(), description="Who answers and who judges.")
    mode: Mode | None = Field(default=None, description="How much evidence an answer needs; null: `balanced`.")
    preset: Preset | None = Field(default=None, description="What a question may cost; null: as configured.")
    instructions: Instructions = Field(default=Instructions(), description="How answers are to be written.")
    answer_schema: dict[str, JsonValue] | None = Field(
        default=None, description="The JSON Schema of an object that answers are given as, too; null: none."
    )
    review: ReviewRules = Field(default=ReviewRules(), description="Which answers a person has to see.")

    @classmethod
    def stored(cls, values: Mapping[str, Any]) -> "WorkspaceSettings":
        """Read settings from the database; additional fields that a newer program stored are ignored."""
        return cls.model_validate(values, extra="ignore")

    def changed(self, change: "WorkspaceSettings") -> "WorkspaceSettings":
        """These settings with the fields that `change` was given; null resets a field. A glossary is replaced as a
        whole.
        """
        return WorkspaceSettings.model_validate(_merged(self.model_dump(), change.model_dump(exclude_unset=True)))


def _merged(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    return {**old, **{key: _merged(old[key], value) if key in _NESTED else value for key, value in new.items()}}
