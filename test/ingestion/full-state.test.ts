import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { Batch } from "../../src/ingestion/read-stream.ts";
import { holdsId } from "../../src/ingestion/state/delivered-ids.ts";
import { identityKeyOf } from "../../src/ingestion/state/id-text.ts";
import { checksOf } from "../../src/ingestion/state/memory-table.ts";
import { forgottenBefore, windowStart } from "../../src/ingestion/state/stream-memory.ts";
import { ServerError } from "../../src/service/errors/errors.ts";
import { instant, NOW_HOUR } from "../support/streams.ts";
import { listedFindings } from "./support/listed-findings.ts";
import { collect, made, read, roomOf } from "./support/reading.ts";

describe("a state that is full", () => {
  it("forgets the oldest ids first", async () => {
    const list = listedFindings([...made(1, 5, -20), ...made(100, 5, -1)]);
    for (const finding of list.findings) finding.id = `text ${String(finding.id)}`;
    const { memory } = await collect(read(list, {}, { room: () => roomOf(100) }));
    expect(holdsId(memory.ids ?? {}, identityKeyOf("text 100", ""))).toBe(true);
    expect(holdsId(memory.ids ?? {}, identityKeyOf("text 1", ""))).toBe(false);
  });

  it("is not what the checks of a long first read lead to: they keep to their room, however many batches there are", async () => {
    const list = listedFindings(Array.from({ length: 40 }, (_, batch) => made(1 + 10 * batch, 10, -1)).flat());
    const { batches } = await collect(read(list, {}, { batchSize: 10, room: () => roomOf(Infinity, 60) }));
    // Each batch has four checks of three characters in any case.
    expect(Math.max(...batches.map(({ memory }) => checksOf(memory)))).toBeLessThan(60 + 40 * 12);
  });

  it("shortens the window rather than forgetting ids that would be delivered again", async () => {
    const list = listedFindings([...made(1, 5, -20), ...made(10, 5, -10), ...made(100, 5, -1)]);
    for (const finding of list.findings) finding.id = `text ${String(finding.id)}`;
    const first = await collect(read(list, {}, { room: () => roomOf(200) }));
    expect(first.batches.at(-1)?.memoryCut).toBe("window");
    expect(windowStart(first.memory)).toBeGreaterThan(NOW_HOUR - 20);
    const second = await collect(read(list, first.memory, { room: () => roomOf(200) }));
    expect(second.ids).toEqual([]);
  });

  it("stays shortened when the read goes on, finds nothing new and fails", async () => {
    const list = listedFindings([...made(1, 5, -20), ...made(10, 5, -10), ...made(100, 10, -1)]);
    for (const finding of list.findings) finding.id = `text ${String(finding.id)}`;
    for (const finding of list.findings.slice(10)) finding.deleted_at = instant(0);
    list.beforeAnswer = (answered) => {
      if (answered === 2) throw new ServerError("down", { whoActs: "service" });
    };
    const first = await collect(read(list, {}, { room: () => roomOf(100), batchSize: 10 }));
    expect(first.batches.map(({ findings, memoryCut }) => [findings.length, memoryCut])).toEqual([
      [10, "window"],
      [0, null],
    ]);
    // Something came before the place: the window is read from its start.
    list.findings.unshift(...made(200, 1, -30));
    list.beforeAnswer = () => undefined;
    expect((await collect(read(list, first.memory))).ids).toEqual([]);
  });

  it("repeats nothing that needed no room when it must forget findings without a usable time", async () => {
    const list = listedFindings([{ id: "text 1" }, ...made(10, 5, -90), ...made(100, 5, -1)]);
    const first = await collect(read(list, {}, { room: () => roomOf(20) }));
    expect(first.batches.at(-1)?.memoryCut).toBe("ids");
    expect((await collect(read(list, first.memory, { all: true }))).ids).toEqual(["text 1"]);
  });

  it("says so when it must forget ids of the hour in which findings are still to come", async () => {
    const list = listedFindings(made(1, 50, 0));
    for (const finding of list.findings) finding.id = `text ${String(finding.id)}`;
    const { batches } = await collect(read(list, {}, { room: () => roomOf(100) }));
    expect(batches.at(-1)?.memoryCut).toBe("ids");
  });

  it("does not take a window for read up to a finding that is dated in the future", async () => {
    const list = listedFindings([...made(1, 5, -20), ...made(10, 5, 30), ...made(100, 5, 40)]);
    for (const finding of list.findings) finding.id = `text ${String(finding.id)}`;
    const { batches } = await collect(read(list, {}, { room: () => roomOf(50), batchSize: 5 }));
    for (const { memory } of batches) expect(forgottenBefore(memory)).toBeLessThanOrEqual(NOW_HOUR);
  });

  it("loses nothing of a list without an order that is left half-read", async () => {
    const list = listedFindings([...made(10, 2, -10), ...made(100, 2, -1), ...made(1, 5, -20)], { inOrder: false });
    for (const finding of list.findings) finding.id = `text ${String(finding.id)}`;
    const batches: Batch[] = [];
    for await (const batch of read(list, {}, { room: () => roomOf(50), batchSize: 2 }))
      if (batches.push(batch) === 2) break;
    expect(batches.at(-1)?.memoryCut).toBe("ids");
    const { ids } = await collect(read(list, batches.at(-1)?.memory ?? {}, { room: () => roomOf(50) }));
    expect(ids).toEqual(expect.arrayContaining([1, 2, 3, 4, 5].map((number) => `text ${number}`)));
  });

  it("never takes more room than there is, and repeats nothing as long as only the window was cut", async () => {
    const hours = fc.array(fc.integer({ min: -47, max: 0 }), { minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(
        hours,
        fc.integer({ min: 0, max: 900 }),
        fc.integer({ min: 1, max: 10 }),
        async (created, room, batchSize) => {
          const findings = [...created]
            .sort((a, b) => a - b)
            .map((hour, i) => ({ id: `text ${i}`, created_at: instant(hour) }));
          const list = listedFindings(findings);
          const first = await collect(read(list, {}, { room: () => roomOf(room), batchSize }));
          for (const { memory } of first.batches)
            expect(JSON.stringify(memory.ids ?? {}).length).toBeLessThanOrEqual(room + 2);
          expect(new Set(first.ids).size).toBe(findings.length);
          const cuts = first.batches.map(({ memoryCut }) => memoryCut);
          if (cuts.includes("ids")) return;
          const second = await collect(read(list, first.memory, { room: () => roomOf(room), batchSize }));
          expect(second.ids).toEqual([]);
        },
      ),
      { numRuns: 200 },
    );
  });
});
