"""What the platform's job does: sends the platform's alerts to the plugin, and changes those that it asks to change."""

import time

from job_memory import JobMemory
from launcher import CA_CERTIFICATE, construct
from platform_alerts import PlatformAlerts, Refused
from platform_calls import ask
from plugin_process import Plugin, RunError, encode_proxy_credentials

# The platform tells a job no deadline. What is left of the second is for the changes.
LONGEST_JUDGEMENT_IN_MS = 10 * 60_000
LONGEST_RUN_IN_MS = 15 * 60_000
CLOSE_REASON = "Close Reason"
CLOSE_ROOT_CAUSE = "Close Root Cause"


def run_job(integration, name, parameters, secrets, vendor):
    """Runs one job, and ends the script.

    parameters: labels of the job's parameters; secrets: those that hold a secret; vendor: of this integration's alerts.
    """
    started = time.time() * 1000
    deadline = started + LONGEST_RUN_IN_MS
    with Plugin(integration) as plugin:
        from SiemplifyJob import SiemplifyJob

        job = construct(SiemplifyJob)
        job.script_name = name
        plugin.hide(encode_proxy_credentials())
        try:
            plugin.trust(job.parameters.get(CA_CERTIFICATE))
            labels = [label for label in parameters if job.parameters.get(label) not in (None, "")]
            given = ask(
                lambda: {label: job.extract_job_param(label) for label in labels}, "the job's parameters", deadline
            )
            plugin.hide(given.get(label) for label in secrets)
            memory = JobMemory(job, name, deadline)
            alerts = PlatformAlerts(job, name, memory, deadline, plugin.clean)
            changes = []
            result = plugin.run(
                {
                    "kind": "job",
                    "name": name,
                    "run": {"test": False},
                    "parameters": given,
                    "alerts": alerts.read(vendor, given.get("Server", "")),
                    "state": memory.state,
                },
                deadline=started + LONGEST_JUDGEMENT_IN_MS,
                log=job.LOGGER,
                on_change=changes.append,
            )
            alerts.closes_as(job.parameters.get(CLOSE_REASON), job.parameters.get(CLOSE_ROOT_CAUSE))
            failed = apply(alerts, changes, job.LOGGER, plugin.clean)
            memory.save(result.get("checkpoint"), failed)
        except RunError as error:
            result = {"status": "failed", "message": plugin.clean(str(error))}
    if result["status"] == "failed":
        job.LOGGER.error(result["message"])
        raise SystemExit(result["message"])
    (job.LOGGER.warn if result["status"] == "partial" else job.LOGGER.info)(result["message"])
    job.end_script()


def apply(alerts, changes, log, clean):
    """Makes the changes, and returns those that could not be made: the plugin asks for them again."""
    failed = []
    for change in changes:
        try:
            log.info(clean(alerts.apply(change)))
        except RunError as error:
            failed.append(change)
            (log.info if isinstance(error, Refused) else log.error)(clean(str(error)))
    return failed
