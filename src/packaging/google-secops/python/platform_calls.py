"""Calls of the platform through its SDK."""

import json

from plugin_process import RunError, TimedOut
from time_limit import TimeIsUp, at_most, reason, seconds_to_wait


def ask(call, what, deadline):
    """Calls the platform, and leaves time to end before the deadline; whatever goes wrong there becomes a RunError."""
    seconds = seconds_to_wait(deadline)
    if seconds == 0:
        raise TimedOut
    try:
        with at_most(seconds):
            return call()
    except (Exception, TimeIsUp) as error:
        raise RunError(f"The platform did not return {what}: {reason(error)}") from error


def parse(text):
    """Parsed JSON; invalid JSON is returned as text, and the plugin rejects it."""
    try:
        return json.loads(text) if text else None
    except (TypeError, ValueError):
        return text
