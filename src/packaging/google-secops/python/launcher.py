"""What the platform's scripts do: pass their input to the plugin, and the plugin's messages to the platform's SDK.

The plugin starts before the SDK is imported, so that the two load at the same time. Only the SDK talks to the platform.
"""

import collections
import gc
import json
import sys
import time

from case_wall import original_name, show
from plugin_process import Plugin, RunError, encode_proxy_credentials

# The script ends before collecting pays off, and importing the SDK creates many objects.
gc.disable()

MOST_ALERTS_IN_RUN = 100
MOST_EVENTS_IN_ALERT = 500
MOST_CHARACTERS_IN_CONTEXT = 3_000_000
CHECKPOINT_KEY = "checkpoint"


def run_action(integration, name, instance, parameters, secrets, value_when_failed):
    """Runs one action and ends the script with its result.

    instance, parameters: labels of the instance's and of the action's parameters; secrets: those that hold a secret.
    value_when_failed: the value of a run that has no result; None means that nothing is known.
    """
    with Plugin(integration) as plugin:
        import ScriptResult as states
        from SiemplifyAction import SiemplifyAction

        action = SiemplifyAction()
        action.script_name = name
        plugin.hide(encode_proxy_credentials())
        first_run = len(sys.argv) < 3 or sys.argv[2] == "True"
        try:
            configuration = ask(lambda: action.get_configuration(integration), "the instance's parameters")
            given = {label: action.parameters.get(label) for label in parameters}
            plugin.hide(configuration.get(label) for label in secrets)
            result = plugin.run(
                {
                    "kind": "action",
                    "name": name,
                    "run": {"test": False},
                    "instance": {label: configuration.get(label) for label in instance},
                    "parameters": given,
                    "context": case_context(action, complete=all(str(value or "").strip() for value in given.values())),
                    "state": None if first_run else parse(action.parameters.get("additional_data")),
                },
                deadline=earliest(action.execution_deadline_unix_time_ms, action.script_timeout_deadline),
                log=action.LOGGER,
            )
        except RunError as error:
            message = plugin.clean(str(error))
            status = "timed_out" if plugin.timed_out else "failed"
            result = {"status": status, "message": message, "value": value_when_failed}
            action.LOGGER.error(message)
        if "json" in result:
            # The platform writes this text into a script element of the action's widget, which a "<" could end.
            action.result.add_result_json(json.dumps(result["json"]).replace("<", "\\u003c"))
        show(action, integration, result, plugin.clean)
        if result["status"] == "in_progress":
            action.end(result["message"], json.dumps(result.get("state")), states.EXECUTION_STATE_INPROGRESS)
        execution_state = {
            "completed": states.EXECUTION_STATE_COMPLETED,
            "timed_out": states.EXECUTION_STATE_TIMEDOUT,
        }.get(result["status"], states.EXECUTION_STATE_FAILED)
        action.end(result["message"], result.get("value"), execution_state)


def run_connector(integration, name, fields, secrets):
    """Runs one connector: delivers its alerts to the platform and, after that, stores its checkpoint.

    fields: what the platform calls each field, by the plugin's label; secrets: labels that hold a secret.
    """
    started = time.time()
    with Plugin(integration) as plugin:
        from SiemplifyConnectors import SiemplifyConnectorExecution
        from SiemplifyConnectorsDataModel import AlertInfo

        connector = SiemplifyConnectorExecution()
        connector.script_name = name
        plugin.hide(encode_proxy_credentials())
        delivery = Delivery(connector, AlertInfo, plugin.clean)
        try:
            given = {label: key for label, key in fields.items() if connector.parameters.get(key) not in (None, "")}
            parameters = ask(
                lambda: {label: connector.extract_connector_param(key) for label, key in given.items()},
                "the connector's parameters",
            )
            plugin.hide(parameters.get(label) for label in secrets)
            timeout = float(connector.parameters.get("PythonProcessTimeout") or 0)
            result = plugin.run(
                {
                    "kind": "connector",
                    "name": name,
                    "run": {
                        "test": connector.is_test_run,
                        "maxAlerts": MOST_ALERTS_IN_RUN,
                        "maxEventsPerAlert": MOST_EVENTS_IN_ALERT,
                    },
                    "parameters": parameters,
                    "state": delivery.restore(),
                },
                deadline=(started + timeout) * 1000 if timeout > 0 else None,
                log=connector.LOGGER,
                on_alert=delivery.add,
            )
        except RunError as error:
            result = {"status": "failed", "message": plugin.clean(str(error))}
        delivery.finish(result)
        if result["status"] == "failed" and (connector.is_test_run or not delivery.alerts):
            sys.exit(result["message"])


def case_context(action, complete):
    """What the plugin learns about the case and the alert.

    complete: every parameter was given, so that nothing has to stand in for one, and the platform is not asked.
    """
    context = {"caseId": str(action.case_id), "alertId": str(action.alert_id)}
    if complete:
        return context
    entities = ask(lambda: action.target_entities, "the selected entities")
    alert = ask(lambda: action.current_alert, "the alert")
    events = [event.additional_properties or {} for event in (alert.security_events if alert else [])]
    context["entities"] = [{"identifier": original_name(entity), "type": entity.entity_type} for entity in entities]
    context["findings"] = [
        {
            "source": event.get("source_object_id"),
            "target": event.get("target_object_id"),
            "severity": event.get("severity"),
            "accepted": event.get("accepted"),
        }
        for event in events
    ]
    return context


class Delivery:
    """What one run delivers to the platform: its alerts, and the checkpoint for exactly these."""

    def __init__(self, connector, alert_type, clean):
        self.alerts = []
        self._clean = clean
        self._connector = connector
        self._alert_type = alert_type
        self._identifier = connector.context.connector_info.identifier
        self._state = None
        self._patches = []
        self._postponed = collections.Counter()

    def restore(self):
        """Returns the checkpoint of the last run; a test run has none."""
        if not self._connector.is_test_run:
            read = self._connector.get_connector_context_property
            self._state = parse(ask(lambda: read(self._identifier, CHECKPOINT_KEY), "the checkpoint"))
        return self._state

    def add(self, alert, patch):
        """Takes one alert, unless the platform has had too many like it; patch: see checkpoint."""
        info = self._alert_type()
        info.environment = self._connector.context.connector_info.environment or ""
        info.ticket_id = alert["id"]
        info.display_id = alert["id"]
        info.name = alert["name"]
        info.description = alert["description"]
        info.rule_generator = alert["findingType"]
        info.source_grouping_identifier = alert["sourceGroupingIdentifier"]
        info.start_time = alert["startTime"]
        info.end_time = alert["endTime"]
        info.priority = alert["priority"]
        info.device_vendor = alert["vendor"]
        info.device_product = alert["product"]
        info.extensions = {**alert["extensions"], "tags": ", ".join(alert["tags"])}
        info.events = [flat_event(event) for event in alert["events"]]
        if self._is_overflowed(info):
            self._postponed[info.rule_generator] += 1
            if not self.alerts:
                self._patches = None
            return
        self.alerts.append(info)
        if self._patches is not None and patch is not None:
            self._patches.append(patch)

    def finish(self, result):
        """Delivers the alerts, then stores the checkpoint: a run that dies in between is repeated, not lost."""
        log = self._connector.LOGGER
        {"failed": log.error, "partial": log.warn}.get(result["status"], log.info)(result["message"])
        for rule, count in self._postponed.items():
            log.warn(f"{rule}: {count} alerts are beyond the platform's overflow limit. The next run delivers them.")
        text = self._checkpoint_text(result)
        self._connector.return_package(self.alerts)
        sys.__stdout__.flush()
        if text is None:
            return
        try:
            self._connector.set_connector_context_property(self._identifier, CHECKPOINT_KEY, text)
        except Exception as error:
            log.error(self._clean(f"The checkpoint could not be stored. The next run repeats this one. {error}"))

    def _is_overflowed(self, info):
        """A rule that overflowed once is postponed until the next run, so that its checkpoint never skips an alert."""
        if info.rule_generator in self._postponed:
            return True
        try:
            return self._connector.is_overflowed_alert(
                environment=info.environment,
                alert_identifier=info.ticket_id,
                ingestion_time=int(time.time() * 1000),
                alert_name=info.rule_generator,
                product=info.device_product,
            )
        except Exception as error:
            message = f"The platform did not say whether {info.rule_generator} overflows: {error}"
            self._connector.LOGGER.warn(self._clean(message))
            return False

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
                f" {MOST_CHARACTERS_IN_CONTEXT}. The next run repeats this one. Select fewer environments or finding types."
            )
            return None
        return text


def ask(call, what):
    """Calls the platform; whatever goes wrong there becomes a RunError."""
    try:
        return call()
    except Exception as error:
        raise RunError(f"The platform did not return {what}: {error}") from error


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


def parse(text):
    """Parsed JSON; invalid JSON is returned as text, and the plugin rejects it."""
    try:
        return json.loads(text) if text else None
    except (TypeError, ValueError):
        return text


def earliest(*moments):
    """The earliest of some epoch milliseconds, where 0 and None stand for never."""
    return min(filter(None, moments), default=None)
