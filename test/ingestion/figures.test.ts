import { expect, it } from "@jest/globals";
import { outcomeOf } from "../../src/ingestion/report.ts";
import { host, made, S1 } from "./support/fake-host.ts";

it("The figures of a run count all streams that were not read, and name a thousand of them", async () => {
  const types = Array.from({ length: 1_500 }, (_, index) => `T${String(index).padStart(4, "0")}`);
  const soar = host({ environments: [S1], types: { "S-1": types }, findings: { "S-1 T0000": made(1, 1) } });
  const { json } = outcomeOf((await soar.poll({ limits: { maxAlerts: 1 } })).result);
  const { incomplete, streamsUnread } = json as { incomplete: unknown[]; streamsUnread: number };
  expect(streamsUnread).toBeGreaterThan(1_400);
  expect(incomplete).toHaveLength(1_000);
});
