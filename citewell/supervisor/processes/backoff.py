"""The delay before a dead process is restarted."""

from dataclasses import dataclass, field


@dataclass
class Backoff:
    """Doubles from `first` to `longest` seconds; a life of `quiet` seconds or more resets it."""

    first: float = 0.25
    longest: float = 30.0
    quiet: float = 60.0
    _next: float = field(init=False)

    def __post_init__(self) -> None:
        self._next = self.first

    def after(self, lifetime: float) -> float:
        """Seconds to wait after a death that followed `lifetime` seconds of running."""
        delay = self.first if lifetime >= self.quiet else self._next
        self._next = min(delay * 2, self.longest)
        return delay
