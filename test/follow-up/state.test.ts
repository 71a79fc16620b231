import { expect, test } from "@jest/globals";
import { hashOf } from "../../src/follow-up/finding-key.ts";
import { loadState } from "../../src/follow-up/state/load-state.ts";
import { FollowUpMemory } from "../../src/follow-up/state/memory.ts";
import type { FollowUpState } from "../../src/follow-up/state/state.ts";
import { NO_VERDICTS } from "../../src/follow-up/proof/verdict.ts";
import { applyMergePatch } from "../../src/runtime/merge-patch.ts";
import type { Json } from "../../src/runtime/protocol.ts";

const TENANT = "https://tenant.test";
const fresh: FollowUpState = { version: 1, tenant: TENANT, environments: {}, alerts: {} };
const CLOCK = { service: 5, host: 5, time: 5 };
const END = { next: null, dialect: null, rate: { requestsPerSecond: null, refusedRate: null }, clock: CLOCK };

test("a state is used only when it is whole and about this tenant", () => {
  expect(loadState(null, TENANT)).toEqual({ kind: "loaded", state: fresh });
  expect(loadState(fresh as unknown as Json, TENANT).kind).toBe("loaded");
  expect(loadState({ ...fresh, version: 2 } as unknown as Json, TENANT)).toEqual({ kind: "newer", version: 2 });
  expect(loadState({ ...fresh, tenant: "https://other.test" } as unknown as Json, TENANT).kind).toBe("other_tenant");
  const damaged = [{}, [], { ...fresh, alerts: { a: { reopened: -1 } } }, { ...fresh, environments: { e: {} } }];
  expect(damaged.map((raw) => loadState(raw as unknown as Json, TENANT).kind)).toEqual([
    "loaded",
    "damaged",
    "damaged",
    "damaged",
  ]);
});

test("the patch of the first change replaces a state that cannot be used", () => {
  const damaged = { version: 0, alerts: { old: {} }, more: 1 };
  const memory = new FollowUpMemory(fresh, damaged);
  expect([memory.alert("alert-1"), memory.alert("alert-2")]).toEqual([{}, {}]);
  memory.setAlert("alert-1", { asked: "close" });
  memory.setAlert("alert-2", { gone: 1 });
  const once = applyMergePatch(damaged, memory.patchOf("alert-1"));
  expect(loadState(once, TENANT).kind).toBe("loaded");
  const twice = applyMergePatch(once, memory.patchOf("alert-2"));
  const { state } = memory.toState(END, new Map());
  expect({ ...(twice as object), clock: CLOCK }).toEqual(state);
});

test("a state that is too long forgets what vanished last, so that nothing is closed too early", () => {
  const group = (at: number) => ({
    firstAnalysis: at,
    absentSince: at,
    noticedAt: at,
    analyses: 1,
    findings: "abcdefghij".repeat(1_000),
  });
  const missing = [group(1), group(3), group(2)];
  const stream = { analysis: 1, readAt: 1, earliest: 1, counts: NO_VERDICTS, missing, alerts: "klmnopqrst" };
  const full = { ...fresh, environments: { E: { streams: { T: stream } } } };
  const memory = new FollowUpMemory(full, full as unknown as Json, 25_000);
  const { state, forgotten } = memory.toState(END, new Map([["E", new Set(["T"])]]));
  expect(JSON.stringify(state).length).toBeLessThanOrEqual(25_000);
  expect(state.environments["E"]?.streams["T"]?.missing.map(({ noticedAt: at }) => at)).toEqual([1, 2]);
  expect(forgotten).toBe(1_000);
  // What it forgot may have been hidden by now, as that of a new alert may be.
  expect(state.environments["E"]?.streams["T"]).not.toHaveProperty("alerts");
});

test("a state that is too long without anything missing forgets severities, then the findings of the largest environments", () => {
  const stream = { analysis: 1, readAt: 1, earliest: 1, counts: { active: 1 }, missing: [] };
  const types = (count: number) => Array.from({ length: count }, (_, at) => `T0Type${at}`);
  const environmentOf = (count: number) => ({
    zones: { ids: ["1"], since: 1 },
    streams: Object.fromEntries(types(count).map((type) => [type, stream])),
  });
  const alerts = { [hashOf("alert-1")]: { worst: 1 }, [hashOf("alert-2")]: { person: true, worst: 1 } } as const;
  const full = { ...fresh, alerts, environments: { A: environmentOf(5), B: environmentOf(300), C: environmentOf(5) } };
  const used = new Map(["A", "B", "C"].map((id) => [id, new Set(types(300))]));
  const fittedTo = (characters: number) => {
    const memory = new FollowUpMemory(full, full as unknown as Json, characters);
    for (const alertId of ["alert-1", "alert-2"]) memory.alert(alertId);
    return memory.toState(END, used);
  };
  const whole = JSON.stringify(fittedTo(Infinity).state).length;
  const { state, forgotten, forgottenEnvironments } = fittedTo(whole - 100);
  expect(JSON.stringify(state).length).toBeLessThanOrEqual(whole - 100);
  expect([forgotten, forgottenEnvironments]).toEqual([0, 1]);
  const { A, B, C } = full.environments;
  expect(state.environments).toEqual({ A, B: { ...B, streams: {} }, C });
  expect(state.alerts).toEqual({ [hashOf("alert-2")]: { person: true } });
  const slim = fittedTo(whole - 1);
  expect([slim.state.environments, slim.forgottenEnvironments]).toEqual([full.environments, 0]);
});

test("ids that a service makes up in each run, or that are very long, do not fill the state", () => {
  const memory = new FollowUpMemory(fresh, null);
  const exposures = [{ asset_group_tag: { id: "z".repeat(3_000_000) } }];
  for (let run = 0; run < 1_500; run++) memory.see([{ id: `E-${run}` }], run);
  memory.see([{ id: "E", exposures }], 2_000);
  expect(JSON.stringify(memory.toState(END, new Map([["E", new Set(["T"])]])).state).length).toBeLessThan(20_000);
});

test("an alert that the host leaves out is remembered for a month", () => {
  const known = { ...fresh, alerts: { abcdefghij: { person: true } } } as const;
  const after = (now: number, before: FollowUpState): FollowUpState =>
    new FollowUpMemory(before, before as unknown as Json).toState({ ...END, clock: { ...CLOCK, time: now } }, new Map())
      .state;
  const once = after(0, known);
  expect(once.alerts).toEqual({ abcdefghij: { person: true, unseenSince: 0 } });
  expect(after(31 * 86_400_000, once).alerts).toEqual({});
});

test("a state that is too long forgets alerts that the job has closed before anything that is missing", () => {
  const alerts = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, at) => [
      String(at).padStart(10, "_"),
      at % 2 === 0 ? ({ asked: "close", closed: true } as const) : ({ person: true } as const),
    ]),
  );
  const group = { firstAnalysis: 1, absentSince: 1, noticedAt: 1, analyses: 1, findings: "abcdefghij" };
  const stream = { analysis: 1, readAt: 1, earliest: 1, counts: NO_VERDICTS, missing: [group] };
  const full = { ...fresh, alerts, environments: { E: { streams: { T: stream } } } };
  const memory = new FollowUpMemory(full, full as unknown as Json, 30_000);
  const { state, forgotten } = memory.toState(END, new Map([["E", new Set(["T"])]]));
  const left = Object.values(state.alerts);
  expect(JSON.stringify(state).length).toBeLessThanOrEqual(30_000);
  expect(left.filter(({ person }) => person)).toHaveLength(500);
  expect(left.length).toBeGreaterThan(500);
  expect([forgotten, state.environments["E"]?.streams["T"]?.missing]).toEqual([0, [group]]);
});
