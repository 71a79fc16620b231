import { describe, expect, it } from "@jest/globals";
import { pathInsight } from "../../../src/investigation/paths/path-wall.ts";
import { findNearestTierZero } from "../../../src/investigation/tier-zero/nearest-tier-zero.ts";
import { tierZeroEnds } from "../../../src/investigation/tier-zero/tier-zero-ends.ts";
import { silent } from "../../../src/logger.ts";
import type { Json } from "../../../src/runtime/protocol.ts";
import type { AttackPathService } from "../../../src/service/attack-path-service.ts";
import { DeadlineError, RateLimitedError, type ServiceError } from "../../../src/service/errors/errors.ts";
import { directory, fakeService, graphOf, object } from "../../support/fake-service.ts";

const sid = "S-1-5-21-1-2-3";
const other = "S-1-5-21-4-5-6";
const legacy = "S-1-5-21-7-8-9";
const tenant = "11111111-2222-4333-8444-555555555555";
const environments = [
  { id: other, name: "B.TEST", collected: true },
  { id: sid, name: "A.B.TEST", collected: true },
  { id: tenant, name: "A CLOUD", collected: true },
  { id: legacy, name: "LEGACY.TEST", collected: false },
];

describe("the ends that are tried", () => {
  const ids = (start: { objectId: string; name?: string; type?: string }): string[] =>
    tierZeroEnds(environments, [{ name: null, type: null, ...start }]).map(({ objectId }) => objectId);

  it("begin with Domain Admins of the start's domain, then the rest of that domain, then one of each other environment, collected ones first", () => {
    const ends = ids({ objectId: `${sid}-1104` });
    expect(ends[0]).toBe(`${sid}-512`);
    expect(ends.slice(0, 8).every((id) => id.startsWith(sid) || id === "A.B.TEST-S-1-5-32-544")).toBe(true);
    expect(ends.slice(8)).toEqual([`${other}-512`, tenant, `${legacy}-512`]);
  });

  it("are those of each environment, also of two whose ids only capitals make the same", () => {
    const both = ["strasse", "straße"].map((id) => ({ id, name: id, collected: true }));
    const ends = tierZeroEnds(both, [{ objectId: "straße-1", name: null, type: null }]).map(({ objectId }) => objectId);
    expect(ends).toHaveLength(4 + 1);
    expect([ends[0], ends.at(-1)]).toEqual(["straße", "strasse"]);
  });

  it("find the domain of a start without its id in the name", () => {
    expect(ids({ objectId: "5C1D8F8E-7C0B-4E7E-9E2A-4B8C4C1F0A11", name: "POLICY@A.B.TEST" })[0]).toBe(`${sid}-512`);
    expect(ids({ objectId: "X", name: "ALICE@UNKNOWN.TEST", type: "AZUser" })[0]).toBe(tenant);
    // Accounts of the cloud bear the name of the domain that they are synchronised with.
    expect(ids({ objectId: "X", name: "ALICE@A.B.TEST", type: "AZUser" }).slice(0, 2)).toEqual([
      tenant,
      expect.stringMatching(`^62E90394-.*@${tenant}$`),
    ]);
    expect(ids({ objectId: "X" })).toHaveLength(8 + 8 + 4 + 1);
  });

  it.each([
    ["is not collected", "S-1-5-21-7-8-9", "BOB@LEGACY.TEST", "User", "LEGACY.TEST-S-1-5-32-544"],
    ["is not listed", "S-1-5-21-9-9-9", "BOB@HIDDEN.TEST", "User", "HIDDEN.TEST-S-1-5-32-544"],
    ["is not listed, of a computer", "S-1-5-21-9-9-9", "SRV01.HIDDEN.TEST", "Computer", "HIDDEN.TEST-S-1-5-32-544"],
  ])("are those of the start's domain, also when it %s", (_, domain, name, type, administrators) => {
    const ends = ids({ objectId: `${domain}-1104`, name, type });
    expect(ends.slice(0, 3)).toEqual([`${domain}-512`, domain, administrators]);
    expect(ends.slice(3, 8).every((id) => id.startsWith(domain))).toBe(true);
  });

  it("leave out what takes the name of a domain that is not known", () => {
    const ends = ids({ objectId: "S-1-5-21-9-9-9-1104" });
    expect(ends.filter((id) => id.includes("9-9-9"))).toHaveLength(7);
    expect(ends.filter((id) => id.endsWith("-544"))).toEqual([]);
  });
});

/** A service where the user is two hops from Domain Admins, and each path that is asked for may fail. */
function service(fails: (end: string) => boolean = () => false) {
  const asked: string[] = [];
  const objects = directory([
    object(`${sid}-1104`, "ALICE@A.B.TEST"),
    { ...object(`${sid}-512`, "DOMAIN ADMINS@A.B.TEST", "Group"), system_tags: "admin_tier_0" },
    { ...object(`${sid}-516`, "DOMAIN CONTROLLERS@A.B.TEST", "Group"), system_tags: "admin_tier_0" },
    { ...object(`${sid}-518`, "SCHEMA ADMINS@A.B.TEST", "Group"), system_tags: "" },
  ]);
  const shortest = (start: string, end: string) => {
    asked.push(end);
    if (fails(end)) return Promise.reject(new DeadlineError("the time is over", { whoActs: "service" }));
    return Promise.resolve(end === `${sid}-512` ? graphOf(`${start}>G`, `G>${end}`) : null);
  };
  const list = () => Promise.resolve({ environments: environments.slice(0, 2), unreadable: 0 });
  return {
    asked,
    objects,
    service: fakeService({ objects, paths: { shortest }, environments: { list }, requestsSent: 0 }),
  };
}
const alice = { values: ["alice"], selected: false };

describe("findNearestTierZero", () => {
  it("leaves out ends that do not exist, but never Domain Admins, nor ends that the search gives no Tier Zero tag", async () => {
    const { json } = await findNearestTierZero(service().service, alice, null, silent);
    expect(json.nearTierZero?.tried.map(({ objectId }) => objectId)).toEqual([
      `${sid}-512`,
      `${sid}-516`,
      `${sid}-518`,
      `${other}-512`,
    ]);
    expect(json.paths.map(({ exists }) => exists)).toEqual([true, false, false, null]);
    expect(json.paths[3]?.error).toContain(`The Tier Zero object "${other}-512" was not found.`);
    expect(json).toMatchObject({ exists: true, nearTierZero: { hops: 2, priority: "critical" } });
  });

  it("answers for the other starts when names with thousands of hits use up what may be spent on looking up", async () => {
    const { objects } = service();
    const many = ["LI", "ANN", "JAN"].flatMap((short) =>
      Array.from({ length: 10_500 }, (_, index) => object(`${short}-${index}`, `${short}NE${index}@A.B.TEST`)),
    );
    const [large, shortest] = [directory(many, { pageLimit: 250 }), () => Promise.resolve(null)];
    const search: typeof large.search = (query) =>
      query.text.length < 4 ? large.search(query) : objects.search(query);
    const list = () => Promise.resolve({ environments: environments.slice(1, 2), unreadable: 0 });
    const one = fakeService({ objects: { search }, paths: { shortest }, environments: { list }, requestsSent: 0 });
    const values = ["alice", "li", "ann", "jan"];
    const { json } = await findNearestTierZero(one, { values, selected: true }, null, silent);
    const { starts = [] } = json.nearTierZero ?? {};
    expect(starts.map(({ exists }) => exists)).toEqual([false, null, null, null]);
    expect(starts.some(({ error }) => error?.includes("enter object ids in place of names"))).toBe(true);
  });

  it("takes no environment of a custom kind for Tier Zero, and does not know how near a start is that is in none other", async () => {
    const objects = directory([object("GH-1", "JDOE@ACME"), object("ACME-GH", "ACME", "GH_Organization")]);
    const shortest = (start: string, end: string) =>
      Promise.resolve(end === "ACME-GH" ? graphOf(`${start}>${end}:GH_Member`) : null);
    const custom = { id: "ACME-GH", name: "ACME", type: "github", collected: true };
    const list = () => Promise.resolve({ environments: [...environments, custom], unreadable: 0 });
    const one = fakeService({ objects, paths: { shortest }, environments: { list }, requestsSent: 0 });
    const { json } = await findNearestTierZero(one, { values: ["jdoe"], selected: false }, null, silent);
    expect(json.nearTierZero?.tried.map(({ objectId }) => objectId)).not.toContain("ACME-GH");
    expect(json).toMatchObject({ exists: null, nearTierZero: { hops: null } });
  });

  it("finds the path to the domain of a service that keeps its tags elsewhere", async () => {
    const objects = directory([
      object(`${sid}-1104`, "ALICE@A.B.TEST"),
      { ...object(sid, "A.B.TEST", "Domain"), system_tags: "" },
    ]);
    const shortest = (start: string, end: string) =>
      Promise.resolve(end === sid ? graphOf(`${start}>${end}:DCSync`) : null);
    const list = () => Promise.resolve({ environments: environments.slice(1, 2), unreadable: 0 });
    const one = fakeService({ objects, paths: { shortest }, environments: { list }, requestsSent: 0 });
    const { json } = await findNearestTierZero(one, alice, null, silent);
    expect(json).toMatchObject({ exists: true, nearTierZero: { hops: 1, starts: [{ object: { objectId: sid } }] } });
  });

  describe("on a service whose graph marks nothing as Tier Zero", () => {
    const untagged = (start: string) => {
      const objects = directory([
        object(`${sid}-1104`, "ALICE@A.B.TEST"),
        object(`${sid}-512`, "DOMAIN ADMINS@A.B.TEST", "Group"),
        object(sid, "A.B.TEST", "Domain"),
        { ...object(`${sid}-1105`, "ADMIN@A.B.TEST"), system_tags: "admin_tier_0" },
      ]);
      const shortest = (from: string, end: string) => Promise.resolve(graphOf(`${from}>${end}`));
      const list = () => Promise.resolve({ environments: environments.slice(1, 2), unreadable: 0 });
      const one = fakeService({ objects, paths: { shortest }, environments: { list }, requestsSent: 0 });
      return findNearestTierZero(one, { values: [start], selected: false }, null, silent);
    };

    it.each(["ALICE@A.B.TEST", `${sid}-1104`])(
      "says that a path from %s to a tried end leads into it",
      async (start) => {
        const { json } = await untagged(start);
        expect(json.paths.map(({ tierZero }) => tierZero)).toEqual([[`${sid}-512`], [sid]]);
        expect(pathInsight(json.paths).insight?.text).toMatch(/^2 attack paths lead into Tier Zero: /);
      },
    );

    it.each([
      ["a tried end", `${sid}-512`],
      ["an object that the search marks", `${sid}-1105`],
    ])("does not say so of a path from %s", async (_, start) => {
      const { json } = await untagged(start);
      expect(json.paths[0]).toMatchObject({ exists: true, tierZero: [start, expect.any(String)] });
      expect(pathInsight(json.paths)).toEqual({});
    });
  });

  describe("with domains that are not collected or not listed", () => {
    const hidden = "S-1-5-21-9-9-9";
    const policy = "5C1D8F8E-7C0B-4E7E-9E2A-4B8C4C1F0A11";
    const child = "6D2E9F9F-8D1C-4F8F-8F3B-5C9D5D2F1B22";
    /** The service has Domain Admins of these domains, and a path to those of one of them. */
    async function answer(starts: string[], domains: string[], reached?: string) {
      const objects = directory([
        object(`${sid}-1104`, "ALICE@A.B.TEST"),
        object(`${legacy}-1104`, "BOB@LEGACY.TEST"),
        object(`${hidden}-1104`, "CARL@HIDDEN.TEST"),
        object(policy, "POLICY@HIDDEN.TEST", "GPO"),
        object(child, "POLICY@SALES.A.B.TEST", "GPO"),
        ...domains.map((id) => object(`${id}-512`, `DOMAIN ADMINS OF ${id}`, "Group")),
      ]);
      const shortest = (start: string, end: string) =>
        Promise.resolve(end === `${reached}-512` ? graphOf(`${start}>${end}`) : null);
      const listed = environments.filter(({ id }) => id === sid || id === legacy);
      const list = () => Promise.resolve({ environments: listed, unreadable: 0 });
      const one = fakeService({ objects, paths: { shortest }, environments: { list }, requestsSent: 0 });
      const { json } = await findNearestTierZero(one, { values: starts, selected: false }, null, silent);
      return json;
    }

    it.each([
      ["the start's own, not collected", `${legacy}-1104`, legacy],
      ["the start's own, not listed", `${hidden}-1104`, hidden],
      ["another one, not collected", `${sid}-1104`, legacy],
    ])("finds the path to Domain Admins of %s", async (_, start, domain) => {
      expect(await answer([start], [sid, domain], domain)).toMatchObject({ exists: true, nearTierZero: { hops: 1 } });
    });

    it("takes no domain for the start's own whose name is the end of that of its own, which is not listed", async () => {
      const { exists, nearTierZero } = await answer([child], [sid], hidden);
      expect(exists).toBeNull();
      expect(nearTierZero?.starts[0]?.error).toContain("lists neither its domain");
    });

    it.each([`${legacy}-1104`, `${hidden}-1104`])(
      "does not say no path from %s before its own were found",
      async (start) => {
        const { exists, nearTierZero } = await answer([start], [sid]);
        expect(exists).toBeNull();
        expect(nearTierZero?.starts[0]?.error).toMatch(/Tier Zero object "S-.*-512" was not found/);
      },
    );

    it("says no path when another domain that is not collected has no Domain Admins", async () => {
      expect(await answer([`${sid}-1104`], [sid])).toMatchObject({ exists: false });
    });

    it("does not know it of a start whose domain is not known, and knows it of others", async () => {
      const { exists, nearTierZero } = await answer([policy, `${sid}-1104`], [sid]);
      expect(exists).toBeNull();
      expect(nearTierZero?.starts).toMatchObject([
        { exists: null, error: expect.stringContaining("lists neither its domain nor its tenant") },
        { exists: false },
      ]);
    });
  });

  describe("when no path leads from any start", () => {
    /** Asks about so many users of the first of so many domains, all of which have all their well-known objects. */
    async function answer(starts: number, domains: number, unreadable = 0, areNamed = true) {
      const listed = Array.from({ length: domains }, (_, index) => ({
        id: `S-1-5-21-1-2-${index}`,
        ...(areNamed && { name: `D${index}.TEST` }),
      }));
      const users = Array.from({ length: starts }, (_, index) =>
        object(`S-1-5-21-1-2-0-2${index}`, `U${index}@D0.TEST`),
      );
      const known = listed.flatMap(({ id, name = "" }) =>
        [
          `${id}-512`,
          id,
          `${name}-S-1-5-32-544`,
          ...["516", "519", "518", "526", "527"].map((rid) => `${id}-${rid}`),
        ].map((objectid) => ({ ...object(objectid, `OF ${objectid}`, "Group"), system_tags: "admin_tier_0" })),
      );
      const one = fakeService({
        objects: directory([...users, ...known]),
        paths: { shortest: () => Promise.resolve(null) },
        environments: { list: () => Promise.resolve({ environments: listed, unreadable }) },
        requestsSent: 0,
      });
      const asked = { values: users.flatMap(({ objectid }) => objectid), selected: false };
      const { json } = await findNearestTierZero(one, asked, null, silent);
      return json;
    }

    it("says so for as many starts as may be asked about, in one domain", async () => {
      expect(await answer(12, 1)).toMatchObject({ exists: false, nearTierZero: { priority: "none" } });
    });

    it.each([
      [12, 2],
      [1, 80],
    ])("does not know it of %d starts in %d domains, because not every object was tried", async (starts, domains) => {
      const { exists, summary, nearTierZero } = await answer(starts, domains);
      expect({ exists, verdict: summary.verdict }).toEqual({ exists: null, verdict: "unknown" });
      const error = expect.stringMatching(
        /at most 120 requests, so it was not asked about \d+ more objects? of Tier Zero/,
      );
      expect(nearTierZero?.starts[0]).toMatchObject({ exists: null, error });
    });

    it("does not know it when an environment is listed without its id", async () => {
      const { exists, nearTierZero } = await answer(1, 1, 1);
      expect(exists).toBeNull();
      expect(nearTierZero?.starts[0]?.error).toContain("1 environment without a usable id");
    });

    it("does not know it when the domain is listed without its name, and with it the id of Administrators", async () => {
      const { exists, nearTierZero } = await answer(1, 1, 0, false);
      expect(exists).toBeNull();
      expect(nearTierZero?.starts[0]?.error).toContain("The name of S-1-5-21-1-2-0 is not known");
    });
  });

  it.each<[string, ServiceError]>([
    ["the service refuses more", new RateLimitedError("too many requests", { whoActs: "service", status: 429 })],
    ["the time is over", new DeadlineError("the time is over", { whoActs: "service" })],
  ])("says no path in the next run when not every end could be looked up in the first, because %s", async (_, late) => {
    const tenantThatAnswers = (most: number) => {
      let left = most;
      const answer = <T>(value: () => T): Promise<Awaited<T>> =>
        left-- > 0 ? Promise.resolve(value()) : Promise.reject(late);
      // A domain that is not the first of its forest has no Enterprise Admins.
      const objects = directory(
        ["1104", "512", "516"].map((rid) => ({ ...object(`${sid}-${rid}`, `NAME OF ${rid}`), system_tags: "" })),
      );
      return fakeService({
        objects: { search: (query) => answer(() => objects.search(query)) },
        paths: { shortest: () => answer(() => null) },
        environments: { list: () => answer(() => ({ environments: environments.slice(1, 2), unreadable: 0 })) },
        requestsSent: 0,
      });
    };
    const starts = { values: [`${sid}-1104`], selected: false };
    const first = await findNearestTierZero(tenantThatAnswers(6), starts, null, silent);
    expect([first.json.exists, first.state]).toEqual([null, expect.anything()]);
    const state = JSON.parse(JSON.stringify(first.state)) as Json;
    const last = await findNearestTierZero(tenantThatAnswers(100), starts, state, silent);
    expect([last.json.exists, last.state]).toEqual([false, null]);
  });

  it("continues where the run before had no time left, and asks nothing again", async () => {
    const first = service((end) => end.endsWith("-516"));
    const run = await findNearestTierZero(first.service, alice, null, silent);
    expect(run.remaining).toBeGreaterThan(0);
    const second = service();
    const { json, remaining, state } = await findNearestTierZero(second.service, alice, run.state, silent);
    expect([remaining, state]).toEqual([0, null]);
    expect(second.asked).not.toContain(`${sid}-512`);
    expect(second.objects.asked).toBeLessThanOrEqual(1);
    expect(json.paths).toHaveLength(4);
    await expect(
      findNearestTierZero(second.service, { values: ["bob"], selected: false }, run.state, silent),
    ).rejects.toThrow("does not belong to these parameters");
  });

  it("continues with two starts that only capitals make the same, and keeps them apart", async () => {
    const objects = directory([
      object("straße", "SHARP@A.B.TEST"),
      object("strasse", "PLAIN@A.B.TEST"),
      object(`${sid}-512`, "DOMAIN ADMINS@A.B.TEST", "Group"),
    ]);
    const late = new DeadlineError("the time is over", { whoActs: "service" });
    const list = () => Promise.resolve({ environments: environments.slice(1, 2), unreadable: 0 });
    const run = (state: Json, shortest: AttackPathService["paths"]["shortest"]) => {
      const one = fakeService({ objects, paths: { shortest }, environments: { list }, requestsSent: 0 });
      return findNearestTierZero(one, { values: ["strasse", "straße"], selected: false }, state, silent);
    };
    const open = (start: string, end: string) => Promise.resolve(graphOf(`${start}>${end}`));
    const first = await run(null, (start, end) => (start === "straße" ? Promise.reject(late) : open(start, end)));
    expect(first.remaining).toBe(1);
    const asked: string[] = [];
    const { json } = await run(JSON.parse(JSON.stringify(first.state)) as Json, (start) => {
      asked.push(start);
      return Promise.resolve(null);
    });
    expect(asked).toEqual(["straße"]);
    expect(json.nearTierZero?.starts).toMatchObject([
      { start: { objectId: "strasse" }, exists: true, hops: 1 },
      { start: { objectId: "straße" }, exists: false },
    ]);
  });

  it("asks about two names of one object once, and answers both", async () => {
    const { service: one, asked } = service();
    const starts = { values: ["alice", `${sid}-1104`], selected: true };
    const { json, facts } = await findNearestTierZero(one, starts, null, silent);
    expect(json.nearTierZero?.starts.map(({ hops }) => hops)).toEqual([2, 2]);
    expect(new Set(asked).size).toBe(asked.length);
    const entities = starts.values.map((identifier) => ({ identifier, type: "GENERICENTITY" }));
    expect(facts.about(entities).entities).toHaveLength(2);
  });

  it.each(["DOMAIN ADMINS@A.B.TEST", `${sid}-512`, sid.toLowerCase()])(
    "says that %s, which is tried as an end itself, is in Tier Zero, also when the search gives no tags",
    async (start) => {
      const objects = directory([
        object(`${sid}-512`, "DOMAIN ADMINS@A.B.TEST", "Group"),
        object(sid, "A.B.TEST", "Domain"),
        object(`${sid}-1104`, "ALICE@A.B.TEST"),
      ]);
      const shortest = () => Promise.resolve(null);
      const list = () => Promise.resolve({ environments: environments.slice(1, 2), unreadable: 0 });
      const untagged = fakeService({ objects, paths: { shortest }, environments: { list }, requestsSent: 0 });
      const starts = { values: [start, "alice"], selected: false };
      const { json, facts } = await findNearestTierZero(untagged, starts, null, silent);
      expect(json.nearTierZero?.starts).toMatchObject([
        { hops: 0, exists: true, text: expect.stringContaining("is in Tier Zero.") },
        { hops: null, exists: false },
      ]);
      expect(json).toMatchObject({ exists: true, nearTierZero: { hops: 0, priority: "critical" } });
      const { entities } = facts.about(starts.values.map((identifier) => ({ identifier, type: "GENERICENTITY" })));
      // An earlier distance of the other one must not stay.
      expect(entities).toMatchObject([
        { properties: { tierZero: true, tierZeroHops: 0, tierZeroDistance: "in Tier Zero" } },
        { properties: { tierZeroHops: "none", tierZeroDistance: "no path to Tier Zero found" } },
      ]);
    },
  );
});

describe("a question about twelve starts, where each run gets only some answers", () => {
  const details = { whoActs: "service", status: 429 } as const;
  const limits: [string, () => ServiceError][] = [
    ["the time is over", () => new DeadlineError("the time is over", details)],
    ["the service refuses more", () => new RateLimitedError("too many requests", details)],
  ];
  const ids = Array.from({ length: 12 }, (_, index) => `${sid}-11${index + 10}`);

  /** A service that answers so many requests, and one path in each four. */
  function answering(most: number, refusal: () => ServiceError) {
    let left = most;
    const objects = directory([
      ...ids.map((id) => object(id, `NAME OF ${id}`)),
      ...["512", "516", "518"].map((rid) => ({
        ...object(`${sid}-${rid}`, `G${rid}`, "Group"),
        system_tags: "admin_tier_0",
      })),
    ]);
    const answer = <T>(value: () => T): Promise<Awaited<T>> =>
      left-- > 0 ? Promise.resolve(value()) : Promise.reject(refusal());
    const listed = { environments: [{ id: sid, name: "A.TEST", collected: true }], unreadable: 0 };
    return fakeService({
      objects: { search: (query) => answer(() => objects.search(query)) },
      paths: {
        shortest: (start, end) => answer(() => (end === `${sid}-512` ? graphOf(`${start}>${end}`) : null)),
      },
      environments: { list: () => answer(() => listed) },
      requestsSent: 0,
    });
  }

  describe.each(limits)("because %s", (_, refusal) => {
    it.each([6, 12, 13, 16, 21, 30, 60])("after %d, ends with an answer for each of them", async (most) => {
      let state: Json = null;
      for (let runs = 1; runs < 150; runs++) {
        const asked = { values: ids, selected: false };
        const run = await findNearestTierZero(answering(most, refusal), asked, state, silent);
        state = JSON.parse(JSON.stringify(run.state)) as Json;
        expect(run.json.remaining).toBe(run.remaining === 0 ? undefined : run.remaining);
        if (run.remaining > 0) continue;
        expect([run.state, run.json.exists]).toEqual([null, true]);
        expect(run.nearness.starts.map(({ hops }) => hops)).toEqual(ids.map(() => 1));
        return;
      }
      throw new Error("It never ended.");
    });
  });

  it("goes on with the starts that it knows after three runs in a row that were refused", async () => {
    const [refusal] = limits.map(([, each]) => each).slice(1);
    let state: Json = null;
    const run = async (most: number) => {
      const found = await findNearestTierZero(
        answering(most, refusal!),
        { values: ids, selected: false },
        state,
        silent,
      );
      state = found.state;
      return found;
    };
    for (const most of [7, 0, 0]) expect((await run(most)).json.remaining).toBe(5);
    expect((await run(0)).isPlanned).toBe(false);
    let last = await run(100);
    while (last.remaining > 0) last = await run(100);
    expect(last.nearness.starts.filter(({ hops }) => hops === 1)).toHaveLength(7);
    expect(last.nearness.starts.at(-1)!.error).toContain("too many requests");
  });

  it("refuses what another question passed on", async () => {
    const { state } = await findNearestTierZero(
      answering(3, limits[1]![1]),
      { values: ids, selected: false },
      null,
      silent,
    );
    const other = findNearestTierZero(
      answering(9, limits[1]![1]),
      { values: ids.slice(3), selected: false },
      state,
      silent,
    );
    await expect(other).rejects.toThrow("does not belong to these parameters");
  });
});
