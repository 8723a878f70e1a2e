"""Settings of the guard: what becomes of answers that other models write, and the model behind the proxy."""

from typing import Literal

from pydantic import Field, SecretStr

from config import Group


class GuardSettings(Group):
    """A gateway's request may name other policies; the proxy's requests may not."""

    on_failure: Literal["repair", "block"] = Field(
        default="repair",
        description="A sentence that the sources do not say is corrected or left out, or no answer goes out",
    )
    on_unchecked: Literal["block", "pass"] = Field(
        default="block", description="What becomes of text whose check failed; `pass` lets it through unverified"
    )
    without_sources: Literal["block", "pass"] = Field(
        default="block", description="What becomes of an answer to a request that brings no sources"
    )
    source_tools: tuple[str, ...] = Field(
        default=(), description="The tools whose results count as sources; none named: all"
    )
    attached_texts: bool = Field(
        default=False,
        description="Texts between marks in messages of users and systems, as chat programs attach files, count as "
        "sources: for programs whose users may say what an answer rests on",
    )
    wait_s: float = Field(default=30.0, gt=0, le=60, description="Limit of one check; then it has failed")
    keep_s: int = Field(
        default=900, ge=1, description="How long the sources of a gateway's request are kept for its answer"
    )
    upstream_url: str | None = Field(
        default=None,
        pattern=r"^https?://[^\s/@?#]+(/[^\s?#]*)?$",
        description="Server of the model that the proxy `/v1/guard` asks, without `/chat/completions`; null: no proxy",
    )
    upstream_key: SecretStr | None = Field(default=None, description="Sent to it as a bearer token")
    upstream_silence_s: float = Field(default=60.0, gt=0, description="How long it may send nothing")
