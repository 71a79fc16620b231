import { randomBytes } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { Descriptions } from "../../src/ingestion/descriptions.ts";
import { OptionalRoutes } from "../../src/ingestion/optional-routes.ts";
import { HOUR_MS } from "../../src/clock.ts";
import type { StoredDescription } from "../../src/ingestion/state/state.ts";
import type { OptionalRequest } from "../../src/service/attack-path-service.ts";
import { RateLimitedError, ServerError } from "../../src/service/errors/errors.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { NOW } from "../support/streams.ts";

const DAY_MS = 24 * HOUR_MS;
const READ = {
  title: "title of T0Owns",
  short_description: "short_description of T0Owns",
  short_remediation: "short_remediation of T0Owns",
  long_remediation: "long_remediation of T0Owns",
};
const NONE = { title: "", short_description: "", short_remediation: "", long_remediation: "" };
const fault = new ServerError("down", { whoActs: "service" });

type Texts = (findingType: string, kind: string, options?: OptionalRequest) => Promise<string>;

/** Descriptions of a service that by default answers each text with its own name. */
function open(stored: Record<string, StoredDescription> = {}, texts?: Texts) {
  const clock = new FakeClock(NOW);
  const asked: string[] = [];
  const read: Texts = (findingType, kind, options) => {
    asked.push(kind);
    return texts?.(findingType, kind, options) ?? Promise.resolve(`${kind} of ${findingType}`);
  };
  const routes = new OptionalRoutes({}, { clock, patienceMs: 10_000 });
  return { descriptions: new Descriptions({ read }, stored, { clock, routes }), asked, clock };
}

/** What a run stores that loaded the description at this moment. */
async function storedAt(epochMs: number): Promise<Record<string, StoredDescription>> {
  const { descriptions } = open();
  await descriptions.of("T0Owns");
  const { packed } = descriptions.toStore("T0Owns") ?? { packed: "" };
  return { T0Owns: { readAt: epochMs / 1000, packed } };
}

describe("the description of a finding type", () => {
  it("is loaded once in a run, however many alerts need it", async () => {
    const { descriptions, asked } = open();
    expect(await Promise.all([descriptions.of("T0Owns"), descriptions.of("T0Owns")])).toEqual([READ, READ]);
    expect(asked).toHaveLength(4);
  });

  it.each([
    ["comes from the state within a day", NOW - DAY_MS + 1_000, 0],
    ["is loaded again after a day", NOW - DAY_MS, 4],
    ["is loaded again when the state's time lies ahead", NOW + HOUR_MS, 4],
  ])("%s", async (_, readAt, requests) => {
    const { descriptions, asked } = open(await storedAt(readAt));
    expect([await descriptions.of("T0Owns"), asked.length]).toEqual([READ, requests]);
  });

  it.each(["", "bm90IGJyb3RsaQ==", "not base64 at all \ud800", "CwWAW10D"])(
    "is loaded again when the state holds %j in its place",
    async (packed) => {
      const { descriptions, asked } = open({ T0Owns: { readAt: NOW / 1000, packed } });
      expect([await descriptions.of("T0Owns"), asked.length]).toEqual([READ, 4]);
    },
  );

  it("is given to the host with the first alert that has it, once", async () => {
    const { descriptions } = open();
    await descriptions.of("T0Owns");
    expect(descriptions.toStore("T0Owns")).toMatchObject({ readAt: NOW / 1000 });
    expect(descriptions.toStore("T0Owns")).toBeUndefined();
    expect(open(await storedAt(NOW)).descriptions.toStore("T0Owns")).toBeUndefined();
  });

  it("is without a text that cannot be loaded, which is a failure, and only that text is loaded in the next run", async () => {
    const { descriptions } = open({}, (type, kind) =>
      kind === "long_remediation" ? Promise.reject(fault) : Promise.resolve(`${kind} of ${type}`),
    );
    expect(await descriptions.of("T0Owns")).toEqual({ ...READ, long_remediation: "" });
    expect([...descriptions.failures.values()]).toEqual([{ findingType: "T0Owns", why: fault }]);
    const next = open(descriptions.bounded());
    expect([await next.descriptions.of("T0Owns"), next.asked]).toEqual([READ, ["long_remediation"]]);
  });

  it("that is not requested after the failure of another one in the run is missing for the same reason", async () => {
    const { descriptions, asked } = open({}, () => Promise.reject(fault));
    await descriptions.of("T0Owns");
    await descriptions.of("T0GenericAll");
    expect([...descriptions.failures.values()].map(({ why }) => why)).toEqual([fault, fault]);
    expect(asked).toHaveLength(4);
  });

  it("is that of an earlier day where it cannot be loaded, which is no failure", async () => {
    const { descriptions } = open(await storedAt(NOW - 2 * DAY_MS), () => Promise.reject(fault));
    expect([await descriptions.of("T0Owns"), descriptions.failures.size]).toEqual([READ, 0]);
  });

  it("of an earlier day stays stored when only a part of a new one arrives", async () => {
    const stored = await storedAt(NOW - 2 * DAY_MS);
    const { descriptions } = open(stored, (type, kind) =>
      kind === "title" ? Promise.resolve(`${kind} of ${type}`) : Promise.reject(fault),
    );
    expect(await descriptions.of("T0Owns")).toEqual(READ);
    expect([descriptions.toStore("T0Owns"), descriptions.bounded()]).toEqual([undefined, stored]);
  });

  it("keeps findings waiting no longer than the patience, and is cancelled then", async () => {
    const cancelled: string[] = [];
    const { descriptions, clock } = open({}, (_, kind, { signal, onSent } = {}) => {
      onSent?.();
      signal?.addEventListener("abort", () => cancelled.push(kind));
      return kind === "title" ? Promise.resolve("title of T0Owns") : new Promise(() => undefined);
    });
    const description = descriptions.of("T0Owns");
    await clock.drain();
    expect([await description, clock.now() - NOW]).toEqual([{ ...NONE, title: READ.title }, 10_000]);
    expect([...descriptions.failures.values()]).toEqual([{ findingType: "T0Owns", why: "late" }]);
    expect(cancelled).toEqual(["short_description", "short_remediation", "long_remediation"]);
  });

  it("never fails a run, not even by a rate limit", async () => {
    const limited = new RateLimitedError("wait", { whoActs: "service" });
    const { descriptions } = open({}, () => Promise.reject(limited));
    expect(await descriptions.of("T0Owns")).toEqual(NONE);
  });

  it("can be written as JSON, whatever the service sends", async () => {
    const { descriptions } = open({}, () => Promise.resolve("broken \ud800 text"));
    expect((await descriptions.of("__proto__")).title).toBe("broken \ufffd text");
    expect(descriptions.toStore("__proto__")).toBeDefined();
  });

  it("is not stored when it is too large to be", async () => {
    const text = randomBytes(40_000).toString("base64");
    const { descriptions } = open({}, () => Promise.resolve(text));
    expect((await descriptions.of("T0Owns")).title).toBe(text);
    expect([descriptions.toStore("T0Owns"), descriptions.bounded()]).toEqual([undefined, {}]);
  });
});

describe("the descriptions in the state", () => {
  it("take a bounded part of it, the newest first, and a large one does not push out the others", () => {
    const stored: Record<string, StoredDescription> = { huge: { readAt: 99, packed: "x".repeat(30_000) } };
    for (let age = 0; age < 30; age++) stored[`T${age}`] = { readAt: 98 - age, packed: "x".repeat(1_000) };
    const kept = open(stored).descriptions.bounded();
    expect(Object.keys(kept)).toEqual(Array.from({ length: 23 }, (_, age) => `T${age}`));
  });

  it("grow by no more than that in one run, the names of finding types included", async () => {
    const { descriptions } = open();
    let characters = 0;
    for (let number = 0; number < 100; number++) {
      const findingType = `T${number}`.padEnd(950, "x");
      await descriptions.of(findingType);
      if (descriptions.toStore(findingType) !== undefined) characters += findingType.length;
    }
    expect(characters).toBeGreaterThan(10_000);
    expect(characters).toBeLessThan(24_000);
  });

  it("grow by no more than that in one run, however many are loaded", async () => {
    const { descriptions } = open({}, () => Promise.resolve(randomBytes(750).toString("base64")));
    let characters = 0;
    for (let type = 0; type < 30; type++) {
      await descriptions.of(`T${type}`);
      characters += descriptions.toStore(`T${type}`)?.packed.length ?? 0;
    }
    expect(characters).toBeLessThanOrEqual(24_000);
    expect(characters).toBeGreaterThan(18_000);
  });
});
