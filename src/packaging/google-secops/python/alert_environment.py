"""Which environment of the platform an alert belongs to, by two parameters that integrations have in common."""

import re

from plugin_process import RunError

FIELD = "Environment Field Name"
PATTERN = "Environment Regex Pattern"


class AlertEnvironment:
    """Reads the environment of an alert from its events, and counts the alerts whose events name none."""

    def __init__(self, parameters, default):
        """Raises RunError when the pattern is none: the alerts would all be in the wrong environment."""
        self._default = default
        self._field = str(parameters.get(FIELD) or "").strip()
        pattern = str(parameters.get(PATTERN) or "")
        try:
            self._pattern = re.compile(pattern if pattern.strip() else ".*")
        except re.error as error:
            message = f"{PATTERN} is not a valid regular expression: {error}. Correct it, or leave it empty."
            raise RunError(message) from error
        self._without = 0

    def of(self, events):
        """What the pattern finds in the field, in the first event that has it; else the connector's own environment."""
        if not self._field:
            return self._default
        text = next((str(event[self._field]) for event in events if event.get(self._field) is not None), "")
        found = self._pattern.search(text)
        if found and found.group():
            return found.group()
        self._without += 1
        return self._default

    def note(self):
        """What to tell about the alerts that name no environment; None when all do."""
        if self._without == 0:
            return None
        alerts = "1 alert has" if self._without == 1 else f"{self._without} alerts have"
        return (
            f"{alerts} no environment in the event field {self._field} ({FIELD}), or {PATTERN} does not match it."
            f" The connector's own environment is used: {self._default}."
        )
