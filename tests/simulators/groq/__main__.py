"""The simulated provider as a process of its own, until it is stopped."""

import argparse
import signal
import sys

from tests.simulators.groq.latency import LatencyModel
from tests.simulators.groq.limits import Limits
from tests.simulators.groq.provider import Account
from tests.simulators.groq.server import KEY, GroqSimulator


def main() -> None:
    """Serve on --port and print the address when it answers."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulators.groq", description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--key", default=KEY)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--time-scale", type=float, default=1.0, help="0 answers at once, 1 as slowly as the real one")
    parser.add_argument("--queue-s", type=float, help="median wait before the first token, for every model")
    parser.add_argument("--tokens-per-s", type=float, help="decoding speed of every model")
    parser.add_argument("--unlimited", action="store_true", help="no rate limits")
    parser.add_argument("--steady", action="store_true", help="every call takes the median time")
    parser.add_argument("--cached-tokens", action="store_true", help="simulate the prompt cache")
    parser.add_argument("--least-cached", type=int, default=0, help="tokens of the shortest beginning that it serves")
    options = parser.parse_args()
    limits = Limits.none() if options.unlimited else Limits()
    calm = {"spread": 0.0, "tail": 0.0} if options.steady else {}
    simulator = GroqSimulator(
        port=options.port,
        seed=options.seed,
        time_scale=options.time_scale,
        accounts={options.key: Account("org_simulated", limits)},
        latency=LatencyModel(queue_s=options.queue_s, tokens_per_s=options.tokens_per_s, **calm),
        cached_tokens=options.cached_tokens,
        least_cached=options.least_cached,
    )
    # Blocked before the server's thread starts, so that only sigwait sees them.
    stop = {signal.SIGINT, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, stop)
    with simulator:
        sys.stdout.write(f"{simulator.base_url}\n")
        sys.stdout.flush()
        signal.sigwait(stop)


if __name__ == "__main__":
    main()
