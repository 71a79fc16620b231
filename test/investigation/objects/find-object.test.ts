import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { findObject } from "../../../src/investigation/objects/find-object.ts";
import { directory, object } from "../../support/fake-service.ts";

const filler = (count: number, name: string) =>
  Array.from({ length: count }, (_, index) => object(`F-${index}`, `${name} ${String(index).padStart(4, "0")}`));

describe("findObject", () => {
  it.each([
    ["admin_tier_0 owned", true],
    ["owned", false],
    ["", null],
  ])("says by the tags %j whether the object is Tier Zero: %s", async (tags, tierZero) => {
    const objects = directory([{ ...object("S-1", "ADMINS@A"), system_tags: tags }]);
    expect(await findObject(objects, "S-1")).toMatchObject({ status: "found", tierZero });
  });

  it("finds the one object of that name in any letter case and names the others that hold it", async () => {
    const objects = directory([object("S-1", "ADMINS@A"), object("S-2", "DOMAIN ADMINS@A", "Group")]);
    expect(await findObject(objects, "Admins@a")).toEqual({
      status: "found",
      object: { objectId: "S-1", name: "ADMINS@A", type: "User" },
      tierZero: null,
      candidates: [{ objectId: "S-2", name: "DOMAIN ADMINS@A", type: "Group" }],
    });
  });

  it("finds an object by its id, also when it is the name of another", async () => {
    const objects = directory([object("S-9", "S-1"), object("S-1", "ALICE@A")]);
    expect(await findObject(objects, "s-1")).toMatchObject({ status: "found", object: { objectId: "S-1" } });
  });

  it("distinguishes ids by their letter case only where nothing else does", async () => {
    const objects = directory([object("abc-1", "ALICE@A"), object("ABC-1", "BOB@A")]);
    for (const id of ["abc-1", "ABC-1"]) {
      expect(await findObject(objects, id)).toMatchObject({ status: "found", object: { objectId: id } });
    }
    expect(await findObject(objects, "Abc-1")).toMatchObject({
      status: "ambiguous",
      candidates: [{ objectId: "abc-1" }, { objectId: "ABC-1" }],
    });
  });

  it("takes no letter for another one that it only looks like in capitals", async () => {
    const objects = directory([object("S-1", "ADMIN@A"), object("S-2", "GROSS@A"), object("S-3", "ΓΙΏΡΓΟΣ@A")]);
    expect((await findObject(objects, "admın@a")).status).toBe("not_found");
    expect((await findObject(objects, "groß@a")).status).toBe("not_found");
    expect(await findObject(objects, "γιώργος@a")).toMatchObject({ status: "found", object: { objectId: "S-3" } });
  });

  it("calls a name ambiguous that two objects have, and names both", async () => {
    const objects = directory([object("S-1", "BOB@A"), object("S-2", "BOB@A", "Computer")]);
    const found = await findObject(objects, "bob@a");
    expect(found.status).toBe("ambiguous");
    expect(found.candidates.map(({ objectId }) => objectId)).toEqual(["S-1", "S-2"]);
  });

  it("cuts names and kinds off that are longer than any real one, and finds the object by its whole name", async () => {
    const name = "A".repeat(3_000);
    const objects = directory([object("S-1", name, "B".repeat(3_000)), object("S-2", `${name}B`)]);
    const cut = `${"A".repeat(1_000)}…`;
    expect(await findObject(objects, name)).toMatchObject({
      status: "found",
      object: { objectId: "S-1", name: cut, type: `${"B".repeat(1_000)}…` },
      candidates: [{ objectId: "S-2", name: cut }],
    });
  });

  it("says that a name is not known, with what is similar", async () => {
    const objects = directory([object("S-1", "ALICE@A")]);
    expect(await findObject(objects, "ALIC")).toMatchObject({
      status: "not_found",
      candidates: [{ objectId: "S-1" }],
    });
    expect(await findObject(objects, "NOBODY")).toEqual({ status: "not_found", candidates: [] });
  });

  it("says null where the service gives an object no name or kind", async () => {
    const objects = directory([{ objectid: "S-1" }]);
    expect(await findObject(objects, "S-1")).toMatchObject({ object: { objectId: "S-1", name: null, type: null } });
  });

  it("never misses an exact match, in whatever order and pages the service sends up to a thousand matches", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 120 }),
        fc.array(fc.nat(120), { maxLength: 3 }),
        fc.integer({ min: 1, max: 130 }),
        fc.boolean(),
        async (others, places, pageLimit, exactFirst) => {
          const all = filler(others, "ADMIN");
          for (const [index, place] of places.entries()) all.splice(place, 0, object(`S-${index}`, "ADMIN"));
          const found = await findObject(directory(all, { pageLimit, exactFirst }), "admin");
          const expected = ["not_found", "found"][places.length] ?? "ambiguous";
          expect(found.status).toBe(expected);
          if (found.status === "ambiguous") expect(found.candidates).toHaveLength(places.length);
        },
      ),
    );
  });

  it.each([1, 2, 3])("cannot tell when the service sends the same page of %i for ever", async (size) => {
    const records = filler(size, "ADMIN");
    const objects = { search: () => Promise.resolve({ records, total: null }) };
    await expect(findObject(objects, "ADMIN")).rejects.toMatchObject({ code: "protocol" });
  });

  it.each([
    ["no id", {}],
    ["the words that stand for no id", { objectid: "NO OBJECT ID" }],
  ])("cannot tell when the service lists objects with %s, except for the object of that id", async (_, id) => {
    const all = [object("S-1", "ADMIN"), { ...id, name: "ADMIN" }];
    const objects = {
      search: ({ skip = 0 }) => Promise.resolve({ records: all.slice(skip), total: null }),
    };
    await expect(findObject(objects, "ADMIN")).rejects.toThrow("without a usable object id: 1");
    await expect(findObject(objects, "S-1")).resolves.toMatchObject({ status: "found" });
  });

  it("cannot tell when the service counts more objects than it lists", async () => {
    const objects = {
      search: ({ skip = 0 }) => Promise.resolve({ records: filler(3, "ADMIN").slice(skip), total: 5 }),
    };
    await expect(findObject(objects, "ADMIN")).rejects.toMatchObject({ code: "protocol" });
  });

  it("reads on through any number of partial matches as long as there is no exact one", async () => {
    const objects = directory([...filler(2_600, "A"), object("S-1", "A")], { exactFirst: false });
    expect(await findObject(objects, "a")).toMatchObject({ status: "found", object: { objectId: "S-1" } });
  });

  it("stops in a sea of partial matches, because exact ones come first", async () => {
    const objects = directory([...filler(100_000, "A"), object("S-1", "A")]);
    const found = await findObject(objects, "a");
    expect(found).toMatchObject({ status: "found", object: { objectId: "S-1" } });
    expect(found.candidates).toHaveLength(25);
    expect(objects.asked).toBeLessThan(10);
  });

  it("asks once for an object id, and whether there are others for a full name", async () => {
    const objects = directory([object("S-1", "ALICE@A"), object("S-2", "BOB@A")]);
    await findObject(objects, "S-2");
    expect(objects.asked).toBe(1);
    await findObject(objects, "ALICE@A");
    expect(objects.asked).toBe(3);
  });
});
