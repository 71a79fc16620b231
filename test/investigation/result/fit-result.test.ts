import { describe, expect, it } from "@jest/globals";
import { fitAssets, fitObjects, fitPaths } from "../../../src/investigation/result/fit-result.ts";
import type { PathEntry } from "../../../src/investigation/paths/path-entry.ts";
import type { Asset } from "../../../src/investigation/assets/read-asset.ts";
import type { NamedObject } from "../../../src/investigation/objects/object-ids.ts";

/** As the SDK of Google SecOps counts: JSON in JSON, ASCII only. */
function characters(entries: readonly object[]): number {
  const ascii = (json: string) => json.replace(/[<\u007f-\uffff]/g, "\\u1234");
  return JSON.stringify(ascii(JSON.stringify({ exists: true, entries }).replace(/[,:]/g, "$& "))).length;
}

const MOST = 15 * 2 ** 20;

describe("a result with paths", () => {
  const node = { objectId: "S".repeat(45), name: "N".repeat(60), kind: "Group" };
  const hop = { from: node, relation: "GenericAll", to: node };
  const entry = (alternatives: number, name = node.name): PathEntry => ({
    start: { ...node, name },
    end: node,
    status: "path",
    exists: true,
    length: 20,
    hops: Array.from({ length: 20 }, () => hop),
    alternatives: Array.from({ length: alternatives }, () => ({ hop: 1, ...hop })),
    truncated: false,
  });

  it("leaves a small result alone", () => {
    const paths = [entry(500), entry(0)];
    expect(fitPaths(paths)).toEqual(paths);
  });

  it("leaves out as many alternatives as it must, and says of which pairs", () => {
    const fitted = fitPaths([...Array.from({ length: 400 }, () => entry(500)), entry(3)]);
    expect(characters(fitted)).toBeLessThan(MOST);
    expect(new Set(fitted.map(({ hops }) => hops.length))).toEqual(new Set([20]));
    expect(fitted[0]).toMatchObject({ truncated: true });
    expect(fitted[0]?.alternatives.length).toBeGreaterThan(0);
    expect(fitted.at(-1)).toEqual(entry(3));
  });

  it("keeps no marks on objects that it leaves out", () => {
    const ids = Array.from({ length: 1_000 }, (_, n) => `S-1-5-21-1111111111-2222222222-3333333333-${n}`);
    const marked = (n: number): PathEntry => ({
      ...entry(0),
      end: { ...node, objectId: `END-${n}` },
      alternatives: ids.map((objectId) => ({ hop: 1, ...hop, to: { ...node, objectId } })),
      tierZero: [`END-${n}`, ...ids],
    });
    const fitted = fitPaths(Array.from({ length: 500 }, (_, n) => marked(n)));
    expect(characters(fitted)).toBeLessThan(MOST);
    expect(fitted[7]).toMatchObject({ truncated: true });
    expect(fitted[7]?.hops).toHaveLength(20);
    const shown = fitted[7]?.alternatives.map(({ to }) => to.objectId) ?? [];
    expect(fitted[7]?.tierZero).toEqual(["END-7", ...shown]);
  });

  it("keeps one mark where it leaves out all that is marked, so that the path still leads into Tier Zero", () => {
    const long = { ...entry(1, "名".repeat(60)), tierZero: ["TIER-ZERO-1", "TIER-ZERO-2"] };
    const [fitted] = fitPaths(Array.from({ length: 5_000 }, () => long));
    expect(fitted).toMatchObject({ hops: [], tierZero: ["TIER-ZERO-1"] });
  });

  it("leaves out hops in the last resort, also for names that grow when they are escaped", () => {
    const fitted = fitPaths(Array.from({ length: 5_000 }, () => entry(1, "名".repeat(60))));
    expect(characters(fitted)).toBeLessThan(MOST);
    expect(fitted[0]).toMatchObject({ length: 20, hops: [], alternatives: [], truncated: true });
  });
});

describe("a result with names", () => {
  const candidate = { objectId: "S".repeat(45), name: "N".repeat(60), type: "User" };
  const named = (candidates: number): NamedObject => ({
    name: "N".repeat(30),
    status: "not_found",
    objectId: null,
    type: null,
    candidates: Array.from({ length: candidates }, () => candidate),
  });

  it("is left alone when it is small", () => {
    expect(fitObjects([named(25), named(0)])).toEqual([named(25), named(0)]);
  });

  it.each([
    [6_000, 10],
    [20_000, 3],
    [60_000, 0],
  ])("of %i keeps so many candidates of each: %i", (names, kept) => {
    const fitted = fitObjects([...Array.from({ length: names }, () => named(25)), named(0)]);
    expect(characters(fitted)).toBeLessThan(MOST);
    expect(fitted[0]).toEqual({ ...named(kept), truncated: true });
    expect(fitted.at(-1)).toEqual(named(0));
  });
});

describe("a result with assets", () => {
  const object = { objectId: "S".repeat(45), name: "N".repeat(60), kind: "Group" };
  const list = { total: 40, items: Array.from({ length: 25 }, () => object) };
  const asset = (text: string, related: Asset["related"] = {}): Asset => ({
    objectId: "S-1",
    status: "found",
    kind: "User",
    name: "ALICE@A",
    properties: { description: text },
    counts: { groupMembership: 40 },
    related,
  });

  it("is left alone when it is small", () => {
    const assets = [asset("x", { memberships: list })];
    expect(fitAssets(assets)).toEqual(assets);
  });

  it("keeps fewer related objects, and their number", () => {
    const lists = { memberships: list, "admin-rights": { total: null, items: null, error: "broken" } };
    const fitted = fitAssets([...Array.from({ length: 5_000 }, () => asset("x", lists)), asset("y")]);
    expect(characters(fitted)).toBeLessThan(MOST);
    const kept = { total: 40, items: list.items.slice(0, 5) };
    expect(fitted[0]).toEqual({ ...asset("x", { ...lists, memberships: kept }), truncated: true });
    expect(fitted.at(-1)).toEqual(asset("y"));
  });

  it("leaves out properties in the last resort, and keeps the counts", () => {
    const failed: Asset = { ...asset(""), status: "failed", properties: {}, error: "broken" };
    const fitted = fitAssets([...Array.from({ length: 20 }, () => asset("名".repeat(200_000))), failed]);
    expect(characters(fitted)).toBeLessThan(MOST);
    expect(fitted[0]).toEqual({ ...asset(""), properties: {}, truncated: true });
    expect(fitted.at(-1)).toEqual(failed);
  });
});
