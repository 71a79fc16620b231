import { Deadline } from "../../../src/deadline.ts";
import { MINUTE_MS } from "../../../src/clock.ts";
import { poll, type PollOptions, type PollResult } from "../../../src/ingestion/poll.ts";
import { Selection } from "../../../src/ingestion/selection.ts";
import type { EnvironmentReport } from "../../../src/ingestion/report/run-summary.ts";
import { applyMergePatch } from "../../../src/runtime/merge-patch.ts";
import type { Alert, Json } from "../../../src/runtime/protocol.ts";
import type { Finding } from "../../../src/service/resources/findings.records.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { instant, NOW } from "../../support/streams.ts";
import { fakeTenant, serviceOf, type FakeTenant } from "./fake-service.ts";

export const S1 = { id: "S-1", name: "CORP.TEST" };
export const S2 = { id: "S-2", name: "LAB.TEST" };

/** Findings that were created an hour ago. */
export const made = (first: number, count: number): Finding[] =>
  Array.from({ length: count }, (_, i) => ({ id: first + i, created_at: instant(-1) }));

/** Two environments with two finding types each and three findings in each stream. */
export function twoByTwo(changed: Partial<FakeTenant> = {}): FakeTenant {
  return fakeTenant({
    environments: [S1, S2],
    types: { "S-1": ["A", "B"], "S-2": ["A", "B"] },
    findings: { "S-1 A": made(1, 3), "S-1 B": made(11, 3), "S-2 A": made(21, 3), "S-2 B": made(31, 3) },
    ...changed,
  });
}

export interface Run {
  readonly result: PollResult;
  readonly alerts: Alert[];
  /** Ids of the delivered findings. */
  readonly ids: string[];
  readonly asked: string[];
  /** Milliseconds that the run took. */
  readonly tookMs: number;
}

/** A host that polls a fake tenant on a clock that moves only while somebody waits for it. */
export class FakeHost {
  readonly clock = new FakeClock(NOW);
  readonly tenant: FakeTenant;
  state: Json = null;

  constructor(tenant: FakeTenant) {
    this.tenant = tenant;
  }

  async poll(changed: Partial<PollOptions> & { deadlineMs?: number } = {}): Promise<Run> {
    const { clock, tenant } = this;
    const started = clock.now();
    tenant.asked.length = 0;
    const alerts: Alert[] = [];
    const { deadlineMs, ...rest } = changed;
    const at = deadlineMs === undefined ? null : started + deadlineMs;
    const running = poll({
      service: serviceOf(tenant, clock),
      clock,
      deadline: new Deadline({ clock, at }),
      limits: {},
      state: this.state,
      selection: new Selection({}),
      labels: { product: "p", vendor: "v", productField: "device_product", eventField: "finding_type" },
      deliver: (alert, patch) => {
        alerts.push(alert);
        this.state = applyMergePatch(this.state, JSON.parse(JSON.stringify(patch)) as Json);
        return Promise.resolve();
      },
      progress: () => undefined,
      ...rest,
    });
    const result = await this.#whileTimePasses(running);
    if ("version" in result) throw new Error("The state is of a newer version.");
    this.state = JSON.parse(JSON.stringify(result.checkpoint)) as Json;
    const ids = alerts.flatMap(({ events }) => events.map((event) => String(event["finding_id"])));
    return { result, alerts, ids: ids.sort(), asked: [...tenant.asked], tookMs: clock.now() - started };
  }

  /** Polls until every piece of evidence is known. */
  async quiet(): Promise<void> {
    for (let run = 0; run < 3; run++) {
      await this.poll();
      this.clock.advance(MINUTE_MS);
    }
  }

  async #whileTimePasses<T>(running: Promise<T>): Promise<T> {
    const ended = new AbortController();
    const end = (): void => {
      ended.abort();
    };
    running.then(end, end);
    while (!ended.signal.aborted) await this.clock.drainOnce();
    return running;
  }
}

export const reportOf = ({ summary }: PollResult, id: string): EnvironmentReport | undefined =>
  summary.environments.find(({ environment }) => environment.id === id);

/** A host of two environments with two finding types each. */
export const host = (changed: Partial<FakeTenant> = {}): FakeHost => new FakeHost(twoByTwo(changed));
