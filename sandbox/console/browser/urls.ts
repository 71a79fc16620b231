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

/** The page of a case, or what the query shows of it, such as { tab: "actions" }. */
export function caseUrl(id: number, query: Record<string, string | number> = {}): string {
  const search = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)])).toString();
  return search === "" ? `/cases/${id}` : `/cases/${id}?${search}`;
}
