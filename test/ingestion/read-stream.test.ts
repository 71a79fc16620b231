import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { HOUR_MS } from "../../src/clock.ts";
import { hourText } from "../../src/ingestion/time.ts";
import { type Batch, READING, type ReadOptions } from "../../src/ingestion/read-stream.ts";
import { countIds, holdsId, storedBatch } from "../../src/ingestion/state/delivered-ids.ts";
import { checkOf } from "../../src/ingestion/state/id-text.ts";
import type { StreamMemory } from "../../src/ingestion/state/state.ts";
import { cursorOf, windowStart } from "../../src/ingestion/state/stream-memory.ts";
import { ProtocolError, ServerError } from "../../src/service/errors/errors.ts";
import { findingIdentity } from "../../src/service/resources/finding-identity.ts";
import type { Finding } from "../../src/service/resources/findings.records.ts";
import { instant, NOW, NOW_HOUR, timeAt } from "../support/streams.ts";
import { type ListedFindings, listedFindings } from "./support/listed-findings.ts";
import { collect, idsOf, made, read, reading } from "./support/reading.ts";

describe("reading a stream", () => {
  it("gives a first read everything in batches, the last one complete", async () => {
    const list = listedFindings(made(1, 25));
    const { batches, ids } = await collect(read(list, {}, { batchSize: 10 }));
    expect(batches.map(({ findings, complete, listed }) => [findings.length, complete, listed])).toEqual([
      [10, false, 10],
      [10, false, 20],
      [5, true, 25],
    ]);
    expect(ids).toEqual(idsOf(list.findings));
    expect(list.queries).toEqual([{ environmentId: "S-1", findingType: "T0Owns" }]);
  });

  it("ends with a complete batch even when nothing is new", async () => {
    const list = listedFindings(made(1, 3));
    const { memory } = await collect(read(list, {}));
    const { batches } = await collect(read(list, memory));
    expect(batches).toMatchObject([{ findings: [], complete: true, listed: 3, memory, memoryCut: null }]);
    expect((await collect(read(listedFindings([]), {}))).batches).toMatchObject([
      { complete: true, listed: 0, memory: {} },
    ]);
  });

  it("asks a later read for the window of a day before the newest finding, from its full hour", async () => {
    const list = listedFindings(made(1, 3, -0.5));
    const { memory } = await collect(read(list, {}));
    await collect(read(list, memory));
    expect(list.queries[1]?.createdFrom).toBe(hourText(NOW_HOUR - 1 - 24));
  });

  it("finds what becomes visible a day late, and findings that share the newest time", async () => {
    const list = listedFindings(made(1, 3));
    const { memory } = await collect(read(list, {}));
    list.findings = [...made(50, 1, -24), ...list.findings, ...made(60, 2)];
    expect((await collect(read(list, memory))).ids).toEqual(["50", "60", "61"]);
  });

  it("remembers the hours of findings for a day more than the window, and all older ones under one hour", async () => {
    const list = listedFindings([...made(1, 3, -700), ...made(5, 3, -60), ...made(10, 3, -40), ...made(20, 1, 0)]);
    const { memory } = await collect(read(list, {}));
    expect(Object.keys(memory.ids ?? {}).map((name) => Number(name) - NOW_HOUR)).toEqual([-49, -40, 0]);
    expect([1, 5, 10, 20].every((id) => holdsId(memory.ids ?? {}, id))).toBe(true);
  });

  it("says with each further page that it is read on, so that nobody waits in vain for a batch", async () => {
    const list = listedFindings(made(1, 25));
    const all = [];
    for await (const batch of reading(list, {})) all.push(batch === READING ? batch : batch.findings.length);
    expect(all).toEqual([READING, READING, 25]);
  });

  it("does not give deleted findings, nor remember them: one that comes back is new", async () => {
    const [kept, deleted] = made(1, 2) as [Finding, Finding];
    const list = listedFindings([kept, { ...deleted, deleted_at: instant(0) }]);
    const first = await collect(read(list, {}));
    list.findings = [kept, deleted];
    const second = await collect(read(list, first.memory));
    expect([first.ids, second.ids]).toEqual([["1"], ["2"]]);
  });

  it("gives findings without a usable time once, as long as a read of the whole history lists them", async () => {
    const undated: Finding[] = [
      { id: 1 },
      { id: 2, created_at: "0001-01-01T00:00:00Z" },
      { id: 3, created_at: "soon" },
    ];
    const list = listedFindings([...undated, ...made(10, 2)]);
    const first = await collect(read(list, {}));
    expect(first.ids).toEqual(["1", "2", "3", "10", "11"]);
    list.findings.unshift({ id: 4 });
    const second = await collect(read(list, first.memory));
    expect(second.ids).toEqual([]);
    const whole = await collect(read(list, second.memory, { all: true }));
    expect(whole.ids).toEqual(["4"]);
    expect((await collect(read(list, whole.memory, { all: true }))).ids).toEqual([]);
  });

  it("gives a finding that is dated in the future once, and does not let it move the window", async () => {
    const list = listedFindings([...made(1, 1, 0), ...made(2, 1, 2_000)]);
    const first = await collect(read(list, {}));
    expect([first.ids, cursorOf(first.memory)]).toEqual([["1", "2"], NOW_HOUR]);
    list.findings.splice(1, 0, ...made(3, 1, 0));
    const second = await collect(read(list, first.memory));
    expect([second.ids, windowStart(second.memory)]).toEqual([["3"], NOW_HOUR - 24]);
  });

  it("delivers nothing again from a service that passes over the window", async () => {
    const list = listedFindings([...made(1, 5, -500), ...made(10, 5)], { filters: false });
    const first = await collect(read(list, {}));
    const second = await collect(read(list, first.memory));
    expect([first.ids.length, second.ids]).toEqual([10, []]);
    list.findings.push(...made(20, 1));
    expect((await collect(read(list, second.memory))).ids).toEqual(["20"]);
  });
});

describe("a read that fails", () => {
  const failsAt = (answer: number) => (answered: number) => {
    if (answered === answer) throw new ServerError("down", { whoActs: "service" });
  };

  it("gives what was read before, so that it is not read again", async () => {
    const list = listedFindings(made(1, 30), { beforeAnswer: failsAt(2) });
    const first = await collect(read(list, {}));
    expect(first.error).toBeInstanceOf(ServerError);
    expect(first.batches).toMatchObject([{ complete: false, listed: 19 }]);
    list.beforeAnswer = () => undefined;
    const rest = await collect(read(list, first.memory));
    expect(rest.error).toBeNull();
    expect([...first.ids, ...rest.ids]).toEqual(idsOf(list.findings));
    expect(list.queries[1]).toMatchObject({ resume: { skip: 19, after: "19" } });
  });

  it("gives nothing when nothing new was read", async () => {
    const list = listedFindings(made(1, 3), { beforeAnswer: failsAt(0) });
    expect(await collect(read(list, {}))).toMatchObject({ batches: [], error: expect.any(ServerError) });
  });

  it("is not read from its start each time: a window that takes longer than a run comes to its end", async () => {
    const list = listedFindings(made(1, 35, -100));
    let { memory } = await collect(read(list, {}));
    list.findings.push(...made(50, 5, -99));
    list.beforeAnswer = failsAt(2);
    const ids: string[] = [];
    for (let run = 0; run < 3; run++) {
      const result = await collect(read(list, memory));
      ids.push(...result.ids);
      memory = result.memory;
    }
    expect([ids, memory.unfinished]).toEqual([idsOf(made(50, 5)), undefined]);
  });

  it.each([
    ["removed", (list: ListedFindings) => list.findings.splice(1, 1)],
    [
      "added",
      (list: ListedFindings, run: number) => list.findings.unshift({ id: 900 + run, created_at: instant(-900) }),
    ],
  ])("goes on in each run although an older finding was %s, and finds what it passed over", async (_, change) => {
    const list = listedFindings(made(1, 60, -800));
    list.beforeAnswer = failsAt(3);
    const expected = new Set<string>();
    const delivered: string[] = [];
    let memory: StreamMemory = {};
    for (let run = 0; run < 5; run++) {
      for (const id of idsOf(list.findings)) expected.add(id);
      const result = await collect(read(list, memory));
      expect(result.ids.length).toBeGreaterThanOrEqual(run < 3 ? 8 : 0);
      delivered.push(...result.ids);
      memory = result.memory;
      if (run < 4) change(list, run);
    }
    list.beforeAnswer = () => undefined;
    for (const id of idsOf(list.findings)) expected.add(id);
    delivered.push(...(await collect(read(list, memory))).ids);
    expect(delivered.sort()).toEqual([...expected].sort());
  });

  it("is begun again in the next run when it held one finding twice and another one not at all", async () => {
    const findings = made(1, 8, -800);
    const list = listedFindings(findings.toSpliced(5, 1, { id: 7, created_at: instant(-800) }), { pageSize: 5 });
    const first = await collect(read(list, {}));
    expect([String(first.error), first.ids.length]).toEqual([expect.stringContaining("8 records and holds 7"), 7]);
    list.findings = findings;
    const second = await collect(read(list, first.memory));
    expect([second.ids, second.error]).toEqual([["6"], null]);
  });

  it.each([
    ["begun again", "contradicts itself", new ProtocolError("nonsense", { whoActs: "service" }), 0],
    ["continued", "is broken off", new ProtocolError("broken off", { whoActs: "service", retryable: true }), 6],
  ])("is %s in the next run when the list %s behind the place", async (_, __, error, skip) => {
    const list = listedFindings(made(1, 6, -800));
    const place = {
      ids: storedBatch(0, [{ key: 1, check: checkOf(""), hour: NOW_HOUR - 800 }]),
      unfinished: { skip: 6, after: "6", again: 0 },
    };
    list.findings.splice(5, 1, { id: 90, created_at: instant(-800) });
    list.beforeAnswer = () => {
      throw error;
    };
    const { batches } = await collect(read(list, place));
    expect((batches.at(-1)?.memory ?? place).unfinished).toMatchObject({ skip });
  });

  it("is not complete when entries are no findings: the rest is given, and the window is read again", async () => {
    const list = listedFindings([...made(1, 2), {}, ...made(3, 2)]);
    const first = await collect(read(list, {}));
    expect(String(first.error)).toContain("entries that are not findings of the requested type and environment: 1");
    expect([first.ids, first.batches.some(({ complete }) => complete)]).toEqual([["1", "2", "3", "4"], false]);
    list.findings[2] = { id: 9, created_at: instant(-1) };
    const second = await collect(read(list, first.memory));
    expect([second.ids, second.error]).toEqual([["9"], null]);
  });

  it("is not complete when a list without a count gives one id to two findings", async () => {
    const two = [
      { id: 7, FromPrincipal: "A" },
      { id: 7, FromPrincipal: "B" },
    ].map((each) => ({ ...each, created_at: instant(-1) }));
    const list = listedFindings([...made(1, 2), ...two, ...made(8, 2)], { counts: false });
    const first = await collect(read(list, {}));
    expect(String(first.error)).toContain("entries that have the id of another entry: 1");
    expect([first.ids, first.batches.some(({ complete }) => complete)]).toEqual([["1", "2", "7", "8", "9"], false]);
    Object.assign(list.findings[3] ?? {}, { id: 10 });
    const second = await collect(read(list, first.memory));
    expect([second.ids, second.error]).toEqual([["10"], null]);
  });

  it("is complete when a list without a count has one finding twice", async () => {
    const list = listedFindings([...made(1, 3), ...made(3, 3)], { counts: false });
    const { ids, error } = await collect(read(list, {}));
    expect([ids, error]).toEqual([["1", "2", "3", "4", "5"], null]);
  });

  it("goes back before entries that are no findings when a run stopped behind them", async () => {
    const list = listedFindings([...made(1, 2, -800), {}, ...made(3, 3, -800)]);
    const batches = read(list, {}, { batchSize: 4 });
    const stopped = (await batches.next()).value as Batch;
    list.findings[2] = { id: 9, created_at: instant(-800) };
    const next = await collect(read(list, stopped.memory));
    expect([stopped.complete, next.ids, next.error]).toEqual([false, ["5", "9"], null]);
  });
});

describe("the memory after a batch", () => {
  const down = new ServerError("down", { whoActs: "service" });

  const id: fc.Arbitrary<Finding["id"]> = fc.oneof(fc.integer({ min: 1, max: 500 }), fc.uuid(), fc.constant(undefined));
  const finding: fc.Arbitrary<Finding> = fc
    .record({
      id,
      // Many findings share their time: those of one analysis do.
      created_at: fc.constantFrom(instant(-70), instant(-30), instant(-2), instant(-1), "0001-01-01T00:00:00Z"),
      PrincipalHash: fc.uuid(),
    })
    .map(({ id: given, ...rest }) => (given === undefined ? rest : { id: given, ...rest }));
  const history = fc
    .uniqueArray(finding, { selector: findingIdentity, maxLength: 40 })
    .map((findings) => findings.sort((a, b) => Date.parse(a.created_at ?? "") - Date.parse(b.created_at ?? "")));

  it("lets a new read give exactly the rest, wherever the one before was killed", async () => {
    await fc.assert(
      fc.asyncProperty(
        history,
        fc.integer({ min: 1, max: 12 }),
        fc.array(fc.record({ batchSize: fc.integer({ min: 1, max: 9 }), stored: fc.nat(3) }), {
          minLength: 1,
          maxLength: 6,
        }),
        async (findings, pageSize, runs) => {
          const list = listedFindings(findings, { pageSize });
          let memory: StreamMemory = {};
          const delivered: string[] = [];
          for (const { batchSize, stored } of runs) {
            let batches = 0;
            for await (const batch of read(list, memory, { batchSize })) {
              // The host is killed before it has stored this one.
              if (batches++ === stored) break;
              memory = JSON.parse(JSON.stringify(batch.memory)) as StreamMemory;
              delivered.push(...batch.findings.map((given) => given.id));
            }
          }
          const rest = await collect(read(list, memory, { all: true }));
          expect(rest.error).toBeNull();
          expect([...delivered, ...rest.ids].sort()).toEqual(idsOf(findings).sort());
        },
      ),
      { numRuns: 300 },
    );
  });

  it("misses and repeats nothing while findings are added and removed between reads", async () => {
    const change = fc.record({
      add: fc.integer({ min: 0, max: 6 }),
      hoursBack: fc.integer({ min: 0, max: 23 }),
      remove: fc.nat(5),
      all: fc.boolean(),
      fails: fc.boolean(),
    });
    const healthy = { add: 0, hoursBack: 0, remove: 0, all: true, fails: false };
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { maxLength: 8 }),
        fc.integer({ min: 2, max: 7 }),
        async (changes, pageSize) => {
          const list = listedFindings(made(1, 10, 0), { pageSize });
          let memory: StreamMemory = {};
          let next = 11;
          let now = NOW;
          const delivered: string[] = [];
          const expected = new Set(idsOf(list.findings));
          for (const { add, hoursBack, remove, all, fails } of [...changes, healthy]) {
            // Only whole lists fail, at any page.
            list.beforeAnswer = (answered) => {
              if (fails && answered >= remove && list.queries.at(-1)?.createdFrom === undefined) throw down;
            };
            const result = await collect(read(list, memory, { time: timeAt(now), batchSize: 4, all }));
            expect(result.error === null || fails).toBe(true);
            delivered.push(...result.ids);
            if (result.batches.length > 0) memory = result.memory;
            now += HOUR_MS;
            for (const gone of idsOf(list.findings.splice(remove, remove > 2 ? 1 : 0)))
              if (!delivered.includes(gone)) expected.delete(gone);
            const created_at = new Date(now - hoursBack * HOUR_MS).toISOString();
            const added = Array.from({ length: add }, () => ({ id: next++, created_at }));
            for (const given of idsOf(added)) expected.add(given);
            list.findings = [...list.findings, ...added].sort(
              (a, b) => Date.parse(a.created_at ?? "") - Date.parse(b.created_at ?? ""),
            );
          }
          expect(delivered.sort()).toEqual([...expected].sort());
        },
      ),
      { numRuns: 100 },
    );
  });

  it("looks again at what lies before the place where an earlier run stopped", async () => {
    const list = listedFindings(made(1, 4));
    const { value: stopped } = (await read(list, {}, { batchSize: 2 }).next()) as { value: Batch };
    // One finding is added before that place, and one deleted.
    list.findings = [...made(90, 1, -2), ...made(2, 3)];
    expect((await collect(read(list, stopped.memory))).ids).toEqual(["3", "4", "90"]);
  });

  it("looks again for what was late, when the place where an earlier run stopped is followed by two days", async () => {
    const at = (hours: number): Partial<ReadOptions> => ({ time: timeAt(NOW + hours * HOUR_MS) });
    const list = listedFindings([...made(1, 4, -48), ...made(10, 4, -47)]);
    const { memory } = await collect(read(list, {}, at(-46)));
    list.findings.push(...made(20, 3, -20));
    const stopping = read(list, memory, { batchSize: 2, ...at(-19) });
    const { value: stopped } = (await stopping.next()) as { value: Batch };
    // Late by 22 hours, before that place, where another one is gone.
    list.findings = [...made(2, 3, -48), ...made(10, 4, -47), ...made(90, 1, -40), ...made(20, 3, -20)];
    list.findings.push(...made(30, 3, 0));
    const { ids, memory: last } = await collect(read(list, stopped.memory));
    expect(ids.sort()).toEqual(["22", "30", "31", "32", "90"]);
    expect((await collect(read(list, last))).ids).toEqual([]);
  });

  it("looks again in a later run when it is killed before it could", async () => {
    const list = listedFindings(made(1, 4));
    const { value: stopped } = (await read(list, {}, { batchSize: 2 }).next()) as { value: Batch };
    list.findings = [...made(90, 1, -2), ...made(2, 3)];
    const resumed = read(list, stopped.memory);
    const { value: rest } = (await resumed.next()) as { value: Batch };
    await resumed.return(undefined);
    const later = { time: timeAt(NOW + 60 * HOUR_MS) };
    expect((await collect(read(list, rest.memory, later))).ids).toEqual(["90"]);
  });

  it("looks again as far back as a day before the read that stopped, however long ago that was", async () => {
    const list = listedFindings(made(1, 4));
    const { value: stopped } = (await read(list, {}, { batchSize: 2 }).next()) as { value: Batch };
    list.findings = [...made(90, 1, -20), ...made(2, 3), ...made(10, 1, 80)];
    const { ids } = await collect(read(list, stopped.memory, { time: timeAt(NOW + 80 * HOUR_MS) }));
    expect(ids).toEqual(["3", "4", "10", "90"]);
  });

  it("begins again behind a list that was empty when it was to go on", async () => {
    const list = listedFindings(made(1, 3, -800));
    const stopped = (await read(list, {}, { batchSize: 1 }).next()).value as Batch;
    const findings = list.findings.splice(0);
    const nothing = (await read(list, stopped.memory).next()).value as Batch;
    list.findings.push(...findings);
    const rest = await collect(read(list, nothing.memory));
    expect(rest.ids).toEqual(["2", "3"]);
  });

  it("notices that a list is in another order than when the read stopped, and reads all of it again", async () => {
    const list = listedFindings(made(1, 5, -800));
    const { value: stopped } = (await read(list, {}, { batchSize: 3 }).next()) as { value: Batch };
    const [a, b, c, d, e] = list.findings as [Finding, Finding, Finding, Finding, Finding];
    list.findings = [d, b, c, a, e];
    expect((await collect(read(list, stopped.memory))).ids).toEqual(["5", "4"]);
  });

  it("knows a finding that an analysis dates anew for as long as it is listed", async () => {
    const list = listedFindings(made(1, 2));
    let { memory } = await collect(read(list, {}));
    for (let hours = 12; hours <= 120; hours += 12) {
      list.findings = made(1, 2, hours);
      const again = await collect(read(list, memory, { time: timeAt(NOW + hours * HOUR_MS) }));
      expect(again.ids).toEqual([]);
      memory = again.memory;
    }
  });

  it("knows a finding that was dated anew although the run that saw it was cut", async () => {
    const list = listedFindings(made(1, 2, -60));
    const { memory } = await collect(read(list, {}, { time: timeAt(NOW - 59 * HOUR_MS) }));
    list.findings = [...made(2, 1, -60), ...made(1, 1, 0), ...made(10, 6, 0)];
    const { value: cut } = (await read(list, memory, { batchSize: 3 }).next()) as { value: Batch };
    expect((await collect(read(list, cut.memory))).ids).toEqual(["13", "14", "15"]);
  });

  it("covers the whole history when that is asked for while a window is still to be read again", async () => {
    const list = listedFindings([{ id: 9 }, ...made(1, 4)]);
    const pending = {
      ids: storedBatch(0, [{ key: 1, check: checkOf(""), hour: NOW_HOUR - 1 }]),
      unfinished: { from: NOW_HOUR - 25, skip: 0, after: "" },
    };
    const { ids, batches } = await collect(read(list, pending, { all: true }));
    expect([ids, batches.at(-1)?.complete]).toEqual([["9", "2", "3", "4"], true]);
  });

  it("holds the ids of each batch once", async () => {
    const { batches } = await collect(read(listedFindings(made(1, 25)), {}, { batchSize: 10 }));
    expect(batches.map(({ memory }) => countIds(memory.ids ?? {}, -Infinity))).toEqual([10, 20, 25]);
  });

  it("has the newest finding as its cursor, in whichever order they are listed", async () => {
    const list = listedFindings([...made(1, 2, -1), ...made(10, 2, -30), ...made(20, 2, -5)]);
    expect(cursorOf((await collect(read(list, {}))).memory)).toBe(NOW_HOUR - 1);
  });

  it("keeps its cursor when nothing is listed, although a finding that was dated in the future no longer is", async () => {
    const list = listedFindings(made(1, 1, 30));
    const { memory } = await collect(read(list, {}));
    const [future, late] = [list.findings, made(2, 1, 5)];
    list.findings = [];
    const empty = await collect(read(list, memory, { time: timeAt(NOW + 40 * HOUR_MS) }));
    list.findings = [...late, ...future];
    const next = await collect(read(list, empty.memory, { time: timeAt(NOW + 41 * HOUR_MS) }));
    expect(next.ids).toEqual(["2"]);
  });

  it("goes on behind the place where an earlier run stopped", async () => {
    const list = listedFindings(made(1, 30));
    const reading = read(list, {}, { batchSize: 10 });
    const first = (await reading.next()).value as Batch;
    await reading.return(undefined);
    expect(first.memory.unfinished).toEqual({ skip: 10, after: "10", again: NOW_HOUR - 25 });
    const rest = await collect(read(list, first.memory, { batchSize: 10 }));
    expect(list.queries[1]?.resume).toEqual({ skip: 10, after: "10" });
    expect(rest.ids).toEqual(idsOf(made(11, 20)));
    expect(rest.memory.unfinished).toBeUndefined();
  });
});
