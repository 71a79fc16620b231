import type { GroupingRule, Manifest, ManifestConnector, Mapping } from "../../../src/manifest/manifest.ts";
import type { Project } from "../../../src/manifest/project.ts";
import type { Alert, AlertChangeMessage, AlertMessage, JsonObject } from "../../../src/runtime/protocol.ts";
import type { AlertStore } from "./alert-store.ts";
import { placeAlert } from "./cases.ts";

/** What one run of a connector brought. */
export interface IntakeTotals {
  /** Alerts that were stored, and the events in them. */
  alerts: number;
  events: number;
  /** Alerts that were dropped because their id was known. */
  repeated: number;
  casesOpened: number;
  /** Ids of cases that were open before and got new alerts. */
  casesExtended: number[];
  /** What a test run delivered; nothing of it is stored. */
  sample: Alert[];
}

/** Takes what a run of a connector or a job asks the host to store. */
export interface Receiver {
  readonly totals: IntakeTotals;
  /** false in a test run. */
  readonly storing: boolean;
  /** Gives the id of the case that has changed; null when nothing was stored. */
  receive(message: AlertMessage | AlertChangeMessage, now: number): number | null;
}

export function newTotals(): IntakeTotals {
  return { alerts: 0, events: 0, repeated: 0, casesOpened: 0, casesExtended: [], sample: [] };
}

/** How a package wants the alerts of one connector to be grouped. */
export interface Grouping {
  /** The package's identifier. */
  dataSource: string;
  rule: GroupingRule;
  mappings: Mapping[];
}

/** Finds a connector in a manifest. @throws Error when it has none of this name. */
function declaredConnector(manifest: Manifest, name: string): ManifestConnector {
  const found = manifest.connectors.find((connector) => connector.name === name);
  if (found === undefined) throw new Error(`${manifest.name} has no connector "${name}".`);
  return found;
}

/** The grouping rule and the mappings of a connector. */
export function groupingOf({ manifest, mappings, groupingRules }: Project, connector: string): Grouping {
  const declared = declaredConnector(manifest, connector);
  const rule = groupingRules.get(declared.groupingRule);
  if (rule === undefined) throw new Error(`${declared.groupingRule} is not among the grouping rules of the manifest.`);
  const own = declared.mappings.flatMap((file) => mappings.get(file) ?? []);
  return { dataSource: manifest.identifier, rule, mappings: own };
}

/** Takes the alerts of one run of a connector and counts them. */
export class Intake implements Receiver {
  readonly totals: IntakeTotals = newTotals();
  private readonly store: AlertStore;
  private readonly run: { id: string; connectorId: string; test: boolean };
  private readonly grouping: Grouping;
  private readonly opened = new Set<number>();

  constructor(store: AlertStore, run: { id: string; connectorId: string; test: boolean }, grouping: Grouping) {
    this.store = store;
    this.run = run;
    this.grouping = grouping;
  }

  get storing(): boolean {
    return !this.run.test;
  }

  receive(message: AlertMessage | AlertChangeMessage, now: number): number | null {
    return message.type === "alert" ? this.take(message.alert, message.checkpoint ?? null, now) : null;
  }

  /** Groups an alert and stores it with its checkpoint. */
  private take(alert: Alert, checkpoint: JsonObject | null, now: number): number | null {
    if (!this.storing) {
      this.totals.sample.push(alert);
      return null;
    }
    const { dataSource, rule, mappings } = this.grouping;
    const placement = placeAlert(alert, dataSource, rule, mappings);
    const { id: runId, connectorId } = this.run;
    const stored = this.store.add({ connectorId, runId, alert, checkpoint, placement }, now);
    if (stored.known) {
      this.totals.repeated += 1;
      return null;
    }
    this.totals.alerts += 1;
    this.totals.events += alert.events.length;
    this.note(stored.caseId, stored.openedCase);
    return stored.caseId;
  }

  private note(caseId: number, openedCase: boolean): void {
    if (openedCase) {
      this.opened.add(caseId);
      this.totals.casesOpened += 1;
    } else if (!this.opened.has(caseId) && !this.totals.casesExtended.includes(caseId)) {
      this.totals.casesExtended.push(caseId);
    }
  }
}
