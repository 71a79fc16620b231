"""The alerts of this integration on the platform: what the plugin learns of them, and how they are changed."""

import time

from alert_findings import described, is_elsewhere, number
from alert_list import CLOSED, REOPENED_WITHIN_IN_MS, AlertList
from platform_calls import ask
from plugin_process import RunError, TimedOut

# Codes of the platform (chronicle/soar-sdk, SiemplifyDataModel: ApiSyncAlertPriorityEnum).
PRIORITIES = {-1: 0, 40: 2, 60: 3, 80: 4, 100: 5}
PRIORITIES_OF_CODES = {code: priority for priority, code in PRIORITIES.items()}
NOT_REOPENED = (
    "A finding of this alert is back in the service, but the platform did not confirm that it reopened the alert. If it"
    " is closed, reopen it by hand."
)
# What marks a case in which the job has closed an alert, and without which it opens none again.
TAG = "Attack Path Remediated"
# Of the platform's reasons, the one that says nothing about an attack; of its root causes, one that every reason has.
REASON = "Maintenance"
ROOT_CAUSE = "Other"

MOST_CASES = 10_000
# How far the clocks of the platform and of this machine may be apart.
CLOCKS_APART_IN_MS = 3_600_000
# Cases are deleted and merged while a job runs. More than these means that the platform does not work.
MOST_UNREADABLE_CASES = 3
# Name of an alert, what the plugin learns of it, and whether it is about another tenant.
NOT_FOUND = ("", None, False)


class Refused(RunError):
    """The platform did not do what it was asked for, and said so or showed it."""


class PlatformAlerts:
    """Reads alerts through the SDK, and changes them. Raises RunError for whatever the platform does not do."""

    def __init__(self, job, name, memory, deadline, clean):
        self._job = job
        self._clean = clean
        # How a person knows what this job wrote, and a later run what it has closed. What the job only commented on, a
        # person may close with the same words.
        self._mark = f"{name}: "
        self._closing_mark = f"{name} (closed): "
        self._memory = memory
        self._deadline = deadline
        self._by_id = {}
        # By case, what a run that was cut short may have written, as far as it is not found to be about another alert.
        self._written = {}
        self._reason = REASON
        self._root_cause = ROOT_CAUSE

    def closes_as(self, reason, root_cause):
        """Sets what alerts are closed with, where the platform has other choices than by default."""
        self._reason = (reason or "").strip() or REASON
        self._root_cause = (root_cause or "").strip() or ROOT_CAUSE

    def read(self, vendor, server, until):
        """The alerts of the plugin's request: those that are open, or that the job has closed in the last 30 days.

        vendor: of all alerts of this integration; server: the tenant, since others may have alerts of the same vendor;
        until: epoch milliseconds after which nothing more is read. Raises TimedOut then.
        """
        self._read_until = until
        updated, synced = AlertList(self._job, self._memory, self._ask).read(vendor)
        tagged = self._tagged_cases() if any(alert.status == CLOSED for alert in synced) else set()
        since = time.time() * 1000 - REOPENED_WITHIN_IN_MS
        wanted = [
            (alert, closing)
            for alert in synced
            for closing in [self._closing(alert, updated[alert.alert_group_id], tagged)]
            if alert.status != CLOSED or (closing["by"] == "job" and closing["at"] >= since)
        ]
        count = len(wanted)
        elsewhere = self._memory.elsewhere(server) & {alert.alert_group_id for alert, _ in wanted}
        wanted = [(alert, closing) for alert, closing in wanted if alert.alert_group_id not in elsewhere]
        found = {}
        try:
            self._describe({alert.case_id for alert, _ in wanted}, server, found)
        finally:
            # Where many jobs share a platform, none would come to its end if each read the cases of all others.
            others = (alert for alert, _ in wanted if found.get((alert.case_id, alert.alert_id), NOT_FOUND)[2])
            self._memory.note_elsewhere(server, elsewhere.union(alert.alert_group_id for alert in others))
        alerts = []
        for alert, closing in wanted:
            alert.name, known, _ = found.get((alert.case_id, alert.alert_id), NOT_FOUND)
            if known:
                self._by_id[alert.alert_group_id] = alert
                alerts.append({**known, **standing(alert, closing)})
        self._say_left_out(len(alerts), count)
        return alerts

    def _say_left_out(self, followed, count):
        if count and not followed:
            self._job.LOGGER.warn(
                f"None of {count} alerts is followed up: their events do not link to the tenant in Server, or the"
                " platform did not return them with their case. Enter the same Server as in the connector."
            )
        elif followed < count:
            self._job.LOGGER.info(
                f"{count - followed} of {count} alerts are left out: their events do not link to the"
                " tenant in Server, or the platform did not return them with their case."
            )

    def apply(self, change):
        """Makes one change that the plugin asks for, and returns what was done."""
        alert = self._by_id[change["alertId"]]
        self._memory.begin()
        text = f"{self._mark}{change['text']}"
        do = {"close": self._close, "reopen": self._reopen, "comment": self._comment, "priority": self._prioritise}
        do[change["change"]](alert, text, change)
        return f"Alert {alert.name} in case {alert.case_id}: {change['text']}"

    def _close(self, alert, _, change):
        alert = self._current(alert)
        if alert.status == CLOSED:
            raise Refused(f"Alert {alert.name} in case {alert.case_id} was closed meanwhile, so the job left it alone.")
        # First: what is not marked could never be opened again.
        self._call(lambda: self._job.add_tag(TAG, alert.case_id, alert.alert_id), alert, "a tag")
        comment = f"{self._closing_mark}{change['text']}"
        closing = {"root_cause": self._root_cause, "reason": self._reason, "comment": comment}
        where = {"case_id": alert.case_id, "alert_id": alert.alert_id}
        self._call(lambda: self._job.close_alert(**closing, **where), alert, "the closing")
        current = self._current(alert)
        if current.status != CLOSED:
            raise Refused(f"The platform left alert {alert.name} in case {alert.case_id} open. It is asked again.")
        if current.case_id != alert.case_id:
            # The platform may move an alert that is closed alone to a case of its own.
            self._call(lambda: self._job.add_tag(TAG, current.case_id, current.alert_id), current, "a tag")
        self._memory.note(alert.alert_group_id, {"by": "job", "at": int(time.time() * 1000)})
        self._memory.store()

    def _reopen(self, alert, text, change):
        alert = self._current(alert)
        if alert.status != CLOSED:
            raise Refused(f"Alert {alert.name} in case {alert.case_id} was reopened meanwhile.")
        if alert.close_comment and self._closing_mark not in alert.close_comment:
            raise Refused(f"A person has closed alert {alert.name} in case {alert.case_id} meanwhile.")
        address = f"{self._job.API_ROOT}/external/v1/dynamic-cases/ReopenAlert"
        body = {"caseId": alert.case_id, "alertIdentifier": alert.alert_id}
        # First: the platform may open it without saying so, and then it was no person.
        closing = {**self._memory.closing(alert.alert_group_id), "asked": True}
        self._memory.note(alert.alert_group_id, closing)
        self._memory.store()
        try:
            self._call(lambda: self._post(address, body), alert, "the reopening")
            if self._current(alert).status == CLOSED:
                raise Refused(f"The platform left alert {alert.name} in case {alert.case_id} closed.")
        except RunError:
            # Somebody should learn of the finding all the same, once.
            if not closing.get("person_asked"):
                self._comment(alert, f"{self._mark}{NOT_REOPENED}", change)
                self._memory.note(alert.alert_group_id, {**closing, "person_asked": True})
            raise
        self._memory.note(alert.alert_group_id, {**closing, "reopened": "job"})
        self._memory.store()
        self._explain(alert, text, change)

    def _explain(self, alert, text, change):
        """Comments on a change that is made. If it counted as failed, the job would forget what it knows of it."""
        try:
            self._comment(alert, text, change)
        except RunError as error:
            self._job.LOGGER.warn(self._clean(str(error)))

    def _comment(self, alert, text, _):
        if self._is_written(alert, text):
            return
        self._call(lambda: self._job.add_comment(text, alert.case_id, alert.alert_id), alert, "a comment")

    def _prioritise(self, alert, text, change):
        priority = change["priority"]
        if self._current(alert).priority not in (alert.priority, PRIORITIES[priority]):
            raise Refused(
                f"The priority of alert {alert.name} in case {alert.case_id} was changed meanwhile, so the job left it."
            )
        # The SDK changes the priority of a case as a whole, in which there may be other alerts.
        address = self._job.address_provider.API_BASE_ROOT.format("UpdateAlertPriority")
        body = {"caseId": alert.case_id, "alertIdentifier": alert.alert_id, "alertName": alert.name}
        failure = Refused(f"The platform left the priority of alert {alert.name} in case {alert.case_id} as it was.")
        try:
            self._call(lambda: self._post(address, {**body, "priority": priority}), alert, "the priority")
        except RunError as error:
            failure = error
        if self._current(alert).priority != PRIORITIES[priority]:
            raise failure
        self._explain(alert, text, change)

    def _is_written(self, alert, text):
        """Whether a run that was cut short made this comment. Many alerts get the same: each is that of one of them."""
        since = self._memory.cut_short_since
        if since is None:
            return False
        if alert.case_id not in self._written:
            comments = self._call(lambda: self._job.get_case_comments(alert.case_id), alert, "the comments") or []
            comments = [each for each in comments if isinstance(each, dict)]
            self._written[alert.case_id] = [each for each in comments if written_at(each, since) >= since]
        written = self._written[alert.case_id]
        for comment in written:
            if comment.get("comment") == text and comment.get("alert_identifier") in (None, "", alert.alert_id):
                written.remove(comment)
                return True
        return False

    def _current(self, alert):
        """The alert as the platform has it now. It may have moved to another case."""
        found = self._call(lambda: self._job.get_sync_alerts([alert.alert_group_id]), alert, "its status")
        if not found:
            raise Refused(f"The platform no longer has alert {alert.name} of case {alert.case_id}.")
        found[0].name = alert.name
        return found[0]

    def _ask(self, call, what):
        # Each answer may take its time: a limit that cuts the last one short would blame the platform for one case.
        if time.time() * 1000 >= self._read_until:
            raise TimedOut
        return ask(call, what, self._deadline)

    def _call(self, call, alert, what):
        return ask(call, f"{what} of alert {alert.name} in case {alert.case_id}", self._deadline)

    def _post(self, address, body):
        self._job.validate_siemplify_error(self._job.session.post(address, json=body))

    def _tagged_cases(self):
        read = self._job.get_cases_ids_by_filter
        terms = {"start_time_from_unix_time_in_ms": 0, "max_results": MOST_CASES, "tags": [TAG]}
        return self._ask(
            lambda: {int(case_id) for case_id in read("BOTH", **terms) or []}, "the cases with the job's tag"
        )

    def _closing(self, alert, updated, tagged):
        """How the alert was closed last; None when it never was. A person closed what the job has not marked."""
        known = self._memory.closing(alert.alert_group_id)
        was_open = bool(known) and "reopened" in known
        if alert.status != CLOSED:
            if known and not was_open:
                known = {**known, "reopened": "job" if known.get("asked") else "person"}
                self._memory.note(alert.alert_group_id, known)
            return known
        comment = alert.close_comment
        # Without a comment, it is still closed as the job has noted, unless it was open since. A platform may wrap one.
        is_own = self._closing_mark in comment if comment else bool(known) and known["by"] == "job" and not was_open
        by = "job" if is_own and alert.case_id in tagged else "person"
        # What a person has taken away stays so, even if the case gets its tag again for another alert.
        if known and known["by"] in (by, "person") and not was_open:
            if by == "job" and known.pop("untagged", None):
                self._memory.note(alert.alert_group_id, known)
            return known
        # No case with the tag at all may be an answer that failed.
        if known and not was_open and is_own and not tagged and not known.get("untagged"):
            self._memory.note(alert.alert_group_id, {**known, "untagged": True})
            return {**known, "by": "person"}
        closing = {"by": by, "at": updated}
        self._memory.note(alert.alert_group_id, closing)
        return closing

    def _describe(self, cases, server, found):
        """Adds what is found of each alert in these cases, by the ids of case and alert; see NOT_FOUND."""
        unreadable = []
        for case_id in sorted(cases):
            try:
                found.update(self._ask(lambda: self._alerts_in(case_id, server), f"case {case_id}"))
            except TimedOut:
                raise
            except RunError as error:
                unreadable.append(case_id)
                if len(unreadable) > MOST_UNREADABLE_CASES:
                    raise
                self._job.LOGGER.warn(self._clean(f"{error} Its alerts are not judged in this run."))

    def _alerts_in(self, case_id, server):
        # The SDK has no other way to read the events of a case than what its own jobs use.
        alerts = self._job._get_case_by_id(str(case_id))["cyber_alerts"] or []
        return {
            (case_id, alert.get("identifier")): (
                alert.get("name") or "",
                described(alert, server),
                is_elsewhere(alert, server),
            )
            for alert in alerts
        }


def written_at(comment, default):
    """When a comment was written at the latest, in epoch milliseconds by this machine's clock."""
    at = number(comment.get("creation_time_unix_time_in_ms"))
    return at + CLOCKS_APART_IN_MS if at else default


def standing(alert, closing):
    """Whether an alert is open, and who closed and reopened it."""
    is_closed = alert.status == CLOSED
    priority = PRIORITIES_OF_CODES.get(alert.priority)
    return {
        **({} if priority is None else {"currentPriority": priority}),
        "alertId": alert.alert_group_id,
        "status": "closed" if is_closed else "open",
        "closedBy": closing and closing["by"],
        "closedAt": closing and closing["at"],
        "reopenedBy": closing.get("reopened") if closing and not is_closed else None,
    }
