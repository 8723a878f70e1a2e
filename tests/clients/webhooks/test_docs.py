"""The instructions of docs/webhooks.md for receivers work (A6)."""

import re
import runpy
import time
from collections.abc import Callable
from pathlib import Path

from clients.webhooks.signing import new_secret, signature_headers

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "webhooks.md").read_text(encoding="utf-8")
BODY = b'{"type":"query.succeeded"}'


# A6
def test_the_signature_can_be_verified_by_hand(tmp_path: Path) -> None:
    [code] = re.findall(r"```python\n(import base64.*?)```", PAGE, re.DOTALL)
    module = tmp_path / "by_hand.py"
    module.write_text(code, encoding="utf-8")
    verified: Callable[[str, dict[str, str], bytes], bool] = runpy.run_path(str(module))["verified"]
    secret, other, now = new_secret(), new_secret(), int(time.time())
    headers = signature_headers("msg_1", now, BODY, [other, secret])
    assert verified(secret, headers, BODY)
    assert not verified(new_secret(), headers, BODY)
    assert not verified(secret, headers, BODY + b" ")
    assert not verified(secret, {**headers, "webhook-id": "msg_2"}, BODY)
    assert not verified(secret, signature_headers("msg_1", now - 400, BODY, [secret]), BODY)
