"""What the events of an alert say about the findings that it stands for."""

import re
from urllib.parse import quote, urlsplit

SEVERITIES = ["critical", "high", "moderate", "low", "unknown"]
DELIVERED_PRIORITIES = {"critical": 100, "high": 80, "moderate": 60, "low": 40, "unknown": -1}
NEEDED = ["finding_id", "environment_id", "finding_type"]
PORTS = {"http": 80, "https": 443}
# Links of the plugin have all other characters percent-encoded.
KEPT_IN_PATHS = "/%!$&'()*+,;=:@~|[]^"


def described(detail, server):
    """What the plugin learns from the events of an alert; None for an alert of something else."""
    events = [event.get("additional_properties") or {} for event in detail.get("security_events") or []]
    # The platform takes fields out of an alert that is too large.
    events = [event for event in events if all(event.get(field) for field in NEEDED)]
    if not events or any(tenant_of(event.get("finding_url")) != tenant_of(server) for event in events):
        return None
    findings = {str(event["finding_id"]): finding_of(event) for event in events}
    # An alert that has lost events says nothing about what it stands for, and one without findings is never closed.
    is_whole = all(number(event.get("findings_in_alert")) == len(findings) for event in events)
    # An accepted finding counts as low for the priority of its alert, but is as severe as it is.
    counted = ["low" if is_accepted(event) else severity_of(event) for event in events]
    return {
        "environmentId": events[0]["environment_id"],
        "findingType": events[0]["finding_type"],
        "severity": worst([severity_of(event) for event in events]),
        "priority": DELIVERED_PRIORITIES[worst(counted)],
        "findings": list(findings.values()) if is_whole else [],
    }


def is_elsewhere(detail, server):
    """Whether all events of an alert link to another tenant than the one in Server."""
    events = [event.get("additional_properties") or {} for event in detail.get("security_events") or []]
    links = [event.get("finding_url") for event in events]
    # A link that is cut short may be one of this tenant.
    return bool(links) and all("/ui/" in (link or "") and tenant_of(link) != tenant_of(server) for link in links)


def lost_findings(events):
    """How many findings of an alert that join two objects these events do not say enough about to check them."""
    # All findings of an alert are of one type, so either all of them join two objects or none does.
    kept = {event["finding_id"] for event in events if event.get("source_object_id")}
    if not kept:
        return 0
    counts = [number(event.get("findings_in_alert")) for event in events]
    # An event that has lost the number may have lost more.
    return max(int(0 in counts), max(counts) - len(kept))


def finding_of(event):
    return {
        "id": str(event["finding_id"]),
        "source": event.get("source_object_id") or None,
        "target": event.get("target_object_id") or "",
        "createdAt": number(event.get("start_time")) if event.get("created_at") else 0,
    }


def is_accepted(event):
    return str(event.get("accepted")).lower() == "true"


def worst(severities):
    return min(severities, key=SEVERITIES.index)


def severity_of(event):
    severity = event.get("severity")
    return severity if severity in SEVERITIES else "unknown"


def tenant_of(address):
    """Host, port and path prefix of an address of a tenant or of one of its pages; None for what is no address.

    The plugin reads its parameter Server in this way, too (src/service/http/server-address.ts), except names with
    letters such as ß, which Python writes differently.
    """
    address = re.split("[?#]", address or "")[0].strip()
    if not re.match(r"[a-z][a-z0-9+.-]*://", address, re.IGNORECASE):
        address = f"https://{address.removeprefix('//')}"
    try:
        parts = urlsplit(address)
        host = (parts.hostname or "").rstrip(".").encode("idna")
        port = parts.port or PORTS.get(parts.scheme)
    except ValueError:
        return None
    prefix = []
    for segment in quote(parts.path, safe=KEPT_IN_PATHS).split("/"):
        if segment == "..":
            del prefix[-1:]
        elif segment not in ("", "."):
            prefix.append(segment)
    own = next((at for at, segment in enumerate(prefix) if segment.lower() in ("ui", "api")), None)
    return host, port, prefix[:own]


def number(value):
    """The platform may keep a number as text."""
    try:
        return int(float(value))
    except (OverflowError, TypeError, ValueError):
        return 0
