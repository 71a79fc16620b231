"""What a connector hands over."""


class AlertInfo:
    """Takes the attributes that the platform reads and no other."""

    def __init__(self):
        self.__dict__.update(
            environment=None,
            ticket_id=None,
            description=None,
            display_id=None,
            reason=None,
            name=None,
            source_system_url=None,
            source_rule_identifier=None,
            device_vendor=None,
            device_product=None,
            start_time=None,
            end_time=None,
            is_test_case=False,
            priority=-1,
            rule_generator=None,
            source_grouping_identifier=None,
            extensions={},
            events=[],
            attachments=[],
            siem_alert_id=None,
            updated_fields={},
            alert_update_supported=False,
            alert_metadata={},
            data_access_scope=None,
        )

    def __setattr__(self, name, value):
        if name not in self.__dict__:
            raise AttributeError(f"the platform does not read {name}")
        self.__dict__[name] = value
