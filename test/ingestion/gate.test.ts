import { describe, expect, it } from "@jest/globals";
import { emptyCheckpoint, type Gate } from "../../src/ingestion/checkpoint.ts";
import type { PairState } from "../../src/ingestion/pair-progress.ts";
import { decideGate } from "../../src/ingestion/gate.ts";
import type { AttackPathService } from "../../src/service/attack-path-service.ts";
import { ForbiddenError, RateLimitedError } from "../../src/service/errors.ts";
import type { SparklinePoint } from "../../src/service/records/findings.ts";

const HISTORY = [{ id: 1, FindingCount: 4 }];

/** Decides for an environment whose types A and B have been read; returns the questions that were asked, too. */
async function decide(
  gate: Gate | undefined,
  answer: SparklinePoint[] | Error,
  types: [string, ...string[]] = ["A", "B"],
) {
  const questions: object[] = [];
  const service = {
    sparkline: (question: object) => {
      questions.push(question);
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
  } as unknown as AttackPathService["findings"];
  const checkpoint = emptyCheckpoint("https://tenant.test");
  const pair: PairState = { cursor: "2026-01-03T04:05:06.789Z", seen: "", listed: null, pass: null };
  checkpoint.pairs.set(
    "E",
    new Map([
      ["A", pair],
      ["B", { ...pair, cursor: null }],
    ]),
  );
  if (gate !== undefined) checkpoint.gates.set("E", gate);
  return { ...(await decideGate(service, checkpoint, "E", types)), questions };
}

async function learnt(): Promise<Gate> {
  return (await decide({ quietPolls: 1 }, HISTORY)).gate;
}

describe("the decision whether an environment is read", () => {
  it("reads without a question until two polls have passed", async () => {
    expect(await decide(undefined, HISTORY)).toEqual({ read: true, gate: { quietPolls: 0 }, questions: [] });
    expect(await decide({ quietPolls: 0 }, HISTORY)).toEqual({ read: true, gate: { quietPolls: 1 }, questions: [] });
  });

  it("learns the history from a day before the newest finding on, and reads once more", async () => {
    const { read, gate, questions } = await decide({ quietPolls: 1 }, HISTORY);
    expect(read).toBe(true);
    expect(questions).toEqual([{ environmentId: "E", findingType: "A", from: "2026-01-02T04:05:06Z" }]);
    expect([gate.quietPolls, gate.history]).toEqual([2, expect.stringMatching(/^\S{12}$/)]);
  });

  it("does not read while the history stays as it was", async () => {
    const gate = await learnt();
    expect(await decide(gate, HISTORY)).toMatchObject({ read: false, gate });
  });

  it("reads when the history has changed, and lets two polls pass again", async () => {
    expect(await decide(await learnt(), [...HISTORY, { id: 2 }])).toMatchObject({
      read: true,
      gate: { quietPolls: 0 },
    });
  });

  it.each([
    ["is empty", []],
    ["may not be read", new ForbiddenError("no", { whoActs: "administrator" })],
  ])("reads when the history %s", async (_, answer) => {
    expect((await decide(await learnt(), answer)).read).toBe(true);
  });

  it("reads when a finding type is offered that was never read, and when the one that was asked about is gone", async () => {
    expect(await decide(await learnt(), HISTORY, ["A", "B", "C"])).toMatchObject({
      read: true,
      gate: { quietPolls: 0 },
    });
    expect((await decide(await learnt(), HISTORY, ["B"])).read).toBe(true);
  });

  it("passes on what ends the run, and faults of the plugin itself", async () => {
    const gate = await learnt();
    await expect(decide(gate, new RateLimitedError("wait", { whoActs: "service" }, null))).rejects.toThrow("wait");
    await expect(decide(gate, new TypeError("fault"))).rejects.toThrow("fault");
  });
});
