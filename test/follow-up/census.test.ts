import { expect, test } from "@jest/globals";
import { readCensus } from "../../src/follow-up/census.ts";
import { keyOf } from "../../src/follow-up/finding-key.ts";
import type { AttackPathService } from "../../src/service/attack-path-service.ts";
import type { Finding } from "../../src/service/resources/findings.records.ts";

const STREAM = { environmentId: "E", findingType: "T0GenericAll" };
const KEY = keyOf("A", "B");

function read(findings: Finding[], total: number | null) {
  const page = { findings, total, invalidValues: [], skip: 0, inOrder: true };
  async function* pages() {
    yield await Promise.resolve(page);
  }
  const newest = () => Promise.resolve({ total: null, newest: null });
  const service = { findings: { pages, newest } } as unknown as AttackPathService;
  return readCensus(service, STREAM, new Set([KEY]));
}

const finding: Finding = { id: 1, FromPrincipal: "A", ToPrincipal: "B", Severity: "high" };

test("a read is complete when the service counts as many findings as it lists", async () => {
  const census = await read([finding], 1);
  expect(census.kind === "complete" && census.listed.get(KEY)).toEqual({ kind: "active", severity: "high" });
});

test.each<[string, Finding[], number | null]>([
  ["the service does not count its findings", [finding], null],
  ["it counts more than it lists", [finding], 2],
  ["it lists findings of another type", [finding, {}], 2],
  ["it lists a finding without its objects", [finding, { id: 2, ToPrincipal: "B" }], 2],
])("a read proves nothing when %s", async (_, findings, total) => {
  expect((await read(findings, total)).kind).toBe("incomplete");
});

test("a finding that is marked as deleted is not listed, unless it is listed again", async () => {
  const deleted = { ...finding, id: 2, deleted_at: "2026-11-20T02:00:00Z" };
  const once = await read([deleted], 1);
  const at = Date.parse("2026-11-20T02:00:00Z");
  expect(once.kind === "complete" && once.listed.get(KEY)).toEqual({ kind: "deleted", at });
  const again = await read([deleted, { ...finding, Accepted: true }], 2);
  expect(again.kind === "complete" && again.listed.get(KEY)?.kind).toBe("accepted");
});
