"""`citewell models`: which models answer and judge."""

from enum import StrEnum
from importlib import import_module
from typing import Annotated, Any, Literal

import typer

from citewell.cli.options import Json, group

app = group("Choose, try and list the models that answer and judge.")


class Language(StrEnum):
    """The languages of `models.judge_languages`."""

    ENGLISH = "en"
    KOREAN = "ko"


@app.command()
def use(
    provider: Annotated[
        str | None,
        typer.Argument(metavar="[groq|ollama|llamacpp|URL]", help="[default: what runs on this machine]"),
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="Its name at the server; without one, the names are listed.")
    ] = None,
    key_env: Annotated[
        str | None, typer.Option(metavar="NAME", help="The environment variable that has the key.")
    ] = None,
    preset: Annotated[
        Literal["standard", "cheap", "small"] | None,
        typer.Option(help="[default: small for Ollama and llama.cpp, else standard]"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Try a model and write it into config.yaml, with a copy of what the file was.

    Comments and all other settings stay. Nothing is written when the server, the key or the model does not work. Keys
    stay in the environment: GROQ_API_KEY, CITEWELL_MODELS__API_KEY, or the variable of --key-env.
    """
    _work().use(provider, model, key_env, preset, as_json)


@app.command("list")
def list_(as_json: Json = False) -> None:
    """Show what is configured, and the servers of models that run on this machine."""
    _work().show(as_json)


@app.command()
def judge(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A folder, or the id of a model on the hub.")],
    label: Annotated[str | None, typer.Option(help="Which of its labels means that the source supports.")] = None,
    language: Annotated[
        list[Language] | None, typer.Option(help="What it was trained for; can be given twice.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Get a classifier for `models.judge` (a folder, the hub's cache, the hub), try it, and measure its cost.

    The exit code is 1 when the classifier strikes a faithful statement or no wrong one: such a veto is worthless.
    """
    import_module("citewell.cli.models.judges").show(
        name, label, [str(code) for code in language or [Language.ENGLISH]], as_json
    )


def _work() -> Any:
    return import_module("citewell.cli.models.choice")
