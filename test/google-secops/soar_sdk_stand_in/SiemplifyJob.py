"""A job's side of the platform."""

import json
import sys
from types import SimpleNamespace

from platform_session import Session, captured_stdout, use_proxy, write_answer

JOB = 3


class SiemplifyJob(Session):
    def __init__(self):
        super().__init__(key_position=1)
        self.parameters = dict(self._context["parameters"])
        self.unique_identifier = self._context.get("unique_identifier")
        self.session = SimpleNamespace(post=lambda url, json: self._send(url, json))
        self.address_provider = SimpleNamespace(API_BASE_ROOT=f"{self._root}/{{}}")
        if self._context.get("use_proxy_settings", False):
            use_proxy(self._ask("GetProxySettings"))

    def validate_siemplify_error(self, response):
        """This session has raised already."""

    def extract_job_param(self, param_name):
        value = self.parameters.get(param_name)
        return str(value) if value else None

    def get_job_context_property(self, identifier, property_key):
        return self.get_context_property(JOB, identifier, property_key)

    def set_job_context_property(self, identifier, property_key, property_value):
        return self.set_context_property(JOB, identifier, property_key, property_value)

    def get_updated_sync_alerts_metadata(self, start_timestamp_unix_ms, count, allowed_environments=None, vendor=None):
        request = {
            "start_timestamp_unix_ms": start_timestamp_unix_ms,
            "items_count": count,
            "allowed_environments": allowed_environments,
            "vendor": vendor,
            "include_non_synced_alerts": True,
        }
        found = self._ask("sync/alerts/metadata", request, "GET")
        return [
            SimpleNamespace(alert_group_id=row["group_id"], tracking_time=int(row["tracking_time_unix_time_in_ms"]))
            for row in found
        ]

    def get_sync_alerts(self, alert_group_ids):
        if not alert_group_ids:
            return []
        found = self._ask("sync/alerts", {"alert_group_ids": alert_group_ids}, "GET")
        return [
            SimpleNamespace(
                alert_group_id=str(row["group_id"]),
                alert_id=str(row["id"]),
                case_id=int(row["case_id"]),
                priority=int(row["priority"]),
                status=int(row["status"]),
                ticket_id=str(row["ticket_id"]),
                close_comment=row["close_comment"],
            )
            for row in found
        ]

    def get_cases_ids_by_filter(self, status, start_time_from_unix_time_in_ms, max_results, tags):
        if status not in ("OPEN", "CLOSE", "BOTH") or not 0 < max_results <= 10_000:
            raise Exception("'status' must be either one of the values: OPEN, CLOSE, BOTH")
        request = {"status": status, "start_time_from_unix_time_in_ms": start_time_from_unix_time_in_ms, "tags": tags}
        return self._ask("GetCasesIdByFilter", {**request, "max_results": max_results})

    def _get_case_by_id(self, case_id):
        return self._ask(f"CaseFullDetails/{case_id}/False?format=snake")

    def get_case_comments(self, case_id):
        return self._ask(f"GetCaseComments/{case_id}?fetchUpdates=False&format=snake")

    def add_comment(self, comment, case_id, alert_identifier):
        body = {"case_id": case_id, "alert_identifier": alert_identifier, "comment": comment}
        self._send(f"{self.API_ROOT}/external/v1/cases/comments?format=snake", body)

    def add_tag(self, tag, case_id, alert_identifier):
        self._ask("AddTag?format=snake", {"case_id": case_id, "alert_identifier": alert_identifier, "tag": tag})

    def close_alert(self, root_cause, comment, reason, case_id, alert_id):
        body = {"source_case_id": str(case_id), "alert_identifier": alert_id}
        return self._ask("CloseAlert", {**body, "root_cause": root_cause, "reason": reason, "comment": comment})

    def end_script(self):
        write_answer({"Message": "", "ResultObjectJson": json.dumps({}), "DebugOutput": captured_stdout.getvalue()})
        sys.exit(0)
