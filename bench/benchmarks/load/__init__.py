"""Behaviour under load: overload, scaling, the shared limiter, slow and broken providers."""
