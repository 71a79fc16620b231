import { expect, it } from "@jest/globals";
import { shownRequest } from "../../../../sandbox/soar/runs/run-recorder.ts";
import type { JobRequest, Request } from "../../../../src/runtime/protocol.ts";

const finding = { id: "1", source: "A", target: "B", createdAt: 0 };

function requestWith(alerts: number, state: object): Request {
  const alert = { alertId: "1", environmentId: "E", findingType: "T", status: "open", findings: [finding] } as const;
  const given = {
    alerts: Array.from({ length: alerts }, () => alert),
    state,
    parameters: { "Token Key": "secret-key" },
  };
  return given as unknown as JobRequest;
}

it("leaves out many alerts and a large state, and keeps few and a small one", () => {
  const large = shownRequest(requestWith(1_000, { seen: "x".repeat(30_000) }), ["secret-key"]);
  expect(large).toEqual({
    alerts: "1,000 alerts, not shown here",
    state: "30,011 characters, not shown here",
    parameters: { "Token Key": "[redacted]" },
  });
  expect(shownRequest(requestWith(2, { seen: 1 }), [])).toMatchObject({
    alerts: [{ alertId: "1" }, { alertId: "1" }],
    state: { seen: 1 },
  });
});
