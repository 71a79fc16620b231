import { describe, expect, it } from "@jest/globals";
import type { StreamMemory } from "../../src/ingestion/state/state.ts";
import {
  NetworkError,
  NotFoundError,
  ProtocolError,
  ServerError,
  TimeoutError,
} from "../../src/service/errors/errors.ts";
import { instant } from "../support/streams.ts";
import { listedFindings } from "./support/listed-findings.ts";
import { collect, made, read } from "./support/reading.ts";

describe("a read of the whole history that fails", () => {
  const down = new ServerError("down", { whoActs: "service" });

  /** A list of which the service can only give windows. */
  function windowsOnly(error: unknown = down): ReturnType<typeof listedFindings> {
    const list = listedFindings([...made(1, 30, -800), ...made(100, 5, -1)]);
    list.beforeAnswer = () => {
      if (list.queries.at(-1)?.createdFrom === undefined) throw error;
    };
    return list;
  }

  async function known(list: ReturnType<typeof listedFindings>): Promise<StreamMemory> {
    const { beforeAnswer } = list;
    list.beforeAnswer = () => undefined;
    const { memory } = await collect(read(list, {}));
    list.beforeAnswer = beforeAnswer;
    return memory;
  }

  it.each([
    ["fails", down],
    ["contradicts itself", new ProtocolError("keeps changing", { whoActs: "service" })],
    ["takes too long", new TimeoutError("late", { whoActs: "service" })],
    ["loses its connection", new NetworkError("lost", { whoActs: "administrator", retryable: true })],
  ])("holds no new findings back while the whole list %s, and is owed", async (_, error) => {
    const list = windowsOnly(error);
    let memory = await known(list);
    for (let run = 1; run <= 3; run++) {
      list.findings.push(...made(200 + run, 1));
      const result = await collect(read(list, memory, { all: run === 1 }));
      expect([result.ids, result.error]).toEqual([[String(200 + run)], error]);
      expect(result.batches.some(({ complete }) => complete)).toBe(false);
      expect(result.memory.wholeHistory).toBe(true);
      memory = result.memory;
    }
    list.beforeAnswer = () => undefined;
    list.findings.splice(3, 0, { id: 900 });
    const healed = await collect(read(list, memory));
    expect([healed.ids, healed.error, healed.memory.wholeHistory]).toEqual([["900"], null, undefined]);
  });

  it("goes on at its place in the next run", async () => {
    const list = windowsOnly();
    const memory = await known(list);
    list.findings.splice(2, 0, { id: 900, created_at: instant(-800) });
    list.findings.push(...made(200, 1));
    list.beforeAnswer = (answered) => {
      if (list.queries.at(-1)?.createdFrom === undefined && answered === 2) throw down;
    };
    const first = await collect(read(list, memory, { all: true }));
    expect([first.ids, first.memory.unfinished?.skip]).toEqual([["900", "200"], 19]);
    list.beforeAnswer = () => undefined;
    const second = await collect(read(list, first.memory));
    expect([second.ids, second.error, second.memory.unfinished]).toEqual([[], null, undefined]);
  });

  it("is not followed by a window where the stream has none, or its finding type is denied", async () => {
    const list = windowsOnly();
    expect((await collect(read(list, {}))).error).toBe(down);
    const denied = windowsOnly(new NotFoundError("not found", { whoActs: "service", wrapped: true }));
    await collect(read(denied, await known(denied), { all: true }));
    expect([list.queries, denied.queries.slice(1)].map((queries) => queries.length)).toEqual([1, 1]);
  });

  it("is not followed by a window while the service cannot be reached", async () => {
    const list = windowsOnly(new NetworkError("refused", { whoActs: "administrator" }));
    await collect(read(list, await known(list), { all: true }));
    expect(list.queries.slice(1)).toHaveLength(1);
  });
});
