import type { JobAlert, JobFinding } from "../runtime/protocol.ts";
import { isSameText } from "../text.ts";
import { type FindingKey, hashOf, findingKeyOf } from "./finding-key.ts";
import type { Principals } from "./proof/counter-check.ts";

/** The findings of some alerts of a stream that are recognised by the same key. */
export interface Tracked extends Principals {
  /** The directions that they have beside the first: from A to B and from B to A are two findings. */
  readonly others: Principals[];
  /** As it was delivered last. */
  id: string;
  /** When it was created, as it was delivered last, in epoch milliseconds; 0 when that is not known. */
  createdAt: number;
  /** Whether an open alert has it. */
  isOpen: boolean;
}

/** The alerts of one finding type of one environment. */
export class FollowedStream {
  readonly findingType: string;
  readonly alerts: JobAlert[] = [];
  #findings: Map<FindingKey, Tracked> | null = null;

  constructor(findingType: string) {
    this.findingType = findingType;
  }

  /** Made when first asked for: most runs read nothing, and need no finding of the thousands. */
  get findings(): ReadonlyMap<FindingKey, Tracked> {
    this.#findings ??= tracked(this.alerts);
    return this.#findings;
  }

  get open(): JobAlert[] {
    return this.alerts.filter(({ status }) => status === "open");
  }

  /** Tells its open alerts from others, and from as many with more findings. */
  get openHash(): string {
    return hashOf(JSON.stringify(this.open.map(({ alertId, findings }) => [alertId, findings.length]).sort()));
  }
}

/** In the order of the alert. */
export function keysOf({ findings }: JobAlert): FindingKey[] {
  return findings.map(({ source, target }) => findingKeyOf(source, target));
}

/** The alerts of one environment by finding type, in the order of their names. */
export function streamsOf(alerts: readonly JobAlert[]): FollowedStream[] {
  const streams = new Map<string, FollowedStream>();
  for (const alert of alerts) {
    const stream = streams.get(alert.findingType) ?? new FollowedStream(alert.findingType);
    streams.set(alert.findingType, stream);
    stream.alerts.push(alert);
  }
  return [...streams.values()].sort((a, b) => (a.findingType < b.findingType ? -1 : 1));
}

function tracked(alerts: readonly JobAlert[]): Map<FindingKey, Tracked> {
  const findings = new Map<FindingKey, Tracked>();
  for (const { findings: own, status } of alerts) {
    for (const finding of own) track(findings, finding, status === "open");
  }
  return findings;
}

function track(
  findings: Map<FindingKey, Tracked>,
  { id, source, target, createdAt }: JobFinding,
  isOpen: boolean,
): void {
  const key = findingKeyOf(source, target);
  const known = findings.get(key);
  if (known === undefined) {
    findings.set(key, { id, source, target, createdAt, isOpen, others: [] });
    return;
  }
  // With the same key, the same target means the same direction.
  const directions = [known, ...known.others];
  if (!directions.some((each) => isSameText(each.target, target))) known.others.push({ source, target });
  if (createdAt > known.createdAt) Object.assign(known, { id, createdAt });
  known.isOpen ||= isOpen;
}
