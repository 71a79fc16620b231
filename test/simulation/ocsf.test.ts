import { beforeAll, expect, test } from "@jest/globals";
import { findingLines } from "../../src/output/finding-lines.ts";
import { ocsfLine } from "../../src/output/ocsf.ts";
import type { Message } from "../../src/runtime/protocol.ts";
import { ocsfProblems } from "../support/ocsf/schema.ts";
import { generate } from "./generate/generate.ts";
import { type Plugin, realPlugin, warmUp } from "./plugin.ts";
import { simulate } from "./simulate.ts";

beforeAll(warmUp);

test("Every finding that the plugin delivers in generated scenarios is a valid OCSF event", async () => {
  let events = 0;
  const listening: Plugin = (run) =>
    realPlugin({
      ...run,
      onLine(line) {
        const message = JSON.parse(line) as Message;
        if (message.type === "alert") {
          const lines = findingLines(message.alert, "created", ocsfLine).trimEnd().split("\n");
          expect(lines).toHaveLength(message.alert.events.length);
          // Most findings of a scenario differ in their ids only.
          for (const event of lines.slice(0, 40)) expect(ocsfProblems(JSON.parse(event))).toEqual([]);
          events += lines.length;
        }
        return run.onLine(line);
      },
    });
  // A few scenarios whose services send the oddest findings, and an ordinary one.
  for (const number of [0, 3, 12, 18]) {
    const scenario = generate(20_270, number);
    await simulate({ ...scenario, polls: scenario.polls.slice(0, 4) }, listening);
  }
  expect(events).toBeGreaterThan(60);
});
