import { expect, it } from "@jest/globals";
import { TestHost, type Poll } from "../support/host.ts";
import { builtPackage } from "../support/package.ts";
import { startTenant } from "../support/tenant.ts";

const FINDINGS = 32_000;
const BUDGET = { maxAlerts: 100, maxEventsPerAlert: 40 };
/** The first run delivers enough findings to tell whether a run keeps what it has delivered. */
const FIRST_BUDGET = { ...BUDGET, maxEventsPerAlert: 200 };
/** Less than the first run needs if it keeps the findings it has delivered. */
const environment = { NODE_OPTIONS: "--max-old-space-size=36" };

it("a backlog of 32,000 findings is finished run by run under a small budget and a small heap, every stream in its turn", async () => {
  const dataset = { environments: 4, findingTypes: 5, findingsPerPair: FINDINGS / 20 };
  const tenant = await startTenant({ dataset });
  const { plugin } = await builtPackage();
  const host = new TestHost(tenant, { plugin });
  const streamsOfRuns: Set<string>[] = [];
  let poll: Poll | null = null;
  while (poll?.status !== "completed" && streamsOfRuns.length < 10) {
    poll = await host.poll({ run: poll === null ? FIRST_BUDGET : BUDGET, environment });
    streamsOfRuns.push(new Set(poll.alerts.map((alert) => `${alert.environmentId} ${alert.findingType}`)));
    expect(poll.alerts.length).toBeLessThanOrEqual(BUDGET.maxAlerts);
    expect(poll.delivered).toBe(poll.events.length);
    if (host.stored.size < FINDINGS) {
      expect(poll.status).toBe("partial");
      expect(poll.message).toMatch(
        /^The host accepts no more alerts in this run\. The next run continues with UNIFORM-/,
      );
    }
    expect(JSON.stringify(host.state).length).toBeLessThan(64_000);
  }
  // A run whose last alert was the last one that the host took has not looked at the windows again: the next one does.
  expect([host.stored.size, host.stored.repeated, poll?.status]).toEqual([FINDINGS, [], "completed"]);
  expect(streamsOfRuns.filter((streams) => streams.size > 0)).toHaveLength(4);
  // Five alerts a stream and run would be an equal share; none waits longer than it takes to serve the others.
  expect(new Set(streamsOfRuns.slice(0, 3).flatMap((streams) => [...streams])).size).toBe(20);
}, 180_000);
