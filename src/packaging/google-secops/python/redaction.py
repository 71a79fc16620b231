"""Takes secrets out of what people read. What findings hold goes to the platform as the service reports it."""

import json
import re

# User name and password in an address, which may be too short to be looked for everywhere.
IN_ADDRESS = re.compile(r"(?<=://)[^\s/@:]*:[^\s/@]*(?=@)")
SHORTEST_SECRET = 8
# What a result says in sentences, which may quote an answer.
SENTENCES = ["error", "report"]


class Redaction:
    """Knows what must not be shown: the token key, and the user name and the password of a proxy."""

    def __init__(self):
        self._hidden = []

    def hide(self, secrets):
        """Redacts these secrets, too, from now on."""
        # The plugin removes white space around a secret, so the trimmed form can appear as well.
        given = [form for secret in secrets if isinstance(secret, str) for form in (secret, secret.strip())]
        known = [secret for secret in given if len(secret) >= SHORTEST_SECRET]
        forms = [(secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]) for secret in known]
        self._hidden += [form for alike in forms for form in alike]

    def clean(self, text):
        """The text without what is hidden."""
        for form in self._hidden:
            text = text.replace(form, "[redacted]")
        return IN_ADDRESS.sub("[redacted]", text)

    def clean_result(self, result):
        """The result without what is hidden, as far as it is sentences, or shown beside them.

        A password may be a word that the state, an entity or an object's name holds, too.
        """
        shown = {name: self._clean_all(result[name]) for name in ("message", "tables", "insight") if name in result}
        values = [result.get("json")]
        while values:
            value = values.pop()
            if isinstance(value, dict):
                texts = [name for name in SENTENCES if isinstance(value.get(name), str)]
                value.update({name: self.clean(value[name]) for name in texts})
                values.extend(value.values())
            elif isinstance(value, list):
                values.extend(value)
        return {**result, **shown}

    def _clean_all(self, value):
        if isinstance(value, dict):
            return {key: self._clean_all(each) for key, each in value.items()}
        if isinstance(value, list):
            return [self._clean_all(each) for each in value]
        return self.clean(value) if isinstance(value, str) else value
