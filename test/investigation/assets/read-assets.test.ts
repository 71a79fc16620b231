import { describe, expect, it } from "@jest/globals";
import { unreadAsset, type Asset } from "../../../src/investigation/assets/read-asset.ts";
import { readAssets } from "../../../src/investigation/assets/read-assets.ts";
import { stateOf } from "../../../src/investigation/result/resume.ts";
import type { Logger } from "../../../src/logger.ts";
import type { Json } from "../../../src/runtime/protocol.ts";
import {
  DeadlineError,
  ForbiddenError,
  NotFoundError,
  RateLimitedError,
  ServerError,
  UnauthenticatedError,
} from "../../../src/service/errors/errors.ts";
import type { Entity, RelatedPage } from "../../../src/service/resources/entities.records.ts";
import { directory, fakeService, object } from "../../support/fake-service.ts";

const silent: Logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const details = { whoActs: "service", endpoint: { method: "GET", path: "/api/v2/x" } } as const;
const gone = new NotFoundError("gone", { ...details, wrapped: true });

type Lists = Record<string, RelatedPage | Error | ((page: { skip?: number }) => RelatedPage)>;

function service(entities: Record<string, Entity | Error>, lists: Lists = {}) {
  const listed = (path: string, page: { skip?: number } = {}): Promise<RelatedPage> => {
    const answer = lists[path] ?? { items: [], total: 0 };
    if (answer instanceof Error) return Promise.reject(answer);
    if (typeof answer === "function") return Promise.resolve(answer(page));
    return Promise.resolve((page.skip ?? 0) === 0 ? answer : { ...answer, items: [] });
  };
  const read = (kind: string, objectId: string): Promise<Entity> => {
    const answer = entities[`${kind}/${objectId}`] ?? gone;
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const objects = directory([
    object("U-1", "ALICE@A", "User"),
    object("U-2", "BOB@A", "User"),
    object("Z-1", "VAULT", "AZKeyVault"),
    object("Z-2", "NOVELTY", "AZNovelty"),
    object("X-1", "REPO", "GitRepository"),
    object("N-1", "U-9", "User"),
    object("Z-3", "TENANT", "AZTenant"),
    object("T-1", "TWIN@A", "User"),
    object("T-2", "TWIN@A", "Computer"),
    { ...object("G-1", "DOMAIN ADMINS@A", "Group"), system_tags: "admin_tier_0" },
    { ...object("G-2", "HELP DESK@A", "Group"), system_tags: "owned" },
    { ...object("G-3", "GUESTS@A", "Group"), system_tags: "" },
  ]);
  return fakeService({
    objects,
    entities: {
      directory: (route, objectId) => read(route, objectId),
      azure: (type, objectId) => read(`azure/${type}`, objectId),
      directoryRelated: (route, objectId, list, page) => listed(`${route}/${objectId}/${list}`, page),
      azureRelated: (type, objectId, list, page) => listed(`azure/${type}/${objectId}/${list}`, page),
    },
  });
}

async function read(entities: Record<string, Entity | Error>, ids: string[], state: Json = null, names = false) {
  return readAssets(service(entities), ids, { names, state, log: silent });
}

describe("readAssets", () => {
  it.each([
    [["ALICE@A", "U-1"], true],
    [["U-1", "ALICE@A"], true],
    [["u-1", "U-1"], false],
  ])("gives the object of %j once, as it was read, although one of them cannot be looked up", async (texts, names) => {
    const own = service({ "users/U-1": { properties: { enabled: true }, counts: {} } });
    const fails = new ServerError("an internal error has occurred", { ...details, status: 500 });
    const search = own.objects.search.bind(own.objects);
    own.objects.search = (query) => (query.text === "U-1" ? Promise.reject(fails) : search(query));
    const { assets } = await readAssets(own, texts, { names, state: null, log: silent });
    expect(assets).toMatchObject([{ objectId: "U-1", status: "found", properties: { enabled: true } }]);
  });

  it("reads each object where its kind is read, in the order asked", async () => {
    const { assets, remaining } = await read(
      {
        "azure/key-vaults/Z-1": { properties: { tenantid: "T" }, counts: { Readers: { AllReaders: 1 } } },
        "users/U-1": { properties: { enabled: true }, counts: { adminRights: 3 } },
        "azure/az-base/Z-2": { properties: {}, counts: { outbound_object_control: 5 } },
        "base/X-1": { properties: {}, counts: { controllables: 2 } },
      },
      ["Z-1", "U-1", "Z-2", "X-1"],
    );
    expect(remaining).toBe(0);
    expect(assets).toMatchObject([
      { objectId: "Z-1", status: "found", kind: "AZKeyVault", name: "VAULT", properties: { tenantid: "T" } },
      { objectId: "U-1", status: "found", kind: "User", name: "ALICE@A", counts: { adminRights: 3, sessions: null } },
      { objectId: "Z-2", status: "found", kind: "AZNovelty", counts: { outbound_object_control: 5 } },
      { objectId: "X-1", status: "found", kind: "GitRepository", counts: { controllables: 2 } },
    ]);
  });

  it("tells an unknown object from one that could not be read, and reads the others", async () => {
    const { assets, cause } = await read(
      {
        "users/U-1": { properties: {}, counts: {} },
        "users/U-2": new ForbiddenError("no permission", details),
      },
      ["U-0", "U-2", "U-1"],
    );
    expect(assets.map(({ objectId, status, error }) => [objectId, status, error])).toEqual([
      ["U-0", "not_found", undefined],
      ["U-2", "failed", "no permission (GET /api/v2/x)"],
      ["U-1", "found", undefined],
    ]);
    expect(cause).toBeNull();
  });

  it("takes an object that has the id only as its name for unknown", async () => {
    expect((await read({}, ["U-9"])).assets).toEqual([unreadAsset("U-9", "not_found")]);
  });

  it("reads an object by its name where names are allowed, and each object once", async () => {
    const entities = { "users/U-1": { properties: { isTierZero: true }, counts: { Group: { Direct: 1 } } } };
    const { assets, facts } = await read(entities, ["alice@a", "U-1", "u-1"], null, true);
    expect(assets).toMatchObject([{ objectId: "U-1", status: "found", name: "ALICE@A" }]);
    const properties = { objectId: "U-1", kind: "User", tierZero: true, "Group.Direct": 1 };
    expect(facts.about([{ identifier: "Alice@A", type: "" }])).toMatchObject({
      entities: [{ identifier: "Alice@A", properties }],
    });
    expect(facts.about([{ identifier: "BOB@A", type: "" }])).toEqual({});
  });

  it("tells nothing about a name of several assets, and something about their object ids", async () => {
    const entity = { properties: {}, counts: {} };
    const { facts } = await read({ "users/T-1": entity, "computers/T-2": entity }, ["T-1", "T-2"]);
    const entities = ["TWIN@A", "T-1", "t-2"].map((identifier) => ({ identifier, type: "" }));
    expect(facts.about(entities).entities).toMatchObject([
      { identifier: "T-1", properties: { objectId: "T-1", kind: "User" } },
      { identifier: "t-2", properties: { objectId: "T-2", kind: "Computer" } },
    ]);
    expect(facts.about(entities.slice(0, 1))).toEqual({});
  });

  it("tells nothing about a name that was ambiguous, although one of its objects was read", async () => {
    const { assets, facts } = await read(
      { "users/T-1": { properties: {}, counts: {} } },
      ["T-1", "TWIN@A"],
      null,
      true,
    );
    expect(assets.map(({ status }) => status)).toEqual(["found", "failed"]);
    const entities = ["T-1", "TWIN@A"].map((identifier) => ({ identifier, type: "" }));
    expect(facts.about(entities).entities?.map(({ identifier }) => identifier)).toEqual(["T-1"]);
  });

  it("does not choose among several objects of a name", async () => {
    const { assets } = await read({}, ["TWIN@A"], null, true);
    expect(assets).toMatchObject([{ objectId: "TWIN@A", status: "failed" }]);
    expect(assets[0]?.error).toContain('"TWIN@A" is the name of several objects. Enter one of their object ids: T-1');
  });

  it("keeps what a cloud object says of Tier Zero beside its properties", async () => {
    const entity = { isTierZero: true, properties: { name: "VAULT" }, counts: {} };
    const { assets } = await read({ "azure/key-vaults": entity, "azure/key-vaults/Z-1": entity }, ["Z-1"]);
    expect(assets[0]?.properties).toEqual({ name: "VAULT", isTierZero: true });
  });

  it.each<[string, string, Entity["properties"], boolean | undefined]>([
    ["the search, where the properties have no tags", "G-1", {}, true],
    ["the search, where the properties deny it", "G-1", { system_tags: "" }, true],
    ["the properties, where the search denies it", "G-2", { isTierZero: true }, true],
    ["the search, where it denies it", "G-2", {}, false],
    ["the properties, where the search says nothing", "U-1", { system_tags: "owned" }, false],
    ["nobody, where neither says anything", "U-1", {}, undefined],
    ["nobody, where the search writes that there are no tags", "G-3", {}, undefined],
  ])("knows of Tier Zero from %s", async (_, id, properties, tierZero) => {
    const entity = { properties, counts: {} };
    const { assets, facts } = await read({ [`groups/${id}`]: entity, [`users/${id}`]: entity }, [id]);
    expect(assets[0]?.tierZero).toBe(tierZero);
    const [update] = facts.about([{ identifier: id, type: "" }]).entities ?? [];
    expect(update?.properties["tierZero"]).toBe(tierZero);
  });

  it("knows of Tier Zero from a kind, in a tenant with zones", async () => {
    const entity = { kinds: ["Base", "Group", "Tag_Tier_Zero"], properties: {}, counts: {} };
    expect((await read({ "groups/G-3": entity }, ["G-3"])).assets[0]?.tierZero).toBe(true);
  });

  it("reads an object at the general route when the route of its kind does not know it", async () => {
    const entities = {
      "base/U-1": { properties: { a: 1 }, counts: { controllables: 2 } },
      "azure/az-base/Z-1": { properties: { b: 1 }, counts: { outbound_object_control: 3 } },
    };
    expect((await read(entities, ["U-1", "Z-1"])).assets).toMatchObject([
      { objectId: "U-1", status: "found", kind: "User", properties: { a: 1 }, counts: { controllables: 2 } },
      { objectId: "Z-1", status: "found", kind: "AZKeyVault", counts: { outbound_object_control: 3 } },
    ]);
  });

  it("never says of an object that the search finds that it is not found", async () => {
    const [asset] = (await read({ "users/U-1": gone, "base/U-1": gone }, ["U-1"])).assets;
    expect(asset).toMatchObject({ objectId: "U-1", status: "failed", kind: "User", name: "ALICE@A" });
    expect(asset?.error).toContain("The search lists this object, of kind User, but the service found no details");
    expect(asset?.error).toContain("(GET /api/v2/x, status 404)");
  });

  describe("with lists of related objects", () => {
    const alice = (counts: Entity["counts"]) => ({ "users/U-1": { properties: {}, counts } });
    const related = async (counts: Entity["counts"], lists: Lists) => {
      const options = { names: false, state: null, log: silent };
      return (await readAssets(service(alice(counts), lists), ["U-1"], options)).assets[0];
    };
    const item = { objectId: "G-1", name: "ADMINS@A", kind: "Group" };
    const three = ["G-1", "G-2", "G-3"].map((objectId) => ({ ...item, objectId }));
    const unnamed = { objectId: null, name: null, kind: "Group" };

    it("asks for a list whose count is unknown, and for none whose count is 0", async () => {
      const unused = new Error("not to be asked");
      const lists = { "users/U-1/memberships": { items: [item], total: 1 }, "users/U-1/admin-rights": unused };
      expect((await related({ adminRights: 0 }, lists))?.related).toEqual({
        memberships: { total: 1, items: [item] },
        "admin-rights": { total: 0, items: [] },
      });
    });

    it("keeps 25 objects of a list, and the count where the list has none", async () => {
      const items = Array.from({ length: 40 }, (_, index) => ({ ...item, objectId: `G-${index}` }));
      const asset = await related({ groupMembership: 40 }, { "users/U-1/memberships": { items, total: null } });
      expect(asset?.related["memberships"]).toEqual({ total: 40, items: items.slice(0, 25) });
    });

    it.each([0, null])("does not take a list for empty whose count is 3 (total: %j)", async (total) => {
      const counts = { groupMembership: 3, adminRights: 0 };
      const asset = await related(counts, { "users/U-1/memberships": { items: [], total } });
      expect(asset?.related["memberships"]).toEqual({
        total: 3,
        items: null,
        error: expect.stringContaining("The service counts 3 objects but lists 0.") as unknown,
      });
    });

    it("keeps what a list has that is shorter than its count, and says so", async () => {
      const counts = { groupMembership: 3, adminRights: 0 };
      const asset = await related(counts, { "users/U-1/memberships": { items: [item], total: 1 } });
      expect(asset?.related["memberships"]).toMatchObject({ total: 3, items: [item] });
      expect(asset?.related["memberships"]?.error).toContain("counts 3 objects but lists 1");
    });

    it.each([
      ["is longer than its count", { items: [...three, { ...item, objectId: "G-4" }], total: 4 }, 4],
      ["does not say how long it is", { items: three, total: null }, 3],
    ])("accepts a list that %s", async (_, page, total) => {
      const asset = await related({ groupMembership: 3, adminRights: 0 }, { "users/U-1/memberships": page });
      expect(asset?.related["memberships"]).toEqual({ total, items: page.items });
    });

    describe("whose count is too small", () => {
      const all = Array.from({ length: 100 }, (_, index) => ({ ...item, objectId: `G-${index}` }));
      const first = async (counted: number, total: number | null, granted: number, length = all.length) => {
        const page = ({ skip = 0 }: { skip?: number }): RelatedPage => ({
          items: all.slice(skip, Math.min(skip + granted, length)),
          total,
        });
        const counts = { groupMembership: counted, adminRights: 0 };
        return (await related(counts, { "users/U-1/memberships": page }))?.related["memberships"];
      };

      it.each([
        ["does not count", null, 25],
        ["counts the objects of a page", 25, 25],
        ["sends all of them in one page, and does not count", null, 100],
        ["sends all of them in one page, and counts fewer", 2, 100],
      ])("has no total where the service %s", async (_, total, granted) => {
        expect(await first(2, total, granted)).toEqual({ total: null, items: all.slice(0, 25) });
      });

      it("has the total that the list says", async () => {
        expect(await first(2, 100, 25)).toEqual({ total: 100, items: all.slice(0, 25) });
      });

      it("is read to the end of what is shown of it", async () => {
        expect(await first(2, null, 3, 7)).toEqual({ total: null, items: all.slice(0, 7) });
      });
    });

    it.each([[10], [null]])("is read on when the service grants ten entries at a time of %j", async (granted) => {
      const all = Array.from({ length: 57 }, (_, index) => ({ ...item, objectId: `G-${index}` }));
      const page = ({ skip = 0 }: { skip?: number }): RelatedPage => ({
        items: all.slice(skip, skip + 10),
        total: granted === null ? null : all.length,
      });
      const counts = granted === null ? { adminRights: 0 } : { groupMembership: 57, adminRights: 0 };
      const asset = await related(counts, { "users/U-1/memberships": page });
      expect(asset?.related["memberships"]).toEqual({ total: granted === null ? null : 57, items: all.slice(0, 25) });
    });

    it("says so of a list of which the service grants one entry at a time", async () => {
      const page = ({ skip = 0 }: { skip?: number }) => ({ items: [{ ...item, objectId: `G-${skip}` }], total: null });
      const asset = await related({ adminRights: 0 }, { "users/U-1/memberships": page });
      expect(asset?.related["memberships"]?.items).toHaveLength(5);
      expect(asset?.related["memberships"]?.error).toContain("few objects at a time, and only 5 were read.");
    });

    it.each<[string, RelatedPage, number | null, string]>([
      ["has fewer entries than it counts", { items: [item], total: 5 }, 5, "counts 5 objects but lists 1."],
      ["counts more than the object does", { items: [item], total: 5 }, 3, "counts 5 objects but lists 1."],
      ["does not count what it lacks", { items: [item], total: null }, 5, "counts 5 objects but lists 1."],
      [
        "has an entry without a name",
        { items: [...three.slice(1), unnamed], total: 3 },
        null,
        "counts 3 objects but lists 2 with an id or a name.",
      ],
      [
        "is long and has few entries",
        { items: three, total: 100 },
        100,
        "counts 100 objects but lists 3 of the first 25.",
      ],
    ])("says so of a list that %s", async (_, page, counted, said) => {
      const counts = { ...(counted !== null && { groupMembership: counted }), adminRights: 0 };
      const asset = await related(counts, { "users/U-1/memberships": page });
      expect(asset?.related["memberships"]).toMatchObject({
        total: page.total ?? counted,
        items: page.items.filter(({ objectId }) => objectId !== null),
      });
      expect(asset?.related["memberships"]?.error).toContain(said);
    });

    it("keeps no object of a list whose only entry is unnamed, and says so", async () => {
      const page = { items: [unnamed], total: null };
      const asset = await related({ adminRights: 0 }, { "users/U-1/memberships": page });
      expect(asset?.related["memberships"]).toMatchObject({ total: null, items: null });
      expect(asset?.related["memberships"]?.error).toContain("lists 0 with an id or a name");
    });

    it("keeps an asset whose list cannot be read, and says why", async () => {
      const lists = { "users/U-1/memberships": new ForbiddenError("no permission", details) };
      const asset = await related({ groupMembership: 3, adminRights: 0 }, lists);
      expect(asset).toMatchObject({ status: "found", related: { memberships: { total: 3, items: null } } });
      expect(asset?.related["memberships"]?.error).toContain("no permission");
    });

    it.each([
      ["the time is over", new DeadlineError("time is over", details)],
      ["the service takes no more requests", new RateLimitedError("limit exceeded", details)],
    ])("reads the asset again in the next run when %s in the middle of it", async (_, error) => {
      const entities = { ...alice({}), "users/U-2": { properties: {}, counts: {} } };
      const lists = { "users/U-1/memberships": error };
      const options = { names: false, state: null, log: silent };
      const { assets, remaining } = await readAssets(service(entities, lists), ["U-1", "U-2"], options);
      expect([assets.map(({ objectId }) => objectId), remaining]).toEqual([["U-2"], 1]);
    });

    it("keeps what it has read of an asset whose list is never answered, and names the list", async () => {
      const lists = { "users/U-1/memberships": new DeadlineError("time is over", details) };
      const options = { names: false, state: null, log: silent };
      const entities = alice({ groupMembership: 3, adminRights: 1 });
      const all = { ...lists, "users/U-1/admin-rights": { items: [item], total: 1 } };
      const { assets, remaining } = await readAssets(service(entities, all), ["U-1"], options);
      expect(remaining).toBe(0);
      expect(assets).toMatchObject([
        {
          ...{ objectId: "U-1", status: "found", counts: { groupMembership: 3 } },
          related: {
            memberships: { total: 3, items: null, error: expect.stringContaining("time is over") as unknown },
            "admin-rights": { total: 1, items: [item] },
          },
        },
      ]);
    });

    it("keeps the objects of a list that arrived before the time was over", async () => {
      const page = ({ skip = 0 }: { skip?: number }): RelatedPage => {
        if (skip > 0) throw new DeadlineError("time is over", details);
        return { items: [item], total: 40 };
      };
      const asset = await related({ adminRights: 0 }, { "users/U-1/memberships": page });
      expect(asset?.related["memberships"]).toMatchObject({ total: 40, items: [item] });
      expect(asset?.related["memberships"]?.error).toContain("time is over");
    });

    it("takes an absent count of what a container of the cloud holds for 0", async () => {
      const counts = { descendents: { descendent_counts: { AZUser: 1 } }, inbound_object_control: 0 };
      const entities = { "azure/tenants/Z-3": { properties: {}, counts } };
      const lists = {
        "azure/tenants/Z-3/descendent-users": { items: [item], total: 1 },
        "azure/tenants/Z-3/descendent-groups": new Error("not to be asked"),
      };
      const options = { names: false, state: null, log: silent };
      const { assets } = await readAssets(service(entities, lists), ["Z-3"], options);
      expect(assets[0]?.related).toMatchObject({
        "descendent-users": { total: 1, items: [item] },
        "descendent-groups": { total: 0, items: [] },
      });
    });

    it("does not take a count that is no number for 0", async () => {
      const entities = {
        "azure/tenants/Z-3": { properties: {}, counts: { descendents: { descendent_counts: { AZUser: null } } } },
      };
      const lists = { "azure/tenants/Z-3/descendent-users": { items: [item], total: 1 } };
      const { assets } = await readAssets(service(entities, lists), ["Z-3"], {
        names: false,
        state: null,
        log: silent,
      });
      expect(assets[0]?.related["descendent-users"]).toEqual({ total: 1, items: [item] });
    });
  });

  it("says that the service has no details of a kind that it cannot read, instead of calling the object unknown", async () => {
    const [asset] = (await read({}, ["X-1"])).assets;
    expect(asset).toMatchObject({ status: "failed", kind: "GitRepository", name: "REPO" });
    expect(asset?.error).toContain("GitRepository");
  });

  it("fails when a web server, not the service, answers 404", async () => {
    const error = new NotFoundError("a web page", details);
    // Nor does it say that the service has no details of the object: nobody knows.
    expect((await read({ "users/U-1": error }, ["U-1"])).assets).toMatchObject([
      { status: "failed", error: "a web page (GET /api/v2/x)" },
    ]);
  });

  it("gives the one cause when nothing could be read", async () => {
    const error = new UnauthenticatedError("wrong key", details);
    const { cause } = await read({ "users/U-1": error, "users/U-2": error }, ["U-1", "U-2"]);
    expect(cause).toBe(error);
    const mixed = { "users/U-1": error, "users/U-2": new ServerError("broken", details) };
    expect((await read(mixed, ["U-1", "U-2"])).cause).toBeNull();
  });

  it("hands over a state that a platform takes, and goes on with it", async () => {
    const entity = { properties: { a: "名".repeat(3_000_000) }, counts: { adminRights: 0, groupMembership: 0 } };
    const ids = ["U-1", "U-2"];
    const first = await read({ "users/U-1": entity, "users/U-2": new DeadlineError("time is over", details) }, ids);
    expect(first.assets[0]).toMatchObject({ properties: {}, truncated: true });
    const state = JSON.stringify(first.state);
    expect(state.length).toBeLessThan(10_000);
    const second = await read({ "users/U-2": { properties: {}, counts: {} } }, ids, JSON.parse(state) as Json);
    expect(second.assets.map(({ status, truncated }) => [status, truncated])).toEqual([
      ["found", true],
      ["found", undefined],
    ]);
  });

  it("leaves what the time did not suffice for to the next run, which reads only that", async () => {
    const entity = { properties: {}, counts: {} };
    const ids = ["U-1", "U-2"];
    const first = await read({ "users/U-1": entity, "users/U-2": new DeadlineError("time is over", details) }, ids);
    expect(first.remaining).toBe(1);
    expect(first.assets).toMatchObject([{ objectId: "U-1", status: "found" }]);
    const state = JSON.parse(JSON.stringify(first.state)) as Json;
    const second = await read({ "users/U-1": new ServerError("not again", details), "users/U-2": entity }, ids, state);
    expect(second.remaining).toBe(0);
    expect(second.assets.map(({ objectId, status }) => [objectId, status])).toEqual([
      ["U-1", "found"],
      ["U-2", "found"],
    ]);
  });

  it("names as failed what a third run gets nowhere with, and keeps what was read before", async () => {
    const late = new DeadlineError("the time is over", details);
    const done: Asset = { ...unreadAsset("U-1", "failed"), status: "found", kind: "User" };
    const state = stateOf("https://tenant.test", {
      answers: new Map([["U-1", done]]),
      fruitlessRuns: 2,
      requestsPerSecond: null,
    });
    const { assets, remaining } = await read({ "users/U-2": late }, ["U-1", "U-2"], state);
    expect(remaining).toBe(0);
    expect(assets).toEqual([
      { ...done, url: "https://tenant.test/ui/explore?searchType=node&primarySearch=U-1" },
      { ...unreadAsset("U-2", "failed"), error: expect.stringContaining("the time is over") as unknown },
    ]);
  });
});

describe("the state of readAssets", () => {
  const asset = unreadAsset("U-1", "not_found") as unknown as Json;

  it.each<[string, Json]>([
    ["a text", "x"],
    ["another version", { version: 1, answers: [["U-1", asset]] }],
    ["no list", { version: 2 }],
    ["no assets", { version: 2, answers: [1] }],
    ["an asset without counts", { version: 2, answers: [["U-1", { ...(asset as object), counts: null }]] }],
    ["a status that there is not", { version: 2, answers: [["U-1", { ...(asset as object), status: "open" }]] }],
    ["an object that was not asked for", { version: 2, answers: [["U-2", asset]] }],
  ])("is refused when it is %s", async (_, state) => {
    await expect(read({}, ["U-1"], state)).rejects.toThrow("Run the action again without a state.");
  });
});
