"""What the platform's job does: sends the platform's alerts to the plugin, and changes those that it asks to change.

Unlike the other scripts, a job starts the plugin last: the plugin waits two minutes for its request, and reading the
alerts of hundreds of cases takes longer.
"""

import sys
import time

from job_memory import JobMemory
from launcher import CA_CERTIFICATE
from platform_alerts import PlatformAlerts, Refused
from platform_calls import ask
from plugin_process import Plugin, RunError, TimedOut
from session import construct

# The platform tells a job no deadline. Reading leaves time for judging, which goes on from run to run.
LONGEST_READING_IN_MS = 8 * 60_000
LONGEST_JUDGEMENT_IN_MS = 10 * 60_000
# A change is made in several calls, which all may take long. After the last one, the state has to be stored.
LAST_CHANGE_AFTER_MS = 12 * 60_000
LONGEST_RUN_IN_MS = 15 * 60_000
NOT_READ = (
    "The platform's alerts could not be read within 8 minutes. Nothing was judged or changed. The next run reads them"
    " again, except those of other tenants. If that happens again, close alerts that you have dealt with: the job reads"
    " the case of each open alert, and of each alert that it has closed in the last 30 days. If these are only a few"
    " hundred cases, the platform answers too slowly. Contact its support."
)
TOO_LONG = (
    "The job was stopped, because it reads and judges alerts for 10 minutes at most. The next run begins anew. If that"
    " happens again, the platform or the service answers too slowly for the number of alerts."
)
CLOSE_REASON = "Close Reason"
CLOSE_ROOT_CAUSE = "Close Root Cause"


def run_job(integration, name, parameters, secrets, vendor):
    """Runs one job, and ends the script.

    parameters: labels of the job's parameters; secrets: those that hold a secret; vendor: of this integration's alerts.
    """
    started = time.time() * 1000
    deadline = started + LONGEST_RUN_IN_MS
    from SiemplifyJob import SiemplifyJob

    plugin = Plugin(integration)
    try:
        job = construct(SiemplifyJob, deadline, plugin)
    except RunError as error:
        sys.exit(plugin.redaction.clean(str(error)))
    job.script_name = name
    try:
        labels = [label for label in parameters if job.parameters.get(label) not in (None, "")]
        given = ask(lambda: {label: job.extract_job_param(label) for label in labels}, "the job's parameters", deadline)
        plugin.redaction.hide(given.get(label) for label in secrets)
        memory = JobMemory(job, name, deadline)
        alerts = PlatformAlerts(job, name, memory, deadline, plugin.redaction.clean)
        try:
            read = alerts.read(vendor, given.get("Server", ""), until=started + LONGEST_READING_IN_MS)
        except TimedOut:
            raise RunError(NOT_READ) from None
        changes = []
        plugin.trust(job.parameters.get(CA_CERTIFICATE))
        with plugin:
            result = plugin.run(
                {
                    "kind": "job",
                    "name": name,
                    "run": {"test": False},
                    "parameters": given,
                    "alerts": read,
                    "state": memory.state,
                },
                deadline=started + LONGEST_JUDGEMENT_IN_MS,
                log=job.LOGGER,
                on_change=changes.append,
            )
        alerts.closes_as(job.parameters.get(CLOSE_REASON), job.parameters.get(CLOSE_ROOT_CAUSE))
        failed = apply(alerts, changes, job.LOGGER, plugin.redaction.clean, until=started + LAST_CHANGE_AFTER_MS)
        memory.save(result.get("checkpoint"), failed)
    except TimedOut:
        result = {"status": "failed", "message": TOO_LONG}
    except RunError as error:
        result = {"status": "failed", "message": plugin.redaction.clean(str(error))}
    if result["status"] == "failed":
        job.LOGGER.error(result["message"])
        sys.exit(result["message"])
    (job.LOGGER.warn if result["status"] == "partial" else job.LOGGER.info)(result["message"])
    job.end_script()


def apply(alerts, changes, log, clean, until):
    """Makes the changes, and returns those that were not made: the plugin asks for them again.

    until: epoch milliseconds after which no change is begun
    """
    failed = []
    for made, change in enumerate(changes):
        if time.time() * 1000 >= until:
            rest = changes[made:]
            log.warn(f"{len(rest)} of {len(changes)} changes did not fit into this run. They are asked for again.")
            return failed + rest
        try:
            log.info(clean(alerts.apply(change)))
        except RunError as error:
            failed.append(change)
            (log.info if isinstance(error, Refused) else log.error)(clean(str(error)))
    return failed
