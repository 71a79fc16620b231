"""Takes secrets out of what people read. What findings hold goes to the platform as the service reports it."""

import json

SHORTEST_SECRET = 8


class Redaction:
    """Knows what must not be shown: the token key, and the user name and the password of a proxy."""

    def __init__(self):
        self._hidden = []

    def hide(self, secrets):
        """Redacts these secrets, too, from now on."""
        # The plugin leaves out what was pasted around them.
        given = [form for secret in secrets if isinstance(secret, str) for form in (secret, secret.strip())]
        known = [secret for secret in given if len(secret) >= SHORTEST_SECRET]
        forms = [(secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]) for secret in known]
        self._hidden += [form for alike in forms for form in alike]

    def clean(self, text):
        """The text without what is hidden."""
        for form in self._hidden:
            text = text.replace(form, "[redacted]")
        return text

    def clean_result(self, result):
        """The result with its message, and the errors about single objects in it, without what is hidden.

        A password may be a word that the state or an object's name holds, too.
        """
        values = [result.get("json")]
        while values:
            value = values.pop()
            if isinstance(value, dict):
                if isinstance(value.get("error"), str):
                    value["error"] = self.clean(value["error"])
                values.extend(value.values())
            elif isinstance(value, list):
                values.extend(value)
        return {**result, "message": self.clean(result["message"])}
