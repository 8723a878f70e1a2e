"""Follows a re-ingestion until the last of its documents has ended."""

import time

from citewell.cli.documents.uploading import progress_bars
from citewell_client import CitewellClient
from citewell_client.types import Reingestion

_LOOK_EVERY_S = 0.3


def follow_reingestion(client: CitewellClient, reingestion_id: str) -> Reingestion:
    with progress_bars() as bars:
        bar = bars.add_task("read again", total=None, stage="")
        while True:
            seen = client.reingestion(reingestion_id)
            ended = seen["total"] - seen["queued"] - seen["processing"]
            bars.update(bar, total=seen["total"], completed=ended, stage=f"{seen['changed']:,} changed")
            if seen["status"] == "finished":
                return seen
            time.sleep(_LOOK_EVERY_S)
