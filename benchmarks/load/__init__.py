"""Many queries at once: overload, scaling, streaming, slow providers, the limiter, a long history."""
