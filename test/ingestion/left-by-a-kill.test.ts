import { expect, it } from "@jest/globals";
import { MINUTE_MS } from "../../src/clock.ts";
import { applyMergePatch } from "../../src/runtime/merge-patch.ts";
import type { Json } from "../../src/runtime/protocol.ts";
import { host, made, S1 } from "./support/fake-host.ts";

it("An environment is read after a run that was killed in the middle of it, although the analysis that ran then came to nothing", async () => {
  const soar = host({
    environments: [S1],
    types: { "S-1": ["A", "B"] },
    findings: { "S-1 A": made(1, 1), "S-1 B": made(11, 1) },
    analysis: { completedAt: "2030-01-31T09:00:00Z", idle: true },
  });
  await soar.quiet();
  soar.tenant.analysis = { completedAt: "2030-01-31T09:00:00Z", idle: false };
  soar.tenant.findings = { "S-1 A": made(1, 2), "S-1 B": made(11, 2) };
  const killed = soar.poll({
    deliver: (_, patch) => {
      soar.state = applyMergePatch(soar.state, JSON.parse(JSON.stringify(patch)) as Json);
      return Promise.reject(new Error("killed"));
    },
  });
  await expect(killed).rejects.toThrow("killed");
  soar.tenant.analysis = { completedAt: "2030-01-31T09:00:00Z", idle: true };
  soar.clock.advance(MINUTE_MS);
  expect((await soar.poll()).ids).toEqual(["12"]);
});
