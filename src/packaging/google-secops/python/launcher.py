"""What the platform's scripts do: pass their input to the plugin, and the plugin's messages to the platform's SDK.

The plugin starts before the SDK is imported, so that the two load at the same time. Only the SDK talks to the platform.
"""

import gc
import json
import sys
import time

from case_wall import original_name, show
from alert_findings import lost_findings
from delivery import Delivery
from platform_calls import ask, parse
from plugin_process import Plugin, RunError, TimedOut
from session import check_proxy, connector_timeout, construct
from session import end_action, end_connector, read_context

# The script ends before collecting pays off, and importing the SDK creates many objects.
gc.disable()

MOST_ALERTS_IN_RUN = 100
# The platform takes 500, but also no more than 500 entities and 500 relations of an alert, and an event has up to four.
MOST_EVENTS_IN_ALERT = 120
# The label that the platform's own integrations use.
CA_CERTIFICATE = "CA Certificate File - parsed into Base64 String"
# What Google's own integrations keep of the time for all runs of an asynchronous action.
TIME_TO_END_IN_MS = 10_000
# The platform or the plugin may fail for a moment, and the next run can go on with what earlier ones have found out.
MOST_FAILED_RUNS_IN_A_ROW = 2
FAILED_RUNS = "failedRuns"
NO_NEXT_RUN = (
    "The action was stopped, because its Async Action Timeout is over: there is no next run. Raise it in the step of"
    " the playbook, or request less. The last run said:"
)


def run_action(integration, name, instance, parameters, secrets, value_when_failed, asynchronous):
    """Runs one action and ends the script with its result.

    instance, parameters: labels of the instance's and of the action's parameters; secrets: those that hold a secret.
    value_when_failed: the value of a run that has no result; None means that nothing is known.
    asynchronous: the platform runs it again while it is in progress.
    """
    with Plugin(integration) as plugin:
        import ScriptResult as states
        from SiemplifyAction import SiemplifyAction

        try:
            context = read_context()
            last_end = context.get("async_total_duration_deadline") if asynchronous else None
            deadline = earliest(
                context.get("execution_deadline_unix_time_ms"), context.get("script_timeout_deadline"), last_end
            )
            action = construct(SiemplifyAction, deadline, plugin)
        except RunError as error:
            state = states.EXECUTION_STATE_TIMEDOUT if isinstance(error, TimedOut) else states.EXECUTION_STATE_FAILED
            end_action(plugin.redaction.clean(str(error)), value_when_failed, state)
        action.script_name = name
        first_run = len(sys.argv) < 3 or sys.argv[2] == "True"
        saved, failed_runs = (None, 0) if first_run else saved_by(action.parameters.get("additional_data"))
        left = None
        try:
            plugin.trust(action.parameters.get(CA_CERTIFICATE))
            configuration = ask(lambda: instance_parameters(action, integration), "the instance's parameters", deadline)
            given = {label: action.parameters.get(label) for label in parameters}
            plugin.redaction.hide(configuration.get(label) for label in secrets)
            result = plugin.run(
                {
                    "kind": "action",
                    "name": name,
                    "run": {"test": False},
                    "instance": {label: configuration.get(label) for label in instance},
                    "parameters": given,
                    "context": case_context(
                        action, all(str(value or "").strip() for value in given.values()), deadline
                    ),
                    "state": saved,
                },
                deadline=deadline,
                log=action.LOGGER,
            )
        except RunError as error:
            message = plugin.redaction.clean(str(error))
            status = "timed_out" if isinstance(error, TimedOut) else "failed"
            result = {"status": status, "message": message, "value": value_when_failed}
            action.LOGGER.error(message)
            if saved is not None and failed_runs < MOST_FAILED_RUNS_IN_A_ROW:
                result["status"] = "in_progress"
                left = {"state": saved, FAILED_RUNS: failed_runs + 1}
        if result["status"] == "in_progress" and last_end and next_run(action) > last_end - TIME_TO_END_IN_MS:
            result.update(status="timed_out", message=f"{NO_NEXT_RUN} {result['message']}", value=value_when_failed)
        elif left:
            result["message"] += " The next run goes on."
        if "json" in result:
            # The platform writes this text into a script element of the action's widget, which a "<" could end.
            action.result.add_result_json(json.dumps(result["json"]).replace("<", "\\u003c"))
        show(action, integration, result, plugin.redaction.clean, deadline)
        if result["status"] == "in_progress":
            action.end(result["message"], json.dumps(left or result.get("state")), states.EXECUTION_STATE_INPROGRESS)
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

        try:
            context = read_context()
            check_proxy(context)
            timeout, problem = connector_timeout(context)
            deadline = (started + timeout) * 1000
            connector = construct(SiemplifyConnectorExecution, deadline, plugin)
        except RunError as error:
            end_connector(plugin.redaction.clean(str(error)))
        connector.script_name = name
        if problem:
            connector.LOGGER.warn(problem)
        delivery = Delivery(connector, AlertInfo, plugin.redaction.clean, deadline)
        try:
            plugin.trust(connector.parameters.get(CA_CERTIFICATE))
            delivery.choose_environment()
            given = {label: key for label, key in fields.items() if connector.parameters.get(key) not in (None, "")}
            parameters = ask(
                lambda: {label: connector.extract_connector_param(key) for label, key in given.items()},
                "the connector's parameters",
                deadline,
            )
            plugin.redaction.hide(parameters.get(label) for label in secrets)
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
                deadline=deadline,
                log=connector.LOGGER,
                on_alert=delivery.add,
            )
        except RunError as error:
            result = {"status": "failed", "message": plugin.redaction.clean(str(error))}
    delivery.finish(result)
    if delivery.is_failure(result):
        sys.exit(result["message"])


def saved_by(text):
    """What the last run has left: the plugin's state, and how many runs in a row have failed since it was made."""
    saved = parse(text)
    if isinstance(saved, dict) and FAILED_RUNS in saved:
        return saved.get("state"), saved[FAILED_RUNS]
    return saved, 0


def instance_parameters(action, integration):
    """The instance's parameters by label."""
    configuration = action.get_configuration(integration)
    if not isinstance(configuration, dict):
        kind = type(configuration).__name__
        raise TypeError(f"it returned none ({kind}). Check that the instance still exists, and save it again")
    return configuration


def next_run(action):
    """When the platform runs an action in progress again, in epoch milliseconds."""
    return (time.time() + float(action.async_polling_interval_in_sec or 0)) * 1000


def case_context(action, complete, deadline):
    """What the plugin learns about the case and the alert.

    complete: every parameter was given, so that nothing has to stand in for one, and the platform is not asked.
    """
    context = {"caseId": str(action.case_id), "alertId": str(action.alert_id)}
    if complete:
        return context
    # The alert first: without it, the SDK takes the entities for those of the whole case.
    alert = ask(
        lambda: current_alert(action), "the alert, whose entities and findings stand in for empty parameters", deadline
    )
    entities = ask(
        lambda: case_data(action, lambda: action.target_entities, "exception"),
        "the selected entities, which stand in for empty parameters",
        deadline,
    )
    given = [event.additional_properties or {} for event in (alert.security_events if alert else [])]
    # Events of other products can have fields of the same names.
    events = [event for event in given if event.get("finding_id")]
    context["entities"] = [{"identifier": original_name(entity), "type": entity.entity_type} for entity in entities]
    context["findings"] = [
        {
            "source": event.get("source_object_id"),
            "target": event.get("target_object_id"),
            "severity": event.get("severity"),
            "accepted": event.get("accepted"),
            "acceptedUntil": event.get("accepted_until"),
        }
        for event in events
    ]
    context["findingsLost"] = lost_findings(events)
    return context


def current_alert(action):
    """The alert that the action runs on; None without one."""
    if not action.alert_id:
        return action.current_alert
    return case_data(action, lambda: action.current_alert, "error")


def case_data(action, read, level):
    """What the SDK reads of a case. When the platform fails, the SDK only logs it, at this level, and finds nothing."""
    failures = []
    write = getattr(action.LOGGER, level)

    def note(message, *details, **options):
        failures.append(message)
        write(message, *details, **options)

    setattr(action.LOGGER, level, note)
    try:
        found = read()
    finally:
        setattr(action.LOGGER, level, write)
    if not found and failures:
        raise RuntimeError(failures[-1])
    return found


def earliest(*moments):
    """The earliest of some epoch milliseconds, where 0 and None stand for never."""
    return min(filter(None, moments), default=None)
