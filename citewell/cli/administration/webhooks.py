"""`citewell webhooks`: the receivers of notifications, and whether deliveries to them succeed."""

import time
from typing import Annotated

import typer

from citewell.cli.connection import connected
from citewell.cli.console import emit, err, out, plain, say
from citewell.cli.errors import FAILED, CommandFailed
from citewell.cli.options import Json, Url, Yes, confirm, group
from citewell.cli.short_ids import whole_id
from citewell_client import CitewellClient
from citewell_client.types import Delivery

app = group("List, create, test and delete webhooks.")

_Id = Annotated[str, typer.Argument(metavar="ID", help="Of a webhook; at least its first 6 characters.")]
_LOOK_EVERY_S = 0.5


@app.command("list")
def list_(as_json: Json = False, url: Url = None) -> None:
    """List the webhooks and whether they work."""
    with connected(url) as client:
        endpoints = client.webhooks.list()
    for endpoint in endpoints:
        if as_json:
            emit(endpoint)
        else:
            state = endpoint["disabled_reason"] or ("failing" if endpoint["failing_since"] else endpoint["status"])
            out.print(
                plain(f"{endpoint['id']}  {endpoint['url']}  {', '.join(endpoint['events'])}  {state}"), soft_wrap=True
            )
    if not endpoints and not as_json:
        say("no webhooks yet; `citewell webhooks create URL` adds one")


@app.command()
def create(
    receiver: Annotated[str, typer.Argument(metavar="URL", help="Where messages are sent.")],
    events: Annotated[
        list[str] | None, typer.Option("--event", help="query.*, document.failed, …; can be given several times.")
    ] = None,
    description: Annotated[str, typer.Option(help="For people.")] = "",
    as_json: Json = False,
    url: Url = None,
) -> None:
    """Register a receiver and print its secret on standard output. It cannot be shown again."""
    with connected(url) as client:
        made = client.webhooks.create(receiver, events or ["*"], description=description)
    if as_json:
        emit(made)
        return
    say(f"webhook {made['id']}; the secret that signs its messages:")
    out.print(made.get("secret", ""), soft_wrap=True)


@app.command()
def delete(webhook_id: _Id, yes: Yes = False, url: Url = None) -> None:
    """Delete a webhook: nothing more is sent to it."""
    with connected(url) as client:
        webhook_id = whole_id(client, webhook_id, "webhook")
        confirm(f"delete the webhook for {client.webhooks.get(webhook_id)['url']}", yes)
        client.webhooks.delete(webhook_id)
    say(f"deleted {webhook_id}")


@app.command("test")
def try_(
    webhook_id: _Id,
    wait: Annotated[float, typer.Option(min=0, metavar="SECONDS", help="How long to wait for its answer.")] = 30,
    url: Url = None,
) -> None:
    """Send a message of type webhook.test now, and tell what the receiver answered."""
    with connected(url) as client, err.status("sending"):
        webhook_id = whole_id(client, webhook_id, "webhook")
        sent = _attempted(client, webhook_id, client.webhooks.test(webhook_id), wait)
    if not sent["attempts"]:
        raise CommandFailed(f"no attempt within {wait:g} s; is a worker running? (delivery {sent['id']})", FAILED)
    last = sent["attempts"][-1]
    if sent["status"] != "delivered":
        raise CommandFailed(f"not delivered: {last['error'] or 'HTTP ' + str(last['status_code'])}", FAILED)
    say(f"delivered: HTTP {last['status_code']} in {last['duration_ms']:.0f} ms")


def _attempted(client: CitewellClient, webhook_id: str, sent: Delivery, wait: float) -> Delivery:
    deadline = time.monotonic() + wait
    while not sent["attempts"] and time.monotonic() < deadline:
        time.sleep(_LOOK_EVERY_S)
        sent = next(
            (delivery for delivery in client.webhooks.deliveries(webhook_id) if delivery["id"] == sent["id"]), sent
        )
    return sent
