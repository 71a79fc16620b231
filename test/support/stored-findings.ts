import type { Tenant } from "../../sandbox/tenant/index.ts";
import type { Alert } from "../../src/runtime/protocol.ts";
import { servedFindings } from "./served-findings.ts";

/** The findings that a host holds; alerts whose id it knows are dropped, as every host does. */
export class StoredFindings {
  /** How often each finding was stored, by environment, finding type and id. */
  readonly #times = new Map<string, number>();
  readonly #alerts = new Set<string>();

  get size(): number {
    return this.#times.size;
  }

  /** Environment, finding type and id of each finding, in one text. */
  get keys(): string[] {
    return [...this.#times.keys()];
  }

  /** Findings that were stored more than once. */
  get repeated(): string[] {
    return [...this.#times].filter(([, times]) => times > 1).map(([key]) => key);
  }

  /** Says how many of the alert's findings are new here; null when the alert is known. */
  store({ id, events }: Alert): number | null {
    if (this.#alerts.has(id)) return null;
    this.#alerts.add(id);
    let fresh = 0;
    for (const event of events) {
      const key = keyOf(String(event["environment_id"]), String(event["finding_type"]), event["finding_id"]);
      const times = this.#times.get(key) ?? 0;
      if (times === 0) fresh += 1;
      this.#times.set(key, times + 1);
    }
    return fresh;
  }

  /** How many findings the tenant serves that are not stored here. */
  missing(tenant: Tenant): number {
    const { data } = tenant;
    let missing = 0;
    for (const { id, collected } of data.environments) {
      if (collected) for (const type of data.findingTypes(id)) missing += this.#missingOf(tenant, id, type);
    }
    return missing;
  }

  /** A finding that is served without an id is known by a hash; of these, only the number can be compared. */
  #missingOf(tenant: Tenant, environmentId: string, findingType: string): number {
    const ids = servedFindings(tenant, environmentId, findingType).map(({ id }: { id: unknown }) => id);
    const known = ids.filter((id) => typeof id === "number");
    const hash = keyOf(environmentId, findingType, "h");
    const hashes = this.keys.filter((key) => key.startsWith(hash)).length;
    const unstored = known.filter((id) => !this.#times.has(keyOf(environmentId, findingType, id)));
    return unstored.length + Math.max(0, ids.length - known.length - hashes);
  }
}

function keyOf(environmentId: string, findingType: string, id: unknown): string {
  return [environmentId, findingType, String(id)].join(" ");
}
