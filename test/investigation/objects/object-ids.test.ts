import { describe, expect, it } from "@jest/globals";
import { areAllFound, findObjectIds } from "../../../src/investigation/objects/object-ids.ts";
import type { Json } from "../../../src/runtime/protocol.ts";
import { DeadlineError, ServerError } from "../../../src/service/errors/errors.ts";
import { silent } from "../../../src/logger.ts";
import { directory, fakeService, object, type Objects } from "../../support/fake-service.ts";

const details = { whoActs: "service" } as const;
const known = directory([
  { ...object("S-1", "ALICE@A"), system_tags: "admin_tier_0" },
  object("S-2", "TWIN@A"),
  object("S-3", "TWIN@A"),
]);

/** A directory in which the search for some texts fails. */
function failing(errors: Readonly<Record<string, Error>>): Objects {
  return {
    ...known,
    search: (query) => {
      const error = errors[query.text];
      return error === undefined ? known.search(query) : Promise.reject(error);
    },
  };
}

const find = (names: readonly string[], objects: Objects = known, state: Json = null) =>
  findObjectIds(fakeService({ objects }), names, { state, log: silent });

describe("findObjectIds", () => {
  it("has an entry for each name as it was given, and the same for those that differ in letter case", async () => {
    const { objects, remaining, state, cause } = await find(["alice@a", "ALICE@A", "NOBODY", "TWIN@A"]);
    expect(objects.map(({ name, status, objectId }) => [name, status, objectId])).toEqual([
      ["alice@a", "found", "S-1"],
      ["ALICE@A", "found", "S-1"],
      ["NOBODY", "not_found", null],
      ["TWIN@A", "ambiguous", null],
    ]);
    expect([remaining, state, cause]).toEqual([0, null, null]);
  });

  it("tells objects apart whose ids differ in letter case only", async () => {
    const { objects } = await find(["node-a", "NODE-A"], directory([object("node-a", "A"), object("NODE-A", "B")]));
    expect(objects.map(({ status, objectId }) => [status, objectId])).toEqual([
      ["found", "node-a"],
      ["found", "NODE-A"],
    ]);
  });

  it("leaves candidates out of a result that no platform would take, and says of which names", async () => {
    const similar = Array.from({ length: 25 }, (_, at) => object(`S-${at}`, `${"X".repeat(900)}-NAME-${at}`));
    const search: Objects["search"] = ({ skip = 0 }) =>
      Promise.resolve({ records: skip > 0 ? [] : similar, total: 25 });
    const { objects } = await find(
      Array.from({ length: 700 }, (_, at) => `NAME-${at}`),
      { ...known, search },
    );
    expect(objects[0]).toMatchObject({ status: "not_found", truncated: true });
    expect(JSON.stringify(objects).length).toBeLessThan(14_000_000);
  });

  it("tells what it found out about the entities that stand for a found object, by any of its names", async () => {
    const { facts } = await find(["alice@a", "NOBODY", "TWIN@A"]);
    const entities = ["Alice@a", "s-1", "NOBODY", "TWIN@A"].map((identifier) => ({ identifier, type: "USER" }));
    const properties = { objectId: "S-1", kind: "User", tierZero: true };
    expect(facts.about(entities)).toEqual({
      entities: [
        { identifier: "Alice@a", type: "USER", properties },
        { identifier: "s-1", type: "USER", properties },
      ],
    });
    expect(facts.about([{ identifier: "NOBODY", type: "USER" }])).toEqual({});
  });

  it("leaves what the time did not suffice for to the next run, which looks up only that", async () => {
    const late = failing({ "TWIN@A": new DeadlineError("late", details) });
    const first = await find(["ALICE@A", "TWIN@A"], late);
    expect([first.objects.length, first.remaining]).toEqual([1, 1]);
    const broken = failing({ "ALICE@A": new ServerError("not again", details) });
    const second = await find(["ALICE@A", "TWIN@A"], broken, JSON.parse(JSON.stringify(first.state)) as Json);
    expect(second.objects.map(({ status }) => status)).toEqual(["found", "ambiguous"]);
  });

  it("knows whether all are found only when every name was looked up, or one is known not to be", async () => {
    const objects = failing({ BROKEN: new ServerError("broken", details) });
    const verdict = async (...names: string[]) => areAllFound((await find(names, objects)).objects);
    expect(await verdict("ALICE@A")).toBe(true);
    expect(await verdict("ALICE@A", "BROKEN")).toBeNull();
    expect(await verdict("BROKEN", "NOBODY")).toBe(false);
    expect(await verdict("BROKEN", "TWIN@A")).toBe(false);
  });
});
