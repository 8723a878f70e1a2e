"""Later work on stored answers: replays from their record, new verifications, and checks after documents changed.

Imports `services.external`, `services.correction` and the packages below them.
"""
