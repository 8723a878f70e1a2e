"""The API describes itself completely."""

import re
from collections.abc import Iterator
from typing import Any, cast

import httpx
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from api.schemas.glossary import FIELDS, PARAMETERS
from tests.api.operations import description
from verify_material.rows import for_all_rows

JSON = dict[str, Any]


@pytest.fixture(scope="module")
def schema() -> JSON:
    return description()


def operations(schema: JSON) -> Iterator[tuple[str, JSON]]:
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def test_every_promised_path_is_described(schema: JSON) -> None:
    assert {name for name, _ in operations(schema)} == {
        "POST /v1/responses",
        "GET /v1/responses/{response_id}",
        "DELETE /v1/responses/{response_id}",
        "POST /v1/responses/{response_id}/cancel",
        "POST /v1/documents",
        "GET /v1/documents",
        "GET /v1/documents/{document_id}",
        "GET /v1/documents/{document_id}/text",
        "GET /v1/documents/{document_id}/original",
        "GET /v1/documents/{document_id}/layout",
        "GET /v1/documents/{document_id}/pages/{number}/image",
        "GET /v1/documents/{document_id}/boxes",
        "GET /v1/documents/{document_id}/blocks",
        "GET /v1/documents/{document_id}/versions",
        "GET /v1/documents/{document_id}/passages",
        "GET /v1/documents/{document_id}/chunks",
        "PATCH /v1/documents/{document_id}/chunks/{chunk_index}",
        "POST /v1/documents/{document_id}/chunks/{chunk_index}/corrections",
        "GET /v1/documents/{document_id}/edits",
        "POST /v1/search",
        "POST /v1/search/explain",
        "DELETE /v1/documents/{document_id}",
        "POST /v1/documents/{document_id}/retry",
        "GET /v1/model-servers",
        "POST /v1/model-servers/models",
        "POST /v1/model-servers/trials",
        "GET /v1/model-servers/trials/{trial_id}",
        "GET /v1/model-servers/current",
        "PUT /v1/model-servers/current",
        "DELETE /v1/model-servers/current",
        "POST /v1/imports",
        "GET /v1/imports",
        "GET /v1/imports/{import_id}",
        "POST /v1/reingestions",
        "GET /v1/reingestions/{reingestion_id}",
        "POST /v1/sources",
        "GET /v1/sources",
        "GET /v1/sources/{source_id}",
        "GET /v1/sources/{source_id}/items",
        "POST /v1/sources/{source_id}/run",
        "PATCH /v1/sources/{source_id}",
        "DELETE /v1/sources/{source_id}",
        "POST /v1/queries",
        "GET /v1/queries",
        "GET /v1/queries/{query_id}",
        "DELETE /v1/queries/{query_id}",
        "POST /v1/queries/{query_id}/replay",
        "GET /v1/queries/{query_id}/export",
        "GET /v1/queries/{query_id}/events",
        "GET /v1/queries/{query_id}/verifications",
        "GET /v1/queries/{query_id}/deliveries",
        "GET /v1/queries/{query_id}/audit",
        "GET /v1/queries/{query_id}/audit/check",
        "POST /v1/queries/{query_id}/reverify",
        "GET /v1/verifications/{verification_id}/audit",
        "GET /v1/verifications/{verification_id}/audit/check",
        "POST /v1/verifications/{verification_id}/reverify",
        "POST /v1/webhooks",
        "GET /v1/webhooks",
        "GET /v1/webhooks/{webhook_id}",
        "PATCH /v1/webhooks/{webhook_id}",
        "DELETE /v1/webhooks/{webhook_id}",
        "POST /v1/webhooks/{webhook_id}/rotate-secret",
        "POST /v1/webhooks/{webhook_id}/test",
        "GET /v1/webhooks/{webhook_id}/deliveries",
        "POST /v1/webhooks/{webhook_id}/replay",
        "GET /v1/webhooks/callback-secret",
        "POST /v1/webhooks/callback-secret/rotate",
        "GET /v1/deliveries/{delivery_id}",
        "POST /v1/deliveries/{delivery_id}/replay",
        "POST /v1/verifications",
        "GET /v1/verifications",
        "GET /v1/verifications/{verification_id}",
        "DELETE /v1/verifications/{verification_id}",
        "POST /v1/verifications/{verification_id}/replay",
        "GET /v1/verifications/{verification_id}/events",
        "GET /v1/verifications/{verification_id}/history",
        "GET /v1/verifications/{verification_id}/sources/{number}/text",
        "POST /v1/verifications/batches",
        "GET /v1/verifications/batches/{batch_id}",
        "GET /v1/verifications/batches/{batch_id}/results",
        "DELETE /v1/verifications/batches/{batch_id}",
        "POST /v1/feedback",
        "GET /v1/feedback",
        "GET /v1/feedback/{feedback_id}",
        "GET /v1/feedback/{feedback_id}/answer",
        "PATCH /v1/feedback/{feedback_id}",
        "DELETE /v1/feedback/{feedback_id}",
        "POST /v1/queries/{query_id}/feedback",
        "GET /v1/queries/{query_id}/feedback",
        "POST /v1/queries/{query_id}/share",
        "GET /v1/queries/{query_id}/share",
        "DELETE /v1/queries/{query_id}/share/{share_id}",
        "GET /shared/{token}",
        "GET /v1/quality",
        "POST /v1/quality",
        "GET /v1/quality/series",
        "GET /v1/history",
        "POST /query",
        "POST /chat",
        "POST /agent/chat",
        "POST /agentic/chat",
        "POST /multiagent/chat",
        "POST /query/verified",
        "POST /api/query",
        "POST /api/verify-citation",
        "POST /v1/guard/beta/litellm_basic_guardrail_api",
        "POST /v1/guard/chat/completions",
        "GET /v1/guard/models",
        "POST /v1/chat/completions",
        "GET /v1/models",
        "GET /v1/models/{model}",
        "POST /v1/conversations",
        "POST /v1/conversations/turns",
        "GET /v1/threads",
        "GET /v1/threads/{thread_id}",
        "GET /v1/conversations",
        "GET /v1/conversations/{conversation_id}",
        "PATCH /v1/conversations/{conversation_id}",
        "DELETE /v1/conversations/{conversation_id}",
        "POST /v1/conversations/{conversation_id}/branches",
        "POST /v1/conversations/{conversation_id}/turns",
        "GET /v1/conversations/{conversation_id}/turns",
        "GET /v1/conversations/{conversation_id}/export",
        "GET /v1/workspaces",
        "POST /v1/workspaces",
        "GET /v1/workspaces/{workspace}",
        "PATCH /v1/workspaces/{workspace}",
        "DELETE /v1/workspaces/{workspace}",
        "POST /v1/keys",
        "GET /v1/keys",
        "DELETE /v1/keys/{key_id}",
        "GET /v1/me",
        "GET /v1/me/keys",
        "POST /v1/me/keys",
        "DELETE /v1/me/keys/{key_id}",
        "GET /v1/people",
        "PATCH /v1/people/{person_id}",
        "GET /v1/members",
        "POST /v1/members",
        "DELETE /v1/members/{member_id}",
        "GET /v1/deeds",
        "GET /healthz",
        "GET /readyz",
        "GET /metrics",
    }
    assert all(operation["description"] for _, operation in operations(schema))


@pytest.mark.slow
def test_the_description_is_valid_for_the_version_that_it_names(schema: JSON) -> None:
    assert schema["openapi"].startswith("3.1.")
    assert list(OpenAPIV31SpecValidator(schema).iter_errors()) == []
    # Valid for the validator, as any unknown keyword of a media type is.
    known = {"schema", "example", "examples", "encoding"}
    assert [found for found in media_types(schema) if not found.keys() <= known] == []


def media_types(schema: JSON) -> Iterator[JSON]:
    for _, operation in operations(schema):
        for holder in (operation.get("requestBody", {}), *operation["responses"].values()):
            yield from holder.get("content", {}).values()


def test_operations_are_named_for_the_functions_of_clients(schema: JSON) -> None:
    names = [operation["operationId"] for _, operation in operations(schema)]
    assert len(set(names)) == len(names)
    assert {"create_query", "get_query", "list_queries", "get_document", "cancel_verification"} <= set(names)
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)+", name) for name in names)
    assert schema["paths"]["/v1/queries"]["post"]["summary"] == "Create query"


def test_every_tag_is_described_and_the_server_is_named(schema: JSON) -> None:
    used = {tag for _, operation in operations(schema) for tag in operation["tags"]}
    assert {tag["name"] for tag in schema["tags"] if tag["description"]} == used
    assert [server["url"] for server in schema["servers"]] == ["/"]


def test_every_property_and_parameter_is_described(schema: JSON) -> None:
    assert [place for place, part in described_parts(schema, "") if not part.get("description")] == []


def described_parts(part: Any, place: str) -> Iterator[tuple[str, JSON]]:
    """All properties and parameters, wherever they are; not the examples."""
    if not isinstance(part, (dict, list)):
        return
    named = cast("JSON", dict(enumerate(cast("list[Any]", part))) if isinstance(part, list) else part)
    for name, inner in named.items():
        if name in ("example", "examples"):
            continue
        here = f"{place}/{name}"
        if name == "properties" and named.get("type") == "object":
            yield from ((f"{here}/{field}", told) for field, told in inner.items())
        elif name == "parameters":
            yield from ((f"{here}/{told['name']}", told) for told in inner)
        yield from described_parts(inner, here)


def test_the_glossary_has_no_word_that_nothing_uses(schema: JSON) -> None:
    models = schema["components"]["schemas"]
    fields = {(model, field) for model, told in models.items() for field in told.get("properties", {})}
    used = {field for _, field in fields} | {f"{model}.{field}" for model, field in fields}
    assert FIELDS.keys() - used == set()
    assert (
        PARAMETERS.keys() - {told["name"] for _, op in operations(schema) for told in op.get("parameters", ())} == set()
    )


@pytest.mark.slow
def test_every_error_is_described_as_a_problem(schema: JSON) -> None:
    for name, operation in operations(schema):
        for status, response in operation["responses"].items():
            if status[0] in "45":
                # A browser that opens a link which is gone gets a page.
                pages = {"text/html"} if (name, status) == ("GET /shared/{token}", "404") else set[str]()
                assert set(response["content"]) == {"application/problem+json"} | pages, (name, status)
    assert "HTTPValidationError" not in schema["components"]["schemas"]
    assert {"4XX", "422", "503"} <= schema["paths"]["/v1/queries"]["post"]["responses"].keys()


def test_a_document_is_described_as_a_form_and_as_json(schema: JSON) -> None:
    content = schema["paths"]["/v1/documents"]["post"]["requestBody"]["content"]
    assert content["multipart/form-data"]["schema"]["properties"]["file"]["format"] == "binary"
    assert content["application/json"]["schema"]["required"] == ["filename", "text"]


def test_every_schema_says_what_it_is(schema: JSON) -> None:
    undescribed = [name for name, model in schema["components"]["schemas"].items() if not model.get("description")]
    assert undescribed == ["JsonValue"]  # pydantic's own


def test_a_finished_query_has_the_promised_fields(schema: JSON) -> None:  # S1.8, S2.4, S3.3, S4.2
    models = schema["components"]["schemas"]
    promised = {
        "QueryRead": "id status question mode provider answer original_answer abstained references citations "
        "removed_citations sources verification usage timings created_at finished_at",
        "CitationRead": "number document_name document_id page_number section chunk_id chunk_index start_index "
        "text_span source_start source_end claim_text answer_start answer_end citation_type confidence_score status "
        "explanation text doc_id filename source",
        "VerificationRead": "overall_score answer_source_alignment citation_coverage fact_verification_score issues "
        "verified_sources unverified_claims confidence confidence_level is_grounded claims_checked claims_supported "
        "crag_attempts accuracy_rate sentences claims",
        "SentenceRead": "start end text status evidence source",
        "UsageRead": "llm_calls unknown_calls prompt_tokens cached_tokens completion_tokens cost_usd",
    }
    for name, fields in promised.items():
        assert set(fields.split()) <= models[name]["properties"].keys(), name


def test_a_verification_is_described_with_an_example(schema: JSON) -> None:  # N2
    models, post = schema["components"]["schemas"], schema["paths"]["/v1/verifications"]["post"]
    assert {"200", "202", "422"} <= post["responses"].keys()
    assert models["VerificationCreate"]["examples"][0]["sources"]
    promised = (
        "id status custom_id question answer repaired_answer changed edits removed_citations sentences citations "
        "verification usage timings error created_at finished_at"
    )
    assert set(promised.split()) <= models["VerificationResult"]["properties"].keys()
    lines = schema["paths"]["/v1/verifications/batches"]["post"]["requestBody"]["content"]
    assert lines.keys() == {"application/jsonl", "application/x-ndjson"}


SEED_MODELS = (
    "RagAsk RagAnswer RagVerification ChatAsk ChatReply ChatVerification AgentAsk AgentAnswer AgentCitation "
    "VerifiedAsk VerifiedAnswer CitationLogEntry CitationVerify CitationVerdict VerifiedCitation StreamAsk"
).split()


@for_all_rows("name", SEED_MODELS)
def test_every_field_of_a_seed_says_what_it_is(schema: JSON, name: str) -> None:  # S1.8, S2.4, S3.6, S4.4, S5.6
    fields = schema["components"]["schemas"][name]["properties"]
    assert [field for field, told in fields.items() if not {"description", "examples"} & told.keys()] == []


@pytest.mark.parametrize(
    "path", ["/query", "/chat", "/agent/chat", "/agentic/chat", "/multiagent/chat", "/query/verified"]
)
def test_a_seeds_answer_says_where_its_history_is(schema: JSON, path: str) -> None:  # A4
    responses = schema["paths"][path]["post"]["responses"]
    assert {"200", "422", "4XX", "502", "503", "504"} <= responses.keys()
    assert all("Location" in responses[status]["headers"] for status in ("200", "502", "504"))


def test_a_completion_and_its_errors_are_described_in_openais_words(schema: JSON) -> None:  # N9
    responses = schema["paths"]["/v1/chat/completions"]["post"]["responses"]
    assert set(responses["200"]["content"]) == {"application/json", "text/event-stream"}
    for status in ("4XX", "404", "422", "502", "503", "504"):
        described = responses[status]["content"]["application/problem+json"]["schema"]
        assert described == {"$ref": "#/components/schemas/OpenAIProblem"}, status
    fields = schema["components"]["schemas"]["CompletionCreate"]["properties"]
    assert [field for field, told in fields.items() if "description" not in told] == []


def test_a_seeds_stream_is_described(schema: JSON) -> None:  # S4.3
    done = schema["paths"]["/api/query"]["post"]["responses"]["200"]
    assert list(done["content"]) == ["text/event-stream"]
    assert "Location" in done["headers"]


def test_the_documentation_is_served(http: httpx.Client) -> None:
    assert http.get("/openapi.json").json()["info"]["title"] == "Citewell"
    assert http.get("/docs").status_code == 200


def test_every_header_is_one_that_generators_of_clients_know(schema: JSON) -> None:  # A3
    headers = {
        parameter["name"].lower(): parameter["schema"]
        for _, operation in operations(schema)
        for parameter in operation.get("parameters", ())
        if parameter["in"] == "header"
    }
    assert {"idempotency-key", "citewell-conversation", "citewell-priority"} <= headers.keys()
    kinds = {
        name: {resolved(schema, each)["type"] for each in told.get("anyOf", [told])} for name, told in headers.items()
    }
    assert {name: found for name, found in kinds.items() if len(found - {"null"}) != 1} == {}


def test_every_body_of_a_request_has_an_example(schema: JSON) -> None:
    """Of the whole, or of each required field; a file has none."""
    for name, operation in operations(schema):
        for media in operation.get("requestBody", {}).get("content", {}).values():
            body = resolved(schema, media["schema"])
            if exemplified(media) or exemplified(body) or body.get("format") == "binary":
                continue
            needed = [resolved(schema, body["properties"][field]) for field in body.get("required", [])]
            lacking = [field for field in needed if not exemplified(field) and field.get("format") != "binary"]
            assert lacking == [], name


def resolved(schema: JSON, part: JSON) -> JSON:
    """The target of a reference, with the keywords beside it."""
    if "$ref" not in part:
        return part
    return schema["components"]["schemas"][part["$ref"].rpartition("/")[2]] | part


def exemplified(part: JSON) -> bool:
    return not part.keys().isdisjoint({"example", "examples", "enum", "const"})
