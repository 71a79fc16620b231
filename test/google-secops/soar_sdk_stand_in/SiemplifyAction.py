"""An action's side of the platform."""

import json
import sys
from types import SimpleNamespace

from platform_session import Session, captured_stdout, use_proxy, write_answer
from ScriptResult import EXECUTION_STATE_COMPLETED, EXECUTION_STATE_FAILED, ScriptResult

MANDATORY = (
    "target_entities case_id alert_id environment workflow_id parameters integration_identifier integration_instance "
    "action_definition_name original_requesting_user default_result_value"
).split()
STATES = (0, 1, 2, 3)


class Alert:
    """The part of an alert that scripts read."""

    def __init__(self, details):
        self.security_events = [SimpleNamespace(**event) for event in details["security_events"]]
        self.entities = [SimpleNamespace(**entity) for entity in details["domain_entities"]]


class SiemplifyAction(Session):
    def __init__(self):
        super().__init__(key_position=1)
        for key in MANDATORY:
            if key not in self._context:
                raise KeyError(key)
        self.result = ScriptResult()
        self.case_id = self._context["case_id"]
        self.alert_id = self._context["alert_id"]
        self.parameters = dict(self._context["parameters"])
        self.execution_deadline_unix_time_ms = self._context.get("execution_deadline_unix_time_ms", 0)
        self.script_timeout_deadline = self._context.get(
            "script_timeout_deadline", self.execution_deadline_unix_time_ms
        )
        self.async_polling_interval_in_sec = self._context.get("async_polling_interval_in_sec", 0)
        self.async_total_duration_deadline = self._context.get("async_total_duration_deadline", 0)
        self._alert = None
        self._most_json = self._context.get("max_json_result_size", 15) * 1_048_576
        if self._context.get("use_proxy_settings", False):
            use_proxy(self._ask("GetProxySettings"))

    @property
    def current_alert(self):
        if self._alert is None:
            try:
                details = self._ask(
                    "AlertFullDetails",
                    {"case_id": self.case_id, "alert_id_str": self.alert_id, "populate_original_file": False},
                )
                self._alert = details and Alert(details)
            except Exception as error:
                self.LOGGER.error(f"Error getting current alert. Exception: {error}")
        return self._alert

    @property
    def target_entities(self):
        """The selected ones of the alert's entities, without an alert those of the case's alerts."""
        selected = {(entity["item1"], entity["item2"]) for entity in self._context["target_entities"]}
        entities = self.current_alert.entities if self.current_alert else self._entities_of_case()
        return [entity for entity in entities if (entity.identifier, entity.entity_type) in selected]

    def _entities_of_case(self):
        try:
            alerts = self._ask(f"AlertsFullDetails/{self.case_id}?format=snake")
        except Exception as error:
            self.LOGGER.exception(f"Error while getting alerts for case {self.case_id}: {error}")
            return []
        return [entity for alert in alerts for entity in Alert(alert).entities]

    @property
    def environment(self):
        if self.case_id is not None and int(self.case_id) > 0:
            return self._ask(f"CaseMetadata/{self.case_id}?format=snake")["environment"]
        return self._context["environment"]

    def get_configuration(self, provider):
        if provider != self._context["integration_identifier"]:
            raise Exception(f"{provider} is not the integration that runs")
        assert self.environment is not None
        return self._ask(f"configuration/{self._context['integration_instance']}?format=snake")

    def create_case_insight(self, triggered_by, title, content, entity_identifier, severity, insight_type):
        texts = {"triggered_by": triggered_by, "title": title, "content": content, "entity_identifier": entity_identifier}
        if not all(isinstance(text, str) for text in texts.values()) or severity not in (0, 1, 2):
            raise TypeError("an insight has four texts and one of three severities")
        case = {"case_id": self.case_id, "alert_identifier": self.alert_id}
        self._ask("CreateCaseInsight", {**case, **texts, "severity": severity, "type": insight_type})
        return True

    def update_entities(self, updated_entities):
        for entity in updated_entities:
            texts = entity.additional_properties
            if not all(isinstance(text, (str, type(None))) for text in texts.values()):
                raise TypeError("properties of an entity are texts")
            texts.update(
                IsInternalAsset=str(entity.is_internal),
                IsEnriched=str(entity.is_enriched),
                IsSuspicious=str(entity.is_suspicious),
                IsVulnerable=str(entity.is_vulnerable),
            )
        self._ask("UpdateEntities", [vars(entity) for entity in updated_entities])

    def end(self, message, result_value, execution_state=EXECUTION_STATE_COMPLETED):
        if execution_state not in STATES or not isinstance(message, str):
            raise TypeError("an action ends with a text and one of four states")
        results = json.dumps(self.result.objects)
        output = captured_stdout.getvalue()
        if len(results) > self._most_json:
            message = output = f"Action failed as JSON result exceeded maximum size {self._most_json // 1_048_576}MB"
            results, result_value, execution_state = None, None, EXECUTION_STATE_FAILED
        write_answer(
            {
                "Message": message,
                "ResultObjectJson": results,
                "ResultValue": result_value,
                "DebugOutput": output,
                "ExecutionState": execution_state,
            }
        )
        sys.exit(0)
