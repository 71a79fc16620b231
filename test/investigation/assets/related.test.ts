import { describe, expect, it } from "@jest/globals";
import { readAssets } from "../../../src/investigation/assets/read-assets.ts";
import type { Logger } from "../../../src/logger.ts";
import { DeadlineError, ForbiddenError, RateLimitedError } from "../../../src/service/errors/errors.ts";
import type { Entity, RelatedPage } from "../../../src/service/resources/entities.records.ts";
import { assetService, details, type Lists } from "./asset-service.ts";

const silent: Logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

describe("the lists of an asset", () => {
  const alice = (counts: Entity["counts"]) => ({ "users/U-1": { properties: {}, counts } });
  const related = async (counts: Entity["counts"], lists: Lists) => {
    const options = { names: false, state: null, log: silent };
    return (await readAssets(assetService(alice(counts), lists), ["U-1"], options)).assets[0];
  };
  const item = { objectId: "G-1", name: "ADMINS@A", kind: "Group" };
  const three = ["G-1", "G-2", "G-3"].map((objectId) => ({ ...item, objectId }));
  const many = Array.from({ length: 25 }, (_, index) => ({ ...item, objectId: `G-${index}` }));
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

  it("keeps the first objects of a list however many the service sends at once", async () => {
    const items = Array.from({ length: 150_000 }, (_, index) => ({ ...item, objectId: `G-${index}` }));
    const asset = await related({ adminRights: 0 }, { "users/U-1/memberships": { items, total: 150_000 } });
    expect(asset?.related["memberships"]?.items).toHaveLength(25);
  });

  it("sorts the objects of a list by their names, and by their ids without one", async () => {
    const names = ["D", null, "A", "C"].map((name, index) => ({ ...item, objectId: `B-${index}`, name }));
    const asset = await related({ adminRights: 0 }, { "users/U-1/memberships": { items: names, total: 4 } });
    expect(asset?.related["memberships"]?.items?.map(({ name }) => name)).toEqual(["A", null, "C", "D"]);
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
    expect(asset?.related["memberships"]?.error).toBe("The service lists few objects at a time, and only 5 were read.");
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
    [
      "is as long as what is kept of it and has an entry without a name",
      { items: [...many.slice(1), unnamed], total: 25 },
      25,
      "counts 25 objects but lists 24 with an id or a name.",
    ],
    ["says that it ends before its count", { items: many, total: 30 }, 40, "counts 40 objects but lists 30."],
  ])("says so of a list that %s", async (_, page, counted, said) => {
    const counts = { ...(counted !== null && { groupMembership: counted }), adminRights: 0 };
    const asset = await related(counts, { "users/U-1/memberships": page });
    expect(asset?.related["memberships"]).toMatchObject({
      total: Math.max(page.total ?? 0, counted ?? 0),
      items: page.items.filter(({ objectId }) => objectId !== null),
      error: expect.stringMatching(`^The service ${said} The others are not known\\. `) as unknown,
    });
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
    const { assets, remaining } = await readAssets(assetService(entities, lists), ["U-1", "U-2"], options);
    expect([assets.map(({ objectId }) => objectId), remaining]).toEqual([["U-2"], 1]);
  });

  it("keeps what it has read of an asset whose list is never answered, and names the list", async () => {
    const lists = { "users/U-1/memberships": new DeadlineError("time is over", details) };
    const options = { names: false, state: null, log: silent };
    const entities = alice({ groupMembership: 3, adminRights: 1 });
    const all = { ...lists, "users/U-1/admin-rights": { items: [item], total: 1 } };
    const { assets, remaining } = await readAssets(assetService(entities, all), ["U-1"], options);
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

  it("requests a list of the cloud that is not counted, and none that is counted as 0", async () => {
    const counts = {
      descendents: { descendent_counts: { AZUser: 1, AZGroup: 0 } },
      inbound_object_control: 0,
    };
    const entities = { "azure/tenants/Z-3": { properties: {}, counts } };
    const lists = {
      "azure/tenants/Z-3/descendent-users": { items: [item], total: 1 },
      "azure/tenants/Z-3/descendent-groups": new Error("not to be asked"),
      "azure/tenants/Z-3/descendent-subscriptions": { items: [item, item], total: 2 },
    };
    const options = { names: false, state: null, log: silent };
    const { assets } = await readAssets(assetService(entities, lists), ["Z-3"], options);
    expect(assets[0]?.related).toMatchObject({
      "descendent-users": { total: 1, items: [item] },
      "descendent-groups": { total: 0, items: [] },
      "descendent-subscriptions": { total: 2 },
    });
  });

  it("does not take a count that is no number for 0", async () => {
    const entities = {
      "azure/tenants/Z-3": { properties: {}, counts: { descendents: { descendent_counts: { AZUser: null } } } },
    };
    const lists = { "azure/tenants/Z-3/descendent-users": { items: [item], total: 1 } };
    const { assets } = await readAssets(assetService(entities, lists), ["Z-3"], {
      names: false,
      state: null,
      log: silent,
    });
    expect(assets[0]?.related["descendent-users"]).toEqual({ total: 1, items: [item] });
  });
});
