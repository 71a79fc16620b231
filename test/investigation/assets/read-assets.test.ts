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
  ServerError,
  UnauthenticatedError,
} from "../../../src/service/errors/errors.ts";
import type { Entity } from "../../../src/service/resources/entities.records.ts";
import { assetService, details, gone } from "./asset-service.ts";

const silent: Logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

async function read(entities: Record<string, Entity | Error>, ids: string[], state: Json = null, names = false) {
  return readAssets(assetService(entities), ids, { names, state, log: silent });
}

describe("readAssets", () => {
  it.each([
    [["ALICE@A", "U-1"], true],
    [["U-1", "ALICE@A"], true],
    [["u-1", "U-1"], false],
  ])("gives the object of %j once, as it was read, although one of them cannot be looked up", async (texts, names) => {
    const own = assetService({ "users/U-1": { properties: { enabled: true }, counts: {} } });
    const fails = new ServerError("an internal error has occurred", { ...details, status: 500 });
    const search = own.objects.search.bind(own.objects);
    own.objects.search = (query) => (query.text === "U-1" ? Promise.reject(fails) : search(query));
    const { assets } = await readAssets(own, texts, { names, state: null, log: silent });
    expect(assets).toMatchObject([{ objectId: "U-1", status: "found", properties: { enabled: true } }]);
  });

  it("looks everywhere for an object whose kind the search leaves empty", async () => {
    const { assets } = await read({ "azure/az-base/Z-4": { properties: { tenantid: "T" }, counts: {} } }, ["Z-4"]);
    expect(assets).toMatchObject([{ objectId: "Z-4", status: "found", kind: null, name: "KINDLESS" }]);
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

  it("reads an object id that the search leaves out where objects of all kinds are read", async () => {
    const [group, app, unknown] = [
      "CORP.TEST-S-1-5-32-544",
      "0F3A6B1C-1111-2222-3333-444455556666",
      "S-1-5-21-1-2-3-9",
    ];
    const entities = {
      [`base/${group}`]: {
        properties: { name: "ADMINISTRATORS" },
        counts: {},
        kinds: ["Base", "ADLocalGroup", "Group"],
      },
      [`azure/az-base/${app}`]: { properties: {}, counts: {}, kind: "AZApp" },
    };
    // No security identifier is asked for in the cloud, where the token may have no rights.
    const refused = { [`azure/az-base/${unknown}`]: new ForbiddenError("no permission", details) };
    const { assets } = await read({ ...entities, ...refused }, [group.toLowerCase(), app, unknown]);
    expect(assets).toMatchObject([
      { objectId: group, status: "found", kind: "Group", name: "ADMINISTRATORS" },
      { objectId: app, status: "found", kind: "AZApp" },
      { objectId: unknown, status: "not_found" },
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

  it("keeps two objects apart whose ids differ in letter case, and tells of each what is its own", async () => {
    const entity = { properties: {}, counts: {} };
    const { assets, facts } = await read({ "users/node-a": entity, "users/NODE-A": entity }, ["node-a", "NODE-A"]);
    expect(assets.map(({ objectId, name }) => [objectId, name])).toEqual([
      ["node-a", "ALPHA"],
      ["NODE-A", "BETA"],
    ]);
    const entities = ["node-a", "BETA", "Node-A"].map((identifier) => ({ identifier, type: "" }));
    expect(facts.about(entities).entities).toMatchObject([
      { identifier: "node-a", properties: { objectId: "node-a" } },
      { identifier: "BETA", properties: { objectId: "NODE-A" } },
    ]);
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
    expect(update?.properties["tierZero"]).toBe(tierZero ?? null);
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

  it("says of what only the route of the kind gives that it is not known, instead of leaving it out", async () => {
    const counts = { controllables: 2 };
    const [asset] = (await read({ "base/U-1": { properties: {}, counts } }, ["U-1"])).assets;
    expect(asset?.counts).toMatchObject({ controllables: 2, adminRights: null, groupMembership: null });
    const error = expect.stringContaining("knows this object, but not with kind User (status 404)") as unknown;
    expect(asset?.related).toMatchObject({
      controllers: { items: expect.any(Array) as unknown },
      memberships: { total: null, items: null, error },
      "admin-rights": { total: null, items: null, error },
    });
  });

  it("never says of an object that the search finds that it is not found", async () => {
    const [asset] = (await read({ "users/U-1": gone, "base/U-1": gone }, ["U-1"])).assets;
    expect(asset).toMatchObject({ objectId: "U-1", status: "failed", kind: "User", name: "ALICE@A" });
    expect(asset?.error).toContain("The search lists this object, of kind User, but the service found no details");
    expect(asset?.error).toContain("(GET /api/v2/x, status 404)");
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
