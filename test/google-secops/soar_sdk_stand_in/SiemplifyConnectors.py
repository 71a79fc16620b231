"""A connector's side of the platform."""

import json
import sys
import time
from types import SimpleNamespace

from platform_session import Session, captured_stdout, use_proxy, write_answer

CONNECTOR = 4
MOST_EVENTS = 500
MOST_LOG_ROWS = 5_000


class SiemplifyConnectorExecution(Session):
    def __init__(self):
        super().__init__(key_position=2)
        info = self._context["connector_info"]
        self.context = SimpleNamespace(connector_info=SimpleNamespace(**info))
        self.LOGGER.module = f"{info['integration']}_{info['connector_definition_name']}_{info['identifier']}"
        settings = self.get_connector_context_property("overflow_settings", "overflow_settings")
        self._overflow = {
            "is_overflow_enabled": True,
            "is_environment_considered": True,
            "is_product_considered": True,
            "is_rule_generator_considered": True,
            "max_alerts_in_time_period": 50,
            "time_period_in_min": 10,
            **(json.loads(settings) if settings else {}),
        }
        self.overflow_manager = SimpleNamespace(reported_overflows=[], _settings=SimpleNamespace(**self._overflow))
        use_proxy(
            {
                "proxy_server_address": self.parameters.get("Proxy Server Address"),
                "username": self.parameters.get("Proxy Username"),
                "password": self.parameters.get("Proxy Password"),
                "ignore_addresses": ["localhost", "127.0.0.1"],
            }
        )

    @property
    def parameters(self):
        return {param["param_name"]: param["param_value"] for param in self.context.connector_info.params}

    @property
    def is_test_run(self):
        return sys.argv[1] == "False"

    def extract_connector_param(self, param_name):
        value = self.parameters.get(param_name)
        return str(value) if value else None

    def get_connector_context_property(self, identifier, property_key):
        return self.get_context_property(CONNECTOR, identifier, property_key)

    def set_connector_context_property(self, identifier, property_key, property_value):
        return self.set_context_property(CONNECTOR, identifier, property_key, property_value)

    def is_overflowed_alert(self, environment, alert_identifier, ingestion_time, alert_name, product):
        if not self._overflow["is_overflow_enabled"] or self.is_test_run:
            return False
        identifier = self.context.connector_info.identifier
        stored = self.get_connector_context_property(identifier, "overflow_data")
        seen = json.loads(stored) if stored else {}
        named = {"environment": environment, "product": product, "rule_generator": alert_name}
        key = "".join(f"|{text}" for name, text in named.items() if self._overflow[f"is_{name}_considered"])
        now = int(time.time() * 1000)
        since = now - self._overflow["time_period_in_min"] * 60_000
        counted = seen.setdefault(key, {"digestion_times": [], "last_notification_time": 0})
        times = [moment for moment in counted["digestion_times"] if moment >= since]
        overflowed = len(times) >= self._overflow["max_alerts_in_time_period"]
        counted["digestion_times"] = [*times, now]
        if overflowed:
            counted["last_notification_time"] = now
            report = self._overflowed_alert(environment, alert_identifier, ingestion_time, alert_name, product)
            self.overflow_manager.reported_overflows.append(report)
        self.set_connector_context_property(identifier, "overflow_data", json.dumps(seen))
        return overflowed

    def _overflowed_alert(self, environment, alert_identifier, ingestion_time, alert_name, product):
        """The report on an alert that the platform does not get. Fields that a connector leaves out are empty texts."""
        left_out = (
            "original_file_path original_file_content source_ip source_host destination_ip destination_host siem_alert_id "
            "source_system_url source_rule_identifier"
        ).split()
        return {
            **dict.fromkeys(left_out, ""),
            "environment": environment,
            "source_system_name": self.context.connector_info.integration,
            "connector_identifier": self.context.connector_info.identifier,
            "alert_identifier": alert_identifier,
            "ingestion_time": ingestion_time,
            "alert_name": alert_name,
            "product": product,
        }

    def return_package(self, cases):
        for case in cases:
            check_alert(case)
        package = {
            "cases": cases,
            "overflow_cases": self.overflow_manager.reported_overflows,
            "log_items": [],
            "variables": {},
            "log_rows": self.LOGGER.log_rows[:MOST_LOG_ROWS],
        }
        text = json.dumps(package, default=lambda value: value.__dict__)
        write_answer({"ResultObjectJson": text, "DebugOutput": captured_stdout.getvalue()})


def check_alert(alert):
    """The platform drops or mangles what is not like this."""
    for name in "environment ticket_id display_id name rule_generator device_vendor device_product".split():
        assert isinstance(getattr(alert, name), str), f"{name} is a text"
    for name in ("start_time", "end_time"):
        assert isinstance(getattr(alert, name), int) and getattr(alert, name) > 10**12, f"{name} is in milliseconds"
    assert alert.priority in (-1, 40, 60, 80, 100), "priority is one of five"
    assert all(isinstance(text, str) for pair in alert.extensions.items() for text in pair), "extensions are texts"
    assert 0 < len(alert.events) <= MOST_EVENTS, "an alert has 1 to 500 events"
    for event in alert.events:
        for key, value in event.items():
            assert isinstance(key, str) and type(value) in (str, int, float), f"{key} is a text or a number"
