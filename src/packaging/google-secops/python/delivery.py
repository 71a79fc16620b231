"""What one run of the connector delivers to the platform."""

import collections
import hashlib
import json
import os
import signal
import sys
import time

from alert_environment import AlertEnvironment
from platform_calls import ask, parse
from time_limit import TimeIsUp, at_most, reason, seconds_to_wait

MOST_CHARACTERS_IN_CONTEXT = 3_000_000
CHECKPOINT_KEY = "checkpoint"
# A new name starts from the beginning, and the former one brings its state back.
STATE_NAME = "State Name"


class Delivery:
    """What one run delivers to the platform: its alerts, and the checkpoint for exactly these."""

    def __init__(self, connector, alert_type, clean, deadline):
        self.alerts = []
        self._clean = clean
        self._connector = connector
        self._alert_type = alert_type
        self._deadline = deadline
        # Findings last: their own times may lie years apart, and the platform groups alerts by entity within hours.
        self._ingested_at = int(time.time() * 1000)
        self._identifier = connector.context.connector_info.identifier
        name = str(connector.parameters.get(STATE_NAME) or "").strip()
        self._key = f"{CHECKPOINT_KEY} {name}" if name else CHECKPOINT_KEY
        self._environment = None
        self._state = None
        self._patches = []
        self._postponed = collections.Counter()
        # Environments of the platform that take no more alerts of any rule in this run.
        self._full = set()
        # The platform has left a question about overflow unanswered.
        self._is_silent = False

    def restore(self):
        """Returns the checkpoint of the last run; a test run has none."""
        if not self._connector.is_test_run:
            read = self._connector.get_connector_context_property
            self._state = parse(ask(lambda: read(self._identifier, self._key), "the checkpoint", self._deadline))
        return self._state

    def choose_environment(self):
        """Reads how to divide the alerts between the platform's environments. Raises RunError for an invalid choice."""
        default = self._connector.context.connector_info.environment or ""
        self._environment = AlertEnvironment(self._connector.parameters, default)

    def add(self, message):
        """Takes the alert of one message, unless the platform has had too many like it."""
        alert = message["alert"]
        info = self._alert_type()
        info.name = alert["name"]
        info.description = alert["description"]
        info.rule_generator = alert["findingType"]
        info.source_grouping_identifier = alert["sourceGroupingIdentifier"]
        info.start_time = self._ingested_at
        info.end_time = self._ingested_at
        info.priority = alert["priority"]
        info.device_vendor = alert["vendor"]
        info.device_product = alert["product"]
        info.extensions = {**alert["extensions"], "tags": ", ".join(alert["tags"])}
        # The job that follows up findings leaves an alert alone of which the platform has kept fewer.
        own = {"ingested_at": self._ingested_at, "findings_in_alert": len(alert["events"])}
        info.events = [{**flat_event(event), **own} for event in alert["events"]]
        info.environment = self._environment.of(info.events)
        info.ticket_id = info.display_id = id_in(info.environment, alert["id"])
        if self._is_overflowed(info):
            self._postponed[info.rule_generator] += 1
            patch = message.get("checkpointWithoutAlert")
        else:
            self.alerts.append(info)
            patch = message.get("checkpoint")
        if patch is not None:
            self._patches.append(patch)

    def is_failure(self, result):
        """Whether the script has to end as a failed one. A platform might discard the alerts of such a run."""
        return result["status"] == "failed" and (self._connector.is_test_run or not self.alerts)

    def finish(self, result):
        """Delivers the alerts, then stores the checkpoint: a run that dies in between is repeated, not lost.

        A platform may read the alerts only when the script has ended. So nothing is left to do after the checkpoint:
        this ends the script once it is stored. It is not stored when there is no time to end.
        """
        log = self._connector.LOGGER
        {"failed": log.error, "partial": log.warn}.get(result["status"], log.info)(result["message"])
        for rule, count in self._postponed.items():
            log.warn(f"{rule}: {count} alerts are beyond the platform's overflow limit. The next run delivers them.")
        if self._postponed:
            log.warn(f"Alerts of this run that the platform gets: {len(self.alerts)}.")
        note = self._environment and self._environment.note()
        if note:
            log.warn(self._clean(note))
        text = self._checkpoint_text(result)
        self._connector.return_package(self.alerts)
        sys.__stdout__.flush()
        if text is None:
            return
        seconds = seconds_to_wait(self._deadline)
        if seconds == 0:
            log.error("The checkpoint was not stored, because the run's time is over. The next run repeats this one.")
            return
        code = 1 if self.is_failure(result) else 0
        # The alerts are out already. Terminated now, the script ends as it would a moment later.
        signal.signal(signal.SIGTERM, lambda *_: os._exit(code))
        try:
            with at_most(seconds):
                self._connector.set_connector_context_property(self._identifier, self._key, text)
        except (Exception, TimeIsUp) as error:
            message = f"The checkpoint could not be stored. The next run repeats this one. {reason(error)}"
            log.error(self._clean(message))
        if code != 0:
            print(result["message"], file=sys.__stderr__)
        sys.__stderr__.flush()
        # Python takes its time to end, and a script killed in that time would lose its alerts.
        os._exit(code)

    def _is_overflowed(self, info):
        """A rule that overflowed once is postponed until the next run, so that its checkpoint never skips an alert.

        So is every rule where the platform counts them together. It also counts what it refuses: asked about each rule,
        it would refuse the alerts of the next run, too.
        """
        if info.rule_generator in self._postponed or info.environment in self._full:
            return True
        if self._is_silent:
            return False
        reported = len(self._reports())
        try:
            with at_most(seconds_to_wait(self._deadline)):
                overflowed = self._connector.is_overflowed_alert(
                    environment=info.environment,
                    alert_identifier=info.ticket_id,
                    ingestion_time=int(time.time() * 1000),
                    alert_name=info.rule_generator,
                    product=info.device_product,
                )
        except (Exception, TimeIsUp) as error:
            self._is_silent = isinstance(error, TimeIsUp)
            message = f"The platform did not say whether {info.rule_generator} overflows: {reason(error)}"
            self._connector.LOGGER.warn(self._clean(message))
            overflowed = False
        del self._reports()[reported:]
        settings = getattr(getattr(self._connector, "overflow_manager", None), "_settings", None)
        if overflowed and not getattr(settings, "is_rule_generator_considered", True):
            self._full.add(info.environment)
        return overflowed

    def _reports(self):
        """What the SDK reports as alerts that the platform never gets. This run or the next one delivers them."""
        manager = getattr(self._connector, "overflow_manager", None)
        return getattr(manager, "reported_overflows", [])

    def _checkpoint_text(self, result):
        """The whole state if all alerts were taken, else the old one with the merge patches of those that were."""
        if self._connector.is_test_run:
            return None
        state = None if self._postponed else result.get("checkpoint")
        if state is None and self._patches:
            state = self._state
            for patch in self._patches:
                state = merge(state, patch)
        if state is None:
            return None
        text = json.dumps(state, ensure_ascii=False, separators=(",", ":"))
        if len(text) > MOST_CHARACTERS_IN_CONTEXT:
            self._connector.LOGGER.error(
                f"The checkpoint was not stored: it has {len(text)} characters, and the platform keeps"
                f" {MOST_CHARACTERS_IN_CONTEXT}. The next run repeats this one. Select fewer environments or finding"
                " types."
            )
            return None
        return text


def id_in(environment, alert_id):
    """The id of an alert in one of the platform's environments.

    The platform may drop what it has in another one, such as that of a trial.
    """
    return f"{alert_id}-{hashlib.sha256(environment.encode()).hexdigest()[:8]}"


def flat_event(event):
    """The platform accepts only strings and numbers."""
    return {key: str(value).lower() if isinstance(value, bool) else value for key, value in event.items()}


def merge(target, patch):
    """Applies a JSON merge patch (RFC 7396)."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge(merged.get(key), value)
    return merged
