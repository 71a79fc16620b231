/** The address of the page about one thing, by its id. */

export function runUrl(id: string): string {
  return `/runs/${encodeURIComponent(id)}`;
}

export function playbookRunUrl(id: string): string {
  return `/playbook-runs/${encodeURIComponent(id)}`;
}

export function connectorUrl(id: string): string {
  return `/connectors/${encodeURIComponent(id)}`;
}
