"""The list of the platform's alerts: which there are, and what became of each, without what was settled long ago."""

import time

# Code of the platform (chronicle/soar-sdk, SiemplifyDataModel: ApiSyncAlertStatusEnum).
CLOSED = 1
DAY_IN_MS = 86_400_000
REOPENED_WITHIN_IN_MS = 30 * DAY_IN_MS
# What was closed longer ago is not read again until the platform lists it as updated.
SETTLED_AFTER_IN_MS = REOPENED_WITHIN_IN_MS + DAY_IN_MS
MOST_STILL_OPEN = 10_000
MOST_STILL_OPEN_CHARACTERS = 1_000_000
PAGE = 1_000
BATCH = 200


class AlertList:
    """Reads the list through the SDK, and notes how far the next run need not read it."""

    def __init__(self, job, memory, ask):
        """ask: calls the platform, and raises TimedOut when there is no time to read more."""
        self._job = job
        self._memory = memory
        self._ask = ask

    def read(self, vendor):
        """When each alert was last updated, in epoch milliseconds, by the id of its group; and the alerts."""
        updated = self._updated(vendor)
        return updated, self._synced(updated)

    def _updated(self, vendor):
        """When each alert was last updated at the latest, in epoch milliseconds, by the id of its group: all of the
        vendor's, except those that an earlier run has found closed long ago, and that nothing has happened to since."""
        since, count = self._memory.settled_until, PAGE
        updated = dict.fromkeys(self._memory.still_open, since)
        while True:
            read = self._job.get_updated_sync_alerts_metadata
            page = self._ask(lambda: read(since, count, vendor=vendor), "the list of alerts")
            updated.update((entry.alert_group_id, entry.tracking_time) for entry in page)
            last = max((entry.tracking_time for entry in page), default=0)
            if last < since or not page:
                return updated
            # The next page begins with the last moment of this one. A page of a single moment has to be longer, unless
            # it is shorter than it was asked to be: that may be the last one, or the most that the platform returns.
            if last == since and len(page) >= count:
                count *= 2
            else:
                since = max(last, since + 1)

    def _synced(self, updated):
        # Oldest first: what a run without enough time has read is of use to the next one.
        ids = sorted(updated, key=updated.get)
        batches = [ids[start : start + BATCH] for start in range(0, len(ids), BATCH)]
        read = self._job.get_sync_alerts
        found = {}
        done = 0
        try:
            for batch in batches:
                found.update(
                    (alert.alert_group_id, alert) for alert in self._ask(lambda: read(batch), "the status of alerts")
                )
                done += len(batch)
        finally:
            self._settle(updated, found, ids[done:])
        return list(found.values())

    def _settle(self, updated, found, unread):
        """Stores from when on the next run has to read the list of alerts, and which older ones are not closed."""
        # A platform may list an update in the future.
        until = min(max(updated.values(), default=0), int(time.time() * 1000)) - SETTLED_AFTER_IN_MS
        if unread:
            # The next run begins with what has the time of the first of these.
            until = min(until, updated[unread[0]] - 1)
        if until < self._memory.settled_until + DAY_IN_MS:
            return
        closed = {alert_id for alert_id, alert in found.items() if alert.status == CLOSED}
        # What the platform does not return now may be open.
        still_open = [alert_id for alert_id, at in updated.items() if at <= until and alert_id not in closed]
        if len(still_open) > MOST_STILL_OPEN or sum(map(len, still_open)) > MOST_STILL_OPEN_CHARACTERS:
            return
        for alert_id in closed:
            # Nobody else could tell, should a person open one again. The job itself opens none after so long.
            if updated.get(alert_id, until + 1) <= until and self._memory.closing(alert_id) is None:
                self._memory.note(alert_id, {"by": "person", "at": updated[alert_id]})
        self._memory.settle(until, still_open)
