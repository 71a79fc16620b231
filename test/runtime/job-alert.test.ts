import { expect, it } from "@jest/globals";
import { followedAlert } from "../../src/runtime/job-alert.ts";

const alert = { id: "a", environmentId: "E", findingType: "T0Owns" };

it.each([
  ["as severe as its worst finding, although that was accepted", ["moderate", "critical"], "low", "critical"],
  ["as severe as it was delivered where its events do not say it", [undefined, "severe"], "high", "high"],
  ["of unknown severity where all of its findings are", ["unknown", "unknown"], "low", "unknown"],
] as const)("an alert is %s", (_, severities, severity, worst) => {
  const events = severities.map((each, id) => ({
    ...{ finding_id: id, target_object_id: "T", start_time: 0 },
    ...(each !== undefined && { severity: each }),
  }));
  expect(followedAlert({ ...alert, severity, events }).severity).toBe(worst);
});
