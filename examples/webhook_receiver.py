"""A receiver of webhooks that believes nothing it cannot verify: `python webhook_receiver.py PORT whsec_…`.

Needs only the independent library `standardwebhooks`. Prints a line for every call.
"""

import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

from standardwebhooks import Webhook, WebhookVerificationError

PORT, SECRET = int(sys.argv[1]), sys.argv[2]


class Receiver(BaseHTTPRequestHandler):
    """Answers 204 to what is signed with our secret, and 400 to everything else."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        try:
            message = Webhook(SECRET).verify(body.decode(), {name.lower(): text for name, text in self.headers.items()})
        except (WebhookVerificationError, ValueError) as error:
            self._answer(400, f"refused: {error}")
        else:
            self._answer(204, f"verified: {message['type']} {message['data']['id']}")

    def _answer(self, status: int, line: str) -> None:
        print(line, flush=True)
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """No lines but ours."""


HTTPServer(("127.0.0.1", PORT), Receiver).serve_forever()
