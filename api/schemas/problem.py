"""Errors as JSON: problem details as RFC 9457 defines them."""

from pydantic import BaseModel, ConfigDict, Field

MEDIA_TYPE = "application/problem+json"


class FieldError(BaseModel):
    """One field of the request that is not valid."""

    field: str = Field(description="Path of the field, e.g. `retrieval.k`.")
    message: str


class Problem(BaseModel):
    """An error: what went wrong, and what to do about it."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "type": "urn:citewell:problem:workspace_not_found",
                    "title": "Workspace not found",
                    "status": 404,
                    "detail": "There is no workspace 'finance'; ingest a document into it first.",
                    "instance": "/v1/queries",
                    "code": "workspace_not_found",
                }
            ]
        }
    )

    type: str = Field(description="A URI that names the kind of problem; it ends with `code`.")
    title: str = Field(description="The kind of problem in words; the same every time.")
    status: int = Field(description="The HTTP status.")
    detail: str = Field(description="What is wrong with this request, and what to do.")
    instance: str = Field(description="The path of the request.")
    code: str = Field(description="The kind of problem, for programs.")
    errors: list[FieldError] | None = Field(default=None, description="With status 422: the fields that are not valid.")
    error_id: str | None = Field(default=None, description="With status 500: the id under which the log has the cause.")


class OpenAIError(BaseModel):
    """The error in the form that OpenAI's clients display."""

    message: str = Field(description="The problem's `detail`.")
    type: str = Field(examples=["invalid_request_error"])
    param: str | None = Field(description="The parameter that is not valid, if it is one.", examples=["model"])
    code: str = Field(examples=["model_not_found"])


class OpenAIProblem(Problem):
    """A problem with the error object of OpenAI's clients."""

    error: OpenAIError
