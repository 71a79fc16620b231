"""What a job keeps between its runs, in the platform's context properties of the job."""

import json
import time

from alert_findings import tenant_of
from alert_list import SETTLED_AFTER_IN_MS
from platform_calls import ask, parse

STATE_KEY = "checkpoint"
# Who closed each alert, and since when no run has come to its end.
RECORD_KEY = "closed alerts"
# A context property takes 3,000,000.
MOST_CHARACTERS = 2_500_000
MOST_ELSEWHERE_CHARACTERS = 500_000


class JobMemory:
    """The plugin's state, and what became of the alerts that were closed."""

    def __init__(self, job, name, deadline):
        self._job = job
        self._identifier = job.unique_identifier or name
        self._deadline = deadline
        self.state = self._read(STATE_KEY, "the job's state")
        record = self._read(RECORD_KEY, "the list of closed alerts")
        record = record if isinstance(record, dict) else {}
        self._closings = record.get("alerts", {})
        # When a run that was killed among its changes began them, in epoch milliseconds: some may be made already.
        # None after a run that came to its end.
        self.cut_short_since = record.get("unfinished") or None
        self._unfinished_since = self.cut_short_since
        self._has_begun = False
        settled = record.get("settled", {})
        # A clock was set back, or the platform had listed an update in the future.
        if settled.get("until", 0) > time.time() * 1000 - SETTLED_AFTER_IN_MS:
            settled = {}
        # Alerts that were last updated before that, in epoch milliseconds, were closed then, except those still open.
        self.settled_until = settled.get("until", 0)
        self.still_open = settled.get("stillOpen", [])
        self._elsewhere = record.get("elsewhere", {})

    def settle(self, until, still_open):
        """Stores which alerts need not be read again; see settled_until."""
        self.settled_until = until
        self.still_open = still_open
        self.store()

    def elsewhere(self, server):
        """Ids of the alerts that earlier runs with this Server found to be about other tenants."""
        is_same = self._elsewhere.get("not") == repr(tenant_of(server))
        return set(self._elsewhere["alerts"]) if is_same else set()

    def note_elsewhere(self, server, alert_ids):
        """Stores the ids of alerts that need not be read again; see elsewhere. Too many are not all kept."""
        if alert_ids == self.elsewhere(server):
            return
        kept, room = [], MOST_ELSEWHERE_CHARACTERS
        for alert_id in sorted(alert_ids):
            room -= len(alert_id)
            if room >= 0:
                kept.append(alert_id)
        self._elsewhere = {"not": repr(tenant_of(server)), "alerts": kept}
        self.store()

    def closing(self, alert_id):
        """How an alert was closed last; None when it never was.

        by: job or person; at: epoch milliseconds; untagged: no case had the job's tag in an earlier run; reopened: who
        has opened it again, job or person; asked: the job has asked the platform to; person_asked: the job has asked a
        person to.
        """
        return self._closings.get(alert_id)

    def note(self, alert_id, closing):
        """Notes how an alert was closed; see closing. It is stored with the next thing that is."""
        self._closings[alert_id] = closing

    def begin(self):
        """Stores that a change is about to be made, before the first one."""
        if not self._has_begun:
            self._has_begun = True
            self._unfinished_since = self._unfinished_since or int(time.time() * 1000)
            self.store()

    def store(self):
        """Stores what became of the alerts, also of those that the platform leaves out for a while."""
        latest = sorted(self._closings.items(), key=lambda item: item[1]["at"])
        text = self._record(latest)
        while latest and len(text) > MOST_CHARACTERS:
            latest = latest[(len(latest) + 1) // 2 :]
            text = self._record(latest)
        self._write(RECORD_KEY, text, "the list of closed alerts")

    def save(self, state, failed):
        """Stores the plugin's new state, as if it had not asked for the changes that failed."""
        if state is not None:
            patches = [change.get("checkpoint") or {} for change in failed]
            # With a state that begins anew comes what is not about the alert. It stays, and nothing of before returns.
            is_new = any(key != "alerts" for patch in patches for key in patch)
            before = self.state if isinstance(self.state, dict) and not is_new else {}
            for patch in patches:
                state = undone(state, {"alerts": patch.get("alerts") or {}}, before)
            self._write(STATE_KEY, compact(state), "the job's state")
            # Only with a state, the next run does not ask again for what was made already.
            self._unfinished_since = None
        self.store()

    def _record(self, closings):
        settled = {"until": self.settled_until, "stillOpen": self.still_open}
        record = {"alerts": dict(closings), "unfinished": self._unfinished_since, "settled": settled}
        return compact({**record, "elsewhere": self._elsewhere})

    def _read(self, key, what):
        return parse(ask(lambda: self._job.get_job_context_property(self._identifier, key), what, self._deadline))

    def _write(self, key, text, what):
        write = self._job.set_job_context_property
        ask(lambda: write(self._identifier, key, text), f"that it stored {what}", self._deadline)


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def undone(state, patch, before):
    """The state without what a JSON merge patch (RFC 7396) has changed in it; before: what the patch was made for."""
    restored = dict(state)
    for key, value in patch.items():
        old = before.get(key)
        if isinstance(value, dict) and isinstance(restored.get(key), dict):
            restored[key] = undone(restored[key], value, old if isinstance(old, dict) else {})
        elif old is None:
            restored.pop(key, None)
        else:
            restored[key] = old
    return restored
