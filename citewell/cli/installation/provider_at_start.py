"""The problem with the language model's server that `citewell up` reports at its start, if there is one."""

from importlib import import_module

from citewell.cli.errors import CommandFailed
from config.settings import Settings

NO_MODEL = (
    "No language model is configured: answers are sentences of your documents, checked by rules."
    " The page (#/models) or `citewell models use groq|ollama|llamacpp|URL` sets one up."
)


def problem_of_provider(settings: Settings) -> str | None:
    """Return the problem that a user should know before the first question, or None.

    Raises CommandFailed when the provider refuses the key, and ConfigurationInvalid when it cannot be asked at all.
    """
    if settings.provider == "offline":
        return NO_MODEL
    # These load modules that compute vectors and ask models, which `citewell up` itself does not need.
    import_module("clients.llm.factory").check_provider(settings)
    servers = import_module("clients.llm.servers")
    answer = servers.ask_provider(settings)
    if answer is None:
        return None
    if answer.state == "key_refused":
        raise CommandFailed(f"{answer.detail}; no question would be answered")
    if answer.state == "forbidden":
        return f"The language model's server does not list its models: {answer.detail}. `citewell doctor` asks each."
    if answer.state == "unreachable":
        return f"The language model's server is away: {answer.detail}; until it is back, no question is answered."
    if missing := servers.missing_models(answer, (settings.models.main, settings.models.fast)):
        return (
            f"The language model's server does not have {' and '.join(missing)}; it has {', '.join(answer.models[:8])}."
            " `citewell models use` chooses one."
        )
    return None
