"""Shows what an action found out where a case shows it: in tables, in an insight, and in properties of its entities."""

import html

from time_limit import TimeIsUp, at_most, reason, seconds_to_wait

# Codes of the platform (chronicle/soar-sdk, SiemplifyDataModel: InsightSeverity and InsightType).
SEVERITIES = {"info": 0, "warning": 1, "critical": 2}
GENERAL_INSIGHT = 0
# All integrations write into the same properties of an entity.
PREFIX = "AttackPath_"
NOT_KNOWN = "unknown"


def show(action, integration, result, clean, deadline):
    """Adds to the case what the result holds for it. What goes wrong here is logged, and the action goes on.

    deadline: epoch milliseconds at which the platform ends the script, or None
    """
    for add, what in [
        (lambda: add_tables(action, result.get("tables", [])), "the tables"),
        (lambda: add_insight(action, integration, result.get("insight")), "the insight"),
        (lambda: update_entities(action, result.get("entities", [])), "the properties of entities"),
    ]:
        try:
            with at_most(seconds_to_wait(deadline)):
                add()
        except (Exception, TimeIsUp) as error:
            action.LOGGER.error(clean(f"The case does not show {what}: {reason(error)}"))


def original_name(entity):
    """The platform writes identifiers in capitals, and keeps what they were."""
    return (entity.additional_properties or {}).get("OriginalIdentifier") or entity.identifier


def add_tables(action, tables):
    for table in tables:
        note = [[table["note"]]] if "note" in table else []
        lines = [csv_line(row) for row in [table["columns"], *table["rows"], *note]]
        action.result.add_data_table(table["title"], lines)


def add_insight(action, integration, insight):
    if insight is None:
        return
    action.create_case_insight(
        triggered_by=integration,
        title=insight["title"],
        # The platform shows it as HTML.
        content=html.escape(insight["text"]),
        entity_identifier="",
        severity=SEVERITIES[insight["severity"]],
        insight_type=GENERAL_INSIGHT,
    )


def update_entities(action, updates):
    """Writes the properties of each entity by its original name, and tells the platform of those that changed."""
    known_entities = {(update["identifier"], update["type"]): update["properties"] for update in updates}
    if not known_entities:
        return
    changed = []
    for entity in action.target_entities:
        found = known_entities.get((original_name(entity), entity.entity_type), {})
        given = {PREFIX + key: value for key, value in found.items()}
        known = entity.additional_properties or {}
        # An update may not remove a property, so what is not known any more is overwritten.
        properties = {
            key: NOT_KNOWN if value is None else text_of(value)
            for key, value in given.items()
            if value is not None or key in known
        }
        if any(known.get(key) != value for key, value in properties.items()):
            entity.additional_properties = {**known, **properties}
            entity.is_enriched = True
            changed.append(entity)
    if changed:
        action.update_entities(changed)


def csv_line(cells):
    """A line that the platform reads in the same way whether or not it knows quotation marks.

    Nobody else quotes cells on it: the SDK and TIPCommon replace commas (construct_csv).
    """
    texts = (str(cell).replace(", ", "; ").replace(",", " ").replace('"', "'") for cell in cells)
    return ",".join(" ".join(text.split()) for text in texts)


def text_of(value):
    """Properties are texts."""
    return str(value).lower() if isinstance(value, bool) else str(value)
