import { expect, it } from "@jest/globals";
import { assetTable } from "../../../src/investigation/assets/asset-wall.ts";
import { type Asset, unreadAsset } from "../../../src/investigation/assets/read-asset.ts";

const items = ["A", "B", "C", "D"].map((name) => ({ objectId: `ID-${name}`, name, kind: "Group" }));
const alice: Asset = {
  objectId: "U-1",
  status: "found",
  kind: "User",
  name: "ALICE@A",
  tierZero: true,
  properties: {},
  counts: { adminRights: 12, sessions: 0, constrainedPrivs: null, Readers: { KeyReaders: 30 } },
  related: {
    memberships: { total: 40, items },
    "admin-rights": { total: 0, items: [] },
    sessions: { total: 2, items: null, error: "broken" },
  },
};

it("does not give the number of related objects that are shown for all of them", () => {
  const { rows } = assetTable([{ ...alice, related: { members: { total: null, items } } }]);
  expect(rows[0]?.at(-1)).toBe("members: A, B, C and 1 more (total not known)");
});

it("tells an object outside of Tier Zero from one of which that is not known", () => {
  const { tierZero: _, ...unknown } = alice;
  const column = assetTable([alice, { ...alice, tierZero: false }, unknown]).rows.map((row) => row[4]);
  expect(column).toEqual(["yes", "no", ""]);
});

it("shows the largest counts, what could not be read, and the first related objects by name", () => {
  const { title, columns, rows } = assetTable([
    alice,
    unreadAsset("U-9", "not_found"),
    { ...unreadAsset("U-8", "failed"), error: "The service failed." },
  ]);
  expect(title).toBe("Assets");
  expect(columns).toEqual(["Name", "Kind", "Object Id", "Result", "Tier Zero", "Counts", "Related"]);
  expect(rows).toEqual([
    [
      "ALICE@A",
      "User",
      "U-1",
      "read",
      "yes",
      "Readers.KeyReaders 30, adminRights 12, constrainedPrivs unknown",
      "memberships: A, B, C and 37 more; sessions: could not be read",
    ],
    ["", "", "U-9", "not found", "", "", ""],
    ["", "", "U-8", "The service failed.", "", "", ""],
  ]);
});
